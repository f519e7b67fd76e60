"""Lists and tuples that hold complex numbers, of which NumPy makes complex arrays: the
slopes of what they are computed with are conjugated."""

import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

OF_A_MODULE = [1j, 2.0]
V = np.array([0.3, 1.2, -0.5, 2.0])
A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])


def dot(v):
    return float(np.dot(v[:2], [1j, 2]).imag)


def product(v):
    return float((v[:2] * [1j, 2]).imag.sum())


def of_a_module(v):
    return float((v[:2] / OF_A_MODULE).imag.sum())


def of_computed(v):
    zs = [t * 1j for t in v]
    return float(np.sum(np.multiply(zs, zs)).real)


def appended(v):
    zs = []
    for t in v:
        zs.append(t * 1j)  # noqa: PERF401
    return float((np.array(zs) * zs).real.sum())


def in_a_tuple(v):
    pair = (v[0] * 1j, 2.0)
    return float((pair * v[:2]).imag.sum() + np.prod(pair).imag)


def solved(A):
    return float(np.linalg.solve(A, [1j, 2, 3]).imag.sum())


def determinant(v):
    return float(np.linalg.det([[v[0], 1j], [v[1] * 1j, v[2] * 1j]]).imag)


def outer(v):
    return float(np.kron(v, [1j]).imag.sum() + np.outer(v[:2], (2, 1j)).imag.sum())


def polynomial(v):
    return float(np.polyval([1j, 2], v).imag.sum())


def spaced(v):
    return float((np.linspace(0, v * 1j, 3) * 1j).real.sum())


def spaced_numbers(v):
    return float(np.linspace(v[0], 1j * v[1], 3).imag.sum())


def stacked(v):
    rows = np.column_stack([v, v * 1j])
    return float(rows.imag.sum() + np.abs(np.array([v, v * 1j]) - 2).sum())


def joined(v):
    return float(np.abs(np.concatenate([v, [1j]]) - 2).sum())


def nested(v):
    return float(np.array([[v[0], 1j * v[1]], [1, 2]]).imag.sum() + v[2] ** 2)


PROGRAMS = [
    dot, product, of_a_module, of_computed, appended, in_a_tuple, determinant, outer,
    polynomial, spaced, spaced_numbers, stacked, joined, nested,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("f", "x"), [*((f, V) for f in PROGRAMS), (solved, A)])
def test_gradients_are_right(f, x, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, x)
    along = np.cos(np.arange(x.size)).reshape(x.shape)
    _, gradient = ya.grad(f, x)
    assert gradient[0].dtype == float
    _, tangent = ya.jvp(f)(x, along)
    assert tangent == pytest.approx(np.sum(gradient[0] * along))


def of_parts(x):
    return (np.array([complex(a, 1.0) for a in x]) ** 2).imag.sum()


@pytest.mark.parametrize(
    "f", [dot, of_computed, spaced, spaced_numbers, joined, of_parts]
)
def test_the_text_for_any_argument_is_right(f):
    _, expected = ya.grad(f, V)
    _, gradient = ya.simplegrad(f)(V)
    np.testing.assert_allclose(gradient, expected[0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: math.prod([x, 1j * x]).imag,
        lambda x: np.interp(x, [0.0, 1.0], [1.0, 1j]).imag,
    ],
)
def test_rules_for_real_numbers_are_refused(f):
    with pytest.raises(ya.UnsupportedCall, match="is for real numbers"):
        ya.grad(f, 0.7)
