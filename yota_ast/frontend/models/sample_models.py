"""Statistics of samples, of `scipy.stats`, in terms of others, as SciPy computes them.

>>> import numpy as np
>>> float(median_abs_deviation(np.array([1.0, 2.0, 4.0, 9.0])))
1.5
"""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from scipy import special, stats

Array = Any


def median_abs_deviation(
    x: Array,
    axis: int | None = 0,
    center: Any = np.median,
    scale: Any = 1.0,
) -> Array:
    """The median of the distances from the median."""
    if axis is None:
        x, axis = np.ravel(x), 0
    if scale == "normal":
        scale = 0.6744897501960817
    middle = np.median if center is None else center
    distances = np.abs(x - np.expand_dims(middle(x, axis=axis), axis))
    return np.median(distances, axis=axis) / scale


def trim_mean(a: Array, proportiontocut: float, axis: int | None = 0) -> Array:
    """The mean without as many of the smallest and of the largest."""
    if axis is None:
        a, axis = np.ravel(a), 0
    count = np.shape(a)[axis]
    cut = int(proportiontocut * count)
    if cut > count - cut:
        raise ValueError("Proportion too big.")
    parted = np.partition(a, (cut, count - cut - 1), axis)
    if axis == 0:
        return np.mean(parted[cut : count - cut], axis=0)
    return np.mean(np.take(parted, np.arange(cut, count - cut), axis), axis=axis)


def scoreatpercentile(a: Array, per: float) -> Array:
    """What so many percent of all numbers are below."""
    if not 0 <= per <= 100:
        raise ValueError("percentile must be in the range [0, 100]")
    if np.size(a) == 0:
        return np.nan
    ordered = np.sort(a, axis=None)
    place = per / 100.0 * (len(ordered) - 1)
    k = int(place)
    if k == place:
        return ordered[k]
    weights = np.array([k + 1 - place, place - k])
    return np.add.reduce(ordered[k : k + 2] * weights) / weights.sum()


def moment(a: Array, order: Literal[0, 1, 2, 3, 4] = 1, axis: int | None = 0) -> Array:
    """The mean of powers of the distances from the mean."""
    if axis is None:
        a, axis = np.ravel(a), 0
    d = a - np.mean(a, axis=axis, keepdims=True)
    if order == 0:
        return np.mean(np.ones_like(d), axis=axis)
    if order == 1:
        return np.mean(np.zeros_like(d), axis=axis)
    if order == 2:
        return np.mean(d**2, axis=axis)
    if order == 3:
        return np.mean(d**2 * d, axis=axis)
    if order != 4:
        raise ValueError("the gradient needs a moment of order 0 to 4")
    return np.mean((d**2) ** 2, axis=axis)


def boxcox(x: Array, lmbda: float) -> Array:
    """The power transform of a given exponent."""
    return special.boxcox(x, lmbda)


def ttest_rel(a: Array, b: Array, axis: int = 0, **settings: Any) -> Any:
    """The test of pairs is that of their differences."""
    return stats.ttest_1samp(a - b, 0.0, axis=axis, **settings)


MODELS: Final = {
    f.__name__: f
    for f in (
        median_abs_deviation,
        trim_mean,
        scoreatpercentile,
        moment,
        boxcox,
        ttest_rel,
    )
}
