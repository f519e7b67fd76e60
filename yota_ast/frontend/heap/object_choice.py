"""Objects of which a branch, a loop or a key has chosen one -> what is done with each.

A name may stand for one object or another: `o = a if c else b`. Such a value keeps the
test, or the number, by which it was chosen. What is read of it is read in the branch of
that test, of the one object or of the other, and what is written is written so: each is
the object that the program has, under all of its names.
"""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeGuard

from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.heap.has_attribute import ABSENT, found_on
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    UNBOUND,
    Argument,
    Bound,
    Either,
    MaybeValue,
    OneOf,
    Ref,
    TupleValue,
    Value,
    candidates,
    is_literal_value,
    is_user_class,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import BOOL, INT, Fact, fact_of
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import Dim, is_natural, literal_dim, total
from yota_ast.ir.built_values import build_dict
from yota_ast.ir.facts.joined_facts import join
from yota_ast.ir.nodes import Block, If, Merge
from yota_ast.syntax.value_paths import attribute_text, class_text

MOST_CHOSEN: Final = 24
"""Of so many objects one may be chosen: the text has a branch for each."""
_MISSING: Final = (NULL, UNBOUND)
Step = Callable[[Value], Value]


class ObjectChoice(Component):
    """One of several objects."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    variables = uses(Variables)
    operations = uses(Operations)

    @extensible
    def choose(
        self,
        test: Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        *,
        form: Any,
    ) -> Value:
        """The value of one of two arms; see branches.py."""
        raise NotImplementedError

    @extensible
    def class_of(self, value: Value) -> type | None:
        """The user's class of an object; see value_kinds.py."""
        raise NotImplementedError

    def is_chosen(self, value: MaybeValue) -> TypeGuard[Either | OneOf]:
        """Whether a value is one of several objects, or None, and no function."""
        if isinstance(value, OneOf):
            return True
        return isinstance(value, Either) and any(map(self.is_thing, candidates(value)))

    def is_thing(self, value: MaybeValue) -> bool:
        """Whether a value is an object of a user's class, made here, given or found
        outside, or a module."""
        if isinstance(value, Ref):
            cell = self.cells.heap.get(value.cell)
            return cell is not None and cell.kind == "object"
        if isinstance(value, Argument):
            return value.fact.kind == "object"
        if isinstance(value, Const) and isinstance(value.value, types.ModuleType):
            return True
        if not isinstance(value, Const) or not is_user_class(type(value.value)):
            return False
        return self.operations.fact(value).kind == "object" and not isinstance(
            value.value, enum.Enum
        )

    def test_of_chosen(self, value: Either | OneOf) -> tuple[Atom, Value, Value]:
        """A test, and what a value is where it holds, and where it does not."""
        if isinstance(value, Either):
            return value.test, value.then, value.orelse
        (number, first), *rest = value.of
        if not rest:
            return Const(True), first, first
        test = self.language.operate(operator.eq, value.index, Const(number))
        other = rest[0][1] if len(rest) == 1 else OneOf(value.index, tuple(rest))
        return self.language.atom(test), first, other

    def with_each(self, value: Value, step: Step) -> Value:
        """What a step gives for the one that is chosen."""
        if not self.is_chosen(value):
            return step(value)
        if isinstance(value, OneOf) and isinstance(value.index, Const):
            return step(dict(value.of)[value.index.value])  # type: ignore[index]
        test, then, orelse = self.test_of_chosen(value)
        if test == Const(True):
            return self.with_each(then, step)
        arms = [functools.partial(self.with_each, v, step) for v in (then, orelse)]
        return self.choose(test, *arms, form="ifexp")

    # ------------------------------------------------------------ what is known

    @provides(Operations.fact_of_chosen)
    def fact_of_chosen(self, value: Either | OneOf) -> Fact:
        """What is known of a value that was chosen."""
        found = [v for v in candidates(value) if v != UNBOUND]
        if any(map(self.is_thing, found)):
            return functools.reduce(join, map(self.operations.fact, found))
        return Fact("callable")

    def class_of_chosen(self, value: Either | OneOf) -> type | None:
        """The class of all objects of which one is chosen."""
        found = {self.class_of(v) for v in candidates(value)}
        return found.pop() if len(found) == 1 else None

    # ------------------------------------------------------------ attributes

    def surely_there_for(self, value: Value, name: str) -> Value:
        """The object of which an attribute is asked; where there is none, the text
        raises what Python raises."""
        if value == NULL:
            text = f"'NoneType' object has no attribute '{name}'"
            return self.operations.failing(AttributeError, text)
        if value == UNBOUND:
            text = "cannot access a local variable that is not associated with a value"
            return self.operations.failing(UnboundLocalError, text)
        return self.told_from(value, _MISSING, lambda v: self.surely_there_for(v, name))

    def told_from(self, value: Value, missing: Sequence[Value], fail: Step) -> Value:
        """What is chosen, of those that are not missing; of these the text raises.

        What is left is chosen by tests made before: one that is made in a branch of
        the raising is not known behind it.
        """
        if not self.is_chosen(value) or all(
            v not in missing for v in candidates(value)
        ):
            return fail(value) if value in missing else value
        if isinstance(value, OneOf):
            return self.one_told_from(value, missing, fail)
        sides = (value.then, value.orelse)
        kept: list[Value] = []

        def arm(side: Value) -> Value:
            kept.append(self.told_from(side, missing, fail))
            return NULL

        arms = [functools.partial(arm, v) for v in sides]
        self.choose(value.test, *arms, form="if")
        for side, other in zip(sides, reversed(kept), strict=True):
            if all(v in missing for v in candidates(side)):
                return other
        return Either(value.test, *kept)

    def one_told_from(
        self, value: OneOf, missing: Sequence[Value], fail: Step
    ) -> Value:
        """The same of one of several with numbers."""
        for one in missing:
            hits = [k for k, v in value.of if v == one]
            if len(hits) == len(value.of):
                return fail(one)
            if hits:
                test = self.language.atom(self.is_among(value, hits))

                def raised(one: Value = one) -> Value:
                    fail(one)
                    return NULL

                self.choose(test, raised, lambda: NULL, form="if")
                left = tuple((k, v) for k, v in value.of if v != one)
                value = OneOf(value.index, left)
        return value.of[0][1] if len(value.of) == 1 else value

    def attribute_of_chosen(self, owner: Either | OneOf, name: str) -> Value:
        """owner.name: a method of all is called with what is chosen for its owner."""
        one = self.surely_there_for(owner, name)
        if not self.is_chosen(one):
            return one if self.blocks.ended else self.language.attribute(one, name)
        method = self.common_method(one, name)
        if method is not None:
            return method
        return self.with_each(one, lambda value: self.attribute_of_one(value, name))

    def attribute_of_one(self, value: Value, name: str) -> Value:
        """The attribute of one of several objects, which another of them may have."""
        cls = self.class_of(value)
        if cls is None or self.has_attribute(value, cls, name):
            return self.language.attribute(value, name)
        text = f"'{cls.__name__}' object has no attribute '{name}'"
        return self.operations.failing(AttributeError, text)

    def has_attribute(self, value: Value, cls: type, name: str) -> bool:
        """Whether an object has an attribute, or its class may say that it has."""
        if hasattr(cls, "__getattr__") or found_on(cls, name) is not ABSENT:
            return True
        if isinstance(value, Ref):
            return name in self.cells.heap[value.cell].items
        return not isinstance(value, Const) or hasattr(value.value, name)

    def common_method(self, owner: Either | OneOf, name: str) -> Value | None:
        """A method, or a property, that all candidates have from their class."""
        cls = self.class_of_chosen(owner)
        found = None if cls is None else inspect.getattr_static(cls, name, None)
        if isinstance(found, property) and found.fget is not None:
            assert cls is not None
            for each in candidates(owner):
                self.tell_class(each)
            getter = Const(
                found.fget, attribute_text(class_text(cls), name), cls.__module__
            )
            return self.language.call(getter, (owner,))
        if not isinstance(found, types.FunctionType):
            return None
        methods = [self.language.attribute(v, name) for v in candidates(owner)]
        if not all(isinstance(m, Bound) for m in methods):
            return None
        functions = {m.function for m in methods if isinstance(m, Bound)}
        return Bound(functions.pop(), owner) if len(functions) == 1 else None

    @extensible
    def tell_class(self, value: Value) -> None:
        """Note that the class of a part has decided something."""
        raise NotImplementedError

    @extensible
    def tell_length(self, value: Value) -> None:
        """Note that the number of its items has; see argument_structures.py."""
        raise NotImplementedError

    @extensible
    def tell_keys(self, value: Value) -> None:
        """Note that its keys have; see argument_structures.py."""
        raise NotImplementedError

    def write_chosen(self, owner: Value, name: str, write: Step) -> None:
        """Write an attribute of the one that is chosen."""
        one = self.surely_there_for(owner, name)
        if not self.blocks.ended:
            self.with_each(one, write)

    # ------------------------------------------------------------ items

    def one_at(self, owner: Value, index: Value) -> Value | None:
        """The item at an index that is not known here, of a list or a dict of objects;
        None of anything else."""
        found = self.things_in(owner)
        return self.one_of(found, index) if found else None

    def one_of(
        self, found: Sequence[Value] | dict[Any, Value], index: Value
    ) -> Value | None:
        """The one of some values that an index or a key names; None where it may be no
        such."""
        known = self.operations.fact(index)
        numbers = tuple(range(len(found)))
        if isinstance(found, dict):
            if not all(isinstance(k, (str, int, bool, float, tuple)) for k in found):
                return None
            pairs = zip(found, numbers, strict=True)
            parts = [Const(part) for pair in pairs for part in pair]
            table: Atom = self.operations.apply(build_dict, parts, form="build")
        elif _is_place(known.length, len(found)):
            return OneOf(
                self.language.atom(index), tuple(zip(numbers, found, strict=True))
            )
        elif known.is_scalar or known.kind == "real":
            table = Const(numbers)
        else:
            return None
        atoms = (table, self.language.atom(index))
        number = self.operations.apply(
            operator.getitem, atoms, form="subscript", fact=INT
        )
        values = found.values() if isinstance(found, dict) else found
        return OneOf(number, tuple(zip(numbers, values, strict=True)))

    def things_in(self, owner: Value) -> Sequence[Value] | dict[Any, Value] | None:
        """The objects that a list, a tuple or a dict holds, where it holds no more."""
        found: Any = None
        if isinstance(owner, TupleValue):
            found = owner.items
        elif isinstance(owner, Ref):
            cell = self.cells.heap[owner.cell]
            if cell.var is None and cell.kind in ("list", "dict"):
                keyed = cell.kind == "dict"
                found = dict(cell.items) if keyed else tuple(cell.items.values())
        elif isinstance(owner, (Argument, Const)):
            found = self.things_outside(owner)
        if not found or len(found) > MOST_CHOSEN:
            return None
        values = found.values() if isinstance(found, dict) else found
        fits = all(self.is_thing(v) or self.is_chosen(v) for v in values)
        return found if fits else None

    def things_outside(self, owner: Argument | Const) -> Any:
        """Those of a list, a tuple or a dict that is not made here."""
        held: Any = owner.example if isinstance(owner, Argument) else owner.value
        if type(held) not in (list, tuple, dict) or len(held) > MOST_CHOSEN:
            return None
        if not all(fact_of(v).kind == "object" for v in _values(held)):
            return None
        keys = [*held] if isinstance(held, dict) else range(len(held))
        if not all(map(is_literal_value, keys)):
            return None  # of a class it is not told which item it names
        if isinstance(owner, Argument):
            self.tell_keys(owner) if isinstance(held, dict) else self.tell_length(owner)
        values = {k: self.language.subscript(owner, Const(k)) for k in keys}
        return values if isinstance(held, dict) else tuple(values.values())

    # ------------------------------------------------------------ tests

    def identity_of_chosen(
        self, fn: Callable[..., object], one: Either | OneOf, other: Value
    ) -> Value:
        """`one is other`, or `is not`, of what is chosen."""
        if one == other:
            return Const(fn is operator.is_)
        if UNBOUND in candidates(one):
            one_of: Any = self.surely_chosen(one)
            return self.identity(fn, one_of, other)
        if isinstance(one, OneOf):
            answers = [self.identity(fn, v, other) for _, v in one.of]
            if all(isinstance(a, Const) for a in answers):
                hits = [
                    k
                    for (k, _), a in zip(one.of, answers, strict=True)
                    if a == Const(True)
                ]
                return self.is_among(one, hits)
        test, then, orelse = self.test_of_chosen(one)
        answers = [self.identity(fn, v, other) for v in (then, orelse)]
        if answers[0] == answers[1]:
            return answers[0]
        if answers == [Const(True), Const(False)]:
            return test
        if answers == [Const(False), Const(True)]:
            return self.negated(test)
        arms = [functools.partial(_same, a) for a in answers]
        return self.choose(test, *arms, form="ifexp")

    def is_among(self, one: OneOf, hits: Sequence[int]) -> Value:
        """Whether what is chosen has one of some numbers."""
        if len(hits) in (0, len(one.of)):
            return Const(bool(hits))
        if len(hits) == 1:
            return self.language.operate(operator.eq, one.index, Const(hits[0]))
        others = [k for k, _ in one.of if k not in hits]
        if len(others) == 1:
            return self.language.operate(operator.ne, one.index, Const(others[0]))
        atoms = (Const(tuple(hits)), self.language.atom(one.index))
        return self.operations.apply(
            operator.contains, atoms, form="operator", fact=BOOL
        )

    @extensible
    def identity(self, fn: Callable[..., object], *operands: Value) -> Value:
        """a is b, a is not b; see identity.py."""
        raise NotImplementedError

    @extensible
    def negated(self, test: Any) -> Value:
        """not test; see expressions.py."""
        raise NotImplementedError

    def truth_of_chosen(self, value: Either | OneOf) -> bool | Atom:
        """Whether the object that is chosen is true."""
        found = [v for v in candidates(value) if v != NULL]
        if not any(map(self.says_whether_true, found)):
            return self.language.truth(self.identity(operator.is_not, value, NULL))

        def answer(one: Value) -> Value:
            known = self.language.truth(self.surely_chosen(one))
            return Const(known) if isinstance(known, bool) else known

        return self.language.truth(self.with_each(value, answer))

    def says_whether_true(self, value: Value) -> bool:
        """Whether an object says itself whether it is true."""
        cls = self.class_of(value)
        return cls is not None and (hasattr(cls, "__bool__") or hasattr(cls, "__len__"))

    def surely_chosen(self, value: Value) -> Value:
        """What a name stands for; where it stands for nothing, the text raises."""
        return self.told_from(value, (UNBOUND,), lambda v: self.surely_there_for(v, ""))

    # ------------------------------------------------------------ atoms

    def atom_of_chosen(self, value: Either | OneOf) -> Atom:
        """A function or an object that was chosen, as a value of the text."""
        known = self.operations.fact_of_chosen(value)
        one: Any = self.surely_chosen(value)
        if not isinstance(one, (Either, OneOf)):
            return self.language.atom(one)
        test, *sides = self.test_of_chosen(one)
        then, orelse = map(self.language.atom, sides)
        out = self.variables.var(known)
        merges = (Merge(out, then, orelse),)
        self.blocks.emit(
            If(test, Block(), Block(), merges, "ifexp", self.position.origin)
        )
        return out


def _is_place(number: Dim | None, count: int) -> bool:
    """Whether a whole number, such as a counter, surely is that of one of so many
    items, from their first on."""
    if number is None or not is_natural(number):
        return False
    return is_natural(total([(literal_dim(count - 1), 1), (number, -1)]))


def _values(held: Any) -> Any:
    return held.values() if isinstance(held, dict) else held


def _same(value: Value) -> Value:
    return value
