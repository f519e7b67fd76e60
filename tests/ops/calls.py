"""The operations of the tables, called with other arguments than theirs.

A call is one function and its arguments as values; `recast` gives them other types.
"""

from __future__ import annotations

import importlib.util
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply

from ..operations import OPERATIONS, Op
from ..rules.check import call_of

WHOLE, FLOAT, COMPLEX = range(3)


@dataclass(frozen=True)
class Called:
    """A call of the table: `fn(*args, **kwargs)`."""

    text: str
    fn: Any
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]
    constant: tuple[bool, ...]  # whether an argument is written down

    def run(self) -> Any:
        """The result; None where the call does not work."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return self.fn(*self.args, **dict(self.kwargs))
            except Exception:
                return None

    def op(self) -> tuple[Apply, dict[str, Any]]:
        """The call as an op on variables of which nothing is known, and their values;
        what is written down stays so."""
        values: dict[str, Any] = {}

        def atom(name: str, value: Any, *, constant: bool) -> Atom:
            if constant or isinstance(value, str | type | None):
                return Const(value)
            values[name] = value
            return Var(name)

        args = tuple(
            atom(f"a{k}", a, constant=c)
            for k, (a, c) in enumerate(zip(self.args, self.constant, strict=True))
        )
        kwargs = tuple((k, atom(k, v, constant=False)) for k, v in self.kwargs)
        return Apply(Var("y"), self.fn, args, kwargs), values

    def given(self, args: tuple[Any, ...]) -> Called:
        """The same call of other arguments."""
        return replace(self, args=args)


@cache
def all_calls() -> tuple[Called, ...]:
    """Each operation of the tables."""
    found: list[Op] = list(OPERATIONS)
    if importlib.util.find_spec("scipy"):
        from ..rules.scipy_operations import OPERATIONS as OF_SCIPY

        found += OF_SCIPY
    return tuple(_called(op) for op in found)


def _called(op: Op) -> Called:
    call = call_of(op, op.sample())
    args = tuple(call.value_of(a) for a in call.args)
    kwargs = tuple((k, call.value_of(a)) for k, a in call.kwargs)
    constant = tuple(isinstance(a, Const) for a in call.args)
    return Called(op.text, call.fn, args, kwargs, constant)


def by_function() -> dict[str, list[Called]]:
    """The calls of each function, by its name."""
    found: dict[str, list[Called]] = {}
    for call in all_calls():
        found.setdefault(name_of(call.fn), []).append(call)
    return found


def name_of(fn: Any) -> str:
    """A function's module and name."""
    home = getattr(fn, "__module__", None) or ""
    return f"{home}.{getattr(fn, '__qualname__', getattr(fn, '__name__', fn))}"


def to_whole(value: Any) -> Any:
    """A value with its floats and complex numbers exchanged for whole numbers."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return (np.nan_to_num(value.real).clip(-1e3, 1e3) * 3).astype("i8")
    if isinstance(value, float | complex) and np.isfinite(value):
        return int(value.real * 3)
    if type(value) in (list, tuple):
        return type(value)(map(to_whole, value))
    return value


def to_type(value: Any, dtype: str) -> Any:
    """A value with its float arrays and floats exchanged for those of a type."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        part = 0.25j if dtype.startswith("c") else 0
        near = np.nan_to_num(value.real).clip(-1e3, 1e3)
        return (near + part).astype(dtype)
    if isinstance(value, float) and dtype.startswith("c"):
        return complex(value, 0.25)
    if type(value) in (list, tuple):
        return type(value)(to_type(v, dtype) for v in value)
    return value


def of_types(call: Called) -> Iterator[Called]:
    """A call of arguments of other types than the usual ones."""
    for dtype in ("f4", "i4", "u1", "?", "c8", "c16"):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            args = tuple(to_type(a, dtype) for a in call.args)
            yield call.given(args)
            for k, a in enumerate(call.args):
                if holds(to_type(a, dtype)) != holds(a):
                    one = to_type(a, dtype)
                    yield call.given((*call.args[:k], one, *call.args[k + 1 :]))


def recast(call: Called) -> Iterator[Called]:
    """A call as it is, and of whole numbers in place of some of its arguments."""
    places = [k for k, a in enumerate(call.args) if holds(to_whole(a)) != holds(a)]
    for count in range(min(len(places), 3) + 1):
        for chosen in itertools.combinations(places, count):
            args = tuple(
                to_whole(a) if k in chosen else a for k, a in enumerate(call.args)
            )
            yield call.given(args)


def holds(value: Any) -> set[int]:
    """The kinds of numbers that a value is or holds, those of a list as in an array."""
    if isinstance(value, np.ndarray | np.generic):
        kinds = {"b": WHOLE, "i": WHOLE, "u": WHOLE, "f": FLOAT, "c": COMPLEX}
        return {kinds[value.dtype.kind]} if value.dtype.kind in kinds else set()
    if isinstance(value, int | float | complex):
        return {
            WHOLE
            if isinstance(value, int)
            else FLOAT
            if isinstance(value, float)
            else COMPLEX
        }
    if isinstance(value, list | tuple) and value:
        found = set().union(*map(holds, value))
        of_numbers = all(isinstance(v, int | float | complex) for v in value)
        return {max(found)} if of_numbers else found
    return set()
