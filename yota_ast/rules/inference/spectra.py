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
from yota_ast.rules.inference.shapes import array_of, array_result, shape_argument


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


def spectra(x: Atom, s: Atom, axes: Atom) -> Fact:
    """Complex, along the axes as long as the signal, or s."""
    known, shape = spectrum(x), array_of(x).shape
    if s == Const(None) and isinstance(known.shape, tuple):
        return known.with_shape(shape)
    taken = _all_taken(x, s, axes)
    return known if taken is None else known.with_shape(taken[0])


def half_spectra(x: Atom, s: Atom, axes: Atom) -> Fact:
    """Complex, along the last of the axes half as long and one more."""
    known, taken = spectrum(x), _all_taken(x, s, axes)
    if taken is None:
        return known
    shape, last = list(taken[0]), taken[1]
    length = shape[last]
    half = None if length is None else part(length, 2)
    shape[last] = half and more(half, 1)
    return known.with_shape(tuple(shape))


def signal_of_halves(x: Atom, s: Atom, axes: Atom) -> Fact:
    """Real, along the axes as long as s, or as the spectrum: along the last of them
    twice that, less two."""
    known, taken = whole_signal(x), _all_taken(x, s, axes)
    if taken is None:
        return known
    shape, last = list(taken[0]), taken[1]
    length = shape[last]
    if length is not None and s == Const(None):
        whole = total([(length, 2)])
        shape[last] = None if whole is None else more(whole, -2)
    return known.with_shape(tuple(shape))


def spectrum_like(d: Atom, x: Atom) -> Fact:
    """Complex, of the shape of x."""
    known = spectrum(d)
    return known if known.kind == "unknown" else known.with_shape(array_of(x).shape)


def _all_taken(
    x: Atom, s: Atom, axes: Atom
) -> tuple[tuple[Dim | None, ...], int] | None:
    """The lengths of what is transformed along several axes, and the last of these."""
    shape = array_of(x).shape
    if not isinstance(shape, tuple) or not isinstance(axes, Const):
        return None
    given = (None,) * len(shape) if s == Const(None) else shape_argument(s)
    if not isinstance(given, tuple):
        return None
    count = len(given)
    places = range(-count, 0) if axes.value is None else axes.value
    if not isinstance(places, range | tuple | list) or not places:
        return None
    if not all(type(k) is int and -len(shape) <= k < len(shape) for k in places):
        return None
    lengths = dict(enumerate(shape))
    where = [k % len(shape) for k in places]
    if s != Const(None):
        lengths |= dict(zip(where, given, strict=False))
    return tuple(lengths.values()), where[-1]


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
