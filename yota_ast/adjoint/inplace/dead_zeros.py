"""A reverse sweep in place -> the same without the zeros that nobody reads.

The adjoint of `s[t] = v` is `dv = ds[t]; ds[t] = 0`. Where no later iteration, and
nothing after the loop, reads that cell of ds, the second part is left out.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.analysis.block_places import Places, places_of
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.same_objects import Objects, objects_of
from yota_ast.analysis.unmodified_reads import (
    Access,
    Indices,
    Kept,
    Spans,
    is_apart,
    kept_ranges,
)
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Op,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import Put
from yota_ast.ops import info


def without_zeroing(
    block: Block,
    ends: Iterable[Atom | Undefined],
    ahead: Block = Block(),  # noqa: B008  it is frozen
    *,
    values: bool = False,
) -> Block:
    """The block without zeros that are put into cells which nothing reads again;
    `ends` are read when it has run. ahead: the forward sweep, whose loops keep their
    numbers. values: what else is put there goes, too."""
    read = {a.name for a in ends if isinstance(a, Var)}
    idle = _idle(block, read, ahead, values=values)
    return _without(block, idle) if idle else block


def _without(block: Block, idle: dict[str, Var]) -> Block:
    """The block without some stores; their targets take the place of their results."""

    def first(var: Var) -> Var:
        while var.name in idle:
            var = idle[var.name]
        return var

    return _Without({name: first(var) for name, var in idle.items()}).block(block)


class _Without(Substitution):
    """Leaves out the stores whose results it puts others in the place of."""

    def block(self, block: Block) -> Block:
        return super().block(Block(tuple(op for op in block if not self._is_gone(op))))

    def _is_gone(self, op: Op) -> bool:
        return isinstance(op, Store) and op.out.name in self.made


@dataclass(slots=True)
class _Sweep:
    """What is known of a reverse sweep: its objects, and who may share their memory."""

    block: Block
    kept: Kept
    places: Places = field(init=False)
    memory: Memory = field(init=False)
    objects: Objects = field(init=False)
    indices: Indices = field(init=False)

    def __post_init__(self) -> None:
        self.places, self.memory = places_of(self.block), Memory(self.block)
        self.objects, self.indices = (
            objects_of(self.block),
            Indices(self.places, self.kept),
        )

    def is_own(self, atom: object, own: str) -> bool:
        """Whether an atom is the object that begins as `own`."""
        return isinstance(atom, Var) and self.objects.of(atom.name) == own

    def stands_alone(self, own: str) -> bool:
        """Whether all that may share an object's memory is views made of it here."""
        maker = self.places.apply_of(own)
        if maker is None or not is_fresh(maker):
            return False
        return all(
            self.objects.of(n) == own or isinstance(self.places.maker[n], Apply)
            for n in self.memory.sharing(own)
            if n in self.places.of
        )

    def reads(self, own: str) -> list[Access | None]:
        """The reads of an object; None: one that has no place. What reads a view
        reads nothing later than the view was made: else it would be a copy."""
        found = list[Access | None]()
        for op in walk(self.block):
            match op:
                case Store():
                    if self.is_own(op.target, own) and not _puts(op):
                        found.append(self.part(op.out.name, op.index, op.target))
                    if self.is_own(op.value, own) or self.is_own(op.index, own):
                        found.append(self.access(op.out.name))
                case Apply():
                    if self.reads_values(op, own):
                        found.append(self.read(op, own))
                case Simple() | Compound():  # `for v in y`: no place of its own
                    if any(self.is_own(a, own) for a in _read_at_once(op)):
                        found.append(None)
                case _:
                    assert_never(op)
        return found

    def read(self, op: Apply, own: str) -> Access | None:
        """The read of an object by an op: of a part, or of all; None in a loop that
        hands nothing on, which has no place."""
        if op.out.name not in self.places.of:
            return None
        part = op.fn is operator.getitem and not self.is_own(op.args[1], own)
        if not part:
            return self.access(op.out.name)
        return self.part(op.out.name, op.args[1], op.args[0])

    def reads_values(self, op: Apply, own: str) -> bool:
        """Whether an op reads an object, and not for its shape alone."""
        shape = info(op.fn).shape_only
        values = [a for k, a in enumerate(op.args) if k not in shape]
        return any(self.is_own(a, own) for a in (*values, *(a for _, a in op.kwargs)))

    def part(self, name: str, index: Atom, array: Atom) -> Access:
        """The access to a part of an array by the op that makes a variable."""
        axes = self.indices.axes(index, fact_of_atom(array).shape)
        return self.access(name, tuple(axes))

    def access(self, name: str, axes: tuple[Spans, ...] = ()) -> Access:
        """The access by the op that makes a variable, to all cells if no axes are
        told."""
        return Access(self.places.of[name].loops, self.places.order[name], axes)

    def idle(self, zero: Store, ends: Iterable[str]) -> bool:
        """Whether nothing reads what a store puts into cells."""
        if zero.out.fact.is_scalar:  # it is not told who shares the memory of numbers
            return False
        own = self.objects.of(zero.target.name)
        if any(self.objects.of(n) == own for n in ends) or not self.stands_alone(own):
            return False
        first = self.part(zero.out.name, zero.index, zero.target)
        depth, reads = self.memory.depth(own), self.reads(own)
        return all(r and is_apart(first, r, depth, self.indices) for r in reads)


def _idle(
    block: Block, ends: set[str], ahead: Block, *, values: bool
) -> dict[str, Var]:
    """The assignments that nothing reads, by result, and their targets; values: of
    whatever values, not of zeros alone."""
    puts = [op for op in only(walk(block), Store) if _puts(op)]
    if not values:
        puts = [op for op in puts if op.value == Const(0.0)]
    if not puts:
        return {}
    sweep = _Sweep(block, kept_ranges(ahead))
    return {s.out.name: s.target for s in puts if sweep.idle(s, ends)}


def _read_at_once(op: Op) -> tuple[Atom, ...]:
    """What an op itself reads, before its blocks run. What a loop carries does not
    count: the loop reads it under another name."""
    match op:
        case For():
            return (op.iterable,)
        case While():
            return ()
        case Simple() | If() | With() | Try():
            return atoms_of(op)
        case _:
            assert_never(op)


def _puts(store: Store) -> bool:
    return isinstance(store.change, Put)
