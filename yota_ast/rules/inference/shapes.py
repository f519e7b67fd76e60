"""Facts of what is not elementwise: reductions, products, reshaping.

In: the atoms of a call by parameter.  Out: the fact of its result.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f4", (Dim("x.shape[0]", 0, 5), Dim("x.shape[1]", 0, 3))))
>>> reduction(np.sum)(x, Const(0), Const(False))
ndarray[float32, 1]
>>> reduction(np.sum)(x, Const(None), Const(False))
float32
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import FLOAT, INT, UNKNOWN, Fact, Shape
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import UNIT, Dim, literal_dim
from yota_ast.rules.inference.dims import broadcast
from yota_ast.rules.inference.infer import (
    COMPLEX_DTYPE,
    as_array_fact,
    evaluate,
    numeric_fact,
    stand_in,
)
from yota_ast.rules.notation.rule_records import Fn

Dims = tuple[Dim | None, ...]
FactFn = Callable[..., Fact]
DROPPED = Const(value=False)  # keepdims


def array_of(atom: Atom) -> Fact:
    """The fact of an argument of which NumPy makes an array."""
    return as_array_fact(fact_of_atom(atom))


def known(atom: Atom) -> bool:
    """Whether an argument is written in the program."""
    return isinstance(atom, Const)


def value_of(atom: Atom) -> Any:
    """The value of an argument that is written in the program, else None."""
    return atom.value if isinstance(atom, Const) else None


def dtype_of(fn: Fn, *facts: Fact, **kwargs: Any) -> np.dtype[Any] | None:
    """The dtype that fn gives, where those of its arguments are known."""
    unsure = any(f.dtype is None and not f.is_python for f in facts)
    unsure = unsure or any(f.dtype == np.object_ for f in facts)  # of any numbers
    if unsure and not any(f.is_complex for f in facts):
        return None
    result = evaluate(fn, [stand_in(f) for f in facts], kwargs)
    dtype: np.dtype[Any] = np.asarray(result).dtype
    return None if unsure and dtype.kind != "c" else dtype


def array_result(dtype: Any, shape: Shape) -> Fact:
    """An array even where it has no axes."""
    return Fact("array", None if dtype is None else np.dtype(dtype), shape)


# ---------------------------------------------------------------- reductions


def axes_of(axis: Atom, rank: int) -> tuple[int, ...] | None:
    """The axes, from 0, that `axis` names; None where that is not known."""
    if not isinstance(axis, Const):
        return None
    if axis.value is None:
        return tuple(range(rank))
    axes = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    return tuple(k % rank for k in axes)


def reduced_shape(shape: Shape, axis: Atom, keepdims: Atom) -> Shape:
    """The shape that is left of one by a reduction."""
    keep = value_of(keepdims)
    if not known(keepdims):
        return None
    if not isinstance(shape, tuple):
        return () if known(axis) and value_of(axis) is None and not keep else None
    axes = axes_of(axis, len(shape))
    if axes is None:
        if keep:
            return (None,) * len(shape)
        one = fact_of_atom(axis).kind == "int"
        return (None,) * (len(shape) - 1) if one else None
    if keep:
        return tuple(UNIT if k in axes else d for k, d in enumerate(shape))
    return tuple(d for k, d in enumerate(shape) if k not in axes)


def reduction(fn: Fn) -> FactFn:
    """The fact of `fn(x, axis, keepdims=keepdims)`."""

    def fact(x: Atom, axis: Atom, keepdims: Atom) -> Fact:
        given = array_of(x)
        if not given.is_numeric:
            return UNKNOWN
        shape = reduced_shape(given.shape, axis, keepdims)
        return scalar_or_array(dtype_of(fn, given), shape)

    return fact


def scalar_or_array(dtype: Any, shape: Shape) -> Fact:
    """What NumPy's functions return: a NumPy scalar where there are no axes."""
    if shape == ():
        return Fact("scalar", None if dtype is None else np.dtype(dtype), ())
    return numeric_fact(dtype, shape)


# ---------------------------------------------------------------- products


def product(fn: Fn) -> FactFn:
    """The fact of `u @ v`."""

    def fact(u: Atom, v: Atom) -> Fact:
        a, b = array_of(u), array_of(v)
        if not (a.is_numeric and b.is_numeric):
            return UNKNOWN
        return scalar_or_array(dtype_of(fn, a, b), matmul_shape(a.shape, b.shape))

    return fact


def matmul_shape(u: Shape, v: Shape) -> Shape:
    """The shape of `u @ v`."""
    if not (isinstance(u, tuple) and isinstance(v, tuple)) or not (u and v):
        return None
    if len(v) == 1:
        return u[:-1]
    if len(u) == 1:
        return (*v[:-2], v[-1])
    stack = broadcast([u[:-2], v[:-2]])
    return (*stack, u[-2], v[-1]) if isinstance(stack, tuple) else None


# ---------------------------------------------------------------- shapes as arguments


def shape_argument(shape: Atom) -> Shape:
    """The dims that a shape given as an argument asks for; -1 is not known."""
    if isinstance(shape, Const):
        sizes = (
            shape.value if isinstance(shape.value, (tuple, list)) else (shape.value,)
        )
        return tuple(_dim_of(n) for n in sizes)
    fact = fact_of_atom(shape)
    if fact.kind in ("tuple", "list") and fact.items is not None:
        return tuple(f.length for f in fact.items)
    if fact.kind == "scalar" and fact.is_whole:
        return (None,)  # np.sum(mask): one length, which is not known
    return (fact.length,) if fact.kind == "int" else None


def length_argument(n: Atom) -> Dim | None:
    """The length of an axis that an argument asks for."""
    value = value_of(n)
    if not isinstance(n, Const):
        return fact_of_atom(n).length
    return literal_dim(value) if isinstance(value, int) and value >= 0 else None


def shape_arguments(shape: Sequence[Atom]) -> Shape:
    """The same of `x.reshape(n, m)`, `x.reshape((n, m))`."""
    if len(shape) == 1:
        return shape_argument(shape[0])
    return tuple(
        _dim_of(n.value) if isinstance(n, Const) else fact_of_atom(n).length
        for n in shape
    )


def _dim_of(n: Any) -> Dim | None:
    if isinstance(n, (int, np.integer)) and n >= 0:
        return literal_dim(int(n))
    return None


def reshaped(fact: Fact, shape: Shape) -> Fact:
    """The fact of an array of the same elements in another shape."""
    if not fact.is_numeric:
        return UNKNOWN
    if isinstance(shape, tuple) and isinstance(fact.shape, tuple):
        shape = _with_rest(fact.shape, shape)
    dtype = (
        fact.dtype if fact.kind in ("array", "scalar") else dtype_of(np.asarray, fact)
    )
    return array_result(dtype, shape)


def _with_rest(old: Dims, new: Dims) -> Dims:
    """The one length that is not known: of literal lengths what is left of their
    product, else the one length that is not among the others."""
    if new.count(None) != 1 or None in old:
        return new
    if all(d is None or not d.base for d in (*old, *new)):
        have = math.prod(d.offset for d in old if d is not None)
        rest = math.prod(d.offset for d in new if d is not None)
        left = literal_dim(have // rest) if rest else None
    else:
        left = _left_of(old, new)
    return tuple(left if d is None else d for d in new)


def _left_of(old: Dims, new: Dims) -> Dim | None:
    """The length that some have and others have not, beside those that are 1."""
    left = [d for d in old if d is not None and not d.is_unit]
    for d in new:
        if d is not None and not d.is_unit:
            if d not in left:
                return None
            left.remove(d)
    if len(left) > 1:
        return None
    return left[0] if left else UNIT


# ---------------------------------------------------------------- Python's numbers


def python_float() -> Fact:
    """A Python float."""
    return FLOAT


def converted(x: Atom) -> Fact:
    """`float(x)`, whatever x is: a power of it may be complex, it is not."""
    return FLOAT


def python_int() -> Fact:
    """A Python int."""
    return INT


# ---------------------------------------------------------------- along one axis


def averaged(x: Atom, axis: Atom, weights: Atom, keepdims: Atom) -> Fact:
    """`np.average`."""
    fact = reduction(np.average)(x, axis, keepdims)
    w = array_of(weights)
    if w.kind == "none" or not fact.is_numeric:
        return fact
    return scalar_or_array(dtype_of(np.divide, array_of(x), w), fact.shape)


def running_shape(given: Fact) -> Shape:
    """The shape of running sums of an array; of a number it is a vector of one."""
    return (UNIT,) if given.shape == () else given.shape


def cumulated(fn: Fn) -> FactFn:
    """`fn(x, axis)`, of the shape of x; without an axis, flat."""

    def fact(x: Atom, axis: Atom) -> Fact:
        given = array_of(x)
        flat = value_of(axis) is None
        if not given.is_numeric or not known(axis):
            return UNKNOWN
        one = given.rank == 1
        shape = (None,) if flat and not one else running_shape(given)
        return array_result(dtype_of(fn, given), shape)

    return fact


def differences(x: Atom, n: Atom, axis: Atom) -> Fact:
    """`np.diff`."""
    given = array_of(x)
    if given.rank is None or not isinstance(given.shape, tuple):
        return Fact("array", given.dtype)
    dims = list(given.shape)
    if not (known(n) and known(axis)):
        return array_result(given.dtype, (None,) * len(dims))
    axis_dim = dims[value_of(axis)]
    dims[value_of(axis)] = None if axis_dim is None else axis_dim.shifted(-value_of(n))
    return array_result(dtype_of(np.diff, given), tuple(dims))


def trapezoid_fact(u: Atom, x: Atom, h: Atom, axis: Atom) -> Fact:
    """`np.trapezoid`."""
    given, steps = array_of(u), array_of(h if array_of(x).kind == "none" else x)
    whole: Shape = given.shape
    if steps.rank != 1 and not steps.is_scalar:  # the places spread what stands there
        same = steps.rank is not None and steps.rank == given.rank
        whole = broadcast((given.shape, steps.shape)) if same else None
    shape = reduced_shape(whole, axis, DROPPED)
    return scalar_or_array(dtype_of(np.divide, given, steps), shape)


def trace_fact(x: Atom, axis1: Atom, axis2: Atom) -> Fact:
    """`np.trace`."""
    given = array_of(x)
    if not (known(axis1) and known(axis2)):
        return UNKNOWN
    axes = Const((value_of(axis1), value_of(axis2)))
    shape = reduced_shape(given.shape, axes, DROPPED)
    return scalar_or_array(dtype_of(np.sum, given), shape)


# ---------------------------------------------------------------- linear algebra


def scalar_of_both(u: Atom, v: Atom) -> Fact:
    """A NumPy scalar of the dtype of both: `np.vdot`."""
    return scalar_or_array(dtype_of(np.vdot, array_of(u), array_of(v)), ())


def like_matrix(fn: Fn) -> FactFn:
    """A matrix of the shape of x, or a stack of them."""

    def fact(x: Atom) -> Fact:
        given = array_of(x)
        matrix = Fact("array", given.dtype, (UNIT, UNIT))
        return array_result(dtype_of(fn, matrix), given.shape)

    return fact


def of_matrices(fn: Fn) -> FactFn:
    """A number for each matrix of a stack: `det`."""

    def fact(x: Atom) -> Fact:
        given = array_of(x)
        matrix = Fact("array", given.dtype, (UNIT, UNIT))
        shape = given.shape[:-2] if isinstance(given.shape, tuple) else None
        return scalar_or_array(dtype_of(fn, matrix), shape)

    return fact


def slogdet_fact(x: Atom) -> Fact:
    """Two numbers for each matrix of a stack."""
    item = of_matrices(np.linalg.det)(x)
    return Fact("tuple", items=(item, item), cls=type(np.linalg.slogdet(np.eye(1))))


def solve_fact(a: Atom, b: Atom) -> Fact:
    """`np.linalg.solve`: vectors are 1-D alone."""
    p, q = array_of(a), array_of(b)
    dtype = COMPLEX_DTYPE if p.is_complex or q.is_complex else None
    if p.dtype is not None and q.dtype is not None:
        dtype = (np.zeros(1, p.dtype) / np.ones(1, q.dtype)).dtype
    if not (isinstance(p.shape, tuple) and isinstance(q.shape, tuple)):
        return Fact("array", dtype)
    vector = len(q.shape) == 1
    right = (*q.shape, UNIT) if vector else q.shape
    shape = matmul_shape(p.shape, right)
    if vector and isinstance(shape, tuple):
        shape = shape[:-1]
    return array_result(dtype, shape)


def norm_fact(x: Atom, axis: Atom, keepdims: Atom) -> Fact:
    """`np.linalg.norm`."""
    return reduction(np.linalg.norm)(x, axis, keepdims)
