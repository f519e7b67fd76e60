"""What a sparse matrix is made of -> it, and those of its entries that vary, in Python.

Each function is given the matrix that SciPy has made, and what it is made of.

>>> made = of_diagonal(sparse.eye(3, k=1), 1.0, 1)
>>> made.rows.tolist(), made.cols.tolist()
([0, 1], [1, 2])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from yota_ast.frontend.models.sparse_models import kind_of

Array = Any


def of_places(matrix: Any, arg1: Any, *_: Any, **__: Any) -> Any:
    """`csr_matrix((data, (rows, cols)))`."""
    data, (rows, cols) = arg1
    return kind_of(matrix)(matrix, None, as_array(data), as_array(rows), as_array(cols))


def of_rows(matrix: Any, arg1: Any, *_: Any, **__: Any) -> Any:
    """`csr_matrix((data, indices, indptr))`."""
    data, indices, indptr = arg1
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return kind_of(matrix)(matrix, None, as_array(data), rows, as_array(indices))


def of_columns(matrix: Any, arg1: Any, *_: Any, **__: Any) -> Any:
    """`csc_matrix((data, indices, indptr))`."""
    data, indices, indptr = arg1
    cols = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return kind_of(matrix)(matrix, None, as_array(data), as_array(indices), cols)


def of_array(matrix: Any, arg1: Any, *_: Any, **__: Any) -> Any:
    """`csr_matrix(a)` of an array with two axes: all its elements are entries."""
    dense = np.asarray(arg1)
    m, n = dense.shape
    rows, cols = np.repeat(np.arange(m), n), np.tile(np.arange(n), m)
    return kind_of(matrix)(matrix, None, np.ravel(dense), rows, cols)


def multiple(matrix: Any, number: Any, constant: Any) -> Any:
    """`c * A` of a constant matrix."""
    rows, cols, values = sparse.find(constant)
    return kind_of(matrix)(matrix, None, number * values, rows, cols)


def divided(matrix: Any, number: Any, constant: Any) -> Any:
    """`A / c` of a constant matrix."""
    rows, cols, values = sparse.find(constant)
    return kind_of(matrix)(matrix, None, values / number, rows, cols)


def of_diagonal(matrix: Any, diagonal: Any, offset: int) -> Any:
    """A matrix of one diagonal."""
    data, rows, cols = entries_on(matrix.shape, diagonal, offset)
    return kind_of(matrix)(matrix, None, data, rows, cols)


def of_diagonals(matrix: Any, diagonals: Any, offsets: Any) -> Any:
    """A matrix of several diagonals."""
    shape = matrix.shape
    parts = [entries_on(shape, d, k) for d, k in zip(diagonals, offsets, strict=True)]
    return of_parts(matrix, parts)


def of_stored_diagonals(matrix: Any, stored: Any, offsets: Any) -> Any:
    """`spdiags(data, offsets, m, n)`: an entry stands in `data` at its column."""
    m, n = matrix.shape
    parts = []
    for diagonal, offset in zip(stored, offsets, strict=True):
        first, last = max(0, offset), min(n, m + offset, len(diagonal))
        cols = np.arange(first, last)
        parts.append((diagonal[first:last], cols - offset, cols))
    return of_parts(matrix, parts)


def of_parts(matrix: Any, parts: Any) -> Any:
    """A matrix of the entries of several parts."""
    return kind_of(matrix)(
        matrix,
        None,
        np.concatenate([data for data, _, _ in parts]),
        np.concatenate([rows for _, rows, _ in parts]),
        np.concatenate([cols for _, _, cols in parts]),
    )


def entries_on(
    shape: tuple[int, int], diagonal: Any, offset: int
) -> tuple[Array, Array, Array]:
    """The entries of a diagonal, one number of which stands for all."""
    if offset < 0:
        length = min(shape[0] + offset, shape[1])
        cols = np.arange(length)
        rows = cols - offset
    else:
        length = min(shape[0], shape[1] - offset) if offset > 0 else min(shape)
        rows = np.arange(length)
        cols = rows + offset if offset > 0 else rows
    if np.ndim(diagonal) == 0:
        return np.ones(length) * diagonal, rows, cols
    return as_array(diagonal), rows, cols


def as_array(values: Any) -> Array:
    """An array as it is, an array of a list."""
    return values if isinstance(values, np.ndarray) else np.array(values)
