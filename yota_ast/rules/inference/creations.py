"""Facts of arrays that are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import UNKNOWN, Fact, Shape
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.rules.inference.dims import broadcast
from yota_ast.rules.inference.infer import COMPLEX_DTYPE, stand_in
from yota_ast.rules.inference.layouts import as_array, cast_fact, dtype_argument
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    known,
    length_argument,
    shape_argument,
    value_of,
)

_FLOAT = np.dtype(float)


def array_fact_of(x: Atom, dtype: Atom) -> Fact:
    """`np.array(x, dtype)`, also of lists of which only the length is known."""
    given = array_of(x)
    if given.kind in ("list", "tuple", "unknown"):
        return Fact("array", dtype_argument(dtype, None)) if known(dtype) else UNKNOWN
    return _no_scalar(cast_fact(x, dtype))


def contiguous_fact(x: Atom, dtype: Atom) -> Fact:
    """`np.ascontiguousarray(x, dtype)`: some of its kind give one axis at least."""
    fact = array_fact_of(x, dtype)
    return fact.with_shape(None) if fact.shape == () else fact


def _no_scalar(fact: Fact) -> Fact:
    """What NumPy makes an array of: of a number one without axes."""
    return replace(fact, kind="array") if fact.kind == "scalar" else fact


def shaped(shape: Atom, dtype: Atom) -> Fact:
    """`np.zeros(shape, dtype)`: lengths that are variables stay unknown."""
    return array_result(dtype_argument(dtype, _FLOAT), shape_argument(shape))


def like_fact(x: Atom, dtype: Atom, shape: Atom) -> Fact:
    """`np.zeros_like(x, dtype, shape=shape)`."""
    fact = _no_scalar(cast_fact(x, dtype))
    if known(shape) and value_of(shape) is None:
        return fact
    return array_result(fact.dtype, shape_argument(shape))


def filled_fact(shape: Atom, value: Atom) -> Fact:
    """`np.full(shape, value)`."""
    return full_fact(shape, value, Const(None))


def full_fact(shape: Atom, value: Atom, dtype: Atom) -> Fact:
    """`np.full(shape, value, dtype)`."""
    filled = as_array(value)
    return array_result(dtype_argument(dtype, filled.dtype), shape_argument(shape))


def full_like_fact(x: Atom, dtype: Atom) -> Fact:
    """`np.full_like(x, value, dtype)`."""
    return _no_scalar(cast_fact(x, dtype))


def full_like_shaped_fact(x: Atom, dtype: Atom, shape: Atom) -> Fact:
    """`np.full_like(x, value, dtype, shape=shape)`."""
    return array_result(cast_fact(x, dtype).dtype, shape_argument(shape))


def linspace_fact(start: Atom, stop: Atom, num: Atom) -> Fact:
    """`np.linspace(start, stop, num)` of numbers."""
    ends = [array_of(start), array_of(stop)]
    if not all(f.is_scalar for f in ends):
        return Fact("array")
    dtype = COMPLEX_DTYPE if any(f.is_complex for f in ends) else None
    if all(f.dtype is not None or f.is_python for f in ends):
        dtype = np.linspace(stand_in(ends[0]), stand_in(ends[1]), 2).dtype
    return array_result(dtype, (length_argument(num),))


def eye_fact(n: Atom, m: Atom, dtype: Atom) -> Fact:
    """`np.eye(n, m, dtype=dtype)`."""
    second = n if value_of(m) is None and known(m) else m
    shape: Shape = (length_argument(n), length_argument(second))
    return array_result(dtype_argument(dtype, _FLOAT), shape)


def identity_fact(n: Atom, dtype: Atom) -> Fact:
    """`np.identity(n, dtype)`."""
    return eye_fact(n, n, dtype)


def tri_fact(n: Atom, m: Atom, dtype: Atom) -> Fact:
    """`np.tri(n, m, dtype=dtype)`."""
    return eye_fact(n, m, dtype)


def arange_fact(stop: Atom, dtype: Atom) -> Fact:
    """`np.arange(stop)`: of an int, ints, as many as it says."""
    given = dtype_argument(dtype, _number_dtype(stop))
    whole = fact_of_atom(stop).kind == "int"
    return array_result(given, shape_argument(stop) if whole else (None,))


def arange_from_fact(start: Atom, stop: Atom, dtype: Atom) -> Fact:
    """`np.arange(start, stop)`."""
    return _ranged([start, stop], dtype)


def arange_by_fact(start: Atom, stop: Atom, step: Atom, dtype: Atom) -> Fact:
    """`np.arange(start, stop, step)`."""
    return _ranged([start, stop, step], dtype)


def _ranged(numbers: list[Atom], dtype: Atom) -> Fact:
    dtypes = [_number_dtype(n) for n in numbers]
    known_dtypes = [d for d in dtypes if d is not None]
    complete = len(known_dtypes) == len(dtypes)
    together = np.result_type(*known_dtypes) if complete else None
    return array_result(dtype_argument(dtype, together), (None,))


def _number_dtype(n: Atom) -> np.dtype[Any] | None:
    fact = fact_of_atom(n)
    if fact.kind in ("int", "bool"):
        return np.arange(1).dtype
    return _FLOAT if fact.kind == "float" or fact.dtype == np.float64 else None


def generator_fact() -> Fact:
    """`np.random.default_rng(seed)`."""
    return Fact("other", cls=np.random.Generator)


def random_state_fact() -> Fact:
    """`np.random.RandomState(seed)`."""
    return Fact("other", cls=np.random.RandomState)


def random_fact(size: Atom) -> Fact:
    """A float without `size`, else an array of that shape."""
    if known(size) and value_of(size) is None:
        return Fact("float", shape=())
    return array_result(_FLOAT, shape_argument(size))


def random_of(shape: tuple[Atom, ...]) -> Fact:
    """`np.random.rand(2, 3)`."""
    if not shape:
        return Fact("float", shape=())
    return array_result(_FLOAT, tuple(length_argument(n) for n in shape))


def random_between(a: Atom, b: Atom, size: Atom) -> Fact:
    """A draw for each element of two parameters, or `size` of them."""
    if known(size) and value_of(size) is None:
        shape = broadcast([array_of(a).shape, array_of(b).shape])
        if shape == ():
            return Fact("float", shape=())
        rank = len(shape) if isinstance(shape, tuple) else 0
        return Fact("array" if rank else "real", _FLOAT, shape)
    return array_result(_FLOAT, shape_argument(size))


def normal_fact(loc: Atom, scale: Atom, size: Atom) -> Fact:
    """`rng.normal(loc, scale, size)`."""
    return random_between(loc, scale, size)


def uniform_fact(low: Atom, high: Atom, size: Atom) -> Fact:
    """`rng.uniform(low, high, size)`."""
    return random_between(low, high, size)
