"""Variables that some way through the function does not define, and a flag that guards
the read: their tangents are not copied, nor made of what has no value."""

import numpy as np
import pytest

import yota_ast as ya

X, V = np.array([0.6, 0.8, 0.1]), np.array([0.3, -0.7, 0.4])


def carried_on(x, n):
    for _ in range(1):
        for e in x:
            p = e
        a = p
        for e in np.array([0.5, a]):
            q = x * e
        x = q
        q += 1.0
    return np.sum(a * x * x) * n


def added_to_in_the_next_loop(x, n):
    for k in range(n):
        if x[k] > 0.7:
            q = x * x
    for k in range(n):
        if n > 2:
            q += x
        else:
            q = x * 2.0
    if n > 0:
        x = q * x
    return np.sum(x)


def a_constant_of_a_branch(x, n):
    b = False
    if n > 1:
        q = np.ones(3)
        b = True
    if x[0] > n:
        q = x * 2
        b = True
    if b:
        return np.sum(q * x * x)
    return np.sum(x)


def a_constant_of_a_loop(x, n):
    b = False
    for _ in range(n):
        q = np.ones((2, 3))
        b = True
    for i in range(2):
        if x[1] > n + 0.5 + i:
            q = np.outer(x[:2], x)
            b = True
        elif b:
            q[0] = x
    if b:
        return np.sum(q[0] * x + q[1])
    return np.sum(x**3)


def the_variable_of_a_loop(x, n):
    b = False
    for i in range(n):
        b = True
    if x[0] > 5:
        i = x[1]
        b = True
    if b:
        return np.sum(x**2) * i
    return np.sum(x)


def of_a_try(x, n):
    b = False
    try:
        q = [2.0][n]
        b = True
    except IndexError:
        pass
    if x[0] > 5:
        q = x[1]
        b = True
    if b:
        return np.sum(x**2) * q
    return np.sum(x)


def a_list_of_a_loop(x, n):
    b = False
    for _ in range(n):
        q = [1.0, 2.0]
        b = True
    for _ in range(2):
        if b:
            q = [q[1] * x[0], q[0]]
    if b:
        return q[0] * x[2] * q[1]
    return x[0]


PROGRAMS = [
    carried_on, added_to_in_the_next_loop, a_constant_of_a_branch, a_constant_of_a_loop,
    the_variable_of_a_loop, of_a_try, a_list_of_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_tangent_is_that_of_the_gradient(program, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    _, g = ya.grad(program, X.copy(), n)
    value, dvalue = ya.jvp(program)(X.copy(), n, V, None)
    assert value == program(X.copy(), n)
    np.testing.assert_allclose(dvalue, g[0] @ V, rtol=1e-12)
