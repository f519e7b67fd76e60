"""What must not happen twice: the refusal points at where it happens."""

import numpy as np
import pytest

import yota_ast as ya

X, RNG = np.array([1.0, 2.0, 3.0]), np.random.default_rng(1)


class Counter:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1  # here
        total = np.sum(x**2)
        return total * self.calls


def deep(x, n):
    if n == 0:
        print("at the end")  # here
        return x
    return 2 * deep(np.sin(x), n - 1)


def recursive(x, n):
    return np.sum(deep(x, n))


def in_a_function_within(x):
    y = x * 1

    def more():
        nonlocal y
        y = y + RNG.normal(size=3)  # here

    more()
    return np.sum(y)


def written_into_a_dict(x, counts):
    counts["calls"] = counts["calls"] + 1  # here
    total = np.sum(x**2)
    return total * counts["calls"]


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (Counter(), (X,)),
        (recursive, (X, 3)),
        (in_a_function_within, (X,)),
        (written_into_a_dict, (X, {"calls": 0})),
    ],
    ids=["object", "recursive", "within", "dict"],
)
@pytest.mark.parametrize("transform", [ya.vjp, ya.jacobian])
def test_the_refusal_points_at_the_cause(fn, args, transform):
    with pytest.raises(ya.UnsupportedCall, match="this would happen twice") as caught:
        transform(fn, wrt="x")(*args)
    assert caught.value.at.text.endswith("# here")


def test_a_function_within_that_writes_into_an_array_from_outside():
    def outer(x):
        kept = np.zeros(3)

        def inner(y):
            kept[0] = y[0]
            return np.sum(y**2)

        _, pullback = ya.vjp(inner)(x)
        return np.sum(pullback(1.0))

    with pytest.raises(ya.UnsupportedSyntax) as caught:
        ya.grad(outer, X)
    assert caught.value.reason == (
        "`inner`, given to a transform, writes into an array from outside"
    )
