"""A value -> an atom of the tape: containers are built."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.unknown_fields import check_attribute
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.folding import (
    handing_on,
)
from yota_ast.frontend.heap.has_attribute import modelled
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Either,
    Lazy,
    MethodOf,
    OneOf,
    Ref,
    SliceValue,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    Fact,
    fact_of_constant,
    int_fact,
    slice_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import End, literal_dim
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple
from yota_ast.ir.facts.dicts_of_objects import holds_objects

APART: Final = (collections.OrderedDict, collections.defaultdict)
"""Classes of dicts whose instances are made of no display."""


class Atoms(Component):
    """Builds values."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    assumptions = uses(ValueAssumptions)

    @provides(Language.atom)
    def atom(self, value: Value) -> Atom:
        """The value as an atom: tuples, lists, dicts and slices are built."""
        if isinstance(value, Var):
            return self.language.fresh(value)
        if isinstance(value, Const):
            return value
        known = self.assumptions.known_value(value)
        if known is not None:
            return known
        if isinstance(value, SliceValue):
            parts = [
                self.language.atom(p) for p in (value.start, value.stop, value.step)
            ]
            ends = slice_fact(*map(_end_of, parts))
            floats = any(fact_of_atom(p).is_floating for p in parts)
            return self.build(build_slice, parts, replace(ends, varies=floats))
        if isinstance(value, TupleValue):
            return self.atom_of_tuple(value)
        if isinstance(value, Ref):
            return self.atom_of_cell(value)
        if isinstance(value, Argument):
            return self.atom_of_argument(value)
        if isinstance(value, Lazy):
            return self.atom_of_lazy(value)
        if isinstance(value, (Either, OneOf)):
            return self.choice.atom_of_chosen(value)
        if isinstance(value, MethodOf) and isinstance(value.owner, Var):
            if value.owner.fact.kind in ("unknown", "other"):
                args = (self.language.fresh(value.owner), Const(value.name))
                return self.operations.apply(
                    getattr, args, form="attribute", spelling=value.name
                )
            if value.owner.fact.kind == "real":
                check_attribute(self, value.name)
        self.position.refuse(
            "a function that is defined inside the differentiated function is "
            "used as a value",
            "Call it, or move its definition to the module.",
        )

    def build(
        self, fn: Callable[..., object], parts: Sequence[Atom], fact: Fact
    ) -> Var:
        """A build op."""
        return self.operations.apply(fn, parts, form="build", fact=fact)

    def atom_of_tuple(self, value: TupleValue) -> Atom:
        """(a, b); a NamedTuple is built by its class."""
        parts = [self.item(v) for v in value.items]
        items = tuple(map(_fact_of_item, parts))
        fact = Fact("tuple", items=items, cls=value.cls)
        if value.cls is not tuple:
            return self.operations.apply(value.cls, parts, fact=fact)
        return self.build(build_tuple, parts, fact)

    def atom_of_cell(self, ref: Ref, *, lends: bool = True) -> Atom:
        """[a, b], {k: v}, or the variable that holds the container."""
        cell = self.cells.heap[ref.cell]
        if cell.var is not None:
            return self.language.fresh(cell.var)
        if cell.kind == "object":
            self.refuse_object(cell.cls)
        if cell.cls in APART:
            self.position.refuse(
                f"a {cell.cls.__name__} made in the function is passed on or returned",
                "Pass or return a dict: dict(x).",
            )
        if cell.kind == "set":
            return self.operations.apply(frozenset, (Const(tuple(cell.items)),))
        out = self.container_of(ref)
        if lends:
            self.lend(out, ref)
        return out

    def container_of(self, ref: Ref) -> Var:
        """[a, b] or {k: v}, of a list or dict that is known item by item."""
        cell = self.cells.heap[ref.cell]
        values = self.cells.items_in_order(ref.cell).values()
        parts = [self.item(v) for v in values]
        fact = self.operations.cell_fact(self.cells.heap[ref.cell])
        known = tuple(map(fact_of_atom, parts))
        if any(map(holds_objects, known)):
            fact = replace(fact, items=known)
        if cell.kind == "list":
            out = self.build(build_list, parts, fact)
            self.notes.split.add(out.name)
            return out
        keys = map(Const, cell.items)
        turns = [a for pair in zip(keys, parts, strict=True) for a in pair]
        return self.build(build_dict, turns, fact)

    def item(self, value: Value) -> Atom:
        """An item of a container that is built: a dict may stand for an object."""
        if isinstance(value, Ref) and self.cells.heap[value.cell].kind == "object":
            return self.atom_of_object(value)
        return self.language.atom(value)

    @extensible
    def atom_of_object(self, ref: Ref) -> Atom:
        """What stands for an object in a container; see listed_objects.py."""
        raise NotImplementedError

    def refuse_object(self, cls: type | None) -> NoReturn:
        """Refuse to use an object as a value."""
        self.position.refuse(passed_on(cls), handing_on(cls))

    @extensible
    def lend(self, out: Var, ref: Ref) -> None:
        """A variable of the text holds what a cell holds now; see array_writes.py."""
        raise NotImplementedError

    @extensible
    def atom_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's as a whole."""
        raise NotImplementedError

    def atom_of_lazy(self, value: Lazy) -> Atom:
        """range(n) and the like as a value of the text."""
        args = [self.language.atom(a) for a in value.args]
        kwargs = [(k, self.language.atom(v)) for k, v in value.kwargs]
        return self.operations.apply(
            value.fn, args, kwargs, fact=Fact("other", cls=_class(value.fn))
        )


def passed_on(cls: type | None) -> str:
    """Why an object that the function makes is no value of the text."""
    name = modelled(cls or object).__name__
    return f"an object of class {name}, made in the function, is passed on or returned"


def _class(fn: object) -> type:
    return fn if isinstance(fn, type) else object


def _end_of(atom: Atom) -> End | object:
    """What is known of an end of a slice, for `slice_fact`."""
    return atom.value if isinstance(atom, Const) else atom.fact.length or atom


def end_of_range(value: object) -> object:
    """What is known of an end of a range; nothing if a module may bind it anew."""
    if isinstance(value, Var):
        return value.fact.length
    return value.value if isinstance(value, Const) and not value.is_live else None


def _fact_of_item(atom: Atom) -> Fact:
    """What is known of an item: a literal may be a length, as in `np.zeros((n, 2))`."""
    if isinstance(atom, Var):
        return atom.fact
    if type(atom.value) is int and atom.value >= 0 and not atom.is_live:
        return int_fact(literal_dim(atom.value))
    return fact_of_constant(atom.value)
