"""Bessel functions and orthogonal polynomials of `scipy.special`."""

from __future__ import annotations

import numpy as np
from scipy import special

from yota_ast.rules.notation.rule import elementwise
from yota_ast.runtime import real_like, signed

ORDER = "there is no accurate formula for the derivative in the order"
WHOLE = "it is a whole number"

# ---------------------------------------------------------------- Bessel, order 0 and 1


@elementwise
def j0(x, *, dy):
    y = special.j0(x)
    dx = -dy * special.j1(x)


@elementwise
def j1(x, *, dy):
    y = special.j1(x)
    dx = dy * (special.j0(x) - special.jv(2, x)) / 2


@elementwise
def y0(x, *, dy):
    y = special.y0(x)
    dx = -dy * special.y1(x)


@elementwise
def y1(x, *, dy):
    y = special.y1(x)
    dx = dy * (special.y0(x) - y / x)


@elementwise
def i0(x, *, dy):
    y = special.i0(x)
    dx = dy * special.i1(x)


@elementwise
def i0e(x, *, dy):
    y = special.i0e(x)
    dx = dy * (special.i1e(x) - np.sign(x) * y)


@elementwise
def i1(x, *, dy):
    y = special.i1(x)
    dx = dy * (special.i0(x) + special.iv(2, x)) / 2


@elementwise
def i1e(x, *, dy):
    y = special.i1e(x)
    dx = dy * ((special.i0e(x) + special.ive(2, x)) / 2 - np.sign(x) * y)


@elementwise
def k0(x, *, dy):
    y = special.k0(x)
    dx = -dy * special.k1(x)


@elementwise
def k0e(x, *, dy):
    y = special.k0e(x)
    dx = dy * (y - special.k1e(x))


@elementwise
def k1(x, *, dy):
    y = special.k1(x)
    dx = -dy * (special.k0(x) + y / x)


@elementwise
def k1e(x, *, dy):
    y = special.k1e(x)
    dx = dy * (y - special.k0e(x) - y / x)


# ---------------------------------------------------------------- Bessel, any order


@elementwise(complex="holomorphic", refused={"v": ORDER})
def jv(v, x, *, dy):
    y = special.jv(v, x)
    dx = dy * (special.jv(signed(v) - 1, x) - special.jv(signed(v) + 1, x)) / 2


@elementwise(refused={"v": ORDER})
def jve(v, x, *, dy):
    y = special.jve(v, x)
    dx = dy * (special.jve(signed(v) - 1, x) - special.jve(signed(v) + 1, x)) / 2


@elementwise(refused={"v": WHOLE})
def yn(v, x, *, dy):
    y = special.yn(v, x)
    dx = dy * (special.yn(signed(v) - 1, x) - special.yn(signed(v) + 1, x)) / 2


@elementwise(complex="holomorphic", refused={"v": ORDER})
def yv(v, x, *, dy):
    y = special.yv(v, x)
    dx = dy * (special.yv(signed(v) - 1, x) - special.yv(signed(v) + 1, x)) / 2


@elementwise(complex="holomorphic", refused={"v": ORDER})
def iv(v, x, *, dy):
    y = special.iv(v, x)
    dx = dy * (special.iv(signed(v) - 1, x) + special.iv(signed(v) + 1, x)) / 2


@elementwise(refused={"v": ORDER})
def ive(v, x, *, dy):
    y = special.ive(v, x)
    n = signed(v)
    dx = dy * ((special.ive(n - 1, x) + special.ive(n + 1, x)) / 2 - np.sign(x) * y)


@elementwise(refused={"v": WHOLE})
def kn(v, x, *, dy):
    y = special.kn(v, x)
    dx = -dy * (special.kv(signed(v) - 1, x) + special.kv(signed(v) + 1, x)) / 2


@elementwise(complex="holomorphic", refused={"v": ORDER})
def kv(v, x, *, dy):
    y = special.kv(v, x)
    dx = -dy * (special.kv(signed(v) - 1, x) + special.kv(signed(v) + 1, x)) / 2


@elementwise(complex="holomorphic", refused={"v": ORDER})
def kve(v, x, *, dy):
    y = special.kve(v, x)
    dx = dy * (y - (special.kve(signed(v) - 1, x) + special.kve(signed(v) + 1, x)) / 2)


@elementwise(complex="written", refused={"v": ORDER})
def hankel1(v, x, *, dy):
    """Complex for real numbers too."""
    y = special.hankel1(v, x)
    slope = (special.hankel1(signed(v) - 1, x) - special.hankel1(signed(v) + 1, x)) / 2
    dx = real_like(dy * np.conj(slope), x)


@elementwise(complex="written", refused={"v": ORDER})
def hankel2(v, x, *, dy):
    """Complex for real numbers too."""
    y = special.hankel2(v, x)
    slope = (special.hankel2(signed(v) - 1, x) - special.hankel2(signed(v) + 1, x)) / 2
    dx = real_like(dy * np.conj(slope), x)


@elementwise(complex="holomorphic")
def airy(x, *, dy):
    y = special.airy(x)
    dx = dy[0] * y[1] + dy[1] * x * y[0] + dy[2] * y[3] + dy[3] * x * y[2]


@elementwise(refused={"v": ORDER})
def struve(v, x, *, dy):
    """DLMF 11.4.23 and 11.4.27 of which the sums do not cancel."""
    y = special.struve(v, x)
    t = (x / 2) ** v * special.rgamma(v + 1.5) / np.sqrt(np.pi)
    n = signed(v)
    dx = dy * (special.struve(n - 1, x) - special.struve(n + 1, x) + t) / 2


# ---------------------------------------------------------------- polynomials


@elementwise(refused={"n": WHOLE}, only={"derivative": (False,)})
def spherical_jn(n, z, derivative=False, *, dy):
    y = special.spherical_jn(n, z, derivative)
    dz = dy * special.spherical_jn(n, z, True)


@elementwise(refused={"n": WHOLE}, only={"derivative": (False,)})
def spherical_yn(n, z, derivative=False, *, dy):
    y = special.spherical_yn(n, z, derivative)
    dz = dy * special.spherical_yn(n, z, True)


@elementwise(refused={"n": WHOLE}, only={"derivative": (False,)})
def spherical_in(n, z, derivative=False, *, dy):
    y = special.spherical_in(n, z, derivative)
    dz = dy * special.spherical_in(n, z, True)


@elementwise(refused={"n": WHOLE}, only={"derivative": (False,)})
def spherical_kn(n, z, derivative=False, *, dy):
    y = special.spherical_kn(n, z, derivative)
    dz = dy * special.spherical_kn(n, z, True)


# Of slopes: those of the recurrences of DLMF 10.51, which hold at 0 as well; what is of
# order -1 is multiplied by 0.


@elementwise(refused={"n": WHOLE}, only={"derivative": (True,)})
def spherical_jn_slope(n, z, derivative=False, *, dy):
    y = special.spherical_jn(n, z, derivative)
    m = signed(n)
    lower = m * special.spherical_jn(abs(m - 1), z, True)
    upper = (m + 1) * special.spherical_jn(m + 1, z, True)
    dz = dy * (lower - upper) / (2 * m + 1)


@elementwise(refused={"n": WHOLE}, only={"derivative": (True,)})
def spherical_yn_slope(n, z, derivative=False, *, dy):
    y = special.spherical_yn(n, z, derivative)
    m = signed(n)
    lower = m * special.spherical_yn(abs(m - 1), z, True)
    upper = (m + 1) * special.spherical_yn(m + 1, z, True)
    dz = dy * (lower - upper) / (2 * m + 1)


@elementwise(refused={"n": WHOLE}, only={"derivative": (True,)})
def spherical_in_slope(n, z, derivative=False, *, dy):
    y = special.spherical_in(n, z, derivative)
    m = signed(n)
    lower = m * special.spherical_in(abs(m - 1), z, True)
    upper = (m + 1) * special.spherical_in(m + 1, z, True)
    dz = dy * (lower + upper) / (2 * m + 1)


@elementwise(refused={"n": WHOLE}, only={"derivative": (True,)})
def spherical_kn_slope(n, z, derivative=False, *, dy):
    y = special.spherical_kn(n, z, derivative)
    m = signed(n)
    lower = m * special.spherical_kn(abs(m - 1), z, True)
    upper = (m + 1) * special.spherical_kn(m + 1, z, True)
    dz = dy * -(lower + upper) / (2 * m + 1)


@elementwise(refused={"m": WHOLE, "v": ORDER})
def lpmv(m, v, x, *, dy):
    y = special.lpmv(m, v, x)
    n = signed(v)
    dx = dy * (v * x * y - (n + signed(m)) * special.lpmv(m, n - 1, x)) / (x * x - 1)


@elementwise(refused={"n": ORDER})
def eval_legendre(n, x, *, dy):
    y = special.eval_legendre(n, x)
    dx = dy * special.eval_gegenbauer(signed(n) - 1, 1.5, x)


@elementwise(refused={"n": ORDER})
def eval_chebyt(n, x, *, dy):
    y = special.eval_chebyt(n, x)
    dx = dy * n * special.eval_chebyu(signed(n) - 1, x)


@elementwise(refused={"n": ORDER})
def eval_chebyu(n, x, *, dy):
    y = special.eval_chebyu(n, x)
    dx = 2 * dy * special.eval_gegenbauer(signed(n) - 1, 2, x)


@elementwise(refused={"n": WHOLE})
def eval_hermite(n, x, *, dy):
    y = special.eval_hermite(n, x)
    dx = 2 * dy * n * special.eval_hermite(np.maximum(signed(n) - 1, 0), x)


@elementwise(refused={"n": WHOLE})
def eval_hermitenorm(n, x, *, dy):
    y = special.eval_hermitenorm(n, x)
    dx = dy * n * special.eval_hermitenorm(np.maximum(signed(n) - 1, 0), x)


@elementwise(refused={"n": ORDER})
def eval_laguerre(n, x, *, dy):
    y = special.eval_laguerre(n, x)
    dx = -dy * special.eval_genlaguerre(signed(n) - 1, 1, x)


@elementwise(refused={"n": ORDER, "a": ORDER})
def eval_genlaguerre(n, a, x, *, dy):
    y = special.eval_genlaguerre(n, a, x)
    dx = -dy * special.eval_genlaguerre(signed(n) - 1, signed(a) + 1, x)


@elementwise(refused={"n": ORDER, "a": ORDER})
def eval_gegenbauer(n, a, x, *, dy):
    y = special.eval_gegenbauer(n, a, x)
    dx = 2 * dy * a * special.eval_gegenbauer(signed(n) - 1, signed(a) + 1, x)


@elementwise(refused={"n": ORDER, "a": ORDER, "b": ORDER})
def eval_jacobi(n, a, b, x, *, dy):
    y = special.eval_jacobi(n, a, b, x)
    k, p, q = signed(n), signed(a), signed(b)
    dx = dy * (k + p + q + 1) / 2 * special.eval_jacobi(k - 1, p + 1, q + 1, x)
