"""A reverse sweep in place -> the same without the zeros that nobody reads.

The adjoint of `s[t] = v` is `dv = ds[t]; ds[t] = 0`. Where no later iteration, and
nothing after the loop, reads that cell of ds, the second part is left out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.array_versions import Memory, memory_of
from yota_ast.analysis.block_places import Places, places_of
from yota_ast.analysis.same_objects import Objects, objects_of
from yota_ast.analysis.unmodified_reads import (
    Access,
    Indices,
    Range,
    is_apart,
    range_made,
)
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.nodes import Apply, Block, For, If, Op, Store, With, walk
from yota_ast.ops import info


def without_zeroing(
    block: Block,
    ends: Iterable[Atom | Undefined],
    is_fresh: Callable[[Apply], bool],
    ahead: Block = Block(),  # noqa: B008  it is frozen
) -> Block:
    """The block without stores of zeros into cells that are not read again; `ends` are
    read when it has run. ahead: the forward sweep, whose loops keep their numbers."""
    read = {a.name for a in ends if isinstance(a, Var)}
    idle = _idle(block, read, is_fresh, ahead)
    return _without(block, idle) if idle else block


def _without(block: Block, idle: dict[str, Var]) -> Block:
    """The block without some stores; their targets take the place of their results."""

    def end(atom: Atom | Undefined) -> Atom | Undefined:
        while isinstance(atom, Var) and atom.name in idle:
            atom = idle[atom.name]
        return atom

    def atom(a: Atom) -> Atom:
        found = end(a)
        assert not isinstance(found, Undefined)
        return found

    ops: list[Op] = []
    for op in block:
        if isinstance(op, Store):
            if op.out.name in idle:
                continue
            target = atom(op.target)
            assert isinstance(target, Var)
            op = replace(op, target=target, value=atom(op.value))
        elif isinstance(op, Apply):
            kwargs = tuple((k, atom(a)) for k, a in op.kwargs)
            op = replace(op, args=tuple(map(atom, op.args)), kwargs=kwargs)
        elif isinstance(op, If):
            merges = tuple(
                replace(m, then=end(m.then), orelse=end(m.orelse)) for m in op.merges
            )
            then, orelse = _without(op.then, idle), _without(op.orelse, idle)
            op = replace(op, then=then, orelse=orelse, merges=merges)
        elif isinstance(op, For):
            carries = tuple(
                replace(c, init=end(c.init), next=end(c.next)) for c in op.carries
            )
            op = replace(op, body=_without(op.body, idle), carries=carries)
        elif isinstance(op, With):
            op = replace(op, body=_without(op.body, idle))
        ops.append(op)
    return Block(tuple(ops))


@dataclass(slots=True)
class _Sweep:
    """What is known of a reverse sweep: its objects, and who may share their memory."""

    block: Block
    is_fresh: Callable[[Apply], bool]
    kept: Mapping[str, tuple[int, Range]]
    places: Places = field(init=False)
    memory: Memory = field(init=False)
    objects: Objects = field(init=False)
    indices: Indices = field(init=False)

    def __post_init__(self) -> None:
        self.places, self.memory = places_of(self.block), memory_of(self.block)
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
        if maker is None or not self.is_fresh(maker):
            return False
        root = self.memory.root(own)
        return all(
            self.objects.of(n) == own or isinstance(self.places.maker[n], Apply)
            for n in self.places.of
            if self.memory.root(n) == root
        )

    def reads(self, own: str) -> list[Access]:
        """The reads of an object. What reads a view reads nothing later than the view
        was made: else it would be a copy."""
        found = []
        for op in walk(self.block):
            if isinstance(op, Store):
                if self.is_own(op.target, own) and op.augment:
                    found.append(self.access(op.out.name, op.index))
                if self.is_own(op.value, own) or self.is_own(op.index, own):
                    found.append(self.access(op.out.name, None))
            elif isinstance(op, Apply) and self.reads_values(op, own):
                part = op.fn is operator.getitem and not self.is_own(op.args[1], own)
                found.append(self.access(op.out.name, op.args[1] if part else None))
        return found

    def reads_values(self, op: Apply, own: str) -> bool:
        """Whether an op reads an object, and not for its shape alone."""
        shape = info(op.fn).shape_only
        values = [a for k, a in enumerate(op.args) if k not in shape]
        return any(self.is_own(a, own) for a in (*values, *(a for _, a in op.kwargs)))

    def access(self, name: str, index: Atom | None) -> Access:
        """The access by the op that makes a variable; index None: to all cells."""
        axes = () if index is None else tuple(self.indices.axes(index))
        return Access(self.places.of[name].loops, self.places.order[name], axes)

    def idle(self, zero: Store, ends: Iterable[str]) -> bool:
        """Whether nothing reads the zeros that a store leaves."""
        own = self.objects.of(zero.target.name)
        if any(self.objects.of(n) == own for n in ends) or not self.stands_alone(own):
            return False
        first = self.access(zero.out.name, zero.index)
        depth = self.memory.depth(own)
        return all(is_apart(first, r, depth, self.indices) for r in self.reads(own))


def _idle(
    block: Block, ends: set[str], is_fresh: Callable[[Apply], bool], ahead: Block
) -> dict[str, Var]:
    """The stores of zeros that nothing reads, by result, and their targets."""
    zeros = [
        op
        for op in walk(block)
        if isinstance(op, Store) and not op.augment and op.value == Const(0.0)
    ]
    if not zeros:
        return {}
    sweep = _Sweep(block, is_fresh, _kept(ahead))
    return {z.out.name: z.target for z in zeros if sweep.idle(z, ends)}


def _kept(ahead: Block) -> dict[str, tuple[int, Range]]:
    """The loops over ranges that keep the number of each turn: see `Indices`."""
    made: dict[str, Apply] = {}
    found: dict[str, tuple[int, Range]] = {}
    for op in walk(ahead):
        if isinstance(op, Apply) and op.fn is range:
            made[op.out.name] = op
        elif isinstance(op, For) and op.stack is not None:
            maker = made.get(op.iterable.name) if isinstance(op.iterable, Var) else None
            given = range_made(maker)
            if given is not None and op.targets[0] in op.saved:
                found[op.stack.name] = op.saved.index(op.targets[0]), given
    return found
