"""Fourier transforms of NumPy, in every length, axis and scaling."""

from __future__ import annotations

import numpy as np

from yota_ast.ops.result_memory import of_axes
from yota_ast.rules.inference.joins import same_shape
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
    unfft,
    unfftn,
    unifft,
    unifftn,
    unirfft,
    unirfftn,
    unrfft,
    unrfftn,
)

# ---------------------------------------------------------------- along one axis


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=spectrum_along)
def of_complex(x, n=None, axis=-1, norm=None, *, dy):
    y = np.fft.fft(x, n, axis, norm)
    dx = real_like(unfft(dy, x, axis=axis, norm=norm), x)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=spectrum_along)
def ifft(x, n=None, axis=-1, norm=None, *, dy):
    y = np.fft.ifft(x, n, axis, norm)
    dx = real_like(unifft(dy, x, axis=axis, norm=norm), x)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=half_spectrum)
def rfft(x, n=None, axis=-1, norm=None, *, dy):
    y = np.fft.rfft(x, n, axis, norm)
    dx = unrfft(dy, x, n=n, axis=axis, norm=norm)


@rule(linear=["x"], zero=["n", "axis"], complex="written", fact=signal_of_half)
def irfft(x, n=None, axis=-1, norm=None, *, dy):
    y = np.fft.irfft(x, n, axis, norm)
    dx = real_like(unirfft(dy, x, axis=axis, norm=norm), x)


@rule(zero=["n", "axis"], complex="written", fact=signal_of_half)
def hfft(x, n=None, axis=-1, norm=None, *, dy):
    y = np.fft.hfft(x, n, axis, norm)
    dx = real_like(np.conj(unirfft(dy, x, axis, opposite(norm))), x)


@rule(zero=["n", "axis"], complex="written", fact=half_spectrum)
def ihfft(x, n=None, axis=-1, norm=None, *, dy):
    y = np.fft.ihfft(x, n, axis, norm)
    dx = unrfft(np.conj(dy), x, n, axis, opposite(norm))


# ---------------------------------------------------------------- along several


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def fft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = np.fft.fft2(x, s, axes, norm)
    dx = real_like(unfftn(dy, x, s, axes, norm), x)


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def ifft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = np.fft.ifft2(x, s, axes, norm)
    dx = real_like(unifftn(dy, x, s, axes, norm), x)


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def fftn(x, s=None, axes=None, norm=None, *, dy):
    y = np.fft.fftn(x, s, axes, norm)
    dx = real_like(unfftn(dy, x, s, axes, norm), x)


@rule(alias=of_axes, linear=["x"], zero=["s", "axes"], complex="written", fact=spectra)
def ifftn(x, s=None, axes=None, norm=None, *, dy):
    y = np.fft.ifftn(x, s, axes, norm)
    dx = real_like(unifftn(dy, x, s, axes, norm), x)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=half_spectra)
def rfft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = np.fft.rfft2(x, s, axes, norm)
    dx = unrfftn(dy, x, s, axes, norm)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=half_spectra)
def rfftn(x, s=None, axes=None, norm=None, *, dy):
    y = np.fft.rfftn(x, s, axes, norm)
    dx = unrfftn(dy, x, s, axes, norm)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=signal_of_halves)
def irfft2(x, s=None, axes=(-2, -1), norm=None, *, dy):
    y = np.fft.irfft2(x, s, axes, norm)
    dx = real_like(unirfftn(dy, x, s, axes, norm), x)


@rule(linear=["x"], zero=["s", "axes"], complex="written", fact=signal_of_halves)
def irfftn(x, s=None, axes=None, norm=None, *, dy):
    y = np.fft.irfftn(x, s, axes, norm)
    dx = real_like(unirfftn(dy, x, s, axes, norm), x)


# ---------------------------------------------------------------- shifted


@rule(linear=["x"], zero=["axes"], complex="written", fact=same_shape)
def fftshift(x, axes=None, *, dy):
    y = np.fft.fftshift(x, axes)
    dx = np.fft.ifftshift(dy, axes)


@rule(linear=["x"], zero=["axes"], complex="written", fact=same_shape)
def ifftshift(x, axes=None, *, dy):
    y = np.fft.ifftshift(x, axes)
    dx = np.fft.fftshift(dy, axes)
