"""Polynomials, the highest power first, undone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast
from yota_ast.runtime.numpy.factor_adjoints import uneigvals
from yota_ast.runtime.numpy.signal_adjoints import unconvolve_left

Array = Any


def tail(d: Array, x: Array) -> Array:
    """The last elements of `d`, as many as `x` has; zeros before them if there are
    fewer."""
    n = np.size(x)
    d = np.concatenate((np.zeros_like(d, shape=max(n - len(d), 0)), d))
    return np.reshape(d[len(d) - n :], np.shape(x))


def unpolyval(dy: Array, p: Array, x: Array) -> Array:
    """The adjoint of `p` in `polyval(p, x)`."""
    terms = [dy]
    for _ in p[1:]:  # powers of whole numbers might not fit their type
        terms.append(terms[-1] * x)
    parts = [unbroadcast(d, c) for d, c in zip(terms[::-1], p)]
    return np.stack(parts) if parts else np.zeros_like(p)


def unpolymul(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `polymul(u, v)`."""
    if np.size(u) == 0 or np.size(v) == 0:
        return np.zeros_like(u)
    d = np.concatenate(
        (np.zeros_like(dy, shape=np.size(u) + np.size(v) - 1 - len(dy)), dy)
    )
    return unconvolve_left(d, u, v)


def unpolydiv(dy: Any, u: Array, v: Array, y: Any) -> Any:
    """The adjoints of `u` and `v` in `q, r = polydiv(u, v)`: `u = v * q + r`."""
    q, v1 = y[0], np.reshape(v, -1)
    k, n = len(q), len(v1)
    d = np.copy(tail(dy[1], np.zeros_like(v1, shape=k + n - 1)))
    d[:k] = 0
    dq = dy[0] - np.correlate(d, v1, "valid")
    band = np.concatenate((v1, np.zeros_like(v1, shape=k)))[:k]
    i = np.arange(k, like=v1)
    lower = np.tril(band[np.maximum(i[:, np.newaxis] - i, 0)])
    d[:k] = np.linalg.solve(lower.T, dq)
    du = tail(d, u)
    return du, np.reshape(-np.correlate(d, q, "valid"), np.shape(v))


def unpolyder(dy: Array, p: Array, m: int = 1) -> Array:
    """The adjoint of `p` in `polyder(p, m)`."""
    m = int(m)
    powers = range(len(p) - 1, m - 1, -1)
    factors = np.asarray([math.perm(k, m) for k in powers], dy.dtype, like=dy)
    d = dy[: len(factors)] * factors
    return np.concatenate((d, np.zeros_like(d, shape=len(p) - len(d))))


def unpolyint(dy: Array, p: Array, m: int = 1, k: Any = None) -> Any:
    """The adjoints of `p` and of the constants `k` in `polyint(p, m, k)`."""
    m = int(m)
    powers = range(len(p) + m - 1, m - 1, -1)
    factors = np.asarray([math.perm(j, m) for j in powers], dy.dtype, like=dy)
    ends = np.asarray([math.factorial(m - 1 - i) for i in range(m)], dy.dtype, like=dy)
    if k is None:
        return dy[: len(p)] / factors, None
    dk = dy[len(p) :] / ends
    dk = unbroadcast(dk, k)
    return dy[: len(p)] / factors, dk


def unpoly(dy: Array, x: Array) -> Array:
    """The adjoint of `x`, roots or a square matrix, in `poly(x)`."""
    z = np.linalg.eigvals(x) if np.ndim(x) == 2 else np.reshape(x, -1)
    others = [np.poly(np.delete(z, k)) for k in range(len(z))]
    kind = np.result_type(z, dy)
    dz = np.zeros_like(z, dtype=kind)
    for k, p in enumerate(others):
        dz[k] = -np.sum(dy[1:] * np.conj(p))
    return uneigvals(dz, x, z) if np.ndim(x) == 2 else np.reshape(dz, np.shape(x))


def unroots(dy: Array, p: Array, y: Array) -> Array:
    """The adjoint of `p` in `y = roots(p)`, of simple roots."""
    powers = np.arange(len(p) - 1, -1, -1, like=y)
    slope = np.polyval(p[:-1] * powers[:-1], y)
    share = -dy / np.conj(slope)
    d = np.sum(share * np.conj(y) ** powers[:, np.newaxis], axis=1)
    return d if np.iscomplexobj(p) else np.real(d)


def unpolyfit(
    dc: Array, x: Array, y: Array, c: Array, rcond: Any = None, w: Any = None
) -> Any:
    """The adjoints of `x`, `y` and `w` in `c = polyfit(x, y, deg, rcond, w=w)`."""
    weights = np.ones_like(x) if w is None else np.reshape(w, np.shape(w))
    vander = np.vander(x, len(c))
    a = (vander * weights[:, np.newaxis]).astype(c.dtype)
    scale = np.sqrt(np.sum(a * a, axis=0))
    s = np.linalg.svdvals(a / scale)
    cut_off = len(x) * np.finfo(np.result_type(x, 0.0)).eps if rcond is None else rcond
    if len(x) < len(c) or s[-1] <= cut_off * s[0]:
        raise ValueError("the gradient of polyfit needs more points than the degree")
    columns, d = np.reshape(y, (len(x), -1)), np.reshape(dc, (len(c), -1))
    found = np.reshape(c, d.shape)
    inverse = np.linalg.pinv(a / scale, 0) / scale[:, np.newaxis]
    db = inverse.T @ d
    rest = columns * weights[:, np.newaxis] - a @ found
    da = rest @ (inverse @ db).T - db @ found.T
    powers = np.arange(len(c) - 1, -1, -1, like=c)
    slopes = powers * x[:, np.newaxis] ** np.maximum(powers - 1, 0)
    dx = np.sum(da * weights[:, np.newaxis] * slopes, axis=1)
    dy = np.reshape(db * weights[:, np.newaxis], np.shape(y))
    return dx, dy, np.sum(da * vander, axis=1) + np.sum(db * columns, axis=1)


def unvander(dy: Array, x: Array, increasing: bool = False) -> Array:
    """The adjoint of `x` in `vander(x, N, increasing)`."""
    powers = np.arange(np.shape(dy)[1], like=dy)
    powers = powers if increasing else powers[::-1]
    slopes = powers * np.reshape(x, (-1, 1)) ** np.maximum(powers - 1, 0)
    return np.sum(dy * slopes, axis=1)
