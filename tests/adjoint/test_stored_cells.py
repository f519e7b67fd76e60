"""Numbers that are put side by side into new zeros: one store, and where it is none."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check
from .test_fewer_statements import both, reverse_of

P, X = np.array([0.7, -0.4, 1.3, 0.2, 0.9]), np.linspace(0.1, 1.2, 5)


def wave(p, x):
    a, b = p[0], p[1]
    return np.sum((a * np.sin(b * x) + p[2]) ** 2)


def with_the_rest(c, x):
    return np.sum((c[0] + c[1] * x) ** 2) + np.sum(c[2:] ** 2) + np.sum(c[3:])


def over_the_rest(c, x):
    return np.sum((c[0] + c[1] * x) ** 2) + np.sum(c[1:] ** 2)


def of_the_end(p, x):
    return np.sum((p[0] + p[1] * x) ** 2) * p[-1]


def apart(p, x):
    return np.sum((p[0] + p[2] * x) ** 2) * p[4]


def in_an_arm(p, x):
    total = np.sum(x * p[3])
    if total > 0.0:
        total = total * p[0] + np.sum(np.exp(p[1] * x))
    return total


def in_a_loop(p, x, n):
    total = 0.0
    for k in range(n):
        q = np.zeros(3)
        q[0] = p[0] * x[k]
        q[1] = total
        total = np.sin(q[0] + q[1]) + np.cos(q[0]) * q[2]
    return total


def given_back(p, x):
    y = np.zeros_like(p)
    y[0] = p[1] * 2.0
    y[1] = y[0] * p[0]
    return np.sum(y * p) * np.sum(x)


@pytest.mark.parametrize(
    "f",
    [wave, with_the_rest, over_the_rest, of_the_end, apart, in_an_arm, given_back],
)
@pytest.mark.parametrize("passes", ["all", "none", "-joined"])
def test_gradients(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, (P, X))
    check(f, (-P, X))
    check(f, (P.astype(np.float32), X))


def test_one_store(monkeypatch):
    made, plain = both(wave, P, X, name="joined", monkeypatch=monkeypatch, wrt="p")
    assert "    dp = np.zeros_like(p)\n    dp[:3] = " in made
    assert "    dp[2] = " in plain
    longer, shorter = ya.simplegrad(wave, P, X), P[:2]
    assert longer(np.r_[P, P], X)[1].shape == (10,)
    with pytest.raises(IndexError):
        longer(shorter, X)


def test_beside_what_is_added_to_the_rest(monkeypatch):
    made, _ = both(with_the_rest, P, X, name="joined", monkeypatch=monkeypatch)
    assert "dc = np.concatenate(((np.sum(t2), np.vdot(t2, x)), " in made


@pytest.mark.parametrize("f", [over_the_rest, apart, given_back])
def test_where_it_is_none(f):
    assert "[:2] = " not in reverse_of(f, P, X)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_in_loops(n):
    check(in_a_loop, (P, X, n))


def test_of_a_batch_and_twice():
    rows = np.stack([P, P[::-1]])
    each = ya.vmap(ya.value_and_grad(wave), in_axes=(0, None))(rows, X)[1]
    np.testing.assert_allclose(each[1], ya.value_and_grad(wave)(rows[1], X)[1])
    twice = ya.hessian(wave)(P, X)
    np.testing.assert_allclose(twice @ P, ya.hvp(wave)(P, P, X), atol=1e-12)


def puts_two(x, a, b):
    y = np.zeros_like(x)
    y[1:3] = a * b, x[0] * b
    y[:2] = y[1], y[0]
    return np.sum(y**2)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_of_the_user(backend):
    made = ya.simplegrad(puts_two, X, 1.3, 0.4, backend=backend)
    plain = ya.simplegrad(puts_two, X, 1.3, 0.4)
    for one, other in zip(made(X, 1.3, 0.4), plain(X, 1.3, 0.4), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
    batch = ya.vmap(puts_two, in_axes=(0, 0, None))(np.stack([X, -X]), P[:2], 0.4)
    assert batch[1] == puts_two(-X, P[1], 0.4)
