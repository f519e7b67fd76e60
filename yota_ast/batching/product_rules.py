"""Products of vectors and matrices of each example.

Of a shared matrix and vectors, `W @ x` is `x @ W.T`: one product of two matrices.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from yota_ast.batching.axis_rules import every
from yota_ast.batching.batcher import ALL, Batcher, value_of
from yota_ast.batching.element_rules import elements
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply

_LETTERS: Final = "nbeNBEzyxwvutsrqpomlkjihgfdca"


def product(b: Batcher, op: Apply) -> Atom:
    """`x @ y`, `np.dot(x, y)`, `np.inner(x, y)`."""
    if len(op.args) != 2 or op.kwargs:
        b.refuse(op, "options of a product have no batched form")
    x, y = op.args
    ranks = b.rank(x, op), b.rank(y, op)
    if 0 in ranks and op.fn is np.dot:
        return elements(b, Apply(op.out, operator.mul, op.args, origin=op.origin))
    if op.fn is np.vdot:
        return _of_all_elements(b, op, ranks)
    if op.fn in (operator.matmul, np.matmul) and max(ranks) > 2 and min(ranks):
        return _of_stacks(b, x, y, ranks)
    plain = op.fn is not np.inner or ranks == (1, 1)
    if ranks not in _PRODUCTS or not plain:
        b.refuse(op, f"a product of {ranks[0]} and {ranks[1]} axes", USE_EINSUM)
    return _PRODUCTS[ranks](b, x, y)


def _of_all_elements(b: Batcher, op: Apply, ranks: tuple[int, int]) -> Atom:
    """`np.vdot(x, y)`, which takes the conjugate of complex numbers."""
    x, y = op.args
    if ranks[0] != ranks[1] or not ranks[0] or b.fact(x).is_complex:
        b.refuse(op, f"a product of {ranks[0]} and {ranks[1]} axes", USE_EINSUM)
    both = b.apply(operator.mul, b.of(x), b.of(y))
    return b.apply(np.sum, both, kwargs=(("axis", Const(every(ranks[0]))),))


def _of_vectors(b: Batcher, x: Atom, y: Atom) -> Atom:
    """`x @ y`: of two that differ, the sum of `x * y`."""
    if b.is_mapped(x) and b.is_mapped(y):
        both = b.apply(operator.mul, b.of(x), b.of(y))
        return b.apply(np.sum, both, kwargs=(("axis", Const(1)),))
    first, second = (x, y) if b.is_mapped(x) else (y, x)
    return b.apply(operator.matmul, b.of(first), b.of(second))


def _of_matrix_and_vector(b: Batcher, a: Atom, x: Atom) -> Atom:
    if not b.is_mapped(x):
        return b.apply(operator.matmul, b.of(a), b.of(x))
    if not b.is_mapped(a):
        turned = b.builder.attribute("T", b.of(a))
        return b.apply(operator.matmul, b.of(x), turned)
    column = b.index(b.of(x), ALL, ALL, None)
    return b.index(b.apply(operator.matmul, b.of(a), column), ALL, ALL, 0)


def _of_vector_and_matrix(b: Batcher, x: Atom, a: Atom) -> Atom:
    if b.is_mapped(x) and b.is_mapped(a):
        row = b.index(b.of(x), ALL, None)
        return b.index(b.apply(operator.matmul, row, b.of(a)), ALL, 0)
    return b.apply(operator.matmul, b.of(x), b.of(a))


def _of_matrices(b: Batcher, x: Atom, y: Atom) -> Atom:
    return b.apply(operator.matmul, b.of(x), b.of(y))


def _of_stacks(b: Batcher, x: Atom, y: Atom, ranks: tuple[int, int]) -> Atom:
    """`x @ y` of stacks of matrices, whose first axes are broadcast; a vector is a row
    or a column beside them."""
    most = max(ranks)
    if ranks[1] == 1 and b.is_mapped(y):
        column = b.index(b.of(y), ALL, *[None] * (most - 2), ALL, None)
        found = b.apply(operator.matmul, b.of(x), column)
        return b.index(found, *[ALL] * most, 0)
    if ranks[0] == 1 and b.is_mapped(x):
        row = b.raised(x, most)
        found = b.apply(operator.matmul, row, b.of(y))
        return b.index(found, *[ALL] * (most - 1), 0)
    if 1 in ranks:
        return b.apply(operator.matmul, b.of(x), b.of(y))
    return b.apply(operator.matmul, b.raised(x, most), b.raised(y, most))


_PRODUCTS: Final[dict[tuple[int, int], Callable[[Batcher, Atom, Atom], Atom]]] = {
    (1, 1): _of_vectors,
    (2, 1): _of_matrix_and_vector,
    (1, 2): _of_vector_and_matrix,
    (2, 2): _of_matrices,
}
USE_EINSUM: Final = "Write it as `np.einsum`."


def outer(b: Batcher, op: Apply) -> Atom:
    """`np.outer(x, y)` is `x[:, :, None] * y[:, None, :]`."""
    x, y = op.args[:2]
    if len(op.args) > 2 or op.kwargs or (b.rank(x, op), b.rank(y, op)) != (1, 1):
        b.refuse(op, "this outer product has no batched form", USE_EINSUM)
    ahead, behind = ([ALL] if b.is_mapped(a) else [] for a in (x, y))
    column = b.index(b.of(x), *ahead, ALL, None)
    row = b.index(b.of(y), *behind, None, ALL) if behind else b.of(y)
    return b.apply(operator.mul, column, row)


def einsum(b: Batcher, op: Apply) -> Atom:
    """`np.einsum("ij,j->i", a, x)` with a letter more: `"nij,nj->ni"`."""
    spelled = value_of(b, op, op.args[0], "the subscripts")
    if not isinstance(spelled, str) or "->" not in spelled or "..." in spelled:
        b.refuse(op, "this `np.einsum` has no letters after `->`", 'Write "ij,j->i".')
    if op.kwargs:
        b.refuse(op, "options of `np.einsum` have no batched form")
    given, _, result = spelled.replace(" ", "").partition("->")
    letter = next((c for c in _LETTERS if c not in spelled), "")
    parts, operands = given.split(","), op.args[1:]
    if not letter or len(parts) != len(operands):
        b.refuse(op, "this `np.einsum` has no batched form")
    pairs = zip(parts, operands, strict=True)
    lettered = ",".join(f"{letter}{p}" if b.is_mapped(a) else p for p, a in pairs)
    subscripts = Const(f"{lettered}->{letter}{result}")
    made = b.apply(np.einsum, subscripts, *map(b.of, operands))
    if len(operands) == 1:  # of one, it may be a view
        return b.builder.method("copy", made)
    return made


def solve(b: Batcher, op: Apply) -> Atom:
    """`np.linalg.solve(a, x)`; vectors are columns, or the columns of one matrix."""
    a, x = op.args
    ranks = b.rank(a, op), b.rank(x, op)
    if ranks == (2, 2):
        return b.apply(np.linalg.solve, b.of(a), b.of(x))
    if ranks != (2, 1):
        b.refuse(op, "this system of equations has no batched form")
    if not b.is_mapped(a):
        turned = b.builder.attribute("T", b.of(x))
        found = b.apply(np.linalg.solve, b.of(a), turned)
        return b.builder.attribute("T", found)
    ahead = [ALL] if b.is_mapped(x) else []
    column = b.index(b.of(x), *ahead, ALL, None)
    return b.index(b.apply(np.linalg.solve, b.of(a), column), ALL, ALL, 0)
