"""A value -> the items that it is known to hold."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import (
    Component,
    Components,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Node,
    TupleValue,
    Value,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import join
from yota_ast.ir.nodes import (
    Apply,
)

MOST_TAKEN: Final = 64
"""How many items of a module's table are taken apart."""


class KnownItems(Component):
    """The items of values where their number is known, and keys."""

    language = uses(Language)
    position = uses(Position)
    blocks = uses(Blocks)
    cells = uses(Cells)
    operations = uses(Operations)
    keyed_items = uses(KeyedItems)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.cuts: dict[str, slice] = {}  # which part of a shape a tuple is

    def known_items(self, value: Value, node: Node) -> tuple[Value, ...]:
        """The items of something that is taken apart where it is used."""
        items = self.items_if_known(value)
        if items is None:
            self.position.refuse(
                "the number of items is unknown",
                "Take the items by index, or use a tuple or list of known length.",
                node,
            )
        return items

    def items_if_known(self, value: Value) -> tuple[Value, ...] | None:
        """The items of something of known length, of a module's table too."""
        items = self.items_apart(value)
        return self.items_of_table(value) if items is None else items

    def items_apart(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a container, of an op's parts, of an array of known length."""
        items = self.language.items_of(self.language.run_through(value))
        if items is None:
            items = self.language.parts_of(value)
        return self.rows_of(value) if items is None else items

    def items_of_table(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a module's tuple, list or array of numbers: `f(x, *WEIGHTS)`."""
        if not isinstance(value, Const):
            return None
        table: Any = value.value
        rows = isinstance(table, np.ndarray) and table.ndim > 0
        if not (rows or isinstance(table, (tuple, list))) or len(table) > MOST_TAKEN:
            return None
        self.structures.tell_items(value)
        return tuple(
            self.language.subscript(value, Const(k)) for k in range(len(table))
        )

    @provides(Language.parts_of)
    def parts_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple that an op gives, such as `x.shape[:-1]`.

        Those of a list, too, that is one of two of as many items by a branch.
        """
        if not isinstance(value, Var) or value.fact.kind not in ("tuple", "list"):
            return None
        if value.fact.items is None:
            return None
        places: Sequence[int] = range(len(value.fact.items))
        op = self.blocks.ops[-1] if self.blocks.ops else None
        if isinstance(op, Apply) and op.out == value and op.fn is operator.getitem:
            whole, cut = op.args[0], self.cuts.get(value.name)
            self.structures.tell_items(whole)
            if isinstance(whole, Var) and whole.fact.items is not None and cut:
                value, places = whole, range(len(whole.fact.items))[cut]
        return tuple(self.language.subscript(value, Const(k)) for k in places)

    def rows_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items along the first axis of an array, as many as in the example."""
        count = self.assumptions.length_of(value)
        if count is None:
            return None
        return tuple(self.language.subscript(value, Const(k)) for k in range(count))

    def key_of(self, value: Value, node: Node = None) -> object:
        """The key that a value is in a dict."""
        if isinstance(value, TupleValue):
            value = Const(tuple(self.key_of(item, node) for item in value.items))
        value = self.assumptions.as_index(value)
        if isinstance(value, Const):
            try:
                hash(value.value)
            except TypeError:
                self.position.refuse(
                    "this key cannot be hashed",
                    "Use a number, a string or a tuple.",
                    node,
                )
            return value.value
        self.position.refuse(
            "a computed key is not supported",
            "Use literal keys, or a list indexed by position.",
            node,
        )

    def new_set(self, items: Sequence[Value], elements: Sequence[Node] = ()) -> Value:
        """A new set; where an item is a whole number or a string that is computed, the
        text alone knows how many there are. elements: the nodes of the items."""
        plain = all(map(self.keyed_items.may_be_key, items))
        if plain and any(map(self.is_computed, items)):
            listed = self.cells.new_cell(Cell("list", dict(enumerate(items)), list))
            if self.language.floatless(listed):
                facts = [self.operations.fact(item) for item in items]
                known = Fact("other", cls=set, element=functools.reduce(join, facts))
                return self.operations.apply(
                    set, (self.language.atom(listed),), fact=known
                )
        nodes = [*elements, *(None,) * (len(items) - len(elements))]
        keys = map(self.key_of, items, nodes)
        return self.cells.new_cell(
            Cell("set", dict(zip(keys, items, strict=True)), set)
        )

    def is_computed(self, item: Value) -> bool:
        """Whether an item is a whole number or a string that the text computes, or a
        tuple with such."""
        parts = self.language.items_of(item) if self.is_tuple(item) else None
        if parts is not None:
            return any(map(self.is_computed, parts))
        if not isinstance(self.assumptions.as_index(item), Var):
            return False
        return self.operations.fact(item).kind in ("int", "str", "bool")

    def is_tuple(self, item: Value) -> bool:
        """Whether an item is a tuple."""
        return (
            isinstance(item, TupleValue) or self.operations.fact(item).kind == "tuple"
        )

    @extensible
    def known_mapping(self, value: Value, node: Node) -> dict[object, Value]:
        """The items of a mapping of known keys."""
        raise NotImplementedError
