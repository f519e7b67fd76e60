"""A sparse matrix of SciPy's some of whose entries depend on the arguments, in Python.

The matrix itself is computed as the function computes it. Beside it stand the entries
that vary, as a vector and its places: `data`, `rows`, `cols`. The matrix is the sum of
`fixed`, a constant, and of them; two entries at one place are added. What is computed
of the matrix is a function of the vector, `runtime/scipy/sparse_entries.py`: its
adjoint lives at these places alone.

>>> import numpy as np
>>> matrix = sparse.csr_matrix(np.eye(2))
>>> a = VaryingMatrix(matrix, None, np.ones(2), np.arange(2), np.arange(2))
>>> b = (3.0 * a + matrix).T
>>> b.toarray().tolist(), b.data.tolist()
([[4.0, 0.0], [0.0, 4.0]], [3.0, 3.0])
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from yota_ast.runtime.scipy import sparse_entries

Array = Any


class Varying:
    """A matrix, and those of its entries that vary."""

    __array_ufunc__ = None
    __yota_ast_handed_on__ = "Pass or return an array: A.toarray()."
    __yota_ast_named__ = "matrix"

    def __init__(
        self, matrix: Any, fixed: Any, data: Array, rows: Array, cols: Array
    ) -> None:
        self.matrix, self.fixed = matrix, fixed
        self.data, self.rows, self.cols = data, rows, cols

    # ------------------------------------------------------------ what it is

    @property
    def shape(self) -> Any:
        """The numbers of rows and columns."""
        return self.matrix.shape

    @property
    def nnz(self) -> Any:
        """The number of entries."""
        return self.matrix.nnz

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.transpose()

    def like(
        self, matrix: Any, fixed: Any, data: Array, rows: Array, cols: Array
    ) -> Any:
        """Another matrix of the same kind."""
        return kind_of(matrix)(matrix, fixed, data, rows, cols)

    def in_format(self, matrix: Any) -> Any:
        """The same entries."""
        return self.like(matrix, self.fixed, self.data, self.rows, self.cols)

    def all_entries(self) -> tuple[Array, Array, Array]:
        """The entries that vary, and those that do not."""
        if self.fixed is None:
            return self.data, self.rows, self.cols
        rows, cols, values = sparse.find(self.fixed)
        return (
            np.concatenate((self.data, values)),
            np.concatenate((self.rows, rows)),
            np.concatenate((self.cols, cols)),
        )

    # ------------------------------------------------------------ sums and multiples

    def __neg__(self) -> Any:
        fixed = None if self.fixed is None else -self.fixed
        return self.like(-self.matrix, fixed, -self.data, self.rows, self.cols)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Varying):
            return self.like(
                self.matrix + other.matrix,
                sum_of_fixed(self.fixed, other.fixed),
                np.concatenate((self.data, other.data)),
                np.concatenate((self.rows, other.rows)),
                np.concatenate((self.cols, other.cols)),
            )
        if sparse.issparse(other):
            fixed = sum_of_fixed(self.fixed, other)
            return self.like(
                self.matrix + other, fixed, self.data, self.rows, self.cols
            )
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        if sparse.issparse(other):
            fixed = sum_of_fixed(other, self.fixed)
            return self.like(
                other + self.matrix, fixed, self.data, self.rows, self.cols
            )
        if is_zero(other):  # where `sum` begins
            return self
        return NotImplemented

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Varying):
            fixed = None if other.fixed is None else -other.fixed
            return self.like(
                self.matrix - other.matrix,
                sum_of_fixed(self.fixed, fixed),
                np.concatenate((self.data, -other.data)),
                np.concatenate((self.rows, other.rows)),
                np.concatenate((self.cols, other.cols)),
            )
        if sparse.issparse(other):
            fixed = sum_of_fixed(self.fixed, -other)
            return self.like(
                self.matrix - other, fixed, self.data, self.rows, self.cols
            )
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        if sparse.issparse(other):
            fixed = None if self.fixed is None else -self.fixed
            return self.like(
                other - self.matrix, sum_of_fixed(other, fixed), -self.data, self.rows,
                self.cols,
            )  # fmt: skip
        return NotImplemented

    def __truediv__(self, other: Any) -> Any:
        if is_number(other):
            data, rows, cols = self.all_entries()
            return self.like(self.matrix / other, None, data / other, rows, cols)
        return NotImplemented

    def scaled(self, matrix: Any, number: Any) -> Any:
        """A multiple of it."""
        data, rows, cols = self.all_entries()
        return self.like(matrix, None, number * data, rows, cols)

    def __itruediv__(self, other: Any) -> Any:
        self.matrix /= other  # which is refused: it may have another name
        return self

    def __imul__(self, other: Any) -> Any:
        self.matrix *= other
        return self

    # ------------------------------------------------------------ products

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Varying):
            return self.times(self.matrix @ other.matrix, other.all_entries())
        if sparse.issparse(other):
            return self.times(self.matrix @ other, constant_entries(other))
        return self.applied(self.matrix @ other, other)

    def __rmatmul__(self, other: Any) -> Any:
        if sparse.issparse(other):
            return self.behind(other @ self.matrix, constant_entries(other))
        return self.applied_to_rows(other @ self.matrix, other)

    def dot(self, other: Any) -> Any:
        """`A @ x`."""
        if isinstance(other, Varying):
            return self.times(self.matrix.dot(other.matrix), other.all_entries())
        if sparse.issparse(other):
            return self.times(self.matrix.dot(other), constant_entries(other))
        if is_number(other):
            return self.scaled(self.matrix.dot(other), other)
        return self.applied(self.matrix.dot(other), other)

    def applied(self, value: Array, x: Array) -> Array:
        """`A @ x` of an array."""
        a, data, rows, cols = self.matrix, self.data, self.rows, self.cols
        if np.ndim(x) == 1:
            return sparse_entries.product_with_vector(value, a, x, data, rows, cols)
        return sparse_entries.product_with_columns(value, a, x, data, rows, cols)

    def applied_to_rows(self, value: Array, x: Array) -> Array:
        """`x @ A` of an array."""
        a, data, rows, cols = self.matrix.T, self.data, self.rows, self.cols
        if np.ndim(x) == 1:
            return sparse_entries.product_with_vector(value, a, x, data, cols, rows)
        return sparse_entries.product_with_columns(value.T, a, x.T, data, cols, rows).T

    def times(self, matrix: Any, other: Any) -> Any:
        """`A @ B`, of entries of B."""
        data, rows, cols = self.all_entries()
        left, right = sparse_entries.matching(cols, other[1])
        return self.like(
            matrix, None, data[left] * other[0][right], rows[left], other[2][right]
        )

    def behind(self, matrix: Any, other: Any) -> Any:
        """`B @ A`, of entries of B."""
        data, rows, cols = self.all_entries()
        left, right = sparse_entries.matching(other[2], rows)
        return self.like(
            matrix, None, other[0][left] * data[right], other[1][left], cols[right]
        )

    # ------------------------------------------------------------ other forms

    def transpose(self) -> Any:
        """The transpose."""
        fixed = None if self.fixed is None else self.fixed.T
        return self.like(self.matrix.T, fixed, self.data, self.cols, self.rows)

    def copy(self) -> Any:
        """A copy."""
        return self.in_format(self.matrix.copy())

    def tocsr(self) -> Any:
        """The same by rows."""
        return self.in_format(self.matrix.tocsr())

    def tocsc(self) -> Any:
        """The same by columns."""
        return self.in_format(self.matrix.tocsc())

    def tocoo(self) -> Any:
        """The same by entries."""
        return self.in_format(self.matrix.tocoo())

    def todia(self) -> Any:
        """The same by diagonals."""
        return self.in_format(self.matrix.todia())

    # ------------------------------------------------------------ arrays

    def toarray(self) -> Array:
        """All of it, as an array."""
        value = self.matrix.toarray()
        return sparse_entries.dense_of_entries(value, self.data, self.rows, self.cols)

    def diagonal(self, k: int = 0) -> Array:
        """A diagonal."""
        value = self.matrix.diagonal(k)
        return sparse_entries.diagonal_of_entries(
            value, self.data, self.rows, self.cols, k
        )


class VaryingMatrix(Varying):
    """One of the older classes, `csr_matrix`: `A * x` is a product of matrices."""

    __yota_ast_models__ = sparse.csr_matrix

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Varying):
            return self.times(self.matrix * other.matrix, other.all_entries())
        if sparse.issparse(other):
            return self.times(self.matrix * other, constant_entries(other))
        if is_number(other):
            return self.scaled(self.matrix * other, other)
        return self.applied(self.matrix * other, other)

    def __rmul__(self, other: Any) -> Any:
        if sparse.issparse(other):
            return self.behind(other * self.matrix, constant_entries(other))
        if is_number(other):
            return self.scaled(other * self.matrix, other)
        return self.applied_to_rows(other * self.matrix, other)


class VaryingArray(Varying):
    """One of the newer classes, `csr_array`, of which `*` is elementwise."""

    __yota_ast_models__ = sparse.csr_array

    def __mul__(self, other: Any) -> Any:
        if is_number(other):
            return self.scaled(self.matrix * other, other)
        return NotImplemented

    def __rmul__(self, other: Any) -> Any:
        if is_number(other):
            return self.scaled(other * self.matrix, other)
        return NotImplemented


class VaryingFactors:
    """The factors of a matrix: `splu(A)`."""

    __yota_ast_handed_on__ = "Pass or return an array: lu.solve(b)."
    __yota_ast_named__ = "factors"

    def __init__(self, factors: Any, matrix: Varying) -> None:
        self.factors = factors
        self.data, self.rows, self.cols = matrix.data, matrix.rows, matrix.cols

    def solve(self, rhs: Array, trans: str = "N") -> Array:
        """The solution of the system."""
        factors, data, rows, cols = self.factors, self.data, self.rows, self.cols
        value = factors.solve(rhs, trans)
        if np.ndim(rhs) == 1:
            return sparse_entries.solved_for_vector(
                value, factors, rhs, data, rows, cols, trans
            )
        return sparse_entries.solved_for_columns(
            value, factors, rhs, data, rows, cols, trans
        )


def sum_of_fixed(first: Any, other: Any) -> Any:
    """The sum of two constant matrices; None stands for zeros."""
    if first is None:
        return other
    return first if other is None else first + other


def constant_entries(matrix: Any) -> tuple[Array, Array, Array]:
    """The entries of a constant matrix."""
    rows, cols, values = sparse.find(matrix)
    return values, rows, cols


def is_number(other: Any) -> bool:
    """Whether something is no array."""
    return np.ndim(other) == 0


def is_zero(other: Any) -> bool:
    """Whether something is a number, and 0."""
    return isinstance(other, int) and other == 0


# ---------------------------------------------------------------- how they are made


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


def converted(matrix: Any, arg1: Varying, *_: Any, **__: Any) -> Any:
    """`csr_matrix(A)` of such a matrix."""
    return kind_of(matrix)(matrix, arg1.fixed, arg1.data, arg1.rows, arg1.cols)


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
        length = min(shape[0], shape[1] - offset)
        rows = np.arange(length)
        cols = rows + offset if offset > 0 else rows
    if np.ndim(diagonal) == 0:
        return np.ones(length) * diagonal, rows, cols
    return as_array(diagonal), rows, cols


def as_array(values: Any) -> Array:
    """An array as it is, an array of a list."""
    return values if isinstance(values, np.ndarray) else np.array(values)


def solved(value: Array, matrix: Varying, b: Array) -> Array:
    """`spsolve(A, b)`."""
    a, data, rows, cols = matrix.matrix, matrix.data, matrix.rows, matrix.cols
    if np.ndim(b) == 1:
        return sparse_entries.solution_for_vector(value, a, b, data, rows, cols)
    return sparse_entries.solution_for_columns(value, a, b, data, rows, cols)


def kind_of(matrix: Any) -> Any:
    """The class of what stands for a matrix."""
    if isinstance(matrix, sparse.spmatrix):
        return VaryingMatrix
    return VaryingArray


SPARSE: Final = (sparse, linalg)
