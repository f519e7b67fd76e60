"""Loops over ranges, one within another -> their numbers, and the arrays they carry.

In: a reverse sweep.  Out: the same with loops written in another way. How, is told by
what builds upon `LoopNest`; `StaysError` where they stay as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.vectors.handed_on import HandedOn
from yota_ast.adjoint.vectors.loop_ends import after_last
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.vectors.places_there import Places, if_it_runs
from yota_ast.adjoint.windows.window_indices import Counter, WindowIndices
from yota_ast.adjoint.windows.window_regions import StaysError, WindowRegions
from yota_ast.adjoint.windows.window_values import Carried
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by, read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    Store,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ops.algebra import KEEPING, operated


def with_loops_replaced(
    block: Block, written_out: Callable[[For], list[Op] | None]
) -> Block:
    """Return a block, the outermost loops first, with the ops in the place of each loop
    that it is written out as; None of one that stays."""
    ops: list[Op] = []
    for op in block:
        made = written_out(op) if isinstance(op, For) else None
        if made is None:
            made = [map_blocks(op, lambda b: with_loops_replaced(b, written_out))]
        ops += made
    return of_ops(block, tuple(ops))


@dataclass(slots=True)
class Loops:
    """Writes the loops of a reverse sweep in another way; nest: how one is written."""

    nest: Callable[[Known, Builder], LoopNest]
    infer: Infer
    names: Names
    known: Known
    assumed: Assumptions
    handed: HandedOn = field(default_factory=HandedOn)

    def written_out(
        self, back: Block, adjoints: Mapping[str, Atom]
    ) -> tuple[Block, dict[str, Atom]]:
        """Return the sweep and its results; notes what that takes for granted."""
        places = Places(self.known, back)
        made = with_loops_replaced(back, lambda loop: self._written_out(loop, places))
        return self.handed.put_into(made, adjoints)

    def _written_out(self, loop: For, places: Places) -> list[Op] | None:
        nest = self.nest(self.known, Builder(self.infer, self.names, loop.origin))
        try:
            if not nest.write_out(loop) or not nest.are_apart():
                return None
        except StaysError:
            return None
        loops = [*only(walk(Block((loop,))), For)]
        are_there = places.are_there(nest.regions.needed, loops)
        if not are_there and len(loops) > 1:
            return None
        self.assumed.natural |= dict.fromkeys(nest.regions.natural)
        self.assumed.shapes = self.assumed.spread = True
        ops, kept = nest.named(loop)
        self.handed.add(kept)
        if are_there:
            return ops
        return if_it_runs(loop, self.known, ops, nest.builder.nested())


@dataclass(slots=True)
class LoopNest:
    """A loop, and those within. last: where what they carry is added to for the last
    time. uses: how often the loops read a value."""

    known: Known
    builder: Builder
    indices: WindowIndices = field(init=False)
    regions: WindowRegions = field(init=False)
    carried: Carried = field(default_factory=Carried)
    last: dict[str, tuple[int, Apply | Store | For]] = field(default_factory=dict)
    uses: Mapping[str, int] = field(default_factory=dict)
    within: set[str] = field(default_factory=set)
    """What the loops define, but for lengths that are the same in all iterations."""

    def __post_init__(self) -> None:
        self.indices = WindowIndices(self.known)
        self.regions = WindowRegions(self.known, self.builder)

    def write_out(self, loop: For) -> bool:
        """Write a loop in another way; say whether that is worth it."""
        raise NotImplementedError

    def note_counters(self, loop: For) -> None:
        """Note the loops that there are, none of which tells another how far to run."""
        self.uses = read_counts(loop.body)
        self.within = {v.name for op in walk(Block((loop,))) for v in bound_by(op)}
        for op in only(walk(Block((loop,))), For):
            counter = self.counter(op)
            self.indices.counters[counter.var.name] = counter
        for counter in self.indices.counters.values():
            if any(map(self.indices.depends, counter.range[:2])):
                raise StaysError

    def carry(self, carry: Carry) -> str:
        """Note what a loop carries; return its name before all loops."""
        init = carry.init
        if isinstance(init, Undefined):
            raise StaysError
        root = carry.inside.name
        if isinstance(init, Var):
            root = self.carried.roots.get(init.name, init.name)
        if root not in self.carried.now:
            self.carried.now[root] = init
            self.carried.begun += [init] if isinstance(init, Var) else []
        self.carried.roots[carry.inside.name] = root
        return root

    def counter(self, loop: For) -> Counter:
        """Return the number of a loop that runs over a range to its end."""
        plain = loop.stop is None and loop.stack is None and loop.schedule is None
        given = self.known.range_of(loop) if plain and len(loop.targets) == 1 else None
        if given is None or self.known.ends(loop) is None:
            raise StaysError
        counter = Counter(len(self.indices.counters), loop.targets[0], given)
        last = after_last(given, self.builder, self.known.made)
        low = self.regions.least(counter)
        given_so = self.indices.sliding and self.regions.takes_for_natural(last)
        is_natural = given_so or self.regions.is_natural_number(last)
        if not self.known.is_natural(low) or not is_natural:
            raise StaysError
        return counter

    def is_number(self, op: Apply) -> bool:
        """Return whether an op is told by the numbers of the loops, or is a length, or
        a sum of such, that is the same in all iterations: it stands before them."""
        shape = op.args[0] if op.fn is operator.getitem else None
        length = op.fn in (len, np.shape) or (
            isinstance(shape, Var) and shape.fact.kind == "tuple"
        )
        sums = op.out.fact.kind == "int" and operated(op.fn) in KEEPING
        if not length and not sums:
            return False
        if sums and self.indices.depends(op.out):
            return True
        if any(isinstance(a, Var) and a.name in self.within for a in op.args):
            return False
        self.builder.ops.append(op)
        self.within.discard(op.out.name)
        return True

    def close(self, loop: For, starts: list[str]) -> None:
        """Note what a loop gives, of what it carries."""
        for carry, root in zip(loop.carries, starts, strict=True):
            last = carry.next.name if isinstance(carry.next, Var) else ""
            if self.carried.roots.get(last) != root:
                raise StaysError
            self.carried.roots[carry.out.name] = root

    def same(self, one: Sequence[Dim | None], other: Sequence[Dim | None]) -> bool:
        """Return whether lengths are surely the same."""
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(self.known.are_equal(*p) for p in pairs)

    def alone(self, total: Atom, value: Atom, full: bool, root: str) -> Apply | None:
        """Take back what makes a sum that is all there is: it is added to zeros of its
        type, and nothing else reads it. full: whether it has all axes of these."""
        if not full:
            return None
        made = self.builder.made.get(getattr(total, "name", ""))
        now = self.carried.now[root]
        if made is None or made != self.builder.ops[-1]:
            return None
        if not is_fresh(made) or self.uses[getattr(value, "name", "")] > 1:
            return None
        zeros = now == Const(0.0)
        if isinstance(now, Var) and now.fact.dtype == np.float64:
            maker = self.known.made.get(now.name)
            zeros = maker is not None and maker.fn is np.zeros_like and not maker.kwargs
        if not zeros or made.out.fact.dtype != np.float64:
            return None
        self.builder.ops.pop()
        return made

    def are_apart(self) -> bool:
        """Return whether no two of the arrays that are carried share memory."""
        memory = [
            self.known.memory(v.name)
            for v in self.carried.begun
            if v.fact.kind == "array"
        ]
        return None not in memory and len({*memory}) == len(memory)

    def named(self, loop: For) -> tuple[list[Op], dict[str, Var]]:
        """Return the statements, the last of each sum under its name after the loop;
        and what the loop hands on as it was."""
        kept: dict[str, Var] = {}
        ops = [*self.builder.ops]
        for carry in loop.carries:
            root = self.carried.roots[carry.out.name]
            if root in self.last:
                at, op = self.last[root]
                if isinstance(op, For):
                    ops[at] = _called(ops[at], self.carried.now[root], carry.out)
                else:
                    ops[at] = replace(op, out=carry.out)
            elif isinstance(carry.init, Var):
                kept[carry.out.name] = carry.init
        return ops, kept


def _called(loop: Op, out: Atom, name: Var) -> Op:
    """Return a loop that gives one of what it carries another name."""
    assert isinstance(loop, For)
    carries = (replace(c, out=name) if c.out == out else c for c in loop.carries)
    return replace(loop, carries=(*carries,))
