"""Facts of polynomials by their coefficients.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Const, Var
>>> p = Var("p", array_fact("f8", (Dim("p.shape[0]", 0, 5),)))
>>> coefficients(p), evaluated(p, Const(2.0))
(ndarray[float64, 1], float64)
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.infer import COMPLEX_DTYPE, may_be_complex
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    dtype_of,
    scalar_or_array,
)


def coefficients(p: Atom) -> Fact:
    """A vector."""
    given = array_of(p)
    if (given.rank or 0) > 1:
        return UNKNOWN
    if may_be_complex(given):
        return array_result(COMPLEX_DTYPE, (None,)) if given.is_complex else UNKNOWN
    dtype = given.dtype if given.dtype == np.float64 else None
    return array_result(dtype, (None,))


def coefficients_of_both(u: Atom, v: Atom) -> Fact:
    """A vector."""
    a, b = array_of(u), array_of(v)
    if max(a.rank or 0, b.rank or 0) > 1:
        return UNKNOWN
    return array_result(dtype_of(np.multiply, a, b), (None,))


def evaluated(p: Atom, x: Atom) -> Fact:
    """`np.polyval`: of the shape of x."""
    a, b = array_of(p), array_of(x)
    if a.rank != 1 or not b.is_numeric or b.shape is None:
        return UNKNOWN
    return scalar_or_array(dtype_of(np.polyval, a, b), b.shape)


def evaluated_rising(c: Atom, x: Atom) -> Fact:
    """`np.polynomial.polynomial.polyval`."""
    return evaluated(c, x)


def fitted_fact(v: Atom) -> Fact:
    """`np.polyfit`: a vector, or one in each column."""
    given = array_of(v)
    if given.rank is None:
        return Fact("array")
    return array_result(None, (None,) * given.rank)


def powers_fact(x: Atom) -> Fact:
    """`np.vander`: a matrix."""
    given = array_of(x)
    length = given.shape[0] if isinstance(given.shape, tuple) and given.shape else None
    return array_result(
        given.dtype if given.dtype == np.float64 else None, (length, None)
    )
