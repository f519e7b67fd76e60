"""Adjoints that are updated as a person would write it: sums of what is picked,
halves, parts turned round; and where the text stays as it was."""

import numpy as np
import pytest

import yota_ast as ya

from ..duck import Duck
from .checking import PASSES, check

V = np.array([0.3, -1.0, 2.0, 0.7])


def reverse_of(f, *args, **options):
    source = ya.simplegrad(f, *args, **options).source
    return source.partition("# reverse\n")[2].partition("\n\n    return")[0]


# ------------------------------------------------------------------- picked


def least_of_three(v):
    total = 0.0
    for k in range(1, len(v)):
        a, b = v[k - 1], v[k]
        c = a * b
        total += min(a, b, c) * np.sin(a) + b
    return total


@pytest.mark.parametrize("passes", PASSES)
def test_what_is_picked_is_a_number(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for v in (V, V[:1], V.astype(np.float32)):
        check(least_of_three, (v,))


def test_what_is_picked_is_one_sum_with_the_rest(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fused")
    assert "dv[k] += seed + (t5 if b < a else 0.0) + dc * a\n" in reverse_of(
        least_of_three, V
    )


# ------------------------------------------------------------------- short arrays


def swinging(s, a, n):
    for _ in range(n):
        k = np.array([s[1], -a * np.sin(s[0])])
        p = s + 0.1 * k
        s = s + 0.2 * np.array([p[1] * p[0], -a * np.sin(p[0])])
    return np.sum(s * s)


def swinging_after(s, a, n):
    for _ in range(n):
        s = s + np.array([s[1], -a * s[0]])
    p = s * a
    return p[0] * p[1] + np.sin(p[1]) * a * p[0]


S = np.array([0.3, 0.8])


@pytest.mark.parametrize("passes", ["all", "none", "-inplace", "-tidy"])
@pytest.mark.parametrize("fn", [swinging, swinging_after])
def test_short_arrays_of_states(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for n in (0, 1, 3):
        check(fn, (S, 0.7, n))
        check(fn, (S.astype(np.float32), 0.7, n))


def test_elements_that_the_function_has_put_into_an_array():
    """An argument is an array of NumPy where the function has made one of its elements
    for certain: a short adjoint is written as a whole then."""
    assert "dp = np.array([" in (text := reverse_of(swinging, S, 0.7, 2)), text
    assert "np.zeros_like(p)" in reverse_of(swinging_after, S, 0.7, 2)
    made = ya.simplegrad(swinging_after, S, 0.7, 2)
    found = made(Duck(S), 0.7, 0)[1]
    assert type(found) is Duck
    np.testing.assert_allclose(found.inner, made(S, 0.7, 0)[1])


# ------------------------------------------------------------------- turned round


def reflected(r):
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = alpha
    for k in range(1, len(r)):
        beta *= 1.0 - 0.1 * alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return np.sum(y * y)


def subtracted(a, w):
    b = np.flip(w) - np.flip(a) - np.roll(a, 1) - np.cumsum(a)
    c = w - a.reshape(w.shape)
    return np.sum(b * b) + np.sum(c**3) + a @ w


def gathered(x, i, j):
    d = x[i] - x[j]
    return np.sum(d * d)


I, J = np.array([0, 1, 1]), np.array([1, 2, 0])
TURNED = [(reflected, (V,)), (subtracted, (V, V * 0.5)), (gathered, (V, I, J))]


@pytest.mark.parametrize("passes", ["all", "none", "-inplace", "-tidy"])
@pytest.mark.parametrize(("fn", "args"), TURNED)
def test_parts_turned_round(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)
    check(fn, [a.astype(np.float32) if a.dtype.kind == "f" else a for a in args])
    made = ya.simplegrad(fn, *args)
    one = [a[:1] if a.dtype.kind == "f" else a[:0] for a in args]
    assert made(*one)[0] == fn(*one)


def test_turned_round_without_zeros():
    text = reverse_of(reflected, V)
    assert "+= (alpha * dy[:k])[::-1] - t1 * r[:k][::-1]\n" in text, text
    assert "dr[:k] -= (t1 * y_old[:k])[::-1]\n" in text, text


def squared_rows(A, k):
    A = A.copy()
    for i in range(1, len(A)):
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, 0] = A[i, 0] * A[i - 1, 0] + k * A[i, 0] - k * A[i, 0]
        A[i] = A[i] * A[i - 1] + A[i] * A[i]
    return np.sum(A)


@pytest.mark.parametrize("passes", ["all", "none", "-joined", "-inplace"])
def test_a_sum_of_two_alike_is_twice_one(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    A = np.outer(V, V[::-1])
    for given in (A, A[:2, :2], A[:1], A.astype(np.float32)):
        check(squared_rows, (given, 0.3))
    if passes == "all":
        assert "(2 * dA[i, i]) * A_old[i, :i]" in reverse_of(squared_rows, A, 0.3)


def test_minus_signs_come_out():
    text = reverse_of(subtracted, V, V * 0.5)
    assert "np.flip(-" not in text, text
    assert "None)" not in text, text
    text = reverse_of(gathered, V, I, J)
    assert "np.subtract.at(dx, j, dd)\n" in text, text


def shared_minus(x, i, w):
    d = -x * w
    y = np.zeros(3)
    y[i] -= np.sin(d)
    return np.sum(y * y) + np.sum(x[i] * w * d)


def test_a_difference_that_is_read_again(monkeypatch):
    check(shared_minus, (V[:3], I, V[1:]))
    check(shared_minus, (V[:3], J, V[1:]))


# ------------------------------------------------------------------- shares of a sum


def shares(z, y):
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return np.sum((p - y) ** 2)


def shares_of_all(z, y):
    p = np.exp(z) / np.sum(np.exp(z))
    return np.sum((p - y) ** 2 * y)


def picked_shares(z, k):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(len(k)), k]))


def logs_of_shares(z, y):
    e = np.exp(z - np.max(z, axis=0))
    p = e / np.sum(e, axis=0)
    return -np.sum(y * np.log(p + 1e-9))


def two_rows(z, a):
    x = z[:, None] * a
    return np.sum(np.sin(x) * a - z[:, None] * a + z * a)


Z = np.array([[0.3, -1.2, 2.0], [1.4, 0.1, -0.6]])
ROWS = [(shares, (Z, Z[::-1])), (shares_of_all, (Z, Z[::-1])),
        (picked_shares, (Z, np.array([2, 0]))), (logs_of_shares, (Z, Z[::-1] ** 2)),
        (two_rows, (V[:3], np.outer(V[1:], V[:3])))]  # fmt: skip


@pytest.mark.parametrize("passes", PASSES)
def test_shares(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for fn, args in ROWS:
        check(fn, args)
        check(fn, [a.astype(np.float32) if a.dtype.kind == "f" else a for a in args])


def test_the_adjoint_of_shares():
    for fn, args in ROWS[:3]:
        text = reverse_of(fn, *args)
        assert "dz = p * (dp - " in text, text
        assert "np.where" not in text, text
    assert "np.where" not in reverse_of(logs_of_shares, Z, Z)


def test_shares_that_vanish():
    """A share is 0 where the power underflows; none of what is picked is."""
    z = np.array([[0.0, -2000.0, 1.0], [1.0, 3.0, -2000.0]])
    for rows in (z, z - 5e5):
        found = ya.grad(picked_shares, rows, np.array([2, 0]))[1]["z"]
        assert np.all(np.isfinite(found))
        e = np.exp(rows - rows.max(axis=1, keepdims=True))
        wanted = e / e.sum(axis=1, keepdims=True)
        wanted[[0, 1], [2, 0]] -= 1
        np.testing.assert_allclose(found, wanted / 2, atol=1e-15)


# ------------------------------------------------------------------- rows and helpers


def bumps(mu, w, x):
    B = np.exp(-0.5 * (x[:, None] - mu) ** 2)
    return np.sum((B @ w) ** 2)


def rows_of_sums(mu, w, x):
    return np.sum(np.sin(np.outer(x, mu) + x[:, None]) @ w)


def test_no_matrix_for_sums_of_outer_products():
    for fn in (bumps, rows_of_sums):
        args = (V[:3], V[1:], V * 0.5)
        check(fn, args)
        check(fn, [a.astype(np.float32) for a in args])
        made = ya.simplegrad(fn, *args)
        one = V[:1], V[1:2], V[:1]
        assert made(*one)[0] == fn(*one)
        np.testing.assert_allclose(made(*one)[2], ya.grad(fn, *one)[1]["w"])
    text = reverse_of(bumps, V[:3], V[1:], V)
    assert "np.outer" not in text, text


def neighbours(x, m):
    s = 0.0
    for i in range(len(x) - 1):
        a = x[i]
        b = m - x[i + 1]
        s += (a - b) ** 2
    return s


def rows_apart(X, m):
    s = 0.0
    for x in X:
        d = m - x
        s = s + np.sum(d * d)
        m = m * x
    return s


@pytest.mark.parametrize("passes", ["all", "none", "-single", "-joined"])
def test_what_is_added_has_no_minus_sign(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for fn, args in ((neighbours, (V, 0.4)), (rows_apart, (Z, V[:3]))):
        check(fn, args)
        assert "= -" not in reverse_of(fn, *args).replace(" = -", ""), fn


def rate(z, p):
    a, b = p
    return np.array([a * z[0] - b * z[0] * z[1], b * z[1]])


def steps(p, z, n):
    for _ in range(n):
        k = rate(z, p)
        z = z + 0.1 * rate(z + 0.1 * k, p) + 0.2 * rate(z + 0.3 * k, p)
        z = z + 0.1 * rate(z, p)
    return z[0] * z[1]


def test_a_helper_returns_what_it_computes():
    check(steps, (V[:2], V[2:], 2))
    text = ya.simplegrad(steps, V[:2], V[2:], 2).source
    assert "    return np.array([a * z[0] - b * z[0] * z[1], b * z[1]])\n" in text, text


def halved(x):
    y = np.fft.rfft(x)
    return np.sum(y.real**2 + y.imag**2)


def test_a_part_that_is_halved():
    check(halved, (V,))
    check(halved, (V[:1],))
    assert "dy[1:t1] *= 0.5" in (text := reverse_of(halved, V)), text


# ------------------------------------------------------------------- rows of sums


def first_row_and_others(x):
    a = x[0]
    for t in range(1, len(x)):
        a = np.sin(a) + x[t]
    return np.sum(a)


def both_ends(x, n):
    for _ in range(n):
        x = x - np.outer(x[:, 0], x[0])
    return np.sum(x * x)


def row_beside_whole(x, w):
    y = np.tanh(x)
    z = y @ w
    return np.sum(z * y[0]) + np.sum(y * y)


WIDE = np.arange(6.0).reshape(3, 2) / 7
SQUARE = np.cos(np.arange(9.0)).reshape(3, 3)
OF_ROWS = [
    (first_row_and_others, (WIDE,)), (first_row_and_others, (WIDE[:1],)),
    (first_row_and_others, (WIDE.astype(np.float32),)),
    (both_ends, (SQUARE, 3)), (both_ends, (SQUARE, 0)),
    (row_beside_whole, (SQUARE, SQUARE + 1)),
]  # fmt: skip


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(("f", "args"), OF_ROWS)
def test_sums_of_rows(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, args)


def test_a_row_is_added_of_what_was_written_before():
    """An adjoint that the loop wrote in place was taken for changed, and its row was
    added by an array of zeros."""
    assert reverse_of(first_row_and_others, WIDE).endswith("\n    dx[0] = da")


def test_a_vector_has_the_sign():
    back = reverse_of(both_ends, SQUARE, 3)
    assert "dx[0] -= " in back
    assert "-dx" not in back
