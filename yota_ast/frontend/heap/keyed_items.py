"""Items of a dict by a key that is computed while the text runs -> a branch for each.

In: a dict of which the keys are known, and a key, a string or a number, that is not:
`counts[name] += w`, `limits.get(kind, 1.0)`.  Out: the item that the tests of the key
choose; where it is none of them, what Python raises. Only what has been found by a key
is written by it, `d[k] = d[k] + w`: another key may be a new one.

A dict that is given a key that no tests find, `groups[label] = w`, is lowered again as
a KeyedDict of tables/keyed_dicts.py: a list of values, and where each key stands.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Keyed, Spot
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.tables.keyed_dicts import KeyedDict
from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import (
    Op,
    Raise,
)
from yota_ast.support.value_classes import has_labels

MOST_KEYS: Final = 16
"""A dict of more keys is held as a whole."""


class KeyedItems(Component):
    """Dicts whose items are found by tests."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    operations = uses(Operations)
    choice = uses(ObjectChoice)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.keys_found: dict[tuple[int, str], list[Op]] = {}  # see keyed_items.py
        self.factories: dict[int, Value] = {}  # of cells that are defaultdicts
        self.made_at: dict[int, Spot] = {}  # of cells that are dicts
        self.places: set[int] = set()  # cells that hold the places of a KeyedDict

    # ------------------------------------------------------------ computed keys

    def new_dict(self, items: Mapping[Any, Value]) -> Ref:
        """A new dict; where its keys are computed, a KeyedDict."""
        spot = self.position.spot()
        if spot in self.settings.keyed:
            return self.new_keyed_dict(items)
        made = self.cells.new_cell(Cell("dict", items, dict))
        self.made_at[made.cell] = spot
        return made

    def new_keyed_dict(self, items: Mapping[Any, Value]) -> Ref:
        """A dict whose keys the text computes."""
        made = self.language.call(Const(KeyedDict, "dict"), ())
        assert isinstance(made, Ref)
        if items:
            given = (
                TupleValue(tuple(map(Const, items))),
                TupleValue(tuple(items.values())),
            )
            self.language.call(Const(KeyedDict.begin, "begin"), (made, *given))
        return made

    def begin_keyed(self, owner: Value, key: Value) -> None:
        """Begin again, with a model of a dict, where it was made here and the key is
        one that the text can compute."""
        if not isinstance(owner, Ref) or not self.may_be_key(key):
            return
        spot = self.made_at.get(owner.cell)
        cell = self.cells.heap[owner.cell]
        if spot is not None and cell.var is None and not cell.fixed:
            raise Keyed(spot)

    def in_list(self, owner: Value, key: Value) -> tuple[Value, Value] | None:
        """The list of values of a KeyedDict, and where the value of a key stands."""
        if not isinstance(owner, Ref) or not self.is_keyed(owner):
            return None
        place = self.language.call(Const(KeyedDict.place, "place"), (owner, key))
        return self.cells.heap[owner.cell].items["held"], place

    def is_keyed(self, value: Value) -> bool:
        """Whether a value is a KeyedDict."""
        if not isinstance(value, Ref):
            return False
        return issubclass(self.cells.heap[value.cell].cls or object, KeyedDict)

    def copy_of(self, value: Value) -> Value | None:
        """dict(d) of a KeyedDict; None of anything else."""
        if not self.is_keyed(value):
            return None
        return self.language.call(Const(KeyedDict.copy, "copy"), (value,))

    def may_be_key(self, key: Value) -> bool:
        """Whether a key is a number, a string, or a tuple of such."""
        if isinstance(key, TupleValue):
            return all(map(self.may_be_key, key.items))
        known = self.operations.fact(key)
        if known.kind == "tuple":
            return all(map(_is_plain_key, known.items or (UNKNOWN,)))
        return _is_plain_key(known)

    # ------------------------------------------------------------ known keys

    def item_by_key(
        self, owner: Value, key: Value, default: Value | None = None
    ) -> Value | None:
        """owner[key], or owner.get(key, default); None where that is left to others."""
        keys = self.keys_to_test(owner, key)
        if keys is None or (default is None and not keys):
            return None
        if isinstance(owner, Argument):
            self.choice.tell_keys(owner)

        def missing() -> Value:
            return self.no_such_key(key) if default is None else default

        def found(one: object) -> Value:
            return self.language.subscript(owner, Const(one))

        item = self.where_it_is(key, keys, found, missing)
        if default is None and isinstance(owner, Ref) and isinstance(key, Var):
            self.keys_found[owner.cell, key.name] = self.blocks.ops
        return item

    def store_by_key(self, owner: Ref, key: Value, value: Value) -> bool:
        """owner[key] = value; whether that can be said by tests."""
        keys = self.keys_to_test(owner, key)
        if not keys or not isinstance(key, Var):
            return False
        ops = self.keys_found.get((owner.cell, key.name))
        if ops is None or not self.blocks.is_open(ops):
            return False

        def missing() -> Value:
            return self.no_such_key(key)

        def found(one: object) -> Value:
            self.cells.put(owner.cell, one, value)
            return NULL

        self.where_it_is(key, keys, found, missing)
        return True

    def where_it_is(
        self,
        key: Value,
        keys: Sequence[object],
        found: Callable[[object], Value],
        missing: Callable[[], Value],
    ) -> Value:
        """What is done for the one of some keys that a key is."""
        if not keys:
            return missing()
        test = self.language.truth(
            self.language.operate(operator.eq, key, Const(keys[0]))
        )
        rest = functools.partial(self.where_it_is, key, keys[1:], found, missing)
        if isinstance(test, bool):
            return found(keys[0]) if test else rest()
        return self.choice.choose(test, lambda: found(keys[0]), rest, form="if")

    def keys_to_test(self, owner: Value, key: Value) -> Sequence[object] | None:
        """The keys of a dict, where they are known, few, and such as can be tested."""
        if isinstance(owner, Ref):
            cell = self.cells.heap[owner.cell]
            if cell.kind != "dict" or cell.var is not None:
                return None
            if owner.cell in self.factories:
                return None
            if any(isinstance(v, Ref) for v in cell.items.values()):
                return None  # no list of these is to be one of several
            keys: Sequence[object] = tuple(cell.items)
        elif isinstance(owner, Argument) and owner.fact.kind == "dict":
            if owner.fact.keys is None or owner.fact.cls is not dict:
                return None
            if not all(f.is_numeric for f in owner.fact.items or ()):
                return None
            keys = owner.fact.keys
        else:
            return None
        known = self.operations.fact(key)
        scalar = known.kind == "scalar" and known.is_whole
        whole = known.kind in ("int", "bool") or scalar
        if has_labels(known.cls):  # read from a table: text or a whole number
            alike = {type(k) for k in keys} in ({str}, {int}, set())
            return keys if alike and len(keys) <= MOST_KEYS else None
        kind: type = str if known.kind == "str" else int
        if not (whole or known.kind == "str") or len(keys) > MOST_KEYS:
            return None
        return keys if all(type(k) is kind for k in keys) else None

    def no_such_key(self, key: Value) -> Value:
        """What Python raises where a dict has no such key."""
        raised = self.operations.apply(
            KeyError, (self.language.atom(key),), fact=UNKNOWN
        )
        self.blocks.emit(Raise(raised, self.position.origin))
        self.blocks.end_block()
        return NULL


def _is_plain_key(known: Fact) -> bool:
    """Whether a value is a number, a string, or what a dict itself may refuse."""
    return known.kind in ("int", "bool", "str", "float", "unknown") or (
        known.kind == "scalar" and not known.is_complex
    )
