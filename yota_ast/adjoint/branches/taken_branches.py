"""A reverse sweep -> the same, where what one way of a choice alone adds stands in a
branch.

    t = d if x[i] > top else 0.0           if x[i] > top:
    u = 0.0 if x[i] > top else d               dx[i] += d
    dx[i] += t                      ->     else:
    dy[j] += u                                 dy[j] += d

Of the two ways of a conditional expression, of `min` and of `max`, one gets the
cotangent and the other gets 0, which nobody needs to add. The choice stays where both
ways write to one array at one place, so that no statement would stand there twice.

In: the reverse sweep, with adjoints that add up in place.  Out: the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.branches.chosen_ways import (
    Way,
    goes_on,
    is_choice,
    is_nothing,
    put_back,
    writes,
)
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.points_to import PointsTo, Roots, written_by
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import arms_with_ends, bound_by, names_read
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Merge,
    Op,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
    of_ops,
    only,
    walk,
    with_blocks,
)
from yota_ast.ops.subscript_memory import makes_index

Ends = tuple[Atom | Undefined, ...]
Ways = tuple[Way, Way]


def with_branches(back: Block, results: Iterable[Atom], names: Names) -> Block:
    """The sweep with branches for such choices; results: what it returns."""
    if not any(map(is_choice, walk(back))):
        return back
    return branching_of(back, names).block(back, tuple(results))


def branching_of(back: Block, names: Names) -> Branching:
    """What makes branches in a sweep."""
    own = {v.name for op in walk(back) for v in bound_by(op)}
    made = {op.out.name: op for op in only(walk(back), Apply)}
    branching = Branching(names, own, made, PointsTo(back))
    own |= branching.memory(walk(back))
    return branching


def within(op: Op, block: Callable[[Block, Ends], Block]) -> Op:
    """An op with other blocks; block: makes them, given what is read where they end."""
    match op:
        case If() | For():
            arms = [block(arm, ends) for arm, ends in arms_with_ends(op)]
            same = all(a is b for a, b in zip(arms, blocks_of(op), strict=True))
            return op if same else with_blocks(op, arms)
        case Simple() | While() | With() | Try():
            return op  # what is defined in a context is read behind it, too
        case _:
            assert_never(op)


@dataclass(frozen=True, slots=True)
class _Members:
    """The ops that a branch takes the place of, by their numbers.

    chosen: what is computed of what is chosen. sunk: what they alone read. zeros: what
    is put before a sum puts back what stood there, that sum, and in which way it does.
    """

    chosen: frozenset[int]
    zeros: dict[int, tuple[Store, bool]]
    sunk: frozenset[int] = frozenset()

    @property
    def all(self) -> list[int]:
        """All of them, in order."""
        return sorted({*self.chosen, *self.sunk, *self.zeros})


@dataclass(frozen=True, slots=True)
class Branching:
    """own: what the sweep defines, and the memory that it writes. originals: of
    variables that are made for branches, those that they stand for."""

    names: Names
    own: set[str]
    made: dict[str, Apply]
    points: PointsTo
    originals: dict[str, Var] = field(default_factory=dict)

    def block(self, block: Block, ends: Ends) -> Block:
        """A block; ends: what is read where it ends."""
        ops, k = [within(op, self.block) for op in block], 0
        while k < len(ops):
            made = self.branched(ops, k, ends)
            ops, k = (ops, k + 1) if made is None else (made, k)
        return of_ops(block, tuple(ops))

    def branched(self, ops: Sequence[Op], at: int, ends: Ends) -> list[Op] | None:
        """The ops with a branch for the choices by one test; None: they stay."""
        first = ops[at]
        if not is_choice(first):
            return None
        assert isinstance(first.test, Var)
        chosen = self._chosen(ops, at, first)
        if chosen is None:
            return None
        reads = Counter(names_read(Block(tuple(ops)), ends))
        members = _Members(chosen, self._zeros(ops, chosen, reads, first))
        sunk = self._sunk(ops, members, reads, first.test)
        found = self._ways(ops, replace(members, sunk=sunk), reads, first.test)
        if found is None:
            return None
        members, then, orelse, merges = found
        branch = If(
            first.test,
            self.block(then, tuple(m.then for m in merges)),
            self.block(orelse, tuple(m.orelse for m in merges)),
            merges,
            origin=first.origin,
        )
        last, gone = max(chosen), {*members.all}
        before = [op for k, op in enumerate(ops[: last + 1]) if k not in gone]
        return [*before, branch, *ops[last + 1 :]]

    # ------------------------------------------------------------ what belongs to it

    def _chosen(self, ops: Sequence[Op], at: int, first: If) -> frozenset[int] | None:
        """The ops that are computed of what is chosen; None: others stand between that
        cannot come before, or not all choices by the test become a branch."""
        if any(is_choice(op) and op.test == first.test for op in ops[:at]):
            return None
        values, stored = set[str](), set[str]()
        found, others = list[int](), list[int]()
        for k, op in enumerate(ops[at:], at):
            if not (is_choice(op) and op.test == first.test):
                if values.isdisjoint(names_read(Block((op,)))):
                    others.append(k)
                    continue
                if not goes_on(op, values):
                    return None
            found.append(k)
            outs = stored if writes(op) else values
            outs.update(v.name for v in bound_by(op))
        between = (k for k in others if k < found[-1])
        if not stored or any(self._is_bound(ops, k, found, stored) for k in between):
            return None
        return frozenset(found)

    def _is_bound(
        self, ops: Sequence[Op], at: int, found: Sequence[int], stored: set[str]
    ) -> bool:
        """Whether an op reads what those before it have written, or writes there."""
        one = Block((ops[at],))
        if not stored.isdisjoint(names_read(one)):
            return True
        before = self.memory(ops[k] for k in found if k < at)
        return not before.isdisjoint(self.memory(walk(one)))

    def memory(self, ops: Iterable[Op]) -> Roots:
        """The memory that some ops write into."""
        targets = [a for op in ops if isinstance(a := written_by(op), Var)]
        known = (self.originals.get(a.name, a) for a in targets)
        return Roots().union(*map(self.points.memory, known))

    def _zeros(
        self, ops: Sequence[Op], chosen: frozenset[int], reads: Counter[str], first: If
    ) -> dict[int, tuple[Store, bool]]:
        """The zeros among the ops, where a sum puts back what stood there."""
        stores = [*only([ops[k] for k in sorted(chosen)], Store)]
        targets = {s.target.name for s in stores}
        choices = {
            m.out.name: m
            for k in chosen
            if is_choice(op := ops[k]) and op.test == first.test
            for m in op.merges
        }
        found: dict[int, tuple[Store, bool]] = {}
        for k in range(min(chosen), max(chosen)):
            op = ops[k]
            if k in chosen or not isinstance(op, Store) or not is_nothing(op.value):
                continue
            if op.out.name in targets and reads[op.out.name] == 1:
                back = put_back(op, stores, choices, self.made)
                found |= {} if back is None else {k: back}
        return found

    def _sunk(
        self, ops: Sequence[Op], members: _Members, reads: Counter[str], test: Var
    ) -> frozenset[int]:
        """What the members alone read, and may be computed later."""
        inside = _read_by(ops, members.all)
        found = set[int]()
        for k in range(max(members.chosen) - 1, -1, -1):
            op = ops[k]
            if k in members.chosen or not isinstance(op, Apply) or op.out == test:
                continue
            if 0 < reads[op.out.name] == inside[op.out.name] and self._may_sink(op):
                found.add(k)
                inside.update(names_read(Block((op,))))
        return frozenset(found)

    def _may_sink(self, op: Apply) -> bool:
        """Whether an op reads no memory that the sweep writes."""
        if op.effect or op.form == "augmented":
            return False
        return all(
            not isinstance(a, Var)
            or (a.fact.is_scalar and a.fact.kind != "array")
            or a.name not in self.own
            or self._is_place(a)
            for a in atoms_of(op)
        )

    def _is_place(self, atom: Var) -> bool:
        """Whether a variable is part of an index."""
        made = self.made.get(atom.name)
        return made is not None and (
            makes_index(made.fn) or made.out.fact.kind == "int"
        )

    # ------------------------------------------------------------ its two ways

    def _ways(
        self, ops: Sequence[Op], members: _Members, reads: Counter[str], test: Var
    ) -> tuple[_Members, Block, Block, tuple[Merge, ...]] | None:
        """The members, both ways, and what they hand on; None: something would stand
        there twice."""
        while True:
            ways = (
                self._way(ops, members, test, then=True),
                self._way(ops, members, test, then=False),
            )
            merges = self._merges(ops, members, reads, ways)
            if merges is None:
                return None
            then, orelse = (
                without_dead(Block(tuple(way.ops)), ends)
                for way, ends in zip(
                    ways,
                    ([m.then for m in merges], [m.orelse for m in merges]),
                    strict=True,
                )
            )
            twice = self._twice(members, ways, (then, orelse))
            if not twice:
                break
            members = self._without(ops, members, twice, reads)
        stores = sum(map(writes, (*then, *orelse)))
        most = sum(writes(ops[k]) for k in (*members.chosen, *members.zeros))
        return None if stores > most else (members, then, orelse, merges)

    def _without(
        self,
        ops: Sequence[Op],
        members: _Members,
        twice: frozenset[int],
        reads: Counter[str],
    ) -> _Members:
        """The members without what would stand there twice, and without what that
        reads."""
        left = replace(members, sunk=members.sunk - twice)
        inside = _read_by(ops, left.all)
        more = {
            k
            for k in left.sunk
            for var in bound_by(ops[k])
            if reads[var.name] != inside[var.name]
        }
        return self._without(ops, left, frozenset(more), reads) if more else left

    def _way(
        self, ops: Sequence[Op], members: _Members, test: Var, *, then: bool
    ) -> Way:
        way = Way(self.names, self.made, self.originals, test, then)
        skipped = {
            id(store)
            for k, (back, side) in members.zeros.items()
            if then == side
            for store in (ops[k], back)
        }
        for k in members.all:
            op = ops[k]
            if isinstance(op, Store) and id(op) in skipped:
                way.skip(op)
            else:
                way.add(op, k)
        return way

    def _merges(
        self, ops: Sequence[Op], members: _Members, reads: Counter[str], ways: Ways
    ) -> tuple[Merge, ...] | None:
        """What is read behind the branch; None: what is chosen is read itself."""
        inside = _read_by(ops, members.all)
        merges = []
        for k in sorted(members.chosen):
            for var in bound_by(ops[k]):
                if reads[var.name] == inside[var.name]:
                    continue
                then, orelse = (way.of(var) for way in ways)
                if then == orelse or not _adds_up(ops[k]):
                    return None
                merges.append(Merge(var, then, orelse))
        return tuple(merges)

    def _twice(
        self, members: _Members, ways: Ways, blocks: tuple[Block, Block]
    ) -> frozenset[int]:
        """The ops that both ways would compute, parts of indices left out."""
        then, orelse = (
            {
                way.numbers[op.out.name]
                for op in only(block, Apply)
                if not self._is_place(op.out)
            }
            for way, block in zip(ways, blocks, strict=True)
        )
        return members.sunk & then & orelse


def _adds_up(op: Op) -> bool:
    """Whether an op writes into an array, or adds to a sum that is carried on."""
    return writes(op) or any(o.form == "augmented" for o in only([op], Apply))


def _read_by(ops: Sequence[Op], numbers: Iterable[int]) -> Counter[str]:
    """How often some of the ops read each variable."""
    found = Counter[str]()
    for k in numbers:
        found.update(names_read(Block((ops[k],))))
    return found
