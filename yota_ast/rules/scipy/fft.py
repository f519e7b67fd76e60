"""Transforms of `scipy.fft`, those by cosines and sines at the length of the signal;
those of `scipy.fftpack`, of which the inverses by cosines and sines are not normalised.

>>> fftpack.idct(fftpack.dct(np.array([1.0, 2.0]))) / 4
array([1., 2.])
"""

from __future__ import annotations

import numpy as np
from scipy import fft, fftpack

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom
from yota_ast.ops.result_memory import of_axes
from yota_ast.rules.inference.containers import always_int
from yota_ast.rules.inference.joins import same_shape
from yota_ast.rules.inference.pickings import half_window, window
from yota_ast.rules.inference.shapes import array_result
from yota_ast.rules.inference.spectra import (
    half_spectra,
    half_spectrum,
    signal_of_half,
    signal_of_halves,
    spectra,
    spectrum_along,
)
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    opposite,
    real_like,
    unbroadcast,
    unfft,
    unfftn,
    unifft,
    unifftn,
    unirfft,
    unirfftn,
    unrfft,
    unrfftn,
)
from yota_ast.runtime.scipy.cosine_adjoints import (
    inverse_type,
    swapped_norm,
    undct,
    undst,
)


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def dct(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fft.dct(x, type, n, axis, norm)
    dx = undct(dy, type, axis, norm)


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def idct(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fft.idct(x, type, n, axis, norm)
    dx = undct(dy, inverse_type(type), axis, swapped_norm(norm))


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def dst(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fft.dst(x, type, n, axis, norm)
    dx = undst(dy, type, axis, norm)


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def idst(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fft.idst(x, type, n, axis, norm)
    dx = undst(dy, inverse_type(type), axis, swapped_norm(norm))


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=spectrum_along)
def of_complex(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.fft(x, n, axis, norm)
    dx = real_like(unfft(dy, x, axis=axis, norm=norm), x)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=spectrum_along)
def ifft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.ifft(x, n, axis, norm)
    dx = real_like(unifft(dy, x, axis=axis, norm=norm), x)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=half_spectrum)
def rfft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.rfft(x, n, axis, norm)
    dx = unrfft(dy, x, n=n, axis=axis, norm=norm)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=signal_of_half)
def irfft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.irfft(x, n, axis, norm)
    dx = real_like(unirfft(dy, x, axis=axis, norm=norm), x)


@rule(zero=["n", "axis"], complex="written", fact=signal_of_half)
def hfft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.hfft(x, n, axis, norm)
    dx = real_like(np.conj(unirfft(dy, x, axis, opposite(norm))), x)


@rule(zero=["n", "axis"], complex="written", fact=half_spectrum)
def ihfft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.ihfft(x, n, axis, norm)
    dx = unrfft(np.conj(dy), x, n, axis, opposite(norm))


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def fft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = fft.fft2(x, s, axes, norm)
    dx = real_like(unfftn(dy, x, s, axes, norm), x)


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def ifft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = fft.ifft2(x, s, axes, norm)
    dx = real_like(unifftn(dy, x, s, axes, norm), x)


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def fftn(x, s=None, axes=None, norm=None, *, dy):
    y = fft.fftn(x, s, axes, norm)
    dx = real_like(unfftn(dy, x, s, axes, norm), x)


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def ifftn(x, s=None, axes=None, norm=None, *, dy):
    y = fft.ifftn(x, s, axes, norm)
    dx = real_like(unifftn(dy, x, s, axes, norm), x)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=half_spectra)
def rfft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = fft.rfft2(x, s, axes, norm)
    dx = unrfftn(dy, x, s, axes, norm)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=half_spectra)
def rfftn(x, s=None, axes=None, norm=None, *, dy):
    y = fft.rfftn(x, s, axes, norm)
    dx = unrfftn(dy, x, s, axes, norm)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=signal_of_halves)
def irfft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = fft.irfft2(x, s, axes, norm)
    dx = real_like(unirfftn(dy, x, s, axes, norm), x)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=signal_of_halves)
def irfftn(x, s=None, axes=None, norm=None, *, dy):
    y = fft.irfftn(x, s, axes, norm)
    dx = real_like(unirfftn(dy, x, s, axes, norm), x)


@rule(linear=["x"], zero=["axes"], complex="written", fact=same_shape)
def fftshift(x, axes=None, *, dy):
    y = fft.fftshift(x, axes)
    dx = fft.ifftshift(dy, axes)


@rule(linear=["x"], zero=["axes"], complex="written", fact=same_shape)
def ifftshift(x, axes=None, *, dy):
    y = fft.ifftshift(x, axes)
    dx = fft.fftshift(dy, axes)


# ---------------------------------------------------------------- frequencies


@rule(zero=["n"], fact=window)
def fftfreq(n, d=1.0, *, dy):
    y = fft.fftfreq(n, d)
    dd = -unbroadcast(dy * y / d, d)


@rule(zero=["n"], fact=half_window)
def rfftfreq(n, d=1.0, *, dy):
    y = fft.rfftfreq(n, d)
    dd = -unbroadcast(dy * y / d, d)


@rule(zero=["target"], fact=always_int)
def next_fast_len(target, real=False):
    y = fft.next_fast_len(target, real)


# ---------------------------------------------------------------- scipy.fftpack


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def dct_of_pack(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fftpack.dct(x, type, n, axis, norm)
    dx = undct(dy, type, axis, norm)


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def idct_of_pack(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fftpack.idct(x, type, n, axis, norm)
    dx = undct(dy, inverse_type(type), axis, norm)


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def dst_of_pack(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fftpack.dst(x, type, n, axis, norm)
    dx = undst(dy, type, axis, norm)


@rule(linear=["x"], zero=["type", "axis"], only={"n": (None,)}, fact=same_shape)
def idst_of_pack(x, type=2, n=None, axis=-1, norm=None, *, dy):
    y = fftpack.idst(x, type, n, axis, norm)
    dx = undst(dy, inverse_type(type), axis, norm)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=spectrum_along)
def fft_of_pack(x, n=None, axis=-1, *, dy):
    y = fftpack.fft(x, n, axis)
    dx = real_like(unfft(dy, x, axis=axis), x)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=spectrum_along)
def ifft_of_pack(x, n=None, axis=-1, *, dy):
    y = fftpack.ifft(x, n, axis)
    dx = real_like(unifft(dy, x, axis=axis), x)


def _spectra_of_pack(x: Atom, shape: Atom, axes: Atom) -> Fact:
    """Complex, along the axes as long as the signal, or the shape."""
    return spectra(x, shape, axes)


@rule(
    alias=of_axes, linear=["x"], zero=["shape", "axes"], complex="written",
    fact=_spectra_of_pack,
)  # fmt: skip
def fft2_of_pack(x, shape=None, axes=(-2, -1), *, dy):
    y = fftpack.fft2(x, shape, axes)
    dx = real_like(unfftn(dy, x, shape, axes), x)


@rule(
    alias=of_axes, linear=["x"], zero=["shape", "axes"], complex="written",
    fact=_spectra_of_pack,
)  # fmt: skip
def ifft2_of_pack(x, shape=None, axes=(-2, -1), *, dy):
    y = fftpack.ifft2(x, shape, axes)
    dx = real_like(unifftn(dy, x, shape, axes), x)


@rule(
    alias=of_axes, linear=["x"], zero=["shape", "axes"], complex="written",
    fact=_spectra_of_pack,
)  # fmt: skip
def fftn_of_pack(x, shape=None, axes=None, *, dy):
    y = fftpack.fftn(x, shape, axes)
    dx = real_like(unfftn(dy, x, shape, axes), x)


@rule(
    alias=of_axes, linear=["x"], zero=["shape", "axes"], complex="written",
    fact=_spectra_of_pack,
)  # fmt: skip
def ifftn_of_pack(x, shape=None, axes=None, *, dy):
    y = fftpack.ifftn(x, shape, axes)
    dx = real_like(unifftn(dy, x, shape, axes), x)


def _in_doubles(x: Atom) -> Fact:
    """An array of the shape of x, of floats of 64 bits whatever x holds."""
    return array_result(np.dtype(float), same_shape(x).shape)


@rule(linear=["x"], fact=_in_doubles)
def hilbert(x, *, dy):
    """Of a vector of real numbers: turned about, it has the other sign."""
    y = fftpack.hilbert(x)
    dx = -fftpack.hilbert(dy)


@rule(linear=["x"], fact=_in_doubles)
def ihilbert(x, *, dy):
    y = fftpack.ihilbert(x)
    dx = fftpack.hilbert(dy)
