"""Whole numbers, asked for by name or given to a text that was made for floats: the
gradients of floats, or an error of the package, or ValueError."""

import math
import statistics

import numpy as np
import pytest

import yota_ast as ya

X = np.array([1, 2, 4, 3])
C = np.array([0.25, 0.75, 1.5, -0.5])


def picked(x):
    return np.sum(x[[3, 0, 0, 1]] * C)


def counted(x):
    y = np.zeros(3)
    np.add.at(y, [0, 1, 1, 2], x * C)
    return np.sum(y**2)


def log_of_sum(x):
    return np.log(np.sum(np.exp(x * x)))


def log_of_sums(x):
    return np.log(np.exp(x.reshape(2, 2)).sum(axis=1)) @ C[:2]


def parts(x):
    a, b = np.split(x, 2)
    return np.sum(a * C[:2]) + b[1] * 0.25


def looped(x):
    total = 0.0
    for part in np.array_split(x, 3):
        total = total + np.sum(part) * 0.5
    return total


def put_in(x):
    return np.insert(x, 2, 9) @ np.append(C, 0.125)


def chosen(x):
    return np.choose([0, 1, 1, 0], [x, x * 2]) @ C


def of_roots(x):
    return np.poly(x)[1:] @ C


def summed(x):
    return math.fsum(x) * 0.3


def averaged(x):
    return statistics.fmean(x) * 0.3


def joined(x):
    return np.concatenate([x, C]) @ np.append(C, C)


def spread(x):
    u, v = np.broadcast_arrays(x, np.ones((2, 1)))
    return np.sum(u * C * v)


def met(x):
    u, v = np.meshgrid(x, x[:2])
    return np.sum(u * C + v * 0.5)


FUNCTIONS = [
    picked, counted, log_of_sum, log_of_sums, parts, looped, put_in, chosen, of_roots,
    summed, averaged, joined, spread, met,
]  # fmt: skip


def agree_or_refuse(run, wanted):
    try:
        found = run()
    except ya.errors.InternalError:
        raise
    except ya.YotaError:
        return
    except ValueError as error:
        if "_grad: made for " not in str(error):
            raise
        return
    assert found.dtype == float
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_whole_numbers(f):
    floats = X.astype(float)
    wanted = ya.grad(f, floats)[1][0]
    agree_or_refuse(lambda: ya.grad(f, X, wrt="x")[1]["x"], wanted)
    agree_or_refuse(lambda: ya.simplegrad(f, floats).fn(X)[1], wanted)
    agree_or_refuse(lambda: ya.simplegrad(f)(X)[1], wanted)


@pytest.mark.parametrize("f", [np.cumsum, np.sort, np.ravel, np.diff])
def test_a_seed_of_fractions_for_whole_values(f):
    seed = C[: len(f(X))]
    wanted = ya.grad(f, X.astype(float), seed=seed)[1][0]
    np.testing.assert_allclose(ya.grad(f, X, wrt=[0], seed=seed)[1][0], wanted)
    np.testing.assert_allclose(ya.vjp(f)(X)[1](seed), wanted)
    with pytest.raises(ValueError, match="made for a number or an array of floats"):
        ya.simplegrad(f)(X, seed)


def test_which_are_taken():
    taken = [picked, log_of_sum, parts, put_in, of_roots, summed, averaged, spread]
    for f in taken:
        ya.grad(f, X, wrt="x")


def sliced(x):
    return np.sum(x[None] * np.ones((1, 4))) + np.sum(x[[0, 2]] * C[:2])


def test_a_cotangent_that_is_an_array_of_the_module():
    """It is stored as it stands: an array, of which it is asked whether it is 0."""

    def along(x):
        return ya.value_and_grad(sliced)(x)[1] @ C

    floats = X.astype(float)
    assert along(floats) == ya.grad(along, floats)[0]
    np.testing.assert_array_equal(ya.grad(along, floats)[1][0], np.zeros(4))


def stored_of_module(x):
    return np.sum(x[[0, 1, 0, 2]] * C)


def test_an_index_that_repeats_beside_an_array_of_the_module():
    def along(x):
        return ya.value_and_grad(stored_of_module)(x)[1] @ C

    assert ya.grad(along, X.astype(float))[0] == along(X.astype(float))


# ------------------------------------------------------------------ factors


def two_masks(x, m, k):
    return np.sum(x * m + x * k)


def less_a_mask(x, m, k):
    return np.sum(x * m - x * k)


def of_comparisons(x, m, k):
    return np.sum(x * (x > 0) + x * (x > 1) + m * x * k)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [two_masks, less_a_mask, of_comparisons])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64, float])
def test_factors_are_not_added_as_truth_values_or_short_integers(
    fn, dtype, passes, monkeypatch
):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([-1.0, 0.5, 2.0])
    m, k = np.array([0, 1, 100], dtype), np.array([0, 1, 90], dtype)
    slope = (fn(x + 1e-6, m, k) - fn(x - 1e-6, m, k)) / 2e-6
    dx = ya.grad(fn, x, m, k, wrt="x")[1]["x"]
    np.testing.assert_allclose(dx.sum(), slope, rtol=1e-6)
    for number in (0.5, np.float64(2.0)):
        at = (fn(number + 1e-6, m, k) - fn(number - 1e-6, m, k)) / 2e-6
        d = ya.grad(fn, number, m, k, wrt="x")[1]["x"]
        np.testing.assert_allclose(d, at, rtol=1e-6)
