"""Rotations of `scipy.spatial.transform`, undone.

The adjoint of a `Rotation` is that of a small rotation after it, as a rotation vector:
a row for each rotation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import transform

from yota_ast.runtime.numpy.broadcast_adjoints import expand, unbroadcast

Array = Any


def unquat(df: Array, q: Array, scalar_first: bool = False) -> Array:
    """The adjoint of `q` in `Rotation.from_quat(q)`, which divides by its norm."""
    v, w = parts_of_quat(np.asarray(q), scalar_first)
    df = expand(df, v)
    dq = joined_quat(w * df + np.cross(df, v), -rows(df * v), scalar_first)
    return 2 * dq / rows(np.asarray(q) * q)


def unas_quat(dy: Array, f: Any, scalar_first: bool = False) -> Array:
    """The adjoint of `f` in `f.as_quat()`."""
    v, w = parts_of_quat(f.as_quat(), False)
    dv, dw = parts_of_quat(dy, scalar_first)
    return (w * dv + np.cross(v, dv) - dw * v) / 2


def unrotvec(df: Array, r: Array, degrees: bool = False) -> Array:
    """The adjoint of `r` in `Rotation.from_rotvec(r)`."""
    unit = np.pi / 180 if degrees else 1.0
    v = np.asarray(r) * unit
    df = expand(df, v)
    angle = np.sqrt(rows(v * v))
    once = np.sinc(angle / (2 * np.pi)) ** 2 / 2
    small = angle < 1e-2
    safe = np.where(small, 1.0, angle)
    series = 1 / 6 - angle**2 / 120 + angle**4 / 5040
    twice = np.where(small, series, (safe - np.sin(safe)) / safe**3)
    turned = np.cross(v, df)
    return unit * (df - once * turned + twice * np.cross(v, turned))


def unas_rotvec(dy: Array, f: Any, degrees: bool = False) -> Array:
    """The adjoint of `f` in `f.as_rotvec()`."""
    d = dy * (180 / np.pi if degrees else 1.0)
    v = f.as_rotvec()
    angle = np.sqrt(rows(v * v))
    small = angle < 1e-2
    safe = np.where(small, 1.0, angle)
    series = 1 / 12 + angle**2 / 720 + angle**4 / 30240
    twice = np.where(small, series, (1 - safe / 2 / np.tan(safe / 2)) / safe**2)
    turned = np.cross(v, d)
    return d + turned / 2 + twice * np.cross(v, turned)


def unas_matrix(dy: Array, f: Any) -> Array:
    """The adjoint of `f` in `f.as_matrix()`."""
    columns = np.cross(f.as_matrix(), dy, axisa=-2, axisb=-2, axisc=-1)
    return np.sum(columns, axis=-2)


def unapplied(dy: Array, f: Any, v: Array) -> Array:
    """The adjoint of `f` in `f.apply(v)`."""
    return unbroadcast(np.cross(f.apply(v), dy), f.as_rotvec())


def unvectors(dy: Array, f: Any, v: Array) -> Array:
    """The adjoint of `v` in `f.apply(v)`."""
    return unbroadcast(f.inv().apply(np.array(dy)), np.asarray(v))


def uninverse(dy: Array, f: Any) -> Array:
    """The adjoint of `f` in `f.inv()`."""
    return -f.apply(expand(dy, f.as_rotvec()))


def unproduct(dy: Array, f: Any, g: Any) -> Any:
    """The adjoints of `f` and `g` in `f * g`."""
    d = expand(dy, (f * g).as_rotvec())
    back = unbroadcast(f.inv().apply(d), g.as_rotvec())
    return unbroadcast(d, f.as_rotvec()), back


def unmagnitude(dy: Array, f: Any) -> Array:
    """The adjoint of `f` in `f.magnitude()`; 0 where it does not turn."""
    v = f.as_rotvec()
    angle = np.sqrt(rows(v * v))
    return np.expand_dims(dy, -1) * v / np.where(angle == 0, 1, angle)


def uneuler(df: Array, seq: str, angles: Array, degrees: bool = False) -> Array:
    """The adjoint of `angles` in `Rotation.from_euler(seq, angles, degrees)`."""
    unit = np.pi / 180 if degrees else 1.0
    listed = np.reshape(angles, (-1, len(seq))) * unit
    axes = axes_of_euler(seq, listed)
    d = np.expand_dims(expand(df, axes[:, 0]), 1)
    da = unit * np.sum(axes * d, axis=-1)
    return np.reshape(da, np.shape(angles))


def unas_euler(dy: Array, f: Any, seq: str, degrees: bool = False) -> Array:
    """The adjoint of `f` in `f.as_euler(seq, degrees)`."""
    d = np.reshape(dy, (-1, 3, 1)) * (180 / np.pi if degrees else 1.0)
    axes = axes_of_euler(seq, np.reshape(f.as_euler(seq), (-1, 3)))
    if np.any(np.abs(np.linalg.det(axes)) < 1e-7):  # as as_euler warns of
        raise np.linalg.LinAlgError(
            "as_euler has no derivative at gimbal lock, where two axes are parallel"
        )
    return np.reshape(np.linalg.solve(axes, d), np.shape(dy))


def axes_of_euler(seq: str, angles: Array) -> Array:
    """About which axis each of the angles turns, in each row."""
    axes = np.zeros((*angles.shape, 3))
    outer = transform.Rotation.from_rotvec(np.zeros((len(angles), 3)))
    places = range(len(seq))
    for k in reversed(places) if seq.islower() else places:
        unit = np.eye(3)["xyz".index(seq[k].lower())]
        axes[:, k] = outer.apply(unit)
        outer = outer * transform.Rotation.from_rotvec(angles[:, k, np.newaxis] * unit)
    return axes


def parts_of_quat(q: Array, scalar_first: bool) -> Any:
    """The vector and the number of quaternions."""
    return (q[..., 1:], q[..., :1]) if scalar_first else (q[..., :3], q[..., 3:])


def joined_quat(v: Array, w: Array, scalar_first: bool) -> Array:
    """Quaternions of vectors and numbers."""
    return np.concatenate((w, v) if scalar_first else (v, w), axis=-1)


def rows(x: Array) -> Array:
    """The sums of the rows, of length 1."""
    return np.sum(x, axis=-1, keepdims=True)
