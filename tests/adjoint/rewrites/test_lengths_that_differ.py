"""Arguments longer than others by a literal: what the text checks, and tells."""

import re

import numpy as np
import pytest

import yota_ast as ya


def of_steps(k, u):
    return np.sum(k * (u[1:] - u[:-1]))


def of_several(k, u, v):
    return of_steps(k, u) + np.sum(v[1:-1] * k[1:])


def of_longer_first(u, k):
    return of_steps(k, u)


def of_three(u, k, w):
    return np.sum(k[1:] * u[2:] * w[3:])


def of_rows(A, x):
    return np.sum(A[1:] @ x[:-2]) + np.sum(A[:-1] * A[1:])


def of_the_first(k, u):
    return of_steps(k, u) + np.sum(u[:4] * np.arange(4.0))


def of_a_part(u, k):
    return np.sum(u[::2] * k)


@pytest.mark.parametrize(
    ("f", "shapes", "tests", "told"),
    [
        (
            of_steps, [4, 5], ['getattr(u, "shape", 0) != (k.shape[0] + 1,)'],
            "k (n,), u (n + 1,), floats",
        ),
        (
            of_several, [4, 5, 5],
            ['getattr(u, "shape", 0) != (k.shape[0] + 1,)',
             'getattr(v, "shape", 0) != u.shape'],
            "k (n,), u (n + 1,), v (n + 1,), floats",
        ),
        (
            of_longer_first, [5, 4], ['getattr(k, "shape", 0) != (u.shape[0] - 1,)'],
            "u (n,), k (n - 1,), floats",
        ),
        (
            of_three, [6, 5, 7],
            ['getattr(k, "shape", 0) != (u.shape[0] - 1,)',
             'getattr(w, "shape", 0) != (u.shape[0] + 1,)'],
            "u (n,), k (n - 1,), w (n + 1,), floats",
        ),
        (
            of_rows, [(4, 3), 5], ['getattr(x, "shape", 0) != (A.shape[0] + 1,)'],
            "A (n, m), x (n + 1,), floats",
        ),
        (
            of_the_first, [5, 6],
            ['getattr(u, "shape", 0) != (k.shape[0] + 1,)', "k.shape[0] < 3"],
            "k (n,), u (n + 1,), n >= 3, floats",
        ),
        (
            of_a_part, [7, 4], ["(u.shape[0] + 1) // 2 != k.shape[0]"],
            "u (n,), k (m,), (u.shape[0] + 1) // 2 == k.shape[0], floats",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_each_relation_is_checked_once(f, shapes, tests, told):
    rng = np.random.default_rng(2)
    args = [rng.normal(size=shape) for shape in shapes]
    names = f.__code__.co_varnames[: len(args)]
    made = ya.simplegrad(f, *args, wrt=list(names))
    head = made.source.partition("# forward")[0]
    assert [line for line in tests if line not in head] == []
    relations = re.findall(r'"shape", 0\) !=|shape\[0\].* (?:!=|<)', head)
    assert len(relations) == len(tests)
    for k, arg in enumerate(args):
        longer = [*args]
        longer[k] = np.ones((len(arg) + 1, *arg.shape[1:]))
        try:
            f(*longer)
        except ValueError:
            with pytest.raises(ValueError) as caught:  # noqa: PT011
                made(*longer)
            assert str(caught.value) == f"{f.__name__}_grad: made for {told}"
