"""A call and the facts of its arguments -> the fact of its result.

By the rules; where a user's function has a rule that says nothing of its result, by the
function's own source, which is lowered and never run.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import YotaError
from yota_ast.frontend.interpret.lower import lower
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.facts.machine_limits import fact_of_dtype, fact_of_limits
from yota_ast.ir.facts.time_points import fact_of_moments
from yota_ast.rules.notation.display_names import is_library
from yota_ast.rules.notation.rule import BOOK

Fn = Callable[..., object]
Keywords = Sequence[tuple[str, Atom]]
_PLAIN = ("float", "int", "bool", "complex", "scalar", "array")
_VAGUE = ("unknown", "real")
_OWN: Final = __package__.partition(".")[0]
_pending: list[Fn] = []


def infer(fn: Fn, args: Sequence[Atom], kwargs: Keywords) -> Fact:
    """What is known of `fn(*args, **kwargs)`. Runs no user code."""
    known = BOOK.infer(fn, args, kwargs)
    if known.kind in _VAGUE:
        known = (
            fact_of_moments(fn, args, kwargs)
            or fact_of_limits(fn, args)
            or fact_of_dtype(fn, args)
            or known
        )
    if known.kind not in _VAGUE or not isinstance(fn, types.FunctionType):
        return known
    if is_library(fn) or fn.__module__.startswith(_OWN) or fn in _pending:
        return known
    _pending.append(fn)
    try:
        found = _by_source(fn, args, kwargs)
    except (YotaError, TypeError):
        return known
    finally:
        _pending.remove(fn)
    return known if found.kind in _VAGUE else found


def _by_source(fn: Fn, args: Sequence[Atom], kwargs: Keywords) -> Fact:
    bound = inspect.signature(fn).bind(*args, **dict(kwargs))
    given: dict[str, Fact] = {}
    for name, atom in bound.arguments.items():
        if not isinstance(atom, (tuple, dict)):
            given[name] = fact_of_atom(atom)
    if any(f.kind not in (*_PLAIN, "str", "none") for f in given.values()):
        return UNKNOWN
    tape = lower(fn, given, Settings(_is_primitive, infer))
    found = fact_of_atom(tape.result)
    return _outside(found, tuple(given.values())) if found.kind in _PLAIN else UNKNOWN


def _is_primitive(fn: object) -> bool:
    return callable(fn) and BOOK.is_primitive(fn)


def _outside(fact: Fact, facts: Sequence[Fact]) -> Fact:
    """The fact, without what it says in terms of variables of the function's own."""
    shapes = [f.shape for f in facts if isinstance(f.shape, str)]
    bases = {d.base for f in facts for d in f.shape or () if isinstance(d, Dim)}
    fact = replace(fact, length=None)
    if isinstance(fact.shape, tuple):
        known = tuple(
            d if d is not None and (not d.base or d.base in bases) else None
            for d in fact.shape
        )
        return replace(fact, shape=known)
    return fact if fact.shape in shapes else replace(fact, shape=None)
