"""Products with sparse matrices of `scipy.sparse`, constant or of entries that vary."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as splinalg

from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime.scipy import sparse_entries as entries

CONSTANT = "a sparse matrix is taken for constant here"


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


# ---------------------------------------------------------------- entries that vary


def like_value(value: Atom) -> Fact:
    """What SciPy has computed."""
    return fact_of_atom(value)


_OF_MATRIX = ["value", "a", "rows", "cols"]
_OF_FACTORS = ["value", "lu", "rows", "cols", "trans"]


@rule(zero=_OF_MATRIX, alias="fresh", fact=like_value)
def product_with_vector(value, a, x, data, rows, cols, *, dy):
    y = entries.product_with_vector(value, a, x, data, rows, cols)
    dx = entries.product_with_vector(a.T @ dy, a.T, dy, data, cols, rows)
    ddata = dy[rows] * x[cols]


@rule(zero=_OF_MATRIX, alias="fresh", fact=like_value)
def product_with_columns(value, a, x, data, rows, cols, *, dy):
    y = entries.product_with_columns(value, a, x, data, rows, cols)
    dx = entries.product_with_columns(a.T @ dy, a.T, dy, data, cols, rows)
    ddata = np.sum(dy[rows] * x[cols], axis=1)


@rule(zero=_OF_MATRIX, alias="fresh", fact=like_value)
def solution_for_vector(value, a, b, data, rows, cols, *, dy):
    y = entries.solution_for_vector(value, a, b, data, rows, cols)
    db = entries.solution_for_vector(
        splinalg.spsolve(a.T, dy), a.T, dy, data, cols, rows
    )
    ddata = -db[rows] * y[cols]


@rule(zero=_OF_MATRIX, alias="fresh", fact=like_value)
def solution_for_columns(value, a, b, data, rows, cols, *, dy):
    y = entries.solution_for_columns(value, a, b, data, rows, cols)
    db = entries.solution_for_columns(
        splinalg.spsolve(a.T, dy), a.T, dy, data, cols, rows
    )
    ddata = -np.sum(db[rows] * y[cols], axis=1)


@rule(zero=_OF_FACTORS, only={"trans": ("N",)}, alias="fresh", fact=like_value)
def solved_for_vector(value, lu, b, data, rows, cols, trans, *, dy):
    y = entries.solved_for_vector(value, lu, b, data, rows, cols, trans)
    db = entries.solved_for_vector(
        splinalg.SuperLU.solve(lu, dy, "T"), lu, dy, data, rows, cols, "T"
    )
    ddata = -db[rows] * y[cols]


@rule(zero=_OF_FACTORS, only={"trans": ("T",)}, alias="fresh", fact=like_value)
def solved_for_vector_transposed(value, lu, b, data, rows, cols, trans, *, dy):
    y = entries.solved_for_vector(value, lu, b, data, rows, cols, trans)
    db = entries.solved_for_vector(
        splinalg.SuperLU.solve(lu, dy), lu, dy, data, rows, cols, "N"
    )
    ddata = -y[rows] * db[cols]


@rule(zero=_OF_FACTORS, only={"trans": ("N",)}, alias="fresh", fact=like_value)
def solved_for_columns(value, lu, b, data, rows, cols, trans, *, dy):
    y = entries.solved_for_columns(value, lu, b, data, rows, cols, trans)
    db = entries.solved_for_columns(
        splinalg.SuperLU.solve(lu, dy, "T"), lu, dy, data, rows, cols, "T"
    )
    ddata = -np.sum(db[rows] * y[cols], axis=1)


@rule(zero=_OF_FACTORS, only={"trans": ("T",)}, alias="fresh", fact=like_value)
def solved_for_columns_transposed(value, lu, b, data, rows, cols, trans, *, dy):
    y = entries.solved_for_columns(value, lu, b, data, rows, cols, trans)
    db = entries.solved_for_columns(
        splinalg.SuperLU.solve(lu, dy), lu, dy, data, rows, cols, "N"
    )
    ddata = -np.sum(y[rows] * db[cols], axis=1)


@rule(zero=["value"], alias="fresh", fact=like_value)
def sum_of_entries(value, data, *, dy):
    y = entries.sum_of_entries(value, data)
    ddata = dy * np.ones_like(data)


@rule(zero=["value", "places"], alias="fresh", fact=like_value)
def sums_of_entries(value, data, places, *, dy):
    y = entries.sums_of_entries(value, data, places)
    ddata = dy[places]


@rule(zero=["value", "rows", "cols"], alias="fresh", fact=like_value)
def dense_of_entries(value, data, rows, cols, *, dy):
    y = entries.dense_of_entries(value, data, rows, cols)
    ddata = dy[rows, cols]


@rule(zero=["value", "rows", "cols", "k"], alias="fresh", fact=like_value)
def diagonal_of_entries(value, data, rows, cols, k, *, dy):
    y = entries.diagonal_of_entries(value, data, rows, cols, k)
    on = cols.astype(int) - rows == k  # they may be of 8 bits
    ddata = np.where(on, dy[np.where(on, np.minimum(rows, cols), 0)], 0.0)


def _pair(u: Atom, v: Atom) -> Fact:
    """Two arrays of positions."""
    return Fact("tuple", items=(array_fact(np.int64, (None,)),) * 2, cls=tuple)


@rule(zero=["u", "v"], fact=_pair)
def matching(u, v):
    y = entries.matching(u, v)


def _found(a: Atom) -> Fact:
    """The rows, the columns and the values of the entries."""
    places = array_fact(None, (None,))
    items = (places, places, array_fact(np.float64, (None,)))
    return Fact("tuple", items=items, cls=tuple)


@rule(zero=["a"], fact=_found)
def find(a):
    y = sparse.find(a)
