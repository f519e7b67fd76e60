"""What is read of a flow that chose its own times: the end, or it is refused.

`solve_ivp` without `t_eval` gives the states at the steps that it took. Those move with
what is differentiated, as the solver's estimates of its errors do; the end stays.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.activity import Activity
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import ends_of, merges_of
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, walk
from yota_ast.solvers.solver_operands import Solved, is_solved, solved_of

ENDS = (0, -1)


def refuse_inner_times(block: Block, results: Iterable[str], active: Activity) -> None:
    """Refuse what is read of a flow at times that it chose itself; results: the names
    of what the tape returns."""
    ops = list(walk(block))
    for op in ops:
        if isinstance(op, Apply) and op.out in active and is_solved(op):
            call = solved_of(op)
            chosen = call.bound.get("t_eval", Const(None)) == Const(None)
            if call.solver.kind == "flow" and call.solver.result and chosen:
                names = frozenset(name.partition("[")[0] for name in results)
                _Reads(call, ops, names, active).of_all(op.out)


@dataclass(frozen=True, slots=True)
class _Reads:
    """Where the ops of a tape read what a solver found."""

    call: Solved
    ops: Sequence[Op]
    results: frozenset[str]
    active: Activity

    def of(self, var: Var) -> Iterable[Apply]:
        """The ops that read a variable, where a derivative goes through them."""
        if var.name in self.results:
            raise self.refusal(self.call.op)
        for op in self.ops:
            ends = [a for a in ends_of(op) if not isinstance(a, Undefined)]
            inner = var in ends and not merges_of(op)
            if isinstance(op, Apply) and var in atoms_of(op):
                if op.out in self.active:
                    yield op
            elif inner or (var in (*atoms_of(op), *ends) and var in self.active):
                raise self.refusal(op)

    def of_all(self, whole: Var) -> None:
        """What is read of the whole result."""
        for op in self.of(whole):
            if op.fn is not operator.getitem or not isinstance(op.args[1], Const):
                raise self.refusal(op)
            if op.args[1].value == self.call.solver.result:
                self.of_states(op.out, 1)
            elif op.args[1].value == "t":
                self.of_states(op.out, 0)

    def of_states(self, states: Var, axis: int) -> None:
        """What is read of states; axis: that of the times."""
        for op in self.of(states):
            if op.fn is np.transpose and len(op.args) == 1 and not op.kwargs:
                rank = states.fact.rank
                if rank is None:
                    raise self.refusal(op)
                self.of_states(op.out, rank - 1 - axis)
                continue
            index = self._index(op)
            if op.fn is not operator.getitem or index is None:
                raise self.refusal(op)
            left = _axis_left(index, axis, states.fact)
            if left is None:
                raise self.refusal(op)
            if left >= 0:
                self.of_states(op.out, left)

    def _index(self, op: Apply) -> tuple[Atom, ...] | None:
        """The parts of an index."""
        at = op.args[1] if len(op.args) == 2 else None
        if isinstance(at, Const):
            whole = at.value if isinstance(at.value, tuple) else (at.value,)
            return tuple(map(Const, whole))
        for made in self.ops:
            if isinstance(made, Apply) and made.out == at and made.fn is build_tuple:
                return made.args
        return None if at is None else (at,)

    def refusal(self, op: Op) -> UnsupportedSyntax:
        """The refusal of what is read at times that nobody asked for."""
        name = getattr(self.call.op.fn, "__name__", "")
        return UnsupportedSyntax(
            f"`{name}` without `t_eval` chooses its own times, which depend on "
            "a differentiated value",
            at=op.origin.location,
            remedy=f"Give the times, `{name}(..., t_eval=times)`, or read only "
            "the end: sol.y[:, -1].",
        )


def _axis_left(index: Sequence[Atom], axis: int, fact: Fact) -> int | None:
    """Where the axis of the times is after an index, -1 where that is at one of the
    ends; None: it is not known, or others are read.

    >>> states = Fact("array", np.dtype(float), (None, None))
    >>> _axis_left([Const(slice(None)), Const(-1)], 1, states)
    -1
    >>> _axis_left([Const(0)], 1, states)
    0
    >>> _axis_left([Const(slice(None)), Const(2)], 1, states) is None
    True
    """
    parts = list(index)
    if Const(...) in parts:
        if fact.rank is None:
            return None
        k = parts.index(Const(...))
        parts[k : k + 1] = [Const(slice(None))] * (fact.rank - len(parts) + 1)
    left = axis
    for part in parts[:axis]:
        if not _is_number(part) and part != Const(slice(None)):
            return None
        left -= _is_number(part)
    if axis >= len(parts) or parts[axis] == Const(slice(None)):
        return left
    at = parts[axis]
    known = isinstance(at, Const) and type(at.value) is int and at.value in ENDS
    return -1 if known else None


def _is_number(part: Atom) -> bool:
    """Whether a part of an index is a whole number."""
    if isinstance(part, Const):
        return type(part.value) is int
    return part.fact.kind == "int"
