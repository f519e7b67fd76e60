"""A tidied reverse sweep -> the same for a seed of 1, to the last bit.

    dx = seed / c * x        dx = 1.0 / c * x
    dy = seed * y            dy = y

In: the sweep, and the adjoints at its end.  Out: the same with 1.0 for the seed, and
products with it left out. It is done after all that changes the order of factors, so
that the numbers are those of the sweep that is given a seed of 1.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ops import info
from ..renaming import Substitution
from ..tape import Apply, Atom, Block, Const, Op, Var
from .dead import without_dead
from .scope import fact_of_end


def with_unit(
    back: Block, ends: Mapping[str, Atom], seed: Var
) -> tuple[Block, dict[str, Atom]]:
    """Return the sweep and the adjoints where the seed is 1."""
    put = Substitution({seed.name: Const(1.0)})
    ops: list[Op] = []
    for op in back:
        new = put.op(op)
        found = _plain(new)
        if found is not None and isinstance(op, Apply):
            put.made[op.out.name] = found
        else:
            ops.append(new)
    made = {name: put.atom(d) for name, d in ends.items()}
    return without_dead(Block(tuple(ops)), made.values()), made


def _plain(op: Op) -> Atom | None:
    """Return what a product with 1 is."""
    if not isinstance(op, Apply) or info(op.fn).arithmetic != "product":
        return None
    for one, other in (op.args, op.args[::-1]):
        if one != Const(1.0):
            continue
        if isinstance(other, Const):
            return _as_float(other)
        known = fact_of_end(other)
        if known.is_floating and known.kind == op.out.fact.kind:
            return other
    return None


def _as_float(number: Const) -> Const | None:
    """Return a number that is written in the sweep as the float that 1.0 makes it."""
    value = number.value
    if number.text is not None or isinstance(value, bool):
        return None
    return Const(float(value)) if isinstance(value, (int, float)) else None
