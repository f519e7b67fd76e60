"""Functions that are given to solvers, and what is known of their variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.state.lowering_records import Hint
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import with_origins
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import NOWHERE, Apply, Block, Op, Origin
from yota_ast.solvers.solver_functions import signature_of
from yota_ast.syntax.names import unused


@dataclass(frozen=True, slots=True)
class Own:
    """What a solver calls a function with: by name, and what is known of it."""

    names: tuple[str, ...]
    facts: tuple[Fact, ...]


def is_among(value: object, allowed: Sequence[object]) -> bool:
    """Whether a value is one of several; arrays compare by elements, and are none."""
    parts = value if isinstance(value, tuple) else (value,)
    return not any(isinstance(v, np.ndarray) for v in parts) and value in allowed


def defines(op: Op, var: Var) -> TypeGuard[Apply]:
    """Whether an op makes a variable."""
    return isinstance(op, Apply) and op.out == var


def nowhere(_origin: Origin) -> Origin:
    """The origin of what stands in no line of the user."""
    return NOWHERE


def unquoted(block: Block, call: int) -> Block:
    """The same, of which what stands in the line of a call quotes no line: it has none
    of its own. call: the number of that statement."""

    def changed(origin: Origin) -> Origin:
        return replace(origin, text="") if origin.statement == call else origin

    return with_origins(block, changed)


def is_like(
    known: Function, params: tuple[Var, ...], block: Block, result: Atom
) -> bool:
    """Whether a function is one of these parameters, ops and result, wherever their
    lines are."""
    if [v.fact for v in known.params] != [v.fact for v in params]:
        return False
    like = (known.params, with_origins(known.block, nowhere), known.result)
    return like == (params, block, result)


def is_pair(given: Mapping[str, Value]) -> bool:
    """Whether the function returns its gradient too: `jac=True`."""
    return given.get("jac") == Const(True)


def swallowing(fn: Any) -> str:
    """The name of the parameter that takes all other keywords, `**options`; or ""."""
    slots = signature_of(fn).parameters.values()
    return next((p.name for p in slots if p.kind is p.VAR_KEYWORD), "")


def hints_of(
    params: Sequence[Var], held: Sequence[Var], hints: Mapping[str, Hint]
) -> dict[str, Hint]:
    """Names for the variables that a function reads of its surroundings, which are its
    parameters too: several may be items of one `*args`, and have its name."""
    taken = [p.hint or p.name for p in params]
    found = dict[str, Hint]()
    for v in held:
        hint = hints.get(v.name) or Hint(v.hint or "", 0, 0)
        if hint.name:
            name = unused(hint.name, taken)
            taken.append(name)
            found[v.name] = replace(hint, name=name)
    return found
