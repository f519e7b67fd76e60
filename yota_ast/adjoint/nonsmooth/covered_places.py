"""A cotangent -> the places that it surely reaches, as boxes.

`ang` and `om` are parts of a vector. Where the adjoints of both are put into its own,
each at a literal slice, the adjoint of a part that they cover needs no mask: nothing of
it is left out. So it is where the flux between two cells is taken from one and added to
the other: `f[1:]` and `f[:-1]` are all of f, if there is more than one flux.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.reverse.contributions import fact_of_end as fact
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.array_regions import (
    Box,
    Length,
    Window,
    are_apart,
    covers,
    index_of,
    one_box,
    settled,
    whole,
    window,
    without,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim, stopped
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS
from yota_ast.runtime import unbroadcast, unconcatenate, ungetitem, unset

Lengths = tuple[Length, ...]
MOST: Final = 24
"""How many boxes are looked at; of more nothing is known."""


def lengths_of(known: Fact) -> Lengths | None:
    """Return how long the axes of an array are, as the program writes it; None of what
    is no array, or has an unknown number of axes."""
    if known.is_scalar:
        return ()
    if known.kind != "array" or known.rank is None:
        return None
    if not isinstance(known.shape, tuple):
        return (None,) * known.rank
    return tuple(map(_length, known.shape))


def _length(dim: Dim | None) -> Length:
    if dim is None:
        return None
    cut = stopped(dim.base)
    if cut is not None:
        return max(cut[1] + dim.offset, 0)
    return None if dim.base else dim.offset


@dataclass(frozen=True, slots=True)
class Reach:
    """The places that a cotangent surely reaches. exact: whether it reaches no other
    places, in short arrays neither."""

    boxes: tuple[Box, ...] = ()
    exact: bool = False

    def each(self, change: Callable[[Box], Iterable[Box]]) -> Reach:
        """Return the same for what each box becomes."""
        return Reach(
            tuple(new for box in self.boxes for new in change(box)), self.exact
        )


UNKNOWN: Final = Reach()


@dataclass(slots=True)
class Covered:
    """Goes back from a cotangent. made: the op of each variable. is_masked: whether a
    cotangent may leave something out."""

    made: Mapping[str, Apply]
    is_masked: Callable[[Atom], bool]
    known: dict[str, Reach] = field(default_factory=dict)

    def wholly(self, d: Atom) -> bool:
        """Whether a cotangent surely reaches each element of an array."""
        lengths = lengths_of(fact(d))
        return lengths is not None and covers(self.of(d).boxes, lengths)

    def part(self, d: Atom) -> Const | None:
        """Return the index of the one box that a cotangent reaches, and nothing beside
        it; None: there is none, or it is the whole array."""
        lengths, reach = lengths_of(fact(d)), self.of(d)
        box = one_box(reach.boxes, lengths) if lengths and reach.exact else None
        if lengths is None or box is None:
            return None
        index = index_of(box, lengths)
        if not index:
            return None
        return Const(index if len(index) > 1 else index[0])

    def of(self, d: Atom) -> Reach:
        """Return what a cotangent reaches."""
        op = self.made.get(d.name) if isinstance(d, Var) else None
        lengths = lengths_of(fact(d))
        if lengths is None:
            return UNKNOWN
        if not self.is_masked(d):
            return Reach((whole(lengths),), exact=True)
        if op is None:
            return UNKNOWN
        if op.out.name not in self.known:
            found = self._of_op(op, lengths)
            # what is put together may know less of the lengths
            boxes = tuple(dict.fromkeys(settled(b, lengths) for b in found.boxes))
            few = len(boxes) <= MOST
            self.known[op.out.name] = Reach(boxes, found.exact) if few else UNKNOWN
        return self.known[op.out.name]

    def _of_op(self, op: Apply, lengths: Lengths) -> Reach:
        known = info(op.fn)
        if known.arithmetic in TERMS:
            parts = [self._spread(a, lengths) for a in op.args]
            boxes = tuple(box for part in parts for box in part.boxes)
            return Reach(boxes, all(part.exact for part in parts))
        if op.fn is operator.mul:
            masked = [a for a in op.args if self.is_masked(a)]
            return self._spread(masked[0], lengths) if len(masked) == 1 else UNKNOWN
        if op.fn is ungetitem:
            return self._placed(op, lengths)
        if op.fn is unset:
            return self._emptied(op, lengths)
        if op.fn is unbroadcast:
            return self._summed(op, lengths)
        if op.fn is operator.getitem:
            return self._part(op, lengths)
        kept = known.keeps_zero and op.args
        return self._spread(op.args[0], lengths) if kept else UNKNOWN

    def _spread(self, d: Atom, lengths: Lengths) -> Reach:
        """What an operand reaches of a result of these lengths, which it is spread
        to."""
        own = lengths_of(fact(d))
        if own is None or len(own) > len(lengths):
            return UNKNOWN
        every = whole(lengths)
        front = len(lengths) - len(own)
        ones = {k for k, n in enumerate(own, front) if n == 1 != lengths[k]}

        def widened(box: Box) -> Iterable[Box]:
            spans = enumerate((*every[:front], *box))
            return (tuple(every[k] if k in ones else span for k, span in spans),)

        return self.of(d).each(widened)

    def _summed(self, op: Apply, lengths: Lengths) -> Reach:
        """What is reached of sums over axes in front, and over those of which one is
        left."""
        own = lengths_of(fact(op.args[0]))
        if own is None or len(own) < len(lengths):
            return UNKNOWN
        every, front = whole(lengths), len(own) - len(lengths)

        def summed(box: Box) -> Iterable[Box]:
            spans = enumerate(box[front:])
            return (tuple(every[k] if lengths[k] == 1 else s for k, s in spans),)

        return self.of(op.args[0]).each(summed)

    def _placed(self, op: Apply, lengths: Lengths) -> Reach:
        """Of what is put at a literal index."""
        d, _, index = op.args
        at, inner = _window(index, fact(op.out)), lengths_of(fact(d))
        if at is None or inner is None or len(inner) > len(at.axes):
            return UNKNOWN
        if len(inner) < len(at.axes):  # one number for all places
            return UNKNOWN if self.is_masked(d) else Reach((at.box,), exact=True)
        return self.of(d).each(lambda box: (at.outward(box, inner),))

    def _emptied(self, op: Apply, lengths: Lengths) -> Reach:
        """Of all but what is at a literal index."""
        at = _window(op.args[1], fact(op.out))
        if at is None:
            return UNKNOWN
        gone = settled(at.box, lengths)
        left = self.of(op.args[0]).each(lambda box: without(box, gone))
        return replace(left, exact=False)

    def _part(self, op: Apply, lengths: Lengths) -> Reach:
        """Of a literal slice, or of one of several vectors that were joined."""
        of, index = op.args
        made = self.made.get(of.name) if isinstance(of, Var) else None
        if made is not None and made.fn is unconcatenate:
            of, at = made.args[0], self._joined(made, index)
        else:
            at = _window(index, fact(of))
        if at is None:
            return UNKNOWN

        def cut(box: Box) -> Iterable[Box]:
            inner = at.within(box, lengths)
            return () if inner is None else (inner,)

        whole_reach = self.of(of)
        gone = (b for b in whole_reach.boxes if not list(cut(b)))
        apart = all(are_apart(box, at.box) for box in gone)
        return replace(whole_reach.each(cut), exact=whole_reach.exact and apart)

    def _joined(self, made: Apply, key: Atom) -> Window | None:
        """Where one of several vectors stands among them, if all are as long as the
        program writes it."""
        items = [lengths_of(item) for item in fact(made.args[1]).items or ()]
        known = [
            n[0] for n in items if n is not None and len(n) == 1 and n[0] is not None
        ]
        joined = lengths_of(fact(made.args[0]))
        if len(known) < len(items) or joined != (sum(known),):
            return None
        k = key.value if isinstance(key, Const) else None
        if type(k) is not int or not 0 <= k < len(known):
            return None
        return window(slice(sum(known[:k]), sum(known[: k + 1])), joined)


def _window(index: Atom, known: Fact) -> Window | None:
    """The part that a literal index names. Of `x[:5]`, which may be shorter, none is
    counted from behind."""
    lengths = lengths_of(known)
    if lengths is None or not isinstance(index, Const):
        return None
    cut = isinstance(known.shape, tuple) and any(
        d is not None and stopped(d.base) is not None for d in known.shape
    )
    if cut and _counts_from_behind(index.value):
        return None
    return window(index.value, lengths)


def _counts_from_behind(index: object) -> bool:
    items = index if isinstance(index, tuple) else (index,)
    ends = [(i.start, i.stop) if isinstance(i, slice) else (i,) for i in items]
    return any(type(e) is int and e < 0 for each in ends for e in each)
