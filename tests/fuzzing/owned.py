"""Functions with rules of a user's own, which random programs call.

The module imports NumPy alone, so that emitted files can import it where there is no
compiler; `register` states the rules.

>>> bend(0.0), turned(np.array([1.0, 2.0])).tolist()
(0.0, [2.0, 1.0])
"""

from __future__ import annotations

from typing import Any

import numpy as np


def bend(x: Any) -> Any:
    """A smooth function of numbers and arrays, element by element."""
    return x * np.exp(-x * x)


def bend_slope(x: Any) -> Any:
    """The slope of `bend`, which has a rule of its own."""
    return (1.0 - 2.0 * x * x) * np.exp(-x * x)


def turned(v: Any) -> Any:
    """A view of an array, the last row first."""
    return v[::-1]


def energy(v: Any) -> Any:
    """A number made of an array."""
    return np.sum(v * v * v) + 0.5 * v[0] * v[-1]


def energy_slope(v: Any) -> Any:
    """The gradient of `energy`, which is followed."""
    d = 3.0 * v * v
    d[0] += 0.5 * v[-1]
    d[-1] += 0.5 * v[0]
    return d


def register() -> None:
    """State the rules."""
    import yota_ast as ya

    ya.diffrule("bend(x)", "x", "bend_slope(x) * dy")
    ya.diffrule("bend_slope(x)", "x", "(4.0 * x**3 - 6.0 * x) * np.exp(-x * x) * dy")
    ya.diffrule("turned(v)", "v", "turned(dy)")
    ya.diffrule("energy(v)", "v", "energy_slope(v) * dy")


OF_NUMBERS = ("owned.bend({s})", "owned.energy({v})", "owned.energy({u} * {s})")
OF_ARRAYS = ("owned.bend({e})", "owned.turned({e})", "owned.bend(owned.turned({e}))")
