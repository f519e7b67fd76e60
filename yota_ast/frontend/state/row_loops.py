"""Loops over rows of numbers that the caller passes: tuples of as many numbers each, as
the edges of a graph are, or dicts of the same keys.

    for i, j in edges:
        energy += (x[i] - x[j]) ** 2

One body stands for all of them. But lists and dicts of known items that a short loop
builds, the layers of `for n, m in shapes`, are worth a body for each.

In: what is iterated over, the loop, and the cells of the frame.  Out: which loops these
are, and which containers are known.

>>> from yota_ast.frontend.heap.lowered_values import Argument
>>> from yota_ast.ir.abstract_values import INT, Fact
>>> from yota_ast.ir.atoms import Var
>>> edge = Fact("tuple", items=(INT, INT), cls=tuple)
>>> edges = Argument(Var("edges"), (), Fact("list", items=(edge,) * 4, cls=list))
>>> holds_rows(edges.fact)
True
"""

from __future__ import annotations

from typing import Any, Final

from yota_ast.frontend.desugar.comprehension_loops import RESULT
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Lazy,
    Node,
    Ref,
    Value,
    holds_rows,
)
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.atoms import Const
from yota_ast.syntax import nodes

_BUILT: Final = ("list", "dict", "set")


def runs_over_rows(settings: Settings, iterable: Value) -> bool:
    """Return whether a loop runs over rows of numbers that are given, and one body may
    stand for them."""
    if isinstance(iterable, Lazy):
        return any(runs_over_rows(settings, a) for a in iterable.args)
    given = isinstance(iterable, Argument) and holds_rows(iterable.fact)
    return given and settings.rows


def is_beside_rows(value: Value, iterable: Lazy) -> bool:
    """Return whether the items of a list are numbers, each beside a row: those of
    `zip(edges, weights)` are known as little as the rows are."""
    if iterable.fn is not zip or not isinstance(value, Argument):
        return False
    if not any(isinstance(a, Argument) and holds_rows(a.fact) for a in iterable.args):
        return False
    items = value.fact.items
    return items is not None and all(f.is_numeric for f in items)


def known_containers(cells: Cells, frame: Any) -> frozenset[Any]:
    """Return the names of lists and dicts of a frame of which the items are known; not
    of what a generator gives, which is taken at once."""
    values = {n: cells.get((frame, n)) for n in cells.heap[frame].items if n != RESULT}
    held = {n: cells.heap[v.cell] for n, v in values.items() if isinstance(v, Ref)}
    known = (n for n, c in held.items() if c.kind in _BUILT and c.var is None)
    return frozenset(known)


def stores_by_keys(cells: Cells, frame: Any, stmt: Node) -> bool:
    """Return whether the body of a loop stores items in a dict: each key is known, if
    the loop is done item by item."""
    stored = {
        node.value.id
        for part in stmt.body
        for node in nodes.walk(part)
        if isinstance(node, nodes.Subscript)
        and isinstance(node.ctx, nodes.Store)
        and isinstance(node.value, nodes.Name)
    }
    values = [cells.get((frame, name)) for name in sorted(stored)]
    return "dict" in {cells.heap[v.cell].kind for v in values if isinstance(v, Ref)}


def indices_in_cell(value: Value) -> tuple[Value, ...] | None:
    """Return the items of a list or tuple of whole numbers that a closure holds."""
    if not isinstance(value, Const) or value.home or not value.text:
        return None
    items = value.value
    if not isinstance(items, (list, tuple)) or any(type(k) is not int for k in items):
        return None
    return tuple(Const(k) for k in items)
