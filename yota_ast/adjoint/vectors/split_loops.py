"""A loop -> one that goes on from iteration to iteration, and one that does not.

    for j in range(m - 1):              for j in range(m - 1):
        t = dz[:, j]                        dz[:, j + 1] += b * dz[:, j]
        dz[:, j + 1] += b * t           for j in range(m - 1):
        dy[:, j] += a * t                   dy[:, j] += a * dz[:, j]

The second adds to what the loop does not read. It reads what the first has written, if
that is not written again after it has been read.

In: a loop of the reverse sweep.  Out: both, of which the second has names of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.vectors.index_regions import Lane, Lanes, Part, lane_of
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import bound_by, read_counts
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import Apply, Block, Carry, For, Op, Store, atoms_of, only
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import ADD, SUBTRACT
from yota_ast.ops.algebra import TERMS, operated

Sink = Store | Apply
RegionOf = Callable[[Atom], tuple[Part, ...] | None]
"""The parts of an index."""


@dataclass(slots=True)
class Splitting:
    """A loop, and what is known of it. forward: whether its numbers become larger."""

    loop: For
    lanes: Lanes
    region_of: RegionOf
    forward: bool
    made: dict[str, tuple[int, Apply]] = field(init=False)
    """The ops of its body, and where they stand, by what they make."""
    stores: dict[str, list[tuple[int, Store]]] = field(default_factory=dict)
    """The stores into what it carries, and where they stand, by what it hands on."""
    roots: dict[str, Carry] = field(default_factory=dict)
    """Of each name of an array that it carries, the carry."""

    def __post_init__(self) -> None:
        body = self.loop.body
        at = body.ops.index
        self.made = {op.out.name: (at(op), op) for op in only(body, Apply)}
        targets = {op.target.name: (at(op), op) for op in only(body, Store)}
        for carry in self.loop.carries:
            name = carry.inside.name
            self.roots[name] = carry
            found = self.stores.setdefault(carry.out.name, [])
            while name in targets:
                found.append(targets[name])
                name = targets[name][1].out.name
                self.roots[name] = carry

    def movable(self) -> Iterator[Carry]:
        """Find what the loop only adds to, from what stays as it is read."""
        for carry in self.loop.carries:
            sinks = self.sinks(carry)
            if sinks and all(map(self._holds, sinks)):
                yield carry

    def sinks(self, carry: Carry) -> list[Sink]:
        """Return the ops that add to what is carried, if nothing else reads it."""
        found: list[Sink] = []
        others = (c.next for c in self.loop.carries if c is not carry)
        reads = read_counts(self.loop.body, others)
        name = carry.inside.name
        end = carry.next.name if isinstance(carry.next, Var) else ""
        consumers: dict[str, Sink] = {
            op.target.name: op for op in only(self.loop.body, Store)
        }
        for first, op in number_sums(self.loop.body):
            consumers.setdefault(first.name, op)
        while name != end:
            sink = consumers.get(name)
            if sink is None or reads[name] != 1 or not _is_sum(sink):
                return []
            found.append(sink)
            name = sink.out.name
        return [] if reads[name] else found

    def _holds(self, sink: Sink) -> bool:
        """Return whether what an op reads is the same after the loop."""
        own = {t.name for t in self.loop.targets}
        for at, op in self.behind(sink):
            for k, atom in enumerate(atoms_of(op)):
                name = atom.name if isinstance(atom, Var) else ""
                if name in self.made or name in own or not self._is_within(name):
                    continue
                taken = isinstance(op, Apply) and op.fn is operator.getitem and not k
                added = op is sink and not k
                if not added and not (taken and self._is_final(op, name, at)):
                    return False
        return True

    def _is_within(self, name: str) -> bool:
        return name in self.roots or any(
            v.name == name for op in self.loop.body for v in bound_by(op)
        )

    def _is_final(self, read: Op, name: str, at: int) -> bool:
        """Return whether nothing is written to a part of an array after it is read."""
        carry = self.roots.get(name)
        region = self.region_of(atoms_of(read)[1])
        if carry is None or region is None:
            return False
        lane = lane_of(region)
        for k, store in self.stores[carry.out.name]:
            other = self.region_of(store.index)
            if other is None:
                return False
            if self.lanes.are_apart(region, other):
                continue
            if lane is None or not self._is_before(lane, lane_of(other), k < at):
                return False
        return isinstance(carry.next, Var) and carry.next.name in self.roots

    def _is_before(
        self, read: tuple[int, Lane], write: tuple[int, Lane] | None, earlier: bool
    ) -> bool:
        """Return whether the write into what an iteration reads is done by then."""
        if write is None or write[0] != read[0]:
            return False
        offsets = read[1].offset, write[1].offset
        places = [self.lanes.low.shifted(by) for by in offsets]
        if not all(map(self.lanes.is_natural, places)):
            return False
        further = offsets[0] - offsets[1]  # how much later the iteration that writes is
        if not further:
            return earlier
        return further < 0 if self.forward else further > 0

    def behind(self, sink: Sink) -> list[tuple[int, Op]]:
        """Return an op, and those of the loop that it needs, with their places."""
        found: dict[int, Op] = {}
        todo: list[tuple[int, Op]] = [(self.loop.body.ops.index(sink), sink)]
        while todo:
            at, op = todo.pop()
            if at in found:
                continue
            found[at] = op
            names = (a.name for a in atoms_of(op) if isinstance(a, Var))
            todo += [self.made[n] for n in names if n in self.made]
        return sorted(found.items())


def _is_sum(sink: Sink) -> bool:
    """Return whether an op adds to a part of an array, or to a number."""
    return not isinstance(sink, Store) or sink.change in (ADD, SUBTRACT)


def number_sums(block: Block) -> Iterator[tuple[Var, Apply]]:
    """Find the sums of numbers that are no integers, and to what they add."""
    for op in only(block, Apply):
        first = op.args[0] if op.args else None
        if isinstance(first, Var) and operated(op.fn) in TERMS:
            if op.out.fact.is_number and op.out.fact.kind != "int":
                yield first, op


def rest_of(loop: For, moved: Sequence[Carry]) -> For:
    """Return a loop without what it hands on of some carries."""
    carries = tuple(c for c in loop.carries if c not in moved)
    needed = {c.next.name for c in carries if isinstance(c.next, Var)}
    ops: list[Op] = []
    for op in reversed(loop.body.ops):
        if any(v.name in needed for v in bound_by(op)):
            needed |= {a.name for a in atoms_of(op) if isinstance(a, Var)}
            ops.append(op)
    return replace(loop, body=Block((*reversed(ops),)), carries=carries)


def moved_of(split: Splitting, moved: Sequence[Carry], names: Names) -> For:
    """Return a loop that does what a loop does to some carries, after it."""
    loop, found = split.loop, dict[int, Op]()
    for carry in moved:
        for sink in split.sinks(carry):
            found |= dict(split.behind(sink))
    ops = [op for _, op in sorted(found.items())]
    own = [*loop.targets, *(v for op in ops for v in bound_by(op))]
    fresh: dict[str, Atom] = {v.name: replace(v, name=names.fresh(v.name)) for v in own}
    fresh |= {
        name: carry.out for name, carry in split.roots.items() if carry not in moved
    }
    for carry in moved:
        fresh[carry.inside.name] = replace(
            carry.inside, name=names.fresh(carry.inside.name)
        )
    change = Substitution(fresh)
    carries = [
        replace(c, inside=change.atom(c.inside), next=change.end(c.next)) for c in moved
    ]
    targets = tuple(change.atom(t) for t in loop.targets)
    body = change.block(Block((*ops,)))
    return replace(loop, targets=targets, body=body, carries=(*carries,))
