"""A finite cotangent is multiplied by the truth values that say where it goes."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([1.0, 2.0, -1.0, 0.0, -2.0])
Y = np.array([0.5, 2.0, 3.0, 0.0, -2.5])
M = np.array([[1.0, 3.0, 3.0], [2.0, -1.0, 0.5]])


def text(f, *args):
    source = ya.simplegrad(f, *args).source
    return source.partition("# reverse")[2]


def larger(x, y):
    return np.sum(np.maximum(x, y) * 3)


def of_loop(x, y):
    for _ in range(3):
        x = np.minimum(x, y) * y
    return np.sum(np.exp(x))


def beside_nan(x, y):
    return np.sum(np.fmax(x, y) ** 2)


def steep(x, y):
    return np.sum(np.exp(np.maximum(x, y)) * y)


def clipped(x, y):
    return np.sum(np.clip(x, -1, 1.5) * y)


def largest(x, y):
    return np.sum(np.max(x[:, None] * y, axis=1) ** 2)


def kept_from_nan(x, y):
    return np.sum(np.where(np.isnan(y), 0.0, y * np.maximum(x, 0)))


def spoils_the_value(x, y):
    z = x / np.sum(y)
    return np.mean((z * np.maximum(z, y)) ** 2) / 2


def within_a_root(x, y):
    for _ in range(2):
        rise, fall = np.maximum(x - y, 0), np.minimum(y + 1, 0)
        x = x - 0.1 * np.sqrt(rise**2 + fall**2 + 1e-6)
    return np.sum(np.tanh(x))


def logarithm_of_a_share(x, y):
    z = np.maximum(np.outer(x, y), 0)
    z = z - z.max(axis=1, keepdims=True)
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p[:, 0]))


def of_unit_spread(x, y):
    z = np.outer(x, y) + y
    z = (z - z.mean(axis=0)) / np.sqrt(z.var(axis=0) + 1e-5)
    return np.mean(np.tanh(np.maximum(z, 0)) * x)


def of_log_softmax(x, y):
    z = np.maximum(np.outer(x, y), 0)
    return np.sum((z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))) * y)


FIRES = [
    larger, of_loop, clipped, largest, spoils_the_value, within_a_root,
    logarithm_of_a_share, of_unit_spread, of_log_softmax,
]  # fmt: skip


@pytest.mark.parametrize("f", FIRES, ids=lambda f: f.__name__)
def test_a_product_of_finite_cotangents(f, monkeypatch):
    assert "np.where" not in text(f, X, Y)
    found = ya.simplegrad(f, X, Y)(X, Y)
    monkeypatch.setenv("YOTA_AST_PASSES", "-masks")
    assert "np.where" in text(f, X, Y)
    for got, expected in zip(found, ya.simplegrad(f, X, Y)(X, Y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)


def infinite_beside_a_finite_value(x, y):
    z = x / np.sum(y)
    return np.sum(np.tanh(z * np.maximum(z, y)))


def test_a_cotangent_that_is_infinite_where_the_value_is_not():
    """No sum of squares: where the quotient is infinite, the value is finite."""
    assert "np.where" in text(infinite_beside_a_finite_value, X, Y)


def root_below_0(x, y):
    top = np.maximum(x, 0)
    return np.sum(np.tanh(np.sqrt(top**2 - y) * top))


def test_a_root_of_what_may_be_below_0():
    assert "np.where" in text(root_below_0, X, Y)


def test_what_goes_to_the_other_is_the_rest():
    assert "dy = 3 * seed - dx" in text(larger, X, Y)


def test_floats_of_fewer_bits_stay_so():
    x, y = X.astype(np.float32), Y.astype(np.float32)
    source = text(steep, x, y)
    assert "t2 / 2 * (x == y)" in source
    assert {d.dtype for d in ya.simplegrad(steep, x, y)(x, y)[1:]} == {x.dtype}


def root(x, y):
    return np.sum(np.sqrt(np.maximum(x, 0.0)))


def root_after_a_loop(x, y):
    for _ in range(2):
        x = np.maximum(x, 0.0)
    return np.sum(np.sqrt(x))


def logarithm(x, y):
    top = np.maximum(x, 0.0)
    return np.sum(np.where(top > 0, np.log(top), 0.0))


def power(x, y):
    return np.sum(np.maximum(x, 0.0) ** 0.5)


def quotient(x, y):
    return np.sum(1 / (1 + 1 / np.clip(x, 0.0, 1.0)))


def shifted_logarithm(x, y):
    top = np.maximum(x, 0.0)
    return np.sum(np.log1p(top)) + np.sum(1 / (1 + 1 / top))


INFINITE = [root, root_after_a_loop, logarithm, power, quotient, shifted_logarithm]


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("f", INFINITE, ids=lambda f: f.__name__)
def test_an_infinite_slope_does_not_reach_what_is_left_out(f):
    x = np.array([1.0, -1.0, 0.5])
    assert "np.where" in text(f, x, x)
    dx = ya.simplegrad(f, x, x)(x, x)[1]
    assert np.all(np.isfinite(dx))
    assert dx[1] == 0


def test_a_nan_that_the_function_leaves_out():
    x, y = np.array([1.0, -1.0, 2.0]), np.array([np.nan, np.nan, 3.0])
    _, dx, dy = ya.simplegrad(kept_from_nan, X, Y)(x, y)
    np.testing.assert_array_equal(dx, [0, 0, 3])
    np.testing.assert_array_equal(dy, [0, 0, 2])


def beside_nan_of_a_root(x, y):
    return np.sum(np.fmax(x, -np.sqrt(y) * np.clip(y, 0, None)))


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_nan_beyond_the_edge_of_a_domain():
    x, y = np.array([1.0, -9.0]), np.array([-1.0, 4.0])
    _, dx, dy = ya.simplegrad(beside_nan_of_a_root, x, y)(x, y)
    np.testing.assert_allclose(dx, [1, 0])
    np.testing.assert_allclose(dy, [0, -3])


def without_nan(x, y):
    return np.nansum(np.maximum(x, 0) ** 2 * y)


def picked(x, y):
    return np.sum((np.maximum(x, 0) ** 2)[x == x])


def compared(x, y):
    return np.sum((np.maximum(x, 0) ** 2)[x < 9])


@pytest.mark.parametrize("f", [without_nan, picked, compared, beside_nan])
def test_a_nan_that_is_dropped(f):
    assert "np.where" in text(f, X, np.ones(5))
    x = np.array([1.0, np.nan, -1.0])
    dx = ya.simplegrad(f, X, np.ones(5))(x, np.ones(3))[1]
    np.testing.assert_array_equal(dx, [1.0 if f is beside_nan else 2.0, 0, 0])


def part_of_a_root(x, n):
    y = np.maximum(x, 0.0)
    return part_of_a_root(y, n - 1) if n > 0 else y


def root_of_a_call(x):
    return np.sum(np.sqrt(part_of_a_root(x, 2)))


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_cotangent_that_a_function_is_given():
    x = np.array([1.0, -1.0])
    np.testing.assert_array_equal(ya.simplegrad(root_of_a_call, x)(x)[1], [0.5, 0])


def chosen(x, y):
    return np.sum(np.where(x > 0, x * y, 0.0))


def test_what_the_function_selects_stays_a_selection():
    x, y = np.array([1.0, -1.0]), np.array([2.0, np.nan])
    np.testing.assert_array_equal(ya.simplegrad(chosen, x, y)(x, y)[1], [2, 0])


def test_a_number_stays_a_choice():
    def f(x):
        return max(x, 0.5) * np.maximum(x, 1.0)

    assert " if " in text(f, 2.0)


def read_whole(x):
    y = x.copy()
    y[:] = np.exp(y[:])
    y[...] = y[...] * x[()]
    return np.sum(y)


def test_the_adjoint_of_all_of_an_array_is_its_own():
    assert "zeros" not in text(read_whole, M)
    np.testing.assert_allclose(
        ya.simplegrad(read_whole, M)(M)[1], np.exp(M) * (1 + M), rtol=1e-14
    )


def above(x, y):
    return np.sum(np.maximum(x, 0) ** 2 * y)


def below(x, y):
    return np.sum(0.5 * np.minimum(0.0, x) ** 3 * y)


def both_sides(x, y):
    return np.sum(np.minimum(x, 0) * np.maximum(x, 0) * y)


def both_powers(x, y):
    return np.sum(np.minimum(x, 0) ** 2 * np.maximum(0.0, x) ** 2 + np.maximum(y, 0))


@pytest.mark.parametrize("f", [above, below])
def test_what_is_0_elsewhere_needs_no_mask(f):
    assert not {"<", ">", "where"} & set(text(f, X, Y).replace("(", " ").split())


@pytest.mark.parametrize("f", [above, below, both_sides, both_powers])
def test_a_mask_of_the_other_side_stays(f, monkeypatch):
    found = ya.simplegrad(f, X, Y)(X, Y)
    curved = ya.hvp(f)(X + 0.25, Y, Y)
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    np.testing.assert_allclose(ya.hvp(f)(X + 0.25, Y, Y), curved, rtol=1e-12)
    for got, expected in zip(found, ya.simplegrad(f, X, Y)(X, Y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)
