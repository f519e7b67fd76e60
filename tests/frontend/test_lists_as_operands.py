"""Lists and tuples as operands of arrays and of NumPy's numbers, which take over."""

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya
from tests.adjoint.checking import same_bits

LIST, B = [1.0, 2.0, 3.0], np.array([0.5, 0.2, 0.7])


def divided_in_place(p, b):
    p /= np.linalg.norm(b)
    return np.sum((p - b) ** 2 * [1.0, 2.0, 3.0])


def made_here(p, b):
    q = [b[0], p[1], 2.0]
    return np.sum((q + b) ** 3 - (p[2], b[2], 1.0) / b)


def extended_by_an_array(p, b):
    q = [1.0, p[0], 2.0]
    r = q
    r += b
    q[0] = p[2]
    return np.sum(r * b * q)


def scaled_in_place(p, b):
    q = [1.0, p[0], 2.0]
    q *= b
    return q @ b - np.sum((q < 3 * b) * q) + p @ b + b @ p + np.sum(b**p)


def with_a_number_of_numpy(p, b):
    n = np.sum(b)
    return np.sum((p + n) * (n - p) / (n / p)) + np.sum((b[0], p[1]) ** n)


def a_list_of_lists(p, b):
    m = [[p[0], b[0]], [1.0, p[1]], [b[1], 2.0]]
    return np.sum((b @ m) ** 2) + np.sum(m * np.ones((1, 2)))


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "f",
    [
        divided_in_place, made_here, extended_by_an_array, scaled_in_place,
        with_a_number_of_numpy, a_list_of_lists,
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [list, tuple])
def test_gradients(f, kind):
    given = kind(LIST)
    val, g = ya.grad(f, given, B)
    assert same_bits(val, f(kind(LIST), B))
    assert given == kind(LIST)
    assert type(g[0]) is kind
    assert all(type(d) is float for d in g[0])
    for k in range(3):
        up, down = np.array(LIST), np.array(LIST)
        up[k] += 1e-6
        down[k] -= 1e-6
        slope = (f(kind(up.tolist()), B) - f(kind(down.tolist()), B)) / 2e-6
        assert g[0][k] == pytest.approx(slope, rel=1e-6, abs=1e-7)
        up, down = B.copy(), B.copy()
        up[k] += 1e-6
        down[k] -= 1e-6
        slope = (f(kind(LIST), up) - f(kind(LIST), down)) / 2e-6
        assert g[1][k] == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_pythons_own_products_stay():
    """An integer of NumPy's repeats a list."""

    def repeated(p, n):
        return np.sum(np.array(p * n) ** 2)

    try:
        val, g = ya.grad(repeated, LIST, np.int64(2))
    except ya.YotaError:
        return
    assert val == repeated(LIST, np.int64(2))
    assert np.allclose(g[0], [4.0, 8.0, 12.0])


def test_a_sum_of_products_of_several_arrays_is_new_memory():
    m = np.array([[1.0, 2.0], [0.5, 3.0]])

    def f(x):
        y = np.einsum("...ij,...j->...i", m, x)
        y *= 100
        return np.sum(y**2)

    x = np.array([0.3, 0.7])
    _, g = ya.grad(f, x)
    assert np.allclose(g[0], 2e4 * m.T @ m @ x)


def times_a_list_of_rows(v, e):
    return np.sum((e * [np.dot(a, b) for a, b in zip(v, e)]).ravel())


def a_list_of_numbers_on_either_side(v, e):
    s = [a[0] for a in v]
    return np.sum(s**e) + np.sum(e @ s) - np.sum((s - e) / s)


def a_list_within_functions(v, e):
    s = list(map(np.sum, v))
    return np.sum(np.arctan2(s, e) + np.where(e > 1.5, s, np.multiply(e, s)))


def a_list_changes_a_matrix(v, e):
    s = [a[1] for a in v]
    e = e * 1.0
    e *= s
    e -= s
    e /= (v[0, 0], v[1, 1], 2.0)
    return np.sum(e**2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        times_a_list_of_rows,
        a_list_of_numbers_on_either_side,
        a_list_within_functions,
        a_list_changes_a_matrix,
    ],
)
def test_lists_of_unknown_length_beside_matrices(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v = np.arange(9.0).reshape(3, 3) / 5 + 0.3
    e = np.cos(v) + 1.2
    assert same_bits(ya.grad(f, v, e)[0], f(v, e))
    assert ya.gradcheck(f, v, e)


def blocks_of_lists(x, y):
    block = [[x**3 / 3, x**2 / 2], [x**2 / 2, x * y]]
    return np.sum(linalg.block_diag(*[block] * 2, [y]) ** 2)


def broadcast_list(x, y):
    a, b = np.broadcast_arrays([x, y, 1.0], x * y)
    return np.sum(a * b)


def mesh_of_lists(x, y):
    a, b = np.meshgrid([x, y, 1.0], (x, 2.0), indexing="ij")
    return np.sum(a * b**2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [blocks_of_lists, broadcast_list, mesh_of_lists])
def test_lists_given_to_functions_of_several_arrays(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert same_bits(ya.grad(f, 1.5, 0.7)[0], f(1.5, 0.7))
    assert ya.gradcheck(f, 1.5, 0.7)
