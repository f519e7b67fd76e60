"""A tape -> the same, where an array that is written as a whole is a new value.

    w = np.exp(s)                       w = np.exp(s)
    w /= w.sum()                        w = w / w.sum()

The adjoint and the rewrites read both values, and no copy is needed to keep the first.
This is done to arrays that the function has made, not to arguments and views. (What
reads such an array later under another name reads, on a tape, the value after the
store.) Where the dtypes might differ, as of float32 divided by doubles, the statement
stays as it is.

In the end the forward sweep writes in place again, as the user does, where neither
sweep reads the first value later under any name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.saving.float_widths import FloatWidths
from yota_ast.analysis.engine import defined_in
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by, names_read, read_counts
from yota_ast.ir.builder import Infer
from yota_ast.ir.facts.lengths_that_fit import are_of_one_shape
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    blocks_of,
    defined_by,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import Put, Update
from yota_ast.ops import info

_WHOLE: Final = (Const(...), Const(slice(None)))
Stores = Mapping[str, Store]
"""Stores that are taken for new values, by the names of their results."""


def with_rebound(
    block: Block, read_after: Sequence[Atom], infer: Infer
) -> tuple[Block, Stores]:
    """Return the block with new values where it writes arrays as a whole, and the
    stores that are gone.

    read_after: what is read when the block has run.
    """
    if next(only(walk(block), Store), None) is None:  # most blocks
        return block, {}
    counts = read_counts(block, read_after)
    found = _elsewhere(block, _candidates(block, counts, infer))
    stores = {op.out.name: op for op in found}
    while stores:
        made = _rebound(block, stores)
        makers = {op.out.name: op for op in walk(made) if isinstance(op, Apply)}
        widths = FloatWidths(defined_in(made), infer)
        called = _called(stores)
        left = {
            name: op
            for name, op in stores.items()
            if _fits(op, called.get(name, op.out), makers, widths)
        }
        if len(left) == len(stores):
            return made, stores
        stores = left
    return block, {}


def with_updates_again(
    ahead: Block, back: Block, stores: Stores, read_after: Sequence[Atom]
) -> Block:
    """Return the forward sweep, which writes in place again where neither sweep reads
    later what an array was before.

    read_after: what is read when both have run.
    """
    if not any(isinstance(op.change, Update) for op in stores.values()):
        return ahead
    memory = PointsTo(ahead, back)
    names: dict[str, list[str]] = {}
    for var in chain.from_iterable(map(bound_by, walk(Block((*ahead, *back))))):
        for root in memory.memory(var):
            names.setdefault(root, []).append(var.name)
    reads = _LastReads((ahead, back), read_after)
    again = dict(_over(ahead, stores, reads, names))
    return _with(ahead, again) if again else ahead


def _over(
    block: Block, stores: Stores, reads: _LastReads, names: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, Op]]:
    """Return the stores that may stand again in a block, by the names of their results:
    each writes into an array that the block makes anew whenever it runs, and that
    nothing reads later under any of its names."""
    made: set[Atom] = set()
    for place, op in enumerate(block):
        for inner in blocks_of(op):
            yield from _over(inner, stores, reads, names)
        if not isinstance(op, Apply):
            continue
        made.add(op.out)
        store = stores.get(op.out.name)
        if store is None or not isinstance(store.change, Update):
            continue
        target = op.args[0]
        if isinstance(target, Var) and target in made and op.fn is store.change.fn:
            own = names.get(target.name, ())
            if all(reads.are_over(block, place, name) for name in own):
                yield op.out.name, replace(store, target=target, value=op.args[1])


def _candidates(
    block: Block, counts: Mapping[str, int], infer: Infer
) -> Iterator[Store]:
    """Return the stores that may become new values: those into what their own block
    has made."""
    made: set[object] = set()
    for op in block:
        if isinstance(op, Store) and op.target in made and _may_be(op, infer):
            put = op.value if isinstance(op.change, Put) else None
            if not isinstance(put, Var) or counts[put.name] == 1:
                yield op
        made.update(defined_by(op))
        for inner in blocks_of(op):
            yield from _candidates(inner, counts, infer)


def _elsewhere(block: Block, stores: Iterable[Store]) -> Iterator[Store]:
    """Return the stores into arrays whose address nothing asks for: a test of whether
    one array is a view of another compares addresses, and a new value has its own."""
    asks = [op for op in walk(block) if isinstance(op, Apply) and _asks_where(op)]
    memory = PointsTo(block)
    asked = frozenset().union(*(memory.memory(a) for op in asks for a in op.args))
    return (op for op in stores if asked.isdisjoint(memory.memory(op.target)))


def _asks_where(op: Apply) -> bool:
    return info(op.fn).asks_where


def _may_be(op: Store, infer: Infer) -> bool:
    """Return whether a store gives each element of an array of floats another value."""
    known = op.target.fact
    if known.kind != "array" or not known.rank or op.index not in _WHOLE:
        return False
    if known.dtype is None or known.dtype.kind not in "fc":
        return False
    if isinstance(op.change, Update) and not op.change.repeats:
        return _is_shape(infer(op.change.fn, (op.target, op.value), ()), known)
    is_put = isinstance(op.change, Put) and isinstance(op.value, Var)
    return is_put and _is_shape(fact_of_atom(op.value), known)


def _is_shape(one: Fact, other: Fact) -> bool:
    return one.kind == "array" and are_of_one_shape(one, other)


def _fits(
    op: Store, out: Var, makers: Mapping[str, Apply], widths: FloatWidths
) -> bool:
    """Return whether a store writes into an array that the function has made, and the
    value `out` that takes its place is new memory of the same dtype."""
    old, new = makers.get(op.target.name), makers.get(out.name)
    if old is None or new is None or not (is_fresh(old) and is_fresh(new)):
        return False
    return widths.same(op.target, new.out)


def _called(stores: Stores) -> dict[str, Var]:
    """Return, by the name of each value that is put into an array, the variable that
    takes its place: that of the array, or of the last one where it is put on."""
    puts = {
        op.value.name: op.out
        for op in stores.values()
        if isinstance(op.change, Put) and isinstance(op.value, Var)
    }

    def last(var: Var) -> Var:
        while var.name in puts:
            var = puts[var.name]
        return var

    return {name: last(out) for name, out in puts.items()}


def _rebound(block: Block, stores: Stores) -> Block:
    """Return the block without the stores: what was put into an array takes the name
    that the array has afterwards."""
    new = {
        op.out.name: Apply(
            op.out, op.change.fn, (op.target, op.value), form="operator",
            origin=op.origin,
        )
        for op in stores.values()
        if isinstance(op.change, Update)
    }  # fmt: skip
    gone = {op.out.name for op in stores.values()} - new.keys()
    return Substitution(_called(stores)).block(_without(_with(block, new), gone))


def _with(block: Block, others: Mapping[str, Op]) -> Block:
    """Return a block with other ops in the place of those that make some variables."""

    def changed(inner: Block) -> Block:
        return _with(inner, others)

    def other(op: Op) -> Op:
        if blocks_of(op):  # a `with` defines what the ops of its body do
            return map_blocks(op, changed)
        made = (others[v.name] for v in defined_by(op) if v.name in others)
        return next(made, op)

    return of_ops(block, tuple(map(other, block)))


def _without(block: Block, gone: Container[str]) -> Block:
    """Return a block without the stores that have some results."""

    def changed(inner: Block) -> Block:
        return _without(inner, gone)

    left = (op for op in block if not (isinstance(op, Store) and op.out.name in gone))
    return of_ops(block, tuple(map_blocks(op, changed) for op in left))


class _LastReads:
    """How often each variable is read, in all and in each block, and where last."""

    def __init__(self, blocks: Iterable[Block], read_after: Iterable[Atom]) -> None:
        self.within: dict[int, dict[str, tuple[int, int]]] = {}
        """By the block, by name: how often it reads it, and the place of the last."""
        self.counts = Counter(names_read(Block(), read_after))
        for block in blocks:
            self.counts.update(self._note(block))

    def _note(self, block: Block) -> Counter[str]:
        found: Counter[str] = Counter()
        last: dict[str, int] = {}
        for place, op in enumerate(block):
            for inner in blocks_of(op):
                self._note(inner)
            own = read_counts(Block((op,)))
            found.update(own)
            last |= dict.fromkeys(own, place)
        self.within[id(block)] = {n: (found[n], k) for n, k in last.items()}
        return found

    def are_over(self, block: Block, place: int, name: str) -> bool:
        """Return whether nothing reads a variable but the ops of a block up to a
        place."""
        count, last = self.within[id(block)].get(name, (0, 0))
        return count == self.counts[name] and last <= place
