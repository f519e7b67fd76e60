"""Convolutions and filters of `scipy.signal`."""

from __future__ import annotations

import numpy as np
from scipy import signal

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.joins import is_real, same_shape
from yota_ast.rules.inference.shapes import array_of, array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import fitted, real_like, signed, unbroadcast
from yota_ast.runtime.scipy.filter_adjoints import (
    unchirp,
    unconvolve_arrays_left,
    unconvolve_arrays_right,
    uncorrelate_arrays_left,
    uncorrelate_arrays_right,
    unfiltfilt,
    unlfilter,
    unlinear,
    unsosfiltfilt,
    waves_back,
)
from yota_ast.runtime.scipy.image_adjoints import unpicked
from yota_ast.runtime.scipy.spectrum_adjoints import uncsd_left, uncsd_right

DESIGN = "the derivative in the coefficients of this filter has no rule"

FREQUENCIES = "the derivative in the frequencies has no rule"
SETTINGS = ["nperseg", "noverlap", "nfft", "axis"]


def _responses(b: Atom, a: Atom) -> Fact:
    """`signal.freqz`: frequencies, and complex numbers."""
    above, below = fact_of_atom(b), fact_of_atom(a)
    if not (is_real(above) and is_real(below)) or above.dtype != float:
        return UNKNOWN
    parts = (array_result(dtype, (None,)) for dtype in (float, complex))
    return Fact("tuple", items=tuple(parts), cls=tuple)


def _density(x: Atom) -> Fact:
    """`signal.welch`: frequencies, and a density for each."""
    given = array_of(x)
    known = is_real(fact_of_atom(x)) and given.dtype == float
    if not known or given.rank is None:
        return _with_frequencies(UNKNOWN)
    return _with_frequencies(array_result(float, (None,) * given.rank))


def _cross_density(x: Atom, v: Atom) -> Fact:
    """`signal.csd`: the same, of complex numbers."""
    one, other = ((_density(each).items or ())[1] for each in (x, v))
    if one.rank is None or one.rank != other.rank:
        return _with_frequencies(UNKNOWN)
    return _with_frequencies(array_result(complex, (None,) * one.rank))


def _with_frequencies(density: Fact) -> Fact:
    items = (array_result(float, (None,)), density)
    return Fact("tuple", items=items, cls=tuple)


def _filtered(b: Atom, a: Atom, x: Atom) -> Fact:
    """A signal of floats of 64 bits by real coefficients is one again, as long."""
    known = fact_of_atom(x)
    real = all(is_real(fact_of_atom(each)) for each in (b, a))
    return known if real and known.kind == "array" and known.dtype == float else UNKNOWN


def _in_sections(sos: Atom, x: Atom) -> Fact:
    """The same of a filter in sections."""
    return _filtered(sos, sos, x)


@rule(linear=["u", "v"])
def convolve(u, v, mode="full", method="auto", *, dy):
    y = signal.convolve(u, v, mode, method)
    du = unconvolve_arrays_left(dy, u, v, mode)
    dv = unconvolve_arrays_right(dy, u, v, mode)


@rule(linear=["u", "v"], also=[signal.oaconvolve], only={"axes": (None,)})
def fftconvolve(u, v, mode="full", axes=None, *, dy):
    y = signal.fftconvolve(u, v, mode, axes)
    du = unconvolve_arrays_left(dy, u, v, mode)
    dv = unconvolve_arrays_right(dy, u, v, mode)


@rule(
    linear=["u", "v"],
    zero=["fillvalue"],
    only={"boundary": ("fill",), "fillvalue": (0,)},
)
def convolve2d(u, v, mode="full", boundary="fill", fillvalue=0, *, dy):
    y = signal.convolve2d(u, v, mode, boundary, fillvalue)
    du = unconvolve_arrays_left(dy, u, v, mode)
    dv = unconvolve_arrays_right(dy, u, v, mode)


@rule(linear=["u", "v"])
def correlate(u, v, mode="full", method="auto", *, dy):
    y = signal.correlate(u, v, mode, method)
    du = uncorrelate_arrays_left(dy, u, v, mode)
    dv = uncorrelate_arrays_right(dy, u, v, mode)


@rule(
    linear=["u", "v"],
    zero=["fillvalue"],
    only={"boundary": ("fill",), "fillvalue": (0,)},
)
def correlate2d(u, v, mode="full", boundary="fill", fillvalue=0, *, dy):
    y = signal.correlate2d(u, v, mode, boundary, fillvalue)
    du = uncorrelate_arrays_left(dy, u, v, mode, 1)
    dv = uncorrelate_arrays_right(dy, u, v, mode, 1)


@rule(linear=["b", "x"], zero=["axis"], only={"zi": (None,)}, fact=_filtered)
def lfilter(b, a, x, axis=-1, zi=None, *, dy):
    """By the same filter, run backwards."""
    y = signal.lfilter(b, a, x, axis, zi)
    parts = unlfilter(dy, b, a, x, y, axis)
    db = parts[0]
    da = parts[1]
    dx = parts[2]


@rule(
    linear=["x"],
    zero=["axis"],
    refused={"sos": DESIGN},
    only={"zi": (None,)},
    fact=_in_sections,
)
def sosfilt(sos, x, axis=-1, zi=None, *, dy):
    """By the same filter, run backwards."""
    y = signal.sosfilt(sos, x, axis, zi)
    dx = np.flip(signal.sosfilt(sos, np.flip(dy, axis), axis), axis)


@rule(
    linear=["x"],
    zero=["axis", "padlen"],
    refused={"b": DESIGN, "a": DESIGN},
    only={"method": ("pad",), "irlen": (None,)},
    fact=_filtered,
)
def filtfilt(
    b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None, *, dy
):
    """By the same filter, run both ways again."""
    y = signal.filtfilt(b, a, x, axis, padtype, padlen, method, irlen)
    dx = unfiltfilt(dy, b, a, axis, padtype, padlen)


@rule(
    linear=["x"],
    zero=["axis", "padlen"],
    refused={"sos": DESIGN},
    fact=_in_sections,
)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None, *, dy):
    """By the same filter, run both ways again."""
    y = signal.sosfiltfilt(sos, x, axis, padtype, padlen)
    dx = unsosfiltfilt(dy, sos, axis, padtype, padlen)


@rule(
    linear=["x"],
    zero=["up", "down", "axis"],
    refused={"window": DESIGN},
    only={"padtype": ("constant",), "cval": (None,)},
)
def resample_poly(
    x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None, *, dy
):
    """By the matrix of the operation."""
    y = signal.resample_poly(x, up, down, axis, window, padtype, cval)
    matrix = signal.resample_poly(
        np.eye(np.shape(x)[axis]), up, down, window=window, padtype=padtype
    )
    dx = unlinear(dy, matrix, axis)


@rule(linear=["x"], zero=["axis", "bp"], fact=same_shape)
def detrend(x, axis=-1, type="linear", bp=0, *, dy):
    """A projection, its own adjoint."""
    y = signal.detrend(x, axis, type, bp)
    dx = signal.detrend(dy, axis, type, bp)


@rule(linear=["x"], zero=["axis"], only={"N": (None,)}, complex="written")
def hilbert(x, N=None, axis=-1, *, dy):
    """Of real signals, as SciPy demands."""
    y = signal.hilbert(x, N, axis)
    dx = np.real(dy) - np.imag(signal.hilbert(np.imag(dy), axis=axis))


@rule(linear=["x"], zero=["N", "axis"], complex="written")
def hilbert_of_length(x, N, axis=-1, *, dy):
    """Of a signal that is cut, or has zeros behind it."""
    y = signal.hilbert(x, N, axis)
    d = np.real(dy) - np.imag(signal.hilbert(np.imag(dy), axis=axis))
    dx = fitted(d, x, [axis])


@rule(
    linear=["x"],
    zero=["num", "axis"],
    refused={"window": DESIGN},
    only={"t": (None,), "domain": ("time",)},
)
def resample(x, num, t=None, axis=0, window=None, domain="time", *, dy):
    """By the matrix of the operation."""
    y = signal.resample(x, num, t, axis, window, domain)
    dx = unlinear(
        dy, signal.resample(np.eye(np.shape(x)[axis]), num, window=window), axis
    )


@rule(
    linear=["x"],
    zero=["window_length", "polyorder", "deriv", "axis", "cval"],
    only={"cval": (0.0,)},
)
def savgol_filter(
    x,
    window_length,
    polyorder,
    deriv=0,
    delta=1.0,
    axis=-1,
    mode="interp",
    cval=0.0,
    *,
    dy,
):
    """By the matrix of the operation."""
    y = signal.savgol_filter(
        x, window_length, polyorder, deriv, delta, axis, mode, cval
    )
    matrix = signal.savgol_filter(
        np.eye(np.shape(x)[axis]), window_length, polyorder, deriv, delta, 0, mode
    )
    dx = unlinear(dy, matrix, axis)
    ddelta = -signed(deriv) * np.sum(dy * y) / delta


@rule(only={"method": ("linear", "lin", "li"), "complex": (False,)})
def chirp(
    t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False, dy
):
    """The frequency is `f0` at 0 and `f1` at `t1`; `phi` is in degrees."""
    y = signal.chirp(t, f0, t1, f1, method, phi, vertex_zero, complex=complex)
    both = unchirp(dy, t, f0, t1, f1, phi)
    dt = both[0]
    df0 = both[1]
    dt1 = both[2]
    df1 = both[3]
    dphi = both[4]


@rule(
    zero=["whole", "include_nyquist"],
    refused={"worN": FREQUENCIES, "fs": FREQUENCIES},
    only={"plot": (None,)},
    complex="written",
    fact=_responses,
)
def freqz(
    b, a=1, worN=512, whole=False, plot=None, fs=2 * np.pi, include_nyquist=False, *, dy
):
    """A quotient of polynomials on the unit circle."""
    y = signal.freqz(b, a, worN, whole, plot, fs, include_nyquist)
    turns = 2 * np.pi / fs * y[0]
    above = waves_back(turns, b)
    below = waves_back(turns, a)
    dh = dy[1] / (below @ np.conj(np.atleast_1d(a)))
    db = unbroadcast(real_like(dh @ above, b), b)
    da = unbroadcast(real_like(-(dh * np.conj(y[1])) @ below, a), a)


@rule(zero=["c"], complex="written")
def angles_back(turns, c, *, dy):
    y = waves_back(turns, c)
    dturns = np.imag(dy * np.conj(y)) @ np.arange(np.size(c), dtype=turns.dtype)


@rule(
    zero=SETTINGS,
    refused={"fs": FREQUENCIES, "window": DESIGN},
    only={"average": ("mean",), "detrend": ("constant", "linear", False)},
    fact=_density,
)
def welch(
    x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None,
    detrend="constant", return_onesided=True, scaling="density", axis=-1,
    average="mean", *, dy,
):  # fmt: skip
    """Of real signals."""
    y = signal.welch(
        x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
        average,
    )  # fmt: skip
    dx = 2 * uncsd_left(
        dy[1], x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
        scaling, axis,
    )  # fmt: skip


@rule(
    zero=SETTINGS,
    refused={"fs": FREQUENCIES, "window": DESIGN},
    only={"average": ("mean",), "detrend": ("constant", "linear", False)},
    complex="written",
    fact=_cross_density,
)
def csd(
    x, v, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None,
    detrend="constant", return_onesided=True, scaling="density", axis=-1,
    average="mean", *, dy,
):  # fmt: skip
    """Of real signals."""
    y = signal.csd(
        x, v, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
        axis, average,
    )  # fmt: skip
    dx = uncsd_left(
        dy[1], x, v, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
        scaling, axis,
    )  # fmt: skip
    dv = uncsd_right(
        dy[1], x, v, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
        scaling, axis,
    )  # fmt: skip


@rule(zero=["kernel_size"], fact=same_shape)
def medfilt(x, kernel_size=3, *, dy):
    """The element in the middle, of windows with 0 beyond the edges."""
    y = signal.medfilt(x, kernel_size)
    dx = unpicked(dy, x, y, kernel_size, None, "constant")
