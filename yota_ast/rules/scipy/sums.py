"""Sums of exponentials: `logsumexp`, `softmax` and `log_softmax` of `scipy.special`."""

from __future__ import annotations

import numpy as np
from scipy import special

from yota_ast.rules.inference.joins import same_shape
from yota_ast.rules.inference.shapes import reduction
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import restored
from yota_ast.runtime.scipy.special_slopes import unlogsumexp, unweighted


@rule(
    zero=["axis", "keepdims"], only={"return_sign": (False,)}, fact=reduction(np.mean)
)
def logsumexp(x, axis=None, b=None, keepdims=False, return_sign=False, *, dy):
    """Where all are -inf, 0."""
    y = special.logsumexp(x, axis, b, keepdims, return_sign)
    dx = unlogsumexp(dy, x, y, axis, keepdims, b)
    db = unweighted(dy, x, y, axis, keepdims, b)


@rule(
    zero=["axis", "keepdims"],
    only={"b": (None,), "return_sign": (False,)},
    fact=reduction(np.mean),
)
def logsumexp_unweighted(
    x, axis=None, *, b=None, keepdims=False, return_sign=False, dy
):
    """Where all are -inf, 0."""
    y = special.logsumexp(x, axis, b, keepdims, return_sign)
    top = restored(np.where(y == -np.inf, 0, y), axis, keepdims)
    dx = restored(dy, axis, keepdims) * np.exp(x - top)


@rule(zero=["axis"], fact=same_shape)
def softmax(x, axis=None, *, dy):
    y = special.softmax(x, axis)
    t = dy * y
    dx = t - y * np.sum(t, axis=axis, keepdims=True)


@rule(zero=["axis"], fact=same_shape)
def log_softmax(x, axis=None, *, dy):
    y = special.log_softmax(x, axis)
    dx = dy - np.exp(y) * np.sum(dy, axis=axis, keepdims=True)
