"""Products of matrices and tensors undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast

Array = Any


def unmatmul_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `u @ v`, whatever the ranks."""
    if np.ndim(v) == 1:
        du = np.expand_dims(dy, -1) * v
    elif np.ndim(u) == 1:
        du = (np.expand_dims(dy, -2) @ np.swapaxes(v, -1, -2))[..., 0, :]
    else:
        du = dy @ np.swapaxes(v, -1, -2)
    return unbroadcast(du, u)


def unmatmul_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `u @ v`, whatever the ranks."""
    if np.ndim(u) == 1:
        dv = u.reshape(-1, 1) * np.expand_dims(dy, -2) if np.ndim(v) > 1 else u * dy
    elif np.ndim(v) == 1:
        dv = np.swapaxes(u, -1, -2) @ np.expand_dims(dy, -1)
        dv = dv[..., 0]
    else:
        dv = np.swapaxes(u, -1, -2) @ dy
    return unbroadcast(dv, v)


def undot_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `np.dot(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(np.asarray(dy) * v, u)
    if np.ndim(dy) == 0:
        return np.asarray(dy) * v
    if np.ndim(v) == 1:
        return np.expand_dims(dy, -1) * v
    n = np.ndim(v) - 1
    axes = range(np.ndim(dy) - n, np.ndim(dy))
    return np.tensordot(dy, v, (list(axes), [*range(n - 1), n]))


def undot_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `np.dot(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(np.asarray(dy) * u, v)
    if np.ndim(dy) == 0:
        return np.asarray(dy) * u
    axes = list(range(np.ndim(u) - 1))
    dv = np.tensordot(u, dy, (axes, axes))
    return dv if np.ndim(v) == 1 else np.moveaxis(dv, 0, -2)


def uninner_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `np.inner(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(np.asarray(dy) * v, u)
    if np.ndim(dy) == 0:
        return np.asarray(dy) * v
    n = np.ndim(v) - 1
    axes = range(np.ndim(dy) - n, np.ndim(dy))
    return np.tensordot(dy, v, (list(axes), list(range(n))))


def uninner_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `np.inner(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(np.asarray(dy) * u, v)
    if np.ndim(dy) == 0:
        return np.asarray(dy) * u
    axes = list(range(np.ndim(u) - 1))
    return np.tensordot(dy, u, (axes, axes))


def contracted_axes(u: Array, v: Array, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of `u` and `v`, from 0, over which `tensordot` sums."""
    if not np.ndim(axes):
        n = int(axes)
        return list(range(np.ndim(u) - n, np.ndim(u))), list(range(n))
    p, q = np.atleast_1d(axes[0]), np.atleast_1d(axes[1])
    return [int(k) % np.ndim(u) for k in p], [int(k) % np.ndim(v) for k in q]


def untensordot_left(dy: Array, u: Array, v: Array, axes: Any = 2) -> Array:
    """The adjoint of `u` in `tensordot(u, v, axes)`."""
    p, q = contracted_axes(u, v, axes)
    kept = [k for k in range(np.ndim(u)) if k not in p]
    rest = [k for k in range(np.ndim(v)) if k not in q]
    du = np.tensordot(dy, v, (list(range(len(kept), np.ndim(dy))), rest))
    order = [*kept, *(p[k] for k in np.argsort(q))]
    return np.transpose(du, np.argsort(order).tolist())


def untensordot_right(dy: Array, u: Array, v: Array, axes: Any = 2) -> Array:
    """The adjoint of `v` in `tensordot(u, v, axes)`."""
    p, q = contracted_axes(u, v, axes)
    kept = [k for k in range(np.ndim(u)) if k not in p]
    rest = [k for k in range(np.ndim(v)) if k not in q]
    dv = np.tensordot(u, dy, (kept, list(range(len(kept)))))
    order = [*(q[k] for k in np.argsort(p)), *rest]
    return np.transpose(dv, np.argsort(order).tolist())


def unkron_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `kron(u, v)`."""
    blocks, v = kron_blocks(dy, u, v)
    axes = tuple(range(1, blocks.ndim, 2))
    return np.sum(blocks * v, axis=axes).reshape(np.shape(u))


def unkron_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `kron(u, v)`."""
    blocks, u = kron_blocks(dy, v, u, first=1)
    axes = tuple(range(0, blocks.ndim, 2))
    return np.sum(blocks * u, axis=axes).reshape(np.shape(v))


def kron_blocks(dy: Array, x: Array, other: Array, first: int = 0) -> Any:
    """`dy` with its axes taken apart, and `other` laid along every second of them.

    The axes of `x` are at `first`, first + 2, ...
    """
    rank = max(np.ndim(x), np.ndim(other))
    shape = [0] * (2 * rank)
    shape[first::2] = (1,) * (rank - np.ndim(x)) + np.shape(x)
    shape[1 - first :: 2] = (1,) * (rank - np.ndim(other)) + np.shape(other)
    along = list(shape)
    along[first::2] = [1] * rank
    return np.reshape(dy, shape), np.reshape(other, along)
