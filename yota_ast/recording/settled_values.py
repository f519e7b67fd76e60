"""What values were made of -> the steps without tests of what follows from others.

A test of the shape and dtype of a value is left out where these follow from those of
the arguments, which are tested.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import UNKNOWN, Fact, same_dtype
from yota_ast.ir.atoms import Const, Var
from yota_ast.ops.spellings import ATTRIBUTES, METHODS
from yota_ast.recording.recorded_steps import Require, Step
from yota_ast.rules.notation.rule import BOOK


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument. names: of the recorded values in it. fact: of what it was. exact:
    the fact says a number that other arguments may change."""

    value: object
    names: tuple[str, ...] = ()
    fact: Fact = UNKNOWN
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """What a value was made by. how: as for `Recording.apply`. found: what it was."""

    fn: Any
    args: tuple[Operand, ...]
    kwargs: tuple[tuple[str, Operand], ...]
    how: str
    found: Fact


@dataclass(frozen=True, slots=True)
class Item:
    """That a value is an item of another one."""

    owner: str
    position: int


def without_known(steps: Sequence[Step], made: Mapping[str, Call | Item]) -> list[Step]:
    """The steps without the tests that always hold. made: by the names of values, in
    the order in which they were made; others are tested.

    Raises the refusal of what does not follow, and cannot be tested.
    """
    asked = [s for s in steps if isinstance(s, Require) and s.of_type]
    if not asked:
        return list(steps)
    return list(_needed(steps, _Known(made)))


def _needed(steps: Sequence[Step], known: _Known) -> Iterator[Step]:
    for step in steps:
        if not isinstance(step, Require) or not step.of_type:
            yield step
        elif not known.follows(step.of_type):
            if step.refusal is not None:
                raise step.refusal
            known.tested.add(step.of_type)
            yield step


class _Known:
    def __init__(self, made: Mapping[str, Call | Item]) -> None:
        self._made = made
        self._waiting = iter(made)
        self._facts: dict[str, Fact] = {}
        self.tested: set[str] = set()
        """The values whose type is tested where the steps have come to."""

    def follows(self, name: str) -> bool:
        """Whether kind, dtype and lengths of a value follow from what is tested."""
        for other in self._waiting:
            self._facts[other] = self._fact(self._made[other])
            if other == name:
                break
        return self._holds(name)

    def _holds(self, name: str) -> bool:
        return name not in self._made or name in self.tested or self._agrees(name)

    def _agrees(self, name: str) -> bool:
        fact, made = self._facts.get(name, UNKNOWN), self._made[name]
        if isinstance(made, Item):
            owner = self._made[made.owner]
            whole = owner.found if isinstance(owner, Call) else UNKNOWN
            return _alike(fact, _item(whole, made.position))
        return _alike(fact, made.found)

    def _fact(self, made: Call | Item) -> Fact:
        if isinstance(made, Item):
            return _item(self._facts.get(made.owner, UNKNOWN), made.position)
        fn, args = made.fn, [self._atom(a) for a in made.args]
        kwargs = [(name, self._atom(a)) for name, a in made.kwargs]
        if made.how == "attribute":
            name = made.args[1].value
            fn, args = ATTRIBUTES.get(str(name)), args[:1]
        elif made.how not in ("", "operator", "subscript"):
            fn = METHODS.get(made.how) or fn
        # A power of a negative number of Python is complex, or a quotient.
        of_python = all(a.fact.is_python for a in made.args if a.names)
        unknown = fn is None or (fn in (operator.pow, pow) and of_python)
        return UNKNOWN if unknown else BOOK.infer(fn, args, kwargs)

    def _atom(self, operand: Operand) -> Const | Var:
        if not operand.names:
            return Const(operand.value)
        known = not operand.exact and all(map(self._holds, operand.names))
        return Var(" ".join(operand.names), operand.fact if known else UNKNOWN)


def _item(fact: Fact, position: int) -> Fact:
    items = fact.items or ()
    return items[position] if position < len(items) else UNKNOWN


def _alike(fact: Fact, found: Fact) -> bool:
    known = fact.dtype is found.dtype or same_dtype(fact.dtype, found.dtype)
    return known and fact.kind == found.kind and fact.shape == found.shape
