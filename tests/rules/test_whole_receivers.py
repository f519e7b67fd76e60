"""Floats that go into arrays of the caller's that hold whole numbers, bools or objects.

An array of whole numbers cuts off what makes the number move: its slope is 0, in code
for an example and in general code. An array of objects keeps it.
"""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def inserted(v, a):
    return np.sum(np.insert(a, 1, v) * 2.0)


def inserted_along(v, a):
    return np.sum(np.insert(np.stack((a, a)), [0, 1], v, axis=1) * 2.0)


def appended(v, a):
    return np.sum(np.append(a, v) * 2.0)


def padded(v, a):
    return np.sum(np.pad(a, 1, constant_values=v) * 2.0)


def padded_ramp(v, a):
    return np.sum(np.pad(a, 1, "linear_ramp", end_values=v) * 2.0)


def counted(v, a):
    return np.sum(np.arange(v, 5.5, dtype=a.dtype) * 2.0)


def counted_by(v, a):
    return np.sum(np.arange(0.0, 5 * v, v, dtype=a.dtype) * 2.0)


def started_sum(v, a):
    return np.sum(a, initial=v) * 2.0


def started_sum_of_ufunc(v, a):
    return np.add.reduce(a, initial=v) * 2.0


def started_maximum(v, a):
    return np.max(a, initial=v) * 2.0


def filled(v, a):
    return np.sum(np.full_like(a, v) * 2.0)


def filled_of_type(v, a):
    return np.sum(np.full(3, v, a.dtype) * 2.0)


def converted(v, a):
    return np.sum(np.array([v, 1.0], a.dtype) * 2.0)


def cast(v, a):
    return np.sum((v * np.ones(2)).astype(a.dtype) * 2.0)


def joined(v, a):
    parts = (a, v * np.ones(2))
    return np.sum(np.concatenate(parts, dtype=a.dtype, casting="unsafe") * 2.0)


def put(v, a):
    b = a.copy()
    np.put(b, 1, v)
    return np.sum(b * 2.0)


def placed(v, a):
    b = a.copy()
    np.place(b, b > 0, v)
    return np.sum(b * 2.0)


def stored(v, a):
    b = a.copy()
    b[1] = v
    return np.sum(b * 2.0)


def chosen(v, a):
    return np.sum(np.choose(np.array([0, 1]), [a, v]) * 2.0)


PROGRAMS = [
    inserted, inserted_along, appended, padded, padded_ramp, counted, counted_by,
    started_sum, started_sum_of_ufunc, started_maximum, filled, filled_of_type,
    converted, cast, joined, put, placed, stored, chosen,
]  # fmt: skip
RECEIVERS = [
    np.array([1, 2]),
    np.array([1, 2], np.uint8),
    np.array([True, False]),
    np.array([1.0, 2.0]),
    np.array([1.0, 2.0], np.float32),
    np.array([1, 2.5], object),
]
AT = 3.3


@pytest.mark.parametrize("a", RECEIVERS, ids=lambda a: str(a.dtype))
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_slope_is_that_of_what_is_kept(f, a):
    try:
        expected = (f(AT + 1e-3, a) - f(AT - 1e-3, a)) / 2e-3
    except TypeError as why:
        pytest.skip(str(why))  # NumPy casts no float to it
    general = ya.simplegrad(f, wrt=["v"]).fn
    for derivative in (
        lambda: ya.grad(f, AT, a, wrt=["v"])[1]["v"],
        lambda: general(AT, a)[1],
        lambda: ya.jvp(f)(AT, a, 1.0, None)[1],
    ):
        try:
            got = derivative()
        except (ya.YotaError, ValueError) as why:
            assert a.dtype.kind not in "f", why  # noqa: PT017  refused
            continue
        assert got == pytest.approx(float(expected), rel=1e-3, abs=1e-3)


def test_floats_need_no_word():
    for f in (inserted, padded, started_maximum):
        assert "held(" not in ya.simplegrad(f, AT, np.array([1.0, 2.0])).source
        assert "held(" in ya.simplegrad(f).source
