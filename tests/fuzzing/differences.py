"""A function, arguments and a direction -> its slope, and how certain that is.

The complex step where complex numbers go through the function; else central
differences of falling steps, extrapolated (Ridders), with the error that the table of
extrapolations shows.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.adjoint.checking import inner, mapped, moved, pairs

FIRST, SHRINK, ROWS = 4e-3, 2.0, 5
TINY = 1e-30


@dataclass(frozen=True)
class Slope:
    """A slope; error: how far off it may be. nan where there is none."""

    value: float
    error: float


NONE = Slope(math.nan, math.inf)


def slope(
    fn: Callable[..., Any], args: Sequence[Any], v: Sequence[Any], dy: Any,
    *, holomorphic: bool,
) -> Slope:  # fmt: skip
    """<dy, J v> at args."""

    def at(step: float) -> float:
        given = [moved(x, d, step) for x, d in zip(args, v, strict=True)]
        return inner(dy, fn(*copy.deepcopy(given)))

    found = ridders(at)
    if holomorphic and math.isfinite(found.value):
        exact = complex_step(fn, args, v, dy)
        if exact is not None and abs(exact - found.value) <= 10 * found.error + 1e-9:
            return Slope(exact, 1e-13 * abs(exact))
    return found


def ridders(at: Callable[[float], float]) -> Slope:
    """The slope of a function of one number at 0."""
    try:
        base = at(0.0)
        step, previous = FIRST, []
        best = NONE
        for row in range(ROWS):
            ahead, behind = at(step), at(-step)
            noise = 4e-16 * max(abs(ahead), abs(behind), abs(base)) / step
            table = [(ahead - behind) / (2 * step)]
            factor = SHRINK**2
            for k in range(row):
                table.append(table[k] + (table[k] - previous[k]) / (factor - 1))
                factor *= SHRINK**2
                error = max(abs(table[k + 1] - table[k]),
                            abs(table[k + 1] - previous[k])) + 4 * noise  # fmt: skip
                if error < best.error:
                    best = Slope(table[k + 1], error)
            kink = abs(ahead + behind - 2 * base) / (2 * step)
            previous, step = table, step / SHRINK
    except (ArithmeticError, ValueError, TypeError, IndexError):
        return NONE
    if not math.isfinite(best.value) or _is_kink(kink, step * SHRINK, at, base):
        return NONE
    return best


def _is_kink(
    kink: float, step: float, at: Callable[[float], float], base: float
) -> bool:
    """Whether the two one-sided slopes stay apart as the step shrinks."""
    if kink < 1e-6:
        return False
    near = step / 8
    return abs(at(near) + at(-near) - 2 * base) / (2 * near) > kink / 4


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
            parts = [np.sum(np.imag(x) * y) / TINY for x, y in _pairs(value, dy)]
    except Exception:
        return None
    total = math.fsum(map(float, parts))
    return total if math.isfinite(total) else None


def _pairs(value: Any, dy: Any) -> list[tuple[Any, Any]]:
    return [(x, y) for x, y in pairs(value, dy)]
