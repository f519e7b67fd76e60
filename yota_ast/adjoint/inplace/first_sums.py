"""A reverse sweep in place -> the same, where what is added to an item of zeros once is
put there.

    dW = zeros_of(W)
    for i in range(len(W) - 1, -1, -1):
        dW[i] += np.outer(dz, x)

Each iteration adds to an item of its own (no position is negative: -1 and 1 may be one
item), and the one sum in it becomes `dW[i] = ...`:
of numbers, and of arrays of doubles that are new and have no other name.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.inplace.owned_items import makes_items
from yota_ast.analysis.repeated_elements import counts_up
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    Store,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.store_changes import ADD, PUT

Stacks = Mapping[str, tuple[int, ...]]
"""For what a loop saves, by its stack: the positions of what differs from one iteration
to all others."""


def with_first_sums(back: Block, ahead: Block) -> Block:
    """The sweep, with assignments for such sums; ahead: the forward sweep."""
    return _FirstSums(dict(_stacks(ahead))).block(back)


def _stacks(ahead: Block) -> list[tuple[str, tuple[int, ...]]]:
    made = only(walk(ahead), Apply)
    ranges = {op.out for op in made if op.fn is range and counts_up(op)}
    found = []
    for op in only(walk(ahead), For):
        keys = fact_of_atom(op.iterable).kind == "dict"
        if op.stack is not None and (keys or op.iterable in ranges):
            places = (k for k, v in enumerate(op.saved) if v in op.targets)
            found.append((op.stack.name, tuple(places)))
    return found


@dataclass(frozen=True, slots=True)
class _FirstSums:
    stacks: Stacks

    def block(self, block: Block) -> Block:
        """A block, with the loops in it changed."""
        made = {op.out.name: op for op in only(block, Apply)}
        ops = list[Op]()
        for op in block:
            op = map_blocks(op, self.block)
            if isinstance(op, For):
                op = replace(op, body=self.body(op, made))
            ops.append(op)
        return of_ops(block, tuple(ops))

    def body(self, loop: For, made: Mapping[str, Apply]) -> Block:
        """The body of a loop of a block, whose ops are known by what they make."""
        zeros = {
            c.inside.name: c.next
            for c in loop.carries
            if isinstance(c.init, Var)
            and c.init.name in made
            and makes_items(made[c.init.name])
        }
        distinct = self.distinct(loop, made)
        if not zeros or not distinct:
            return loop.body
        reads = read_counts(loop.body)
        inner = {op.out.name: op for op in only(loop.body, Apply)}

        def put(op: Op) -> Op:
            if not isinstance(op, Store) or op.change != ADD:
                return op
            following = zeros.get(op.target.name)
            once = following == op.out and reads[op.target.name] == 1
            if not once or reads[op.out.name] or op.index not in distinct:
                return op
            each = element_of(op.target.fact)
            whole = self.is_item(op.value, each, inner, reads)
            return replace(op, change=PUT) if whole else op

        return of_ops(loop.body, tuple(map(put, loop.body)))

    def distinct(self, loop: For, made: Mapping[str, Apply]) -> tuple[Var, ...]:
        """The targets of a loop that differ from one iteration to all others."""
        source = (
            made.get(loop.iterable.name) if isinstance(loop.iterable, Var) else None
        )
        if source is None:
            return ()
        if source.fn is range:
            return loop.targets
        if source.fn is not operator.getitem or not isinstance(source.args[0], Var):
            return ()
        places = self.stacks.get(source.args[0].name, ())
        return tuple(loop.targets[k] for k in places)

    def is_item(
        self, value: Atom, each: Fact, made: Mapping[str, Apply], reads: Counter[str]
    ) -> bool:
        """Whether a value may stand in the list itself."""
        known = fact_of_atom(value)
        if each.is_scalar:
            return known.is_scalar and known.kind != "array"
        double = known.dtype == each.dtype == np.float64
        if not isinstance(value, Var) or not double or known.rank != each.rank:
            return False
        maker = made.get(value.name)
        return maker is not None and reads[value.name] == 1 and is_fresh(maker)
