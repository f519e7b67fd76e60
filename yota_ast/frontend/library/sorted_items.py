"""`sorted`, and `min` and `max` with a key: which item comes where, then the items.

`sorted(xs, key=f)` is `[xs[k] for k in sorted(range(n), key=keys.__getitem__)]`, where
the keys are `[f(x) for x in xs]`: Python compares the same keys in the same order, so
the order is the same, ties and all.  The order has no derivative, the items have.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.applied_functions import AppliedFunctions
from yota_ast.frontend.heap.lowered_values import NULL, Cell, Lazy, TupleValue, Value
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.builtin_reductions import BuiltinReductions
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.abstract_values import INT, Fact
from yota_ast.ir.atoms import Atom, Const

CALLABLE: Final = Fact("callable")


def _ordered(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """sorted(xs, key=f, reverse=r)."""
    language = Language.of(lowering)
    operations = Operations.of(lowering)
    named = dict(kwargs)
    function, reverse = named.pop("key", NULL), named.pop("reverse", Const(False))
    if len(args) != 1 or named:
        return None
    values = _run_through(lowering, args[0])
    items = language.items_of(values)
    literal = ValueAssumptions.of(lowering).known_value
    known: Any = None if items is None else [literal(v) for v in items]
    plain = known is not None and None not in known
    if plain and function == NULL and isinstance(reverse, Const):
        found = sorted((k.value for k in known or ()), reverse=bool(reverse.value))
        return _listed(lowering, [Const(v) for v in found])
    places = None if items is None else _known_order(lowering, items, function, reverse)
    if items is not None and places is not None:
        return _listed(lowering, [items[k] for k in places])
    key, count, keys = _key(lowering, values, items, function)
    flag: tuple[tuple[str, Atom], ...] = ()
    if reverse != Const(False):
        flag = (("reverse", language.atom(reverse)),)
    counted = len(items) if items is not None else None
    fact = Fact("list", items=None if counted is None else (INT,) * counted, cls=list)
    if counted is None:
        fact = Fact("list", cls=list, element=INT)
    options = (("key", key), *flag)
    order = operations.apply(sorted, (count,), options, fact=fact)
    if items is None:
        return AppliedFunctions.of(lowering).python(
            "[xs[k] for k in order]", xs=values, order=order
        )
    listed = _listed(lowering, items)
    things = ObjectChoice.of(lowering).things_in(listed) is not None
    if not things:
        listed = keys if function == NULL else language.atom(listed)
    apply = operations.apply
    taken = [
        apply(operator.getitem, (order, Const(k)), form="subscript", fact=INT)
        for k in range(len(items))
    ]
    return _listed(lowering, [language.subscript(listed, k) for k in taken])


def _known_order(
    lowering: Component, items: Sequence[Value], function: Value, reverse: Value
) -> list[int] | None:
    """Which item comes where, if literals decide it: of pairs the first of each, where
    no two are alike, as the keys of `d.items()` are."""
    snapshots = Snapshots.of(lowering)
    literal = ValueAssumptions.of(lowering).known_value
    flag: Any = literal(reverse)
    mark, keys = snapshots.mark(), items
    if function != NULL:
        keys = [Language.of(lowering).call(function, (v,)) for v in items]
    known: list[Any] = [literal(k) for k in keys]
    if None in known and all(map(_is_pair, keys)):
        known = [literal(k.items[0]) for k in keys]  # type: ignore[union-attr]
        if None not in known and len({k.value for k in known}) < len(known):
            known = [None]
    try:
        values = [k.value for k in known]
        return sorted(range(len(items)), key=values.__getitem__, reverse=flag.value)
    except (AttributeError, TypeError):  # what is no literal; Python raises as it runs
        snapshots.back_to(mark)
        return None


def _is_pair(key: Value) -> bool:
    """Whether a key is a tuple, compared as tuples are: its first item decides."""
    return isinstance(key, TupleValue) and key.cls is tuple and bool(key.items)


def _run_through(lowering: Component, value: Value) -> Value:
    """What is put in order, found by positions: of a dict the list of its keys, of an
    iterator or a table that of its items."""
    language = Language.of(lowering)
    operations = Operations.of(lowering)
    found: Value = language.run_through(value)
    if language.items_of(found) is not None:
        return found
    if isinstance(found, Lazy):
        found = language.call(Const(list, "list", "builtins"), (found,))
    kind = operations.fact(found).kind
    if kind in ("dict", "other") or (kind == "unknown" and language.floatless(found)):
        found = operations.apply(list, (language.atom(found),))
    return found


def _listed(lowering: Component, items: Sequence[Value]) -> Value:
    return Cells.of(lowering).new_cell(Cell("list", dict(enumerate(items)), list))


def _key(
    lowering: Component, values: Value, items: tuple[Value, ...] | None, function: Value
) -> tuple[Atom, Atom, Atom]:
    """What gives the key of the item at a position, the positions, and the keys."""
    language = Language.of(lowering)
    operations = Operations.of(lowering)
    if items is not None:
        keys = items
        if function != NULL:
            keys = tuple(language.call(function, (v,)) for v in items)
        listed = language.atom(_listed(lowering, keys))
    elif function != NULL:
        listed = language.atom(
            AppliedFunctions.of(lowering).python(
                "[f(v) for v in xs]", f=function, xs=values
            )
        )
    else:
        listed = language.atom(values)
    count = Const(len(items)) if items is not None else operations.apply(len, (listed,))
    positions = operations.apply(range, (count,))
    args = (listed, Const("__getitem__"))
    key = operations.apply(
        getattr, args, form="attribute", spelling="__getitem__", fact=CALLABLE
    )
    return key, positions, listed


def extreme_by_key(
    lowering: Component, fn: Any, args: Args, kwargs: Kwargs
) -> Value | None:
    """max(xs, key=f), min(a, b, key=f): the first of those with the extreme key."""
    language = Language.of(lowering)
    named = dict(kwargs)
    function, default = named.pop("key", NULL), named.pop("default", None)
    if function == NULL or named or not args:
        return None
    several = len(args) > 1
    values = _listed(lowering, args) if several else _run_through(lowering, args[0])
    items = language.items_of(values)
    if default is not None and (several or not items):
        return default if items == () and not several else None
    if items is not None and len(items) == 1:
        return items[0]
    key, positions, _ = _key(lowering, values, items, function)
    place = Operations.of(lowering).apply(fn, (positions,), (("key", key),), fact=INT)
    if items is None:
        return AppliedFunctions.of(lowering).python("xs[k]", xs=values, k=place)
    listed = _listed(lowering, items)
    if ObjectChoice.of(lowering).things_in(listed) is None:
        listed = language.atom(listed)
    return language.subscript(listed, place)


def _largest(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    kwargs = _without_none(kwargs)
    if "key" in dict(kwargs):
        return extreme_by_key(lowering, max, args, kwargs)
    return BuiltinReductions.of(lowering).builtin_max(args, kwargs)


def _smallest(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    kwargs = _without_none(kwargs)
    if "key" in dict(kwargs):
        return extreme_by_key(lowering, min, args, kwargs)
    return BuiltinReductions.of(lowering).builtin_min(args, kwargs)


def _without_none(kwargs: Kwargs) -> Kwargs:
    """The same without `key=None`, which says nothing."""
    return tuple((k, v) for k, v in kwargs if (k, v) != ("key", NULL))


ORDERING: Final[dict[Any, Handler]] = {sorted: _ordered, max: _largest, min: _smallest}
"""What is done in place of a call of a function."""
