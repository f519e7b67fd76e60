"""One copy of an array for the parts that loops within an iteration read, and programs
in which each part is kept."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(3)
U = rng.uniform(1, 2, (6, 5))


def implicit(u, a, steps):
    u = u.copy()
    p, q = np.zeros_like(u), np.zeros_like(u)
    for _ in range(steps):
        p[0] = 0.5
        q[0] = u[0]
        for j in range(1, u.shape[0] - 1):
            p[j] = a / (2.0 + p[j - 1])
            q[j] = (u[j] + a * q[j - 1]) * p[j]
        for j in range(u.shape[0] - 2, 0, -1):
            u[j] = q[j] - p[j] * u[j + 1]
    return np.sum(u * u)


def written_behind(u, a, steps):
    """What the loop within has read is written before the iteration ends."""
    u, p = u.copy(), u.copy()
    for _ in range(steps):
        for j in range(1, u.shape[0]):
            p[j] = np.sin(p[j - 1] * u[j])
        p *= a
        u[:] = p * u
    return np.sum(u * p)


def columns(u, a, steps):
    u, n = u.copy(), u.shape[0]
    p = np.empty(u.shape)
    for _ in range(steps):
        p[1 : n - 1, 0] = a
        for j in range(1, u.shape[1]):
            p[1 : n - 1, j] = np.exp(-p[1 : n - 1, j - 1]) * u[1 : n - 1, j]
        u[1 : n - 1] += p[1 : n - 1] * p[1 : n - 1]
    return np.sum(u)


def three_deep(u, a, steps):
    u = u.copy()
    for _ in range(steps):
        for k in range(2):
            for j in range(1, u.shape[0]):
                u[j] = np.cos(a * u[j - 1] + k)
        u[0] = np.sin(u[-1])
    return np.sum(u)


def read_first(u, a, steps):
    """Each column is read before it is written, in each iteration."""
    u = u.copy()
    for k in range(u.shape[1]):
        for j in range(k + 1, u.shape[1]):
            u[:, j] -= 0.1 * np.sin(a * u[:, k]) * u[:, j] * u[:, j]
    return np.sum(u * u)


def by_rows(u, a, steps):
    """One loop reads each row of an array before it writes it."""
    u, v = np.sin(u), np.ones(u.shape[1])
    for j in range(u.shape[0]):
        v = np.cos(v * a) * u[j]
        u[j] = v * u[j] * a
    return np.sum(u)


COPIED = [implicit, written_behind, columns, three_deep, read_first, by_rows]


def few(u, a, steps):
    """The loop reads a small part of the array."""
    u = u.copy()
    for _ in range(steps):
        for j in range(1, 3):
            u[j] = np.sin(a * u[j - 1])
        u *= 1.1
    return np.sum(u * u)


def read_before(u, a, steps):
    """Each row is written by the next iteration of the loop that reads it."""
    u = u.copy()
    for _ in range(steps):
        for j in range(1, u.shape[0]):
            u[j - 1] = np.sin(a * u[j] * u[j - 1])
            u[j] = u[j] * u[j - 1]
    return np.sum(u * u)


def through_a_view(u, a, steps):
    u = u.copy()
    other = u[::-1]
    for _ in range(steps):
        for j in range(1, u.shape[0]):
            u[j] = np.sin(u[j - 1] * a)
            other[j] *= u[j]
    return np.sum(u * u)


def left_early(u, a, steps):
    u = u.copy()
    for k in range(steps):
        for j in range(1, u.shape[0]):
            if u[j, 0] > 1.9 + k:
                break
            u[j] = np.sin(u[j - 1] * a) * u[j]
        u += 0.1
    return np.sum(u * u)


def written_by_another_name(u, a, steps):
    """What is read has been written through a view since the loop began."""
    u = u.copy()
    other = u[::-1]
    for j in range(u.shape[0]):
        other[j] += np.sin(a * u[j])
        u[j] *= u[j]
    return np.sum(u * u)


KEPT = [few, read_before, written_by_another_name, through_a_view, left_early]


@pytest.mark.parametrize("passes", ["all", "none", "-once", "-again", "-inplace"])
@pytest.mark.parametrize("fn", [*COPIED, *KEPT], ids=lambda f: f.__name__)
def test_right(monkeypatch, fn, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for steps in (3, 0):
        check(fn, (U, 0.7, steps))


@pytest.mark.parametrize("fn", COPIED, ids=lambda f: f.__name__)
def test_other_lengths(fn):
    made = ya.simplegrad(fn, U, 0.7, 3, wrt=["u", "a"]).fn
    for shape in ((2, 5), (3, 1), (9, 3)):
        u = rng.uniform(1, 2, shape).astype(np.float32)
        expected = ya.grad(fn, u, 0.6, 2, wrt=["u", "a"])[1]
        found = made(u, 0.6, 2)
        np.testing.assert_allclose(found[1], expected["u"], 1e-5)
        np.testing.assert_allclose(found[2], expected["a"], 1e-5)


def test_texts():
    source = ya.simplegrad(implicit, U, 0.7, 3).source
    assert source.count(".copy()") == 5, source
    assert "        saved.append((u_old, p_old, q_old, u_old_2))\n" in source, source
    assert "u_old = u.copy()" not in ya.simplegrad(few, U, 0.7, 3).source


def test_of_second_order():
    def slope(u):
        return ya.grad(implicit, u, 0.7, 2)[1]["u"]

    v = rng.normal(size=U.shape)
    found = ya.hvp(implicit)(U, v, 0.7, 2)
    expected = (slope(U + 1e-6 * v) - slope(U - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(found, expected, 1e-6, 1e-7)
