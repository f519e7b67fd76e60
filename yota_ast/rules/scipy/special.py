"""The elementwise functions of `scipy.special`.

Derivatives in orders and shape parameters are formulas or quadrature where those are
known to be accurate; the other orders are refused.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from yota_ast.rules.notation.rule import elementwise
from yota_ast.runtime import real_like, signed
from yota_ast.runtime.scipy.special_slopes import (
    dawsn_slope,
    ellipeinc_slope,
    ellipkinc_slope,
    erfcx_slope,
    exprel_slope,
    inv_boxcox_slope,
    spence_slope,
    voigt_slopes,
    wofz_slope,
)

SHAPE = "there is no accurate formula for the derivative in this parameter"
WHOLE = "it is a whole number"

# ---------------------------------------------------------------- error functions


@elementwise(complex="holomorphic")
def erf(x, *, dy):
    y = special.erf(x)
    dx = dy * np.exp(-x * x) * (2 / math.sqrt(math.pi))


@elementwise(complex="holomorphic")
def erfc(x, *, dy):
    y = special.erfc(x)
    dx = -dy * np.exp(-x * x) * (2 / math.sqrt(math.pi))


@elementwise(complex="holomorphic")
def erfcx(x, *, dy):
    y = special.erfcx(x)
    dx = dy * erfcx_slope(x, y)


@elementwise(complex="holomorphic")
def erfi(x, *, dy):
    y = special.erfi(x)
    dx = dy * np.exp(x * x) * (2 / math.sqrt(math.pi))


@elementwise
def erfinv(x, *, dy):
    y = special.erfinv(x)
    dx = dy * np.exp(y * y) * (math.sqrt(math.pi) / 2)


@elementwise
def erfcinv(x, *, dy):
    y = special.erfcinv(x)
    dx = -dy * np.exp(y * y) * (math.sqrt(math.pi) / 2)


@elementwise(complex="holomorphic")
def ndtr(x, *, dy):
    y = special.ndtr(x)
    dx = dy * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@elementwise
def log_ndtr(x, *, dy):
    """The ratio of density and distribution, by `erfcx` where both vanish."""
    y = special.log_ndtr(x)
    dx = dy * math.sqrt(2 / math.pi) / special.erfcx(-x / math.sqrt(2))


@elementwise
def ndtri(x, *, dy):
    y = special.ndtri(x)
    dx = dy * np.exp(y * y / 2) * math.sqrt(2 * math.pi)


@elementwise
def ndtri_exp(x, *, dy):
    y = special.ndtri_exp(x)
    dx = dy * special.erfcx(-y / math.sqrt(2)) * math.sqrt(math.pi / 2)


@elementwise(complex="holomorphic")
def dawsn(x, *, dy):
    y = special.dawsn(x)
    dx = dy * dawsn_slope(x, y)


@elementwise(complex="written")
def wofz(x, *, dy):
    """The Faddeeva function, complex for real numbers too."""
    y = special.wofz(x)
    dx = real_like(dy * np.conj(wofz_slope(x, y)), x)


@elementwise
def voigt_profile(x, sigma, gamma, *, dy):
    y = special.voigt_profile(x, sigma, gamma)
    slopes = voigt_slopes(x, sigma, gamma)
    dx = dy * slopes[0]
    dsigma = dy * slopes[1]
    dgamma = dy * slopes[2]


@elementwise(complex="holomorphic")
def fresnel(x, *, dy):
    y = special.fresnel(x)
    t = x * x * (math.pi / 2)
    dx = dy[0] * np.sin(t) + dy[1] * np.cos(t)


@elementwise
def owens_t(h, a, *, dy):
    y = special.owens_t(h, a)
    t = 1 + a * a
    dh = (
        -dy
        * np.exp(-h * h / 2)
        * special.erf(a * h / math.sqrt(2))
        / math.sqrt(8 * math.pi)
    )
    da = dy * np.exp(-h * h * t / 2) / (2 * math.pi * t)


# ---------------------------------------------------------------- logistic functions


@elementwise
def expit(x, *, dy):
    y = special.expit(x)
    dx = dy * y * special.expit(-x)


@elementwise
def logit(x, *, dy):
    y = special.logit(x)
    dx = dy / (x * (1 - x))


@elementwise
def log_expit(x, *, dy):
    y = special.log_expit(x)
    dx = dy * special.expit(-x)


@elementwise
def softplus(x, *, dy):
    y = special.softplus(x)
    dx = dy * special.expit(x)


# ---------------------------------------------------------------- exponentials, powers


@elementwise
def exprel(x, *, dy):
    y = special.exprel(x)
    dx = dy * exprel_slope(x)


@elementwise
def exp10(x, *, dy):
    y = special.exp10(x)
    dx = dy * y * math.log(10)


@elementwise
def exp2(x, *, dy):
    y = special.exp2(x)
    dx = dy * y * math.log(2)


@elementwise(complex="holomorphic")
def expm1(x, *, dy):
    y = special.expm1(x)
    dx = dy * np.exp(x)


@elementwise(complex="holomorphic")
def log1p(x, *, dy):
    y = special.log1p(x)
    dx = dy / (1 + x)


@elementwise
def cbrt(x, *, dy):
    y = special.cbrt(x)
    dx = dy / (3 * y * y)


@elementwise
def cosm1(x, *, dy):
    y = special.cosm1(x)
    dx = -dy * np.sin(x)


@elementwise
def boxcox(x, w, *, dy):
    y = special.boxcox(x, w)
    t = np.log(x)
    dx = dy * x ** (w - 1)
    dw = dy * t * t * exprel_slope(w * t)


@elementwise
def boxcox1p(x, w, *, dy):
    y = special.boxcox1p(x, w)
    t = np.log1p(x)
    dx = dy * (1 + x) ** (w - 1)
    dw = dy * t * t * exprel_slope(w * t)


@elementwise
def inv_boxcox(x, w, *, dy):
    y = special.inv_boxcox(x, w)
    dx = dy * y / (1 + x * w)
    dw = dy * y * inv_boxcox_slope(x, w)


@elementwise
def inv_boxcox1p(x, w, *, dy):
    y = special.inv_boxcox1p(x, w)
    dx = dy * (1 + y) / (1 + x * w)
    dw = dy * (1 + y) * inv_boxcox_slope(x, w)


@elementwise
def agm(u, v, *, dy):
    """`pi / 2 (u + v) / (2 K(m))`, m the square of (u - v) / (u + v)."""
    y = special.agm(u, v)
    r = (u - v) / (u + v)
    t = (
        y
        / special.ellipk(r * r)
        * special.elliprd(0, 1, 1 - r * r)
        / 3
        * r
        / (u + v) ** 2
    )
    du = dy * (y / (u + v) - 2 * v * t)
    dv = dy * (y / (u + v) + 2 * u * t)


# ---------------------------------------------------------------- entropies


@elementwise(complex="holomorphic")
def xlogy(u, v, *, dy):
    """At `u == v == 0` the slope in `u` is infinite, that in `v` 0."""
    y = special.xlogy(u, v)
    du = special.xlogy(dy, v)
    dv = dy * u / (v + ((u == 0) & (v == 0)))


@elementwise(complex="holomorphic")
def xlog1py(u, v, *, dy):
    """At `u == 0, v == -1` the slope in `u` is infinite, that in `v` 0."""
    y = special.xlog1py(u, v)
    du = special.xlog1py(dy, v)
    dv = dy * u / (1 + v + ((u == 0) & (v == -1)))


@elementwise
def entr(x, *, dy):
    y = special.entr(x)
    dx = -dy * (1 + np.log(x))


@elementwise
def rel_entr(u, v, *, dy):
    """At `u == v == 0` there is no slope in `u`, and that in `v` is 0."""
    y = special.rel_entr(u, v)
    none = (u == 0) & (v == 0)
    du = np.where(none, np.nan, dy) * (1 + np.log((u + none) / (v + none)))
    dv = -dy * u / (v + none)


@elementwise
def kl_div(u, v, *, dy):
    """At `u == v == 0` there is no slope in `u`, and that in `v` is 1."""
    y = special.kl_div(u, v)
    none = (u == 0) & (v == 0)
    du = np.where(none, np.nan, dy) * np.log((u + none) / (v + none))
    dv = dy * (1 - u / (v + none))


@elementwise
def huber(delta, r, *, dy):
    y = special.huber(delta, r)
    ddelta = dy * np.maximum(np.abs(r) - delta, 0)
    dr = dy * np.clip(r, -delta, delta)


@elementwise
def pseudo_huber(delta, r, *, dy):
    y = special.pseudo_huber(delta, r)
    t = r / delta
    s = np.hypot(1, t)
    ddelta = dy * delta * t**4 / (s * (1 + s) ** 2)
    dr = dy * r / s


# ---------------------------------------------------------------- exponential integrals


@elementwise(complex="holomorphic")
def exp1(x, *, dy):
    y = special.exp1(x)
    dx = -dy * np.exp(-x) / x


@elementwise(complex="holomorphic")
def expi(x, *, dy):
    y = special.expi(x)
    dx = dy * np.exp(x) / x


@elementwise(refused={"n": WHOLE})
def expn(n, x, *, dy):
    """By `x E(n - 1, x) = exp(-x) - (n - 1) E(n, x)`, which holds for n = 0 too."""
    y = special.expn(n, x)
    dx = dy * ((signed(n) - 1) * y - np.exp(-x)) / x


@elementwise(complex="holomorphic")
def sici(x, *, dy):
    y = special.sici(x)
    dx = dy[0] * np.sinc(x / math.pi) + dy[1] * np.cos(x) / x


@elementwise(complex="holomorphic")
def shichi(x, *, dy):
    y = special.shichi(x)
    dx = dy[0] * np.sinh(x) / x + dy[1] * np.cosh(x) / x


@elementwise(complex="holomorphic")
def spence(x, *, dy):
    y = special.spence(x)
    dx = dy * spence_slope(x)


@elementwise(complex="written", zero=["k", "tol"])
def lambertw(x, k=0, tol=1e-8, *, dy):
    """Complex for real numbers too."""
    y = special.lambertw(x, k, tol)
    dx = real_like(dy * np.conj(np.exp(-y) / (1 + y)), x)


@elementwise(complex="written")
def wrightomega(x, *, dy):
    y = special.wrightomega(x)
    dx = real_like(dy * np.conj(y / (1 + y)), x)


# ---------------------------------------------------------------- elliptic integrals


@elementwise
def ellipk(m, *, dy):
    """By Carlson's R_D (DLMF 19.25.1), without the pole of the usual form at 0."""
    y = special.ellipk(m)
    dm = dy * special.elliprd(0, 1, 1 - m) / 6


@elementwise
def ellipkm1(p, *, dy):
    y = special.ellipkm1(p)
    dp = -dy * special.elliprd(0, 1, p) / 6


@elementwise
def ellipe(m, *, dy):
    y = special.ellipe(m)
    dm = -dy * special.elliprd(0, 1 - m, 1) / 6


@elementwise
def ellipkinc(phi, m, *, dy):
    y = special.ellipkinc(phi, m)
    dphi = dy / np.sqrt(1 - m * np.sin(phi) ** 2)
    dm = dy * ellipkinc_slope(phi, m)


@elementwise
def ellipeinc(phi, m, *, dy):
    y = special.ellipeinc(phi, m)
    dphi = dy * np.sqrt(1 - m * np.sin(phi) ** 2)
    dm = dy * ellipeinc_slope(phi, m)


# ---------------------------------------------------------------- hypergeometric


@elementwise(complex="holomorphic", refused={"v": SHAPE})
def hyp0f1(v, x, *, dy):
    y = special.hyp0f1(v, x)
    dx = dy * special.hyp0f1(signed(v) + 1, x) / v


@elementwise(complex="holomorphic", refused={"a": SHAPE, "b": SHAPE})
def hyp1f1(a, b, x, *, dy):
    y = special.hyp1f1(a, b, x)
    dx = dy * (a / b) * special.hyp1f1(signed(a) + 1, signed(b) + 1, x)


@elementwise(complex="holomorphic", refused={"a": SHAPE, "b": SHAPE, "c": SHAPE})
def hyp2f1(a, b, c, x, *, dy):
    y = special.hyp2f1(a, b, c, x)
    p, q, r = signed(a), signed(b), signed(c)
    dx = dy * (p * q / r) * special.hyp2f1(p + 1, q + 1, r + 1, x)


@elementwise(refused={"a": SHAPE, "b": SHAPE})
def hyperu(a, b, x, *, dy):
    y = special.hyperu(a, b, x)
    dx = -dy * a * special.hyperu(signed(a) + 1, signed(b) + 1, x)
