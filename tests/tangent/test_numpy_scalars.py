"""Methods of NumPy scalars of which the tangent is a Python number."""

import numpy as np
import pytest

import yota_ast as ya

METHODS = (
    ".item()", ".sum()", ".mean()", ".copy()", ".astype(float)", ".reshape(())",
    ".reshape(-1)[0]", ".ravel()[0]", ".squeeze()", ".T", ".cumsum()[0]", ".item(0)",
    "[()]", "[...]", "[None][0]", ".repeat(2)[1]", ".take(0)", ".real.item()",
)  # fmt: skip
X = np.array([1.2, 0.4])


def program(method):
    """A function in which the tangent of `x[k] - v` is `-dv`, a Python number."""
    return ya.from_source(
        f"""
        def energy(v, x):
            for k in range(2):
                th = x[k] - v
                v = th{method} * th
            return v * v
        """
    )["energy"]


@pytest.mark.parametrize("method", METHODS)
def test_tangent(method):
    f = program(method)
    value, tangent = ya.jvp(f, wrt=0)(0.3, X, 1.0)
    assert value == f(0.3, X)
    assert tangent == pytest.approx((f(0.3 + 1e-6, X) - f(0.3 - 1e-6, X)) / 2e-6, 1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_second_derivative(method):
    f = program(method)
    slope = ya.grad(f, wrt="v")
    by_differences = (slope(0.3 + 1e-6, X) - slope(0.3 - 1e-6, X)) / 2e-6
    assert ya.hvp(f)(0.3, 1.0, X) == pytest.approx(by_differences, 1e-7)
