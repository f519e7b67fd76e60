"""A random program -> whether a function that calls its gradient has one of its own.

The program is called through a transform inside another one, which is then checked as
any program is: the value bit for bit that of the direct call, the gradient against
differences. A slice goes to third order.
"""

from __future__ import annotations

import copy
import re
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import inner, same_bits

from ..differences import is_closer, line
from ..program import Drawn
from ..trial import Outcome, WrongError, function_of, outcome_of, prepared
from .first import first, refused_by_data, size
from .wrapping import calling, total

HEAD = "import yota_ast as ya\n"
TRANSFORMS = (
    "value_and_grad", "value_and_grad", "grad", "jvp", "vjp", "hvp", "within",
)  # fmt: skip
"""`within`: `jvp` of a function made there, which reads the variable that moves too."""


def try_nested(drawn: Drawn, number: int) -> Outcome:
    """Run all checks of a nested transform."""
    return outcome_of(drawn, number, _wrapped)


def _wrapped(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    case = prepared(fn, drawn)
    if case is None or case.error is not None:
        return Outcome("useless", "", drawn.source)
    plain = [k for k in case.asked if isinstance(drawn.args[k], float | np.ndarray)]
    if not plain:
        return Outcome("useless", "", drawn.source)
    known = first(fn, drawn, number)
    if isinstance(known, Outcome):
        return known
    if not isinstance(case.value, float):
        text = f"r = inner({', '.join(drawn.names)})\nreturn {total(case.value, 'r')}"
        drawn = calling(drawn, text)
        source = _renamed(_renamed(drawn.source, "inner", "body"), "program", "inner")
    else:
        source = _renamed(drawn.source, "program", "inner")
    chosen = plain[: 1 + number % 2]
    body = _body(drawn, chosen, TRANSFORMS[number % len(TRANSFORMS)])
    head = f"def program({', '.join(drawn.names)}):\n"
    drawn = Drawn(
        f"{HEAD}{source}\n\n{head}{body}", drawn.args, drawn.names, False, False
    )
    with function_of(drawn.source) as made:
        return _tried(made, drawn, number)


def _renamed(source: str, name: str, new: str) -> str:
    """The source, another name for a function: not for `np.inner`."""
    return re.sub(rf"(?<![\w.]){name}\(", f"{new}(", source)


def _body(drawn: Drawn, chosen: list[int], transform: str) -> str:
    """The lines of a function that calls a transform of `inner`."""
    given, args = ", ".join(drawn.names), drawn.args
    names = [drawn.names[k] for k in chosen]
    moving = [names[0]]
    lines = {
        "value_and_grad": f"val, d = ya.value_and_grad(inner, wrt={names!r})({given})",
        "grad": f"val, d = ya.grad(inner, {given}, wrt={names!r})",
        "vjp": f"val, pull = ya.vjp(inner, wrt={names!r})({given})\n    d = pull(1.0)",
        "jvp": f"val, d = ya.jvp(inner)({given}, {_tangents(drawn, moving)})",
        "within": f"val, d = ya.jvp(lambda t: {_sum(drawn, chosen[0])} * "
        f"inner({given.replace(names[0], 't', 1)}))({names[0]}, {names[0]} * 0.5)",
        "hvp": f"d = ya.hvp(inner)({drawn.names[0]}, {drawn.names[0]} * 0.5, "
        f"{', '.join(drawn.names[1:])})\n    val = 0.0",
    }
    text = f"    {lines[transform]}\n"
    if transform in ("jvp", "within"):
        return f"{text}    return 0.5 * val + np.sin(d)\n"
    if transform == "hvp":
        return f"{text}    return {total(args[0], 'd')} + val\n"
    each = [
        total(args[k], _gradient(transform, k, place if len(chosen) > 1 else None))
        for place, k in enumerate(chosen)
    ]
    return f"{text}    return val + {' + '.join(part for part in each if part)}\n"


def _gradient(transform: str, position: int, place: int | None) -> str:
    """What the gradient of an argument is called."""
    if transform == "grad":
        return f"d[{position}]"
    return "d" if place is None else f"d[{place}]"


def _sum(drawn: Drawn, position: int) -> str:
    """A number made of an argument."""
    return total(drawn.args[position], drawn.names[position])


def _tangents(drawn: Drawn, moving: list[str]) -> str:
    return ", ".join(f"{n} * 0.5" if n in moving else "None" for n in drawn.names)


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    known = first(fn, drawn, number)
    if isinstance(known, Outcome) and known.kind == "raises":
        return _raised(fn, drawn)
    if isinstance(known, Outcome) and known.kind == "untaken":
        try:
            with np.errstate(all="ignore"):
                ya.grad(fn, *copy.deepcopy(drawn.args), seed=None)
        except Exception as error:
            return refused_by_data(error, drawn)
        return Outcome("refused", known.detail, drawn.source)
    if isinstance(known, Outcome):
        return known
    case, rough = known.case, False
    given = copy.deepcopy(drawn.args)
    try:
        value, g = ya.grad(fn, *given, wrt=case.asked, seed=known.dy)
    except Exception as error:
        return refused_by_data(error, drawn)
    if not same_bits(value, case.value):
        raise WrongError("nested primal", f"{value!r}, not {case.value!r}")
    for k, expected in known.slopes.items():
        if not expected.error <= 1e-4 * max(abs(expected.value), 1e-2):
            rough = True
            continue
        got, scale = inner(g[k], known.directions[k]), size(g[k], known.directions[k])
        bound = 20 * expected.error + 1e-8 * max(scale, abs(expected.value), 0.1)
        if not abs(got - expected.value) <= bound:
            v = [
                known.directions[k] if j == k else None for j in range(len(drawn.args))
            ]
            if all(d is not None for d in v) and is_closer(
                line(fn, drawn.args, v, known.dy), got, expected.value
            ):
                rough = True
                continue
            what = (
                f"argument {k}: {got!r} for {expected.value!r} +- {expected.error:.1g}"
            )
            raise WrongError("nested", what)
    return Outcome("rough" if rough else "right", "", drawn.source)


def _raised(fn: Callable[..., Any], drawn: Drawn) -> Outcome:
    """The outcome where the transform within raises, though the function does not."""
    try:
        fn(*copy.deepcopy(drawn.args))
    except Exception as error:
        if not _is_own(error):
            return refused_by_data(error, drawn)
    return Outcome("useless", "", drawn.source)


def _is_own(error: Exception) -> bool:
    """Whether the program raises by itself, as where a list is times a number."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return last.filename.startswith("<random program") and last.name == "program"
