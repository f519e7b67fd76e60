"""What the rewrites take for granted of the arguments -> tests at the entry are made of
it.

>>> assumed = Assumptions()
>>> assumed.same_shapes((Dim("x[0]", size=3),), (Dim("y[0]", size=3),))
True
>>> [(str(p), str(q)) for p, q in assumed.equal]
[('x[0]', 'y[0]')]
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import Shape
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.granted import Granted
from yota_ast.rules.notation.rule import BOOK


@dataclass(slots=True)
class Assumptions:
    """What the rewrites took for granted of the arguments beyond the primal."""

    equal: list[tuple[Dim, Dim]] = field(default_factory=list)
    longer: list[Dim] = field(default_factory=list)  # these are not 1
    natural: dict[Dim, None] = field(default_factory=dict)  # these are not below 0
    shapes: bool = False  # ranks and axes of length 1 are those of the facts
    single: frozenset[str] = frozenset()  # these are numbers, and none of arrays
    unsliced: frozenset[str] = frozenset()  # these are, and no slices either
    whole: frozenset[str] = frozenset()  # these hold whole numbers
    rising: dict[str, dict[Dim, None]] = field(default_factory=dict)
    """These hold numbers that do not fall, from 0 on, to no more than these lengths."""
    spread: bool = False  # whole arrays stand for loops of numbers, or over windows

    def add(self, p: Dim, q: Dim) -> None:
        """Two lengths are equal."""
        if (p, q) not in self.equal and (q, p) not in self.equal:
            self.equal.append((p, q))

    def update(self, other: Assumptions) -> None:
        """What others take for granted, too."""
        self.shapes |= other.shapes
        self.spread |= other.spread
        self.single |= other.single
        for p, q in other.equal:
            self.add(p, q)
        self.longer += [p for p in other.longer if p not in self.longer]
        self.natural |= other.natural
        for text, ends in other.rising.items():
            self.rising.setdefault(text, {}).update(ends)

    @property
    def granted(self) -> Granted:
        """What a program takes for granted by them."""
        return Granted(
            tuple(self.equal), tuple(self.longer), tuple(self.natural), self.shapes
        )

    def take(self, granted: Granted) -> None:
        """What a program takes for granted, too."""
        for p, q in granted.equal:
            self.add(p, q)
        self.longer += [p for p in granted.longer if p not in self.longer]
        self.natural |= dict.fromkeys(granted.natural)
        self.shapes |= granted.ranked

    def same_shape(self, a: Atom, b: Atom) -> bool:
        """Whether two values provably have the same shape."""
        return self.same_shapes(fact_of_atom(a).shape, fact_of_atom(b).shape)

    def same_shapes(self, p: Shape, q: Shape) -> bool:
        """Whether two shapes are provably the same; notes what that rests on."""
        if p is None or q is None:
            return False
        if isinstance(p, str) or isinstance(q, str):
            return p == q
        if len(p) != len(q):
            return False
        taken = self.natural
        pairs = [BOOK.needed_uncut(a, b, taken) for a, b in zip(p, q, strict=True)]
        if not all(may_equal(a, b) for a, b, _ in pairs):
            return False
        for a, b, naturals in pairs:
            self.natural |= dict.fromkeys(naturals)
            if a is not None and b is not None and a != b:
                self.add(a, b)
        self.shapes |= bool(p)
        return True

    def uncut(self, axis: Dim | None) -> Dim | None:
        """Return a length of which no end of an axis cuts anything off; notes what that
        rests on."""
        length, naturals = BOOK.whole_length(axis)
        self.natural |= dict.fromkeys(naturals)
        self.shapes |= bool(naturals)
        return length


def may_equal(p: Dim | None, q: Dim | None) -> bool:
    """Whether two lengths are equal, or both known not to be 1, and so must be: of two
    that are 0 in the example nothing is known."""
    if p is None or q is None:
        return False
    if p == q:
        return True
    known = p.size is not None and q.size is not None
    return known and p.size == q.size and p.size not in (0, 1)
