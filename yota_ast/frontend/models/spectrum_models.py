"""Spectral densities of `scipy.signal` in terms of others, as SciPy computes them.

>>> import numpy as np
>>> coherence(np.arange(8.0), np.arange(8.0) ** 2, nperseg=4)[1].round(2)
array([0.77, 0.84, 1.  ])
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import signal

Array = Any


def periodogram(
    x: Array, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, **settings: Any
) -> Any:
    """The density of one segment, which is as long as the signal."""
    axis = settings.get("axis", -1)
    length = np.shape(x)[axis]
    if nfft is None:
        nfft = length
    if nfft < length:
        x = np.take(x, np.arange(nfft), axis)
        length = nfft
    return signal.welch(
        x,
        fs=fs,
        window="boxcar" if window is None else window,
        nperseg=length,
        noverlap=0,
        nfft=nfft,
        **settings,
    )


def coherence(
    x: Array,
    y: Array,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    axis: int = -1,
) -> Any:
    """The square of the cross density by those of both."""
    settings = (fs, window, nperseg, noverlap, nfft, detrend)
    freqs, of_x = signal.welch(x, *settings, axis=axis)
    of_y = signal.welch(y, *settings, axis=axis)[1]
    of_both = signal.csd(x, y, *settings, axis=axis)[1]
    return freqs, np.abs(of_both) ** 2 / of_x / of_y


MODELS: Final = {f.__name__: f for f in (periodogram, coherence)}
