"""A root, a logarithm, a quotient or a logistic of a column, in a product with a row.

The product has more axes than the column. The adjoint of the column is summed over
them, also where it is guarded so that zeros of the product meet no infinite slope.
"""

from contextlib import contextmanager

import numpy as np
import pytest

import yota_ast as ya

from ..constructs.running import module

W = np.array([0.8, 0.3, 0.7])
X = np.array([0.6, 0.9, 0.5, 0.2])
ALONG = np.array([1.0, -0.5, 0.25])
STEEP = [
    "np.sqrt(w)", "np.log(w)", "1 / w", "w**0.3", "w**p", "np.arcsin(1 - w)",
    "np.sqrt(w * w)", "x / (1 + np.exp(w))", "1 / (1 + np.exp(-w))",
    "np.log(1 + np.exp(w))",
]  # fmt: skip
COLUMNS = ["w[:, None]", "w.reshape(-1, 1)", "w[1:2]", "np.mean(w, keepdims=True)"]
PROGRAMS = {
    "plain": """
    s = {steep}
    return np.sum(np.tanh(s * x))
""",
    "loop": """
    total = 0.0
    for k in range(3):
        s = (k + 1.5) * {steep}
        total += np.sum(np.tanh(x * s) / (1 + x))
    return total
""",
    "arm": """
    if w[0] > 0.1:
        s = {steep}
    else:
        s = w
    return np.sum(np.tanh(-s * x) * 2)
""",
    "helper": """
    return spread({steep}, x)
""",
    "overwritten": """
    s = {steep}
    z = np.ones(np.shape(s * x))
    z *= s * x
    w = 0 * w
    return np.sum(np.tanh(z)) + np.sum(w)
""",
}
HELPER = "def spread(s, x):\n    return np.sum(np.sin(s * x))\n\n"


@contextmanager
def program(steep, column, body):
    text = f"import numpy as np\n\n{HELPER}def f(v, x, p):\n    w = {column}"
    text = text.replace("= w", "= v").replace("(w,", "(v,")
    with module(text + body.format(steep=steep), "roots_spread") as made:
        yield made.f


def slopes(f):
    steps = 1e-6 * np.eye(3)
    return np.array([(f(W + h, X, 1.7) - f(W - h, X, 1.7)) / 2e-6 for h in steps])


@pytest.mark.parametrize("body", PROGRAMS)
@pytest.mark.parametrize("steep", STEEP)
def test_right(steep, body):
    for column in COLUMNS:
        with program(steep, column, PROGRAMS[body]) as f:
            _, d = ya.grad(f, W, X, 1.7, wrt="v")
            np.testing.assert_allclose(d["v"], slopes(f), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("steep", STEEP)
def test_along_a_direction(steep):
    with program(steep, "w[:, None]", PROGRAMS["plain"]) as f:
        _, found = ya.jvp(f, wrt="v")(W, X, 1.7, ALONG)
        assert found == pytest.approx(slopes(f) @ ALONG, rel=1e-6)


@pytest.mark.parametrize("steep", STEEP)
def test_second_order(steep):
    with program(steep, "w[:, None]", PROGRAMS["plain"]) as f:
        df = ya.simplegrad(f, W, X, 1.7, wrt="v")
        ends = [df(W + h * ALONG, X, 1.7)[1] for h in (1e-6, -1e-6)]
        found = ya.hvp(f)(W, ALONG, X, 1.7)
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)


def test_zeros_of_the_product_leave_a_row_out():
    with program("np.sqrt(w)", "w[:, None]", PROGRAMS["plain"]) as f:
        _, d = ya.grad(f, np.array([0.8, 0.0, 0.7]), np.zeros(4), 1.7, wrt="v")
    np.testing.assert_array_equal(d["v"], 0)
