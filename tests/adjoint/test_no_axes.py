"""Arrays without axes: views that are written, masks of numbers, reductions."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([1.3, 0.7])


def view_before_a_store(x):
    q = x * 2
    r = q[..., 0]
    q[..., 0] = 7.0 * x[1]
    return r * q[1] * q[0]


def store_through_a_view(x):
    q = x * 2
    r = q[..., 0]
    r[...] = 7.0 * x[1]
    return r * q[1] * q[0]


def view_in_a_loop(x):
    q = x * 1.0
    s = 0.0
    for i in range(2):
        r = q[..., i]
        q[..., i] = np.sin(q[..., 1 - i])
        s = s + r * x[0]
    return s


def filled_with_numbers(x):
    a, b = np.broadcast_arrays(x[0], x[1])
    q = np.zeros(2)
    q[..., 0] = a
    q[..., 1] = b
    return q[0] ** 2 * q[1]


def products(x):
    y = np.asarray(x[0]) ** 2
    return np.prod(y, axis=-1) * np.multiply.reduce(y, axis=0)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn",
    [
        view_before_a_store,
        store_through_a_view,
        view_in_a_loop,
        filled_with_numbers,
        products,
    ],
)
def test_an_array_without_axes(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X,))


def logarithms(q):
    parts = np.linalg.norm(q[..., 1:], axis=-1)
    sizes = np.linalg.norm(q, axis=-1)
    out = np.zeros(q.shape)
    whole, some = sizes > 0, parts > 0
    if np.any(whole):
        out[whole, 0] = np.log(sizes[whole])
    if np.any(some):
        out[some, 1] = np.arccos(q[some, 0] / sizes[some])
    return np.sum(out)


@pytest.mark.parametrize("part", [0.0, 1.5])
def test_the_adjoint_of_a_number_is_not_written_through_a_mask(part):
    q = np.array([2.0, part, 0.0, 0.0])
    val, dq = ya.simplegrad(logarithms)(q)  # of any rank: the norms may be numbers
    assert val == logarithms(q)
    expected = q / np.sum(q**2)
    if part:
        size, cos = 2.5, 0.8
        slope = -1 / np.sqrt(1 - cos**2)
        expected = expected + slope * (np.eye(4)[0] / size - cos * q / size**2)
    assert np.allclose(dq, expected)


def appended_axis(q, v):
    v = np.asarray(v)
    shape = v.shape[:-1] + (1,)  # noqa: RUF005  as it is mostly written
    return np.sum(np.concatenate((np.zeros(shape), v), axis=-1) * q)


def test_a_length_in_a_literal_tuple_is_literal():
    check(appended_axis, (np.arange(4.0), np.ones(3)))
    val, g = ya.grad(appended_axis, [1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0])
    assert val == 9.0
    assert (g[0], g[1]) == ([0.0, 1.0, 1.0, 1.0], [2.0, 3.0, 4.0])


def added_and_read_again(x, a):
    p, q = np.array(a), np.array(x[0])
    p += q
    t = p
    p = p + 1
    t *= 2
    return p * t + q


@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_adjoint_of_an_array_without_axes_is_copied_where_it_is_a_number(
    passes, monkeypatch
):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, dx, da = ya.simplegrad(added_and_read_again)(X, 0.5)
    p = 0.5 + X[0]
    assert val == added_and_read_again(X, 0.5)
    assert np.allclose(dx, [4 * p + 3, 0.0])
    assert np.isclose(da, 4 * p + 2)
