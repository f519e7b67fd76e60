"""The places of the keys of a KeyedDict -> a dict of whole numbers in the text.

What `tables/keyed_dicts.py` asks of them are ops on that dict: `places[key]`, and `key
in places` where no arm of a branch has asked that before.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Final

from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.known_in_arm import known_in_arm
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import Cell, TupleValue, Value
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.tables.keyed_dicts import (
    has_place,
    held_by,
    no_places,
    place_of,
    places_at,
)
from yota_ast.ir.abstract_values import BOOL, INT
from yota_ast.ir.atoms import Const


def _none_yet(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """The places of the keys of a KeyedDict, which are held as a whole."""
    return _held(lowering, {})


def _of_known(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """The same of keys that are known."""
    (keys,) = args
    assert isinstance(keys, TupleValue)
    known = [key.value for key in keys.items if isinstance(key, Const)]
    return _held(lowering, {key: Const(k) for k, key in enumerate(known)})


def _list_of(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """The values of a KeyedDict, which are held as a whole."""
    (values,) = args
    assert isinstance(values, TupleValue)
    made = Cells.of(lowering).new_cell(
        Cell("list", dict(enumerate(values.items)), list)
    )
    ListMethods.of(lowering).hold_as_variable(made)
    return made


def _held(lowering: Component, items: Mapping[Any, Value]) -> Value:
    """A dict that is held as a whole."""
    made = Cells.of(lowering).new_cell(Cell("dict", items, dict))
    KeyedItems.of(lowering).places.add(made.cell)
    ListMethods.of(lowering).hold_as_variable(made)
    return made


def _is_there(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """Whether a KeyedDict has a key."""
    whole, key = map(Language.of(lowering).atom, args)
    known = known_in_arm(lowering, (whole, key))
    if known is not None:
        return Const(known)
    return Operations.of(lowering).apply(
        operator.contains, (whole, key), form="operator", fact=BOOL
    )


def _place(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """Where a key of a KeyedDict stands."""
    atoms = tuple(map(Language.of(lowering).atom, args))
    operations = Operations.of(lowering)
    return operations.apply(operator.getitem, atoms, form="subscript", fact=INT)


PLACES: Final[dict[Any, Any]] = {
    no_places: _none_yet,
    places_at: _of_known,
    held_by: _list_of,
    place_of: _place,
    has_place: _is_there,
}
