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

from typing import Any

import numpy as np
from scipy import sparse

from yota_ast.runtime.scipy import sparse_entries

Array = Any


class Varying:
    """A matrix, and those of its entries that vary."""

    __array_ufunc__ = None
    __yota_ast_handed_on__ = "Use an array: A.toarray()."
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
    def ndim(self) -> int:
        """The number of axes."""
        return 2

    @property
    def format(self) -> Any:
        """The name of the format."""
        return self.matrix.format

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

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all entries, or those of columns or rows."""
        if axis is None:
            return sparse_entries.sum_of_entries(self.matrix.sum(), self.data)
        value = np.asarray(self.matrix.sum(axis))
        places = self.cols if axis in (0, -2) else self.rows
        sums = sparse_entries.sums_of_entries(np.ravel(value), self.data, places)
        return self.summed(sums, axis)

    def summed(self, sums: Array, axis: int) -> Any:
        """Sums of a class of matrices, in the form in which it gives them."""
        raise NotImplementedError

    def multiply(self, other: Any) -> Any:
        """The product of each entry with that of another matrix, or of an array."""
        data, rows, cols = self.all_entries()
        if isinstance(other, Varying):
            matrix, entries = self.matrix.multiply(other.matrix), other.all_entries()
            return self.each_with(matrix, data, rows, cols, entries)
        if sparse.issparse(other):
            matrix = self.matrix.multiply(other)
            return self.each_with(matrix, data, rows, cols, constant_entries(other))
        matrix = self.matrix.multiply(other)
        if is_number(other):
            return self.like(matrix, None, data * other, rows, cols)
        factors = np.broadcast_to(other, self.matrix.shape)
        return self.like(matrix, None, data * factors[rows, cols], rows, cols)

    def each_with(
        self, matrix: Any, data: Array, rows: Array, cols: Array, other: Any
    ) -> Any:
        """Products of entries at the same places, each told by one number: of 64 bits,
        for SciPy has 32."""
        count = self.matrix.shape[1]
        left, right = sparse_entries.matching(
            rows.astype(np.int64) * count + cols,
            other[1].astype(np.int64) * count + other[2],
        )
        return self.like(
            matrix, None, data[left] * other[0][right], rows[left], cols[left]
        )

    def diagonal(self, k: int = 0) -> Array:
        """A diagonal."""
        value = self.matrix.diagonal(k)
        return sparse_entries.diagonal_of_entries(
            value, self.data, self.rows, self.cols, k
        )


class Sums:
    """The sums of a matrix of the older classes, an `np.matrix`."""

    __yota_ast_models__ = np.matrix
    __yota_ast_handed_on__ = "Make an array of it: np.asarray(A.sum(axis=1)).ravel()."

    def __init__(self, sums: Array, axis: int) -> None:
        self.sums = sums
        self.array = sums[None, :] if axis in (0, -2) else sums[:, None]

    @property
    def A1(self) -> Array:
        """All as a vector."""
        return self.sums

    @property
    def A(self) -> Array:
        """All as an array."""
        return self.array

    @property
    def shape(self) -> Any:
        """The numbers of rows and columns."""
        return self.array.shape


class VaryingMatrix(Varying):
    """One of the older classes, `csr_matrix`: `A * x` is a product of matrices."""

    __yota_ast_models__ = sparse.csr_matrix

    def summed(self, sums: Array, axis: int) -> Any:
        """Sums as a matrix of one row or column."""
        return Sums(sums, axis)

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

    def summed(self, sums: Array, axis: int) -> Array:
        """Sums as a vector."""
        return sums

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


class Solver:
    """What `factorized(A)` gives."""

    __yota_ast_handed_on__ = "Pass or return an array: solve(b)."

    def __init__(self, factors: Any) -> None:
        self.factors = factors

    def __call__(self, b: Array) -> Array:
        """The solution of the system."""
        return self.factors.solve(b)


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


def kind_of(matrix: Any) -> Any:
    """The class of what stands for a matrix."""
    if isinstance(matrix, sparse.spmatrix):
        return VaryingMatrix
    return VaryingArray


def converted(matrix: Any, arg1: Varying, *_: Any, **__: Any) -> Any:
    """`csr_matrix(A)` of such a matrix."""
    return kind_of(matrix)(matrix, arg1.fixed, arg1.data, arg1.rows, arg1.cols)


def solved(value: Array, matrix: Varying, b: Array) -> Array:
    """`spsolve(A, b)`."""
    a, data, rows, cols = matrix.matrix, matrix.data, matrix.rows, matrix.cols
    if np.ndim(b) == 1:
        return sparse_entries.solution_for_vector(value, a, b, data, rows, cols)
    return sparse_entries.solution_for_columns(value, a, b, data, rows, cols)
