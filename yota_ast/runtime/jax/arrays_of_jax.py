"""What generated code for JAX asks of its arguments, indices and tests.

They are copied into the code as they stand, as all helpers are.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def on_jax(*values: Any) -> list[Any]:
    """Return arrays of JAX, and numbers as they are, if JAX keeps their bits."""
    leaves = [v for v in jax.tree.leaves(values) if hasattr(v, "dtype")]
    dtypes = [np.dtype(v.dtype).newbyteorder("=") for v in leaves]
    numbers = [d for d in dtypes if d.kind in "fc"] or [np.dtype(float)]
    if any(jax.dtypes.canonicalize_dtype(d) != d for d in (*dtypes, *numbers)):
        raise TypeError(
            "JAX would compute with 32 bits: give arrays of float32, or first call "
            'jax.config.update("jax_enable_x64", True)'
        )
    return [as_jax(v) for v in values]


def as_jax(x: Any) -> Any:
    """Return an array of JAX for one of NumPy, also in containers: whole numbers and
    masks stay what they are, for as indices jax.jit has to know them."""
    if type(x) in (list, tuple):
        return type(x)(as_jax(item) for item in x)
    if type(x) is dict:
        return {key: as_jax(item) for key, item in x.items()}
    if not isinstance(x, (np.ndarray, np.generic)):
        return x
    if type(x) not in (np.ndarray, np.memmap) and not isinstance(x, np.generic):
        raise TypeError("made for arrays of NumPy and of JAX")
    dtype = x.dtype.newbyteorder("=")
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        raise TypeError("JAX would round an array of 64 bits to 32")
    if dtype.kind not in "biu":
        return jnp.asarray(x.astype(dtype, copy=False))
    whole = jax.dtypes.canonicalize_dtype(int)
    if dtype.kind != "b" and dtype != whole:
        raise TypeError(f"made for whole numbers of {whole}")
    return x


def within(index: Any, length: int) -> Any:
    """Return an index, if it is in range: JAX takes the nearest one otherwise."""
    if isinstance(index, (slice, bool)) or getattr(index, "dtype", None) == np.bool_:
        return index
    if isinstance(index, jax.core.Tracer):
        raise TypeError(
            "under jax.jit an index that is an argument cannot be tested: let it be "
            "static, or hold it in the function that is compiled"
        )
    if np.size(index) and not -length <= np.min(index) <= np.max(index) < length:
        raise IndexError("an index is out of range")
    return index


def within_axes(index: Any, shape: tuple[int, ...]) -> Any:
    """Return an index of several axes, if each part is in range."""
    parts = list(index) if isinstance(index, tuple) else [index]
    axis = 0
    while parts and axis < len(shape):
        part = parts.pop(0)
        if part is Ellipsis:
            axis = len(shape) - sum(map(axes_taken, parts))
        elif part is not None:
            within(part, shape[axis])
            axis += axes_taken(part)
    return index


def axes_taken(part: Any) -> int:
    """Return how many axes a part of an index takes."""
    is_mask = isinstance(part, bool) or getattr(part, "dtype", None) == np.bool_
    return np.ndim(part) if is_mask else int(part is not None)


def decided(test: Any, line: str) -> Any:
    """Return a test of values, the truth of which `jax.jit` does not know."""
    if isinstance(test, jax.core.Tracer):
        raise TypeError(
            f"`{line}` depends on values, which jax.jit does not know: call the "
            "function without it, or let the argument be static"
        )
    return test
