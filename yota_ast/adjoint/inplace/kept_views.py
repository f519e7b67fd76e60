"""A reverse sweep that writes in place -> the same, where what was read is kept.

`t = dy[1:]` is a view: where dy is written before t is read for the last time, the text
needs `t = dy[1:].copy()`.  In: a block with stores and sums in place.  Out: the block
with those copies.

The views of the function itself, between whose ops tangents stand, are none of these:
what it writes through them is meant for all that share the memory.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.copy_elision import without_second_copies
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.points_to import PointsTo, Roots, written_by
from yota_ast.analysis.unmodified_reads import Indices, kept_ranges
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import carries_of, ends_of, is_loop, merges_of
from yota_ast.ir.builder import Names
from yota_ast.ir.built_values import builds
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
    blocks_of,
    defined_by,
    map_blocks,
    only,
    walk,
)
from yota_ast.ir.store_changes import changes_length, is_repeated, is_sum
from yota_ast.ops import info
from yota_ast.support.reachable import reach

Fresh = Callable[[Apply], bool]


@dataclass(slots=True)
class Sharing:
    """Which memory variables may be, and which of them are views."""

    is_fresh: Fresh
    points: PointsTo
    views: dict[str, Apply] = field(default_factory=dict)
    handed: dict[str, set[str]] = field(default_factory=dict)
    """What the variables stand for that branches and loops hand on."""
    origins: dict[str, frozenset[str]] = field(default_factory=dict)
    indices: Indices | None = None
    """Of arrays, where it is known which of their cells are read and written."""
    before: dict[str, Var] = field(default_factory=dict)
    """What stores and sums in place have written into, by their results."""

    def visit(self, block: Block) -> None:
        """Note the views of a block, and what its variables stand for."""
        for op in walk(block):
            match op:
                case Apply():
                    self._applied(op)
                case Store():
                    self.before[op.out.name] = op.target
                    kept = (op.value,) if keeps(op) else ()
                    self.hand_on(op.out, op.target, *kept)
                case Simple() | Compound():
                    for m in merges_of(op):
                        self.hand_on(m.out, m.then, m.orelse)
                    for c in carries_of(op):
                        self.hand_on(c.inside, c.init, c.next)
                        self.hand_on(c.out, c.inside, c.next)
                case _:
                    assert_never(op)

    def _applied(self, op: Apply) -> None:
        if op.form == "augmented":
            self.hand_on(op.out, op.args[0])
            if isinstance(op.args[0], Var):
                self.before[op.out.name] = op.args[0]
        elif _mutable(op.out) and not self.is_fresh(op):
            self.views[op.out.name] = op

    def hand_on(self, out: Var, *sources: Atom | Undefined) -> None:
        """A variable stands for one of several."""
        found = self.handed.setdefault(out.name, set())
        found.update(source.name for source in sources if isinstance(source, Var))

    def origins_of(self, name: str) -> frozenset[str]:
        """All that a variable stands for, itself among them."""
        if name not in self.origins:
            self.origins[name] = frozenset(reach((name,), self.handed.get))
        return self.origins[name]

    def of_views(self, names: set[str]) -> set[str]:
        """The variables among some that are views, or stand for one."""
        return {
            n for n in names if not self.views.keys().isdisjoint(self.origins_of(n))
        }

    def memory(self, *atoms: Atom) -> Roots:
        """The memory that some values may be, be a view of, or hold."""
        return frozenset[str]().union(*map(self.points.memory, atoms))

    def writes(self, *ops: Op) -> dict[str, Written]:
        """The memory that ops and those within them write into, by the names of what
        has been written. An item that enters or leaves a list stays as it is."""
        found = ((op, written_by(op)) for op in walk(Block(ops)))
        return {
            out.name: Written(self.memory(target), self._begins(target))
            for op, target in found
            if target is not None and not _resizes(op)
            for out in defined_by(op)
        }

    def written(self, *ops: Op) -> Roots:
        """The memory that ops and those within them write into."""
        return frozenset[str]().union(*(w.roots for w in self.writes(*ops).values()))

    def misses(self, op: Op, name: str) -> bool:
        """Whether a store certainly leaves the cells alone that a view shows."""
        view = self.views.get(name)
        if self.indices is None or view is None or view.fn is not operator.getitem:
            return False
        if not isinstance(op, Store) or changes_length(op.change):
            return False
        source, index = view.args
        return self._begins(source) == self._begins(op.target) and self.indices.apart(
            op.index, index
        )

    def _begins(self, array: Atom) -> Atom:
        """The array that some stores have written into, as it was before them."""
        while isinstance(array, Var) and array.name in self.before:
            array = self.before[array.name]
        return array

    def stale(
        self,
        read: str,
        views: Mapping[str, int],
        writes: Mapping[str, Written],
        born: Mapping[str, int],
    ) -> set[str]:
        """The views among some that a variable stands for, of which it is not to show
        what has been written since. views, born: when the views and new arrays are made
        in each iteration. No view shows an array that is made after it."""
        origins = self.origins_of(read)
        writes = {out: each for out, each in writes.items() if out not in origins}

        def shows(name: str) -> bool:
            own = self.memory(self.views[name].out)
            made = views[name] if name == read else math.inf
            return any(
                not own.isdisjoint(each.roots) and born.get(each.name, -1) <= made
                for each in writes.values()
            )

        return {name for name in origins & views.keys() if shows(name)}


@dataclass(frozen=True, slots=True)
class Written:
    """The memory that is written into, and the array as it was before all stores."""

    roots: Roots
    array: Atom

    @property
    def name(self) -> str:
        """The name of the array."""
        return self.array.name if isinstance(self.array, Var) else ""


def _resizes(op: Op) -> bool:
    return isinstance(op, Store) and changes_length(op.change)


def keeps(op: Store) -> bool:
    """Whether a store keeps the value itself, as a list does, and not a copy of it, and
    no sum with it."""
    return op.target.fact.kind not in ("array", "real") and not is_sum(op.change)


def _mutable(var: Var) -> bool:
    """Whether a variable may hold memory: of no axes only as an array, not a number."""
    if var.fact.is_scalar and var.fact.kind != "array":
        return False
    return var.fact.kind not in ("str", "none", "callable")


def _contents_read(op: Op) -> set[str]:
    """The variables of which an op itself reads what they hold."""
    if not isinstance(op, Apply):
        return _names(atoms_of(op))
    known = info(op.fn)
    if known.asks_where:
        return set()
    told = known.shape_only
    if not told:
        return _names(atoms_of(op))
    return _names(
        a for k, a in enumerate(atoms_of(op)) if k not in told or not _is_array(a)
    )


def _is_array(atom: Atom | Undefined) -> bool:
    """Whether this is an array, of which no store changes the shape."""
    return isinstance(atom, Var) and atom.fact.kind == "array"


def _names(atoms: Iterable[Atom | Undefined]) -> set[str]:
    return {a.name for a in atoms if isinstance(a, Var)}


@dataclass(slots=True)
class Reads:
    """What ops read, each asked once: an op within many blocks is part of each."""

    known: dict[int, tuple[Op, set[str]]] = field(default_factory=dict)

    def by(self, op: Op) -> set[str]:
        """The variables that an op and the ops within it read."""
        if not blocks_of(op):
            return _contents_read(op)
        if id(op) not in self.known:  # the op is kept: no other gets its number
            self.known[id(op)] = (op, self._all(op))
        return self.known[id(op)][1]

    def _all(self, op: Op) -> set[str]:
        found = _contents_read(op) | _names(ends_of(op))
        for block in blocks_of(op):
            for inner in block:
                found |= self.by(inner)
        return found


def _stale(
    block: Block,
    after: set[str],
    within: frozenset[str],
    sharing: Sharing,
    reads: Reads,
) -> set[str]:
    """The views that are read after their memory was written.

    after: what is read when the block has run. within: the views of the blocks around.
    """
    later = [sharing.of_views(after)]  # of nothing else it matters
    for op in reversed(block.ops):
        read = reads.by(op)
        later.append(later[-1] | sharing.of_views(read) if read else later[-1])
    later.reverse()
    found: set[str] = set()
    views, born = dict.fromkeys(within, -1), dict[str, int]()
    for n, op in enumerate(block.ops):
        writes = sharing.writes(op)
        rest = later[n + 1]
        rest = rest | _read_again(op, reads)
        for inner, then in _within(op, rest, reads):
            found |= _stale(inner, then, frozenset(views), sharing, reads)
        for name in rest if writes else ():
            stale = sharing.stale(name, views, writes, born)
            found |= stale - {name} if sharing.misses(op, name) else stale
        for made in walk(Block((op,))) if blocks_of(op) else (op,):
            if isinstance(made, Apply) and made.out.name in sharing.views:
                views[made.out.name] = n
        if isinstance(op, Apply) and op.form != "augmented" and sharing.is_fresh(op):
            born[op.out.name] = n
    return found


def _read_again(op: Op, reads: Reads) -> set[str]:
    """What an op reads once more after it has written: the next iteration does."""
    if isinstance(op, Store) and is_repeated(op.change):
        return reads.by(op)
    if not is_loop(op):
        return set()
    within = (reads.by(inner) for block in blocks_of(op) for inner in block)
    return _names(ends_of(op)).union(*within)


def _within(op: Op, rest: set[str], reads: Reads) -> Iterator[tuple[Block, set[str]]]:
    """The blocks of an op, and what is read when each has run; rest: what is read when
    the op has, and by the next iteration of a loop."""
    match op:
        case If():
            yield op.then, rest | _names(m.then for m in op.merges)
            yield op.orelse, rest | _names(m.orelse for m in op.merges)
        case For() | While():
            own = {v.name for o in walk(op.body) for v in defined_by(o)}  # made anew
            yield op.body, (rest - own) | _names(c.next for c in op.carries)
        case With():
            yield op.body, rest
        case Try():
            ends = _names(ends_of(op))
            later = {n for b in (op.orelse, op.handler) for o in b for n in reads.by(o)}
            yield op.body, rest | ends | later
            yield op.orelse, rest | ends
            yield op.handler, rest | ends
        case Simple():
            pass
        case _:
            assert_never(op)


@dataclass(slots=True)
class _Copying:
    """Puts copies after views; views: those by the names of their copies, for what asks
    where they lie."""

    stale: set[str]
    names: Names
    views: dict[str, Var] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """The block with the copies."""
        ops: list[Op] = []
        for op in block:
            if not isinstance(op, Apply):
                ops.append(map_blocks(op, self.block))
            elif op.out.name in self.stale:
                ops += self._with_copy(op)
            elif info(op.fn).asks_where:
                ops.append(replace(op, args=tuple(map(self._itself, op.args))))
            else:
                ops.append(op)
        return Block(tuple(ops))

    def _itself(self, atom: Atom) -> Atom:
        return self.views.get(atom.name, atom) if isinstance(atom, Var) else atom

    def _with_copy(self, op: Apply) -> list[Op]:
        """A view and its copy; what holds several arrays holds copies of them."""
        if not builds(op.fn):
            view = Var(self.names.fresh(op.out.name), op.out.fact)
            self.views[op.out.name] = view
            return [replace(op, out=view), *self._copy(view, op.out, op)]
        ops: list[Op] = []
        args: list[Atom] = []
        for a in op.args:
            if isinstance(a, Var) and a.fact.may_be_array and _mutable(a):
                own = Var(self.names.fresh(a.name), a.fact)
                ops += self._copy(a, own, op)
                a = own
            args.append(a)
        return [*ops, replace(op, args=tuple(args))]

    def _copy(self, of: Var, out: Var, op: Apply) -> list[Apply]:
        if of.fact.kind == "array" and of.fact.rank in (0, None):
            # Of an array without axes the adjoint may be a number.
            return [Apply(out, np.copy, (of,), origin=op.origin)]
        if of.fact.kind == "array":
            return [Apply(out, np.ndarray.copy, (of,), (), "method", "copy", op.origin)]
        if of.fact.kind in ("list", "tuple", "dict") or info(op.fn).listed:
            return [Apply(out, deepcopy, (of,), origin=op.origin)]
        whole = Var(self.names.fresh(of.name), of.fact)  # of a number: the number
        return [
            Apply(whole, np.copy, (of,), origin=op.origin),
            Apply(out, operator.getitem, (whole, Const(())), (), "subscript", "",
                  op.origin),
        ]  # fmt: skip


def sharing_of(block: Block, is_fresh: Fresh = is_fresh) -> Sharing:
    """Which variables of a block may share memory."""
    ops = tuple(walk(block))
    applied = (op for op in only(ops, Apply) if op.form != "augmented")
    apart: dict[str, tuple[Atom, ...]]
    apart = {op.out.name: () for op in applied if is_fresh(op)}
    # What a loop goes over are values of the function, which no sweep writes.
    apart |= {item.name: () for op in only(ops, For) for item in op.targets}
    sharing = Sharing(is_fresh, PointsTo(block, apart=apart))
    sharing.visit(block)
    return sharing


def with_copies(
    block: Block,
    after: Iterable[Atom | Undefined],
    is_fresh: Fresh,
    names: Names,
    primal: frozenset[str] = frozenset(),
    ahead: Block = Block(),  # noqa: B008  it is frozen
) -> Block:
    """The block, with copies of the views that are read after a write. primal: the
    function's own variables, of which none is copied. ahead: the forward sweep."""
    if all(written_by(op) is None for op in walk(block)):
        return block
    sharing = sharing_of(block, is_fresh)
    for name in sharing.views.keys() & primal:
        del sharing.views[name]
    viewed = sharing.memory(*(view.out for view in sharing.views.values()))
    if sharing.written(*block).isdisjoint(viewed):
        return block
    sharing.indices = Indices(places_of(block), kept_ranges(ahead))
    after = tuple(after)
    stale = _stale(block, _names(after), frozenset(), sharing, Reads())
    if not stale:
        return block
    return without_second_copies(_Copying(stale, names).block(block), after)
