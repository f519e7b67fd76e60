"""Lengths that are the same for all arguments decide branches; the whole numbers that
this takes for granted are checked."""

import numpy as np
import pytest

import yota_ast as ya


def nodes(n, a):
    sizes = np.atleast_1d(n)
    if all(s.size == 1 for s in [sizes, np.atleast_1d(a)]):
        return a * sizes[0]
    parts = [a * sizes[i] for i in range(sizes.size)]
    return np.sum(np.hypot(*parts))


def of_shape(x):
    m = np.eye(3) * x
    if m.shape != (3, 3) or m.size != 9 or len(m) < 3:
        m = [x for _ in range(m.size)]
        return max(*m)
    return np.sum(m**2)


def of_rank(a, n=5):
    return a * 2 if np.ndim(n) == 0 else a


def of_array(a, n=5):
    return a * 2 if np.asarray(n).ndim == 0 else a


def of_filled(a, n=5):
    return a * 2 if np.zeros(n).ndim == 1 else a


def test_a_branch_that_no_length_leads_to_is_not_read():
    assert ya.grad(nodes, 3, 2.0)[1]["a"] == 3.0
    assert ya.jvp(nodes, wrt="a")(3, 2.0, 1.0)[1] == 3.0
    assert ya.grad(of_shape, 2.0)[1][0] == 12.0
    assert ya.hvp(of_shape)(2.0, 1.0) == 6.0


def test_another_rank_is_refused_where_the_length_has_decided():
    with pytest.raises(ValueError, match="made for numbers"):
        ya.simplegrad(nodes, 3, 2.0)(np.array([3, 4]), 2.0)


@pytest.mark.parametrize("f", [of_rank, of_array, of_filled])
@pytest.mark.parametrize("n", [np.array([2, 3]), [2, 3]])
def test_a_whole_number_whose_rank_has_decided_is_no_array(f, n):
    made = ya.simplegrad(f, 1.0)
    assert made(1.0, 4) == (2.0, 2.0)
    with pytest.raises(ValueError, match="made for numbers"):
        made(1.0, n)


def of_unlike_results(x):
    """By the shape it gives a matrix or a vector, as programs for points do."""
    if x.shape in ((1, 3), (3, 1)):
        return np.eye(4)
    if x.shape == (4, 4):
        return x[:3, 3] ** 2
    raise ValueError("a point or a matrix")


def joined(x):
    return np.r_[of_unlike_results(x), x[0, 0]] @ np.array([1.0, 2.0, 3.0, 4.0])


def again(x):
    """Calls itself, once at most."""
    return again(x[:3, :3]) * x[3, 3] if x.shape == (4, 4) else np.sum(x**2)


@pytest.mark.parametrize("f", [joined, again])
def test_lengths_are_as_in_the_example_where_nothing_else_helps(f):
    x, v = np.arange(16.0).reshape(4, 4) / 8, np.cos(np.arange(16.0)).reshape(4, 4)
    dx = ya.grad(f, x)[1][0]
    slope = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(np.sum(dx * v), slope, rtol=1e-8)
    np.testing.assert_allclose(ya.jvp(f)(x, v)[1], slope, rtol=1e-8)
    change = (ya.grad(f, x + 1e-6 * v)[1][0] - ya.grad(f, x - 1e-6 * v)[1][0]) / 2e-6
    np.testing.assert_allclose(ya.hvp(f)(x, v), change, rtol=1e-6, atol=1e-8)


def test_other_lengths_are_refused_then():
    made = ya.simplegrad(joined, np.eye(4))
    with pytest.raises(ValueError, match="made for x"):
        made(np.eye(5))
