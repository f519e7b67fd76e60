"""A list that is one of two by a branch is taken apart, if each has as many items."""

import numpy as np
import pytest

import yota_ast as ya


def spread(v):
    if v[0] < 0:
        v = [c * 0.5 for c in v]
    return max(*v) * v[1]


def twice(v):
    low, top = min(*v), max(*v)
    if low < 0:
        v = [c - low * c for c in v]
    return max(*v) * min(*v) + v[1] * top


def into_a_list(v):
    if v[0] < 0:
        v = [c * c for c in v]
    w = [*v, 1.0]
    return w[0] * w[1] * w[2] * w[3]


def of_two_lengths(v):
    if v[0] < 0:
        v = [v[0], v[1]]
    return max(*v)


def slopes(f, v):
    moved = 1e-6 * np.eye(len(v))
    return [(f([*(v + d)]) - f([*(v - d)])) / 2e-6 for d in moved]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [spread, twice, into_a_list])
@pytest.mark.parametrize("v", [[-0.3, 0.4, 1.7], [0.2, 0.6, 0.9]])
def test_taken_apart(f, v, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, g = ya.grad(f, [*v])
    assert value == f([*v])
    np.testing.assert_allclose(g[0], slopes(f, np.array(v)), rtol=1e-6, atol=1e-9)


def test_lists_of_two_lengths_are_refused():
    with pytest.raises(ya.YotaError, match="number of items"):
        ya.grad(of_two_lengths, [-0.3, 0.4, 1.7])


def unpacked_part(h, e):
    i = int(h)
    a, b = e[i : i + 2]
    return h * a / b


def items_of_parts(h, e):
    i = int(h)
    part = e[i : i + 2]
    return h * part[0] * part[-1] * sum(e[i:]) * max(e[:i])


def a_part_of_a_part(h, e):
    part = e[int(h) :]
    while len(part) > 0:
        h = h * part[-1]
        part = part[:-1]
    return h


def the_whole_is_written(h, e):
    part = e[int(h) :]
    e = [2.0 * h, *e[1:]]
    return h * part[0] * part[1] * e[0]


@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize(
    "f", [unpacked_part, items_of_parts, a_part_of_a_part, the_whole_is_written]
)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_parts_between_places_that_are_not_known(f, kind, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    e = kind((0.5, 0.7, 1.1, 1.3))
    assert ya.grad(f, 1.2, e)[0] == f(1.2, e)
    assert ya.gradcheck(f, 1.2, e)
    assert type(ya.grad(f, 1.2, e)[1]["e"]) is kind
