"""Numbers of derivatives -> whether they are the right ones.

The slopes that they are held against are those that `gradcheck` finds, with the errors
that it states; where it is certain of none, near a jump, that over a short step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from yota_ast.tools.gradcheck import difference_slopes

from ..rules.check import inner, leaves
from .case import Case, Values

FIRST, SHORT, WIDE = 4e-3, 1e-6, 1e-2
CERTAIN = 1e-4
"""Of a slope: an error up to which it is told from others."""
SINGLE = ("float32", "complex64", "astype", "csingle", "'f4'", "single")


def part(case: Case, of_doubles: float) -> float:
    """How far off a number may be, as a part of its terms: of few digits more."""
    few = case.rough or any(text in case.name for text in SINGLE)
    return 2e-3 if few else of_doubles


def size(d: Any, v: Any) -> float:
    """How large the terms of <d, v> are."""
    pairs = zip(leaves(d), leaves(v), strict=True)
    return math.fsum(float(np.nansum(np.abs(np.multiply(p, q)))) for p, q in pairs)


def sizes(d: Values, v: Values) -> float:
    """How large they are over all arguments."""
    return math.fsum(size(d[name], v[name]) for name in v)


def dot(d: Values, v: Values) -> float:
    """<d, v> over all arguments."""
    return math.fsum(inner(d[name], v[name]) for name in v)


def hold(got: float, expected: float, scale: float, of_terms: float) -> None:
    """Raise where a number is not the expected one."""
    right = abs(got - expected) <= of_terms * max(abs(expected), scale, 1e-4)
    assert right, f"{got}, not {expected}"


def hold_slope(
    case: Case, got: float, at: Callable[[float], float], scale: float
) -> None:
    """Raise where a number is not the slope of a function at 0."""
    found = difference_slopes.slope(at, FIRST)
    bound = CERTAIN * max(abs(found.value), 1e-2 * scale, 1e-4)
    if found.kink is None and not found.jumps and found.error <= bound:
        allowed = 20 * found.error + part(case, 1e-6) * max(
            scale, abs(found.value), 1e-4
        )
        assert abs(got - found.value) <= allowed, f"{got}, not {found.value}"
        return
    h = WIDE if part(case, 0.0) else SHORT
    expected = _short_slope(at, h)
    hold(got, expected, scale, max(part(case, 0.0), 1e-4))


def _short_slope(at: Callable[[float], float], h: float) -> float:
    """The slope over a short step, or over the half of it without a jump: rounding may
    turn the sign of an eigenvector on one side of 0."""
    here = at(0.0)
    sides = ((here - at(-h)) / h, (at(h) - here) / h)
    if abs(sides[1] - sides[0]) > 10 * min(map(abs, sides)):
        return min(sides, key=abs)
    return sum(sides) / 2


def of_the_kind(d: Any, x: Any) -> None:
    """A gradient is built as its argument."""
    for p, q in zip(leaves(d), leaves(x), strict=True):
        assert np.shape(p) == np.shape(q), f"{np.shape(p)}, not {np.shape(q)}"
        assert np.result_type(p) == np.result_type(q), f"{p!r} of {q!r}"


def agree(case: Case, found: Values, expected: Values) -> None:
    """Two gradients are of one shape, and the same but for rounding."""
    for name in case.asked:
        for p, q in zip(leaves(found[name]), leaves(expected[name]), strict=True):
            assert np.shape(p) == np.shape(q), f"{name}: {p!r}, not {q!r}"
            single = any(np.result_type(d) in ("f4", "c8") for d in (p, q))
            of_terms = 1e-3 if single else part(case, 1e-8)
            scale = float(np.max(np.abs(q), initial=0.0, where=np.isfinite(q)))
            right = np.allclose(
                p, q, rtol=of_terms, atol=of_terms * scale, equal_nan=True
            )
            assert right, f"{name}: {p}, not {q}"
