"""Two sweeps -> the whole numbers that loops run over, and what memory arrays have.

In: the forward and the reverse sweep.  Out: `Known`, which is asked.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.vectors.index_regions import Number
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.unmodified_reads import Indices, Range, kept_ranges, range_made
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by, carries_of
from yota_ast.ir.built_values import build_slice
from yota_ast.ir.nodes import Apply, Block, For, Store, only, walk
from yota_ast.ops.algebra import TERMS, operated


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of both sweeps. made: the ops, by what they make. natural: the
    names of numbers not below 0. own: what the reverse sweep defines, but for the
    names of what the forward sweep has saved. before: what an array was before it was
    written, or went round a loop. equal: pairs of lengths that are tested to be
    equal. ahead: the forward sweep. ranges: the least number of each counter of a loop,
    and that after the last."""

    made: Mapping[str, Apply]
    natural: set[str]
    own: frozenset[str]
    before: Mapping[str, object]
    equal: frozenset[frozenset[Number]]
    ahead: Block = field(default_factory=Block)
    ranges: dict[str, tuple[Number, Number]] = field(default_factory=dict)

    @staticmethod
    def of(ahead: Block, back: Block, equal: Iterable[tuple[Dim, Dim]]) -> Known:
        """Return what two sweeps tell."""
        own = {op.out.name: op for op in only(walk(back), Apply)}
        made = {op.out.name: op for op in only(walk(ahead), Apply)} | own
        defined = frozenset(v.name for op in walk(back) for v in bound_by(op))
        known = Known(
            made,
            set(),
            defined - _saved(ahead, back, made),
            _before(back),
            frozenset(
                frozenset(Number(d.base, d.offset) for d in pair) for pair in equal
            ),
            ahead,
        )
        for each in made.values():
            length = known.length_of(each)
            if length is not None and length.base:
                known.natural.add(length.base)
        for block in (ahead, back):
            indices = Indices(places_of(block), kept_ranges(ahead))
            for counter in map(indices.counter, only(walk(block), For)):
                ends = None if counter is None else known.ends_of(counter[1])
                if counter and ends:
                    known.ranges[counter[0].name] = ends
                    natural = known.is_natural(ends[0])
                    known.natural.update([counter[0].name] if natural else ())
        return known

    def is_length(self, number: Number, array: Atom, axis: int) -> bool:
        """Return whether an axis of an array is so long."""
        length = axis_length(array, axis)
        if length is None:
            return False
        return number == length or frozenset([number, length]) in self.equal

    def are_equal(self, one: Dim | None, other: Dim | None) -> bool:
        """Return whether two lengths are surely one."""
        if one is None or other is None:
            return False
        pair = frozenset(Number(d.base, d.offset) for d in (one, other))
        return one == other or pair in self.equal

    def from_end(self, stop: Number, array: Atom, axis: int) -> int | None:
        """Return the end of a slice counted from that of the axis, if it is a literal
        below 0."""
        length = axis_length(array, axis)
        if length is None or stop.offset >= length.offset:
            return None
        bases = frozenset([Number(length.base), Number(stop.base)])
        same = length.base == stop.base or bases in self.equal
        return stop.offset - length.offset if same else None

    def is_below(self, one: Number, other: Number, depth: int = 4) -> bool:
        """Return whether a number is surely less than another, by the ranges of the
        loops around."""
        if one.base == other.base:
            return one.offset < other.offset
        if not one.base and self.is_natural(Number(other.base)):
            if one.offset < other.offset:
                return True
        if depth and one.base in self.ranges:
            greatest = self.ranges[one.base][1].shifted(one.offset - 1)
            if self.is_below(greatest, other, depth - 1):
                return True
        if depth and other.base in self.ranges:
            least = self.ranges[other.base][0].shifted(other.offset)
            return self.is_below(one, least, depth - 1)
        return False

    def slice_ends(self, atom: Atom) -> tuple[Atom, ...]:
        """Return the start, the stop and the step of a slice, as far as it is known."""
        if isinstance(atom, Const):
            found = atom.value
            assert isinstance(found, slice)
            return Const(found.start), Const(found.stop), Const(found.step)
        made = self.made.get(atom.name)
        return made.args if made is not None and made.fn is build_slice else ()

    def memory(self, name: str) -> str | None:
        """Return the name of the array whose memory an array has from the start; None:
        it may be a view of another."""
        while name in self.before:
            first = self.before[name]
            if not isinstance(first, Var):
                return None
            name = first.name
        if name not in self.own:
            return name
        made = self.made.get(name)
        return name if made is not None and is_fresh(made) else None

    def number(self, atom: Atom) -> Number | None:
        """Return a whole number as a variable and what is added to it."""
        if isinstance(atom, Const):
            return Number("", atom.value) if type(atom.value) is int else None
        made = self.made.get(atom.name)
        if made is not None and operated(made.fn) in TERMS:
            first, by = self.number(made.args[0]), made.args[1]
            if first is not None and isinstance(by, Const) and type(by.value) is int:
                return first.shifted(by.value if made.fn is operator.add else -by.value)
        length = None if made is None else self.length_of(made)
        if length is not None:
            return length
        return Number(atom.name) if atom.fact.kind == "int" else None

    def length_of(self, op: Apply) -> Number | None:
        """Return the length of an axis that an op takes of a shape, or of an array."""
        if op.fn is len and fact_of_atom(op.args[0]).kind == "array":
            return axis_length(op.args[0], 0) or Number(op.out.name)
        if op.fn is not operator.getitem or not isinstance(op.args[0], Var):
            return None
        shape = self.made.get(op.args[0].name)
        if shape is None or shape.fn is not np.shape:
            return None
        axis = op.args[1].value if isinstance(op.args[1], Const) else None
        known = axis_length(shape.args[0], axis) if type(axis) is int else None
        return known or Number(op.out.name)

    def is_natural(self, number: Number) -> bool:
        """Return whether a number is certainly not below 0."""
        return number.is_natural(self.natural)

    def ends(self, loop: For) -> tuple[Number, Number] | None:
        """Return the least number that a loop runs over, and that after the last."""
        made = self.range_of(loop)
        return None if made is None else self.ends_of(made)

    def ends_of(self, made: Range) -> tuple[Number, Number] | None:
        """Return the least number of a range, and that after the last."""
        start, stop, step = made
        low, high = self.number(start), self.number(stop)
        if low is None or high is None:
            return None
        return (low, high) if step > 0 else (high.shifted(1), low.shifted(1))

    def range_of(self, loop: For) -> Range | None:
        """Return the range that a loop runs over, one number after the other."""
        it = loop.iterable
        made = range_made(self.made.get(it.name) if isinstance(it, Var) else None)
        return made if made is not None and made[2] in (1, -1) else None


def _saved(ahead: Block, back: Block, made: Mapping[str, Apply]) -> frozenset[str]:
    """Return the names that loops of the reverse sweep give to what is saved: the items
    of a list of the forward sweep, and those of lists among them."""
    lists = {loop.stack.name for loop in only(walk(ahead), For) if loop.stack}
    found: set[str] = set()
    for loop in only(walk(back), For):  # those within others later
        it = loop.iterable
        turned = made.get(it.name) if isinstance(it, Var) else None
        first = turned.args[0] if turned and turned.fn is operator.getitem else None
        if isinstance(first, Var) and first.name in lists | found:
            found |= {target.name for target in loop.targets}
    return frozenset(found)


def _before(back: Block) -> dict[str, object]:
    before: dict[str, object] = {}
    for op in walk(back):
        if isinstance(op, Store):
            before[op.out.name] = op.target
        for carry in carries_of(op):
            before[carry.inside.name] = before[carry.out.name] = carry.init
    return before


def axis_length(array: Atom, axis: int) -> Number | None:
    """Return the length of an axis of an array, if it has a name or is a literal."""
    shape = fact_of_atom(array).shape
    if not isinstance(shape, tuple) or not -len(shape) <= axis < len(shape):
        return None
    dim = shape[axis]
    if not isinstance(dim, Dim) or dim.uncut is not None:
        return None
    return Number(dim.base, dim.offset)
