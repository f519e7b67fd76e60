"""A reverse sweep in place -> the same, with one store for numbers side by side.

What is put into new zeros number by number, as for parameters that a function takes
from a vector one after another, is put there at once:

    dp = np.zeros_like(p)                dp = np.zeros_like(p)
    dp[2] = dc                ->         dp[:3] = da, db, dc
    dp[1] = db
    dp[0] -= -da

The cells have numbers that are known and not negative, and each holds zero before. The
vector may be longer, and other parts of it be added to: slices that begin behind the
cells are none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.dense_literals import is_cell_value, is_vector, sum_of
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.adjoint.vectors.new_zeros import stores_into, with_zeros_changed
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Block, Op, Store
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT

MOST = 8
"""How many numbers are put at once."""


def with_cells_at_once(block: Block, infer: Infer, names: Names) -> Block:
    """The block, and those within, with such stores joined."""
    joining = _Joining(infer, names)
    return with_zeros_changed(block, _is_vector, joining.joined)


@dataclass(slots=True)
class _Cells:
    """The cells of new zeros that numbers are put into, and where the stores stand."""

    terms: dict[int, list[tuple[bool, Atom]]] = field(default_factory=dict)
    places: dict[int, list[int]] = field(default_factory=dict)
    least: float = np.inf
    """Where the first slice begins that is written too."""

    def take(self, place: int, op: Store) -> bool:
        """Note a store; False: it may write one of the cells in another way."""
        if op.change not in (PUT, ADD, SUBTRACT):
            return False
        index: Any = op.index.value if isinstance(op.index, Const) else None
        if type(index) is slice and type(index.start) is int and index.start > 0:
            self.least = min(self.least, index.start)
            return index.step in (None, 1) and max(self.terms, default=-1) < self.least
        known = type(index) is int and 0 <= index < self.least
        if not known or not is_cell_value(op.value):
            return False
        if op.change == PUT:
            self.terms[index] = []
        self.terms.setdefault(index, []).append((op.change != SUBTRACT, op.value))
        self.places.setdefault(index, []).append(place)
        return True

    def runs(self) -> Iterator[range]:
        """The cells side by side, where there are several."""
        cells = sorted(self.terms)
        while cells:
            n = 1
            while n < min(len(cells), MOST) and cells[n] == cells[0] + n:
                n += 1
            if n > 1:
                yield range(cells[0], cells[0] + n)
            cells = cells[n:]


@dataclass(frozen=True, slots=True)
class _Joining:
    infer: Infer
    names: Names
    reads: Reads = field(default_factory=Reads)

    def joined(self, ops: list[Op], made: Apply) -> list[Op]:
        """The ops, what is put into new zeros put there at once."""
        at = next(k for k, op in enumerate(ops) if op is made)
        found = self.cells(ops, made)
        runs = [*found.runs()]
        if not runs:
            return ops
        last = {max(p for k in run for p in found.places[k]): run for run in runs}
        gone = {p for run in runs for k in run for p in found.places[k]} - last.keys()
        done, same, waits = ops[:at], dict[str, Var](), True
        for place, op in enumerate(ops[at + 1 :], at + 1):
            if isinstance(op, Store) and op.target.name in same:
                op = replace(op, target=same[op.target.name])
            if place in gone:
                assert isinstance(op, Store)
                same[op.out.name] = op.target
                continue
            builder = Builder(self.infer, self.names, op.origin)
            if isinstance(op, Store) and place in last:
                op = _at_once(op, last[place], found, builder)
            if waits and made.out.name in self.reads.by(op):
                done.append(replace(made, origin=op.origin))  # beside its first use
                waits = False
            done += [*builder.ops, op]
        return done

    def cells(self, ops: Sequence[Op], made: Apply) -> _Cells:
        """What is put into new zeros, until something else reads them."""
        found = _Cells()
        for place, op in stores_into(ops, made, self.reads):
            if not found.take(place, op):
                break
        return found


def _at_once(op: Store, run: range, found: _Cells, builder: Builder) -> Store:
    """The last store of some, with what all of them put there."""
    values = [sum_of(found.terms[k], builder) for k in run]
    index = Const(slice(run.start or None, run.stop))
    listed = builder.apply(build_tuple, *values, form="build")
    return replace(op, index=index, value=listed, change=PUT)


def _is_vector(op: Apply) -> bool:
    """Whether an op makes a vector of floats."""
    return is_vector(op.out.fact)
