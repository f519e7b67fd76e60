"""A random program -> whether `jvp` gives its value and its tangent.

<J v, u> = <v, J^T u> along random directions in all arguments at once; the tangent is
built like the value, tangents that are given stay as they are, an argument that is held
fixed by None is, and `jvp` over one variable within another sees its own alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import inner, is_float, same_bits

from ..program import Drawn
from ..trial import Outcome, WrongError, outcome_of, passes
from .first import First, first, is_off, size


def try_jvp(drawn: Drawn, number: int) -> Outcome:
    """Run all checks of forward mode."""
    return outcome_of(drawn, number, _tried)


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    known = first(fn, drawn, number)
    if isinstance(known, Outcome):
        return known
    setting = "none" if number % 4 == 3 else "all"
    every = list(known.gradients)
    with passes(setting):
        _check(fn, known, every, setting)
        if len(every) > 1 and number % 3 == 0:
            _check(fn, known, every[number // 3 % len(every) :][:1], setting)
    return Outcome("right", "", drawn.source)


def _check(
    fn: Callable[..., Any], known: First, moving: list[int], setting: str
) -> None:
    """Hold the tangent along some arguments, the others being fixed."""
    args = known.case.drawn.args
    along = [known.directions[k] if k in moving else None for k in range(len(args))]
    given, kept = copy.deepcopy(list(args)), copy.deepcopy(along)
    value, dvalue = ya.jvp(fn)(*given, *along)

    def wrong(kind: str, what: object) -> WrongError:
        return WrongError(kind, f"{what} [{setting}, along {moving}]")

    if not same_bits(value, known.case.value):
        raise wrong("forward primal", f"{value!r}, not {known.case.value!r}")
    if not same_bits(along, kept):
        raise wrong("tangents changed", f"{along!r}, not {kept!r}")
    if not same_bits(given, list(known.case.after)):
        raise wrong("arguments", f"{given!r}, not {known.case.after!r}")
    if _built(dvalue) != _built(value):
        raise wrong("kind of the tangent", f"{dvalue!r}, of {value!r}")
    parts = [(known.gradients[k], known.directions[k]) for k in moving]
    expected = sum(inner(d, v) for d, v in parts)
    if is_off(inner(dvalue, known.dy), expected, sum(size(d, v) for d, v in parts)):
        found = inner(dvalue, known.dy)
        raise wrong("tangent", f"{found!r}, the gradient says {expected!r}")


def _built(value: Any) -> Any:
    """How a value is built: its containers, and the shapes of its numbers."""
    if isinstance(value, dict):
        return {k: _built(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [_built(v) for v in value]
    return np.shape(value) if is_float(value) else ()
