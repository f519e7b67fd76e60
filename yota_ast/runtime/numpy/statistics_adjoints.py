"""Covariances, histograms and counts undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.reduction_adjoints import unhistogram

Array = Any


def samples_of(m: Array, other: Any, rowvar: bool) -> Array:
    """The samples of `cov(m, other, rowvar)`, a variable in each row."""
    x = np.atleast_2d(m)
    x = x.T if not rowvar and np.ndim(m) > 1 else x
    if other is None:
        return x
    y = np.atleast_2d(other)
    return np.concatenate((x, y.T if not rowvar and np.ndim(other) > 1 else y))


def uncov(
    dy: Array,
    m: Array,
    other: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    """The adjoints of `m`, `other` and `aweights` in `cov`."""
    x = samples_of(m, other, rowvar)
    one = np.ones_like(x, shape=np.shape(x)[1:])
    counts = one if fweights is None else np.multiply(one, fweights).astype(x.dtype)
    shares = one if aweights is None else np.multiply(one, aweights)
    w = counts * shares
    total, squares = np.sum(w), np.sum(w * shares)
    ddof = (0 if bias else 1) if ddof is None else ddof
    scale = total - (ddof * squares / total if aweights is not None else ddof)
    x = x - np.sum(x * w, axis=1, keepdims=True) / total
    d = np.reshape(dy, (len(x), len(x)))
    dx = (d + d.T) @ (x * w) / scale
    n = len(x) if other is None else len(x) - len(samples_of(other, None, rowvar))
    dm = dx[:n].T if not rowvar and np.ndim(m) > 1 else dx[:n]
    dother = dx[n:].T if not rowvar and np.ndim(other) > 1 else dx[n:]
    dscale = counts - ddof * counts * (2 * shares * total - squares) / (total * total)
    each = np.sum(x * (d @ x), axis=0)
    daweights = counts * each / scale - np.sum(w * each) / (scale * scale) * dscale
    return (
        np.reshape(dm, np.shape(m)),
        None if other is None else np.reshape(dother, np.shape(other)),
        daweights,
    )


def uncorrcoef(
    dy: Array, y: Array, m: Array, other: Any = None, rowvar: bool = True
) -> Any:
    """The adjoints of `m` and `other` in `y = corrcoef(m, other, rowvar)`."""
    x = samples_of(m, other, rowvar)
    d, r = np.reshape(dy, (len(x), len(x))), np.reshape(y, (len(x), len(x)))
    rest = x - np.mean(x, axis=1, keepdims=True)
    variances = np.sum(rest * rest, axis=1) / max(np.shape(x)[1] - 1, 1)
    s = np.sqrt(variances)
    both = np.sum((d + d.T) * r, axis=1) / (2 * variances)
    dc = d / s / np.expand_dims(s, -1) - np.eye(len(x), dtype=s.dtype, like=s) * both
    return uncov(dc, m, other, rowvar)[:2]


def bins_of(x: Array, edges: Array) -> Any:
    """The bin of each element between the edges, and whether there is one."""
    x = np.reshape(x, -1)
    last = len(edges) - 2
    index = np.minimum(np.searchsorted(edges, x, "right") - 1, last)
    index = np.where(x == edges[-1], last, index)
    inside = (edges[0] <= x) & (x <= edges[-1])
    return np.where(inside, index, 0), inside


def uncount(
    dy: Any,
    y: Any,
    x: Array,
    bins: Any,
    range: Any,  # noqa: A002
    weights: Any,
    density: Any,
) -> Any:
    """The adjoints of `x`, `bins` and `weights` in `y = histogram(x, bins, ...)`.

    Which bin an element is in has no slope; edges move with the extremes.
    """
    dcounts, dedges = dy[0], dy[1]
    if density:
        width = np.diff(y[1])
        index, inside = bins_of(x, y[1])
        given = np.ones_like(y[0], shape=np.size(x))
        given = given if weights is None else np.reshape(weights, -1)
        total = np.sum(given * inside)
        dwidth = -dcounts * y[0] / width
        dcounts = dcounts / (width * total) - np.sum(dcounts * y[0]) / total
        zero = np.zeros_like(dwidth[:1])
        dedges = (
            dedges + np.concatenate((zero, dwidth)) - np.concatenate((dwidth, zero))
        )
    dx, dbins = unhistogram((dcounts, dedges), x, bins, range)
    if weights is None:
        return dx, dbins, None
    index, inside = bins_of(x, y[1])
    return dx, dbins, np.reshape(dcounts[index] * inside, np.shape(weights))
