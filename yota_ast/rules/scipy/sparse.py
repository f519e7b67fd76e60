"""Products with sparse matrices of `scipy.sparse`, which are constant."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as splinalg

from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.notation.rule import rule

CONSTANT = "a sparse matrix is taken for constant"


def _product(x: Atom) -> Fact:
    """An array of as many axes as the other factor."""
    given = as_array_fact(fact_of_atom(x))
    shape = None if given.rank is None else (None,) * given.rank
    return array_fact(np.float64 if given.dtype == np.float64 else None, shape)


def _solution(b: Atom) -> Fact:
    """An array like the right side."""
    return _product(b)


@rule(linear=["x"], refused={"a": CONSTANT}, sequences=["a"], fact=_product)
def product(a, x, *, dy):
    y = sparse.csr_matrix.__matmul__(a, x)
    dx = a.T @ dy


@rule(linear=["x"], refused={"a": CONSTANT}, sequences=["a"], fact=_product)
def product_from_left(a, x, *, dy):
    y = sparse.csr_matrix.__rmatmul__(a, x)
    dx = dy @ a.T


@rule(linear=["x"], refused={"a": CONSTANT}, sequences=["a"], fact=_product)
def dot(a, x, *, dy):
    y = sparse.csr_matrix.dot(a, x)
    dx = a.T @ dy


@rule(
    linear=["b"],
    refused={"a": CONSTANT},
    sequences=["a"],
    zero=["use_umfpack"],
    fact=_solution,
)
def spsolve(a, b, permc_spec=None, use_umfpack=True, *, dy):
    y = splinalg.spsolve(a, b, permc_spec, use_umfpack)
    db = splinalg.spsolve(a.T, dy)


@rule(
    linear=["b"],
    refused={"lu": CONSTANT},
    sequences=["lu"],
    only={"trans": ("N",)},
    fact=_solution,
)
def solved_by_factors(lu, b, trans="N", *, dy):
    y = splinalg.SuperLU.solve(lu, b, trans)
    db = splinalg.SuperLU.solve(lu, dy, "T")


@rule(
    linear=["b"],
    refused={"lu": CONSTANT},
    sequences=["lu"],
    only={"trans": ("T",)},
    fact=_solution,
)
def solved_by_transposed_factors(lu, b, trans="N", *, dy):
    y = splinalg.SuperLU.solve(lu, b, trans)
    db = splinalg.SuperLU.solve(lu, dy)
