"""What arrays hold is not saved once more; what is read for its shape is not computed;
numbers are chosen by conditions."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import PASSES, check

rng = np.random.default_rng(17)
A, B = rng.normal(size=(2, 4, 4))
X = rng.normal(size=6)


def triangular(A, B):
    """Rows below i are read before they are written."""
    B = B.copy()
    for i in range(len(B)):
        for j in range(B.shape[1]):
            B[i, j] += A[i + 1 :, i] @ B[i + 1 :, j] * B[i, j]
    return np.sum(B * B)


def columns(A):
    """Columns of Q are written once."""
    Q = np.zeros_like(A)
    for k in range(A.shape[1]):
        Q[:, k] = np.sin(A[:, k]) / (2.0 + A[k, k])
    return np.sum(Q**3)


def rows_above(A, B):
    """Rows above i have been written."""
    B = B.copy()
    for i in range(1, len(B)):
        for j in range(B.shape[1]):
            B[i, j] += A[:i, i] @ B[:i, j] * B[i, j]
    return np.sum(B * B)


def all_rows(A, B):
    """Some rows have been written, some have not."""
    B = B.copy()
    for i in range(len(B)):
        for j in range(B.shape[1]):
            B[i, j] = np.tanh(A[:, i] @ B[:, j])
    return np.sum(B * B)


def twice(A, B):
    """Written again in a loop around."""
    B = B.copy()
    for _ in range(2):
        for i in range(len(B)):
            for j in range(B.shape[1]):
                B[i, j] += A[i + 1 :, i] @ B[i + 1 :, j] * B[i, j]
    return np.sum(B * B)


def in_one_loop(A, B):
    B = B.copy()
    for i in range(len(B) - 1):
        B[i] = np.sin(B[i + 1] * A[i]) * B[i + 1]
    return np.sum(B * B)


def pairs(x):
    """The best of several pairs, by numbers."""
    n = len(x)
    t = np.zeros((n + 1, n + 1))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            t[i, j] = np.maximum(t[i, j - 1], t[i + 1, j])
            t[i, j] = np.minimum(t[i, j] + x[i], t[i + 1, j - 1] + x[i] * x[j])
    return t[0, n - 1]


def weighted_windows(x, w):
    n = len(x) - len(w) + 1
    out = np.zeros(n)
    for k in range(len(w)):
        out += w[k] * x[k : k + n]
    return np.sum(out**2)


CASES = [
    (triangular, (A, B)),
    (columns, (A,)),
    (rows_above, (A, B)),
    (all_rows, (A, B)),
    (twice, (A, B)),
    (in_one_loop, (A, B)),
    (pairs, (X,)),
    (weighted_windows, (X, X[:3])),
]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(("fn", "args"), CASES, ids=[c[0].__name__ for c in CASES])
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


def forward_of(fn, args):
    return ya.simplegrad(fn, *args).source.partition("# reverse")[0]


def reverse_of(fn, args):
    return ya.simplegrad(fn, *args).source.partition("# reverse")[2]


def test_one_copy_of_what_is_read_before_it_is_written():
    source = forward_of(triangular, (A, B))
    assert "B_old = B.copy()" in source
    assert source.count(".copy()") == 2
    assert "[i + 1 :, j]" not in source.partition("saved.append")[2]


def test_a_column_that_was_written_once():
    source = forward_of(columns, (A,))
    assert "append" not in source


@pytest.mark.parametrize(
    ("fn", "args"), CASES[3:6], ids=[c[0].__name__ for c in CASES[3:6]]
)
def test_what_is_written_meanwhile_is_saved(fn, args):
    source = forward_of(fn, args)
    assert "B_old = B.copy()\n    for" not in source
    assert "saved" in source


def test_numbers_are_chosen_by_conditions():
    reverse = reverse_of(pairs, (X,))
    assert "np.where" not in reverse
    assert " if " in reverse


def test_what_is_read_for_its_shape_is_not_computed():
    reverse = reverse_of(weighted_windows, (X, X[:3]))
    assert "unbroadcast(dout, w" not in reverse


def test_the_second_derivative_of_numbers_that_are_chosen():
    def f(x):
        t = np.zeros(3)
        t[0] = np.maximum(x[0] * x[1], x[2] ** 2)
        return t[0] * x[0]

    x = np.array([1.0, 3.0, 1.0])
    hessian = ya.hessian(f)(x)
    expected = [[2 * x[1], 2 * x[0], 0], [2 * x[0], 0, 0], [0, 0, 0]]
    np.testing.assert_allclose(hessian, expected)


def argument_in_inner_loop(y, v):
    for _ in range(2):
        for _ in v:
            np.negative(y, out=y)
            y[3:] *= y[:3]
    return np.sum(y**2)


def test_an_argument_that_an_inner_loop_writes():
    y, d = np.arange(1.0, 7.0) / 5, np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6])
    ends = (argument_in_inner_loop(y + h * d, np.ones(3)) for h in (1e-6, -1e-6))
    _, g = ya.grad(argument_in_inner_loop, y.copy(), np.ones(3), wrt="y")
    assert g["y"] @ d == pytest.approx((next(ends) - next(ends)) / 2e-6)


def standardised_columns(X, w):
    Z = X.copy()
    for j in range(X.shape[1]):
        Z[:, j] = (Z[:, j] - Z[:, j].mean()) * w[j]
    return np.sum(Z**3)


def test_a_view_is_not_saved_for_its_size():
    X, w = np.arange(12.0).reshape(4, 3) ** 1.5, np.array([0.5, -1.0, 2.0])
    assert "saved" not in ya.simplegrad(standardised_columns, X, w, wrt="X").source
    v, h = np.cos(X), 1e-5
    slope = ya.value_and_grad(standardised_columns)
    second = (slope(X + h * v, w)[1] - slope(X - h * v, w)[1]) / (2 * h)
    np.testing.assert_allclose(
        ya.hvp(standardised_columns)(X, v, w), second, rtol=1e-6, atol=1e-5
    )


def relaxed(V, a, n):
    for _ in range(n):
        t = 1 - a
        c = np.zeros(len(V))
        for i in range(len(V)):
            c[i] = V[i] * t[i] / (1 + V[i] * t[i])
        V = c
    return np.sum(V)


def test_an_array_is_not_computed_again_for_each_of_its_elements():
    V, a = np.array([0.3, -0.2, 0.9]), np.array([0.4, 0.6, -1.1])
    for n in (0, 1, 2):
        check(relaxed, (V, a, n))
    text = ya.simplegrad(relaxed, V, a, 2).source
    reverse = text.partition("# reverse\n")[2]
    assert "        t = 1 - a\n        dc = dV\n        for i in range(" in reverse


def in_an_arm(V, a, n):
    """What an arm of the inner loop reads stands before the loop, and warns no more
    than the function: there it was computed too."""
    for k in range(n):
        t = np.sqrt(a * a) - a
        for i in range(len(V)):
            if V[i] > k:
                V = V * t[i] + np.sin(t)
    return np.sum(V)


def test_what_an_arm_reads_of_an_array(monkeypatch):
    V, a = np.array([0.3, 1.2, 0.9]), np.array([0.4, 0.6, -1.1])
    for passes in ("all", "none", "-again", "-once"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        check(in_an_arm, (V, a, 2))
        check(in_an_arm, (V, a, 0))
