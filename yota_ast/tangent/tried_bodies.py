"""A `try` -> whether the tangents of its body can be computed after it, in its `else`.

What the tangents raise, if they do, is no error of the body's, which the handler would
take for one. So the body stays as it is: what it writes it must write last, and no
tangent may read that as it was before. A body that branches or loops is run again in
the `else`, with its tangents, if that changes nothing: it raises no more then.
"""

from __future__ import annotations

import operator
from collections.abc import Collection

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.inplace.kept_views import Sharing
from yota_ast.analysis.activity import Activity, makes_iterator
from yota_ast.analysis.points_to import written_by
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import bound_by, has_effect
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Outlined,
    Raise,
    Store,
    Try,
    atoms_of,
    blocks_of,
    defined_by,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import PUT, is_repeated, is_sum
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS
from yota_ast.ops.record import MOVING


def come_after(op: Try, active: Activity, sharing: Sharing) -> bool:
    """Whether the tangents of a body can be computed from what it leaves: it writes by
    its last statement alone, and no branch, loop or call of the program varies."""
    own = {v.name for each in op.body if not blocks_of(each) for v in defined_by(each)}
    inside = [v for each in walk(op.body) for v in defined_by(each)]
    moving = any(v in active and v.name not in own for v in inside)
    calls = any(
        isinstance(each, Apply) and isinstance(each.fn, Outlined) and each.out in active
        for each in op.body
    )
    return not (moving or calls) and _writes_last(op.body, active, sharing)


def check_values(op: Try, active: Activity, undefined: Collection[str]) -> None:
    """Refuse what has a tangent on one way, and may have no value on the other."""
    ends = (end for m in op.merges if m.out in active
            for end in (m.then, m.orelse) if isinstance(end, Var))  # fmt: skip
    if any(end.name in undefined and end not in active for end in ends):
        raise _refusal(op, "may give no value")


def _refusal(op: Try, what: str) -> UnsupportedSyntax:
    return UnsupportedSyntax(
        f"a `try` on the path of a derivative {what}, in forward mode",
        at=op.origin.location,
        remedy="Use reverse mode (`grad`), which handles it. Or assign in the "
        "`try` alone, and branch and write after it.",
    )


def run_again(op: Try, names: Names, sharing: Sharing) -> tuple[Block, Block]:
    """The body under other names, which is tried; and the body itself, which is run
    after that has raised nothing.

    Raises UnsupportedSyntax where it does more than compute.
    """
    inside = [v for each in walk(op.body) for v in bound_by(each)]
    own = {v.name for v in inside}
    written = [written_by(each) for each in walk(op.body)]
    changed = {r for v in written if v is not None for r in sharing.memory(v)}
    running = any(
        isinstance(a, Var) and makes_iterator(a.fact.cls) and a.name not in own
        for each in walk(op.body)
        for a in atoms_of(each)
    )
    acts = any(has_effect(each) and not isinstance(each, Raise) and not written_by(each)
               for each in walk(op.body))  # fmt: skip
    if acts or running or not changed <= own:
        raise _refusal(op, "branches and writes")
    others = {v.name: replace(v, name=names.fresh(v.name)) for v in inside}
    return Substitution(others).block(op.body), op.body


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
    `y = np.tanh(x)` does. That of `x[i]` reads i alone, and the tangent of x."""
    read: list[Atom] = [*atoms_of(op)]
    if isinstance(op, Apply) and op.out in active:
        known = info(op.fn)
        if op.fn is operator.getitem:
            return read[1:]
        linear = known.copies or known.items in MOVING
        if not linear and known.arithmetic not in (*TERMS, "product"):
            read.append(op.out)
    return read


def _reads_number(op: Op) -> bool:
    """Whether an op reads a number from an array: its tangent reads the array's."""
    return isinstance(op, Apply) and op.fn is operator.getitem and op.out.fact.is_number
