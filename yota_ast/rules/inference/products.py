"""Facts of products other than `@`.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> a = Var("a", array_fact("f8", (Dim("a.shape[0]", 0, 2), Dim("a.shape[1]", 0, 3))))
>>> [str(d) for d in einsum_fact(Const("ij,ij->j"), (a, a)).shape]
['a.shape[1]']
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact, Shape
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import Dim, literal_dim
from yota_ast.rules.inference.dims import broadcast, broadcast_axis
from yota_ast.rules.inference.infer import elementwise_fact
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    dtype_of,
    scalar_or_array,
    value_of,
)
from yota_ast.runtime import spelled_out

Dims = tuple[Dim | None, ...]


def dot_fact(u: Atom, v: Atom) -> Fact:
    """`np.dot`."""
    a, b = array_of(u), array_of(v)
    if a.is_scalar or b.is_scalar:
        fact = elementwise_fact(operator.mul, [u, v])
        return scalar_or_array(fact.dtype, fact.shape)
    shape: Shape = None
    if isinstance(a.shape, tuple) and isinstance(b.shape, tuple):
        shape = (*a.shape[:-1], *b.shape[:-2], *b.shape[-1:][: len(b.shape) - 1])
    return scalar_or_array(dtype_of(np.dot, a, b), shape)


def inner_fact(u: Atom, v: Atom) -> Fact:
    """`np.inner`."""
    a, b = array_of(u), array_of(v)
    if a.is_scalar or b.is_scalar:
        return dot_fact(u, v)
    shape: Shape = None
    if isinstance(a.shape, tuple) and isinstance(b.shape, tuple):
        shape = (*a.shape[:-1], *b.shape[:-1])
    return scalar_or_array(dtype_of(np.inner, a, b), shape)


def outer_fact(u: Atom, v: Atom) -> Fact:
    """`np.outer`: always a matrix."""
    a, b = array_of(u), array_of(v)
    dims = tuple(_flat(f) for f in (a, b))
    return array_result(dtype_of(np.multiply, a, b), dims)


def _flat(fact: Fact) -> Dim | None:
    if not isinstance(fact.shape, tuple):
        return None
    if len(fact.shape) == 1:
        return fact.shape[0]
    if any(d is None or d.base for d in fact.shape):
        return None
    return literal_dim(math.prod(d.offset for d in fact.shape if d is not None))


def tensordot_fact(u: Atom, v: Atom, axes: Atom) -> Fact:
    """`np.tensordot`."""
    a, b = array_of(u), array_of(v)
    dtype = None
    if a.dtype is not None and b.dtype is not None:
        dtype = np.result_type(a.dtype, b.dtype)
    if not (isinstance(a.shape, tuple) and isinstance(b.shape, tuple)):
        return Fact("real" if dtype is None else "array", dtype)
    if not isinstance(axes, Const):
        return Fact("array", dtype)
    p, q = _contracted(axes.value, len(a.shape))
    left = [d for k, d in enumerate(a.shape) if k not in {i % len(a.shape) for i in p}]
    right = [d for k, d in enumerate(b.shape) if k not in {i % len(b.shape) for i in q}]
    return array_result(dtype, (*left, *right))


def _contracted(axes: Any, rank: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        return list(range(rank - axes, rank)), list(range(axes))
    p, q = axes
    return (
        [p] if isinstance(p, int) else list(p),
        [q] if isinstance(q, int) else list(q),
    )


def kron_fact(u: Atom, v: Atom) -> Fact:
    """`np.kron`."""
    a, b = array_of(u), array_of(v)
    if a.rank is None or b.rank is None:
        return Fact("real")
    shape = (None,) * max(a.rank, b.rank)
    return scalar_or_array(dtype_of(np.multiply, a, b), shape)


def cross_fact(u: Atom, v: Atom) -> Fact:
    """`np.cross` of vectors of three, or of three and two."""
    a, b = array_of(u), array_of(v)
    shape = broadcast([a.shape, b.shape])
    if isinstance(shape, tuple) and shape:
        shape = (*shape[:-1], literal_dim(3))
    return array_result(dtype_of(np.multiply, a, b), shape)


# ---------------------------------------------------------------- einsum


def einsum_fact(subscripts: Atom, operands: tuple[Atom, ...]) -> Fact:
    """`np.einsum` of a string."""
    facts = [array_of(o) for o in operands]
    if any(f.rank is None for f in facts) or not isinstance(subscripts, Const):
        return UNKNOWN
    ranks = [f.rank or 0 for f in facts]
    inputs, output = spelled_out(value_of(subscripts), ranks)
    lengths: dict[str, Dim | None] = {}
    for labels, fact in zip(inputs, facts, strict=True):
        for label, dim in zip(labels, fact.shape or (), strict=True):
            seen = label in lengths
            known = dim if isinstance(dim, Dim) else None
            lengths[label] = broadcast_axis(lengths[label], known) if seen else known
    dtype = None
    if all(f.dtype is not None for f in facts):
        dtype = np.result_type(*[f.dtype for f in facts if f.dtype is not None])
    return scalar_or_array(dtype, tuple(lengths[label] for label in output))
