"""Facts of Fourier transforms.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim, more, part, total
>>> from yota_ast.ir.atoms import Const, Var
>>> x = Var("x", array_fact("f4", (Dim("x.shape[0]", 0, 5),)))
>>> spectrum(x), whole_signal(x)
(ndarray[complex64, 1], ndarray[float32, 1])
>>> n, axis = Const(None), Const(-1)
>>> [str(d) for d in half_spectrum(x, n, axis).shape]
['(x.shape[0] // 2) + 1']
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import Dim, more, part, total
from yota_ast.rules.inference.infer import integer_of
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


def spectrum_along(x: Atom, n: Atom, axis: Atom) -> Fact:
    """Complex, as long as the signal, or n."""
    return _with_length(spectrum(x), x, axis, _taken(x, n, axis))


def half_spectrum(x: Atom, n: Atom, axis: Atom) -> Fact:
    """Complex, half as long as the signal, and one more."""
    length = _taken(x, n, axis)
    half = None if length is None else part(length, 2)
    return _with_length(spectrum(x), x, axis, half and more(half, 1))


def signal_of_half(x: Atom, n: Atom, axis: Atom) -> Fact:
    """Real, of n elements, or of twice those of the spectrum less one."""
    length = _taken(x, n, axis)
    if length is not None and n == Const(None):
        whole = total([(length, 2)])
        length = None if whole is None else more(whole, -2)
    return _with_length(whole_signal(x), x, axis, length)


def spectra(x: Atom, s: Atom) -> Fact:
    """Complex, of the shape of the signal, if no other is asked for."""
    known, shape = spectrum(x), array_of(x).shape
    is_whole = s == Const(None) and isinstance(known.shape, tuple)
    return known.with_shape(shape) if is_whole else known


def _taken(x: Atom, n: Atom, axis: Atom) -> Dim | None:
    """Return how much of a signal is transformed."""
    shape = array_of(x).shape
    if n != Const(None):
        length = integer_of(n)
        return length if isinstance(length, Dim) else None
    if not isinstance(shape, tuple) or not isinstance(axis, Const):
        return None
    k = axis.value
    return shape[k] if type(k) is int and -len(shape) <= k < len(shape) else None


def _with_length(known: Fact, x: Atom, axis: Atom, length: Dim | None) -> Fact:
    """Return a fact with the lengths of x, but for one."""
    shape = array_of(x).shape
    k = axis.value if isinstance(axis, Const) else None
    if not isinstance(shape, tuple) or not isinstance(known.shape, tuple):
        return known
    if type(k) is not int or not -len(shape) <= k < len(shape):
        return known
    k %= len(shape)
    return known.with_shape((*shape[:k], length, *shape[k + 1 :]))
