"""A part of a root, a logarithm or a quotient, spread by a product with more axes.

The adjoint of the part is summed over the axes that the product has more, also where
the product is guarded, so that its zeros meet no infinite slope.
"""

from contextlib import contextmanager

import numpy as np
import pytest

import yota_ast as ya

from ..constructs.running import module

W = np.array([0.8, 0.3, 0.7])
X = np.array([[-0.6, 0.9, 0.5], [0.3, 0.7, 0.8], [0.4, 0.1, 0.4]])
STEEP = ["np.sqrt(w)", "np.log(w)", "1 / w", "w**0.3", "np.arcsin(1 - w)"]
SPREAD = [
    "x * s[1]", "x * s[:, None]", "x[:, :1] * s[1:2]", "x[:, 1:] * s[1:]",
    "x[None] * s[:, None, None]", "x * s[[0, 1, 1]]", "-x * s[::-1] * 2",
    "x * s[:, None] / (2 + x)", "x[:1] * s[:1]", "np.tril(x * s[:, None])",
]  # fmt: skip


@contextmanager
def program(steep, spread):
    text = f"import numpy as np\n\ndef f(w, x):\n    s = {steep}\n    z = {spread}\n"
    with module(f"{text}    return np.sum(np.tanh(z))\n", "parts_spread") as made:
        yield made.f


def slopes(f):
    steps = 1e-6 * np.eye(3)
    return np.array([(f(W + h, X) - f(W - h, X)) / 2e-6 for h in steps])


@pytest.mark.parametrize("spread", SPREAD)
@pytest.mark.parametrize("steep", STEEP)
def test_right(steep, spread):
    with program(steep, spread) as f:
        _, d = ya.grad(f, W, X, wrt="w")
        np.testing.assert_allclose(d["w"], slopes(f), rtol=1e-6, atol=1e-7)


def test_zeros_of_the_product_leave_a_row_out():
    w, x = np.array([0.8, 0.0, 0.7]), X * [[1], [0], [1]]
    with program("np.sqrt(w)", "x * s[:, None]") as f:
        _, d = ya.grad(f, w, x, wrt="w")
    assert d["w"][1] == 0
    assert np.all(np.isfinite(d["w"]))


def test_one_item_is_divided_once():
    with program("np.log(w)", "x[0] * s[1]") as f:
        source = ya.simplegrad(f, W, X, wrt="w").source
    assert "dw[1] = np.vdot(seed * (1 - t1 * t1), x[0]) / w[1]" in source
