"""Tangents of parts of arrays that are divided in place: by numbers of the array, of
arrays that the same statement writes, and by constants."""

import numpy as np
import pytest

import yota_ast as ya

rng = np.random.default_rng(1)
MATRIX = rng.normal(size=(4, 4)) + 3
VECTOR = rng.uniform(0.2, 1.0, 5)
PLACES = np.array([2, 3])


def by_sums(A):
    A = A.copy()
    for k in range(len(A)):
        A[k, :] /= A[k, k] + 2.0
        A[k] *= A[k, 0]
    return np.sum(A * A * A)


def by_an_item_of_the_part(A):
    A = A.copy()
    for k in range(len(A)):
        A[k] /= A[k, k]
    return np.sum(A**3)


def whole(u):
    u = u.copy()
    u /= u.sum()
    u[1:] /= u[0]
    return np.sum(u**3)


def by_constants(u, c):
    u = u.copy()
    u /= c
    u[0] /= 2.0
    u[1:3] /= u[3]
    return np.sum(u**3) * c


def at_places(u, places):
    u = u.copy()
    u[places] /= u[0]
    u[u > 0.3] /= u[1]
    return np.sum(u**3)


def by_arrays(u):
    u = u.copy()
    u[1:] /= u[:-1]
    u /= u[::-1]
    return np.sum(u**3)


def complex_numbers(u, z):
    w = u * z
    w /= w[0]
    w[1] /= 1 + 1j
    return np.sum(np.abs(w) ** 4)


PROGRAMS = [
    (by_sums, (MATRIX,)), (by_an_item_of_the_part, (MATRIX,)), (whole, (VECTOR,)),
    (by_constants, (VECTOR, 1.3)), (at_places, (VECTOR, PLACES)),
    (by_arrays, (VECTOR,)), (complex_numbers, (VECTOR, 1 + 0.3j)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_along_a_direction(f, args):
    x, *rest = args
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    ends = [f(x + h * v, *rest) for h in (1e-6, -1e-6)]
    val, along = ya.jvp(f, wrt=[0])(*args, v)
    assert val == f(*args)
    assert along == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_second_order(f, args):
    x, *rest = args
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    ends = [ya.grad(f, x + h * v, *rest, wrt=[0])[1][0] for h in (1e-6, -1e-6)]
    found = ya.hvp(f, wrt=0)(x, v, *rest)
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("f", "args"), [(by_sums, (MATRIX,)), (whole, (VECTOR,))])
def test_of_single_precision(f, args):
    (x,) = (a.astype(np.float32) for a in args)
    v = np.cos(np.arange(x.size)).reshape(x.shape).astype(np.float32)
    exact = ya.jvp(f)(*args, v.astype(float))[1]
    val, along = ya.jvp(f)(x, v)
    assert val == f(x)
    assert along == pytest.approx(exact, rel=1e-3)
