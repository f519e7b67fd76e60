"""A loop over a range -> the ends of its numbers, as values that an index may have.

Of `range(n - 1, -1, -1)` the least number is 0, and that after the last is `n`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from yota_ast.analysis.unmodified_reads import Range
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops.algebra import TERMS, operated


def least_of(
    given: Range, builder: Builder, made: Mapping[str, Apply], by: int = 0
) -> Atom:
    """Return the least number of a range, and so much more."""
    start, stop, step = given
    if step > 0:
        return shifted(start, by, builder, made)
    return shifted(stop, by + 1, builder, made)


def after_last(
    given: Range, builder: Builder, made: Mapping[str, Apply], by: int = 0
) -> Atom:
    """Return the number after the greatest of a range, and so much more."""
    start, stop, step = given
    if step > 0:
        return shifted(stop, by, builder, made)
    return shifted(start, by + 1, builder, made)


def shifted(atom: Atom, by: int, builder: Builder, made: Mapping[str, Apply]) -> Atom:
    """Return a whole number and so much more, without `n - 1 + 1`."""
    if isinstance(atom, Const):
        assert isinstance(atom.value, int)
        return Const(atom.value + by)
    maker = made.get(atom.name)
    if by and maker is not None and operated(maker.fn) in TERMS:
        first, more = maker.args
        if isinstance(more, Const) and type(more.value) is int:
            sign = 1 if maker.fn is operator.add else -1
            return shifted(first, by + sign * more.value, builder, made)
    if not by:
        return atom
    fn = operator.add if by > 0 else operator.sub
    return builder.apply(fn, atom, Const(abs(by)))


def joined_index(builder: Builder, atoms: Sequence[Atom]) -> Atom:
    """Return the index with some parts."""
    if len(atoms) == 1:
        return atoms[0]
    if all(isinstance(a, Const) for a in atoms):
        return Const(tuple(a.value for a in atoms if isinstance(a, Const)))
    known = Fact("tuple", items=tuple(map(fact_of_atom, atoms)))
    return builder.apply(build_tuple, *atoms, form="build", fact=known)
