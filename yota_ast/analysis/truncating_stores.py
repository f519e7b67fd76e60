"""Stores of a block -> which may cut floats to whole numbers.

An array of whole numbers or truth values keeps the whole part of what is put into it,
which has no slope.  Where facts say what an array holds they decide; of one of which
they do not, its makers may: what is made of floats by arithmetic holds floats.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import FLOAT as NUMBER, UNKNOWN
>>> x, c, y = Var("x", NUMBER), Var("c", UNKNOWN), Var("y", UNKNOWN)
>>> made = Apply(c, np.random.permutation, (Const(4),))
>>> store = Store(y, c, Const(0), x)
>>> Holding(Block((made, store))).may_cut(store)
True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    walk,
)
from yota_ast.ops.dtypes.result_dtypes import of_fact, surely
from yota_ast.ops.record import FLOAT
from yota_ast.runtime import held

_Sources = Apply | tuple[Atom | Undefined, ...]


@dataclass(slots=True)
class Holding:
    """What the arrays of a block hold."""

    block: Block
    makers: dict[str, list[_Sources]] | None = None
    """What variables are made by, an array that is written by the one before; found out
    where it is asked for."""
    floats: dict[str, bool] = field(default_factory=dict)

    def cut(self, builder: Builder, op: Store, d: Atom) -> Atom:
        """The adjoint, or the tangent, of what a store puts into an array, or 0 where
        the array cuts that to a whole number."""
        if isinstance(d, Const) or not self.may_cut(op):
            return d
        given = () if _surely(op.value) else (op.value,)
        return builder.apply(held, d, op.target, *given)

    def may_cut(self, op: Store) -> bool:
        """Whether an array may be one of whole numbers, and gets floats."""
        known = op.target.fact
        if known.kind not in ("array", "real", "unknown") or known.dtype is not None:
            return False
        return not self.holds_floats(op.target)

    def holds_floats(self, atom: Atom | Undefined) -> bool:
        """Whether a value is, or holds, floats for sure."""
        if isinstance(atom, Undefined) or _surely(atom):
            return True
        if not isinstance(atom, Var) or _surely_not(atom):
            return False
        if self.makers is None:
            self.makers = _makers_in(self.block)
        name = atom.name
        if name not in self.floats:
            self.floats[name] = True  # of a loop: what it begins with decides
            sources = self.makers.get(name, ())
            found = bool(sources) and all(map(self._made_of_floats, sources))
            self.floats[name] = found
        return self.floats[name]

    def _made_of_floats(self, source: _Sources) -> bool:
        if not isinstance(source, Apply):
            return all(map(self.holds_floats, source))
        return surely(source, FLOAT, self.holds_floats)


def _surely(atom: Atom) -> bool:
    """Whether facts say that a value is, or holds, floats."""
    return of_fact(fact_of_end(atom))[0] >= FLOAT


def _surely_not(var: Var) -> bool:
    return of_fact(var.fact)[1] < FLOAT


def _makers_in(block: Block) -> dict[str, list[_Sources]]:
    found: dict[str, list[_Sources]] = {}

    def note(outs: Iterable[Var], source: _Sources) -> None:
        for out in outs:
            found.setdefault(out.name, []).append(source)

    for op in walk(block):
        match op:
            case Apply():
                note((op.out,), op)
            case Store():
                note((op.out,), (op.target,))
            case Read() | If() | For() | While() | Raise() | With() | Try():
                for ends, outs in handed_on(op):
                    note(outs, ends)
            case _:
                assert_never(op)
    return found
