"""The gamma and beta functions of `scipy.special`, and what is made of them.

Derivatives in orders and shape parameters are formulas or quadrature where those are
known to be accurate; the other orders are refused.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from yota_ast.rules.notation.rule import elementwise
from yota_ast.rules.scipy.special import WHOLE
from yota_ast.runtime import signed
from yota_ast.runtime.scipy.special_slopes import (
    beta_density,
    betainc_order_slope,
    gamma_density,
    gammainc_order_slope,
    multigammaln_slope,
    rgamma_slope,
    zeta_slope,
)


@elementwise(complex="holomorphic")
def gamma(x, *, dy):
    y = special.gamma(x)
    dx = dy * y * special.digamma(x)


@elementwise
def gammaln(x, *, dy):
    y = special.gammaln(x)
    dx = dy * special.digamma(x)


@elementwise(complex="holomorphic")
def loggamma(x, *, dy):
    y = special.loggamma(x)
    dx = dy * special.digamma(x)


@elementwise
def digamma(x, *, dy):
    y = special.digamma(x)
    dx = dy * special.zeta(2, x)


@elementwise(refused={"n": WHOLE})
def polygamma(n, x, *, dy):
    y = special.polygamma(n, x)
    dx = dy * special.polygamma(signed(n) + 1, x)


@elementwise(complex="holomorphic")
def rgamma(x, *, dy):
    y = special.rgamma(x)
    dx = dy * rgamma_slope(x, y)


@elementwise(zero=["x"])
def gammasgn(x):
    y = special.gammasgn(x)


@elementwise(refused={"d": WHOLE})
def multigammaln(a, d, *, dy):
    y = special.multigammaln(a, d)
    da = dy * multigammaln_slope(a, d)


@elementwise
def factorial(x, exact=False, *, dy):
    """Of negative numbers 0."""
    y = special.factorial(x, exact)
    dx = dy * y * special.digamma(1 + np.maximum(x, 0))


@elementwise(refused={"n": WHOLE})
def factorial2(n, exact=False):
    y = special.factorial2(n, exact)


@elementwise
def poch(x, m, *, dy):
    y = special.poch(x, m)
    dx = dy * y * (special.digamma(x + m) - special.digamma(x))
    dm = dy * y * special.digamma(x + m)


@elementwise
def binom(n, k, *, dy):
    y = special.binom(n, k)
    t = special.digamma(n - k + 1)
    dn = dy * y * (special.digamma(n + 1) - t)
    dk = dy * y * (t - special.digamma(k + 1))


@elementwise(zero=["exact", "repetition"])
def comb(n, k, *, exact=False, repetition=False, dy):
    """Of `k < 0` or `k > n` 0."""
    y = special.comb(n, k, exact=exact, repetition=repetition)
    top = n + (k - 1) * repetition
    inside = (k >= 0) & (top >= k)
    t = special.digamma(np.where(inside, top - k, 1) + 1)
    by_top = dy * y * (special.digamma(np.where(inside, top, 1) + 1) - t)
    dn = by_top
    dk = by_top * repetition + dy * y * (
        t - special.digamma(np.where(inside, k, 1) + 1)
    )


@elementwise
def beta(a, b, *, dy):
    y = special.beta(a, b)
    t = special.digamma(a + b)
    da = dy * y * (special.digamma(a) - t)
    db = dy * y * (special.digamma(b) - t)


@elementwise
def betaln(a, b, *, dy):
    y = special.betaln(a, b)
    t = special.digamma(a + b)
    da = dy * (special.digamma(a) - t)
    db = dy * (special.digamma(b) - t)


@elementwise
def betainc(a, b, x, *, dy):
    """In `a` and `b` by quadrature, to 1e-9."""
    y = special.betainc(a, b, x)
    da = dy * betainc_order_slope(a, b, x)[0]
    db = dy * betainc_order_slope(a, b, x)[1]
    dx = dy * beta_density(a, b, x)


@elementwise
def betaincc(a, b, x, *, dy):
    """In `a` and `b` by quadrature, to 1e-9."""
    y = special.betaincc(a, b, x)
    da = -dy * betainc_order_slope(a, b, x)[0]
    db = -dy * betainc_order_slope(a, b, x)[1]
    dx = -dy * beta_density(a, b, x)


@elementwise
def betaincinv(a, b, x, *, dy):
    """In `a` and `b` by quadrature, to 1e-9."""
    y = special.betaincinv(a, b, x)
    t = dy / beta_density(a, b, y)
    da = -t * betainc_order_slope(a, b, y)[0]
    db = -t * betainc_order_slope(a, b, y)[1]
    dx = t


@elementwise
def gammainc(a, x, *, dy):
    """In `a` by quadrature, to 1e-9."""
    y = special.gammainc(a, x)
    da = dy * gammainc_order_slope(a, x)
    dx = dy * gamma_density(a, x)


@elementwise
def gammaincc(a, x, *, dy):
    """In `a` by quadrature, to 1e-9."""
    y = special.gammaincc(a, x)
    da = -dy * gammainc_order_slope(a, x)
    dx = -dy * gamma_density(a, x)


@elementwise
def gammaincinv(a, x, *, dy):
    """In `a` by quadrature, to 1e-9."""
    y = special.gammaincinv(a, x)
    t = dy / gamma_density(a, y)
    da = -t * gammainc_order_slope(a, y)
    dx = t


@elementwise
def gammainccinv(a, x, *, dy):
    """In `a` by quadrature, to 1e-9."""
    y = special.gammainccinv(a, x)
    t = -dy / gamma_density(a, y)
    da = t * gammainc_order_slope(a, y)
    dx = t


@elementwise
def zeta(x, q=None, *, dy):
    """In `x` by Euler and Maclaurin's formula."""
    y = special.zeta(x, q)
    dx = dy * zeta_slope(x, q)
    dq = -dy * x * special.zeta(x + 1, q)


@elementwise
def zetac(x, *, dy):
    y = special.zetac(x)
    dx = dy * zeta_slope(x)
