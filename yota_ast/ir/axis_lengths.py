"""The length of an axis: by its name, in the example, and of `x[:stop]`.

>>> taken = up_to(Dim("x.shape[0]", 0, 5), 3)
>>> str(taken), taken.size, stopped(taken.base)
('min(x.shape[0], 3)', 3, ('x.shape[0]', 3))
>>> stopped("x.shape[0]")

Integers of the program are sums of multiples of terms: lengths of axes, counters of
loops with their bounds, parts and products of others. Two sums of the same terms have
one name.

>>> n, k = axis_dim("x.shape[0]", 9), axis_dim("w.shape[0]", 3)
>>> windows = total([(n, 1), (k, -1)]).shifted(1)
>>> str(windows), windows.size
('(x.shape[0] - w.shape[0]) + 1', 7)
>>> from yota_ast.ir.facts.loop_counters import counter
>>> i = called(counter([windows]), "@i")
>>> end = total([(i, 1), (k, 1)])
>>> str(end), str(total([(end, 1), (i, -1)]))
('@(@i + w.shape[0])', 'w.shape[0]')
>>> is_natural(total([(n, 1), (end, -1)]))
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class NamedLength:
    """A length that is unknown, but for its name: axes of one name are equally long,
    and not of length 1. more: how much longer than the name it is."""

    name: str
    more: int = 0


Size = int | NamedLength | None
"""The length of an axis in the example, a name for it, or nothing."""


@dataclass(frozen=True, slots=True)
class Term:
    """A number of which integers are sums of multiples, by its name.

    least, most: its bounds. part: of which number it is which part, `n // 2`. factors:
    the terms of which it is the product. natural: a number that is not below 0 where
    the bounds hold, the step of a range. leaps: whether it may miss its bounds.
    """

    name: str
    size: Size = None
    least: Dim | None = None
    most: Dim | None = None
    part: tuple[Dim, int | Term] | None = None
    factors: tuple[Term, Term] | None = None
    natural: Term | None = None
    leaps: bool = False


Terms = tuple[tuple[Term, int], ...]
"""The terms of a sum, and how often each is there."""


@dataclass(frozen=True, slots=True)
class Uncut:
    """The length of a slice of which the axis cuts nothing off: `b - a` of `x[a:b]`.

    naturals: what is not below 0 then, over the arguments; the example shows it. axis:
    its name, other slices may be of it. listed: of a list that a loop has made."""

    length: Dim
    naturals: tuple[Dim, ...] = ()
    axis: str = ""
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Dim:
    """The length of an axis: text over the arguments, and the example's length.

    `base` is the text of an argument's axis ("x.shape[0]") or "" for a literal;
    `offset` is added to it. A slice may leave fewer than nothing: lengths are
    `max(base + offset, 0)`. Two dims are equal where base and offset are. Integers are
    told by dims as well, which may be below 0.
    """

    base: str
    offset: int = 0
    size: Size = None  # in the example; None: not known, 1 is possible
    terms: Terms = ()  # what the base is a sum of; (): one of which no more is known
    uncut: Uncut | None = None  # of a slice that may be cut off by the axis

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and (self.base, self.offset) == (
            other.base,
            other.offset,
        )

    def __hash__(self) -> int:
        return hash((self.base, self.offset))

    def __str__(self) -> str:
        if not self.base:
            return str(self.offset)
        if not self.offset:
            return self.base
        sign = "+" if self.offset > 0 else "-"
        return f"{self.base} {sign} {abs(self.offset)}"

    @property
    def example(self) -> int | None:
        """The length in the example, if there is one: a name is none."""
        return self.size if isinstance(self.size, int) else None

    @property
    def is_unit(self) -> bool:
        """Whether the length is 1 whatever the arguments."""
        return not self.base and self.offset == 1

    @property
    def is_cut(self) -> bool:
        """Whether the example does not tell how long the axis is: `x[2:]` of one item,
        or of two."""
        return self.size == 0 and self.offset < 0

    def shifted(self, by: int) -> Dim:
        """The dim `by` longer (shorter where negative)."""
        if not self.base:
            return literal_dim(max(self.offset + by, 0))
        uncut = None
        if self.uncut is not None and by <= 0:  # of fewer than nothing is nothing left
            uncut = replace(self.uncut, length=self.uncut.length.shifted(by))
        size = _shifted(self.size, by)
        return Dim(self.base, self.offset + by, size, self.terms, uncut)


def _shifted(size: Size, by: int) -> Size:
    if isinstance(size, NamedLength):
        return NamedLength(size.name, size.more + by)
    return None if size is None else max(size + by, 0)


def literal_dim(n: int) -> Dim:
    """The dim of a length that is written in the program."""
    return Dim("", n, n)


End = int | Dim | None
"""What a slice starts from, where it stops, its step: a number, or that of a Dim."""
UNIT: Final = literal_dim(1)
ZERO: Final = literal_dim(0)
COUNTER: Final = "@"
"""What an integer is called that has no name yet."""
SHARED: Final = Dim("@")
"""The length of the arrays of a tuple that are as long as one another."""


def axis_dim(text: str, size: Size = None) -> Dim:
    """The length of an axis of an argument, which is not below 0."""
    return Dim(text, 0, size, ((Term(text, size, least=ZERO), 1),))


def called(dim: Dim | None, name: str) -> Dim:
    """An integer by its name; dim: what is known of one that has none yet."""
    if dim is None:
        return Dim(name)
    terms = tuple((replace(term, name=name), k) for term, k in dim.terms)
    return Dim(name, dim.offset, dim.size, terms)


def sizes_of_names(names: Iterable[str]) -> dict[str, NamedLength]:
    """What stands for the lengths of axes that have a name, where it is there twice.

    Axes of one length in an example are taken for equal, and the text checks it. A name
    that is there once says nothing.

    >>> list(sizes_of_names(["n", "d", "n"]))
    ['n']
    """
    often = [name for name, count in Counter(names).items() if count > 1]
    return {name: NamedLength(name) for name in often}


def up_to(axis: Dim, stop: int) -> Dim:
    """The length of `x[:stop]`."""
    if axis.base.startswith("@"):  # which cannot be computed where the text begins
        return Dim(f"@{axis}[:{stop}:]")
    size = axis.size
    if size is not None:  # what has a name is taken for long enough
        size = stop if isinstance(size, NamedLength) else min(size, stop)
    return Dim(f"min({axis}, {stop})", 0, size)


def stopped(base: str) -> tuple[str, int] | None:
    """The axis and the stop of such a length, by its name."""
    axis, _, stop = base.removeprefix("min(").rpartition(", ")
    if not (axis and base.startswith("min(")):
        return None
    return axis, int(stop.removesuffix(")"))


# ---------------------------------------------------------------- sums

Parts = Iterable[tuple[Dim, int]]
_MOST = 8
"""Of a sum of more terms no more is known, and so many bounds are looked at."""
_LONGEST = 400
"""Nor is more known of a number with a longer text: halves of halves grow fast."""


def total(parts: Parts) -> Dim | None:
    """Return a sum of multiples; None of a negative literal, and of a long sum."""
    counts, offset = counted(parts)
    terms = tuple(counts.items())
    if not terms:
        return literal_dim(offset) if offset >= 0 else None
    if len(terms) > _MOST or sum(len(t.name) for t in counts) > _LONGEST:
        return None
    (first, often), *others = terms
    if often == 1 and not others:
        return Dim(first.name, offset, _size(terms, offset), terms)
    return Dim(_text(terms), offset, _size(terms, offset), terms)


def more(dim: Dim, by: int) -> Dim | None:
    """Return a sum with a literal; None of a literal below 0, which no length is."""
    if dim.base:
        return dim.shifted(by)
    return literal_dim(dim.offset + by) if dim.offset + by >= 0 else None


def part(dim: Dim, by: Dim | int) -> Dim | None:
    """Return `dim // by`, of a literal above 0 or of a term.

    >>> twice = total([(Dim("n", 1), 2)])
    >>> str(part(twice, 2)), str(part(twice, 4)), str(part(Dim("n", 1), 2))
    ('n + 1', '(((2 * n) + 2) // 4)', '((n + 1) // 2)')
    """
    if len(dim.base) > _LONGEST:
        return None
    if isinstance(by, int):
        if by <= 0 or not dim.base:
            return literal_dim(dim.offset // by) if by > 0 else None
        return _exact_part(dim, by) or _part(dim, by, by)
    term = term_of(by)
    return None if term is None else _part(dim, term, term.size)


def _exact_part(dim: Dim, by: int) -> Dim | None:
    """Return a part of a sum of multiples of as much; None of any other."""
    terms = _terms_of(dim)
    if dim.offset % by or any(k % by for _, k in terms):
        return None
    found = total([(alone(t), k // by) for t, k in terms])
    return None if found is None else more(found, dim.offset // by)


def _part(dim: Dim, by: int | Term, count: Size) -> Dim:
    whole = f"({dim})" if dim.offset else str(dim)
    text = f"({whole} // {by.name if isinstance(by, Term) else by})"
    known = isinstance(dim.size, int) and isinstance(count, int) and count > 0
    size = dim.size // count if known else None  # type: ignore[operator]
    return alone(Term(_name(text), size, part=(dim, by)))


def part_of(dim: Dim) -> tuple[Dim, Dim | int] | None:
    """Return of what an integer is which part, or more than that by a literal.

    >>> [str(d) for d in part_of(part(axis_dim("n"), Dim("k")))]
    ['n', 'k']
    """
    terms = _terms_of(dim)
    if len(terms) != 1 or terms[0][1] != 1 or terms[0][0].part is None:
        return None
    whole, by = terms[0][0].part
    return whole, alone(by) if isinstance(by, Term) else by


def product(one: Dim, other: Dim) -> Dim | None:
    """Return a product, the sum of those of terms.

    >>> n, m = Dim("n", 1, 4), Dim("m", 0, 5)
    >>> str(product(n, m))
    '((m * n) + m)'
    """
    sides = [[(alone(t), k) for t, k in _terms_of(d)] for d in (one, other)]
    both = [
        (alone(_product(p, q)), j * k)
        for p, j in _terms_of(one)
        for q, k in _terms_of(other)
    ]
    ends = zip(sides, (other.offset, one.offset), strict=True)
    found = total([*both, *((d, k * by) for side, by in ends for d, k in side)])
    return None if found is None else more(found, one.offset * other.offset)


def _product(one: Term, other: Term) -> Term:
    first, last = sorted((one, other), key=lambda term: term.name)
    sizes = (first.size, last.size)
    known = isinstance(sizes[0], int) and isinstance(sizes[1], int)
    size = sizes[0] * sizes[1] if known else None  # type: ignore[operator]
    return Term(_name(f"({first.name} * {last.name})"), size, factors=(first, last))


def term_of(dim: Dim) -> Term | None:
    """Return the term that an integer is."""
    terms = _terms_of(dim)
    is_one = not dim.offset and len(terms) == 1 and terms[0][1] == 1
    return terms[0][0] if is_one else None


def _name(text: str) -> str:
    return f"@{text}" if "@" in text else text


def least_outside(dim: Dim | None) -> Dim | None:
    """Return the least that an integer is, by the bounds of counters, over the
    arguments; None where that is not known, or below 0 in the example.

    >>> n, m = axis_dim("x.shape[0]", 5), axis_dim("y.shape[0]", 6)
    >>> from yota_ast.ir.facts.loop_counters import counter
    >>> i = called(counter([n]), "@i")
    >>> str(least_outside(total([(m, 1), (i, -1)])))
    '(y.shape[0] - x.shape[0]) + 1'
    """
    if dim is None:
        return None
    counts, offset = counted([(dim, 1)])
    for _ in range(_MOST):
        within = [(t, k) for t, k in counts.items() if t.name.startswith(COUNTER)]
        if not within:
            break
        term, often = within[-1]
        bound = term.least if often > 0 else term.most
        if bound is None or term.natural is not None or term.leaps:
            return None
        rest = [(alone(t), k) for t, k in counts.items() if t is not term]
        counts, by = counted([*rest, (bound, often)])
        offset += by
    parts = [(alone(term), often) for term, often in counts.items()]
    found = total([*parts, (Dim("", offset, offset), 1)])
    return found if found is not None and found.example is not None else None


def is_natural(dim: Dim | None, naturals: list[Term] | None = None) -> bool:
    """Say whether an integer is surely 0 at least, by the bounds of its terms.

    naturals: takes the terms that must not be below 0 for that. None: there are none.
    """
    if dim is None:
        return False
    counts, offset = counted([(dim, 1)])
    scale = 1  # so many times the integer are looked at, for parts to be whole
    for _ in range(_MOST):
        by = next((by for t, k in counts.items() if (by := _divisor(t)) and k % by), 1)
        counts, offset = {t: by * k for t, k in counts.items()}, by * offset
        scale *= by
        found = [(t, b) for t, k in counts.items() if (b := _bound(t, k)) is not None]
        if naturals is None:
            found = [(t, b) for t, b in found if b.natural is None]
        if not found:
            break
        of_parts = [pair for pair in found if _divisor(pair[0])]
        term, bound = (of_parts or found)[-1]  # the innermost counter is the newest
        rest = [(alone(t), k) for t, k in counts.items() if t is not term]
        counts, more_by = counted([*rest, *bound.parts])
        offset += more_by
        if naturals is not None and bound.natural is not None:
            naturals.append(bound.natural)
    return offset > -scale and not counts


def _divisor(term: Term) -> int:
    """Return by what literal a term is the part of another; 0 of any other."""
    by = term.part[1] if term.part is not None else 0
    return by if isinstance(by, int) else 0


@dataclass(frozen=True, slots=True)
class Bound:
    """What a multiple of a term is at least; natural: where that is not below 0."""

    parts: tuple[tuple[Dim, int], ...]
    natural: Term | None = None


def _bound(term: Term, often: int) -> Bound | None:
    """Return what so many times a term are at least."""
    if term.part is not None:
        whole, by = term.part
        if isinstance(by, int) and not often % by:
            least = whole if often < 0 else whole.shifted(1 - by)
            return Bound(((least, often // by),))
    if term.factors is not None:
        one, other = term.factors
        found = _bound_of_product(one, other, often)
        return _bound_of_product(other, one, often) if found is None else found
    bound = term.least if often > 0 else term.most
    return None if bound is None else Bound(((bound, often),), term.natural)


def _bound_of_product(one: Term, other: Term, often: int) -> Bound | None:
    """Return what `one * other` is at least, by the bounds of one."""
    if often < 0 and one.part is not None and one.part[1] == other:
        return Bound(((one.part[0], often),), other)
    bound = one.least if often > 0 else one.most
    if bound is None or one.natural not in (None, other):
        return None
    found = product(bound, alone(other))
    return None if found is None else Bound(((found, often),), other)


def counted(parts: Parts) -> tuple[dict[Term, int], int]:
    """Return how often each term is in a sum, and what is added to them."""
    counts, offset = Counter[Term](), 0
    for dim, often in parts:
        offset += often * dim.offset
        for term, k in _terms_of(dim):
            counts[term] += often * k
    kept = [(t, k) for t, k in counts.items() if k]
    return dict(sorted(kept, key=lambda pair: (pair[1] < 0, pair[0].name))), offset


def _terms_of(dim: Dim) -> Terms:
    """Return the terms of an integer, which may be one of which no more is known."""
    if dim.terms or not dim.base:
        return dim.terms
    size = None if dim.is_cut else _moved(dim.size, -dim.offset)
    return ((Term(dim.base, size), 1),)


def alone(term: Term) -> Dim:
    """Return the integer that a term is."""
    return Dim(term.name, 0, term.size, ((term, 1),))


def _size(terms: Terms, offset: int) -> Size:
    """Return how large a sum is in the example; None where it is below 0."""
    if len(terms) == 1 and terms[0][1] == 1:
        return _moved(terms[0][0].size, offset)
    sizes = [term.size for term, _ in terms]
    whole = [n for n in sizes if isinstance(n, int)]
    if len(whole) < len(sizes):
        return None
    size = sum(n * k for n, (_, k) in zip(whole, terms, strict=True)) + offset
    return size if size >= 0 else None


def _moved(size: Size, by: int) -> Size:
    if isinstance(size, NamedLength):
        return NamedLength(size.name, size.more + by)
    return None if size is None or size + by < 0 else size + by


def _text(terms: Terms) -> str:
    """Return what a sum is called."""
    texts: list[str] = []
    for term, k in terms:
        name = term.name
        sign = ("-" if k < 0 else "") if not texts else ("- " if k < 0 else "+ ")
        texts.append(f"{sign}{name if abs(k) == 1 else f'{abs(k)} * {name}'}")
    return _name(f"({' '.join(texts)})")
