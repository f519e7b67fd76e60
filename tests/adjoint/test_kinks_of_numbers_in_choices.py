"""Numbers with a root or a kink that `np.where` spreads over an array: their second
derivatives, which go through a mark on a cotangent that is masked and summed."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.4, 1.5, -0.7, 2.0])
PARTS = {
    "hypot": lambda a: np.hypot(a, 1.0),
    "abs": lambda a: np.abs(a),
    "sqrt": lambda a: np.sqrt(a * a + 0.5),
    "power": lambda a: (a * a) ** 0.75,
    "maximum": lambda a: np.maximum(a, -3.0) ** 3,
    "norm": lambda a: np.linalg.norm(np.array([a, 1.0])),
    "maximum of sines": lambda a: np.maximum(np.sin(a), np.abs(a) ** 3),
}


def of(part):
    def f(a, x):
        return np.sum(np.sin(np.where(x > 1.2, x * x, part(a))) * x)

    return f


@pytest.mark.parametrize("a", [-0.6, 0.9])
@pytest.mark.parametrize("name", PARTS)
def test_second_derivatives(name, a):
    f = of(PARTS[name])

    def nested(a, x):
        value, d = ya.value_and_grad(f, wrt="a")(a, x)
        return value * d

    def slope(a):
        return ya.value_and_grad(f, wrt="a")(a, X)[1]

    second = (slope(a + 1e-5) - slope(a - 1e-5)) / 2e-5
    first, value = slope(a), f(a, X)
    found, g = ya.grad(nested, a, X)
    assert np.isclose(found, nested(a, X), 1e-14)
    assert np.isclose(g["a"], first * first + value * second, 1e-6)
    assert np.isclose(ya.hvp(f)(a, 1.0, X), second, 1e-6)
