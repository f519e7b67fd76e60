"""Objects of an argument that lead to one another, the last to None."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check_tangent


class Node:
    def __init__(self, x, parent=None):
        self.x, self.parent = x, parent


def _nodes(*lengths):
    """Chains of nodes."""
    out = []
    for length in lengths:
        node = None
        for depth in range(length):
            node = Node(1.0 + depth + len(out), node)
        out.append(node)
    return out


def back_to_the_root(nodes, i, x):
    path = [x]
    node = nodes[i]
    while node.parent:
        path.append(node.x * x)
        node = node.parent
    return sum(path)


def by_a_helper(nodes, i, x):
    return _depth(nodes[i]) * back_to_the_root(nodes, i, x)


def _depth(node):
    depth = 0
    while node.parent is not None:
        depth += 1
        node = node.parent
    return depth


def of_the_grandparent(nodes, i, x):
    node = nodes[i]
    if node.parent and node.parent.parent:
        return node.parent.parent.x * x
    return node.x


FUNCTIONS = [back_to_the_root, by_a_helper, of_the_grandparent]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("lengths", [(1, 2), (1, 2, 3), (1, 2, 3, 2, 4)])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_of_one_that_is_found_by_its_parents(fn, lengths, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    nodes = _nodes(*lengths)
    for i in range(len(nodes)):
        value, g = ya.grad(fn, nodes, i, 0.7)
        assert value == fn(nodes, i, 0.7)
        for path, slope in g[0][i].items():
            assert np.isclose(slope, _slope(fn, nodes, i, path))
        h = 1e-6
        around = fn(nodes, i, 0.7 + h) - fn(nodes, i, 0.7 - h)
        assert np.isclose(g[2], around / (2 * h))


def _slope(fn, nodes, i, path):
    owner = nodes[i]
    for name in path[:-1]:
        owner = getattr(owner, name)
    before, h, values = owner.x, 1e-6, []
    for step in (h, -h):
        owner.x = before + step
        values.append(fn(nodes, i, 0.7))
    owner.x = before
    return (values[0] - values[1]) / (2 * h)


def test_a_chain_that_ends_too_early():
    def beyond(nodes, i, x):
        node = nodes[i]
        for _ in range(3):
            node = node.parent
        return node.x * x

    nodes = _nodes(4, 2, 5)
    assert ya.grad(beyond, nodes, 0, 0.7)[0] == beyond(nodes, 0, 0.7)
    message = "'NoneType' object has no attribute 'parent'"
    with pytest.raises(AttributeError, match=message):
        ya.grad(beyond, nodes, 1, 0.7)


def test_the_test_of_an_end_is_one_line():
    source = ya.grad(back_to_the_root, _nodes(1, 2, 3), 1, 0.7)[1].source
    assert "        if node in (2, 4, 5):\n            raise" in source or (
        "        if node == 3:\n            raise AttributeError(" in source
    )


def test_forward():
    nodes = _nodes(1, 2, 3)

    def fn(x, y):
        return back_to_the_root(nodes, 2, x) * y

    check_tangent(fn, 0.7, 1.3)
