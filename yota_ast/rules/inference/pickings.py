"""Facts of tests, counts, indices and shapes."""

from __future__ import annotations

import math

import numpy as np

from yota_ast.ir.abstract_values import BOOL, UNKNOWN, Fact, int_fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import SHARED, Dim, literal_dim, more, part
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


def _indices(count: int) -> Fact:
    """A tuple of vectors of indices, as long as one another."""
    return Fact("tuple", items=(array_result(_INDEX, (SHARED,)),) * count, cls=tuple)


def pairs_fact() -> Fact:
    """The rows and the columns of elements of a matrix."""
    return _indices(2)


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
