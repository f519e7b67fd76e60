"""The reverse of a loop -> the carried adjoints that every iteration finds 0.

    for i in range(n):                  for saved in ...:
        np.sin(x, out=work)                 dwork = ...     dwork is 0 here, each time
        x += work                           dx += dwork * np.cos(x)

Nothing reads `work` behind the loop, and each iteration writes it before it reads it.
So its adjoint is 0 behind the loop, and 0 in front of each iteration. In: the ops that
the body of the reverse has. Out: whether an adjoint is 0 there, if some others are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply, Op, only
from yota_ast.runtime import expand, ungetitem, unset

SameIndex = Callable[[Atom, Atom], bool]
"""Whether two indices are built alike of the same numbers."""


def found_zero(
    carried: Mapping[str, Atom | None], ops: Sequence[Op], same: SameIndex
) -> AbstractSet[str]:
    """Return those of some adjoints that each iteration finds 0, if the first does.

    carried: by the name that an adjoint has as an iteration finds it, what the
    iteration leaves of it for the next one; None for nothing.

    >>> from yota_ast.ir.abstract_values import array_fact
    >>> d, e, x, y, z = (Var(n, array_fact("f8", (None,))) for n in "dexyz")
    >>> ops = (
    ...     Apply(y, ungetitem, (x, x, Const(0))),
    ...     Apply(z, operator.add, (d, y)),
    ...     Apply(e, unset, (z, Const(0))),
    ... )
    >>> found_zero({"d": e}, ops, operator.eq), found_zero({"d": z}, ops, operator.eq)
    ({'d'}, set())
    """
    zero, applied = set(carried), tuple(only(ops, Apply))
    while True:
        cells = _cells(zero, applied, same)
        still = {n for n in zero if _at(carried[n], cells) == ()}
        if still == zero:
            return zero
        zero = still


Cells = dict[str, tuple[Atom, ...]]
"""The indices at which adjoints may be other than 0, by name, where they are known."""


def _cells(zero: AbstractSet[str], ops: Sequence[Apply], same: SameIndex) -> Cells:
    """Return the cells of what some ops make; zero: what is 0."""
    cells: Cells = dict.fromkeys(zero, ())
    for op in ops:
        found = _of_op(op, cells, same)
        if found is not None:
            cells[op.out.name] = found
    return cells


def _of_op(op: Apply, cells: Cells, same: SameIndex) -> tuple[Atom, ...] | None:
    if op.fn is np.zeros_like or (op.fn is expand and op.args[0] == Const(0.0)):
        return ()
    if op.fn is ungetitem:
        return (op.args[2],)
    if op.fn is unset and len(op.args) == 2:
        before = _at(op.args[0], cells)
        if before is not None:
            return tuple(c for c in before if not same(c, op.args[1]))
    if op.fn is operator.add:
        one, other = (_at(a, cells) for a in op.args)
        if one is not None and other is not None:
            return (*one, *other)
    return None


def _at(adjoint: Atom | None, cells: Cells) -> tuple[Atom, ...] | None:
    """Return the cells of an adjoint: none if there is none, or 0."""
    if isinstance(adjoint, Var):
        return cells.get(adjoint.name)
    return () if adjoint in (None, Const(0.0)) else None
