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
