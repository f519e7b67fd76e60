"""Parts of an array that loops read -> the array, copied once for all of them, as these
loops leave it or as they find it.

    for _ in range(steps):                   for _ in range(steps):
        for j in range(1, n):                    for j in range(1, n):
            t = p[j - 1].copy()                      p[j] = a / (b + p[j - 1])
            p[j] = a / (b + p[j - 1])            saved.append(p.copy())
            saved_2.append((j, t))
        saved.append(saved_2)

Each part is written no more by these loops once it has been read, and together the
parts are most of the array. Or each part is not yet written when it is read:

    for k in range(n):                       for k in range(n):
        for j in range(k + 1, n):                a_old = a.copy()
            t = a[j].copy()                      for j in range(k + 1, n):
            a[j] -= a[k] * t * t                     a[j] -= a[k] * a[j] * a[j]
            saved_2.append((j, t))               saved.append((a_old, k))
        saved.append((k, saved_2))

In: what `Once` knows of a forward sweep.  Out: for such values, and for those that
still stand in memory when the sweep is done, the op that reads them there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.analysis.unmodified_reads import Access, Once, is_apart
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim, NamedLength, Term
from yota_ast.ir.nodes import Apply, Compound, For, Simple, Store, While
from yota_ast.ir.store_changes import Put
from yota_ast.syntax.names import is_weak

LONG = 100
"""How long an axis is taken for of which the example tells nothing."""


def reads_again(once: Once) -> dict[str, Apply]:
    """Return how values are read again, of the last version of an array or a copy."""
    found = once.values()
    copies = _Copies(once)
    for name, op in once.places.maker.items():
        match op:
            case Store():
                value = once.stored(op) if isinstance(op.change, Put) else None
                if value is not None and value.name not in found:
                    read = copies.read(value, op.target, op.index, op.out.name)
                    found |= {} if read is None else {value.name: read}
            case Apply():
                read = None if name in found else copies.item(op)
                found |= {} if read is None else {name: read}
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)
    return found


@dataclass(frozen=True, slots=True)
class _Copies:
    once: Once

    def item(self, op: Apply) -> Apply | None:
        """Return the op that reads an item again, of what is overwritten."""
        source = op.args[0] if op.fn is operator.getitem else None
        if not isinstance(source, Var) or source.name not in self.once.places.of:
            return None
        if not self.once.memory.overwritten(source):
            return None
        last = self.read(op.out, source, op.args[1], op.out.name)
        first = self.read_first(op, source)
        if first is None or last is None:
            return first or last
        return first if self._depth(first) < self._depth(last) else last

    def _depth(self, read: Apply) -> int:
        """Return in how many loops the array is copied that an op reads."""
        array = read.args[0]
        assert isinstance(array, Var)
        return len(self.once.places.of[array.name].loops)

    def read_first(self, op: Apply, source: Var) -> Apply | None:
        """Return the op that reads an item in a copy of the array as it was when a loop
        began that has not written yet what it reads."""
        places = self.once.places
        place = places.of[op.out.name]
        if op.out.fact.kind != "array" or place.arms:
            return None
        axes = tuple(self.once.indices.axes(op.args[1]))
        access = Access(place.loops, places.order[op.out.name], axes)
        named = not is_weak(op.out.hint)  # by its name it reads well as a copy
        for depth in range(len(place.loops) - named):
            first = self._before(source, place.loops, depth)
            if first is None or not self._is_most(op.out, first, place.loops[depth:]):
                continue
            if self._is_unwritten(access, source, first, depth):
                known = replace(op.out, hint=None)
                read = first, op.args[1]
                return Apply(known, operator.getitem, read, form="subscript")
        return None

    def _before(self, source: Var, around: tuple[str, ...], depth: int) -> Var | None:
        """Return what an array is before the loop at a depth, which writes into it."""
        places, objects = self.once.places, self.once.objects
        for carry in places.loops[around[depth]].carries:
            if objects.of(carry.out.name) == objects.of(source.name):
                first = carry.init
                if not isinstance(first, Var) or first.name not in places.of:
                    return None
                home = places.of[first.name]
                return None if home.arms or home.loops != around[:depth] else first
        return None

    def _is_unwritten(self, read: Access, source: Var, first: Var, depth: int) -> bool:
        """Return whether nothing is written to what is read from the first of an array
        on until it is read, in one iteration of the loops around that at a depth."""
        once, within = self.once, read.loops[: depth + 1]
        begun = once.places.order[first.name]
        for write in self._writes(source):
            if write is None:
                return False
            if write.loops[: depth + 1] == within:
                if not is_apart(write, read, depth, once.indices):
                    return False
            elif write.loops[:depth] == within[:depth]:
                if begun < write.order < read.order:
                    return False
        return True

    def _writes(self, source: Var) -> Iterator[Access | None]:
        """Return what is written to memory that an array shares; None: one that has no
        place."""
        for _, op, target in self.once.memory.writes:
            if isinstance(target, Var) and self.once.memory.shares(target, source):
                yield self.once.access(op) if isinstance(op, Store) else None

    def read(self, out: Var, source: Var, index: Atom, at: str) -> Apply | None:
        """Return the op that reads a part in a copy of the outermost iteration whose
        loops within leave it as it is; at: what is defined where it is read."""
        places = self.once.places
        around = places.of[at].loops
        if out.fact.kind != "array" or len(around) < 2 or places.of[at].arms:
            return None
        axes = tuple(self.once.indices.axes(index))
        access = Access(around, places.order[at], axes)
        for depth in range(1, len(around)):
            last = self._after(source, around, depth)
            if last is None or places.of[last.name].arms:
                continue
            if not self._is_most(out, last, around[depth:]):
                continue
            if self._stays(access, source, depth):
                known = replace(out, hint=None)
                return Apply(known, operator.getitem, (last, index), form="subscript")
        return None

    def _after(self, source: Var, around: tuple[str, ...], depth: int) -> Var | None:
        """Return what an array is after the loop at a depth."""
        places, objects = self.once.places, self.once.objects
        first = objects.of(source.name)
        if first not in places.of or places.of[first].loops == around[:depth]:
            return None  # made in each iteration
        for carry in places.loops[around[depth]].carries:
            if objects.of(carry.out.name) == first:
                return carry.out
        home = places.of[source.name]
        return source if home.loops == around[:depth] else None

    def _stays(self, read: Access, source: Var, depth: int) -> bool:
        """Return whether no later write of the loop at a depth is to what is read."""
        once, within = self.once, read.loops[: depth + 1]
        for write in self._writes(source):
            if write is None:
                return False
            if write.loops[: depth + 1] == within:
                if not is_apart(read, write, depth, once.indices):
                    return False
        return True

    def _is_most(self, out: Var, array: Var, around: tuple[str, ...]) -> bool:
        """Return whether what loops read is about half of an array, or more."""
        trips = [self._trips(self.once.places.loops[key]) for key in around]
        sizes = _sizes(array.fact.shape), _sizes(out.fact.shape)
        if None in trips or None in sizes:
            return False
        parts = math.prod(t for t in (*trips, sizes[1]) if t is not None)
        return 5 * parts >= 2 * (sizes[0] or 0)

    def _trips(self, loop: For | While) -> int | None:
        """Return how often a loop runs in the example."""
        counter = self.once.indices.counter(loop)
        if counter is None:
            return None
        start, stop, step = counter[1]
        ends = [_number(start), _number(stop)]
        if ends[0] is None or ends[1] is None:
            return None
        return abs((ends[1] - ends[0]) // step)


def _number(atom: Atom) -> int | None:
    if isinstance(atom, Const):
        return atom.value if type(atom.value) is int else None
    length = fact_of_atom(atom).length
    return LONG if length is None else _size(length)


def _sizes(shape: object) -> int | None:
    """Return how many elements an array has in the example."""
    if not isinstance(shape, tuple):
        return None
    return math.prod(LONG if d is None else _size(d) for d in shape)


def _size(dim: Dim) -> int:
    if not dim.base:
        return dim.offset
    if isinstance(dim.size, NamedLength):
        return LONG + dim.size.more
    if dim.size is not None:
        return dim.size
    middle = [_middle(term) for term, times in dim.terms if times == 1]
    return (middle[0] if len(middle) == len(dim.terms) == 1 else LONG) + dim.offset


def _middle(term: Term) -> int:
    """Return what the number of a loop is in the middle of its range."""
    if term.least is None or term.most is None:
        return LONG
    return (_size(term.least) + _size(term.most)) // 2
