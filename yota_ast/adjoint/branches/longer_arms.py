"""A reverse sweep -> the same, where what one arm's cotangent adds stands in that arm.

    if r > top:                            if not r > top:
        dr = 0.0                               dr = 2 * dy * r
    else:                                      dd = dr * d
        dr = 2 * dy * r         ->             dx[i] += dd
    dd = dr * d                                dx[j] -= dd
    dx[i] += dd
    dx[j] -= dd

The other arm has nothing to add, so the iterations that go there end early. As for the
choices of `taken_branches.py`, all that is computed of the cotangent is linear in it,
and is read by nothing but sums in place. What stands between the branch and the sums
comes before it. The branch stays as it is where that may not be.

In: the reverse sweep, with adjoints that add up in place.  Out: the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.branches.chosen_ways import is_nothing
from yota_ast.adjoint.branches.one_branch import one_branch
from yota_ast.adjoint.branches.taken_branches import (
    Branching,
    Ends,
    branching_of,
    within,
)
from yota_ast.analysis.points_to import is_augmented
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import bound_by, names_read
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    If,
    Merge,
    Op,
    atoms_of,
    of_ops,
    walk,
)
from yota_ast.ir.renaming import Substitution


def with_longer_arms(back: Block, results: Iterable[Atom], names: Names) -> Block:
    """Return the sweep with such arms; results: what it returns."""
    if not any(map(_gives_one_arm, walk(back))):
        return back
    return _Arms(branching_of(back, names)).block(back, tuple(results))


def _gives_one_arm(op: Op) -> TypeGuard[If]:
    """Say whether one arm of a branch gives a cotangent, and the other gives 0."""
    if not isinstance(op, If) or op.form != "if" or not isinstance(op.test, Var):
        return False
    return any(map(_is_of_one_arm, op.merges))


def _is_of_one_arm(merge: Merge) -> bool:
    ends = merge.then, merge.orelse
    if any(isinstance(end, Undefined) for end in ends):
        return False
    return is_nothing(merge.then) != is_nothing(merge.orelse)


@dataclass(frozen=True, slots=True)
class _Arms:
    branching: Branching

    def block(self, block: Block, ends: Ends) -> Block:
        """Return a block; ends: what is read where it ends."""
        ops = [within(op, self.block) for op in block]
        for at in range(len(ops) - 1, -1, -1):
            op = ops[at]
            if _gives_one_arm(op):
                ops = self._lengthened(ops, at, op, ends) or ops
        return of_ops(block, tuple(ops))

    def _lengthened(
        self, ops: Sequence[Op], at: int, branch: If, ends: Ends
    ) -> list[Op] | None:
        """Return the ops with longer arms of the branch at an index; None: they stay.

        What the arms give is first chosen behind the branch, and what is computed of
        the choice is put into a branch, which is then one with the first.
        """
        given = tuple(m for m in branch.merges if _is_of_one_arm(m))
        others = tuple(m for m in branch.merges if m not in given)
        choice = replace(
            branch, then=Block(), orelse=Block(), merges=given, form="ifexp"
        )
        first = replace(branch, merges=others)
        apart = [*ops[:at], first, choice, *ops[at + 1 :]]
        made = self.branching.branched(apart, at + 1, ends)
        if made is None:
            return None
        known = {id(op) for op in apart}
        end = next(k for k, op in enumerate(made) if id(op) not in known)
        second, between = made[end], made[at + 1 : end]
        if not isinstance(second, If) or not self._may_precede(between, first):
            return None
        joined = one_branch(first, second, _one_after_another, _all)
        if joined is None:
            return None
        longer = within(joined, self.block)  # in the arms, too
        return [*made[:at], *between, longer, *made[end + 1 :]]

    def _may_precede(self, ops: Iterable[Op], branch: If) -> bool:
        """Say whether ops behind a branch neither read what it makes, nor read or write
        the memory that it writes."""
        own = {v.name for v in bound_by(branch)}
        written = self.branching.memory(walk(Block((branch,))))
        memory = self.branching.points.memory
        originals = self.branching.originals
        return all(
            isinstance(op, Apply)
            and not op.effect
            and not is_augmented(op)
            and own.isdisjoint(names_read(Block((op,))))
            and all(
                written.isdisjoint(memory(originals.get(a.name, a)))
                for a in atoms_of(op)
                if isinstance(a, Var)
            )
            for op in ops
        )


def _one_after_another(body: Block, more: Block, put: Substitution) -> list[Op]:
    return [*body, *put.block(more)]


def _all(ops: Sequence[Op], ends: Sequence[Atom | Undefined]) -> Block:
    return Block(tuple(ops))
