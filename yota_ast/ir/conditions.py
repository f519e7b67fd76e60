"""Branches -> which are conditions: comparisons of numbers, joined by `and` or `or`.

`a <= x < b`, `0 < i < n - 1` and `x < a and y > b` cost no more than the test that
they are: they are written where they decide rather than named and kept.

>>> from yota_ast.ir.abstract_values import BOOL, FLOAT
>>> from yota_ast._speed.fast_dataclasses import replace
>>> from yota_ast.ir.nodes import Block, Merge
>>> x, low, high, out = (Var(n, FLOAT) for n in ("x", "low", "high", "out"))
>>> import operator
>>> made = Apply(high, operator.lt, (x, Const(0.5)))
>>> chain = If(low, Block((made,)), Block(()), (Merge(out, high, Const(False)),))
>>> right_of(chain), [op.fn.__name__ for op in right_of(replace(chain, form="chain"))]
((), ['lt'])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, assert_never

from yota_ast.errors import InternalError
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import (
    Apply,
    Compound,
    If,
    Op,
    Simple,
    defined_by,
)
from yota_ast.ops.algebra import KEEPING, operated
from yota_ast.ops.spellings import COMPARING, IDENTITY
from yota_ast.syntax.names import is_weak

COMPARISONS: Final = tuple(op.fn for op in (*COMPARING, *IDENTITY))
COMPARED: Final = 3
_OPS: Final = 4
"""How many comparisons a condition may have, and how many ops its right operand."""


def expression(op: Op) -> Apply | If:
    """Return an op that a value is computed by again: a primitive or a condition."""
    match op:
        case Apply() | If():
            return op
        case Simple() | Compound():
            raise InternalError(f"{type(op).__name__} is no expression")
        case _:
            assert_never(op)


def is_comparison(op: Apply) -> bool:
    """Say whether an op compares numbers, strings and None."""
    if op.fn not in COMPARISONS:
        return False
    return all(
        isinstance(a, Const) or a.fact.is_scalar or a.fact.kind in ("str", "none")
        for a in op.args
    )


def right_of(op: Op) -> tuple[Apply, ...]:
    """Return the ops of the right operand of a condition; none where it has others
    than comparisons and the sums and products compared, or too many."""
    if not isinstance(op, If) or len(op.merges) != 1:
        return ()
    if op.form not in ("and", "chain", "or"):
        return ()
    (merge,) = op.merges
    right, left = (op.then, merge.then), (op.orelse, merge.orelse)
    if op.form == "or":
        right, left = left, right
    block, end = left
    if block or not (end == op.test or isinstance(end, Const)):
        return ()
    found: list[Apply] = []
    made: tuple[Var, ...] = ()
    block, end = right
    for inner in block:
        parts = _operations_of(inner)
        if not parts or not all(map(_is_part, parts)):
            return ()
        found.extend(parts)
        made = defined_by(inner)
    return tuple(found) if made == (end,) and len(found) <= _OPS else ()


def _operations_of(op: Op) -> tuple[Apply, ...]:
    match op:
        case Apply():
            return (op,)
        case If():
            return right_of(op)
        case Simple() | Compound():
            return ()
        case _:
            assert_never(op)


def _is_part(op: Apply) -> bool:
    scalar = op.out.fact.kind in ("int", "float")
    return is_comparison(op) or (operated(op.fn) in KEEPING and scalar)


def left_of(op: If, made: Callable[[str], Op | None]) -> tuple[Apply | If, ...] | None:
    """Return the ops that the left operand of a condition is computed by, the last one
    first: none where it is a variable of the user's; None where `op` is no condition.

    made: gives the op that makes a variable, as far as it may be part of it.
    """
    found: list[Apply | If] = []
    count, each = 0, op
    while right := right_of(each):
        count += sum(map(is_comparison, right))
        test = each.test
        if not isinstance(test, Var) or count >= COMPARED:
            break
        if not is_weak(test.hint):
            return tuple(found)
        match before := made(test.name):
            case Apply():
                return (*found, before) if is_comparison(before) else None
            case If():
                found.append(before)
                each = before
            case Simple() | Compound() | None:
                break
            case _:
                assert_never(before)
    return None


def read_by(op: If) -> tuple[Var, ...]:
    """Return what a condition reads of what is outside of it."""
    right = right_of(op)
    operands = (op.test, *(a for made in right for a in made.args))
    inner = {made.out for made in right}
    return tuple(a for a in operands if isinstance(a, Var) and a not in inner)
