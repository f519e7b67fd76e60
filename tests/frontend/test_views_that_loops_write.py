"""Views under names of their own that loops write into, as numerical code does."""

import inspect

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.syntax.saved_names import before_write

from .checking import check, check_tangent

A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])
B = np.array([[0.2, 1.3, -0.4], [0.9, -1.1, 0.5], [0.7, 0.8, 0.1]])


def gram_schmidt(a, b):
    q_all = a.copy()
    n = len(a)
    r = np.zeros((n, n))
    for j in range(n):
        q = q_all[:, j]
        for i in range(j):
            r[i, j] = q_all[:, i] @ q
            q -= r[i, j] * q_all[:, i]
        r[j, j] = np.linalg.norm(q)
        q /= r[j, j]
    return np.sum(q_all * b) + np.sum(r**2)


def a_view_alone(a, b):
    m = a.copy()
    column = m[:, 1]
    for i in range(2):
        column -= b[i, 1] * b[:, i]
    return np.sum(m * b)


def forces(a, b):
    total = np.zeros_like(a)
    for i in range(len(a)):
        own = total[i]
        for j in range(len(a)):
            if i == j:
                continue
            own += (a[i] - a[j]) / np.sum((a[i] - a[j]) ** 2)
    return np.sum(total * b)


def rotated_rows(a, b):
    m = a.copy()
    for j in range(2):
        for i in range(j + 1, 3):
            one, other = m[j], m[i]
            r = np.hypot(one[j], other[j])
            c, s = one[j] / r, other[j] / r
            turned = c * one + s * other
            other[:] = c * other - s * one
            one[:] = turned
    return np.sum(m * b)


def columns_of_a_transpose(a, b):
    m = a.copy()
    for column, row in zip(m.T, b):
        column *= row
        column[1] += row[0]
    m.T[1, 2] *= b[0, 0]
    m.T[-1, :2] = b[0, :2]
    return np.sum(m**2)


def rot90_is_no_transpose(a, b):
    m = a.copy()
    np.rot90(m)[0] -= b[0]
    return np.sum(m**2)


def rebound_and_written(a, b):
    y = a[0] * 1.0
    part = y[1:]
    for k in range(1, 4):
        part *= b[0, 0]
        part = y[k - 1 :]
    return np.sum(y**2)


PROGRAMS = [
    gram_schmidt, a_view_alone, forces, rotated_rows, columns_of_a_transpose,
    rot90_is_no_transpose, rebound_and_written,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    given = A.copy()
    check(f, given, B)
    assert (given == A).all()


@pytest.mark.parametrize("f", PROGRAMS)
def test_tangents_are_right(f):
    check_tangent(f, A, B)


def source(f):
    return ya.simplegrad(f, A, B).source


def test_a_whole_view_is_written_at_its_place():
    text = source(rotated_rows)
    assert "m[i] = c * other - s * one" in text
    assert "unset" not in text


def test_of_a_matrix_the_rows_are_kept_that_are_read():
    text = source(rotated_rows)
    assert f"{before_write('one')} = one.copy()" in text
    assert before_write("m") not in text


def test_a_row_of_a_transpose_is_a_column():
    text = source(columns_of_a_transpose)
    assert "m[:, i] *= row" in text
    assert "m[2, 1] *= " in text


def through_all(a, b):
    held = a[0] * 1.0
    for k in range(3):
        held[:] = np.exp(-held) * b[k]
    return np.sum(held)


def test_all_of_an_array_is_written_as_a_whole():
    check(through_all, A, B)
    assert "dheld[:]" not in source(through_all)


def read_flat(a, b):
    m = a.copy()
    m.flat[2] = b[0, 0] ** 2
    m.flat[5] = b[1, 1]
    return np.sum(m**2)


def test_of_what_is_read_for_its_shape_nothing_is_kept():
    check(read_flat, A, B)
    assert "_old" not in source(read_flat)


def halved(a, b):
    y = np.concatenate([a[0], b[0, :1]])
    size = 2
    while size <= 4:
        blocks = y.reshape(-1, size)
        even = blocks[:, : size // 2].copy()
        odd = blocks[:, size // 2 :] * 1.5
        blocks[:, : size // 2] = even + odd
        blocks[:, size // 2 :] = even - odd
        size *= 2
    return np.sum(y**3)


def test_nor_is_it_in_a_loop():
    check(halved, A, B)
    assert before_write("blocks") not in source(halved)


def solve(b, d):
    x = d.copy()
    for i in range(1, 3):
        x[i] -= b[i] * x[i - 1]
    return x


def lines(a, b):
    m, u = a.copy(), a.copy()
    for i in range(3):
        m[i] = solve(b[i], u[i])
    return np.sum(m**2) + np.sum(u)


def test_what_is_a_copy_is_not_copied_again():
    check(lines, A, B)
    text = [line.strip() for line in source(lines).splitlines()]
    assert "dx = dx.copy()" not in text
    assert text.count("dx = dm[i].copy()") == 1


def of_any_rank(y, x):
    z = y.copy()
    head, tail = z[:2], z[2:]
    head += x * tail
    tail *= head
    return np.sum(z**2)


def test_a_slice_of_an_array_of_any_rank_is_an_array():
    y, x = np.array([0.3, 1.2, -0.5, 2.0]), 0.7
    text = ya.simplegrad(of_any_rank)
    for got, wanted in zip(
        text(y, x), ya.simplegrad(of_any_rank, y, x)(y, x), strict=True
    ):
        assert np.allclose(got, wanted)
    assert len(inspect.signature(text).parameters) == 3
