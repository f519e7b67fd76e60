"""Transforms of `scipy.fft` along one axis, at the length of the signal."""

from __future__ import annotations

from scipy import fft

from ..runtime import real_like
from ..runtime.cosines import (
    inverse_type,
    swapped_norm,
    undct,
    undst,
    unirfft,
    unrfft,
)
from .inference.joins import same_shape
from .rule import rule


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


@rule(linear=["x"], zero=["axis"], only={"n": (None,)}, complex="written")
def of_complex(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.fft(x, n, axis, norm)
    dx = real_like(fft.ifft(dy, n, axis, swapped_norm(norm)), x)


@rule(linear=["x"], zero=["axis"], only={"n": (None,)}, complex="written")
def ifft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.ifft(x, n, axis, norm)
    dx = real_like(fft.fft(dy, n, axis, swapped_norm(norm)), x)


@rule(linear=["x"], zero=["axis"], only={"n": (None,)}, complex="written")
def rfft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.rfft(x, n, axis, norm)
    dx = unrfft(dy, x, axis, norm)


@rule(linear=["x"], zero=["n", "axis"], complex="written")
def irfft(x, n=None, axis=-1, norm=None, *, dy):
    y = fft.irfft(x, n, axis, norm)
    dx = real_like(unirfft(dy, x, axis, norm), x)


@rule(linear=["x"], zero=["axes"], complex="written")
def fftshift(x, axes=None, *, dy):
    y = fft.fftshift(x, axes)
    dx = fft.ifftshift(dy, axes)


@rule(linear=["x"], zero=["axes"], complex="written")
def ifftshift(x, axes=None, *, dy):
    y = fft.ifftshift(x, axes)
    dx = fft.fftshift(dy, axes)
