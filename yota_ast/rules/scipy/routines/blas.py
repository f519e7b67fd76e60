"""Routines of `scipy.linalg.blas`, for real vectors and matrices.

What may write into its argument (`daxpy`, `overwrite_c`) has no rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import blas

from yota_ast.ir.abstract_values import FLOAT, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.shapes import array_of, array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime.scipy.lapack_adjoints import as_taken, folded, mirrored
from yota_ast.runtime.scipy.matrix_adjoints import triangle


def number(x: Atom) -> Fact:
    """A number of Python."""
    return FLOAT


def matrix(alpha: Atom) -> Fact:
    """A matrix."""
    return array_result(float, (None, None))


def vector(alpha: Atom) -> Fact:
    """A vector."""
    return array_result(float, (None,))


def like_right_side(a: Atom, b: Atom) -> Fact:
    """What has the shape of the right side."""
    given: Any = array_of(b)
    return array_result(float, given.shape if given.rank in (1, 2) else None)


# ---------------------------------------------------------------- vectors


@rule(linear=["x", "y"], fact=number)
def ddot(x, y, *, dz):
    z = blas.ddot(x, y)
    dx = dz * np.asarray(y)
    dy = dz * np.asarray(x)


@rule(fact=number)
def dnrm2(x, *, dy):
    """Where the norm is 0 and there is no slope, 0."""
    y = blas.dnrm2(x)
    dx = dy / (y + (y == 0)) * np.asarray(x)


@rule(fact=number)
def dasum(x, *, dy):
    y = blas.dasum(x)
    dx = dy * np.sign(x)


# ---------------------------------------------------------------- products


@rule(linear=["alpha", "a", "x"], zero=["trans"], only={"trans": (0,)}, fact=vector)
def dgemv(alpha, a, x, *, trans=0, dy):
    y = blas.dgemv(alpha, a, x, trans=trans)
    dalpha = dy @ a @ x
    da = alpha * np.outer(dy, x)
    dx = alpha * (dy @ a)


@rule(linear=["alpha", "a", "x"], zero=["trans"], only={"trans": (1,)}, fact=vector)
def dgemv_turned(alpha, a, x, *, trans=0, dy):
    y = blas.dgemv(alpha, a, x, trans=trans)
    dalpha = x @ a @ dy
    da = alpha * np.outer(x, dy)
    dx = alpha * (a @ dy)


@rule(linear=["alpha", "a", "b"], zero=["trans_a", "trans_b"], fact=matrix)
def dgemm_turned(alpha, a, b, *, trans_a=0, trans_b=0, dy):
    y = blas.dgemm(alpha, a, b, trans_a=trans_a, trans_b=trans_b)
    left = as_taken(a, trans_a)
    right = as_taken(b, trans_b)
    dalpha = np.sum(dy * (left @ right))
    da = as_taken(alpha * (dy @ np.transpose(right)), trans_a)
    db = as_taken(alpha * (np.transpose(left) @ dy), trans_b)


@rule(
    linear=["alpha", "a", "b"],
    zero=["trans_a", "trans_b"],
    only={"trans_a": (0,), "trans_b": (0,)},
    fact=matrix,
)
def dgemm(alpha, a, b, *, trans_a=0, trans_b=0, dy):
    y = blas.dgemm(alpha, a, b, trans_a=trans_a, trans_b=trans_b)
    dalpha = np.sum(dy * (a @ b))
    da = alpha * (dy @ np.transpose(b))
    db = alpha * (np.transpose(a) @ dy)


@rule(zero=["trans_a", "trans_b"], fact=matrix)
def dgemm_added(alpha, a, b, beta, c, trans_a=0, trans_b=0, *, dy):
    y = blas.dgemm(alpha, a, b, beta, c, trans_a, trans_b)
    right = as_taken(b, trans_b)
    dalpha = np.sum(dy * (as_taken(a, trans_a) @ right))
    da = as_taken(alpha * (dy @ np.transpose(right)), trans_a)
    db = as_taken(alpha * (as_taken(a, 1 - trans_a) @ dy), trans_b)
    dbeta = np.sum(dy * c)
    dc = beta * dy


@rule(linear=["alpha"], zero=["trans", "lower"], fact=matrix)
def dsyrk(alpha, a, *, trans=0, lower=0, dy):
    """One triangle of the product, and 0 outside."""
    y = blas.dsyrk(alpha, a, trans=trans, lower=lower)
    d = triangle(dy, lower)
    dalpha = np.sum(d * (as_taken(a, trans) @ as_taken(a, 1 - trans)))
    da = as_taken(alpha * ((d + np.transpose(d)) @ as_taken(a, trans)), trans)


@rule(linear=["alpha", "a", "b"], zero=["lower"], fact=matrix)
def dsymm(alpha, a, b, *, lower=0, dy):
    """By the triangle that is read."""
    y = blas.dsymm(alpha, a, b, lower=lower)
    whole = mirrored(a, lower)
    dalpha = np.sum(dy * (whole @ b))
    da = folded(alpha * (dy @ np.transpose(b)), lower)
    db = alpha * (whole @ dy)


@rule(linear=["alpha", "a", "x"], zero=["lower"], fact=vector)
def dsymv(alpha, a, x, *, lower=0, dy):
    """By the triangle that is read."""
    y = blas.dsymv(alpha, a, x, lower=lower)
    whole = mirrored(a, lower)
    dalpha = dy @ whole @ x
    da = folded(alpha * np.outer(dy, x), lower)
    dx = alpha * (whole @ dy)


# ---------------------------------------------------------------- triangles


@rule(
    linear=["alpha", "b"],
    zero=["side", "lower", "trans_a", "diag"],
    only={"side": (0,), "diag": (0,)},
    fact=matrix,
)
def dtrmm(alpha, a, b, side=0, lower=0, trans_a=0, diag=0, *, dy):
    """By the triangle that is read."""
    y = blas.dtrmm(alpha, a, b, side, lower, trans_a, diag)
    left = as_taken(triangle(a, lower), trans_a)
    dalpha = np.sum(dy * (left @ b))
    da = triangle(as_taken(alpha * (dy @ np.transpose(b)), trans_a), lower)
    db = alpha * (np.transpose(left) @ dy)
