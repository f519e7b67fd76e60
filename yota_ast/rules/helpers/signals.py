"""Rules of helpers that undo linear functions: the adjoint of each is the function.

What a helper takes for its shape alone, and what only says where, has no slope.
"""

from __future__ import annotations

import numpy as np

from yota_ast import runtime as rt
from yota_ast.rules.inference.helperfacts import (
    like_u,
    like_v,
    matched,
    matched_pair,
    matched_typed,
    real_matched,
    shaped_like_f,
    shaped_like_p,
    shaped_like_xp,
)
from yota_ast.rules.inference.spectra import spectrum_like
from yota_ast.rules.notation.rule import rule

BENT = "the slope of an interpolation changes with its knots by jumps"

# ---------------------------------------------------------------- interpolation, slopes


@rule(zero=["x", "period"], refused={"xp": BENT, "fp": BENT})
def interp_slope(x, xp, fp, period=None, *, dy):
    y = rt.interp_slope(x, xp, fp, period)


@rule(
    zero=["period"],
    linear=["d"],
    fact=shaped_like_xp,
    refused={"x": BENT, "xp": BENT},
)
def uninterp_values(d, x, xp, left=None, right=None, period=None, *, dy):
    y = rt.uninterp_values(d, x, xp, left, right, period)
    dd = rt.reinterp_values(dy, x, xp, left, right, period)


@rule(
    zero=["f", "order"],
    linear=["d"],
    sequences=["d", "spacing"],
    fact=shaped_like_f,
    refused={"spacing": "the second slope in the spacing has no rule"},
)
def ungradient(d, f, spacing, axis=None, order=1, *, dy):
    y = rt.ungradient(d, f, spacing, axis, order)
    dd = rt.gradients(dy, spacing, axis, order)


@rule(alias="maybe", zero=["axis", "first"], linear=["d"])
def without_first(d, axis, first, *, dy):
    y = rt.without_first(d, axis, first)
    dd = rt.with_first(dy, axis, first)


@rule(alias="maybe", zero=["x", "n", "axis"], linear=["d"])
def undiff_between(d, x, n, axis, before=None, after=None, *, dy):
    y = rt.undiff_between(d, x, n, axis, before, after)
    dd = rt.rediff_between(dy, n, axis)


# ---------------------------------------------------------------- convolutions


@rule(zero=["u"], linear=["d", "v"], fact=like_u)
def unconvolve_left(d, u, v, mode="full", *, dy):
    y = rt.unconvolve_left(d, u, v, mode)
    dd = np.convolve(dy, v, mode)
    dv = rt.unconvolve_right(d, dy, v, mode)


@rule(zero=["v"], linear=["d", "u"], fact=like_v)
def unconvolve_right(d, u, v, mode="full", *, dy):
    y = rt.unconvolve_right(d, u, v, mode)
    dd = np.convolve(u, dy, mode)
    du = rt.unconvolve_left(d, u, dy, mode)


@rule(zero=["u"], linear=["d", "v"], fact=like_u)
def uncorrelate_left(d, u, v, mode="valid", *, dy):
    y = rt.uncorrelate_left(d, u, v, mode)
    dd = np.correlate(dy, v, mode)
    dv = rt.uncorrelate_right(d, dy, v, mode)


@rule(zero=["v"], linear=["d", "u"], fact=like_v)
def uncorrelate_right(d, u, v, mode="valid", *, dy):
    y = rt.uncorrelate_right(d, u, v, mode)
    dd = np.correlate(u, dy, mode)
    du = rt.uncorrelate_left(d, u, dy, mode)


# ---------------------------------------------------------------- Fourier transforms


@rule(zero=["x", "axis"], linear=["d"], complex="written", fact=spectrum_like)
def unfft(d, x, axis=-1, norm=None, *, dy):
    y = rt.unfft(d, x, axis, norm)
    dd = np.fft.fft(dy, np.shape(d)[axis], axis, norm)


@rule(zero=["x", "axis"], linear=["d"], complex="written", fact=spectrum_like)
def unifft(d, x, axis=-1, norm=None, *, dy):
    y = rt.unifft(d, x, axis, norm)
    dd = np.fft.ifft(dy, np.shape(d)[axis], axis, norm)


@rule(zero=["x", "axis"], linear=["d"], complex="written", fact=real_matched)
def unrfft(d, x, n=None, axis=-1, norm=None, *, dy):
    y = rt.unrfft(d, x, n, axis, norm)
    dd = np.fft.rfft(dy, n, axis, norm)


@rule(zero=["x", "axis"], linear=["d"], complex="written", fact=spectrum_like)
def unirfft(d, x, axis=-1, norm=None, *, dy):
    y = rt.unirfft(d, x, axis, norm)
    dd = np.fft.irfft(dy, np.shape(d)[axis], axis, norm)


@rule(alias="maybe", zero=["x"], linear=["d"], complex="written", fact=spectrum_like)
def unfftn(d, x, s=None, axes=None, norm=None, *, dy):
    y = rt.unfftn(d, x, s, axes, norm)
    dd = np.fft.fftn(dy, s, axes, norm)


@rule(alias="maybe", zero=["x"], linear=["d"], complex="written", fact=spectrum_like)
def unifftn(d, x, s=None, axes=None, norm=None, *, dy):
    y = rt.unifftn(d, x, s, axes, norm)
    dd = np.fft.ifftn(dy, s, axes, norm)


@rule(zero=["x"], linear=["d"], complex="written", fact=real_matched)
def unrfftn(d, x, s=None, axes=None, norm=None, *, dy):
    y = rt.unrfftn(d, x, s, axes, norm)
    dd = np.fft.rfftn(dy, s, axes, norm)


@rule(zero=["x"], linear=["d"], complex="written", fact=spectrum_like)
def unirfftn(d, x, s=None, axes=None, norm=None, *, dy):
    y = rt.unirfftn(d, x, s, axes, norm)
    dd = np.fft.irfftn(dy, s, axes, norm)


# ---------------------------------------------------------------- polynomials


@rule(zero=["p"], linear=["d"], complex="holomorphic", fact=shaped_like_p)
def unpolyval(d, p, x, *, dy):
    y = rt.unpolyval(d, p, x)
    dd = np.polyval(dy, x)
    dx = d * np.polyval(np.polyder(dy), x)


@rule(zero=["u"], linear=["d", "v"], fact=like_u)
def unpolymul(d, u, v, *, dy):
    y = rt.unpolymul(d, u, v)
    dd = rt.tail(np.convolve(dy, v), d)
    dv = rt.unpolymul(d, v, dy)


@rule(zero=["x"], linear=["d"], complex="written", fact=matched)
def tail(d, x, *, dy):
    y = rt.tail(d, x)
    dd = rt.tail(dy, d)


@rule(zero=["p", "m"], linear=["d"], complex="written", fact=shaped_like_p)
def unpolyder(d, p, m=1, *, dy):
    y = rt.unpolyder(d, p, m)
    dd = np.polyder(dy, m)


# ---------------------------------------------------------------- arrays assembled


@rule(zero=["x", "places"], linear=["d"], complex="written", fact=matched)
def undelete(d, x, places, axis=None, *, dy):
    y = rt.undelete(d, x, places, axis)
    dd = np.delete(dy, places, axis)


@rule(
    zero=["x", "places", "values"],
    linear=["d"],
    complex="written",
    fact=matched_pair,
)
def uninsert(d, x, places, values, axis=None, *, dy):
    y = rt.uninsert(d, x, places, values, axis)
    dd = np.insert(dy[0], places, dy[1], axis)


@rule(zero=["x"], linear=["d"], complex="written", fact=matched)
def unresize(d, x, *, dy):
    y = rt.unresize(d, x)
    dd = np.resize(dy, np.shape(d))


@rule(
    alias="maybe",
    zero=["x", "pad_width", "mode", "odd"],
    linear=["d"],
    complex="written",
    fact=matched,
)
def unpad_picked(d, x, pad_width, mode, odd, *, dy):
    y = rt.unpad_picked(d, x, pad_width, mode, odd)
    dd = rt.pad_picked(dy, pad_width, mode, odd)


@rule(zero=["start", "stop", "num"], linear=["d"])
def unlinspace(d, start, stop, num=50, endpoint=True, *, dy):
    y = rt.unlinspace(d, start, stop, num, endpoint)
    dd = np.linspace(dy[0], dy[1], num, endpoint)


# ---------------------------------------------------------------- reductions


@rule(zero=["x", "dtype"], linear=["d"], complex="written", fact=matched_typed)
def unsum_where(d, x, axis=None, keepdims=False, where=True, dtype=None, *, dy):
    y = rt.unsum_where(d, x, axis, keepdims, where, dtype)
    sums = np.sum(
        np.where(where, rt.without_dtype(dy, dtype), 0), axis, keepdims=keepdims
    )
    dd = rt.unbroadcast(sums, d)


@rule(zero=["x", "y", "axis"], linear=["d"], fact=matched)
def unfollow(d, x, y, axis=0, *, dz):
    z = rt.unfollow(d, x, y, axis)
    dd = rt.follow(dz, x, y, axis)


@rule(alias="maybe", zero=["dtype"], linear=["d"], complex="written")
def without_dtype(d, dtype, *, dy):
    y = rt.without_dtype(d, dtype)
    dd = rt.without_dtype(dy, dtype)


@rule(zero=["x"], linear=["d"], complex="written", fact=matched)
def like(d, x, *, dy):
    """The gradient as it is returned."""
    y = rt.like(d, x)
    dd = rt.unbroadcast(dy, d)


# ---------------------------------------------------------------- complex numbers

TURNING = "how fast the direction of a complex number turns has no second slope here"


@rule(linear=["d"], complex="written", refused={"x": TURNING, "y": TURNING})
def unsign(d, x, y, *, dz):
    z = rt.unsign(d, x, y)
    dd = rt.unsign(dz, x, y)
