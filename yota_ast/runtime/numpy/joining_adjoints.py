"""Arrays joined, repeated and padded, taken apart again."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
Axis = Any


def like_sequence(parts: list[Array], arrays: Any) -> Any:
    """The parts, stacked if `arrays` is an array."""
    return np.stack(parts) if hasattr(arrays, "dtype") else parts


def unconcatenate(dy: Array, arrays: Any, axis: Axis = 0) -> Any:
    """The adjoints of the arrays of `concatenate(arrays, axis)`."""
    if axis is None:
        cuts = np.cumsum([np.size(a) for a in arrays])[:-1].tolist()
        flat = np.split(dy, cuts)
        parts = [p.reshape(np.shape(a))[()] for p, a in zip(flat, arrays)]
    else:
        cuts = np.cumsum([np.shape(a)[axis] for a in arrays])[:-1].tolist()
        parts = np.split(dy, cuts, axis)
    return like_sequence(parts, arrays)


def unstack(dy: Array, arrays: Any, axis: int = 0) -> Any:
    """The adjoints of the arrays of `stack(arrays, axis)`."""
    return like_sequence(list(np.moveaxis(dy, axis, 0)), arrays)


def unjoin(dy: Array, arrays: Any, raised: Any, axis: int) -> Any:
    """The adjoints of arrays that were concatenated after they got more axes."""
    parts = unconcatenate(dy, list(raised), axis)
    return like_sequence(
        [np.reshape(p, np.shape(a))[()] for p, a in zip(parts, arrays)], arrays
    )


def unvstack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `vstack(arrays)`."""
    return unjoin(dy, arrays, [np.atleast_2d(a) for a in arrays], 0)


def unhstack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `hstack(arrays)`."""
    return unjoin(
        dy, arrays, [np.atleast_1d(a) for a in arrays], min(np.ndim(dy) - 1, 1)
    )


def undstack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `dstack(arrays)`."""
    return unjoin(dy, arrays, [np.atleast_3d(a) for a in arrays], 2)


def uncolumn_stack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `column_stack(arrays)`."""
    columns = [a if np.ndim(a) > 1 else np.reshape(a, (-1, 1)) for a in arrays]
    return unjoin(dy, arrays, columns, 1)


def unappend(dy: Array, x: Array, values: Array, axis: Axis = None) -> Any:
    """The adjoints of `x` and `values` in `append(x, values, axis)`."""
    return unconcatenate(dy, (x, values), axis)


def untile(dy: Array, x: Array, reps: Any) -> Array:
    """The adjoint of `x` in `tile(x, reps)`."""
    reps = np.atleast_1d(reps)
    rank = max(len(reps), np.ndim(x))
    shape = (1,) * (rank - np.ndim(x)) + np.shape(x)
    times = (1,) * (rank - len(reps)) + tuple(int(n) for n in reps)
    blocks = [n for pair in zip(times, shape) for n in pair]
    return (
        dy.reshape(blocks).sum(axis=tuple(range(0, 2 * rank, 2))).reshape(np.shape(x))
    )


def unrepeat(dy: Array, x: Array, repeats: Any, axis: Axis = None) -> Array:
    """The adjoint of `x` in `repeat(x, repeats, axis)`."""
    flat = axis is None or np.ndim(x) == 0  # a number is taken for an array of one
    k = 0 if flat else axis
    n = np.size(x) if flat else np.shape(x)[k]
    d = np.moveaxis(dy, k, 0)
    dx = np.zeros_like(d, shape=(n, *d.shape[1:]))
    np.add.at(dx, np.repeat(np.arange(n, like=d), repeats), d)
    return dx.reshape(np.shape(x)) if flat else np.moveaxis(dx, 0, k)
