"""An op -> whether computing it again costs less than keeping its result."""

from __future__ import annotations

import operator

from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.spellings import SIGN_OF


def is_cheap(op: Apply) -> bool:
    """Whether an op is a view, a single sum or product, or arithmetic on scalars."""
    if op.effect:
        return False
    cost = info(op.fn).cost
    if cost == "little":
        return True
    if op.fn is operator.getitem:  # an index array copies, everything else is a view
        return all(not isinstance(a, Var) or _plain_index(a) for a in op.args[1:])
    return cost == "little for numbers" and op.out.fact.is_scalar


def is_arithmetic(op: Apply) -> bool:
    """Whether an op is an operator: the text repeats it sooner than it names it."""
    return is_cheap(op) and (op.fn in SIGN_OF or op.fn is operator.getitem)


def _plain_index(index: Var) -> bool:
    return index.fact.kind in ("int", "other", "tuple", "str") or (
        index.fact.kind == "scalar"
    )
