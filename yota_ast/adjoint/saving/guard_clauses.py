"""A tape that begins with guard clauses -> the clauses, and the rest, each a tape.

`if q <= 0: return 0.0` at the top level of a function returns its own gradients in
place, and what follows stays flat. A clause stands where its reverse is short; it must
leave the forward sweep before it as it is, for the rest goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.sweeps import Request, Sweeps, sweeps
from yota_ast.analysis.activity import activity
from yota_ast.ir.abstract_values import NONE
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.nodes import Apply, Block, If, Op, atoms_of, walk
from yota_ast.ir.tape import Guard, Tape

LONGEST_CLAUSE = 12  # ops of the arm; longer ones read better as a branch
LONGEST_REVERSE = 14
MOST_ACTIVE = 100  # ops that are surely not all reversed by so few


def guard_clause(*read: object) -> None:
    """Marks, in the forward sweep of the rest, where a clause stands and what it
    reads."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A guard clause: the op that marks its place, its test, its own sweeps."""

    mark: Apply
    branch: If
    value: Atom
    ahead: tuple[Op, ...]
    done: Sweeps


def split(tape: Tape, request: Request) -> tuple[Tape, tuple[Clause, ...]]:
    """The rest of the function, and its guard clauses, in order."""
    clauses: list[Clause] = []
    while (found := _clause(tape, request)) is not None:
        clause, tape = found
        clauses.append(clause)
    return tape, tuple(clauses)


def _clause(tape: Tape, request: Request) -> tuple[Clause, Tape] | None:
    ops = tape.block.ops
    if not ops or not isinstance(ops[-1], If) or ops[-1].form != "if":
        return None
    branch, before = ops[-1], ops[:-1]
    ends = [(m.then, m.orelse) for m in branch.merges if m.out == tape.result]
    if not ends or len(list(walk(branch.then))) > LONGEST_CLAUSE:
        return None
    value, other = ends[0]
    if not isinstance(value, Atom) or not isinstance(other, Atom):
        return None
    arm = replace(tape, block=Block((*before, *branch.then.ops)), result=value)
    if _has_much_to_reverse(arm, request):
        return None
    done = sweeps(arm, request)
    if done.ahead.ops[: len(before)] != before:
        return None
    if len(list(walk(done.back))) > LONGEST_REVERSE:
        return None
    ahead = done.ahead.ops[len(before) :]
    out = Var(request.names.fresh("clause"), NONE)
    read = _read(Block((*ahead, *done.back.ops)), (value, *done.values))
    mark = Apply(out, guard_clause, (branch.test, *read), effect=True)
    rest = Block((*before, mark, *branch.orelse.ops))
    clause = Clause(mark, branch, value, ahead, done)
    return clause, replace(tape, block=rest, result=other)


def _has_much_to_reverse(arm: Tape, request: Request) -> bool:
    """Whether the reverse sweep is longer than a clause's for sure. An op that is
    active may be reversed by none of its own: a sum by what its terms are given."""
    active = activity(arm, request.leaves, request.through)
    ops = [op for op in walk(arm.block) if isinstance(op, Apply) and op.out in active]
    return len(ops) > MOST_ACTIVE


def _read(block: Block, ends: tuple[Atom, ...]) -> tuple[Var, ...]:
    """The variables that a block, and what follows it, read."""
    atoms = [*ends]
    for op in walk(block):
        atoms += [a for a in (*atoms_of(op), *ends_of(op)) if isinstance(a, Var)]
    return tuple(dict.fromkeys(a for a in atoms if isinstance(a, Var)))


def placed(
    ahead: Block, clauses: tuple[Clause, ...]
) -> tuple[Block, tuple[Guard, ...]]:
    """The forward sweep without its marks, and the clauses by their places in it."""
    by_mark = {c.mark.out.name: c for c in clauses}
    ops: list[Op] = []
    guards: list[Guard] = []
    for op in ahead:
        clause = by_mark.get(op.out.name) if isinstance(op, Apply) else None
        if clause is None:
            ops.append(op)
            continue
        block = Block((*clause.ahead, *clause.done.back.ops))
        test, origin = clause.branch.test, clause.branch.origin
        guards.append(
            Guard(len(ops), test, block, clause.value, clause.done.values, origin)
        )
    return Block(tuple(ops)), tuple(guards)


def assumed_by(all_sweeps: Iterable[Sweeps]) -> Assumptions:
    """What several sweeps together take for granted."""
    whole = Assumptions()
    for each in all_sweeps:
        whole.update(each.assumed)
    return whole
