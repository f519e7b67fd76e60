"""Slopes of SciPy's special functions that need care, or have no name there.

Helpers of generated text like those beside them, but on SciPy: this module is imported
with the chapter of rules that uses it, and by nothing before.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast

Array = Any


def float_type(*values: Array) -> Any:
    """The type of floats that NumPy computes with; Python's numbers have no say."""
    known = [v.dtype for v in values if hasattr(v, "dtype")]
    return np.result_type(np.float16, *known) if known else np.dtype(float)


# ---------------------------------------------------------------- exponentials


def exprel_slope(t: Array) -> Array:
    """The slope of `exprel(t) = (exp(t) - 1) / t`, near 0 by its series."""
    near = np.abs(t) < 0.5
    s = np.where(near, 1, t)
    # The sum of (k + 1) t**k / (k + 2)!, to the last bit for |t| < 0.5.
    series = 0 * t
    for k in range(14, -1, -1):
        series = (k + 1) / math.factorial(k + 2) + t * series
    far = (s * np.exp(s) - np.expm1(s)) / (s * s)
    return np.where(near, series, far)


def inv_boxcox_slope(v: Array, w: Array) -> Array:
    """The slope of `log1p(v * w) / w` in `w`, near 0 by its series."""
    t = v * w
    near = np.abs(t) < 0.05
    s = np.where(near, 1, t)
    series = 0 * t
    for k in range(14, -1, -1):
        series = (k + 1) / (k + 2) - t * series
    return v * v * np.where(near, -series, (s / (1 + s) - np.log1p(s)) / (s * s))


def spence_slope(x: Array) -> Array:
    """`log(x) / (1 - x)`, the slope of `spence`: -1 at 1."""
    near = x == 1
    return np.where(near, -1, np.log(x) / (1 - np.where(near, 0, x)))


# ---------------------------------------------------------------- error functions


def erfcx_slope(x: Array, y: Array) -> Array:
    """`2 x y - 2 / sqrt(pi)` for `y = erfcx(x)`, of large `x` by the series at inf."""
    far = np.real(x) > 25
    r = 1 / np.where(far, x, 1)
    q = r * r
    series = q * (1 - 1.5 * q * (1 - 2.5 * q * (1 - 3.5 * q * (1 - 4.5 * q))))
    near = 2 - 2 * math.sqrt(math.pi) * np.where(far, 0, x) * np.where(far, 0, y)
    return np.where(far, -series, -near) / math.sqrt(math.pi)


def dawsn_slope(x: Array, y: Array) -> Array:
    """`1 - 2 x y` for `y = dawsn(x)`, of large `x` by the series at inf."""
    far = (np.abs(np.real(x)) > 25) & (np.abs(np.imag(x)) < 0.5 * np.abs(np.real(x)))
    r = 1 / np.where(far, x, 1)
    q = r * r / 2
    series = -q * (1 + 3 * q * (1 + 5 * q * (1 + 7 * q * (1 + 9 * q))))
    return np.where(far, series, 1 - 2 * np.where(far, 0, x) * y)


def wofz_slope(z: Array, y: Array) -> Array:
    """`2i / sqrt(pi) - 2 z y` for `y = wofz(z)`, far above the axis by its series."""
    far = (np.abs(z) > 25) & (np.imag(z) >= 0)
    r = 1 / np.where(far, z, 1)
    q = r * r / 2
    series = -2j * q * (1 + 3 * q * (1 + 5 * q * (1 + 7 * q * (1 + 9 * q))))
    near = 2j - 2 * math.sqrt(math.pi) * np.where(far, 0, z) * y
    return np.where(far, series, near) / math.sqrt(math.pi)


def voigt_slopes(x: Array, sigma: Array, gamma: Array) -> Array:
    """The slopes of `voigt_profile` in its parameters; 0 in `sigma` where that is 0."""
    flat = sigma == 0
    s = np.where(flat, 1, sigma)
    z = (x + 1j * gamma) / (s * math.sqrt(2))
    w = special.wofz(z)
    slope = wofz_slope(z, w)
    scale = s * s * (2 * math.sqrt(math.pi))
    dx, dgamma = np.real(slope) / scale, -np.imag(slope) / scale
    dsigma = -np.real(w + z * slope) / (s * s * math.sqrt(2 * math.pi))
    q = x * x + gamma * gamma + (x == 0) * (gamma == 0)
    dx = np.where(flat, -2 * x * gamma / (math.pi * q * q), dx)
    dgamma = np.where(flat, (x * x - gamma * gamma) / (math.pi * q * q), dgamma)
    return dx, np.where(flat, 0, dsigma), dgamma


# ---------------------------------------------------------------- gamma functions


def rgamma_slope(x: Array, y: Array) -> Array:
    """`-y digamma(x)` for `y = rgamma(x)`, and its limit at 0, -1, -2, ..."""
    pole = (np.real(x) <= 0) & (x == np.round(np.real(x)))
    n = np.where(pole, -np.real(x), 0)
    limit = (1 - 2 * (n % 2)) * special.gamma(n + 1)
    return np.where(pole, limit, -y * special.digamma(np.where(pole, 1, x)))


def multigammaln_slope(a: Array, d: int) -> Array:
    """The slope of `multigammaln(a, d)` in `a`."""
    halves = np.arange(d, dtype=float_type(a)) / 2
    return np.sum(special.digamma(np.expand_dims(a, -1) - halves), axis=-1)


def beta_density(a: Array, b: Array, x: Array) -> Array:
    """The density of the beta distribution, the slope of `betainc` in `x`."""
    a, b = a + 0 * x, b + 0 * x  # of the type of x
    power = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
    return np.exp(power - special.betaln(a, b))


def gamma_density(a: Array, x: Array) -> Array:
    """The density of the gamma distribution, the slope of `gammainc` in `x`."""
    a = a + 0 * x  # of the type of x
    return np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def decay_nodes() -> Any:
    """Nodes and weights for integrals over (0, inf) of what decays exponentially.

    The double exponential rule of Takahasi and Mori.
    """
    v = np.arange(-4.2, 6.5, 0.04)
    w = np.exp(v - np.exp(-v))
    return w, 0.04 * w * (1 + np.exp(-v))


def gammainc_order_slope(a: Array, x: Array) -> Array:
    """The slope of `gammainc(a, x)` in `a`.

    The integral of the density times `log(t) - digamma(a)`, from 0 to x or, for x > a,
    minus that from x up, where nothing cancels. Relative error below 1e-9 for
    0.01 < a < 1e4.
    """
    dtype = float_type(a, x)
    a, x = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    inside = (x > 0) & (x < np.inf)
    x = np.where(inside, x, 1)[..., np.newaxis]
    a = a[..., np.newaxis]
    nodes, weights = decay_nodes()
    up = np.where(x > a, 1, -1)
    scale = 1 / (np.abs(x - a) + np.sqrt(np.where(x > a, x, a)))
    w = nodes * scale
    power = a * (up * w) - x * np.expm1(np.minimum(up * w, 700))
    terms = np.exp(power) * (np.log(x) + up * w - special.digamma(a))
    total = np.sum(terms * weights, axis=-1, keepdims=True) * scale
    front = np.exp(a * np.log(x) - x - special.gammaln(a))
    return np.where(inside, (-up * front * total)[..., 0], 0).astype(dtype)


def betainc_order_slope(a: Array, b: Array, x: Array) -> Array:
    """The slopes of `betainc(a, b, x)` in `a` and `b`.

    The integrals of the density times `log(t)` and `log(1 - t)` less their means, from
    0 to x or, for x above the mean, minus those from x to 1. Relative error below 1e-9
    for 0.01 < a, b < 1e4.
    """
    dtype = float_type(a, b, x)
    a, b, x = np.broadcast_arrays(*(np.asarray(v, float) for v in (a, b, x)))
    inside = (x > 0) & (x < 1)
    x = np.where(inside, x, 0.5)[..., np.newaxis]
    a, b = a[..., np.newaxis], b[..., np.newaxis]
    up = x > a / (a + b)
    # With `p` towards the end that the integral runs to: from p = q down to 0.
    q: Any = np.where(up, 1 - x, x)
    m: Any = np.where(up, b, a)
    n: Any = np.where(up, a, b)
    nodes, weights = decay_nodes()
    scale = 1 / (m + np.abs(n * q / (1 - q) - m) + np.sqrt(m))
    w = nodes * scale
    p = q * np.exp(-w)
    density = np.exp(-m * w + (n - 1) * (np.log1p(-p) - np.log1p(-q)))
    mean = special.digamma(a + b)
    log_p = np.log(q) - w - (special.digamma(m) - mean)
    log_rest = np.log1p(-p) - (special.digamma(n) - mean)
    front = (
        np.exp(m * np.log(q) + (n - 1) * np.log1p(-q) - special.betaln(a, b)) * scale
    )
    side = np.where(up, -1, 1) * front
    of_m = np.sum(density * log_p * weights, axis=-1, keepdims=True) * side
    of_n = np.sum(density * log_rest * weights, axis=-1, keepdims=True) * side
    da = np.where(inside, np.where(up, of_n, of_m)[..., 0], 0).astype(dtype)
    return da, np.where(inside, np.where(up, of_m, of_n)[..., 0], 0).astype(dtype)


def zeta_slope(x: Array, q: Array = None) -> Array:
    """The slope of `zeta(x, q)` in `x`, by Euler and Maclaurin's formula: for x > 1, of
    `zeta(x)` for x > 0.

    Relative error below 1e-12 for x < 50.
    """
    least = 1 if q is not None else 0
    if q is None and np.any(np.asarray(x) <= 0):
        raise ValueError("the gradient of zeta is known for positive arguments only")
    q = 1 if q is None else q
    dtype = float_type(x, q)
    x, q = np.broadcast_arrays(np.asarray(x, float), np.asarray(q, float))
    total: Any = 0.0
    for k in range(16):
        total = total - np.log(q + k) * (q + k) ** -x
    t, s = q + 16, x - 1
    log_t = np.log(t)
    total = total - t**-s * (log_t + 1 / s) / s - t**-x * log_t / 2
    # Each term is b / (2k)! (x)_(2k-1) t**(1 - x - 2k); its slope by the logarithm's.
    rising, slope = x * 1.0, 1 / x
    power = t ** (-x - 1)
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
    for k, b in enumerate(bernoulli, 1):
        total = total + b / math.factorial(2 * k) * rising * power * (slope - log_t)
        rising = rising * (x + 2 * k - 1) * (x + 2 * k)
        slope = slope + 1 / (x + 2 * k - 1) + 1 / (x + 2 * k)
        power = power / (t * t)
    return np.where(x > least, total, np.nan).astype(dtype)


# ---------------------------------------------------------------- elliptic integrals


def ellipkinc_slope(phi: Array, m: Array) -> Array:
    """The slope of `ellipkinc(phi, m)` in `m` (DLMF 19.25)."""
    n = np.round(phi / math.pi)
    s, c = np.sin(phi - math.pi * n), np.cos(phi - math.pi * n)
    whole = np.where(
        n == 0, 0, 2 * n * special.elliprd(0 * m, 1, np.where(n == 0, 1, 1 - m))
    )
    return (s**3 * special.elliprd(c * c, 1 + 0 * m, 1 - m * s * s) + whole) / 6


def ellipeinc_slope(phi: Array, m: Array) -> Array:
    """The slope of `ellipeinc(phi, m)` in `m` (DLMF 19.25)."""
    n = np.round(phi / math.pi)
    s, c = np.sin(phi - math.pi * n), np.cos(phi - math.pi * n)
    whole = np.where(
        n == 0, 0, 2 * n * special.elliprd(0 * m, np.where(n == 0, 1, 1 - m), 1)
    )
    return -(s**3 * special.elliprd(c * c, 1 - m * s * s, 1 + 0 * m) + whole) / 6


# ---------------------------------------------------------------- sums of exponentials


def unlogsumexp(
    dy: Array,
    x: Array,
    y: Array,
    axis: Any = None,
    keepdims: bool = False,
    b: Array = None,
) -> Array:
    """The adjoint of `x` in `y = logsumexp(x, axis, b)`; 0 where `y` is -inf."""
    if axis is not None and not keepdims:
        dy, y = np.expand_dims(dy, axis), np.expand_dims(y, axis)
    y = np.where(y == -np.inf, 0, y)
    dx = dy * np.exp(x - y)
    return dx if b is None else unbroadcast(dx * b, x)


def unweighted(
    dy: Array, x: Array, y: Array, axis: Any, keepdims: bool, b: Array
) -> Array:
    """The adjoint of `b` in `y = logsumexp(x, axis, b)`."""
    d = unlogsumexp(dy, x, y, axis, keepdims)
    return unbroadcast(d * np.ones_like(b), b)


# ---------------------------------------------------------------- distributions


def t_cdf_slope(z: Array, df: Array) -> Array:
    """The slope of the distribution function of Student's t in `df`.

    That is `(1 + sign(z) betainc(1 / 2, df / 2, z**2 / (df + z**2))) / 2`.
    """
    r = z * z + df
    near = z * z < df
    u = np.where(near, z * z / r, df / r)
    a, b = np.where(near, 0.5, df / 2), np.where(near, df / 2, 0.5)
    order = betainc_order_slope(a, b, u)
    order = np.where(near, order[1], -order[0])
    # Both of u and 1 - u have the slope z**2 / r**2 in df, up to the sign.
    rest = z * z / (r * r) * beta_density(a, b, np.where(u > 0, u, 0.5))
    return np.sign(z) * (order / 4 - np.where(u > 0, rest, 0) / 2)
