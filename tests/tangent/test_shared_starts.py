"""Loops that start from one array under several names: the tangent that is added to in
place must not be that which another name still reads."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import tape_of
from yota_ast.pipeline import compiled, tangent_program

X, V = np.array([0.7, 1.3, 0.4, 1.9]), np.array([0.5, 1.0, 0.2, 0.3])


def read_in_the_body(x, n):
    start = x * 0.3
    total = start
    for _ in range(n):
        total = total + start * x
    return np.sum(total * total)


def read_in_a_loop_within(x, n):
    start = x * 0.3
    total, k = start, 0
    while k < n:
        total = total + x
        for _ in range(k):
            total = total + start
        k += 1
    return np.sum(total * total)


def read_in_a_branch(x, n):
    start = x * 0.3
    total = start
    for k in range(n):
        if k > 1:
            total = total - start * start
        total = total + x
    return np.sum(total * total * start)


def handed_on_in_the_body(x, n):
    start = x * 0.3
    total, last = start, x
    for k in range(n):
        last = start if k % 2 else last
        total = total + last * x
        total = total + x
    return np.sum(total * last)


def shifted(x, n):
    before, now = np.ones_like(x), x * 0.3
    total = now
    for _ in range(n):
        before, now = now, 2 * x * now - before
        total = total + now
    return np.sum(total * total)


def three_from_one(x, n):
    start = x * 0.3
    a, b, c = start, start, start
    for _ in range(n):
        a, b = b, a
        a = a + c
        for _ in range(2):
            b = b + a
            c, a = a, c
    return np.sum(a * a * b + c)


PROGRAMS = [
    read_in_the_body, read_in_a_loop_within, read_in_a_branch, handed_on_in_the_body,
    shifted, three_from_one,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_tangent_is_that_of_the_gradient(program, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    _, g = ya.grad(program, X, n)
    value, dvalue = ya.jvp(program)(X, n, V, None)
    assert value == program(X, n)
    np.testing.assert_allclose(dvalue, g[0] @ V, rtol=1e-12)
    general = compiled(tangent_program(tape_of(program), ("x",)))  # knows no shapes
    np.testing.assert_allclose(general.fn(X, n, V)[1], g[0] @ V, rtol=1e-12)


def squares(A):
    B = A @ A
    C = np.einsum("ij,jk->ik", A, A)
    B = B + C
    return np.sum(B * C)


def turned(x):
    F = np.fft.fft(x * x)
    G = F + np.exp(1j * x)
    return np.sum(np.abs(G) ** 2 * np.real(F))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("f", "x"), [(squares, X.reshape(2, 2)), (turned, X)])
def test_the_gradient_of_a_tangent(f, x, passes, monkeypatch):
    """Helpers stand in the text of the tangent, and in that of its gradient: that of
    the helper which sums over broadcasting is spread over the shape, however large."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v = V.reshape(x.shape)

    def slope(x):
        _, t = ya.jvp(f)(x, v)
        return t

    _, g = ya.grad(slope, x)
    np.testing.assert_allclose(g[0], ya.hvp(f)(x, v), rtol=1e-10)
