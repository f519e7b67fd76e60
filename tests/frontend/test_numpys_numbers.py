"""Numbers of NumPy's that make arrays: their methods, and `/=` of a list."""

import numpy as np
import pytest

import yota_ast as ya

X, Y = np.array([0.3, 0.5, 0.7]), np.array([1.0, 0.2, 0.4])
ALONG = np.array([1.0, -0.5, 0.25])


def flattened(x, y):
    return np.sum((x @ y).flatten() * y)


def reshaped(x, y):
    return np.sum((x @ y).reshape(1, -1) * y * x) * x.sum().reshape(-1)[0]


def transposed(x, y):
    return x.sum().transpose() * y.max().reshape(()) + y.sum().flatten("F")[0] ** 2


def in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        total = total + np.sum((x[k] * total + y[k]).flatten() ** 2)
    return total


def in_an_arm(x, y):
    t = x[0].flatten() if y[0] > 0.1 else y
    return np.sum(np.concatenate([t, y, x[1].reshape(-1)]) ** 2)


def a_list_divided(x, y):
    q = [x[0], x[1] * y[0]]
    q /= np.linalg.norm(q)
    return q[0] * 2 + q[1] ** 2 * y[2]


def a_list_less_a_number(x, y):
    q = [x[0], y[0]]
    kept = q
    q -= np.mean(y)
    return np.sum(q**3) * kept[0]


FUNCTIONS = [
    flattened, reshaped, transposed, in_a_loop, in_an_arm, a_list_divided,
    a_list_less_a_number,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
def test_right(f):
    assert ya.gradcheck(f, X, Y)
    step = 1e-6
    _, found = ya.jvp(f, wrt="x")(X, Y, ALONG)
    ends = [f(X + h * ALONG, Y) for h in (step, -step)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_second_order(f):
    df, step = ya.simplegrad(f, X, Y, wrt="x"), 1e-6
    ends = [df(X + h * ALONG, Y)[1] for h in (step, -step)]
    want = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(ya.hvp(f)(X, ALONG, Y), want, rtol=1e-5, atol=1e-7)
