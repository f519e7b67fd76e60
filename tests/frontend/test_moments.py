"""Points in time: they have no derivative, and say what their parts are."""

# Without a zone, as most programs write them.
# ruff: noqa: DTZ001

from __future__ import annotations

import datetime as dt
from datetime import datetime, timedelta

import numpy as np
import pytest

import yota_ast as ya

NOON = datetime(2021, 6, 1, 12, 30)


def day_of_year(t, x):
    n = (t - datetime(t.year, 1, 1)).days + 1
    return np.sin(2 * np.pi * n / 365.25) * x**2


def of_seconds(t, x):
    midnight = t.replace(hour=0, minute=0)
    return np.cos(x) * (t - midnight).total_seconds() / 3600


def of_dates(t, x):
    day = t.date()
    return x * x * (day - dt.date(day.year, 1, 1)).days


def of_quotients(t, x):
    return np.exp(x * ((t - datetime(2000, 1, 1, 12)) / timedelta(days=1)) / 36525.0)


def of_zones(t, x):
    there = t if t.tzinfo is None else t.astimezone(dt.UTC)
    return x**2 * (there.hour + there.minute / 60.0)


def in_a_loop(t, x):
    total = 0.0
    for k in range(3):
        total += x**k * (t + k * timedelta(days=40)).month
    return total


def as_a_bound(t, x):
    while t < datetime(2021, 6, 3):
        x = np.sin(x)
        t += timedelta(hours=8)
    return x


def in_one_arm(t, x):
    if t > datetime(2021, 1, 1):
        x = x * t.hour
    return x**2


def without_the_method(t, x):
    try:
        return x * t.astype("datetime64[ns]")
    except AttributeError:
        return x * x * t.day


def in_a_helper(t, x):
    return day_of_year(t, x) * day_of_year(t + timedelta(days=30), x)


@pytest.mark.parametrize(
    "f",
    [
        day_of_year, of_seconds, of_dates, of_quotients, of_zones, in_a_loop,
        as_a_bound, in_one_arm, without_the_method, in_a_helper,
    ],
)  # fmt: skip
def test_right(f):
    assert ya.gradcheck(f, NOON, 0.7)
    x = 0.7
    by_hand = (f(NOON, x + 1e-6) - f(NOON, x - 1e-6)) / 2e-6
    assert ya.grad(f, NOON, x)[1]["x"] == pytest.approx(by_hand, rel=1e-7)


def test_with_a_zone():
    there = NOON.replace(tzinfo=dt.timezone(timedelta(hours=2)))
    assert ya.gradcheck(of_zones, there, 0.7)


def test_the_text_of_what_surely_raises_is_that_of_its_handler():
    text = ya.simplegrad(without_the_method, NOON, 0.7).source
    assert "val = x * x * t.day" in text
    assert "try" not in text


def made_of_a_number(t, x):
    return (t + timedelta(hours=x)).hour * x


def test_a_time_made_of_a_number_is_refused_for_it_is_rounded():
    with pytest.raises(ya.UnsupportedCall, match="`timedelta` has no rule"):
        ya.grad(made_of_a_number, NOON, 0.7)


def stretched(t, x):
    return (timedelta(hours=1) * x).total_seconds()


def divided(t, x):
    return (x * timedelta(hours=3)) / timedelta(hours=1)


def moved(t, x):
    return x * (t + timedelta(days=1) / x - t).total_seconds()


@pytest.mark.parametrize("f", [stretched, divided, moved])
def test_a_time_that_a_float_goes_into_is_refused(f):
    """Its derivative was 0 without a word."""
    with pytest.raises(ya.UnsupportedCall, match="a time is made from a float"):
        ya.grad(f, NOON, 0.7)


def of_no_attribute(t, x):
    return x * t.hours


def test_a_wrong_name_raises_as_python_does():
    with pytest.raises(AttributeError) as expected:
        of_no_attribute(NOON, 0.7)
    with pytest.raises(AttributeError) as found:
        ya.grad(of_no_attribute, NOON, 0.7)
    assert str(found.value) == str(expected.value)
