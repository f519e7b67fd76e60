"""A loop whose iterations do not depend on one another -> statements on whole arrays.

    for j in range(m - 1, -1, -1):
        t = dB[i, j]
        dB[i + 1 :, j] += t * A[i + 1 :, i]
        dA[i + 1 :, i] += t * B[i + 1 :, j]

    dB[i + 1 :, :] += np.outer(A[i + 1 :, i], dB[i, :])
    dA[i + 1 :, i] += B[i + 1 :, :] @ dB[i, :]

Each iteration writes to places that no other reads or writes, or adds to sums that the
loop does not read. Sums are added up in another order than by the loop. A loop stays
that runs over what was saved, or that has branches or loops within. Of one of which
some statements have no such form these stay, see `split_loops.py`. In code that is
differentiated again all stay.

In: a reverse sweep whose adjoints add up in place.  Out: the same.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.vectors.handed_on import HandedOn
from yota_ast.adjoint.vectors.index_regions import (
    Lane,
    Lanes,
    Number,
    One,
    Part,
    Span,
    lane_of,
)
from yota_ast.adjoint.vectors.kept_loops import are_kept
from yota_ast.adjoint.vectors.lane_accesses import Access, are_independent
from yota_ast.adjoint.vectors.lane_values import (
    ALL,
    Numbers,
    Rows,
    Same,
    Value,
    computed,
    is_known,
    is_moved,
    is_real,
    spread,
    total,
    views,
    without_changed_factors,
)
from yota_ast.adjoint.vectors.loop_ends import after_last, joined_index, least_of
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.vectors.places_there import Need, Places, if_it_runs
from yota_ast.adjoint.vectors.split_loops import (
    RegionOf,
    Splitting,
    moved_of,
    number_sums,
    rest_of,
)
from yota_ast.analysis.raising_statements import may_raise
from yota_ast.ir.abstract_values import UNKNOWN, array_fact, slice_fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    Op,
    Simple,
    Store,
    atoms_of,
    blocks_of,
    map_blocks,
    of_ops,
    only,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ops.algebra import TERMS, operated


def with_vectors(
    back: Block,
    adjoints: Mapping[str, Atom],
    known: Known,
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> tuple[Block, dict[str, Atom]]:
    """Return the reverse sweep with statements in the place of such loops, and its
    results; notes where loops of numbers are gone."""
    loops = _Loops(infer, names, known, assumed, Places(known, back))
    return loops.handed.put_into(loops.block(back), adjoints)


@dataclass(slots=True)
class _Loops:
    infer: Infer
    names: Names
    known: Known
    assumed: Assumptions
    places: Places
    handed: HandedOn = field(default_factory=HandedOn)

    def block(self, block: Block) -> Block:
        """Return a block, the loops within others first."""
        ops: list[Op] = []
        for op in block:
            op = map_blocks(op, self.block)
            made = self._written_out(op) if isinstance(op, For) else None
            ops += [op] if made is None else made
        return of_ops(block, tuple(ops))

    def _written_out(self, given: For) -> list[Op] | None:
        loop = self.handed.put.loop(given)  # of loops within, some are gone
        assert isinstance(loop, For)
        plain = loop.stop is None and loop.stack is None and loop.schedule is None
        ends = self.known.ends(loop) if plain and len(loop.targets) == 1 else None
        if ends is None or any(blocks_of(op) for op in loop.body):
            return None
        lanes = Lanes(*ends, frozenset(self.known.natural))
        if not lanes.is_natural(lanes.low):
            return None
        made = self._statements(loop, lanes, self.known)
        return self._partly(loop, lanes) if made is None else made

    def _statements(self, loop: For, lanes: Lanes, known: Known) -> list[Op] | None:
        builder = Builder(self.infer, self.names, loop.origin)
        written = _Lanes(known, loop, lanes, builder)
        ops = written.ops()
        self.handed.add({} if ops is None else written.kept)
        if ops is None or self.places.are_there(written.needed, [loop]):
            return ops
        return if_it_runs(loop, known, ops, builder.nested())

    def _partly(self, loop: For, lanes: Lanes) -> list[Op] | None:
        """Return the loop with statements behind it for what it only adds to."""
        given = self.known.range_of(loop)
        applied = [*only(loop.body, Apply)]
        others = len(loop.body.ops) - len(applied) - len([*only(loop.body, Store)])
        if given is None or others or any(op.effect for op in applied):
            return None
        are_numbers = not any(op.out.fact.kind == "array" for op in applied)
        if are_numbers and are_kept():
            return None
        regions = _Lanes.regions(self.known, loop, lanes)
        split = Splitting(loop, lanes, regions, given[2] > 0)
        found = [c for c in split.movable() if self._moved(split, [c])]
        if not 0 < len(found) < len(loop.carries):
            return None
        made = self._moved(split, found)
        self.assumed.spread |= are_numbers and made is not None
        return None if made is None else [rest_of(loop, found), *made]

    def _moved(self, split: Splitting, found: Sequence[Carry]) -> list[Op] | None:
        loop = moved_of(split, found, self.names)
        own = {op.out.name: op for op in only(loop.body, Apply)}
        known = replace(self.known, made={**self.known.made, **own})
        known.natural.update(t.name for t in loop.targets)
        return self._statements(loop, split.lanes, known)


@dataclass(slots=True)
class _Lanes:
    """One loop, as it is written out."""

    known: Known
    loop: For
    lanes: Lanes
    builder: Builder
    values: dict[str, Value] = field(default_factory=dict)
    parts: dict[str, tuple[Atom, ...]] = field(default_factory=dict)
    """The indices that are built in the loop, by their names."""
    roots: dict[str, str] = field(default_factory=dict)
    """Of each name of an array that is written, the name of what the loop gives."""
    now: dict[str, Atom] = field(default_factory=dict)
    kept: dict[str, Var] = field(default_factory=dict)
    """What the loop hands on as it is, and what it is."""
    accesses: list[Access] = field(default_factory=list)
    own: frozenset[str] = frozenset()
    """What the loop makes."""
    needed: list[Need] = field(default_factory=list)
    """The places of arrays that have to be there."""

    def ops(self) -> list[Op] | None:
        """Return the statements; None: the loop stays."""
        body = self.loop.body.ops
        self.own = frozenset(v.name for op in body for v in bound_by(op))
        if not self._starts():
            return None
        for k, op in enumerate(body):
            if not self._takes(k, op):
                return None
        uses = list(map(self._seen, body))
        if not are_independent(self.accesses, self.lanes, uses):
            return None
        return self._called()

    def _takes(self, k: int, op: Op) -> bool:
        """Write out an op; say whether that is possible."""
        match op:
            case Store():
                self.builder.origin = op.origin
                return self._store(k, op)
            case Apply():
                return self._apply(k, op)
            case Simple() | Compound():
                return False
            case _:
                assert_never(op)

    def _starts(self) -> bool:
        """Note the arrays that are written; say whether the loop hands on no others."""
        body = self.loop.body
        targets = {op.target.name: op.out.name for op in only(body, Store)}
        targets |= {first.name: op.out.name for first, op in number_sums(body)}
        for carry in self.loop.carries:
            init, last = carry.init, carry.inside.name
            if isinstance(init, Undefined) or not isinstance(carry.next, Var):
                return False
            while last in targets:
                self.roots[last] = carry.out.name
                last = targets[last]
            if carry.next.name != last:
                return False
            if last == carry.inside.name and isinstance(init, Var):
                self.kept |= {last: init, carry.out.name: init}
                continue
            self.roots[last] = carry.out.name
            self.now[carry.out.name] = init
            if not is_real(carry.out) and not carry.out.fact.is_number:
                return False
        memory = self._memory()
        written = all(op.target.name in self.roots for op in only(body, Store))
        apart = None not in memory and len({*memory}) == len(memory)
        return written and apart and len(self.now) > 0

    def _memory(self) -> list[str | None]:
        """Return the memory of the arrays that are written."""
        arrays = [v for v in self.now.values() if fact_of_atom(v).kind == "array"]
        return [self.known.memory(v.name) for v in arrays if isinstance(v, Var)]

    def _seen(self, op: Op) -> frozenset[str]:
        """Return the values that an op reads the memory of."""
        found = (self.values.get(a.name) for a in atoms_of(op) if isinstance(a, Var))
        return frozenset[str]().union(*(views(v) for v in found if v is not None))

    def _called(self) -> list[Op]:
        """Return the statements, the last of each array under its name after the
        loop."""
        outs = {c.out.name: c.out for c in self.loop.carries}
        named = {v.name: outs[n] for n, v in self.now.items() if isinstance(v, Var)}
        return [*Substitution(named).block(self.builder.block())]

    # ------------------------------------------------------------ indices

    @staticmethod
    def regions(known: Known, loop: For, lanes: Lanes) -> RegionOf:
        """Return what tells the parts of the indices of a loop."""
        infer: Infer = lambda *_: UNKNOWN  # noqa: E731
        found = _Lanes(known, loop, lanes, Builder(infer, Names()))
        found.own = frozenset(v.name for op in loop.body for v in bound_by(op))
        builds = (op for op in only(loop.body, Apply) if op.fn is build_tuple)
        found.parts = {op.out.name: op.args for op in builds}
        return found._index

    def _index(self, index: Atom) -> tuple[Part, ...] | None:
        """Return the parts of an index."""
        if isinstance(index, Var) and index.name in self.parts:
            found = [*map(self._part, self.parts[index.name])]
        elif isinstance(index, Const) and isinstance(index.value, tuple):
            found = [self._part(Const(value)) for value in index.value]
        else:
            found = [self._part(index)]
        return None if None in found else (*(p for p in found if p is not None),)

    def _part(self, atom: Atom) -> Part | None:
        target = self.loop.targets[0].name
        if fact_of_atom(atom).cls is slice:
            return self._span(atom)
        number = self._number(atom)
        if number is None:
            return None
        return Lane(number.offset) if number.base == target else One(number)

    def _number(self, atom: Atom) -> Number | None:
        """Return a number that is the same in all iterations, or told by theirs."""
        number = self.known.number(atom)
        if number is None or number.base not in self.own:
            return number
        return number if isinstance(self.values.get(number.base), Same) else None

    def _is_natural(self, lane: Lane, array: Atom, axis: int) -> bool:
        """Return whether no iteration counts from the end of an axis, nor the slice
        that all take, but by a literal."""
        low, high = (n.shifted(lane.offset) for n in (self.lanes.low, self.lanes.high))
        ends = (
            self.lanes.is_natural(high)
            or self.known.from_end(high, array, axis) is not None
        )
        return ends and self.lanes.is_natural(low)

    def _span(self, atom: Atom) -> Span | None:
        ends = self.known.slice_ends(atom)
        if len(ends) != 3:
            return None
        start, stop, step = ends
        first = Number() if start == Const(None) else self._number(start)
        last = None if stop == Const(None) else self._number(stop)
        if step not in (Const(None), Const(1)) or first is None:
            return None
        target = self.loop.targets[0].name
        if (last is None and stop != Const(None)) or target in (
            first.base,
            getattr(last, "base", ""),
        ):
            return None
        return Span(first, last)

    def _across(self, array: Var, index: Atom, axis: int, lane: Lane) -> Atom:
        """Return the index that all iterations take together."""
        atoms = [*self.parts.get(getattr(index, "name", ""), (index,))]
        low, high = (n.shifted(lane.offset) for n in (self.lanes.low, self.lanes.high))
        atoms[axis] = self._slice(array, axis, low, high, lane.offset)
        return joined_index(self.builder, atoms)

    def _slice(self, array: Var, axis: int, low: Number, high: Number, by: int) -> Atom:
        given = self.known.range_of(self.loop)
        assert given is not None
        more = self.builder, self.known.made, by
        start = Const(None) if low == Number() else least_of(given, *more)
        last = self.known.from_end(high, array, axis)
        stop: Atom = Const(last)
        if last is None and not self.known.is_length(high, array, axis):
            stop = after_last(given, *more)
        if start == stop == Const(None):
            return Const(ALL)
        if isinstance(start, Const) and isinstance(stop, Const):
            return Const(slice(start.value, stop.value))
        ends = start, stop, Const(None)
        return self.builder.apply(build_slice, *ends, form="build", fact=slice_fact())

    # ------------------------------------------------------------ values

    def _value(self, atom: Atom) -> Value | None:
        """Return what is known of an operand."""
        if isinstance(atom, Const):
            return Same(atom)
        if atom == self.loop.targets[0] or atom.name in self.roots:
            return None
        if atom.name in self.own:
            return self.values.get(atom.name)
        one = atom.fact.is_scalar or atom.fact.kind in ("tuple", "slice")
        return Same(atom) if one or self._is_apart(atom) else None

    def _is_apart(self, array: Var) -> bool:
        """Return whether an array made before the loop shares no memory with those that
        are written."""
        if array.name in self.own:
            return False
        memory = self.known.memory(self.kept.get(array.name, array).name)
        return memory is not None and memory not in self._memory()

    def _apply(self, k: int, op: Apply) -> bool:
        """Note what an op computes; say whether that is known."""
        first = op.args[0] if op.args else None
        if isinstance(first, Var) and first.name in self.roots and first.fact.is_number:
            adds = operated(op.fn) in TERMS  # `-da` reads a sum between two iterations
            return adds and self._number_sum(op, self.roots[first.name])
        if op.effect or op.form == "augmented":
            return False
        values = [self._value(a) for a in op.args]
        same = all(isinstance(v, Same) for v in values)
        if op.fn is build_tuple:
            self.parts[op.out.name] = op.args
        if same and not op.kwargs and is_moved(op.fn):
            if op.fn is operator.getitem and may_raise(op, ()):
                region = self._index(op.args[1])
                self._needs(op.args[0], [None] if region is None else region)
            self.builder.ops.append(op)
            self.values[op.out.name] = Same(op.out)
            return True
        if op.fn is build_tuple or self._is_index(op):
            return True
        if op.kwargs:
            return False
        value = self._taken(k, op) if op.fn is operator.getitem else None
        if value is None and op.fn is not operator.getitem:
            given = [v for v in values if v is not None]
            if len(given) == len(values) and all(map(is_known, given)):
                value = computed(self.builder, op.fn, *given)
        if value is None:
            return False
        self.values[op.out.name] = value
        return True

    def _needs(self, array: Atom, region: Sequence[Part | None]) -> None:
        """Note the places that a part of an array needs."""
        for axis, part in enumerate(region):
            if part is None or isinstance(part, One):
                self.needed.append((array, axis, part and part.place))

    def _number_sum(self, op: Apply, root: str) -> bool:
        """Add all that the iterations add to a number."""
        value = self._value(op.args[1])
        if value is None or not is_known(value):
            return False
        sum_ = total(self.builder, value, is_vector=False)
        if sum_ is None:
            return False
        now = self.now[root]
        if now == Const(0.0) and operated(op.fn) == "sum":
            self.now[root] = sum_
            return True
        self.builder.ops.append(replace(op, args=(now, sum_)))
        self.now[root] = op.out
        return True

    def _is_index(self, op: Apply) -> bool:
        """Return whether an op is the number of the iteration, and some more."""
        return (
            getattr(self.known.number(op.out), "base", "") == self.loop.targets[0].name
        )

    def _taken(self, k: int, op: Apply) -> Value | None:
        """Return a number, or a vector, that each iteration takes of an array."""
        array, index = op.args
        if not isinstance(array, Var) or not is_real(array):
            return None
        region = self._index(index)
        found = None if region is None else lane_of(region)
        if region is None or found is None or len(region) != array.fact.rank:
            return None
        spans = sum(isinstance(p, Span) for p in region)
        root = self.roots.get(array.name)
        if root is None and not self._is_apart(array):
            return None
        if spans > 1:
            return None
        axis, lane = found
        if not self._is_natural(lane, array, axis):
            return None
        self._needs(array, region)
        if root is not None:
            self.accesses.append(Access(root, tuple(region), "read", k, op.out.name))
        current: Atom = array if root is None else self.now[root]
        at = self._across(array, index, axis, lane)
        fact = array_fact(array.fact.dtype, (None,) * (1 + spans))
        atom = current
        if at != Const(ALL):
            atom = self.builder.apply(operator.getitem, current, at, fact=fact)
        seen = frozenset() if root is None else frozenset([op.out.name])
        if not spans:
            return Numbers(atom, seen)
        return Rows(atom, sum(isinstance(p, Span) for p in region[:axis]), seen)

    # ------------------------------------------------------------ stores

    def _store(self, k: int, op: Store) -> bool:
        """Add what all iterations store; say whether there is a form for it."""
        region = self._index(op.index)
        value = self._value(op.value)
        if region is None or value is None or len(region) != op.target.fact.rank:
            return False
        spans = sum(isinstance(p, Span) for p in region)
        sums = op.change in (ADD, SUBTRACT)
        if spans > 1 or not (sums or op.change == PUT) or not is_known(value):
            return False
        self._needs(op.target, region)
        root, found = self.roots[op.target.name], lane_of(region)
        self.accesses.append(Access(root, tuple(region), "sum" if sums else "put", k))
        index: Atom = op.index
        if found is None:
            if not sums or any(isinstance(p, Lane) for p in region):
                return False
            stored = total(self.builder, value, is_vector=spans == 1)
        else:
            axis, lane = found
            if not self._is_natural(lane, op.target, axis):
                return False
            lead = sum(isinstance(p, Span) for p in region[:axis])
            stored = spread(self.builder, value, lead if spans else None)
            index = self._across(op.target, op.index, axis, lane)
        if stored is None:
            return False
        now = self.now[root]
        assert isinstance(now, Var)
        self.builder.ops.append(replace(op, target=now, index=index, value=stored))
        self.now[root] = op.out
        read = {a.value for a in self.accesses if a.root == root and a.value}
        self.values = without_changed_factors(self.values, read)
        return True
