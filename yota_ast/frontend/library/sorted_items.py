"""`sorted`, and `min` and `max` with a key: which item comes where, then the items.

`sorted(xs, key=f)` is `[xs[k] for k in sorted(range(n), key=keys.__getitem__)]`, where
the keys are `[f(x) for x in xs]`: Python compares the same keys in the same order, so
the order is the same, ties and all.  The order has no derivative, the items have.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

from yota_ast.frontend.heap.lowered_values import NULL, Cell, Lazy, TupleValue, Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.ir.abstract_values import INT, Fact
from yota_ast.ir.atoms import Atom, Const

CALLABLE: Final = Fact("callable")


def _ordered(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """sorted(xs, key=f, reverse=r)."""
    named = dict(kwargs)
    function, reverse = named.pop("key", NULL), named.pop("reverse", Const(False))
    if len(args) != 1 or named:
        return None
    values = _run_through(self, args[0])
    items = self.items_of(values)
    known = None if items is None else [self.known_value(v) for v in items]
    plain = known is not None and None not in known
    if plain and function == NULL and isinstance(reverse, Const):
        found = sorted((k.value for k in known or ()), reverse=bool(reverse.value))
        return _listed(self, [Const(v) for v in found])
    places = None if items is None else _known_order(self, items, function, reverse)
    if items is not None and places is not None:
        return _listed(self, [items[k] for k in places])
    key, count, keys = _key(self, values, items, function)
    flag: tuple[tuple[str, Atom], ...] = ()
    if reverse != Const(False):
        flag = (("reverse", self.atom(reverse)),)
    counted = len(items) if items is not None else None
    fact = Fact("list", items=None if counted is None else (INT,) * counted, cls=list)
    if counted is None:
        fact = Fact("list", cls=list, element=INT)
    options = (("key", key), *flag)
    order = self.apply(sorted, (count,), options, fact=fact)
    if items is None:
        made: Value = self.python("[xs[k] for k in order]", xs=values, order=order)
        return made
    listed = _listed(self, items)
    things = self.things_in(listed) is not None
    if not things:
        listed = keys if function == NULL else self.atom(listed)
    places = [
        self.apply(operator.getitem, (order, Const(k)), form="subscript", fact=INT)
        for k in range(len(items))
    ]
    return _listed(self, [self.subscript(listed, k) for k in places])


def _known_order(
    self: Any, items: Sequence[Value], function: Value, reverse: Value
) -> list[int] | None:
    """Which item comes where, if literals decide it: of pairs the first of each, where
    no two are alike, as the keys of `d.items()` are."""
    flag, mark = self.known_value(reverse), self.mark()
    keys = items
    if function != NULL:
        keys = [self.call(function, (v,)) for v in items]
    known = [self.known_value(k) for k in keys]
    if None in known and all(map(_is_pair, keys)):
        known = [self.known_value(k.items[0]) for k in keys]  # type: ignore[union-attr]
        if None not in known and len({k.value for k in known}) < len(known):
            known = [None]
    try:
        values = [k.value for k in known]
        return sorted(range(len(items)), key=values.__getitem__, reverse=flag.value)
    except (AttributeError, TypeError):  # what is no literal; Python raises as it runs
        self.back_to(mark)
        return None


def _is_pair(key: Value) -> bool:
    """Whether a key is a tuple, compared as tuples are: its first item decides."""
    return isinstance(key, TupleValue) and key.cls is tuple and bool(key.items)


def _run_through(self: Any, value: Value) -> Value:
    """What is put in order, found by positions: of a dict the list of its keys, of an
    iterator or a table that of its items."""
    found: Value = self.run_through(value)
    if self.items_of(found) is not None:
        return found
    if isinstance(found, Lazy):
        found = self.call(Const(list, "list", "builtins"), (found,))
    elif self.fact(found).kind in ("dict", "other"):
        found = self.apply(list, (self.atom(found),))
    return found


def _listed(self: Any, items: Sequence[Value]) -> Value:
    made: Value = self.new_cell(Cell("list", dict(enumerate(items)), list))
    return made


def _key(
    self: Any, values: Value, items: tuple[Value, ...] | None, function: Value
) -> tuple[Atom, Atom, Atom]:
    """What gives the key of the item at a position, the positions, and the keys."""
    if items is not None:
        keys = items
        if function != NULL:
            keys = tuple(self.call(function, (v,)) for v in items)
        listed = self.atom(_listed(self, keys))
    elif function != NULL:
        listed = self.atom(self.python("[f(v) for v in xs]", f=function, xs=values))
    else:
        listed = self.atom(values)
    count = Const(len(items)) if items is not None else self.apply(len, (listed,))
    positions = self.apply(range, (count,))
    args = (listed, Const("__getitem__"))
    key = self.apply(
        getattr, args, form="attribute", spelling="__getitem__", fact=CALLABLE
    )
    return key, positions, listed


def extreme_by_key(self: Any, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """max(xs, key=f), min(a, b, key=f): the first of those with the extreme key."""
    named = dict(kwargs)
    function, default = named.pop("key", NULL), named.pop("default", None)
    if function == NULL or named or not args:
        return None
    several = len(args) > 1
    values = _listed(self, args) if several else _run_through(self, args[0])
    items = self.items_of(values)
    if default is not None and (several or not items):
        return default if items == () and not several else None
    if items is not None and len(items) == 1:
        first: Value = items[0]
        return first
    key, positions, _ = _key(self, values, items, function)
    place = self.apply(fn, (positions,), (("key", key),), fact=INT)
    if items is None:
        found: Value = self.python("xs[k]", xs=values, k=place)
        return found
    listed = _listed(self, items)
    if self.things_in(listed) is None:
        listed = self.atom(listed)
    chosen: Value = self.subscript(listed, place)
    return chosen


def _largest(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    kwargs = _without_none(kwargs)
    if "key" in dict(kwargs):
        return extreme_by_key(self, max, args, kwargs)
    made: Value | None = self.builtin_max(args, kwargs)
    return made


def _smallest(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    kwargs = _without_none(kwargs)
    if "key" in dict(kwargs):
        return extreme_by_key(self, min, args, kwargs)
    made: Value | None = self.builtin_min(args, kwargs)
    return made


def _without_none(kwargs: Kwargs) -> Kwargs:
    """The same without `key=None`, which says nothing."""
    return tuple((k, v) for k, v in kwargs if (k, v) != ("key", NULL))


ORDERING: Final[dict[Any, Handler]] = {sorted: _ordered, max: _largest, min: _smallest}
"""What is done in place of a call of a function."""
