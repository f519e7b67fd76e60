"""A loop, and what it runs over -> how long the lists are to which it appends.

    pred = [x]
    for k in range(1, n):         ->    pred has n items, if n - 1 is not below 0
        pred.append(...)

The length is that of the array which is made of the list, so that it is known to be
that of an array with which it meets.

>>> from yota_ast.ir.axis_lengths import axis_dim
>>> n = axis_dim("x.shape[0]", 5)
>>> str(length_after(ZERO, 1, n)), str(length_after(literal_dim(2), 2, n))
('x.shape[0]', '(2 * x.shape[0]) + 2')
>>> length = length_after(UNIT, 1, n.shifted(-1))
>>> str(length.uncut.length), [*map(str, length.uncut.naturals)]
('x.shape[0]', ['x.shape[0] - 1'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from yota_ast.frontend.expressions.atoms_of_values import end_of_range
from yota_ast.frontend.heap.lowered_values import Lazy, Value
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import (  # noqa: F401  UNIT in the example
    UNIT,
    ZERO,
    Dim,
    Uncut,
    is_natural,
    least_outside,
    literal_dim,
    more,
    total,
)
from yota_ast.ir.nodes import Op, Store
from yota_ast.ir.store_changes import AppendItem


def trips_of(iterable: Value, fact: Callable[[Value], Fact]) -> Dim | None:
    """Return how often a loop runs that nothing ends early; less than 0 is never."""
    if not isinstance(iterable, Lazy):
        known = fact(iterable)
        if known.kind == "list":
            return known.length
        axes = known.shape if known.kind == "array" else None
        return axes[0] if isinstance(axes, tuple) and axes else None
    if iterable.fn in (enumerate, reversed):
        return trips_of(iterable.args[0], fact)
    if iterable.fn is not range:
        return None
    ends = [*map(end_of_range, iterable.args)]
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    if step != 1 or type(step) is not int:
        return None
    if isinstance(start, int) and isinstance(stop, Dim):
        return more(stop, -start)
    parts = [literal_dim(e) if type(e) is int else e for e in (stop, start)]
    last, first = (e if isinstance(e, Dim) else None for e in parts)
    return total([(last, 1), (first, -1)]) if last and first else None


def appended(ops: Iterable[Op], first: Var, last: Atom | Undefined) -> int | None:
    """Return how many items each iteration appends to a list: `first` at its beginning,
    `last` at its end. None where that differs, or where more happens to the list."""
    now, count = first, 0
    for op in ops:
        if isinstance(op, Store) and op.target == now and op.index == Const(None):
            if not isinstance(op.change, AppendItem):
                return None
            now, count = op.out, count + 1
    return count if now == last else None


def length_at_first(init: Atom | Undefined) -> Dim | None:
    """Return how many items a list has before a loop."""
    if isinstance(init, Undefined):
        return None
    known = fact_of_atom(init)
    if known.kind != "list":
        return None
    return known.length if known.items is None else literal_dim(len(known.items))


def length_after(before: Dim, often: int, trips: Dim) -> Dim | None:
    """Return how many items a list has after a loop that appends to it so often in each
    iteration. Where it is not sure that the loop runs at all, it is told by name how
    many it has if it runs: lengths are 0 at least, and so is this."""
    if not before.base and not before.offset and often == 1:
        return trips
    length = total([(before, 1), (trips, often)])
    if length is None or is_natural(trips):
        return length
    least = least_outside(trips)
    if least is None:
        return None
    return Dim(
        f"@listed({length}, {trips})", uncut=Uncut(length, (least,), listed=True)
    )
