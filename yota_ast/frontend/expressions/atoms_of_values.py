"""A value -> an atom of the tape: containers are built."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Final

from yota_ast.frontend.calls.unknown_fields import check_attribute
from yota_ast.frontend.expressions.folding import (
    handing_on,
)
from yota_ast.frontend.expressions.value_kinds import ValueKinds
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
from yota_ast.ir.abstract_values import (
    End,
    Fact,
    fact_of_constant,
    int_fact,
    slice_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import literal_dim
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple

APART: Final = (collections.OrderedDict, collections.defaultdict)
"""Classes of dicts whose instances are made of no display."""


class Atoms(ValueKinds):
    """Builds values."""

    def atom(self, value: Value) -> Atom:
        """The value as an atom: tuples, lists, dicts and slices are built."""
        if isinstance(value, Var):
            return self.fresh(value)
        if isinstance(value, Const):
            return value
        known = self.known_value(value)
        if known is not None:
            return known
        if isinstance(value, SliceValue):
            parts = [self.atom(p) for p in (value.start, value.stop, value.step)]
            return self.build(build_slice, parts, slice_fact(*map(_end_of, parts)))
        if isinstance(value, TupleValue):
            return self.atom_of_tuple(value)
        if isinstance(value, Ref):
            return self.atom_of_cell(value)
        if isinstance(value, Argument):
            return self.atom_of_argument(value)
        if isinstance(value, Lazy):
            return self.atom_of_lazy(value)
        if isinstance(value, (Either, OneOf)):
            return self.atom_of_chosen(value)
        if isinstance(value, MethodOf) and isinstance(value.owner, Var):
            if value.owner.fact.kind in ("unknown", "other"):
                args = (self.fresh(value.owner), Const(value.name))
                return self.apply(getattr, args, form="attribute", spelling=value.name)
            if value.owner.fact.kind == "real":
                check_attribute(self, value.name)
        self.refuse(
            "a function that is defined inside the differentiated function is "
            "used as a value",
            "Call it, or move its definition to the module.",
        )

    def build(
        self, fn: Callable[..., object], parts: Sequence[Atom], fact: Fact
    ) -> Var:
        """A build op."""
        return self.apply(fn, parts, form="build", fact=fact)

    def atom_of_tuple(self, value: TupleValue) -> Atom:
        """(a, b); a NamedTuple is built by its class."""
        parts = [self.atom(v) for v in value.items]
        items = tuple(map(_fact_of_item, parts))
        fact = Fact("tuple", items=items, cls=value.cls)
        if value.cls is not tuple:
            return self.apply(value.cls, parts, fact=fact)
        return self.build(build_tuple, parts, fact)

    def atom_of_cell(self, ref: Ref, *, lends: bool = True) -> Atom:
        """[a, b], {k: v}, or the variable that holds the container."""
        cell = self.heap[ref.cell]
        if cell.var is not None:
            return self.fresh(cell.var)
        if cell.kind == "object":
            self.refuse(
                f"an object of class {modelled(cell.cls or object).__name__}, made in "
                "the function, is passed on or returned",
                handing_on(cell.cls),
            )
        if cell.cls in APART:
            self.refuse(
                f"a {cell.cls.__name__} made in the function is passed on or returned",
                "Pass or return a dict: dict(x).",
            )
        if cell.kind == "set":
            return self.apply(frozenset, (Const(tuple(cell.items)),))
        out = self.container_of(ref)
        if lends:
            self.lend(out, ref)
        return out

    def container_of(self, ref: Ref) -> Var:
        """[a, b] or {k: v}, of a list or dict that is known item by item."""
        cell = self.heap[ref.cell]
        parts = [self.atom(v) for v in self.items_in_order(ref.cell).values()]
        fact = self.cell_fact(self.heap[ref.cell])
        if cell.kind == "list":
            out = self.build(build_list, parts, fact)
            self.split.add(out.name)
            return out
        keys = map(Const, cell.items)
        turns = [a for pair in zip(keys, parts, strict=True) for a in pair]
        return self.build(build_dict, turns, fact)

    def lend(self, out: Var, ref: Ref) -> None:
        """A variable of the text holds what a cell holds now; see memory.py."""
        raise NotImplementedError

    def atom_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's as a whole."""
        raise NotImplementedError

    def atom_of_lazy(self, value: Lazy) -> Atom:
        """range(n) and the like as a value of the text."""
        args = [self.atom(a) for a in value.args]
        kwargs = [(k, self.atom(v)) for k, v in value.kwargs]
        return self.apply(
            value.fn, args, kwargs, fact=Fact("other", cls=_class(value.fn))
        )


def _class(fn: object) -> type:
    return fn if isinstance(fn, type) else object


def _end_of(atom: Atom) -> End | object:
    """What is known of an end of a slice, for `slice_fact`."""
    return atom.value if isinstance(atom, Const) else atom.fact.length or atom


def _fact_of_item(atom: Atom) -> Fact:
    """What is known of an item: a literal may be a length, as in `np.zeros((n, 2))`."""
    if isinstance(atom, Var):
        return atom.fact
    if type(atom.value) is int and atom.value >= 0 and not atom.is_live:
        return int_fact(literal_dim(atom.value))
    return fact_of_constant(atom.value)
