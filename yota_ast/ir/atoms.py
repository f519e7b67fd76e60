"""The atoms of a tape: variables, constants, and what has no value.

A variable's name is its identity within one tape.

>>> Var("x"), Const(2.0), UNDEFINED
(x::?, Const(value=2.0, text=None, home=''), undefined)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import UNKNOWN, Fact, fact_of_constant
from yota_ast.support.proxies import is_a
from yota_ast.syntax.value_literals import literal_text

T = TypeVar("T")

# ---------------------------------------------------------------- atoms


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, assigned once. Equal by name alone.

    hint: the name by which the text should call it: the user's own ("h"); None for a
    sub-expression, which the text nests where it is used once.
    """

    name: str
    fact: Fact = field(default=UNKNOWN, compare=False)
    hint: str | None = field(default=None, compare=False)

    # Both by hand: what the dataclass would make packs the name into a tuple first.
    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}::{self.fact}"


LASTING: Final = ("math", "numpy")
"""Modules of which the numbers, `np.e`, are never others."""


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A literal, or what a name outside the function stands for.

    text: how the user spelled it where it is no literal ("SCALE", "config.RATE"); the
    printed text uses it. home: the module that holds it, "" for cells and defaults.
    made: the operator and the operands whose value it is, where `text` spells that.
    hint: what the user calls such a value.
    """

    value: object
    text: str | None = None
    home: str = ""
    made: tuple[Callable[..., object], tuple[Const, ...]] | None = field(
        default=None, repr=False
    )
    hint: str | None = field(default=None, repr=False)
    _key: tuple[object, ...] | None = field(default=None, init=False, repr=False)

    @property
    def is_live(self) -> bool:
        """Whether a text reads it from a module, where it may be bound anew."""
        return bool(self.text and self.home) and self.value is not None

    @property
    def reads(self) -> bool:
        """Whether it is computed of a constant that has a name: `SCALE - 1`."""
        parts = () if self.made is None else self.made[1]
        return any(p.text is not None and (p.made is None or p.reads) for p in parts)

    def key(self) -> tuple[object, ...]:
        """What makes two constants one: type and printed value of literals, identity
        of everything else. A module's number is none but itself: what reads it live
        may find another."""
        # Kept, for constants are compared, and looked up, more often than made.
        if self._key is None:
            object.__setattr__(self, "_key", self._made_key())
        return self._key  # type: ignore[return-value]

    def _made_key(self) -> tuple[object, ...]:
        told = _told(self.value)
        if told is not None:
            named = (self.home, self.text) if self.is_live else ()
            return (type(self.value), told, *named)
        if is_a(self.value, tuple):
            items = tuple.__iter__(self.value)
            return (type(self.value), tuple(Const(v).key() for v in items))
        if type(self.value) is slice:
            s = self.value
            return (slice, *(Const(v).key() for v in (s.start, s.stop, s.step)))
        return (id(self.value),)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Const) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


def _told(value: object) -> str | None:
    """What tells a number, a string or None from others of its exact type; None of what
    is told by its identity."""
    if type(value) in (float, complex):
        return str(value)
    if type(value) is int:
        return hex(value)
    if isinstance(value, np.generic) and type(value) is value.dtype.type:
        return None if value.dtype.kind in "VO" else str(value)
    return None if type(value) is tuple else literal_text(value)


Atom = Var | Const


class Undefined:
    """What a merge takes from an arm that does not define the variable."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = Undefined()


def fact_of_atom(atom: Atom) -> Fact:
    """What is known of an atom."""
    return atom.fact if isinstance(atom, Var) else fact_of_constant(atom.value)
