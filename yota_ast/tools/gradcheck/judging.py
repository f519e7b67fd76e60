"""A slope by the gradient, and the same by differences -> whether they agree.

>>> found = Slope(2.0, 1e-12)
>>> judged(2.0 + 1e-11, found, 2.0, 1e-6).verdict
'agrees'
>>> judged(2.002, found, 2.0, 1e-6).verdict
'differs'
>>> judged(0.0, Slope(0.0, 1e-9, kink=(-1.0, 1.0)), 0.0, 1e-6).verdict
'kink'
>>> judged(2.0, Slope(2.0, 0.1), 2.0, 1e-6).verdict
'undecided'
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.tools.gradcheck.difference_slopes import CORNER, STILL, Kink, Slope

Verdict = Literal["agrees", "differs", "kink", "undecided", "no derivative"]
ROUGH: Final = 3e-4
"""Of the slope's size: with a greater error of 4 sigma, 0.1 % would go unseen."""
DIGITS: Final = 16.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What has come of comparing two slopes."""

    verdict: Verdict
    digits: float
    why: str = ""


def judged(got: float, found: Slope, size: float, tolerance: float) -> Judgement:
    """Compare the slope that the gradient gives with the one found.

    size: the sum of what the gradient's slope is made of, signs apart. tolerance: the
    part of the size by which they may differ.
    """
    if not math.isfinite(got):
        none = not found.error <= 0.1 * abs(found.value) or found.kink is not None
        why = "the gradient is not finite"
        return Judgement("undecided" if none else "differs", 0.0, why)
    if found.kink is not None:
        return _at_kink(got, found.kink, size, tolerance)
    if max(abs(got), abs(found.value)) <= found.still:  # what is left of cancelling
        return Judgement("agrees", DIGITS)
    if not math.isfinite(found.value) or not math.isfinite(found.error):
        rough = math.isfinite(found.value)
        why = "differences are too rough here" if rough else "f gives no numbers nearby"
        why = "f jumps here" if found.jumps else why
        return Judgement("undecided", 0.0, why)
    size, apart = max(size, abs(found.value)), abs(got - found.value)
    digits = agreeing(max(apart, found.error), size)
    if apart > tolerance * size + 4 * found.error:
        return Judgement("differs", agreeing(apart, size))
    if 4 * found.error > ROUGH * size and found.error > STILL * found.reach:
        return Judgement("undecided", digits, "differences are too rough here")
    return Judgement("agrees", DIGITS if size <= STILL * found.reach else digits)


def _at_kink(
    got: float, kink: tuple[float, float], size: float, tolerance: float
) -> Judgement:
    low, high = sorted(kink)
    if not math.isfinite(high - low):
        return Judgement("undecided", 0.0, "the slope of f grows without end")
    margin = tolerance * max(size, abs(low), abs(high))
    if low - margin <= got <= high + margin:
        return Judgement("kink", 0.0)
    why = f"a kink, and not between {low:.4g} and {high:.4g}"
    return Judgement("undecided", 0.0, why)


def along(kink: Kink, factor: float) -> Kink:
    """A kink where the step is another: backwards, its sides change places."""
    left, right = (factor * side for side in kink)
    return (left, right) if factor > 0 else (right, left)


def add_up(whole: Slope, parts: Sequence[Kink], smooth: float) -> bool:
    """Whether a kink is nothing but others one beside the other, and a slope."""
    if whole.kink is None:
        return False
    sums = [sum(sides) + smooth for sides in zip(*parts, strict=True)]
    size = abs(smooth) + sum(abs(side) for kink in parts for side in kink)
    pairs = zip(whole.kink, sums, strict=True)
    return all(abs(a - b) <= CORNER * size for a, b in pairs)


def agreeing(apart: float, size: float) -> float:
    """To how many digits two numbers of a size agree that are so far apart."""
    if apart == 0.0 or size == 0.0:
        return DIGITS if apart == 0.0 else 0.0
    return min(max(-math.log10(apart / size), 0.0), DIGITS)
