"""Factors and eigenvalues of `scipy.linalg`.

What reads one triangle of a matrix alone has a gradient in that triangle alone.
"""

from __future__ import annotations

from scipy import linalg

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.rules.inference.factorings import (
    eigenvalues_fact,
    eigh_fact,
    qr_fact,
    singular_values,
    svd_fact,
)
from yota_ast.rules.inference.shapes import solve_fact
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    along_svdvals,
    along_values_read,
    unbroadcast,
    uneigh,
    uneigvals,
    uneigvalsh,
    unqr,
    unsvd,
    unsvdvals,
)
from yota_ast.runtime.scipy.eigen_adjoints import triangle_read, unschur, unsymmetric

SYMMETRIC = ("sym", "her", "pos", "symmetric", "hermitian", "positive definite")


def _qr(x: Atom) -> Fact:
    return qr_fact(x, Const("reduced"))


@rule(linear=["b"], only={"assume_a": SYMMETRIC}, fact=solve_fact)
def solve_symmetric(a, b, lower=False, *, check_finite=True, assume_a=None, dy):
    y = linalg.solve(a, b, lower, check_finite=check_finite, assume_a=assume_a)
    w = linalg.solve(a, dy, lower, assume_a=assume_a)
    da = unbroadcast(unsymmetric(w, y, lower), a)
    db = unbroadcast(w, b)


@rule(
    zero=["lower"],
    only={"b": (None,), "eigvals_only": (False,)},
    fact=eigh_fact,
    parts={0: along_values_read},
)
def eigh(x, b=None, *, lower=True, eigvals_only=False, check_finite=True, dy):
    """Of distinct eigenvalues."""
    y = linalg.eigh(
        x, b, lower=lower, eigvals_only=eigvals_only, check_finite=check_finite
    )
    dx = uneigh(dy[0], dy[1], y[0], y[1], triangle_read(lower))


@rule(
    zero=["lower"],
    only={"b": (None,), "eigvals_only": (True,)},
    fact=eigenvalues_fact,
    tangent=along_values_read,
)
def eigh_values(x, b=None, *, lower=True, eigvals_only=False, check_finite=True, dy):
    y = linalg.eigh(
        x, b, lower=lower, eigvals_only=eigvals_only, check_finite=check_finite
    )
    dx = uneigvalsh(dy, x, triangle_read(lower))


@rule(
    zero=["lower"],
    only={"b": (None,)},
    fact=eigenvalues_fact,
    tangent=along_values_read,
)
def eigvalsh(x, b=None, *, lower=True, check_finite=True, dy):
    y = linalg.eigvalsh(x, b, lower=lower, check_finite=check_finite)
    dx = uneigvalsh(dy, x, triangle_read(lower))


@rule(only={"b": (None,), "homogeneous_eigvals": (False,)}, complex="written")
def eigvals(x, b=None, *, check_finite=True, homogeneous_eigvals=False, dy):
    """Of simple eigenvalues."""
    y = linalg.eigvals(
        x, b, check_finite=check_finite, homogeneous_eigvals=homogeneous_eigvals
    )
    dx = uneigvals(dy, x, y)


@rule(only={"compute_uv": (True,)}, fact=svd_fact, parts={1: along_svdvals})
def svd(x, full_matrices=True, compute_uv=True, *, check_finite=True, dy):
    """Of distinct singular values."""
    y = linalg.svd(x, full_matrices, compute_uv, check_finite=check_finite)
    dx = unsvd(dy[0], dy[1], dy[2], y[0], y[1], y[2])


@rule(only={"compute_uv": (False,)}, fact=singular_values, tangent=along_svdvals)
def svd_values(x, full_matrices=True, compute_uv=True, *, check_finite=True, dy):
    y = linalg.svd(x, full_matrices, compute_uv, check_finite=check_finite)
    dx = unsvdvals(dy, x)


@rule(fact=singular_values, tangent=along_svdvals)
def svdvals(x, *, check_finite=True, dy):
    y = linalg.svdvals(x, check_finite=check_finite)
    dx = unsvdvals(dy, x)


@rule(only={"mode": ("full", "economic"), "pivoting": (False,)}, fact=_qr)
def qr(x, *, mode="full", pivoting=False, check_finite=True, dy):
    """Of full rank."""
    y = linalg.qr(x, mode=mode, pivoting=pivoting, check_finite=check_finite)
    dx = unqr(dy[0], dy[1], x, y[0], y[1])


@rule(only={"output": ("real",), "sort": (None,)}, fact=_qr)
def schur(x, output="real", *, sort=None, check_finite=True, dy):
    """Of distinct real eigenvalues."""
    y = linalg.schur(x, output, sort=sort, check_finite=check_finite)
    dx = unschur(dy[0], dy[1], y[0], y[1])
