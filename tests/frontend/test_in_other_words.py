"""Calls of NumPy that are lowered as others: what is given each by itself, what NumPy
makes an array of first."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def poles(strike, dip):
    strike, dip = np.atleast_1d(strike, dip)
    mask = dip > 90
    dip[mask] = 180 - dip[mask]
    strike[mask] += 180
    return np.sum(np.sin(strike) * dip)


def raised(x, y):
    rows, columns = np.atleast_2d(x * y, y)
    return np.sum(rows * columns) + np.atleast_3d(x, y)[1].sum()


def of_a_tuple(x):
    return np.einsum("ij,ij->j", x, (x[0], 2 * x[1])) @ x[0]


def of_a_list(x):
    return np.einsum("i,i", [x[0] * x[1], x[0]], x)


def of_a_type(x):
    return np.sum(np.multiply((x, x * x), [x, 2.0], dtype=float))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (poles, (30.0, 40.0)),
        (poles, (30.0, 95.0)),
        (poles, (np.array([30.0, 2.0]), np.array([40.0, 95.0]))),
        (raised, (2.0, 3.0)),
        (raised, (np.array([2.0, 0.5]), np.array([3.0, 1.5]))),
        (of_a_tuple, (np.array([[1.0, 2.0], [0.5, 3.0]]),)),
        (of_a_list, (np.array([1.5, 2.0]),)),
        (of_a_type, (1.5,)),
    ],
)
def test_gradients_are_right(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, *args)


def test_each_is_raised_by_itself():
    text = ya.simplegrad(poles, 30.0, 40.0).source
    assert "strike_2 = np.atleast_1d(strike)\n    dip_2 = np.atleast_1d(dip)" in text
