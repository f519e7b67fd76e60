"""A table of operations of one example: `vmap` gives what a loop gives, or refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import yota_ast as ya

from .comparing import loop, same

RNG = np.random.default_rng(0)


def draw(*shape):
    return RNG.normal(size=shape)


def spd(*shape):
    a = draw(*shape)
    return a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])


S, V, M = draw(4), draw(4, 3), draw(4, 2, 3)
"""A number, a vector and a matrix of each of four examples."""
Q, C = spd(4, 3, 3), draw(4, 3, 2)
K, KS = RNG.integers(0, 3, 4), RNG.integers(0, 3, (4, 2))
W, B = draw(2, 3), draw(3)
ONES, COLUMN, ROW = draw(4, 1), draw(4, 2, 1), draw(4, 1, 3)


def shape_taken_apart(m):
    n, k = m.shape
    return m * n + k


TABLE = {
    "add": (lambda s, v: s + v, (S, V)),
    "add turned": (lambda v, s: v - s, (V, S)),
    "number times matrix": (lambda s, m: s * m, (S, M)),
    "vector plus matrix": (lambda v, m: v + m, (V, M)),
    "shared": (lambda v, w: v * w, (V, W), (0, None)),
    "shared matrix, number": (lambda s, w: s * w + s, (S, W), (0, None)),
    "unit axis": (lambda c, r: c * r, (COLUMN, ROW)),
    "vector of one": (lambda o, v: o * v, (ONES, V)),
    "power": (lambda v: v**2 + 2**v, (V,)),
    "compare": (lambda v, s: (v > s) | ~(v < 0), (V, S)),
    "where": (lambda s, v, m: np.where(v > 0, m, s), (S, V, M)),
    "clip": (lambda v, s: np.clip(v, -abs(s), 0.5), (V, S)),
    "maximum": (lambda s, m: np.maximum(m, s), (S, M)),
    "arctan2": (lambda s, v: np.arctan2(s, v), (S, V)),
    "math": (lambda s: math.sin(s) + math.exp(s) + math.atan2(s, 2.0), (S,)),
    "floor": (lambda s: math.floor(s), (S,)),
    "float": (lambda s: float(s) * 2, (S,)),
    "abs": (lambda s: abs(s), (S,)),
    "max": (lambda s, v: max(s, 0.2, v[0]), (S, V)),
    "min": (lambda s, v: min(s, v[1]), (S, V)),
    "not": (lambda s: 1.0 if not s > 0 else 2.0, (S,)),
    "and": (lambda s, v: 1.0 if s > 0 and v[0] > 0 else s, (S, V)),
    "or": (lambda s, v: 1.0 if s > 0 or v[0] > 0 else s, (S, V)),
    "chain": (lambda s: s if -0.5 < s < 0.5 else 0.0, (S,)),
    "bool": (lambda s: bool(s > 0), (S,)),
    "round": (lambda v: np.round(v, 1), (V,)),
    "sum": (lambda m: np.sum(m), (M,)),
    "sum of axis": (lambda m: np.sum(m, axis=0), (M,)),
    "sum of last": (lambda m: m.sum(axis=-1), (M,)),
    "sum kept": (lambda m: m - m.sum(axis=1, keepdims=True), (M,)),
    "sum all kept": (lambda m: np.sum(m, keepdims=True), (M,)),
    "sum of axes": (lambda m: np.sum(m, axis=(0, 1)), (M,)),
    "sum by position": (lambda m: np.sum(m, 0), (M,)),
    "sum of python": (lambda v: sum(v), (V,)),
    "mean": (lambda v: np.mean(v), (V,)),
    "max of all": (lambda m: np.max(m), (M,)),
    "min of axis": (lambda m: m.min(axis=0), (M,)),
    "prod": (lambda m: np.prod(m, axis=1), (M,)),
    "std": (lambda m: np.std(m, axis=0, ddof=1), (M,)),
    "var": (lambda m: np.var(m), (M,)),
    "median": (lambda m: np.median(m, axis=1), (M,)),
    "any": (lambda m: np.any(m > 1, axis=0), (M,)),
    "all": (lambda m: np.all(m > -1), (M,)),
    "argmax": (lambda v: np.argmax(v), (V,)),
    "argmin of axis": (lambda m: np.argmin(m, axis=0), (M,)),
    "cumsum": (lambda v: np.cumsum(v), (V,)),
    "cumsum of axis": (lambda m: np.cumsum(m, axis=0), (M,)),
    "cumprod": (lambda v: np.cumprod(v), (V,)),
    "sort": (lambda m: np.sort(m), (M,)),
    "sort of axis": (lambda m: np.sort(m, axis=0), (M,)),
    "argsort": (lambda v: np.argsort(v), (V,)),
    "flip": (lambda m: np.flip(m), (M,)),
    "flip of axis": (lambda m: np.flip(m, axis=0), (M,)),
    "norm": (lambda v: np.linalg.norm(v), (V,)),
    "norm of matrix": (lambda m: np.linalg.norm(m), (M,)),
    "norm of axis": (lambda m: np.linalg.norm(m, axis=0), (M,)),
    "norm of order": (lambda v: np.linalg.norm(v, 1), (V,)),
    "matrix vector": (lambda m, v: m @ v, (M, V)),
    "shared matrix, vector": (lambda w, v: w @ v, (W, V), (None, 0)),
    "matrix, shared vector": (lambda m, b: m @ b, (M, B), (0, None)),
    "vector matrix": (lambda v, q: v @ q, (V, Q)),
    "shared vector, matrix": (lambda b, q: b @ q, (B, Q), (None, 0)),
    "vector, shared matrix": (lambda v, w: v @ w.T, (V, W), (0, None)),
    "vectors": (lambda v, q: v @ q[0], (V, Q)),
    "shared vector": (lambda b, v: b @ v, (B, V), (None, 0)),
    "matrices": (lambda m, q: m @ q, (M, Q)),
    "shared, matrices": (lambda w, c: w @ c, (W, C), (None, 0)),
    "matrices, shared": (lambda c, w: c @ w, (C, W), (0, None)),
    "dot": (lambda m, q: np.dot(m, q), (M, Q)),
    "dot of number": (lambda s, v: np.dot(s, v), (S, V)),
    "inner": (lambda v, q: np.inner(v, q[1]), (V, Q)),
    "vdot": (lambda m, w: np.vdot(m, w), (M, W), (0, None)),
    "outer": (lambda v, m: np.outer(v, m[0]), (V, M)),
    "outer shared": (lambda b, v: np.outer(b, v), (B, V), (None, 0)),
    "outer, shared": (lambda v, b: np.outer(v, b), (V, B), (0, None)),
    "einsum": (lambda m, v: np.einsum("ij,j->i", m, v), (M, V)),
    "einsum shared": (lambda w, m: np.einsum("ij,ij->", w, m), (W, M), (None, 0)),
    "einsum of n": (lambda m: np.einsum("nb->bn", m), (M,)),
    "solve": (lambda q, v: np.linalg.solve(q, v), (Q, V)),
    "solve shared": (lambda q, v: np.linalg.solve(q, v), (Q[0], V), (None, 0)),
    "solve, shared": (lambda q, b: np.linalg.solve(q, b), (Q, B), (0, None)),
    "solve matrix": (lambda q, c: np.linalg.solve(q, c), (Q, C)),
    "solve matrix shared": (lambda q, c: np.linalg.solve(q, c), (Q[0], C), (None, 0)),
    "inv": (lambda q: np.linalg.inv(q), (Q,)),
    "det": (lambda q: np.linalg.det(q), (Q,)),
    "slogdet": (lambda q: np.linalg.slogdet(q)[1], (Q,)),
    "cholesky": (lambda q: np.linalg.cholesky(q), (Q,)),
    "eigvalsh": (lambda q: np.linalg.eigvalsh(q), (Q,)),
    "transpose": (lambda m: m.T, (M,)),
    "transpose of axes": (lambda m: np.transpose(m, (1, 0)), (M,)),
    "transpose of vector": (lambda v: v.T, (V,)),
    "swapaxes": (lambda m: np.swapaxes(m, 0, 1), (M,)),
    "moveaxis": (lambda m: np.moveaxis(m, 0, -1), (M,)),
    "expand_dims": (lambda m: np.expand_dims(m, 1), (M,)),
    "squeeze": (lambda c: np.squeeze(c, axis=1), (COLUMN,)),
    "reshape": (lambda m: m.reshape(3, 2), (M,)),
    "reshape to vector": (lambda m: m.reshape(-1), (M,)),
    "reshape by tuple": (lambda m: np.reshape(m, (m.shape[1], -1)), (M,)),
    "reshape by shape": (lambda m, w: m.T.reshape(w.shape), (M, W), (0, None)),
    "ravel": (lambda m: m.ravel(), (M,)),
    "flatten": (lambda m: m.T.flatten(), (M,)),
    "broadcast_to": (lambda v: np.broadcast_to(v, (2, 3)), (V,)),
    "concatenate": (lambda v, b: np.concatenate([v, b]), (V, B), (0, None)),
    "concatenate axis": (
        lambda m, w: np.concatenate([w, m], axis=1),
        (M, W),
        (0, None),
    ),
    "hstack": (lambda v, b: np.hstack([v, b]), (V, B), (0, None)),
    "hstack of matrices": (lambda m: np.hstack([m, m]), (M,)),
    "vstack": (lambda v, b: np.vstack([v, b]), (V, B), (0, None)),
    "vstack of matrices": (lambda m, w: np.vstack([m, w]), (M, W), (0, None)),
    "stack": (lambda v, b: np.stack([v, b]), (V, B), (0, None)),
    "stack axis": (lambda v, b: np.stack([b, v], axis=1), (V, B), (0, None)),
    "array": (lambda s, v: np.array([s, v[0], 1.0]), (S, V)),
    "array of arrays": (lambda v: np.array([v, v * 2]), (V,)),
    "shape": (lambda m: m * m.shape[0] + m.shape[-1], (M,)),
    "shape taken apart": (shape_taken_apart, (M,)),
    "len": (lambda m: m.sum() / len(m), (M,)),
    "size": (lambda m: m.sum() / m.size, (M,)),
    "ndim": (lambda m: m * m.ndim, (M,)),
    "item": (lambda v: v[1], (V,)),
    "last item": (lambda v: v[-1], (V,)),
    "row": (lambda m: m[0], (M,)),
    "column": (lambda m: m[:, 1], (M,)),
    "element": (lambda m: m[1, 2], (M,)),
    "slice": (lambda v: v[1:] - v[:-1], (V,)),
    "steps": (lambda v: v[::-1] + v[::2].sum(), (V,)),
    "ellipsis": (lambda m: m[..., 0], (M,)),
    "new axis": (lambda v: v[:, None] * v, (V,)),
    "list index": (lambda v: v[[0, 2, 0]], (V,)),
    "mask": (lambda v, k: v[k > 0], (V, np.array([1, 0, 1])), (0, None)),
    "item of each": (lambda v, k: v[k], (V, K)),
    "row of each": (lambda c, k: c[k], (C, K)),
    "items of each": (lambda v, k: v[k], (V, KS)),
    "shared, item of each": (lambda b, k: b[k], (B, K), (None, 0)),
    "shared, row of each": (lambda q, k: q[k], (Q[0], K), (None, 0)),
    "shared, items of each": (lambda b, k: b[k], (B, KS), (None, 0)),
    "shared index": (lambda v, k: v[k], (V, 2), (0, None)),
    "int arithmetic": (lambda k: k * 2 + k // 2 - k % 2, (K,)),
    "int and float": (lambda k, v: k * v, (K, V)),
    "zeros_like": (lambda m: np.zeros_like(m) + 1, (M,)),
    "copy": (lambda v: v.copy(), (V,)),
    "astype": (lambda k: k.astype(float) / 2, (KS,)),
    "constant": (lambda v: 2.0, (V,)),
    "shared result": (lambda v, b: b, (V, B), (0, None)),
    "argument": (lambda v: v, (V,)),
    "tuple": (lambda v, b: (v * 2, b, 1.0), (V, B), (0, None)),
    "complex": (lambda v: np.abs(np.exp(1j * v)), (V,)),
    "sinc": (lambda v: np.sinc(v), (V,)),
}


def case(name):
    fn, args, *axes = TABLE[name]
    return fn, args, axes[0] if axes else (0,) * len(args)


@pytest.mark.parametrize("name", TABLE)
def test_vmap_is_the_loop(name):
    fn, args, axes = case(name)
    same(ya.vmap(fn, in_axes=axes)(*args), loop(fn, args, axes))


@pytest.mark.parametrize("name", TABLE)
def test_one_example_and_none(name):
    fn, args, axes = case(name)
    mapped = ya.vmap(fn, in_axes=axes)
    one = [a[:1] if k == 0 else a for a, k in zip(args, axes, strict=True)]
    same(mapped(*one), loop(fn, one, axes))
    none = [a[:0] if k == 0 else a for a, k in zip(args, axes, strict=True)]
    found, many = mapped(*none), mapped(*args)
    for empty, full in zip(_flat(found), _flat(many), strict=True):
        assert empty.shape == (0, *full.shape[1:])
        assert empty.dtype == full.dtype


@pytest.mark.parametrize("name", TABLE)
def test_examples_on_the_last_axis(name):
    fn, args, axes = case(name)
    moved = [
        np.moveaxis(a, 0, -1) if k == 0 else a for a, k in zip(args, axes, strict=True)
    ]
    last = tuple(-1 if k == 0 else None for k in axes)
    same(ya.vmap(fn, in_axes=last)(*moved), loop(fn, args, axes))


PLAIN = ("max", "or", "chain", "and")
"""A loop gives floats of Python for some examples: of these, float64 is made."""


@pytest.mark.parametrize("name", [n for n in TABLE if n not in PLAIN])
def test_float32_stays(name):
    fn, args, axes = case(name)
    args = [
        np.asarray(a, np.float32) if np.asarray(a).dtype == float else a for a in args
    ]
    same(ya.vmap(fn, in_axes=axes)(*args), loop(fn, args, axes), 2e-4)


def _flat(found):
    return found if isinstance(found, tuple) else (found,)
