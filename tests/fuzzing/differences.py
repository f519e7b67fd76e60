"""A function, arguments and a direction -> its slope, and how certain that is.

As `gradcheck` finds it: the complex step where complex numbers go through the function
and differences bear it out, else differences. There is none at a kink, at a jump, and
where the function ends.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.adjoint.checking import inner, mapped, moved, pairs
from yota_ast.tools.gradcheck import difference_slopes
from yota_ast.tools.gradcheck.difference_slopes import NONE, Slope

FIRST = 4e-3
TINY = 1e-30
SHORT = 1e-6


def line(
    fn: Callable[..., Any], args: Sequence[Any], v: Sequence[Any], dy: Any
) -> Callable[[float], float]:
    """<dy, fn(args + step * v)> of a step; nan where there is no value."""

    def at(step: float) -> float:
        given = [moved(x, d, step) for x, d in zip(args, v, strict=True)]
        try:
            return inner(dy, fn(*copy.deepcopy(given)))
        except (ArithmeticError, ValueError, TypeError, IndexError):
            return math.nan

    return at


def slope(
    fn: Callable[..., Any], args: Sequence[Any], v: Sequence[Any], dy: Any,
    *, holomorphic: bool,
) -> Slope:  # fmt: skip
    """<dy, J v> at args."""

    found = difference_slopes.slope(line(fn, args, v, dy), FIRST)
    if found.kink is not None or found.jumps or found.sides != "both":
        return NONE
    if holomorphic and math.isfinite(found.value):
        exact = complex_step(fn, args, v, dy)
        if exact is not None and abs(exact - found.value) <= 10 * found.error + 1e-9:
            return Slope(exact, 1e-13 * abs(exact))
    return found


def is_closer(at: Callable[[float], float], one: float, other: float) -> bool:
    """Whether a difference over a short step agrees with one slope, and not with
    another, which wide steps have across a kink that is near: max of almost the same."""
    near = (at(SHORT) - at(-SHORT)) / (2 * SHORT)
    noise = 5 * float(np.finfo(float).eps) * max(abs(at(0.0)), 1e-3) / SHORT
    return abs(one - near) <= noise < abs(other - near)


def complex_step(
    fn: Callable[..., Any], args: Sequence[Any], v: Sequence[Any], dy: Any
) -> float | None:
    """The slope by a step along the imaginary axis; None where that is impossible."""
    given = [
        mapped(lambda x, d: x + 1j * TINY * d, x, d)
        for x, d in zip(args, v, strict=True)
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = fn(*given)
            parts = [np.sum(np.imag(x) * y) / TINY for x, y in pairs(value, dy)]
    except Exception:
        return None
    total = math.fsum(map(float, parts))
    return total if math.isfinite(total) else None
