"""A store of several numbers side by side -> the cells, and the number for each.

>>> from yota_ast.ir.abstract_values import FLOAT, array_fact
>>> from yota_ast.ir.atoms import Var
>>> a, b, pair = Var("a", FLOAT), Var("b", FLOAT), Var("pair")
>>> listed, u = Apply(pair, build_tuple, (a, b)), Var("u", array_fact("f8", (None,)))
>>> store = Store(u, u, Const(slice(1, 3)), pair)
>>> {k: v.name for k, v in cells_put(store, listed)}
{1: 'a', 2: 'b'}
"""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast.ir.abstract_values import NUMBERS
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply, Op, Store
from yota_ast.ir.store_changes import PUT


def cells_put(op: Store, listed: Op | None) -> Sequence[tuple[int, Atom]]:
    """Return what `u[:2] = a, b` puts into each cell of a vector; listed: what makes
    its value. () of any other store, or of one that fits no vector.
    """
    part = op.index.value if isinstance(op.index, Const) else None
    if op.change != PUT or type(part) is not slice or op.target.fact.rank != 1:
        return ()
    if not isinstance(listed, Apply) or listed.fn not in (build_list, build_tuple):
        return ()
    start = part.start or 0
    if type(start) is not int or start < 0 or part.step is not None:
        return ()
    numbers = all(fact_of_atom(a).kind in NUMBERS for a in listed.args)
    if not numbers or part.stop != start + len(listed.args):
        return ()
    return [*enumerate(listed.args, start)]
