"""Closures of one code in forward mode and at second order: other data in their cells
is given as arguments, and compiled once."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import directional, grad
from yota_ast.api.cache.compiled_gradients import Cache

X = np.array([0.5, -1.5])
V = np.array([1.0, 0.25])


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """The programs that were compiled."""
    found = []
    for module in (directional, grad):
        monkeypatch.setattr(module, "_CACHE", Cache())
        made = module.compiled

        def noting(program, made=made):
            found.append(program)
            return made(program)

        monkeypatch.setattr(module, "compiled", noting)
    return found


def scaled(c, a):
    return lambda x: np.sum(a * np.sin(c * x))


def along(c, a, x):
    return np.sum(a * np.cos(c * x) * c * V)


def product(c, a, x):
    return -a * np.sin(c * x) * c * c * V


def test_a_tangent(compiled):
    for k in range(12):
        c, a = 1.0 + k / 7, np.array([1.0, k])
        value, d = ya.jvp(scaled(c, a))(X, V)
        assert value == scaled(c, a)(X)
        assert d == pytest.approx(along(c, a, X))
    assert len(compiled) == 2


def test_a_product_of_a_hessian(compiled):
    for k in range(12):
        c, a = 1.0 + k / 7, np.array([1.0, k])
        assert ya.hvp(scaled(c, a))(X, V) == pytest.approx(product(c, a, X))
    assert len(compiled) == 4


def test_a_kept_transform_whose_cell_changes(compiled):
    c = 0.0

    def f(x):
        return np.sum(np.sin(c * x))

    kept = ya.jvp(f)
    for k in range(6):
        c = 0.5 * k
        assert kept(X, V)[1] == pytest.approx(along(c, 1.0, X))
    assert len(compiled) == 2
    twice = ya.hvp(f)
    for k in range(3):
        c = 0.5 * k
        assert twice(X, V) == pytest.approx(product(c, 1.0, X))


def test_what_a_cell_decides_and_holds():
    def make(n, g, a):
        def f(x):
            total = 0.0
            for k in range(n):
                total = total + g(x) * a if a is not None else total + k * g(x)
            return np.sum(total)

        return f

    def fresh(call):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(directional, "_CACHE", Cache())
            patch.setattr(grad, "_CACHE", Cache())
            return call()

    contents = [
        (2, np.sin, 1.5), (3, np.cos, 2.5), (0, np.sin, None), (2, np.exp, None),
        (2, np.sin, np.ones(2)), (2, np.sin, np.ones((3, 1))), (1, np.sin, 2),
        (2, lambda x: x * x, 3.0), (2, abs, np.float32(0.5)), (True, np.sin, 1.5),
    ]  # fmt: skip
    for n, g, a in contents * 2:
        f = make(n, g, a)
        for call in (lambda: ya.jvp(f)(X, V), lambda: ya.hvp(f)(X, V)):
            for one, other in zip(call(), fresh(call), strict=True):
                assert np.array_equal(one, other)


def test_a_cell_may_hold_an_argument():
    def squared(a):
        return lambda x: np.sum(a * x**2)

    for a in (X, X * 2.0, V):
        f = squared(a)
        assert ya.jvp(f)(X, V)[1] == pytest.approx(np.sum(2 * a * X * V))
        assert ya.hvp(f)(X, V) == pytest.approx(2 * a * V)
