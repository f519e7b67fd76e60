"""A `try` -> whether the tangents of its body can be computed after it, in its `else`.

What the tangents raise, if they do, is no error of the body's, which the handler would
take for one. So the body stays as it is: what it writes it must write last, and no
tangent may read that as it was before.
"""

from __future__ import annotations

import operator
from collections.abc import Collection

from yota_ast.adjoint.inplace.kept_views import Sharing
from yota_ast.analysis.activity import Activity
from yota_ast.analysis.points_to import written_by
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    Try,
    atoms_of,
    blocks_of,
    defined_by,
    walk,
)
from yota_ast.ir.store_changes import PUT, is_repeated, is_sum
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS
from yota_ast.ops.record import MOVING


def check_tried(
    op: Try, active: Activity, undefined: Collection[str], sharing: Sharing
) -> None:
    """Refuse a body whose tangents cannot be computed after it: it writes and goes on,
    or they stand within its branches and loops."""
    own = {v.name for each in op.body if not blocks_of(each) for v in defined_by(each)}
    inside = [v for each in walk(op.body) for v in defined_by(each)]
    moving = any(v in active and v.name not in own for v in inside)
    ends = (end for m in op.merges if m.out in active
            for end in (m.then, m.orelse) if isinstance(end, Var))  # fmt: skip
    moving = moving or any(end.name in undefined and end not in active for end in ends)
    if moving or not _writes_last(op.body, active, sharing):
        raise UnsupportedSyntax(
            "a `try` on the path of a derivative branches or writes, in forward mode",
            at=op.origin.location,
            remedy="Use reverse mode (`grad`), which handles it. Or assign in the "
            "`try` alone, and branch and write after it.",
        )


def _writes_last(body: Block, active: Activity, sharing: Sharing) -> bool:
    """Whether a body writes by its last op alone, if at all, into what no other op has
    read but number by number, and of which no tangent reads the result."""
    writing = [each for each in walk(body) if written_by(each)]
    if not writing:
        return True
    last = body.ops[-1]
    if len(writing) > 1 or writing[0] is not last or not isinstance(last, Store):
        return False
    change = last.change
    if change != PUT and (not is_sum(change) or is_repeated(change)):
        return False
    target = sharing.memory(last.target)
    return all(
        _reads_number(each)
        or sharing.memory(*_read_for(each, active)).isdisjoint(target)
        for each in body.ops[:-1]
    )


def _read_for(op: Op, active: Activity) -> list[Atom]:
    """What the tangent of an op may read: its operands, and its result, as that of
    `y = np.tanh(x)` does."""
    read: list[Atom] = [*atoms_of(op)]
    if isinstance(op, Apply) and op.out in active:
        known = info(op.fn)
        linear = known.copies or known.items in MOVING
        if not linear and known.arithmetic not in (*TERMS, "product"):
            read.append(op.out)
    return read


def _reads_number(op: Op) -> bool:
    """Whether an op reads a number from an array: its tangent reads the array's."""
    return isinstance(op, Apply) and op.fn is operator.getitem and op.out.fact.is_number
