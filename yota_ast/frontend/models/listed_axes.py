"""Transforms of `scipy.fft` along axes, and of lengths, that are given by one number.

>>> from scipy import fft
>>> from yota_ast.ir.atoms import Const, fact_of_atom
>>> x = Const(8.0)
>>> args, named = with_listed_axes(fft.fftn, (x, Const(4)), [("axes", x)], fact_of_atom)
>>> args[1].items[0].value, named[0][1].value
(4, 8.0)
>>> with_listed_axes(fft.fft, (Const(8.0), Const(4)), [], fact_of_atom) is None
True
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

from yota_ast.frontend.heap.lowered_values import TupleValue, Value
from yota_ast.ir.abstract_values import Fact

_LISTED: Final = {1: "s", 2: "axes"}
"""The places of what may be one number, and what they are called."""


def with_listed_axes(
    fn: Any,
    args: Sequence[Value],
    kwargs: Sequence[tuple[str, Value]],
    fact: Callable[[Value], Fact],
) -> tuple[list[Value], list[tuple[str, Value]]] | None:
    """The arguments with tuples for whole numbers, which NumPy's transforms take; None
    where there are none."""
    library = getattr(fn, "__module__", None) or ""
    if not library.startswith("scipy.fft") or not _has_listed(fn):
        return None

    def listed(name: str | None, value: Value) -> Value:
        whole = name in _LISTED.values() and fact(value).kind == "int"
        return TupleValue((value,)) if whole else value

    placed = [listed(_LISTED.get(k), v) for k, v in enumerate(args)]
    named = [(k, listed(k, v)) for k, v in kwargs]
    if placed == [*args] and named == [*kwargs]:
        return None
    return placed, named


def _has_listed(fn: Any) -> bool:
    """Whether a function of `scipy.fft` takes lengths and axes, in these places."""
    try:
        names = tuple(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return False
    return all(names[place : place + 1] == (name,) for place, name in _LISTED.items())
