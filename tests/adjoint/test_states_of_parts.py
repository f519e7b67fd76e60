"""The length of a state that is taken apart at literal slices and joined again is
known, through loops; and what its parts cover needs no masks."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(11)


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def rhs_of_slices(s, p):
    x, v, w = s[:2], s[2:4], s[4:6]
    return np.concatenate([v, -p * x / (1 + x**2), -w / (p + v**2)])


def euler(s, p):
    for _ in range(3):
        s = s + 0.1 * rhs_of_slices(s, p)
    return np.sum(s**2)


def midpoint(s, p):
    cost = 0.0
    for _ in range(3):
        k = rhs_of_slices(s, p)
        s = s + 0.1 * rhs_of_slices(s + 0.05 * k, p)
        cost += np.sum(s[:2] ** 2)
    return cost


def pendulum(s, p):
    def rhs(state):
        a, b, c, d = state[:4]
        return np.array([c, d, -p * np.sin(a), a - b, 0.0, 1.0])

    for _ in range(3):
        k = rhs(s)
        s = s + 0.1 * (k + rhs(s + 0.1 * k))
    return s[0] ** 2 + s[5]


STATES = [euler, midpoint, pendulum]


@pytest.mark.parametrize("fn", STATES)
def test_the_length_is_checked_and_nothing_is_summed(fn):
    s = RNG.normal(size=6)
    source = ya.simplegrad(fn, s, 1.5).source
    for word in ("unbroadcast", "logical_or", "ones_like", "np.where"):
        assert word not in source
    assert "made for s (6,)" in source
    with pytest.raises((ValueError, ya.errors.YotaError)):
        ya.simplegrad(fn, s, 1.5)(s[:4], 1.5)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", STATES)
def test_the_gradient_of_a_state(fn):
    check(fn, (RNG.normal(size=6), 1.5))
    s = RNG.normal(size=6)
    df = ya.simplegrad(fn, s, 1.5)
    single = ya.simplegrad(fn, s.astype("f4"), 1.5)(s.astype("f4"), 1.5)[1]
    np.testing.assert_allclose(single, df(s, 1.5)[1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("fn", STATES)
def test_the_second_derivative_of_a_state(fn):
    s, v, eps = RNG.normal(size=6), RNG.normal(size=6), 1e-5
    df = ya.simplegrad(fn, s, 1.5)
    wanted = (df(s + eps * v, 1.5)[1] - df(s - eps * v, 1.5)[1]) / (2 * eps)
    found = ya.hvp(fn)(s, v, 1.5)
    found = found[-1] if isinstance(found, tuple) else found
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def of_two_arguments(r, v):
    s = np.concatenate([r, v])
    for _ in range(2):
        s = s + 0.1 * np.concatenate([s[2:], -s[:2] / np.sum(s[:2] ** 2)])
    return np.sum(s**2)


def test_parts_that_make_up_a_sum_of_lengths():
    r, v = RNG.normal(size=2) + 3, RNG.normal(size=2)
    assert "unbroadcast" not in ya.simplegrad(of_two_arguments, r, v).source
    check(of_two_arguments, (r, v))


# ---------------------------------------------------------------- masks that stay


def a_part_left_out(s, p):
    k = np.concatenate([s[2:4], np.sqrt(s[:2]) / s[:2]])
    y = s + k
    return np.sum(y[:2] ** 2) + p


def with_a_gap(s, p):
    k = s / (s - s[1])
    return np.sum(k[2:4] ** 2) + np.sum(k[:1] ** 2) * p


@pytest.mark.usefixtures("passes")
@pytest.mark.filterwarnings("ignore")
def test_what_is_left_out_still_gets_zero():
    s = np.array([0.0, 1.0, 2.0, 3.0])
    ds = ya.simplegrad(a_part_left_out, s, 1.0, wrt="s")(s, 1.0)[1]
    np.testing.assert_allclose(ds, [4.0, 8.0, 4.0, 8.0])
    ds = ya.simplegrad(with_a_gap, s, 1.0)(s, 1.0)[1]
    assert np.isfinite(ds).all()
