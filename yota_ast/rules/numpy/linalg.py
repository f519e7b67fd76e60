"""Products of matrices and tensors, and linear algebra."""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.ops.result_memory import of_several
from yota_ast.rules.helpers.squares import power_of_norm, square_of_norm
from yota_ast.rules.inference.factorings import unknown_fact
from yota_ast.rules.inference.products import (
    dot_fact,
    einsum_fact,
    inner_fact,
    kron_fact,
    outer_fact,
    tensordot_fact,
)
from yota_ast.rules.inference.shapes import (
    like_matrix,
    norm_fact,
    of_matrices,
    product,
    scalar_of_both,
    slogdet_fact,
    solve_fact,
)
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import (
    along_solve,
    cofactors,
    outer_last,
    unbroadcast,
    undot_left,
    undot_right,
    uneinsum,
    uneinsum_of_lists,
    uninner_left,
    uninner_right,
    unkron_left,
    unkron_right,
    unmatmul_left,
    unmatmul_right,
    unnorm,
    unsolve,
    untensordot_left,
    untensordot_right,
)

# ---------------------------------------------------------------- products


@rule(
    also=[np.matmul, np.linalg.matmul],
    linear=["u", "v"],
    complex="holomorphic",
    fact=product(operator.matmul),
)
def matmul(u, v, *, dy):
    y = u @ v
    du = unmatmul_left(dy, u, v)
    dv = unmatmul_right(dy, u, v)


@rule(linear=["u", "v"], complex="holomorphic", fact=dot_fact)
def dot(u, v, *, dy):
    y = np.dot(u, v)
    du = undot_left(dy, u, v)
    dv = undot_right(dy, u, v)


@rule(linear=["u", "v"], complex="holomorphic", fact=dot_fact)
def dot_method(u: np.ndarray, v, *, dy):
    y = u.dot(v)
    du = undot_left(dy, u, v)
    dv = undot_right(dy, u, v)


@rule(linear=["u", "v"], complex="holomorphic", fact=inner_fact)
def inner(u, v, *, dy):
    y = np.inner(u, v)
    du = uninner_left(dy, u, v)
    dv = uninner_right(dy, u, v)


@rule(linear=["u", "v"], complex="written", fact=scalar_of_both)
def vdot(u, v, *, dy):
    y = np.vdot(u, v)
    du = np.conj(dy) * np.reshape(v, np.shape(u))
    dv = dy * np.reshape(u, np.shape(v))


@rule(
    also=[np.linalg.outer],
    linear=["u", "v"],
    complex="holomorphic",
    fact=outer_fact,
)
def outer(u, v, *, dy):
    y = np.outer(u, v)
    du = np.reshape(dy @ np.ravel(v), np.shape(u))
    dv = np.reshape(np.ravel(u) @ dy, np.shape(v))


@rule(
    also=[np.linalg.tensordot],
    linear=["u", "v"],
    zero=["axes"],
    complex="holomorphic",
    fact=tensordot_fact,
)
def tensordot(u, v, axes=2, *, dy):
    y = np.tensordot(u, v, axes)
    du = untensordot_left(dy, u, v, axes)
    dv = untensordot_right(dy, u, v, axes)


@rule(
    zero=["labels"],
    sequences=["labels", "rest"],
    complex="written",
    fact=unknown_fact,
)
def einsum_of_lists(x, labels: list | tuple, *rest, dy):
    y = np.einsum(x, labels, *rest)
    parts = uneinsum_of_lists(dy, (x, labels, *rest))
    dx = parts[0]
    drest = parts[2:]


@rule(
    zero=["subscripts", "dtype"],
    each=["operands"],
    only={"dtype": (None, float)},
    complex="written",
    fact=einsum_fact,
)
def einsum_planned(
    subscripts: str, *operands, optimize=False, dtype=None, order="K", dy
):
    y = np.einsum(subscripts, *operands, optimize=optimize, dtype=dtype, order=order)
    doperands = uneinsum(dy, subscripts, operands)


@rule(
    alias=of_several,
    zero=["subscripts"],
    each=["operands"],
    complex="written",
    fact=einsum_fact,
)
def einsum(subscripts: str, *operands, dy):
    y = np.einsum(subscripts, *operands)
    doperands = uneinsum(dy, subscripts, operands)


@rule(linear=["u", "v"], complex="holomorphic", fact=kron_fact)
def kron(u, v, *, dy):
    y = np.kron(u, v)
    du = unkron_left(dy, u, v)
    dv = unkron_right(dy, u, v)


# ---------------------------------------------------------------- norms


@rule(
    zero=["ord", "axis"],
    refused=settings("ord"),
    complex="written",
    fact=norm_fact,
    root="y",
    seminorm=True,
    square=square_of_norm,
    power=power_of_norm,
)
def norm(x, ord=None, axis=None, keepdims=False, *, dy):
    """Where the norm is 0 and there is no slope, 0."""
    y = np.linalg.norm(x, ord, axis, keepdims)
    dx = unnorm(dy, x, y, ord, axis, keepdims)


# ---------------------------------------------------------------- systems


@rule(complex="holomorphic", fact=like_matrix(np.linalg.inv))
def inv(x, *, dy):
    y = np.linalg.inv(x)
    dx = -np.swapaxes(y, -1, -2) @ dy @ np.swapaxes(y, -1, -2)


@rule(linear=["b"], complex="holomorphic", fact=solve_fact, tangent=along_solve)
def solve(a, b, *, dy):
    """Giles, Collected matrix derivative results for forward and reverse mode AD."""
    y = np.linalg.solve(a, b)
    w = unsolve(dy, a, b)
    da = unbroadcast(-outer_last(w, y, b), a)
    db = unbroadcast(w, b)


@rule(complex="holomorphic", fact=of_matrices(np.linalg.det))
def det(x, *, dy):
    """Of singular matrices too."""
    y = np.linalg.det(x)
    dx = np.expand_dims(dy, (-1, -2)) * cofactors(x)


@rule(fact=slogdet_fact)
def slogdet(x, *, dy):
    y = np.linalg.slogdet(x)
    dx = np.expand_dims(dy[1], (-1, -2)) * np.swapaxes(np.linalg.inv(x), -1, -2)
