"""Densities that SciPy estimates from samples, undone.

The adjoint of a `gaussian_kde` is that of its samples `f.dataset`, a row a dimension.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def kernels(f: Any, x: Array) -> Any:
    """From each sample to each point: the difference, and the logarithm of the
    kernel."""
    points = np.reshape(x, (f.d, -1)) if np.ndim(x) < 2 else x
    r = np.asarray(points)[:, np.newaxis, :] - f.dataset[:, :, np.newaxis]
    s = np.tensordot(f.inv_cov, r, 1)
    size = np.linalg.slogdet(2 * np.pi * f.covariance)[1]
    logs = -(np.sum(r * s, axis=0) + size) / 2 + np.log(f.weights)[:, np.newaxis]
    return s, logs


def unsamples(w: Array, s: Array, f: Any) -> Array:
    """The adjoint of the samples, for the weights of the kernels: where they stand, and
    how wide the kernels are."""
    ds = np.sum(w * s, axis=2)
    d = (np.einsum("ij,aij,bij->ab", w, s, s) - np.sum(w) * f.inv_cov) / 2
    far = f.dataset - np.average(f.dataset, axis=1, weights=f.weights)[:, np.newaxis]
    spread = f.weights / (1 - np.sum(f.weights**2))
    return ds + 2 * f.factor**2 * (d @ far) * spread


def undensity(dy: Array, f: Any, x: Array) -> Any:
    """The adjoints of the samples and of `x` in the density `f(x)`."""
    s, logs = kernels(f, x)
    w = dy * np.exp(logs)
    return unsamples(w, s, f), np.reshape(-np.sum(w * s, axis=1), np.shape(x))


def unlog_density(dy: Array, f: Any, x: Array) -> Any:
    """The adjoints of the samples and of `x` in `f.logpdf(x)`."""
    s, logs = kernels(f, x)
    shares = np.exp(logs - np.max(logs, axis=0))
    w = dy * shares / np.sum(shares, axis=0)
    return unsamples(w, s, f), np.reshape(-np.sum(w * s, axis=1), np.shape(x))
