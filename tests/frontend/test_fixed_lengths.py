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
