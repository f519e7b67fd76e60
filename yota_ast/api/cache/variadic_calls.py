"""Calls of functions with `*args`, and of wrappers -> the values of all parameters.

>>> def line(slope, *points, shift=0.0, **more):
...     return slope * sum(points) + shift
>>> form = form_of(line, 3, ("scale",))
>>> values = form.values(line, (2.0, 3.0, 4.0), {"scale": 1.0})
>>> values
(2.0, (3.0, 4.0), 0.0, {'scale': 1.0})
>>> parameters_of(line)
('slope', 'points', 'shift', 'more')
>>> Spread.of(line).given(parameters_of(line), 1, values)
((2.0, 3.0, 4.0), {'shift': 0.0, 'scale': 1.0})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.cache.call_forms import Form

_DEEPEST: Final = 8
Named = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Spread:
    """The parameters `*args` and `**kwargs` of a function, by name; "" for none."""

    rest: str
    more: str

    @staticmethod
    def of(f: FunctionType) -> Spread | None:
        """Those of a function; None where it has neither."""
        code = f.__code__
        at = code.co_argcount + code.co_kwonlyargcount
        rest = code.co_varnames[at] if code.co_flags & CO_VARARGS else ""
        more = code.co_flags & CO_VARKEYWORDS
        spread = Spread(rest, code.co_varnames[at + bool(rest)] if more else "")
        return spread if rest or more else None

    def given(
        self, names: Sequence[str], positional: int, values: Sequence[object]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, by position and by name, of the parameters' values.

        positional: how many parameters stand before `*args`.
        """
        named: dict[str, Any] = dict(
            zip(names[positional:], values[positional:], strict=True)
        )
        rest, more = named.pop(self.rest, ()), named.pop(self.more, {})
        return (*values[:positional], *rest), {**named, **more}


@dataclass(frozen=True, slots=True)
class SpreadForm:
    """How the parameters of a function with `*args` are filled by one form of call.

    own: how those are that have a name. count: how many of them stand before `*args`.
    """

    own: Form
    spread: Spread
    count: int
    names: frozenset[str]
    is_plain: bool = False

    def values(
        self, f: FunctionType, args: tuple[object, ...], kwargs: Named
    ) -> tuple[object, ...] | None:
        """The values of the parameters, in the order of the signature."""
        by_name = {k: v for k, v in kwargs.items() if k in self.names}
        found = self.own.values(f, args[: self.count], by_name)
        if found is None:
            return None
        rest = (args[self.count :],) if self.spread.rest else ()
        others = {k: v for k, v in kwargs.items() if k not in self.names}
        more = (others,) if self.spread.more else ()
        return (*found[: self.count], *rest, *found[self.count :], *more)


def form_of(
    f: FunctionType, positional: int, named: Sequence[str]
) -> Form | SpreadForm:
    """Return the form of a call that Python accepts."""
    spread, code = Spread.of(f), f.__code__
    if spread is None:
        return Form.of(f, positional, named)
    count = code.co_argcount
    names = frozenset(
        code.co_varnames[code.co_posonlyargcount : count + code.co_kwonlyargcount]
    )
    own = Form.of(f, min(positional, count), [k for k in named if k in names])
    return SpreadForm(own, spread, count, names)


def parameters_of(f: FunctionType) -> tuple[str, ...]:
    """Return the names of the parameters, in the order of the signature."""
    code, spread = f.__code__, Spread.of(f)
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if spread is None:
        return own
    every = (
        *own[: code.co_argcount], spread.rest, *own[code.co_argcount :], spread.more
    )  # fmt: skip
    return tuple(name for name in every if name)


def are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether values are the same objects, those of `*args` and `**kwargs` within.

    >>> a = object()
    >>> are_same([a, (a,), {"k": a}], [a, (a,), {"k": a}]), are_same([a], [(a,)])
    (True, False)
    """
    return len(some) == len(others) and all(
        one is other or _hold_the_same(one, other)
        for one, other in zip(some, others, strict=True)
    )


def _hold_the_same(one: object, other: object) -> bool:
    if type(one) is tuple and type(other) is tuple:
        return are_same(one, other)
    if type(one) is dict and type(other) is dict:
        same = [*one] == [*other]
        return same and are_same([*one.values()], [*other.values()])
    return False


def wrapped_by(f: FunctionType) -> tuple[FunctionType, ...] | None:
    """Return a wrapper and the functions within, the innermost last; None where more
    than `functools.wraps` has told of what it wraps, or a wrapper has defaults."""
    found = [f]
    while f.__dict__:
        inner = f.__dict__.get("__wrapped__")
        told = len(f.__dict__) == 1 and type(inner) is FunctionType
        if not told or f.__defaults__ or f.__kwdefaults__ or len(found) > _DEEPEST:
            return None
        f = inner  # type: ignore[assignment]
        found.append(f)
    return tuple(found)
