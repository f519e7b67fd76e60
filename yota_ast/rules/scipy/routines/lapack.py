"""Routines of `scipy.linalg.lapack`, for real matrices.

They give their results and `info`, which is 0 where all went well. Of `overwrite_a` no
rule knows: lowering leaves it out.
"""

from __future__ import annotations

from typing import Any

from scipy.linalg import lapack

from yota_ast.ir.abstract_values import INT, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.shapes import array_of, array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import uneigh
from yota_ast.runtime.scipy.eigen_adjoints import triangle_read
from yota_ast.runtime.scipy.lapack_adjoints import (
    ungesv,
    unpotrf,
    unpotri,
    unpotrs,
    untrtri,
)
from yota_ast.runtime.scipy.matrix_adjoints import (
    unlu_factor,
    unlu_solve,
    unsolve_triangular,
)


def _results(*facts: Fact) -> Fact:
    return Fact("tuple", items=(*facts, INT), cls=tuple)


def _matrix(dtype: Any, a: Atom) -> Fact:
    given = array_of(a)
    return array_result(dtype, given.shape if given.rank == 2 else (None, None))


def _right_side(dtype: Any, b: Atom) -> Fact:
    given = array_of(b)
    return array_result(dtype, given.shape) if given.rank in (1, 2) else UNKNOWN


def _vector(dtype: Any, a: Atom) -> Fact:
    shape = array_of(a).shape
    return array_result(dtype, shape[:1] if isinstance(shape, tuple) else (None,))


def like_matrix(a: Atom) -> Fact:
    """A matrix like that which is given."""
    return _results(_matrix(float, a))


def like_factor(c: Atom) -> Fact:
    """A matrix like a factor that is given."""
    return _results(_matrix(float, c))


def like_right_side(b: Atom) -> Fact:
    """What is as long as the right side."""
    return _results(_right_side(float, b))


def factored(a: Atom) -> Fact:
    """A factor and its pivots."""
    return _results(_matrix(float, a), _vector("i4", a))


def solved(a: Atom, b: Atom) -> Fact:
    """The same, and the solution."""
    whole = _matrix(float, a), _vector("i4", a), _right_side(float, b)
    return _results(*whole)


def with_values(a: Atom) -> Fact:
    """Eigenvalues and vectors."""
    return _results(_vector(float, a), _matrix(float, a))


# ---------------------------------------------------------------- symmetric matrices


@rule(zero=["lower", "clean"], fact=like_matrix)
def dpotrf(a, lower=0, clean=1, *, dy):
    """In the triangle that is read."""
    y = lapack.dpotrf(a, lower, clean)
    da = unpotrf(dy[0], y, lower, clean)


@rule(zero=["lower"], linear=["b"], fact=like_right_side)
def dpotrs(c, b, lower=0, *, dy):
    y = lapack.dpotrs(c, b, lower)
    w = lapack.dpotrs(c, dy[0], lower)[0]
    dc = unpotrs(w, c, y[0], lower)
    db = w


@rule(zero=["lower"], fact=like_factor)
def dpotri(c, lower=0, *, dy):
    """Outside the triangle the result is what `c` is there."""
    y = lapack.dpotri(c, lower)
    dc = unpotri(dy[0], c, y, lower)


@rule(
    zero=["compute_v", "lower"],
    only={"compute_v": (1, True)},
    fact=with_values,
)
def dsyev(a, compute_v=1, lower=0, *, dy):
    """Of distinct eigenvalues."""
    y = lapack.dsyev(a, compute_v, lower)
    da = uneigh(dy[0], dy[1], y[0], y[1], triangle_read(lower))


# ---------------------------------------------------------------- general matrices


@rule(fact=factored)
def dgetrf(a, *, dy):
    """Of square matrices."""
    y = lapack.dgetrf(a)
    da = unlu_factor(dy, (y[0], y[1]))


@rule(zero=["piv", "trans"], linear=["b"], only={"trans": (0, 1)})
def dgetrs(lu, piv, b, trans=0, *, dy):
    y = lapack.dgetrs(lu, piv, b, trans)
    w = lapack.dgetrs(lu, piv, dy[0], 1 - trans)[0]
    dlu = unlu_solve(w, (lu, piv), y[0], trans)[0]
    db = w


@rule(fact=solved)
def dgesv(a, b, *, dy):
    y = lapack.dgesv(a, b)
    both = ungesv(dy, y)
    da = both[0]
    db = both[1]


# ---------------------------------------------------------------- triangles


@rule(
    zero=["lower", "trans", "unitdiag"],
    linear=["b"],
    only={"trans": (0, 1)},
    fact=like_right_side,
)
def dtrtrs(a, b, lower=0, trans=0, unitdiag=0, *, dy):
    """In the triangle that is read."""
    y = lapack.dtrtrs(a, b, lower, trans, unitdiag)
    both = unsolve_triangular(dy[0], a, y[0], trans, lower, unitdiag)
    da = both[0]
    db = both[1]


@rule(zero=["lower", "unitdiag"], only={"unitdiag": (0,)}, fact=like_factor)
def dtrtri(c, lower=0, unitdiag=0, *, dy):
    """Outside the triangle the result is what `c` is there."""
    y = lapack.dtrtri(c, lower, unitdiag)
    dc = untrtri(dy[0], y[0], lower)
