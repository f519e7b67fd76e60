"""Lists from which numbers are taken: by value, by a computed place, by slices."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

from .checking import check

V = np.array([0.3, 1.2, -0.5, 2.0])


def found(v, n):
    xs = [v[0], 2.0, v[1]]
    k = xs.index(2.0)
    xs.insert(k, v[2] * v[3])
    return xs[1] * xs[2] + xs.count(2.0) * v[1]


def from_the_greatest_down(v, n):
    xs, total = v.tolist(), 0.0
    while xs:
        most = max(xs)
        total = total * 0.5 + most
        xs.remove(most)
    return total


def at_computed_places(v, n):
    xs = v.tolist()
    a = xs.pop(-n)
    b = xs.pop(n - 2)
    xs.insert(n, 5.0 * a)
    xs.insert(-n, v[0] * b)
    return a * 2 + b + xs[0] * xs[1] + xs[-1]


def by_two_names(v, n):
    xs = [v[0], v[1] * 2, 3.0]
    ys = xs
    if v[0] < v[1]:
        ys.remove(3.0)
    return sum(xs) * len(ys)


def stretches(v, n):
    xs, ys, zs = v.tolist(), [t * t for t in v], [v[0], 1.0, v[2], v[3]]
    del xs[: n - 2]
    del ys[::2]
    del zs[1::2]
    del zs[n:]
    return sum(xs) + sum(ys) * ys[0] + zs[0] * zs[1]


def _without(xs, one):
    xs.remove(one)
    return sum(xs)


def by_a_helper(v, n):
    xs = v.tolist()
    return _without(xs, min(xs)) * xs[0]


def not_there(v, n):
    try:
        k = v.tolist().index(7.0)
    except ValueError:
        k = n
    return v[k] * v[k]


@pytest.mark.parametrize(
    "fn",
    [
        found, from_the_greatest_down, at_computed_places, by_two_names, stretches,
        by_a_helper, not_there,
    ],
)  # fmt: skip
def test_they_hold_what_is_left(fn):
    check(fn, V, 3)


def none_such(v, n):
    xs = v.tolist()
    xs.remove(7.0 + n)
    return sum(xs)


def past_the_end(v, n):
    xs = v.tolist()
    return xs.pop(n + 1) * xs[0]


@pytest.mark.parametrize(
    ("fn", "error"), [(none_such, ValueError), (past_the_end, IndexError)]
)
def test_what_is_not_there_raises(fn, error):
    with pytest.raises(error):
        ya.grad(fn, V, 3)


def of_lists(v, n):
    xs = [[v[0], 1.0], [2.0, v[1]]]
    return xs.pop(int(v[1]))[0]


def test_what_is_refused():
    with pytest.raises(UnsupportedCall):
        ya.grad(of_lists, V, 3)
