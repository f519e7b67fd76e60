"""The ends of a range -> what is known of its numbers, for `named_apart` to name.

>>> low, high = counter([3]), counter([2, -1, -1])
>>> [str(k) for d in (low, high) for k in (d.terms[0][0].least, d.terms[0][0].most)]
['0', '2', '0', '2']

A range that begins below 0 is one from 0 on, and so much less:

>>> around, back = counter([-1, 2]), counter([1, -2, -1])
>>> [(str(d), str(d.terms[0][0].most)) for d in (around, back)]
[('@ - 1', '2'), ('@ - 1', '2')]
"""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast.ir.axis_lengths import COUNTER, Dim, Term, literal_dim, more, term_of


def counter(ends: Iterable[object]) -> Dim | None:
    """Return what is known of the numbers of a range: their bounds, where its step is a
    literal, or a number that may be taken for one above 0."""
    given = (*ends,)
    start, stop, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
    if step == -1 and isinstance(stop, int) and stop < -1:
        start, stop, step = stop + 1, _moved(start, 1), 1
    if step == 1 and isinstance(start, int) and start < 0:
        found = counter([_moved(stop, -start)])
        return None if found is None else found.shifted(start)
    leaps = step not in (1, -1)
    if isinstance(step, int) and step < 0:
        bounds = _moved_end(stop, 1), _moved_end(start, 0)
        return counter_dim(*bounds, leaps=leaps)
    natural = term_of(step) if isinstance(step, Dim) else None
    if natural is None and not isinstance(step, int):
        return None
    return counter_dim(_moved_end(start, 0), _moved_end(stop, -1), natural, leaps=leaps)


def counter_dim(
    least: Dim | None,
    most: Dim | None,
    natural: Term | None = None,
    *,
    leaps: bool = False,
) -> Dim:
    """An integer between bounds, to which `named_apart` gives a name."""
    term = Term(COUNTER, None, least, most, natural=natural, leaps=leaps)
    return Dim(COUNTER, 0, None, ((term, 1),))


def _moved(end: object, by: int) -> object:
    """Return an end of a range, more or less; None of one that is not known."""
    if isinstance(end, Dim):
        return more(end, by)
    return end + by if isinstance(end, int) else None


def _moved_end(end: object, by: int) -> Dim | None:
    """Return the same as a bound; None of a literal below 0."""
    found = _moved(end, by)
    if isinstance(found, int):
        return literal_dim(found) if found >= 0 else None
    return found if isinstance(found, Dim) else None
