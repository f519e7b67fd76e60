"""Both sweeps -> the same, where the forward sweep compares what it overwrites.

    for k in range(n):                         for k in range(n):
        best_old = best.copy()                     t = cost[k] + best[k]
        best[:] = np.minimum(                      mask = best < t
            best, cost[k] + best[k]                best[:] = np.minimum(best, t)
        )                                          saved.append((mask, k))
        saved.append((best_old, k))

The reverse reads nothing of such a value but how it compares with another one: truth
values take an eighth of the memory, and what they are made of is neither copied nor
computed again. What is saved of the two is decided later: see `saved_choice.py`.

In: the forward sweep, and a reverse sweep that reads its inner variables.  Out: the
same two.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.reverse.mirrored_blocks import loop_key
from yota_ast.adjoint.saving.cheap_ops import is_cheap
from yota_ast.analysis.block_places import Places, backwards_of, places_of
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.points_to import written_by
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by, ends_of, is_loop
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    atoms_of,
    blocks_of,
    map_blocks,
    of_ops,
    only,
    walk,
    with_blocks,
)
from yota_ast.ops import info
from yota_ast.ops.spellings import as_ufunc
from yota_ast.syntax.names import is_weak


def with_masks_ahead(forward: Block, reverse: Block) -> tuple[Block, Block]:
    """Both sweeps, the comparisons of some loops of the reverse in the forward one."""
    loops = [op for op in only(walk(reverse), For) if any(map(_compares, op.body))]
    if not loops:
        return forward, reverse
    places, memory = places_of(forward), Memory(forward)
    moving = _Moving(places, memory, _values_read(reverse))
    moved = {backwards_of(loop).loop: moving.of_loop(loop) for loop in loops}
    moved = {key: found for key, found in moved.items() if found}
    if not moved:
        return forward, reverse
    gone = {op.out.name for found in moved.values() for _, op in found}
    return _with(forward, moved), _without(reverse, gone)


_Moved = list[tuple[int, Apply]]
"""Comparisons, and before which op of a loop each of them stands."""


def _compares(op: Op) -> bool:
    """Say whether an op gives an array of truth values, element by element."""
    return any(
        o.out.fact.kind == "array"
        and o.out.fact.dtype == np.bool_
        and isinstance(as_ufunc(o.fn), np.ufunc)
        and not (o.effect or o.kwargs)
        for o in only([op], Apply)
    )


def _operands(op: Apply) -> list[Var]:
    return [a for a in atoms_of(op) if isinstance(a, Var)]


def _is_as_large(operand: Var, mask: Var) -> bool:
    """Say whether a mask has no more elements than one of its operands."""
    shape, other = operand.fact.shape, mask.fact.shape
    if not isinstance(shape, tuple) or not isinstance(other, tuple):
        return False
    ones = (d is None or d == Dim("", 1) for d in shape)
    return len(shape) == len(other) and (shape == other or not any(ones))


def _values_read(block: Block) -> Counter[str]:
    """How often each variable is read for more than its shape."""
    found = Counter[str]()
    for op in walk(block):
        shape = info(op.fn).shape_only if isinstance(op, Apply) else ()
        read = [a for k, a in enumerate(atoms_of(op)) if k not in shape]
        found.update(a.name for a in (*read, *ends_of(op)) if isinstance(a, Var))
    return found


@dataclass(frozen=True, slots=True)
class _Moving:
    """reads: how often the reverse reads the values of each variable."""

    places: Places
    memory: Memory
    reads: Mapping[str, int]

    def of_loop(self, loop: For) -> _Moved:
        """The comparisons of a loop that are better made in the forward sweep."""
        key = backwards_of(loop).loop
        body = self.places.loops[key].body.ops
        around = (*self.places.loop_place[key].loops, key)
        compared = [op for op in only(loop.body, Apply) if _compares(op)]
        places = {op.out.name: self._place(op, body, around) for op in compared}
        able = [op for op in compared if places[op.out.name] is not None]
        counts = Counter(a.name for op in able for a in _operands(op))
        alone = {name for name, n in counts.items() if n == self.reads[name]}
        found = list[tuple[int, Apply]]()
        moved = dict[str, int]()
        for op in compared:
            place, operands = places[op.out.name], _operands(op)
            if place is None or not self._spares(op, alone):
                if not operands or not all(a.name in moved for a in operands):
                    continue
                place = max(moved[a.name] for a in operands)  # `mask | other`
            moved[op.out.name] = place
            found.append((place, replace(op, origin=body[max(place - 1, 0)].origin)))
        return found

    def _spares(self, op: Apply, alone: set[str]) -> bool:
        """Whether what is compared need not be saved then, though it is as large: it
        would be copied, or the other operand would be computed again of it."""
        again = dear = False
        for a in _operands(op):
            if a.name not in alone:
                continue
            made = self.places.apply_of(a.name)
            if self.memory.overwritten(a) and _is_as_large(a, op.out):
                return True
            if made is None or not is_cheap(made):
                dear |= _is_as_large(a, op.out)
            else:
                again |= made.fn is not operator.getitem and is_weak(made.out.hint)
        return again and dear

    def _place(
        self, op: Apply, body: Sequence[Op], around: tuple[str, ...]
    ) -> int | None:
        """Where in the body of a loop an op can stand: behind what makes its operands,
        none of which is written before that; None: nowhere."""
        made = {v.name: k + 1 for k, each in enumerate(body) for v in bound_by(each)}
        operands = _operands(op)
        for a in operands:
            home = self.places.of.get(a.name)
            if home is None or home.arms or home.loops != around[: len(home.loops)]:
                return None
        if not any(self.places.of[a.name].loops == around for a in operands):
            return None
        last = max(made.get(a.name, 0) for a in operands)
        for a in operands:
            roots = self.memory.points.memory(a)
            between = Block(tuple(body[made.get(a.name, 0) : last]))
            for target in map(written_by, walk(between)):
                if target is None or isinstance(target, Const):
                    continue
                if not roots.isdisjoint(self.memory.points.memory(target)):
                    return None
        return last


def _with(block: Block, moved: Mapping[str, _Moved]) -> Block:
    """A block, with comparisons in its loops."""

    def changed(inner: Block) -> Block:
        return _with(inner, moved)

    ops = list[Op]()
    for op in block:
        op = map_blocks(op, changed)
        if is_loop(op) and op.carries and loop_key(op) in moved:
            body = _put(op.body.ops, moved[loop_key(op)])
            op = with_blocks(op, [*blocks_of(op)[:-1], body])
        ops.append(op)
    return of_ops(block, tuple(ops))


def _put(ops: Sequence[Op], found: _Moved) -> Block:
    """The body of a loop, with comparisons in it."""
    body = list[Op]()
    for k in range(len(ops) + 1):
        body += [mask for place, mask in found if place == k]
        body += ops[k : k + 1]
    return Block(tuple(body))


def _without(block: Block, gone: set[str]) -> Block:
    """A block without the ops that make some variables."""

    def changed(inner: Block) -> Block:
        return _without(inner, gone)

    kept = (
        map_blocks(op, changed)
        for op in block
        if not any(o.out.name in gone for o in only([op], Apply))
    )
    return of_ops(block, tuple(kept))
