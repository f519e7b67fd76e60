"""What tests of tangents have in common."""

from collections.abc import Callable

import numpy as np

import yota_ast as ya


def check_both_orders(
    program: Callable[..., float], x: np.ndarray, v: np.ndarray, n: int, atol: float
) -> None:
    """The value of `jvp` is that of the function, its tangent that of the gradient; and
    `hvp` is the change of the gradient, up to `atol`."""

    def gradient(x: np.ndarray) -> np.ndarray:
        return ya.grad(program, x, n)[1][0]

    value, dvalue = ya.jvp(program)(x, n, v, None)
    assert value == program(x, n)
    np.testing.assert_allclose(dvalue, gradient(x) @ v, rtol=1e-12)
    h = 1e-6
    change = (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)
    found = ya.hvp(program)(x, v, n)
    np.testing.assert_allclose(found, change, rtol=1e-6, atol=atol)
