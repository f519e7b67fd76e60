"""Facts of Fourier transforms: rank and dtype; lengths are not followed.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f4", (Dim("x.shape[0]", 0, 5),)))
>>> spectrum(x), whole_signal(x)
(ndarray[complex64, 1], ndarray[float32, 1])
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.shapes import array_of, array_result


def _of(x: Atom, *, real: bool) -> Fact:
    given = array_of(x)
    if given.shape == ():  # along no axis at all NumPy hands back what it is given
        return UNKNOWN
    single = given.dtype in (np.float32, np.complex64)
    known = given.dtype is not None or given.is_python
    half = np.dtype(np.float32 if single else np.float64)
    whole = np.dtype(np.complex64 if single else np.complex128)
    shape = None if given.rank is None else (None,) * given.rank
    dtype = half if real else whole
    if given.dtype == np.float16:
        return array_result(None, shape) if real else UNKNOWN
    if not known and given.kind in ("array", "real"):
        return array_result(None, shape) if real else Fact("real", whole, shape)
    if not known:
        return array_result(None, shape) if real else UNKNOWN
    return array_result(dtype, shape)


def spectrum(x: Atom) -> Fact:
    """Complex."""
    return _of(x, real=False)


def whole_signal(x: Atom) -> Fact:
    """Real."""
    return _of(x, real=True)
