"""Second derivatives of roots that are never 0 need no test of their kink."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.0, 0.5, -1.5])
V = np.array([1.0, -0.3, 0.7])


def smooth_abs(x):
    return np.sum(np.sqrt(1 + x**2) - 1)


def inverse_root(x):
    return np.sum((1 + x * x) ** -0.5)


def power(x):
    return np.sum((x**2 + 0.1) ** 1.5)


def named(x):
    squares = x**2 + 0.1
    roots = np.sqrt(squares)
    return np.sum(roots * x)


@pytest.mark.parametrize("f", [smooth_abs, inverse_root, power, named])
def test_they_are_not_tested_for(f):
    def along(x):
        return np.sum(ya.value_and_grad(f)(x)[1] * V)

    source = ya.simplegrad(along, X).source
    assert "refuse_kinks" not in source
    assert "rooted" not in source
    h = 1e-5
    slope = ya.grad(f)
    change = (slope(X + h * V) - slope(X - h * V)) / (2 * h)
    np.testing.assert_allclose(ya.hvp(f)(X, V), change, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ya.hessian(f)(X) @ V, change, rtol=1e-6, atol=1e-9)


def written(x):
    s = 1 + x**2
    s[0] = x[0]
    return np.sum(np.sqrt(s))


def written_by_a_view(x):
    s = 1 + x**2
    part = s[:1]
    part[0] = 0.0 * x[0]
    return np.sum(np.sqrt(s))


def taken_off(x):
    s = 1 + x**2
    s -= 1
    return np.sum(np.sqrt(s))


def taken_off_by_a_function(x):
    s = 1 + x**2
    np.subtract(s, 1, out=s)
    return np.sum(s**1.5) + np.sum(np.sqrt(s))


@pytest.mark.parametrize(
    "f", [written, written_by_a_view, taken_off, taken_off_by_a_function]
)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_where_an_array_was_written_they_are(f):
    with pytest.raises(ValueError, match="no second derivative is known"):
        ya.hvp(f)(X, V)
