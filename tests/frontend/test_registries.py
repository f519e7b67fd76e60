"""Whether a class is in a set of classes from outside, as autograd's wrappers ask."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.7, 1.3])


class Boxed:
    """A class that no argument here is of."""


BOXES = {Boxed}
FIXED = frozenset({Boxed, int})


def opened(*args):
    found = []
    for place, arg in enumerate(args):
        kind = type(arg)
        if kind in BOXES:
            trace = arg.trace
            if trace > 0:
                found.append((place, arg))
    return found


def wrapped(fn):
    def called(*args, **kwargs):
        if opened(*args):
            return fn(*[a.value for a in args], **kwargs)
        return fn(*args, **kwargs)

    return called


is_in = wrapped(np.isin)
times = wrapped(np.multiply)


def of_whole_numbers(x, k):
    return np.sum(x * is_in(k, [1, 2, 3])) + times(x, x)


def in_a_loop(x, k):
    total = 0.0
    for q in x:
        total += times(q, k) if type(k) in FIXED else q
    return total


@pytest.mark.parametrize("passes", ["none", "all"])
@pytest.mark.parametrize("f", [of_whole_numbers, in_a_loop])
@pytest.mark.parametrize("k", [2, 5, 2.0])
def test_right(f, k, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, X, k)


def by_class(x):
    return 3.0 * x if type(x) in BOXES else x


def test_the_set_is_looked_at_anew():
    assert ya.grad(by_class, 2.0)[1][0] == 1.0
    BOXES.add(float)
    try:
        assert ya.grad(by_class, 2.0)[1][0] == 3.0
    finally:
        BOXES.remove(float)
    assert ya.grad(by_class, 2.0)[1][0] == 1.0
