"""Facts of what the helpers of `runtime` return: of the shape of an operand."""

from __future__ import annotations

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import INT, UNKNOWN, Fact, same_dtype
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.rules.inference.infer import COMPLEX_DTYPE, may_be_complex
from yota_ast.rules.inference.layouts import transposed
from yota_ast.rules.inference.shapes import array_of, array_result, known, value_of


def matched(d: Atom, x: Atom) -> Fact:
    """Of the shape of `x`, of the dtype of both; of what may be complex it may be."""
    if may_be_complex(fact_of_atom(x)) and not fact_of_atom(x).is_complex:
        return UNKNOWN
    given, other = array_of(x), array_of(d)
    dtype = COMPLEX_DTYPE if given.is_complex or other.is_complex else None
    if given.shape == ():
        return Fact("real", dtype, ())
    if given.dtype is not None and (other.dtype is not None or other.is_python):
        second = 1.0 if other.dtype is None else np.zeros((), other.dtype)[()]
        dtype = np.result_type(given.dtype, second, np.float16)
    if isinstance(given.shape, tuple):
        return array_result(dtype, given.shape)
    return Fact("real", dtype, given.shape)


def compared(x: Atom) -> Fact:
    """Truth values of the shape of `x`."""
    given = array_of(x)
    if given.shape is None or given.shape == ():
        return UNKNOWN
    return array_result(np.dtype(bool), given.shape)


def matched_typed(d: Atom, x: Atom, dtype: Atom) -> Fact:
    """Of the shape of `x`, of the dtype of both; of doubles where there is a dtype."""
    fact = matched(d, x)
    if dtype == Const(None) or fact.dtype is None:
        return fact
    return replace(fact, dtype=np.result_type(fact.dtype, np.float64))


def matched_pair(d: Atom, x: Atom, values: Atom) -> Fact:
    """One of the shape of `x`, one of that of `values`."""
    return Fact("tuple", items=(matched(d, x), matched(d, values)), cls=tuple)


def like_operands(d: Atom, operands: Atom) -> Fact:
    """A list, with an item of the shape of each operand."""
    given = fact_of_atom(operands).items
    if given is None:
        return Fact("list", cls=list)
    items = tuple(matched(d, Var("", f)) for f in given)
    return Fact("list", items=items, cls=list)


def like_joined(d: Atom, arrays: Atom) -> Fact:
    """A list, with an item of the shape of each array; of an array, one like it."""
    kind = fact_of_atom(arrays).kind
    if kind in ("list", "tuple"):
        return like_operands(d, arrays)
    return matched(d, arrays) if kind == "array" else UNKNOWN


def einsum_parts(d: Atom, operands: Atom) -> Fact:
    """The adjoints of the cotangent and of the operands."""
    items = (matched(d, d), like_operands(d, operands))
    return Fact("tuple", items=items, cls=tuple)


def like_arrays(d: Atom, arrays: Atom) -> Fact:
    """A list, with an item of the shape of each array."""
    return like_operands(d, arrays)


def arrays_parts(d: Atom, arrays: Atom) -> Fact:
    """The adjoints of the cotangent and of the arrays."""
    return einsum_parts(d, arrays)


def real_matched(d: Atom, x: Atom) -> Fact:
    """Of the shape of `x`, of the dtype of both, real."""
    fact = matched(d, x)
    if fact.dtype is None:
        return fact
    dtype = np.zeros(1, fact.dtype).real.dtype
    return Fact("array" if fact.kind == "array" else "real", dtype, fact.shape)


def like_d(d: Atom) -> Fact:
    """Of the shape and the type of `d`."""
    return fact_of_atom(d)


def like_value(value: Atom) -> Fact:
    """Of the shape and the type of `value`."""
    return fact_of_atom(value)


def like_x(x: Atom) -> Fact:
    """Of the shape of `x`."""
    return matched(x, x)


def like_s(s: Atom) -> Fact:
    """Of the shape of `s`."""
    return matched(s, s)


def like_vectors(dw: Atom, dv: Atom, w: Atom, v: Atom) -> Fact:
    """Of the shape of `v`, of the dtype of all."""
    known = _of_one_dtype(matched(dw, v), matched(w, v))
    return known if dv == Const(None) else _of_one_dtype(known, matched(dv, v))


def like_y(d: Atom, y: Atom) -> Fact:
    """Of the shape of `y`, of the dtype of both."""
    return matched(d, y)


def shaped_like_f(d: Atom, f: Atom) -> Fact:
    """Real, of the shape of `f`."""
    return _real_of_shape(f, d)


def shaped_like_p(d: Atom, p: Atom) -> Fact:
    """Real, of the shape of `p`."""
    return _real_of_shape(p, d)


def shaped_like_xp(d: Atom, xp: Atom) -> Fact:
    """Real, of the shape of `xp`."""
    return _real_of_shape(xp, d)


def _real_of_shape(x: Atom, *others: Atom) -> Fact:
    """What is real if all of these are, of the shape of the first."""
    shape = array_of(x).shape
    if any(may_be_complex(fact_of_atom(a)) for a in (x, *others)) or shape is None:
        return UNKNOWN
    return array_result(None, shape)


def like_u(d: Atom, u: Atom, v: Atom) -> Fact:
    """Of the shape of `u`."""
    return _of_one_dtype(matched(d, u), matched(d, v))


def like_v(d: Atom, u: Atom, v: Atom) -> Fact:
    """Of the shape of `v`."""
    return _of_one_dtype(matched(d, v), matched(d, u))


def _of_one_dtype(known: Fact, other: Fact) -> Fact:
    """What is known, but for its dtype where the other has another one."""
    if same_dtype(known.dtype, other.dtype) or known.is_complex:
        return known
    return replace(known, dtype=None)


def signed_fact(x: Atom) -> Fact:
    """Numbers of the shape of `x`, of which the type is not known."""
    known = fact_of_atom(x)
    return replace(known, dtype=None) if known.kind in ("array", "real") else UNKNOWN


def whole_number() -> Fact:
    """An int."""
    return INT


def untransposed(d: Atom, axes: Atom) -> Fact:
    """`untranspose(d, axes)`."""
    if array_of(d).rank == 0:  # it is d itself
        return fact_of_atom(d)
    if not known(axes):
        rank = array_of(d).rank
        return array_result(array_of(d).dtype, None if rank is None else (None,) * rank)
    order = value_of(axes)
    return transposed(d, Const(None if order is None else tuple(np.argsort(order))))


def real_like_fact(d: Atom, x: Atom) -> Fact:
    """`real_like(d, x)`."""
    fact = array_of(d)
    if fact.dtype is not None and fact.dtype.kind == "c":
        other = array_of(x).dtype
        if array_of(x).kind == "complex":
            return fact
        if other is None:
            return Fact("real", None, fact.shape)
        part = (
            np.zeros(1, fact.dtype)
            if other.kind == "c"
            else np.zeros(1, fact.dtype).real
        )
        if fact.kind != "array" and fact.shape == ():
            return Fact("scalar" if fact.kind == "scalar" else "real", part.dtype, ())
        return array_result(part.dtype, fact.shape)
    return fact
