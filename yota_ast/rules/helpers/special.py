"""Rules of the helpers of `runtime.special`: second derivatives. Others are inlined."""

from __future__ import annotations

import numpy as np
from scipy import special

from yota_ast.rules.notation.rule import elementwise
from yota_ast.runtime.scipy import special_slopes as sp


@elementwise
def exprel_slope(t, *, dy):
    """`exprel_slope` is `hyp1f1(2, 3, t) / 2`."""
    y = sp.exprel_slope(t)
    dt = dy * special.hyp1f1(3, 4, t) / 3


@elementwise(complex="holomorphic")
def spence_slope(x, *, dy):
    """`spence_slope` is `-hyp2f1(1, 1, 2, 1 - x)`."""
    y = sp.spence_slope(x)
    dx = dy * special.hyp2f1(2, 2, 3, 1 - x) / 2


@elementwise(complex="holomorphic")
def erfcx_slope(x, y, *, dz):
    z = sp.erfcx_slope(x, y)
    dx = 2 * dz * y
    dy = 2 * dz * x


@elementwise(complex="holomorphic")
def dawsn_slope(x, y, *, dz):
    z = sp.dawsn_slope(x, y)
    dx = -2 * dz * y
    dy = -2 * dz * x


@elementwise(complex="holomorphic")
def wofz_slope(x, y, *, dz):
    z = sp.wofz_slope(x, y)
    dx = -2 * dz * y
    dy = -2 * dz * x


@elementwise
def rgamma_slope(x, y, *, dz):
    z = sp.rgamma_slope(x, y)
    dx = -dz * y * special.polygamma(1, x)
    dy = -dz * special.digamma(x)


@elementwise
def beta_density(a, b, x, *, dy):
    y = sp.beta_density(a, b, x)
    t = special.digamma(a + b)
    da = dy * y * (np.log(x) - special.digamma(a) + t)
    db = dy * y * (np.log1p(-x) - special.digamma(b) + t)
    dx = dy * y * ((a - 1) / x - (b - 1) / (1 - x))


@elementwise
def gamma_density(a, x, *, dy):
    y = sp.gamma_density(a, x)
    da = dy * y * (np.log(x) - special.digamma(a))
    dx = dy * y * ((a - 1) / x - 1)
