"""A random program -> whether `hvp` and `hessian` are the slopes of its gradient.

<u, H v> against differences of <u, grad> along v, and against <H u, v>; one Hessian in
so many is asked whole.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import direction, inner, moved
from yota_ast.errors import InternalError
from yota_ast.tools.gradcheck import difference_slopes

from ..differences import FIRST
from ..program import Drawn
from ..trial import Outcome, WrongError, function_of, outcome_of, prepared
from .first import First, first, is_off, refused_by_data, size
from .wrapping import calling, first_argument, total

EVERY = 5
"""Of so many programs one is asked for its whole Hessian."""


def try_hvp(drawn: Drawn, number: int) -> Outcome:
    """Run all checks of second order."""
    return outcome_of(drawn, number, _scalar)


def _scalar(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    """The program of one number, an array or a number in its first place."""
    case = prepared(fn, drawn)
    if case is None or case.error is not None:
        return Outcome("useless", "", drawn.source)
    plain = [k for k in case.asked if isinstance(drawn.args[k], float | np.ndarray)]
    if not plain:
        return Outcome("useless", "", drawn.source)
    at = plain[number % len(plain)]
    if at:
        drawn = first_argument(drawn, at)
    if not isinstance(case.value, float):
        text = f"r = inner({', '.join(drawn.names)})\nreturn {total(case.value, 'r')}"
        drawn = calling(drawn, text.replace("inner", "inner_2"))
        drawn = _renamed(drawn)
    with function_of(drawn.source) as made:
        return _tried(made, drawn, number)


def _renamed(drawn: Drawn) -> Drawn:
    """Two programs that each call `inner`: the outer one calls the inner one."""
    head, mark, tail = drawn.source.rpartition("\n\ndef program(")
    first, _, last = head.rpartition("def inner(")
    source = f"{first}def inner_2({last}{mark}{tail}"
    return Drawn(source, drawn.args, drawn.names, drawn.plain, drawn.holomorphic)


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    known = first(fn, drawn, number)
    if isinstance(known, Outcome):
        return known
    rng = np.random.default_rng(number)
    u, v = direction(drawn.args[0], rng), direction(drawn.args[0], rng)
    x, *rest = copy.deepcopy(drawn.args)
    try:
        along = ya.hvp(fn)(x, v, *rest)
        across = ya.hvp(fn)(*_at(drawn, u))
    except Exception as error:
        return refused_by_data(error, drawn)
    found = _slope(fn, known, u, v)
    got, other = inner(along, u), inner(across, v)
    scale = size(along, u) + size(across, v)
    if math.isfinite(found.error) and found.error <= 1e-4 * max(abs(found.value), 1e-2):
        bound = 20 * found.error + 1e-8 * max(scale, abs(found.value), 0.1)
        if not abs(got - found.value) <= bound:
            what = f"{got!r} for {found.value!r} +- {found.error:.1g}"
            raise WrongError("second", what)
        if is_off(other, got, scale):
            raise WrongError("symmetry", f"{got!r}, and {other!r}")
    if number % EVERY == 0:
        whole = np.asarray(ya.hessian(fn)(*copy.deepcopy(drawn.args)))
        count = np.size(drawn.args[0])
        product = whole.reshape(count, count) @ np.ravel(v)
        if is_off(float(product @ np.ravel(u)), got, scale):
            raise WrongError(
                "hessian", f"{float(product @ np.ravel(u))!r}, not {got!r}"
            )
    certain = math.isfinite(found.error)
    return Outcome("right" if certain else "rough", "", drawn.source)


def _at(drawn: Drawn, v: Any) -> list[Any]:
    x, *rest = copy.deepcopy(drawn.args)
    return [x, v, *rest]


def _slope(fn: Callable[..., Any], known: First, u: Any, v: Any) -> Any:
    """The slope of <u, grad> along v."""
    args = known.case.drawn.args

    def at(step: float) -> float:
        x, *rest = copy.deepcopy(args)
        try:
            _, g = ya.grad(fn, moved(x, v, step), *rest, wrt=[0])
        except InternalError:
            raise
        except Exception:
            return math.nan
        return inner(g[0], u)

    found = difference_slopes.slope(at, FIRST)
    if found.kink is not None or found.jumps or found.sides != "both":
        return difference_slopes.NONE
    return found
