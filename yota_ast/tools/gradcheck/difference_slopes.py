"""A function of one number -> its slope at 0, and how far off that may be.

By central differences over falling steps, extrapolated to the step 0 (Ridders): the
error is what neighbouring extrapolations differ by, and what rounding adds. Where the
slope from the left is another than that from the right, both are told; where the
function ends at 0, the slope is that of the side where it is defined.

>>> import math
>>> found = slope(math.exp)
>>> abs(found.value - 1) <= found.error < 1e-9
True
>>> corner = slope(abs).kink
>>> round(corner[0], 6), round(corner[1], 6)
(-1.0, 1.0)
>>> slope(lambda t: t**1.5 if t >= 0 else math.nan).sides
'right'
>>> jump = slope(lambda t: t + math.floor(t))
>>> round(jump.value, 9), jump.sides, jump.jumps
(1.0, 'right', True)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass, replace

Function = Callable[[float], float]
Kink = tuple[float, float]
"""The slopes from the left and from the right."""
FIRST: Final = 0.05
SHRINK: Final = 2.5
STEPS: Final = 14
ENOUGH: Final = 1e-11
"""Of the slope's size: an error with which no further step is taken."""
ROUNDING: Final = 4e-16
RESIDUE: Final = 64 * 2.2e-16
"""Of the values: what may be left of slopes that cancel."""
GRAINS: Final = 9
"""Of how many neighbouring values it is judged how much they scatter."""
WILD: Final = 0.05
"""Of all that its values differ by: a function that scatters by more has no slope."""
STILL: Final = 1e-9
"""Of the values: a slope below it is none."""
CORNER: Final = 1e-4
"""One-sided slopes that differ by more than this part of their size make a kink."""


@dataclass(frozen=True, slots=True)
class Slope:
    """A slope. error: how far off it may be; infinite where there is none.

    kink: the slopes from the left and from the right, where they differ. sides: where
    the function goes on from its value at 0. jumps: it goes on from another elsewhere.
    reach: how large its values are. still: a slope up to which it may be rounding.
    """

    value: float
    error: float
    kink: Kink | None = None
    sides: Literal["both", "left", "right"] = "both"
    jumps: bool = False
    reach: float = 0.0
    still: float = 0.0


NONE: Final = Slope(math.nan, math.inf)


def slope(f: Function, first: float = FIRST) -> Slope:
    """The slope of a function at 0; it may give nan where it is not defined."""
    base = f(0.0)
    if not math.isfinite(base):
        return NONE
    steps = [first / SHRINK**k for k in range(STEPS)]
    near = steps[-1]
    left, right = math.isfinite(f(-near)), math.isfinite(f(near))
    grain = _scatter(f, steps)
    jumps = _jumps(f, base, -near, grain), _jumps(f, base, near, grain)
    ends = (v for v in (base, f(first), f(-first)) if math.isfinite(v))
    reach = max(map(abs, ends))
    sides = left and not jumps[0], right and not jumps[1]
    found = _slope(f, base, steps, sides, grain)
    if all(sides):
        still = max(STILL * reach, 8 * grain / steps[-1])
        found = replace(found, kink=_corner(f, base, steps, still))
    rounding = RESIDUE * reach
    spread = max(abs(v - base) for v in (f(first), f(-first), base) if math.isfinite(v))
    if spread < 8 * grain:  # nothing is seen but that there is hardly a slope
        rounding += 8 * grain / first
        found = Slope(0.0, math.inf, sides=found.sides)
    elif grain > max(WILD * spread, 1e-6 * reach):
        found = replace(found, error=math.inf, kink=None)
    return replace(found, jumps=any(jumps), reach=reach, still=rounding)


def _slope(
    f: Function, base: float, steps: Sequence[float], sides: tuple[bool, bool],
    grain: float,
) -> Slope:  # fmt: skip
    if not any(sides):
        return NONE
    if not all(sides):
        side = -1.0 if sides[0] else 1.0
        found = _from_one_side(f, base, side, steps)
        return replace(found, sides="left" if sides[0] else "right")
    return _extrapolated(
        lambda h: (f(h) - f(-h)) / (2 * h), steps,
        lambda h: _noise(f, base, h) + grain / h, 2,
    )  # fmt: skip


def _scatter(f: Function, steps: Sequence[float]) -> float:
    """How much the values of a function scatter: however near each other they are,
    unlike those of one that swings; where they are all the same they tell nothing."""
    coarse, fine = _grain(f, steps[len(steps) // 2]), _grain(f, steps[-1])
    return fine if 0 < fine < coarse / 8 else coarse


def _grain(f: Function, spacing: float) -> float:
    """How much the values of a function scatter about a smooth one, as those do that
    were rounded to single precision within: by differences of fifth order, on the side
    where there is no kink."""
    sides = []
    for side in (spacing, -spacing):
        values = [f(k * side) for k in range(GRAINS)]
        for _ in range(5):
            values = [b - a for a, b in itertools.pairwise(values)]
        # The sum of the squares of the binomial coefficients of order 5 is 252.
        sides.append(max(map(abs, values)) / math.sqrt(252))
    return min(sides) if all(map(math.isfinite, sides)) else 0.0


def _jumps(f: Function, base: float, near: float, grain: float) -> bool:
    """Whether the value is another however near, by more than values scatter."""
    far = [abs(f(step) - base) for step in (near, near / 8, near / 64)]
    least = max(64 * ROUNDING * abs(base), 8 * grain)
    return far[2] > 0.9 * far[0] and far[1] > 0.9 * far[0] > least


def _noise(f: Function, base: float, h: float) -> float:
    return ROUNDING * max(abs(base), abs(f(h) - base)) / h


def _from_one_side(
    f: Function, base: float, side: float, steps: Sequence[float]
) -> Slope:
    """The slope from the left (-1) or from the right (+1)."""

    def difference(h: float) -> float:
        return side * (f(side * h) - base) / h

    def noise(h: float) -> float:
        return 2 * ROUNDING * abs(base) / h

    found = _extrapolated(difference, steps, noise, 1)
    quotients = [difference(h) for h in steps]
    others = _accelerated(quotients, steps, noise)
    # Powers of the step that are hardly more than 1 approach their limit slowly.
    return _nearby([found, *others], quotients[-2:], 12, noise(steps[-1]))


def _accelerated(
    quotients: Sequence[float], steps: Sequence[float], noise: Function
) -> Iterator[Slope]:
    """Limits of quotients that approach it by a power of the step, as of t**1.5 at 0,
    whichever it is (Aitken)."""
    before = math.nan
    for k in range(2, len(quotients)):
        one, two = quotients[k - 1] - quotients[k - 2], quotients[k] - quotients[k - 1]
        if not abs(two) < 0.95 * abs(one):
            before = math.nan
            continue
        limit = quotients[k] - two * two / (two - one)
        apart = abs(limit - before)
        if math.isfinite(apart):
            yield Slope(limit, apart + 8 * noise(steps[k]))
        before = limit


def _extrapolated(
    difference: Function, steps: Sequence[float], noise: Function, order: int
) -> Slope:
    """The limit of difference quotients, whose error begins with step**order."""
    found, previous = list[Slope](), list[float]()
    nearest: Sequence[float] = ()
    for h in steps:
        quotient = difference(h)
        if not math.isfinite(quotient):
            previous = []
            continue
        nearest = (*nearest[-1:], quotient)
        row, factor, rounding = [quotient], SHRINK**order, 4 * noise(h)
        for k, before in enumerate(previous):
            row.append(row[k] + (row[k] - before) / (factor - 1))
            factor *= SHRINK**order
            apart = max(abs(row[k + 1] - row[k]), abs(row[k + 1] - before))
            if math.isfinite(apart + rounding):
                found.append(Slope(row[k + 1], apart + rounding))
        previous = row
        if any(s.error <= ENOUGH * abs(s.value) for s in found[-len(row) :]):
            break
    return _nearby(found, nearest, 2, noise(h))


def _nearby(
    found: Sequence[Slope], nearest: Sequence[float], most: float, noise: float
) -> Slope:
    """The best of some limits of quotients. Those of large steps may agree by chance,
    as where the function swings faster: a limit is not much further from the last two
    quotients than these are from another."""
    if len(nearest) < 2:
        return min(found, key=lambda s: s.error, default=NONE)
    gap = most * abs(nearest[1] - nearest[0]) + 4 * noise
    near = [s for s in found if not abs(s.value - nearest[1]) > gap + s.error]
    return min(near, key=lambda s: s.error, default=NONE)


def _corner(
    f: Function, base: float, steps: Sequence[float], still: float
) -> Kink | None:
    """The slopes from the left and from the right, where they stay apart by more than
    what counts as none."""
    h = steps[-1]
    apart = abs(f(h) + f(-h) - 2 * base) / h
    size = max(abs(f(h) - base), abs(f(-h) - base)) / h
    if not apart > max(CORNER * size + 8 * ROUNDING * abs(base) / h, still):
        return None
    left = _from_one_side(f, base, -1.0, steps)
    right = _from_one_side(f, base, 1.0, steps)
    doubt = left.error + right.error
    gap = abs(right.value - left.value)
    size = max(abs(left.value), abs(right.value))
    if gap > max(CORNER * size, 4 * doubt, still):
        return left.value, right.value
    # Slopes that grow without end, as those of a root at 0.
    steep = [abs(f(s) + f(-s) - 2 * base) / s for s in steps[-3:]]
    if steep[0] < steep[1] < steep[2]:
        return -math.inf, math.inf
    return None
