"""Data with nan where there is none: a function that looks for it, and leaves it out,
has the gradient of what is left."""

from __future__ import annotations

from dataclasses import dataclass

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


def deleted(a, t, data):
    return np.sum(np.delete(np.exp(a * t) * data, np.where(np.isnan(data))[0]) ** 2)


def standardised(a, t, data):
    z = data * np.exp(a * t)
    return np.nansum(((z - np.nanmean(z)) / np.nanstd(z)) ** 3 * t)


def divided_by_data(a, t, data):
    return np.nanmean(np.exp(a * t) * t / data)


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
    deleted,
    standardised,
    divided_by_data,
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


@dataclass
class Series:
    """Times, and what was measured."""

    t: np.ndarray
    data: np.ndarray


def of_a_dict(a, d):
    return np.nansum((np.exp(a * d["t"]) * d["data"]) ** 2)


def of_a_dict_by_mask(a, d):
    data = d["data"]
    return np.sum((np.exp(a * d["t"]) * data)[np.isfinite(data)])


def of_a_tuple(a, pair):
    t, data = pair
    return np.nanmean(np.exp(a * t) * data)


def of_an_object(a, series):
    there = ~np.isnan(series.data)
    return np.nansum((a * series.t - series.data) ** 2) + np.sum(
        (a * series.data)[there]
    )


def of_a_list(a, rows):
    return sum(np.nansum((a * row) ** 2) for row in rows)


def of_a_list_by_index(a, rows):
    s = 0.0
    for k in range(len(rows)):
        s += np.nansum((a * rows[k]) ** 2)
    return s


@pytest.mark.parametrize(
    ("f", "data"),
    [
        (of_a_dict, {"t": T, "data": DATA}),
        (of_a_dict_by_mask, {"t": T, "data": DATA}),
        (of_a_tuple, (T, DATA)),
        (of_an_object, Series(T, DATA)),
        (of_a_list, [DATA, DATA[:3]]),
        (of_a_list_by_index, [DATA, DATA[:3]]),
    ],
)
def test_data_within_arguments(f, data):
    h = 1e-6
    slope = (f(1.3 + h, data) - f(1.3 - h, data)) / (2 * h)
    assert ya.grad(f, 1.3, data, wrt="a")[1]["a"] == pytest.approx(slope, rel=1e-6)

    def inner(a, data):
        return ya.grad(f, wrt="a")(a, data)

    gradient, h = ya.value_and_grad(f), 1e-5
    second = (gradient(1.3 + h, data)[1] - gradient(1.3 - h, data)[1]) / (2 * h)
    assert ya.hvp(f)(1.3, 1.0, data) == pytest.approx(second, rel=1e-5)
    assert ya.grad(inner)(1.3, data) == pytest.approx(second, rel=1e-5)


@pytest.mark.parametrize(
    "f", [sum_where, set_to_0, product, deleted, standardised, numbers_of_products]
)
def test_without_an_example(f):
    _, found = ya.simplegrad(f, wrt="a")(1.3, T, DATA)
    assert found == pytest.approx(differences(f)[0], rel=1e-5)


def of_logarithms(a, t, data):
    mean = a + t
    return np.nansum(data * np.log(mean) - mean)


def test_logarithms_that_missing_data_are_multiplied_by():
    slope = ya.value_and_grad(of_logarithms)(1.3, T, DATA)[1]
    assert slope == pytest.approx(differences(of_logarithms)[0], rel=1e-6)
    entropy = ya.value_and_grad(lambda x: np.nansum(x * np.log(x)))
    with np.errstate(all="ignore"):
        assert not np.isfinite(entropy(np.array([0.0, 1.0]))[1][0])


def test_data_that_nothing_looks_for_is_not_masked():
    def f(a, t, data):
        return np.sum((a * t - data)[t > 0.3] ** 2)

    assert "where" not in ya.simplegrad(f, 1.3, T, np.ones(6), wrt="a").source
