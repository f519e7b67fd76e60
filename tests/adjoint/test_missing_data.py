"""Data with nan where there is none: a function that looks for it, and leaves it out,
has the gradient of what is left."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

T = np.linspace(0.1, 1.0, 6)
DATA = np.array([1.0, np.nan, 2.0, 3.0, np.nan, 4.0])
THERE = ~np.isnan(DATA)


def picked_by_index(a, t, data):
    idx = np.where(~np.isnan(data))[0]
    return np.sum(((np.exp(a * t) - data) ** 2)[idx])


def picked_where_finite(a, t, data):
    idx = np.flatnonzero(np.isfinite(data))
    r = np.exp(a * t) - data
    return np.sum(r[idx] ** 2) / len(idx)


def mean(a, t, data):
    return np.nanmean((np.exp(a * t) - data) ** 2)


def deviation(a, t, data):
    return np.nanstd(np.exp(a * t) - data)


def variance_of_products(a, t, data):
    return np.nanvar(np.exp(a * t) * data)


def weighted_sum(a, t, data):
    return np.nansum(np.abs(np.exp(a * t) - data) * t) / np.nansum(t)


def dropped(a, t, data):
    r = (np.exp(a * t) - data) ** 2 * np.log(t + a)
    r = r[~np.isnan(r)]
    return r.mean()


def largest(a, t, data):
    return np.nanmax(np.exp(a * t) * data)


def made_numbers(a, t, data):
    return np.nan_to_num((np.exp(a * t) - data) ** 2).sum()


def numbers_of_products(a, t, data):
    return np.sum(np.nan_to_num(data * np.sin(a * t)))


def passed_over(a, t, data):
    s = 0.0
    for i in range(len(data)):
        if np.isnan(data[i]):
            continue
        s += (np.exp(a * t[i]) - data[i]) ** 2
    return s


def running_sum(a, t, data):
    return np.nancumsum(data * np.exp(a * t))[-1]


def both_ways(a, t, data):
    m = np.isnan(data)
    return np.sum(((a * t - data) ** 2)[~m]) + np.sum(np.where(m, 0.0, a * t * data))


def sum_where(a, t, data):
    w = np.isfinite(data)
    return np.sum((a * t - data) ** 2, where=w)


def mean_where(a, t, data):
    return np.mean((a * t - data) ** 2, where=np.isfinite(data))


def median(a, t, data):
    return np.nanmedian(a * t * data)


def product(a, t, data):
    return np.nanprod(np.exp(-a * t) * data)


def set_to_0(a, t, data):
    r = np.exp(a * t) - data
    r[np.isnan(r)] = 0
    return np.sum(r**2)


def log_of_picked(a, t, data):
    r = np.exp(a * t) - data
    good = np.isfinite(r)
    return np.log(np.sum(r[good] ** 2))


def chosen(a, t, data):
    return np.sum(np.where(np.isfinite(data), np.exp(a * t) * data, 0.0) ** 2)


def quantile(a, t, data):
    return np.nanquantile(np.exp(a * t) * data, 0.3)


def percentile(a, t, data):
    return np.nanpercentile(np.exp(a * t) * data, 60)


PROGRAMS = [
    picked_by_index,
    picked_where_finite,
    mean,
    deviation,
    variance_of_products,
    weighted_sum,
    dropped,
    largest,
    made_numbers,
    numbers_of_products,
    passed_over,
    running_sum,
    both_ways,
    sum_where,
    mean_where,
    median,
    product,
    set_to_0,
    log_of_picked,
    chosen,
    quantile,
    percentile,
]


def differences(f, h=1e-6):
    """The derivatives with respect to a number, and to each place of two arrays."""

    def along(a=0.0, t=0.0, data=0.0):
        ends = [f(1.3 + s * a, T + s * t, DATA + s * data) for s in (h, -h)]
        return (ends[0] - ends[1]) / (2 * h)

    unit = np.eye(len(T))
    return along(a=1.0), [along(t=e) for e in unit], [along(data=e) for e in unit]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_left_out_has_no_part_in_the_gradient(f):
    da, dt, ddata = differences(f)
    made = ya.simplegrad(f, 1.3, T, np.ones(6))  # made for data without nan
    _, found, of_t, of_data = made(1.3, T, DATA)
    np.testing.assert_allclose(found, da, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(of_t, dt, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        of_data, np.where(THERE, ddata, 0.0), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_tangents_and_second_derivatives(f):
    _, tangent = ya.jvp(f, wrt=["a"])(1.3, T, DATA, 1.0)
    np.testing.assert_allclose(tangent, differences(f)[0], rtol=1e-5, atol=1e-6)
    slope, h = ya.value_and_grad(f), 1e-5
    second = (slope(1.3 + h, T, DATA)[1] - slope(1.3 - h, T, DATA)[1]) / (2 * h)
    np.testing.assert_allclose(
        ya.hvp(f)(1.3, 1.0, T, DATA), second, rtol=1e-5, atol=1e-5
    )


def of_the_module(a):
    return np.nanmean(np.exp(a * T) * DATA) * np.nanstd(a * T * DATA)


def of_the_module_by_mask(a):
    return np.sum((np.sin(a * T) * DATA)[THERE & np.isfinite(DATA)] ** 2)


def of_the_module_by_rows(a):
    s = 0.0
    for row in DATA.reshape(3, 2):
        s += np.nansum((a * a * row) ** 2)
    return s


@pytest.mark.parametrize(
    "f", [of_the_module, of_the_module_by_mask, of_the_module_by_rows]
)
def test_data_of_the_module(f):
    h = 1e-6
    slope = (f(1.3 + h) - f(1.3 - h)) / (2 * h)
    assert ya.simplegrad(f, 1.3)(1.3)[1] == pytest.approx(slope, rel=1e-6)
    assert ya.jvp(f)(1.3, 1.0)[1] == pytest.approx(slope, rel=1e-6)
    gradient, h = ya.value_and_grad(f), 1e-5
    second = (gradient(1.3 + h)[1] - gradient(1.3 - h)[1]) / (2 * h)
    assert ya.hvp(f)(1.3, 1.0) == pytest.approx(second, rel=1e-5)


def test_data_that_nothing_looks_for_is_not_masked():
    def f(a, t, data):
        return np.sum((a * t - data)[t > 0.3] ** 2)

    assert "where" not in ya.simplegrad(f, 1.3, T, np.ones(6), wrt="a").source
