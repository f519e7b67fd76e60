"""A case -> whether its derivatives of first and of second order are right.

Each function raises AssertionError where something promised is broken, and what the
package raises where it refuses.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

import yota_ast as ya

from ..adjoint.checking import same_bits
from ..rules.check import added, inner, random_like, turned
from .case import Case, Fn, Values, still
from .comparing import dot, hold, hold_slope, of_the_kind, part, size, sizes


def gradient(fn: Fn, case: Case, args: list[Any], **options: Any) -> tuple[Any, Values]:
    """The value and the gradient by name, by `grad`."""
    value, g = ya.grad(fn, *copy.deepcopy(args), wrt=list(case.asked), **options)
    return value, {name: g[name] for name in case.asked}


def seed(value: Any) -> Any:
    """A cotangent of a value."""
    return random_like(value, np.random.default_rng(1))


def _same(value: Any, expected: Any) -> None:
    assert same_bits(value, expected), f"the value is {value!r}, not {expected!r}"


# ---------------------------------------------------------------- first order


def reverse(case: Case) -> None:
    """The gradient against differences, an argument at a time."""
    dy = seed(case.value)
    value, found = gradient(case.fn, case, case.args, seed=dy)
    _same(value, case.value)
    for name, v in case.direction(2).items():
        of_the_kind(found[name], case.values[name])
        moving = {**still(case), name: v}
        hold_slope(
            case, inner(found[name], v), _line(case, moving, dy), size(found[name], v)
        )


def _line(case: Case, v: Values, dy: Any) -> Any:
    """<dy, fn> along a direction. LAPACK gives a vector or its negative: here the one
    that points as at the start."""

    def at(step: float) -> float:
        moved = [added(x, v[k], step) for k, x in case.values.items()]
        try:
            return inner(dy, turned(case.fn(*copy.deepcopy(moved)), case.value))
        except (ArithmeticError, ValueError, AssertionError):
            return math.nan

    return at


def forward(case: Case) -> None:
    """<J v, u> = <v, J^T u>, along all arguments at once."""
    dy, v = seed(case.value), case.direction(3)
    along = [v.get(name) for name in case.values]
    value, change = ya.jvp(case.fn)(*case.args, *copy.deepcopy(along))
    _same(value, case.value)
    _, found = gradient(case.fn, case, case.args, seed=dy)
    hold(inner(dy, change), dot(found, v), sizes(found, v), part(case, 1e-7))


# ---------------------------------------------------------------- second order


def second(case: Case) -> None:
    """`hvp` against differences of the gradient, and <H v, u> = <v, H u>."""
    plain = [k for k in case.asked if not isinstance(case.values[k], list | tuple)]
    us, vs = case.direction(4), case.direction(5)
    for name in plain:
        x, u, v = case.values[name], us[name], vs[name]
        rest = [y for k, y in case.values.items() if k != name]
        product = ya.hvp(case.total_in(name))
        along, across = (
            product(*copy.deepcopy([x, w, *rest]), *case.weights.values())
            for w in (v, u)
        )
        of_the_kind(along, x)
        got, scale = inner(along, u), size(along, u) + size(across, v)
        hold(got, inner(across, v), scale, part(case, 1e-7))
        hold_slope(case, got, _of_gradient(case, {name: v}, {name: u}), scale)


def _of_gradient(case: Case, v: Values, u: Values) -> Any:
    """<gradient of total, u> along a direction."""
    weights = case.weights.values()
    slope = ya.simplegrad(case.total, *case.args, *weights, wrt=list(case.asked))

    def at(step: float) -> float:
        moved = [added(x, v[k], step) if k in v else x for k, x in case.values.items()]
        try:
            _, *found = slope(*copy.deepcopy(moved), *weights)
        except (ArithmeticError, ValueError):
            return math.nan
        return dot(dict(zip(case.asked, found, strict=True)), u)

    return at


def nested(case: Case) -> None:
    """The gradient of <gradient of total, u>, which a transform within computes."""
    u, v = case.direction(4), case.direction(5)
    args = [*case.args, *case.weights.values(), *case.along(u).values()]
    expected = case.slope(*copy.deepcopy(args))
    value, found = gradient(case.slope, case, args)
    _same(value, expected)
    at = _of_gradient(case, u, v)
    hold_slope(case, dot(found, v), at, sizes(found, v))
