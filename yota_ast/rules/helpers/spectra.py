"""Rules of helpers that undo spectral densities: each is linear in the cotangent, and
in the signal that is not undone.
"""

from __future__ import annotations

from scipy import signal

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.joins import is_real
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import real_like
from yota_ast.runtime.scipy import spectrum_adjoints as rt

SETTINGS = ["fs", "window", "nperseg", "noverlap", "nfft", "detrend", "axis"]


def like_signal(x: Atom) -> Fact:
    """A real signal, whatever the cotangent; of a signal of integers one of floats."""
    given = fact_of_atom(x)
    if not is_real(given):
        return UNKNOWN
    whole = given.dtype is not None and given.dtype.kind != "f"
    return replace(given, dtype=None) if whole else given


@rule(zero=["x", *SETTINGS], linear=["d", "v"], complex="written", fact=like_signal)
def uncsd_left(
    d, x, v, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None,
    detrend="constant", onesided=True, scaling="density", axis=-1, *, dy,
):  # fmt: skip
    y = rt.uncsd_left(
        d, x, v, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis
    )
    density = signal.csd(
        dy, v, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis
    )
    dd = real_like(density[1], d)
    dv = rt.uncsd_right(
        d, dy, v, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis
    )


@rule(zero=["v", *SETTINGS], linear=["d", "x"], complex="written", fact=like_signal)
def uncsd_right(
    d, x, v, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None,
    detrend="constant", onesided=True, scaling="density", axis=-1, *, dy,
):  # fmt: skip
    y = rt.uncsd_right(
        d, x, v, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis
    )
    density = signal.csd(
        x, dy, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis
    )
    dd = real_like(density[1], d)
    dx = rt.uncsd_left(
        d, x, dy, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis
    )
