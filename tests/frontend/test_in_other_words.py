"""Calls of NumPy that are lowered as others: what is given each by itself, what NumPy
makes an array of first."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.3, 0.8, -0.2])


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


def powers_of_chebyshev(x, c):
    rows = np.polynomial.chebyshev.chebvander(x, 3)
    return np.sum(rows**2) + np.sum(np.polynomial.chebyshev.chebval(x * x, c))


def series_of_legendre(x, c):
    return np.sum(np.polynomial.legendre.legval(x, c) * x)


def of_nodes(x, c):
    nodes, weights = np.polynomial.legendre.leggauss(3)
    slope = np.polynomial.polynomial.polyder(np.arange(4.0))
    return np.sum(weights * np.exp(x[0] * nodes)) + np.sum(slope * c)


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
        (powers_of_chebyshev, (X, X + 1)),
        (series_of_legendre, (X, np.array([0.5, 1.0]))),
        (of_nodes, (X, X + 1)),
    ],
)
def test_gradients_are_right(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, *args)


def test_each_is_raised_by_itself():
    text = ya.simplegrad(poles, 30.0, 40.0).source
    assert "strike_2 = np.atleast_1d(strike)\n    dip_2 = np.atleast_1d(dip)" in text


def test_series_into_which_no_floats_enter_stay_calls():
    text = ya.simplegrad(of_nodes, X, X).source
    assert "leggauss(3)" in text


def of_a_derivative(x, c):
    return np.sum(x * np.polynomial.polynomial.polyder(c)[0])


def test_what_cannot_be_followed_is_refused_where_it_has_a_derivative():
    assert ya.grad(of_a_derivative, X, X, wrt="x")[1][0][0] == X[1]
    with pytest.raises(ya.YotaError):
        ya.grad(of_a_derivative, X, X, wrt="c")
