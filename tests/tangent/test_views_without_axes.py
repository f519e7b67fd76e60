"""Tangents of views that have no axes, `x[..., 1]` of a vector: they are no numbers,
and change where the array is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import yota_ast as ya

X, D = np.arange(1.0, 6.0), np.array([0.3, -0.2, 0.5, 0.7, 0.1])


def polar(x: Any) -> Any:
    x = np.asarray(x).copy()
    c, h = x[..., 1], x[..., 2]
    x[..., 1], x[..., 2] = c * np.cos(h), c * np.sin(h)
    return x


def from_args(*args: Any) -> Any:
    return polar(args[0])


def squeezed(x: Any) -> Any:
    x = x.copy()
    y = np.squeeze(x[1:2])
    x[1] = x[2] * 2
    return y * x


def carried(x: Any) -> Any:
    x = x.copy()
    y = x[..., 0]
    for i in range(2):
        x[i] = x[i + 1] * y
        y = x[..., i + 1]
        x[i + 1] = x[i + 2] * 3.0
    return y * x


def turned_complex(x: Any) -> Any:
    z = x.copy() + 0j
    c = z[..., 1]
    t = c * c
    z[..., 1] = t * 1j
    z[..., 2] = c * c
    return np.abs(z)


def held_in_a_list(x: Any) -> Any:
    x = x * 1.0
    views = [x[..., 1], x[..., 2]]
    x[1] = x[2] ** 2
    return views[0] * x


def written_through(x: Any) -> Any:
    x = x * 1.0
    c = x[..., 1]
    c *= x[0]
    c[...] = c * c
    return x * 1.0


@pytest.mark.parametrize(
    "f",
    [
        polar, from_args, squeezed, carried, turned_complex, held_in_a_list,
        written_through,
    ],
)  # fmt: skip
def test_the_tangent(f: Any) -> None:
    value, tangent = ya.jvp(f)(X, D)
    slope = (f(X + 1e-6 * D) - f(X - 1e-6 * D)) / 2e-6
    np.testing.assert_array_equal(value, f(X))
    np.testing.assert_allclose(tangent, slope, rtol=1e-6)
