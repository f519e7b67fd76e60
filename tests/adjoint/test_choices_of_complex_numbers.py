"""Among several choices some are complex: the real ones have real adjoints."""

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.3, 1.2, -0.5, 2.0])


def chosen(v):
    return float(np.choose([0, 1], [v[:2], 1j * v[1:3]]).imag.sum())


def far_from(v):
    return float(abs(np.choose([0, 1], [v[:2], 1j * v[1:3]]) - 2).sum())


def selected(v):
    return float(np.select([v > 1, v > -9], [v, 1j * v]).imag.sum())


def by_default(v):
    return float(abs(np.select([v > 1], [v], 1j * v) - 2).sum())


@pytest.mark.parametrize("fn", [chosen, far_from, selected, by_default])
def test_the_gradient_is_real_where_nothing_is_known(fn):
    expected = ya.grad(fn, V)[1]["v"]
    assert ya.gradcheck(fn, V)
    dv = ya.simplegrad(fn)(V)[1]
    assert dv.dtype == np.float64
    np.testing.assert_allclose(dv, expected)
