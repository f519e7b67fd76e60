"""A function without floats in it that cannot be followed is called as it is: found out
once, and not at each call."""

import numpy as np

import yota_ast as ya
from yota_ast.frontend.calls.inlining import Inlining


def table():
    class Row:
        values = np.array([1.0, 2.0])

    return Row.values


def twice(x):
    return np.sum(x * table()) + np.sum(x * x * table())


def test_it_is_tried_once(monkeypatch):
    tried = []
    inline = Inlining.inline

    def counted(self, node, scope, *rest):
        tried.append(scope.name)
        return inline(self, node, scope, *rest)

    monkeypatch.setattr(Inlining, "inline", counted)
    x = np.array([3.0, 4.0])
    _, g = ya.grad(twice, x)
    assert tried.count("table") == 1
    assert g.source.count("table()") == 2 + 2  # in two statements, quoted once each
    np.testing.assert_allclose(g[0], [1 + 2 * 3, 2 + 4 * 4])
