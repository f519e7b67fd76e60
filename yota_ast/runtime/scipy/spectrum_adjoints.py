"""The spectral densities of `scipy.signal` undone: quadratic forms of segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

Array = Any


def window_of(window: Any, nperseg: Any, length: int) -> Array:
    """The weights of the elements of a segment."""
    if not isinstance(window, (str, tuple)):
        return np.asarray(window)
    return signal.get_window(window, min(256 if nperseg is None else nperseg, length))


def transformed(
    x: Array, weights: Array, step: int, nfft: int, detrend: Any, onesided: bool
) -> Array:
    """The Fourier transform of each segment along the last axis."""
    parts = np.lib.stride_tricks.sliding_window_view(x, len(weights), -1)
    parts = parts[..., ::step, :]
    if detrend:
        parts = signal.detrend(parts, type=detrend)
    if onesided:
        return np.fft.rfft(parts * weights, nfft)
    return np.fft.fft(parts * weights, nfft)


def untransformed(
    d: Array, x: Array, weights: Array, step: int, nfft: int, detrend: Any
) -> Array:
    """The adjoint of a real signal in the transforms of its segments."""
    parts = np.real(np.fft.fft(np.conj(d), nfft))[..., : len(weights)] * weights
    if detrend:
        parts = signal.detrend(parts, type=detrend)
    dx = np.zeros_like(x, parts.dtype)
    for k in range(np.shape(d)[-2]):
        dx[..., k * step : k * step + len(weights)] += parts[..., k, :]
    return dx


def scale_of(
    weights: Array, fs: float, nfft: int, onesided: bool, scaling: str
) -> Array:
    """What the squares of a transform are multiplied by, for each frequency."""
    if scaling == "density":
        scale = 1 / (fs * np.sum(weights * weights))
    else:
        scale = 1 / np.sum(weights) ** 2
    if not onesided:
        return np.full(nfft, scale)
    scales = np.full(nfft // 2 + 1, 2 * scale)
    scales[0] = scale
    if nfft % 2 == 0:
        scales[-1] = scale
    return scales


def uncsd_left(
    dy: Array, x: Array, v: Array, fs: float = 1.0, window: Any = "hann",
    nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", onesided: bool = True, scaling: str = "density",
    axis: int = -1,
) -> Array:  # fmt: skip
    """The adjoint of `x` in `csd(x, v, ...)[1]`, of real signals of one shape."""
    if np.shape(x) != np.shape(v):
        raise ValueError("the gradient needs two signals of the same shape")
    if np.iscomplexobj(v):
        raise ValueError("no gradient of the spectral density of complex signals")
    if np.size(v) == 0:
        return np.zeros(np.shape(v))
    v = np.moveaxis(np.asarray(v), axis, -1)
    weights = window_of(window, nperseg, np.shape(v)[-1])
    size = len(weights)
    step = size - (size // 2 if noverlap is None else noverlap)
    nfft = size if nfft is None else nfft
    right = transformed(v, weights, step, nfft, detrend, onesided)
    d = np.moveaxis(dy, axis, -1) * scale_of(weights, fs, nfft, onesided, scaling)
    d = np.expand_dims(np.conj(d) / np.shape(right)[-2], -2)
    dx = untransformed(d * right, v, weights, step, nfft, detrend)
    return np.moveaxis(dx, -1, axis)


def uncsd_right(
    dy: Array, x: Array, v: Array, fs: float = 1.0, window: Any = "hann",
    nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", onesided: bool = True, scaling: str = "density",
    axis: int = -1,
) -> Array:  # fmt: skip
    """The adjoint of `v` in `csd(x, v, ...)[1]`: each is the conjugate of the other."""
    return uncsd_left(
        np.conj(dy), v, x, fs, window, nperseg, noverlap, nfft, detrend, onesided,
        scaling, axis,
    )  # fmt: skip
