"""Constants that cancel, numbers that need not be spread, masks that need no shape, and
parameters put together in one line; where it would be wrong, the text stays as it was.
"""

from __future__ import annotations

import math
import operator
from types import SimpleNamespace

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check
from yota_ast.adjoint.rewrites.rewrite_conditions import floats
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply

RNG = np.random.default_rng(3)
X, Y = RNG.uniform(0.5, 2, (4, 3)), RNG.normal(size=(4, 3))
ROW = np.arange(3.0)
SCALE = 2.0


def text(fn, *args, **how):
    return ya.simplegrad(fn, *args, **how).source


# ---------------------------------------------------------------- constants


def gaussian(x, y):
    return 0.5 * np.sum(np.log(2 * np.pi * x) + y**2 / x)


def gaussian_of_numbers(x, y):
    s = x[0, 0]
    return 0.5 * (math.log(2 * math.pi * s) + y[0, 0] ** 2 / s)


def scaled_by_a_variable(x, y):
    return np.sum(np.log(y[0, 0] ** 2 * x))


def scaled_by_nothing(x, y):
    return np.sum(np.log(x * 0.0 + 1) / (0.0 * y + 1) + np.log(SCALE * x))


@pytest.mark.parametrize("fn", [gaussian, gaussian_of_numbers])
def test_a_constant_in_a_logarithm_has_no_slope(fn):
    lines = text(fn, X, Y).split("# reverse")[1].splitlines()
    assert not [line for line in lines if "pi" in line and "#" not in line]
    check(fn, (X, Y))


@pytest.mark.parametrize("fn", [scaled_by_a_variable, scaled_by_nothing])
def test_what_may_be_0_stays(fn):
    check(fn, (X, Y))


def test_a_number_of_the_module_stays():
    assert text(scaled_by_nothing, X, Y).count("SCALE") > 1


def test_what_is_0_gives_no_finite_slope():
    def f(a, x):
        return np.sum(np.log(a * x))

    with np.errstate(all="ignore"):
        _, _, dx = ya.simplegrad(f, 2.0, X)(0.0, X)
    assert not np.isfinite(dx).any()


# ---------------------------------------------------------------- spread numbers


def weighted(x, y):
    return np.mean(x**2 * ROW)


def weighted_twice(x, y):
    return np.mean(y * ROW * x)


def of_columns(x, y):
    return np.mean(ROW * y[:1])


@pytest.mark.parametrize("fn", [weighted, weighted_twice])
def test_a_number_is_spread_by_what_it_is_multiplied_with(fn):
    assert "full_like" not in text(fn, X, Y)
    check(fn, (X, Y))


def test_what_nothing_spreads_is_spread():
    check(of_columns, (X, Y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_type_is_that_of_the_argument(dtype):
    x = X.astype(dtype)
    slope = ya.simplegrad(weighted, x, Y)
    assert slope(x, Y, seed=np.float64(1.0))[1].dtype == dtype


def deviations(x, y):
    return x.std() + np.var(y) * x[0, 0]


def test_the_mean_of_all_needs_no_axes():
    assert "keepdims" not in text(deviations, X, Y)
    check(deviations, (X, Y))
    check(deviations, (X[:1], Y[:2]))


# ---------------------------------------------------------------- masks


def near(x, y):
    d = x - y
    t = np.round(d * 3)
    d = d - y[0, 0] * t
    r = np.sum(d * d, axis=1)
    return np.sum(r[r < 2.0] ** 2)


def test_a_mask_of_rows_is_spread_by_where():
    found = text(near, X, Y)
    assert "broadcast_to" not in found
    check(near, (X, Y))


# ---------------------------------------------------------------- parameters


def epidemic(p, days):
    beta, gamma, start = p
    s, i, loss = 100.0 - start, start, 0.0
    for _ in range(days):
        new = beta * s * i / 100.0
        s = s - new
        i = i + new - gamma * i
        loss += i * i
    return loss


def test_parameters_that_a_loop_has_read_are_one_array():
    p = np.array([0.4, 0.2, 1.0])
    assert "dp = np.array([dbeta, dgamma, " in text(epidemic, p, 5)
    for days in (0, 1, 7):
        check(epidemic, (p, days))
    for kind in (np.float32, ">f8"):
        found = ya.simplegrad(epidemic, p.astype(kind), 5)(p.astype(kind), 0)[1]
        assert found.dtype == np.dtype(kind)


# ---------------------------------------------------------------- floats


def soft_minimum(x, y):
    d = np.sum((x[:, None, :] - y) ** 2, axis=2)
    return -np.sum(np.log(np.sum(np.exp(-2.0 * d), axis=1)))


def test_what_is_made_of_floats_is_not_made_floats():
    assert "asarray" not in text(soft_minimum, X, Y)
    check(soft_minimum, (X, Y))


def test_what_may_be_whole_numbers_is():
    def f(x, k):
        return np.log(np.sum(np.exp(np.arange(4) * k))) * x

    found = ya.simplegrad(f, 1.0, 2.0)
    np.testing.assert_allclose(found(1.0, 2)[2], found(1.0, 2.0)[2])


# ---------------------------------------------------------------- matrices


def attention(q, k):
    return np.sum(np.tanh(q @ k.swapaxes(-1, -2)) * ROW)


def attention_by_axes(q, k):
    return np.sum(np.tanh(np.matmul(q, np.transpose(k, (0, 2, 1)))) * ROW)


def attention_by_a_method(q, k):
    return np.sum(np.tanh(q @ k.transpose(0, 2, 1)) * ROW)


def other_axes(q, k):
    return np.sum(np.tanh(q @ np.transpose(k, (1, 2, 0))) * ROW)


def broadcast_stacks(q, k):
    return np.sum(np.tanh(q[:1] @ k.swapaxes(1, 2)) * ROW)


Q, K = RNG.normal(size=(3, 3, 4)), RNG.normal(size=(3, 3, 4))
ATTENTIONS = (attention, attention_by_axes, attention_by_a_method)


@pytest.mark.parametrize("fn", [*ATTENTIONS, other_axes, broadcast_stacks])
def test_the_gradient_of_products_of_stacks(fn):
    check(fn, (Q, K))


@pytest.mark.parametrize("fn", ATTENTIONS)
def test_what_has_its_axes_turned_twice_is_read_as_it_is(fn):
    reverse = text(fn, Q, K).split("# reverse")[1]
    assert "dq = t2 @ k\n" in reverse
    assert "dk = np.swapaxes(t2, -1, -2) @ q\n" in reverse


def trace_of_a_product(x, y):
    return np.trace(x.T @ x) + np.trace(x @ y.T)


def trace_behind_an_inverse(x, y):
    b = np.eye(len(x)) + x @ x.T
    return np.trace(np.linalg.inv(b) @ x @ y.T)


def trace_along_another_diagonal(x, y):
    return np.trace(x.T @ y, offset=1)


@pytest.mark.parametrize(
    ("fn", "line"),
    [
        (trace_of_a_product, "dx = seed * (y + 2 * x)"),
        (trace_behind_an_inverse, "dx = t1.T @ t2 + (db + db.T) @ x"),
        (trace_along_another_diagonal, ""),
    ],
)
def test_no_identity_is_multiplied_by_a_matrix(fn, line):
    assert line in text(fn, X, Y, wrt=("x",))
    check(fn, (X, Y))


def kernel(x, y, scale):
    d = x[:, None, :] - y[None, :, :]
    return np.sum(np.exp(-np.sum(d**2 / scale, axis=-1)) ** 2)


def test_a_cotangent_that_a_divisor_spreads_is_not_spread():
    assert "broadcast" not in text(kernel, X, Y, ROW + 1)
    check(kernel, (X, Y, ROW + 1))
    check(kernel, (X[:2], Y, np.array([2.0])))


# ---------------------------------------------------------------- places


def windows(x, w):
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(y)):
        y[i] = np.dot(x[i : i + len(w)], w) ** 2
    return np.sum(y)


def blocks(x, w):
    h, k = w.shape
    y = np.zeros((x.shape[0] // h, x.shape[1] // k))
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = np.sum(w * np.sin(x[i * h : i * h + h, j * k : j * k + k]))
    return np.sum(y * y)


@pytest.mark.parametrize(
    ("fn", "args", "line"),
    [
        (windows, (X[:, 0], Y[0, :2]), "dx[i : i + len(w)] += "),
        (blocks, (X, Y[:2, :1]), "dx[i * h : i * h + h, j * k : j * k + k] += "),
    ],
)
def test_short_places_are_written_where_they_are(fn, args, line):
    assert line in text(fn, *args)
    check(fn, args)


# ---------------------------------------------------------------- rows and columns


def shares_by_an_index(x, y):
    e = np.exp(x - x.max(axis=1)[:, None])
    return np.sum((e / e.sum(axis=1)[:, None] @ y.T) ** 2)


def shares_by_a_column(x, y):
    e = np.exp(x - x.max(1).reshape(-1, 1))
    return np.sum((e / np.sum(e, axis=1).reshape((-1, 1)) @ y.T) ** 2)


def shares_of_columns(x, y):
    e = np.exp(x - np.max(x, axis=0).reshape(1, -1))
    return np.sum((e / np.sum(e, 0).reshape(1, -1) @ y.T) ** 2)


def rows_of_other_sums(x, y):
    e = np.exp(x)
    return np.sum(e / e[:3].sum(axis=1).reshape(1, -1) * y)


def a_matrix_in_a_column(x, y):
    return np.sum(np.sin(x.reshape(-1, 1)) * y[0])


def rest_of_a_matrix(x, y):
    return np.sum(np.sin(x).reshape(len(x), -1) * y.reshape(len(x), 1, -1))


SHARES = (shares_by_an_index, shares_by_a_column, shares_of_columns)


@pytest.mark.parametrize(
    "fn", [*SHARES, rows_of_other_sums, a_matrix_in_a_column, rest_of_a_matrix]
)
def test_the_gradient_of_rows_and_columns(fn):
    check(fn, (X, Y))
    df = ya.simplegrad(fn, X, Y)
    value, dx, _ = df(Y, X)
    assert value == fn(Y, X)
    assert ya.simplegrad(fn, Y, X)(Y, X)[1] == pytest.approx(dx)


@pytest.mark.parametrize("fn", SHARES[:2])
def test_shares_are_short_however_sums_are_spread(fn):
    line = "    dx = t1 * (t3 - (t3 * t1).sum(axis=1)[:, np.newaxis])\n"
    assert line in text(fn, X, Y, wrt=("x",))


@pytest.mark.parametrize("fn", SHARES)
def test_nothing_goes_back_through_a_shift_in_a_column(fn):
    assert "isnan" not in text(fn, X, Y, wrt=("x",))


# ---------------------------------------------------------------- conditions


def turned_twice(x, y):
    return np.sum(x.T.T * y)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4)])
def test_all_axes_turned_twice_are_not_turned(shape):
    x, y = RNG.normal(size=shape), RNG.normal(size=shape)
    assert "return val, seed * y\n" in text(turned_twice, x, y, wrt=("x",))
    check(turned_twice, (x, y))


def test_an_array_times_what_may_be_complex_holds_no_floats_for_sure():
    known = array_fact("f8", (3,)), array_fact(None, (3,)), array_fact(None, (3,))
    x, z, y = map(Var, "xzy", known)
    for other, is_float in ((Const(2.0), True), (z, False)):
        made = {"y": Apply(y, operator.mul, (x, other))}
        assert floats("y")(SimpleNamespace(made=made), {"y": y}) is is_float


# ---------------------------------------------------------------- powers, products


def potential(x, y):
    return np.sum(y * (x * x + 0.1) ** -1.5 + x**-2 / (1 + y * y))


def pulled(x, y, s):
    return np.sum(np.sin((s * x) @ y))


def test_a_power_below_0_is_divided_rather_than_taken_again():
    lines = text(potential, X, Y).split("# reverse")[1].splitlines()
    assert not [line for line in lines if "**" in line and "#" not in line]
    check(potential, (X, Y))
    with np.errstate(all="ignore"):
        at_zero = ya.grad(lambda x: np.sum(x**-2.0), np.array([0.0, 1e-200, np.inf]))
    np.testing.assert_array_equal(at_zero[1][0], [-np.inf, -np.inf, 0.0])


def test_a_number_times_a_product_goes_to_the_column():
    column = Y[:3, :1]
    source = text(pulled, X, column, 0.3, wrt="x")
    assert "    dx = (seed * s) * np.cos(t1) * y.T\n" in source, source
    check(pulled, (X, column, 0.3))
