"""Facts of factorizations: ranks and dtypes; tuples of them.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 3), Dim("x.shape[1]", 0, 3))))
>>> svd_fact(x)
tuple[ndarray[float64, 2], ndarray[float64, 1], ndarray[float64, 2]]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.rules.inference.infer import evaluated_fact
from yota_ast.rules.inference.joins import is_real
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    dtype_of,
    known,
    reduced_shape,
    scalar_or_array,
    value_of,
)

_MATRIX = np.eye(1)
Dims = tuple[Dim | None, ...]


def _dims(x: Atom) -> tuple[Fact, Dims] | None:
    """The fact of a stack of matrices, and its axes, where they are known."""
    given = array_of(x)
    if not isinstance(given.shape, tuple) or len(given.shape) < 2:
        return None
    return given, given.shape


def _dtypes(given: Fact) -> tuple[Any, Any]:
    """The dtype of factors, and of what is real in them."""
    if given.dtype is None:
        return None, None
    whole = np.linalg.qr(_MATRIX.astype(given.dtype))[1].dtype
    return whole, np.zeros(1, whole).real.dtype


def unknown_fact() -> Fact:
    """Real or complex, as the values will have it."""
    return UNKNOWN


def eig_fact(x: Atom) -> Fact:
    """`np.linalg.eig`: of a real matrix real or complex, of a complex one complex."""
    found = _dims(x)
    example = np.linalg.eig(_MATRIX)
    if found is None or not found[0].is_complex:
        return _parts(example)
    whole, dims = _dtypes(found[0])[0], found[1]
    return _parts(example, array_result(whole, dims[:-1]), array_result(whole, dims))


def eigvals_fact(x: Atom) -> Fact:
    """`np.linalg.eigvals`: the same."""
    items = eig_fact(x).items
    return UNKNOWN if items is None else items[0]


def _parts(example: Any, *items: Fact) -> Fact:
    """A tuple as the example is; of its parts nothing is known but what is given."""
    return Fact("tuple", items=items or (UNKNOWN,) * len(example), cls=type(example))


def eigh_fact(x: Atom) -> Fact:
    """`np.linalg.eigh`."""
    found = _dims(x)
    example = np.linalg.eigh(_MATRIX)
    if found is None or found[0].dtype is None:
        return _parts(example)
    given, dims = found
    whole, real = _dtypes(given)
    return _parts(example, array_result(real, dims[:-1]), array_result(whole, dims))


def eigenvalues_fact(x: Atom) -> Fact:
    """`np.linalg.eigvalsh`."""
    found = _dims(x)
    if found is None:
        return Fact("array")
    return array_result(_dtypes(found[0])[1], found[1][:-1])


def singular_values(x: Atom) -> Fact:
    """`np.linalg.svdvals`."""
    found = _dims(x)
    if found is None:
        return Fact("array")
    given, dims = found
    square = dims[-1] is not None and dims[-1] == dims[-2]
    last = dims[-1] if square else None
    return array_result(_dtypes(given)[1], (*dims[:-2], last))


def svd_fact(x: Atom) -> Fact:
    """`np.linalg.svd`."""
    found = _dims(x)
    example = np.linalg.svd(_MATRIX)
    if found is None or found[0].dtype is None:
        return _parts(example)
    given, dims = found
    whole, _ = _dtypes(given)
    left = array_result(whole, (*dims[:-1], None))
    right = array_result(whole, (*dims[:-2], None, dims[-1]))
    return _parts(example, left, singular_values(x), right)


def qr_fact(x: Atom, mode: Atom) -> Fact:
    """`np.linalg.qr`."""
    if not known(mode):
        return UNKNOWN
    found, whole = _dims(x), value_of(mode) != "r"
    if found is None or found[0].dtype is None:
        return _parts(np.linalg.qr(_MATRIX)) if whole else UNKNOWN
    given, dims = found
    dtype, _ = _dtypes(given)
    right = array_result(dtype, (*dims[:-2], None, dims[-1]))
    if not whole:
        return right
    return _parts(np.linalg.qr(_MATRIX), array_result(dtype, (*dims[:-1], None)), right)


def factors_of(fn: Callable[..., Any]) -> Callable[[Atom], Fact]:
    """A function of SciPy that gives a pair for a matrix. For a stack it gives a list,
    and its adjoint is refused: where the rank is unknown it is that of a matrix."""

    def pair(x: Atom) -> Fact:
        if array_of(x).rank is None:
            return _parts(fn(_MATRIX))
        return evaluated_fact(fn, (x,))

    return pair


def solved_by_factors(factor: Atom, b: Atom) -> Fact:
    """`cho_solve` and `lu_solve`: of the shape of the right side."""
    items = fact_of_atom(factor).items
    return _like_right_side(items[0] if items else UNKNOWN, array_of(b))


def solved_by_bands(ab: Atom, b: Atom) -> Fact:
    """`solve_banded`: of the shape of the right side."""
    return _like_right_side(array_of(ab), array_of(b))


def _like_right_side(matrix: Fact, right: Fact) -> Fact:
    if matrix.dtype is None or right.dtype is None or matrix.rank != 2:
        return UNKNOWN
    dtype = np.linalg.solve(_MATRIX.astype(matrix.dtype), np.ones(1, right.dtype)).dtype
    return array_result(dtype, right.shape if right.rank in (1, 2) else None)


def lstsq_fact(a: Atom, b: Atom) -> Fact:
    """`np.linalg.lstsq`."""
    p, q = array_of(a), array_of(b)
    if p.dtype is None or q.dtype is None or q.rank is None:
        return _parts((0, 0, 0, 0))
    dtype = np.linalg.lstsq(_MATRIX.astype(p.dtype), np.ones(1, q.dtype))[0].dtype
    vector = array_result(np.zeros(1, dtype).real.dtype, (None,))
    found = array_result(dtype, (None,) * q.rank)
    return _parts((0, 0, 0, 0), found, vector, UNKNOWN, vector)


def scipy_lstsq_fact(a: Atom, b: Atom) -> Fact:
    """`scipy.linalg.lstsq`: what is left of one column is a number, or no number."""
    x, _, rank, s = lstsq_fact(a, b).items or ()
    return _parts((0, 0, 0, 0), x, UNKNOWN, rank, s)


def condition(x: Atom) -> Fact:
    """`np.linalg.cond`: a number for each matrix."""
    found = _dims(x)
    if found is None:
        return Fact("real")
    return scalar_or_array(_dtypes(found[0])[1], found[1][:-2])


def multiplied(arrays: Atom) -> Fact:
    """`np.linalg.multi_dot`."""
    return UNKNOWN


def vectors_product(u: Atom, v: Atom) -> Fact:
    """`np.vecdot`: the dtype of both."""
    a, b = array_of(u), array_of(v)
    if a.rank is None or b.rank is None:
        return UNKNOWN
    rank = max(a.rank, b.rank) - 1
    return scalar_or_array(dtype_of(np.vdot, a, b), (None,) * rank)


def vector_norm_fact(x: Atom, axis: Atom, keepdims: Atom) -> Fact:
    """`np.linalg.vector_norm`."""
    given = array_of(x)
    shape = reduced_shape(given.shape, axis, keepdims)
    return scalar_or_array(dtype_of(np.linalg.norm, given), shape)


def riccati_fact(a: Atom, b: Atom, q: Atom, r: Atom) -> Fact:
    """`solve_discrete_are`: a matrix like the first, in 64 bits."""
    state = array_of(a)
    reals = all(is_real(fact_of_atom(each)) for each in (a, b, q, r))
    return array_result(
        np.float64 if reals else None, state.shape if state.rank == 2 else (None, None)
    )
