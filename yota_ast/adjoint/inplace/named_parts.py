"""A forward sweep -> the same, with the parts of arrays that stores change by name.

The reverse of `y[i] *= e` reads what stood at i before, that of `y[i] /= e` what stands
there afterwards. Both are given a variable here, so that no more than these parts is
kept of an array that is written again; what nobody reads is dead. So is what stood in a
list where a list or an array of another length may be put: its adjoint is as long.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.analysis.activity import Activity
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.facts.joined_facts import within
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    map_blocks,
    path_length,
    walk,
)
from yota_ast.ir.store_changes import Put, operator_of
from yota_ast.ops import takes_all
from yota_ast.ops.subscript_memory import makes_index


@dataclass(frozen=True, slots=True)
class Part:
    """What stood where a store has written, and what stands there."""

    before: Var
    after: Var


Parts = Mapping[str, Part]
"""By the name of what a store makes."""


def is_whole(store: Store) -> bool:
    """Whether a store writes all of an array, `y[...] = e`, `y[:] = e`."""
    return takes_all(store.index, store.target)


def part_of(store: Store, known: Parts) -> Part | None:
    """The contents that a store changes, where they have names."""
    if is_whole(store):
        return Part(store.target, store.out)
    return known.get(store.out.name)


@dataclass(slots=True)
class _Splitter:
    infer: Infer
    names: Names
    found: dict[str, Part]
    made: Mapping[str, Apply]

    def block(self, block: Block) -> Block:
        """The block, with the parts read before and after each such store."""
        ops: list[Op] = []
        for k, op in enumerate(block):
            if not isinstance(op, Store):
                # in a try, the read raises what the store itself would
                ops.append(map_blocks(op, self.block))
            elif operator_of(op.change) is not None:
                ops += self.split(op, block.ops[k + 1 :])
            elif _resizes(op):
                ops += self.resized(op)
            else:
                ops.append(op)
        return Block(tuple(ops))

    def split(self, op: Store, following: Sequence[Op]) -> list[Op]:
        """A store with the reads of the part that it changes; a read of the part that
        follows is used again."""
        if is_whole(op) or op.out.name in self.found:
            return [op]
        before, after = self.read(op, op.target), self.read(op, op.out)
        place = self.key(op.index)
        for other in following:
            if isinstance(other, Apply) and other.fn is operator.getitem:
                if other.args[0] == op.out and self.key(other.args[1]) == place:
                    self.found[op.out.name] = Part(before.out, other.out)
                    return [before, op]
        self.found[op.out.name] = Part(before.out, after.out)
        return [before, op, after]

    def resized(self, op: Store) -> list[Op]:
        """A store of an item with the read of the one that stood there."""
        if op.out.name in self.found:
            return [op]
        before = self.read(op, op.target)
        self.found[op.out.name] = Part(before.out, before.out)
        return [before, op]

    def key(self, index: Atom) -> object:
        """What makes two indices one."""
        made = self.made.get(index.name) if isinstance(index, Var) else None
        if made is None or not makes_index(made.fn) or made.kwargs:
            return index
        return (made.fn, *map(self.key, made.args))

    def read(self, op: Store, source: Var) -> Apply:
        """The op that reads the part."""
        known = self.infer(operator.getitem, (source, op.index), ())
        out = Var(self.names.fresh("part"), known)
        args = (source, op.index)
        return Apply(out, operator.getitem, args, (), "subscript", "", op.origin)


def with_parts(
    block: Block, known: Parts, infer: Infer, names: Names
) -> tuple[Block, Parts]:
    """The block, and the parts of its stores; `known` ones it has already."""
    made = {op.out.name: op for op in walk(block) if isinstance(op, Apply)}
    splitter = _Splitter(infer, names, dict(known), made)
    return splitter.block(block), splitter.found


def with_active_parts(active: Activity, block: Block, parts: Parts) -> Activity:
    """The activity, with what stood where active arrays are written."""
    stores = [op for op in walk(block) if isinstance(op, Store)]
    more = {
        parts[op.out.name].before.name
        for op in stores
        if op.out.name in parts
        and op.target in active
        and op.out in active
        and operator_of(op.change) is not None
    }
    return Activity(active.names | more)


def _resizes(op: Store) -> bool:
    """Whether a store may put an item of another structure into a list."""
    known = op.target.fact
    if known.kind != "list" or not isinstance(op.change, Put):
        return False
    if fact_of_end(op.index).cls is slice:
        return False
    old = within(known, path_length(op.target, op.index) or 1)
    new = fact_of_end(op.value)
    if old.is_scalar or new.is_scalar:
        return False
    if old.kind == new.kind == "array" and isinstance(old.shape, tuple):
        return old.shape != new.shape or None in old.shape
    return True
