"""Helpers whose own source has no twin on JAX, in other words of NumPy.

The printer for JAX puts `jnp` for `np` in them, as in all helpers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def are_floats(*values: Any) -> bool:
    """Whether each value is a number of Python, or an array of floats."""
    for v in values:
        fits = isinstance(v, (bool, int, float))
        if not fits and getattr(getattr(v, "dtype", None), "kind", "") != "f":
            return False
    return True


def unbroadcast(d: Array, x: Array) -> Array:
    """`d` summed over the axes that broadcasting gave to `x`."""
    shape = np.shape(x)
    if np.shape(d) == shape:
        return d
    lead = np.ndim(d) - len(shape)
    if lead < 0:
        return np.broadcast_to(np.reshape(d, (1,) * len(shape)), shape)
    axes = [k for k, n in enumerate(shape, lead) if n == 1 and d.shape[k] != 1]
    d = np.sum(d, axis=(*range(lead), *axes), keepdims=True)
    return np.broadcast_to(np.reshape(d, d.shape[lead:]), shape)


def unrepeat(dy: Array, x: Array, repeats: Any, axis: Any = None) -> Array:
    """The adjoint of `x` in `repeat(x, repeats, axis)`; `repeats` may be a list."""
    flat = axis is None or np.ndim(x) == 0
    k = 0 if flat else axis
    n = np.size(x) if flat else np.shape(x)[k]
    d = np.moveaxis(dy, k, 0)
    dx = np.zeros_like(d, shape=(n, *d.shape[1:]))
    np.add.at(dx, np.repeat(np.arange(n), np.asarray(repeats)), d)
    return dx.reshape(np.shape(x)) if flat else np.moveaxis(dx, 0, k)
