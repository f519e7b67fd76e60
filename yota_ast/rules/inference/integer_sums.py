"""Sums, multiples and parts of integers -> what they are called, and their bounds.

A number that is known is a sum of multiples of terms: lengths of axes, counters of
loops, integers of the program. Two sums of the same terms have one name.

>>> from yota_ast.ir.axis_lengths import axis_dim, called, counter_dim
>>> n, k = axis_dim("x.shape[0]", 9), axis_dim("w.shape[0]", 3)
>>> windows = total([(n, 1), (k, -1)]).shifted(1)
>>> str(windows), windows.size
('(x.shape[0] - w.shape[0]) + 1', 7)
>>> i = called(counter_dim(ZERO, windows.shifted(-1)), "@i")
>>> end = total([(i, 1), (k, 1)])
>>> str(end), str(total([(end, 1), (i, -1)]))
('@(@i + w.shape[0])', 'w.shape[0]')

What is taken of an axis from `i` on to `i + k` is `k` long, where the bounds of `i` say
that it is within the axis.

>>> is_natural(total([(n, 1), (end, -1)]))
True
>>> str(sliced(n, i, end))
'w.shape[0]'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import End
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import (
    ZERO,
    Dim,
    NamedLength,
    Size,
    Term,
    Terms,
    counter_dim,
    literal_dim,
)
from yota_ast.rules.inference.dims import note_natural

Parts = Iterable[tuple[Dim, int]]
_MOST = 8
"""Of a sum of more terms no more is known, and so many bounds are looked at."""


def total(parts: Parts) -> Dim | None:
    """Return a sum of multiples; None of a negative literal, and of a long sum."""
    counts, offset = _counted(parts)
    terms = tuple(counts.items())
    if not terms:
        return literal_dim(offset) if offset >= 0 else None
    if len(terms) > _MOST:
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
    """Return `dim // by`, of a literal above 0 or of a term."""
    if isinstance(by, int):
        if by <= 0 or not dim.base:
            return literal_dim(dim.offset // by) if by > 0 else None
        return _part(dim, by, by)
    term = _term(by)
    return None if term is None else _part(dim, term, term.size)


def _part(dim: Dim, by: int | Term, count: Size) -> Dim:
    text = f"({dim} // {by.name if isinstance(by, Term) else by})"
    known = isinstance(dim.size, int) and isinstance(count, int) and count > 0
    size = dim.size // count if known else None  # type: ignore[operator]
    return _alone(Term(_name(text), size, part=(dim, by)))


def product(one: Dim, other: Dim) -> Dim | None:
    """Return a product, the sum of those of terms.

    >>> n, m = Dim("n", 1, 4), Dim("m", 0, 5)
    >>> str(product(n, m))
    '((m * n) + m)'
    """
    sides = [[(_alone(t), k) for t, k in _terms_of(d)] for d in (one, other)]
    both = [
        (_alone(_product(p, q)), j * k)
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


def _term(dim: Dim) -> Term | None:
    """Return the term that an integer is."""
    terms = _terms_of(dim)
    is_one = not dim.offset and len(terms) == 1 and terms[0][1] == 1
    return terms[0][0] if is_one else None


def _name(text: str) -> str:
    return f"@{text}" if "@" in text else text


def integer_of(value: object) -> Dim | int | None:
    """Return what is known of a value of the program: a literal as it is, for it may
    be below 0."""
    if isinstance(value, Var):
        return value.fact.length
    if not isinstance(value, Const) or value.is_live:
        return None
    return value.value if type(value.value) is int else None


def counter(ends: Sequence[object]) -> Dim | None:
    """Return what is known of the numbers of a range: their bounds, where the step is
    written out.

    >>> low, high = (counter([Const(k) for k in ends]) for ends in [(3,), (2, -1, -1)])
    >>> [str(k) for d in (low, high) for k in (d.terms[0][0].least, d.terms[0][0].most)]
    ['0', '2', '0', '2']
    """
    given = (Const(0), *ends, Const(1)) if len(ends) == 1 else (*ends, Const(1))
    start, stop, step = map(integer_of, given[:3])
    if isinstance(step, int) and step < 0:
        return counter_dim(_moved_end(stop, 1), _moved_end(start, 0))
    natural = _term(step) if isinstance(step, Dim) else None
    if natural is None and not isinstance(step, int):
        return None
    return counter_dim(_moved_end(start, 0), _moved_end(stop, -1), natural)


def _moved_end(end: Dim | int | None, by: int) -> Dim | None:
    """Return an end of a range, more or less; None of one that is not known."""
    if isinstance(end, Dim):
        return more(end, by)
    return literal_dim(end + by) if end is not None and end + by >= 0 else None


def is_natural(dim: Dim | None, naturals: list[Term] | None = None) -> bool:
    """Say whether an integer is surely 0 at least, by the bounds of its terms.

    naturals: takes the terms that must not be below 0 for that. None: there are none.
    """
    if dim is None:
        return False
    counts, offset = _counted([(dim, 1)])
    for _ in range(_MOST):
        found = [(t, b) for t, k in counts.items() if (b := _bound(t, k)) is not None]
        if naturals is None:
            found = [(t, b) for t, b in found if b.natural is None]
        if not found:
            break
        term, bound = found[-1]  # the innermost counter is the newest
        rest = [(_alone(t), k) for t, k in counts.items() if t is not term]
        counts, by = _counted([*rest, *bound.parts])
        offset += by
        if naturals is not None and bound.natural is not None:
            naturals.append(bound.natural)
    return offset >= 0 and not counts


def sliced(axis: Dim, start: End, stop: End) -> Dim | None:
    """Return the length of `x[start:stop]`; None where it may be cut off by the axis.

    A stop that is below 0 counts from the end. Where that cannot be excluded, and the
    length is not below 0 in the example, the text checks that it is not.
    """
    first = ZERO if start is None else _number(start, axis)
    last = axis if stop is None else _number(stop, axis)
    if first is None or last is None:
        return None
    length, terms = total([(last, 1), (first, -1)]), list[Term]()
    within = total([(axis, 1), (last, -1)])
    if length is None or not (is_natural(first, terms) and is_natural(within, terms)):
        return None
    naturals = list(map(_alone, terms))
    if last != axis and not is_natural(last):
        naturals.append(length)
    return length if all(map(_taken_for_natural, naturals)) else None


def _taken_for_natural(number: Dim) -> bool:
    """Say whether an integer is not below 0, by the example where it has to be."""
    if is_natural(number):
        return True
    if not number.example or "@" in number.base:
        return False
    note_natural(number)
    return True


def _number(end: int | Dim, axis: Dim) -> Dim | None:
    """Return an end of a slice; a literal below 0 counts from the end of the axis."""
    if isinstance(end, Dim):
        return end
    return literal_dim(end) if end >= 0 else axis.shifted(end)


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
    found = product(bound, _alone(other))
    return None if found is None else Bound(((found, often),), other)


def _counted(parts: Parts) -> tuple[dict[Term, int], int]:
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
    is_cut = dim.size == 0 and dim.offset < 0
    size = None if is_cut else _moved(dim.size, -dim.offset)
    return ((Term(dim.base, size), 1),)


def _alone(term: Term) -> Dim:
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
