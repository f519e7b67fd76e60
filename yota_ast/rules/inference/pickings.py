"""Facts of tests, counts, indices and shapes."""

from __future__ import annotations

import math

import numpy as np

from yota_ast.ir.abstract_values import BOOL, UNKNOWN, Fact, int_fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import SHARED, Dim, literal_dim, more, part, product
from yota_ast.rules.inference.infer import integer_of
from yota_ast.rules.inference.layouts import as_array
from yota_ast.rules.inference.shapes import (
    array_result,
    reduced_shape,
    running_shape,
    scalar_or_array,
)

_INDEX = np.dtype(np.intp)
_BOOL = np.dtype(bool)
_BELOW = {Const(0): 1, Const(-1): -1}
_ABOVE = {Const(0): 1, Const(1): -1}
"""How much longer the side is by which half of a square is multiplied, by the first
diagonal of its lower and of its upper triangle."""


def single_bool() -> Fact:
    """A bool."""
    return BOOL


def boolean(x: Atom) -> Fact:
    """An array of bools of the shape of x."""
    return array_result(_BOOL, as_array(x).shape)


def integers(x: Atom) -> Fact:
    """An array of indices of the shape of x; of a number, a vector of one."""
    return array_result(_INDEX, running_shape(as_array(x)))


def places_of(v: Atom) -> Fact:
    """`np.searchsorted(x, v)`: an index for each number of v."""
    return scalar_or_array(_INDEX, as_array(v).shape)


def bins_of(x: Atom) -> Fact:
    """`np.digitize(x, bins)`: an index for each number of x."""
    return places_of(x)


def number_of() -> Fact:
    """A vector of indices or counts, of unknown length."""
    return array_result(_INDEX, (None,))


def window(n: Atom) -> Fact:
    """A vector of n floats."""
    return array_result(float, (_count(n),))


def half_window(n: Atom) -> Fact:
    """A vector of half as many floats, and one more."""
    count = _count(n)
    half = None if count is None else part(count, 2)
    return array_result(float, (half and more(half, 1),))


def _count(n: Atom) -> Dim | None:
    known = integer_of(n)
    if isinstance(known, int):
        return literal_dim(known) if known >= 0 else None
    return known


def argument_of(x: Atom, axis: Atom, keepdims: Atom) -> Fact:
    """`np.argmax(x, axis, keepdims=keepdims)`."""
    return scalar_or_array(_INDEX, reduced_shape(as_array(x).shape, axis, keepdims))


def argwhere_fact() -> Fact:
    """A matrix of indices."""
    return array_result(_INDEX, (None, None))


def nonzero_fact(x: Atom) -> Fact:
    """A tuple of vectors of indices, one for each axis."""
    rank = as_array(x).rank
    if rank is None:
        return UNKNOWN
    return _indices(max(rank, 1))


def _indices(count: int, length: Dim | None = SHARED) -> Fact:
    """A tuple of vectors of indices, as long as one another."""
    return Fact("tuple", items=(array_result(_INDEX, (length,)),) * count, cls=tuple)


def lower_fact(n: Atom, k: Atom, m: Atom) -> Fact:
    """`np.tril_indices(n, k, m)`: the rows and the columns of elements of a matrix."""
    return _of_triangle(n, _BELOW.get(k) if isinstance(k, Const) else None, m)


def upper_fact(n: Atom, k: Atom, m: Atom) -> Fact:
    """`np.triu_indices(n, k, m)`."""
    return _of_triangle(n, _ABOVE.get(k) if isinstance(k, Const) else None, m)


def diagonal_fact(n: Atom, ndim: Atom) -> Fact:
    """`np.diag_indices(n, ndim)`."""
    count = integer_of(ndim)
    if not isinstance(count, int):
        return Fact("tuple", cls=tuple)
    return _indices(count, _count(n) or SHARED)


def _of_triangle(n: Atom, beside: int | None, m: Atom) -> Fact:
    """Of a square matrix the diagonal and what is on one side of it; beside: 1 with the
    diagonal, -1 without it, None of another number of diagonals."""
    rows = _count(n)
    square = m == Const(None) or (rows is not None and _count(m) == rows)
    next_to = more(rows, beside) if rows and beside and square else None
    if rows is None or next_to is None:
        return _indices(2)
    both = product(rows, next_to)
    return _indices(2, (both and part(both, 2)) or SHARED)


def shape_fact(x: Atom) -> Fact:
    """`np.shape(x)`: as many ints as there are axes."""
    shape = as_array(x).shape
    if not isinstance(shape, tuple):
        return Fact("tuple", cls=tuple)
    return Fact("tuple", items=tuple(int_fact(d) for d in shape), cls=tuple)


def size_fact(x: Atom, axis: Atom) -> Fact:
    """`np.size(x)`: of a vector its length, of other arrays the product of literals."""
    shape = as_array(x).shape
    if axis != Const(None) or not isinstance(shape, tuple):
        return int_fact(None)
    if len(shape) == 1:
        return int_fact(shape[0])
    fixed = [d.offset for d in shape if d is not None and not d.base]
    known = len(fixed) == len(shape)
    return int_fact(literal_dim(math.prod(fixed)) if known else None)


def sizes_fact() -> Fact:
    """A tuple of ints."""
    return Fact("tuple", cls=tuple)
