"""Names that stand for what is outside of the text: no variable takes one of them,
wherever the text reads it."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

W = np.array([0.1, 0.2, 0.3])
FLAG = np.array(1.0)
RATES = (0.5, 0.25)
MODE = "linear"


class Config:
    W = W


def carried(x, W, n=3):
    for _ in range(n):
        W = W * 0.5 + x
    return W


def asked(x, FLAG):
    if FLAG:
        FLAG = x * 2.0
    else:
        FLAG = x
    return FLAG


def run_over(x, W):
    for W in W:  # noqa: B020, PLR1704
        x = x * W
    return x


def stored(x, V):
    W = x * 2.0  # the array outside is read after it
    y = np.zeros(3)
    y[:] = V
    return y * x * W


def merged(x, V):
    W = x * x
    r = V if x[0] > 0 else x
    return r * W


def repeated(x, W):
    while W.sum() < 3:
        W = W + x
    return W * x


def within(x, settings):
    Config = x * 2.0
    y = np.zeros(3)
    y[:] = settings.W
    return y * Config


def from_try(x, V):
    W = x * 3.0
    try:
        r = V
    except ValueError:
        r = x
    return r * W


def held(x, V):
    W = np.sin(x)
    rows = [x]
    rows.append(V)
    return rows[1] * W + rows[0]


CASES = {
    "carried": lambda x: np.sum(carried(x, W) ** 2),
    "asked": lambda x: np.sum(asked(x, FLAG) ** 2),
    "run over": lambda x: np.sum(run_over(x, W)),
    "stored": lambda x: np.sum(stored(x, W)),
    "merged": lambda x: np.sum(merged(x, W)),
    "repeated": lambda x: np.sum(repeated(x, W)),
    "within": lambda x: np.sum(within(x, Config)),
    "from try": lambda x: np.sum(from_try(x, W)),
    "held": lambda x: np.sum(held(x, W)),
}
X = np.array([0.4, 0.5, 0.6])


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("name", CASES)
def test_they_are_told_apart(name, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f = CASES[name]
    check(f, (X,))
    value, g = ya.grad(f, X)
    assert value == f(X)
    assert ya.jvp(f)(X, X)[1] == pytest.approx(g["x"] @ X)
    slope = (ya.grad(f, X * 1.0001)[1]["x"] - ya.grad(f, X * 0.9999)[1]["x"]) / 2e-4
    np.testing.assert_allclose(ya.hvp(f)(X, X), slope, rtol=1e-5, atol=1e-7)
    assert ya.simplegrad(f, X, fast=True)(X)[0] == pytest.approx(value)


def test_a_value_that_two_closures_hold():
    def inner(z, a):
        k = 0
        while k := k:
            if z:
                z -= a
            else:
                return a
        else:
            z = np.logaddexp(z, a)
            return a * 2.0

    def outer(x, z):
        value, d = ya.jvp(lambda t: np.sum(t) * inner(z, -0.3))(x, x * 0.5)
        return value + d

    z = np.array(0.1)
    expected = -0.6 * np.sum(X) * 1.5
    assert outer(X, z) == pytest.approx(expected)


def by_rates(x):
    for rate in RATES:
        x = x * rate
    return np.sum(x)


def by_an_array(x):
    for W in Config.W:
        x = x * W
    return np.sum(x)


def test_loops_read_the_array_that_stands_there_now(monkeypatch):
    pytest.importorskip("numba")
    loops = ya.simplegrad(by_an_array, X, backend="numba")
    plain = ya.simplegrad(by_an_array, X)
    for scale in (1.0, 2.0):
        monkeypatch.setattr(Config, "W", W * scale)
        np.testing.assert_allclose(loops(X)[1], plain(X)[1])


def test_loops_are_refused_where_numba_would_keep_the_items():
    pytest.importorskip("numba")
    with pytest.raises(ya.UnsupportedCall, match="no loops are made of `RATES`"):
        ya.simplegrad(by_rates, X, backend="numba")(X)


def by_mode(x):
    if MODE == "linear":
        return np.sum(x)
    return np.sum(x**2)


def test_loops_ask_for_the_text_that_stands_there_now(monkeypatch):
    pytest.importorskip("numba")
    loops = ya.simplegrad(by_mode, X, backend="numba")
    np.testing.assert_allclose(loops(X)[1], np.ones(3))
    monkeypatch.setitem(globals(), "MODE", "square")
    np.testing.assert_allclose(loops(X)[1], 2 * X)
