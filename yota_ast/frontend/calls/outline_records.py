"""What is known of functions that are lowered by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.frontend.calls.call_signatures import (
    Mould,
)
from yota_ast.frontend.heap.lowered_values import (
    Scope,
)
from yota_ast.frontend.state.lowering_records import (
    GlobalName,
)
from yota_ast.ir.atoms import Const, Var


class CallsItself(Exception):  # noqa: N818  caught by the outermost call of the code
    """A function is called within itself, and not for the last time."""

    def __init__(self, code: object) -> None:
        super().__init__()
        self.code = code


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a function: what its calls have in common, what it returns.

    result: None so long as no way through the body comes back. captures: variables of
    the surroundings that it reads. uncertain: whether a result may share memory with an
    argument. effect: whether a call must happen though nobody reads its result.
    """

    given: Mapping[str, Mould]
    result: Mould | None = None
    captures: tuple[Var, ...] = ()
    uncertain: bool = False
    effect: bool = False


@dataclass(slots=True)
class Outline:
    """A function that is lowered by itself."""

    name: str
    title: str
    known: Known
    calls: set[str] = field(default_factory=set)  # those whose `known` it relies on
    around: object = None  # what it may capture, as it was
    globals: Mapping[GlobalName, Const] = field(default_factory=dict)  # rebound ones
    scope: Scope | None = None  # kept, for the key has the identities of its cells

    def learn(self, **found: Any) -> None:
        """Note what has been found of it."""
        self.known = replace(self.known, **found)

    def rely_on(self, other: Outline) -> None:
        """Note that its body holds what is known of another, and of those that has."""
        self.calls |= {other.name, *other.calls}

    def stand(self, scope: Scope, rebound: Mapping[GlobalName, Const]) -> None:
        """Note in which scope it stands, and which globals are rebound there."""
        self.scope, self.globals = scope, rebound

    def surround(self, around: object) -> None:
        """Note what it may capture, as that is."""
        self.around = around
