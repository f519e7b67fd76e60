"""Statistics of samples and densities of vectors, of `scipy.stats`, undone.

Helpers of generated text like those beside them, but on SciPy: this module is imported
with the chapter of rules that uses it, and by nothing before.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from yota_ast.runtime.numpy.broadcast_adjoints import restored, unbroadcast
from yota_ast.runtime.numpy.factor_adjoints import one_triangle

Array = Any


def unzscore(dy: Array, x: Array, y: Array, axis: Any = 0, ddof: int = 0) -> Array:
    """The adjoint of `x` in `y = zscore(x, axis, ddof)`."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    s = np.std(x, axis, ddof=ddof, keepdims=True)
    spread = np.sum(dy * y, axis, keepdims=True) / (n - ddof)
    return (dy - np.mean(dy, axis, keepdims=True) - y * spread) / s


def unskew(dy: Array, x: Array, y: Array, axis: Any = 0) -> Array:
    """The adjoint of `x` in `y = skew(x, axis)`."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    d = x - np.mean(x, axis, keepdims=True)
    v = np.mean(d * d, axis, keepdims=True)
    slope = (d * d - v) / np.sqrt(v) - restored(y, axis) * d
    return restored(dy, axis) * slope * 3 / (n * v)


def unkurtosis(dy: Array, x: Array, axis: Any = 0) -> Array:
    """The adjoint of `x` in `kurtosis(x, axis)`."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    d = x - np.mean(x, axis, keepdims=True)
    v = np.mean(d * d, axis, keepdims=True)
    third, fourth = (
        np.mean(d**3, axis, keepdims=True),
        np.mean(d**4, axis, keepdims=True),
    )
    return restored(dy, axis) * (d**3 - third - fourth * d / v) * 4 / (n * v * v)


def unentropy(
    dy: Array, p: Array, q: Array, y: Array, base: Any = None, axis: int = 0
) -> Any:
    """The adjoints of `p` and `q` in `y = entropy(p, q, base, axis)`."""
    scale = 1.0 if base is None else math.log(base)
    d, h = restored(dy, axis) / scale, restored(y, axis) * scale
    if q is None:
        s = np.sum(p, axis, keepdims=True)
        return -d * (np.log(p / s) + h) / s, None
    u, v = np.broadcast_arrays(p, q)
    s, t = np.sum(u, axis, keepdims=True), np.sum(v, axis, keepdims=True)
    ratio = (u / s) / (v / t)
    dp, dq = d * (np.log(ratio) - h) / s, d * (1 - ratio) / t
    return unbroadcast(dp, p), unbroadcast(dq, q)


def undirichlet(dy: Array, x: Array, alpha: Array) -> Any:
    """The adjoints of `x` and `alpha` in `dirichlet.logpdf(x, alpha)`."""
    last = np.shape(x)[0] < len(alpha)
    z = np.concatenate((x, 1 - np.sum(x, 0, keepdims=True))) if last else x
    slope = np.transpose(np.transpose(1 / z) * (alpha - 1))
    dx = dy * (slope[:-1] - slope[-1] if last else slope)
    shares = special.digamma(np.sum(alpha)) - special.digamma(alpha)
    dalpha = dy * (np.transpose(np.transpose(np.log(z)) + shares))
    return dx, dalpha if np.ndim(x) == 1 else dalpha.sum(axis=1)


def unnormal(dy: Array, x: Array, mean: Array, cov: Array) -> Any:
    """The adjoints in `multivariate_normal.logpdf(x, mean, cov)`, of the lower triangle
    of `cov`, which is what is read of it.

    Raises:
        ValueError: `cov` is singular.

    """
    rest = np.asarray(x - (0.0 if mean is None else mean))
    d = np.size(mean) if mean is not None else len(cov) if np.ndim(cov) == 2 else 1
    low = np.tril(cov, -1) if np.ndim(cov) == 2 else 0.0
    whole = np.eye(d) * cov + low + np.transpose(low)
    if np.linalg.matrix_rank(whole) < d:
        raise ValueError("multivariate_normal has no gradient here: cov is singular")
    flat = np.reshape(rest, (-1, d))
    s = np.linalg.solve(whole, np.transpose(flat)).T
    w = np.reshape(dy, (-1, 1))
    dx = -np.reshape(w * s, np.shape(rest))
    dcov = (np.transpose(w * s) @ s - np.sum(w) * np.linalg.inv(whole)) / 2
    if np.ndim(cov) == 2:
        dcov = one_triangle(dcov)
    else:
        dcov = np.diagonal(dcov) if np.ndim(cov) == 1 else np.trace(dcov)
    dmean = None if mean is None else unbroadcast(-dx, mean)
    return unbroadcast(dx, x), dmean, dcov


def unlinregress(dy: Any, x: Array, v: Array, y: Any, alternative: str) -> Any:
    """The adjoints of `x` and `v` in `y = linregress(x, v, alternative)`: those of the
    slope, the intercept, the correlation, its p-value, and the error of the slope."""
    dslope, dintercept, dr, dp, dstderr = dy
    slope, _, r, _, stderr = y
    x, v = np.asarray(x), np.asarray(v)
    if x.ndim != 1:
        raise ValueError("the gradient needs two vectors")
    n = len(x)
    u, w = x - np.mean(x), v - np.mean(v)
    rest = w - slope * u
    uu, ww = np.sum(u * u), np.sum(w * w)
    dr = dr + dp * slope_of_probability(r, n, alternative)
    both = np.sqrt(uu * (ww + (ww == 0)))
    loose = dstderr / ((stderr + (stderr == 0)) * (n - 2 + (n == 2)) * uu)
    total = (dslope - dintercept * np.mean(x)) / uu
    dx = total * (rest - slope * u) - dintercept * slope / n
    dx = dx + dr * (w / both - r * u / uu) - loose * slope * rest
    dx = dx - dstderr * stderr * u / uu
    dv = total * u + dintercept / n
    dv = dv + dr * (u / both - r * w / (ww + (ww == 0))) + loose * rest
    return dx, dv


def slope_of_probability(r: Any, n: int, alternative: str) -> Any:
    """The slope of the p-value of n points in their correlation."""
    inside = (1 - r) * (1 + r)
    if n == 2 or inside <= 0:
        return 0.0
    t = r * np.sqrt((n - 2) / inside)
    return slope_of_tail(t, n - 2, alternative) * np.sqrt(n - 2) * inside**-1.5


def slope_of_tail(t: Any, df: float, alternative: str) -> Any:
    """The slope of the p-value of Student's t in t."""
    log_scale = special.gammaln((df + 1) / 2) - special.gammaln(df / 2)
    density = np.exp(log_scale) / np.sqrt(df * math.pi)
    density = density * (1 + t * t / df) ** (-(df + 1) / 2)
    if alternative == "two-sided":
        return -2 * np.sign(t) * density
    return density if alternative == "less" else -density


def unpearsonr(dy: Any, x: Array, v: Array, y: Any, alternative: str) -> Any:
    """The adjoints of two vectors in `y = pearsonr(x, v, alternative=alternative)`."""
    if np.ndim(x) != 1 or np.ndim(v) != 1:
        raise ValueError("the gradient of a correlation needs two vectors")
    r = y[0]
    x, v = np.asarray(x), np.asarray(v)
    u, w = x - np.mean(x), v - np.mean(v)
    uu, ww = np.sum(u * u), np.sum(w * w)
    dr = dy[0] + dy[1] * slope_of_probability(r, len(x), alternative)
    both = np.sqrt(uu * ww)
    dx, dv = dr * (w / both - r * u / uu), dr * (u / both - r * w / ww)
    return narrowed(dx, x), narrowed(dv, v)


def untest_of_mean(
    dy: Any, x: Array, mean: Any, y: Any, axis: Any, alternative: str
) -> Any:
    """The adjoints of the sample and the mean in `y = ttest_1samp(x, mean, axis)`."""
    t, x = y[0], np.asarray(x)
    n = np.size(x) if axis is None else np.shape(x)[axis]
    d = dy[0] + dy[1] * slope_of_tail(t, n - 1, alternative)
    error = np.std(x, axis, ddof=1) / np.sqrt(n)
    part = restored(d / (n * error), axis)
    spread = restored(d * t / (n * (n - 1) * error**2), axis)
    dx = part - spread * (x - np.mean(x, axis, keepdims=True))
    return narrowed(dx, x), unbroadcast(restored(-d / error, axis), mean)


def untest_of_means(
    dy: Any, x: Array, v: Array, y: Any, axis: Any, alternative: str
) -> Any:
    """The adjoints of both samples in `y = ttest_ind(x, v, axis=axis)`."""
    t, x, v = y[0], np.asarray(x), np.asarray(v)
    n = np.size(x) if axis is None else np.shape(x)[axis]
    m = np.size(v) if axis is None else np.shape(v)[axis]
    d = dy[0] + dy[1] * slope_of_tail(t, n + m - 2, alternative)
    left, right = (
        x - np.mean(x, axis, keepdims=True),
        v - np.mean(v, axis, keepdims=True),
    )
    squares = np.sum(left * left, axis) + np.sum(right * right, axis)
    error = np.sqrt(squares / (n + m - 2) * (1 / n + 1 / m))
    part, spread = restored(d / error, axis), restored(d * t / squares, axis)
    dx, dv = part / n - spread * left, -part / m - spread * right
    return narrowed(dx, x), narrowed(dv, v)


def narrowed(d: Array, x: Array) -> Array:
    """An adjoint of the shape of an array, and of its dtype if that is of floats."""
    return unbroadcast(d, x).astype(np.result_type(x, np.float16))
