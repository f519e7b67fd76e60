"""Differences with something before or after have the length of what they are of, and
their adjoints are two statements."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(3)
U = RNG.normal(size=(5, 6))


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def total_variation(u):
    dx = np.diff(u, axis=1, append=u[:, -1:])
    dy = np.diff(u, axis=0, append=u[-1:, :])
    return np.sum(np.sqrt(dx**2 + dy**2 + 1e-3))


def backward(u):
    return np.sum(np.diff(u, axis=0, prepend=u[:1]) ** 3 * u)


def around(u):
    return np.sum(np.diff(u[0], prepend=u[0, :1], append=u[0, -1:]) ** 3)


def from_zero(u):
    return np.sum(np.sin(np.diff(u, prepend=0.0)) * u)


def to_numbers(u):
    return np.sum(np.diff(u[0], prepend=u[1, 0], append=u[2, 1]) ** 3)


def to_a_number(u):
    return np.sum(np.diff(u, axis=0, append=u[1, 0]) ** 3)


def in_a_loop(u):
    for _ in range(3):
        u = u + 0.1 * np.diff(np.diff(u, append=u[:, -1:]), prepend=0)
    return np.sum(u**2)


PLAIN = [
    total_variation, backward, around, from_zero, to_numbers, to_a_number, in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("fn", PLAIN)
def test_the_adjoint_has_no_helper(fn):
    source = ya.simplegrad(fn, U).source
    assert "undiff" not in source
    assert fn is to_a_number or "unbroadcast" not in source


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", PLAIN)
def test_the_gradient(fn):
    df = ya.simplegrad(fn, U)
    for u in (U, U[:, :2], np.vstack([U, U])):
        check(fn, (u,))
        val, du = df(u)
        assert val == fn(u)
        np.testing.assert_allclose(du, ya.simplegrad(fn, u)(u)[1])
    single = ya.simplegrad(fn, U.astype("f4"))(U.astype("f4"))[1]
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, df(U)[1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("shape", [(1, 6), (5, 1), (1, 1), (0, 3), (3, 0)])
@pytest.mark.parametrize("fn", [total_variation, backward, from_zero])
def test_short_arrays(fn, shape):
    u = np.ones(shape)
    np.testing.assert_allclose(ya.simplegrad(fn, U)(u)[1], ya.simplegrad(fn, u)(u)[1])


@pytest.mark.parametrize("fn", PLAIN)
def test_the_second_derivative(fn):
    v = RNG.normal(size=U.shape)
    eps = 1e-5
    ahead, behind = (ya.simplegrad(fn, U)(U + s * eps * v)[1] for s in (1, -1))
    found = ya.hvp(fn)(U, v)
    found = found[-1] if isinstance(found, tuple) else found
    np.testing.assert_allclose(
        found, (ahead - behind) / (2 * eps), rtol=1e-4, atol=1e-4
    )


def of_another_array(u, e):
    return np.sum(np.diff(u[0], append=e) ** 3)


def twice(u, e):
    return np.sum(np.diff(u, 2, axis=1, prepend=u[:, :1]) ** 3) * e[0]


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", [of_another_array, twice])
def test_what_stands_there_where_the_array_is_empty_keeps_its_helper(fn):
    e = np.array([2.0])
    assert "undiff_between" in ya.simplegrad(fn, U, e).source
    check(fn, (U, e))
    df = ya.simplegrad(fn, U, e, wrt=None)
    if fn is of_another_array:
        assert df(U[:, :0], e)[2].tolist() == [0.0]
