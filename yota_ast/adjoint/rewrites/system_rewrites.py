"""Rewrites of the adjoints of systems of equations and factorisations, where ranks are
known, and of what only some results of them reach.

`unsolve(dy, A, b)` is `np.linalg.solve(A.T, dy)` for a matrix A; in `U, s, Vt =
svd(X, full_matrices=False)` of which only s is read, the adjoint of X is `U * ds @ Vt`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from yota_ast.adjoint.nonsmooth.unread_vectors import is_zeros
from yota_ast.adjoint.rewrites.algebra_rewrites import MUL, NEG
from yota_ast.adjoint.rewrites.product_rewrites import MATMUL
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    one_triangle,
    outer_last,
    real_like,
    undiag,
    uneigh,
    unlstsq,
    unsolution,
    unsolve,
    unsvd,
)


def solved(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of b in `solve(a, b)`."""
    dy, a, b = op.args
    if fact(a).rank != 2 or fact(b).rank not in (1, 2):
        return None
    return r.make(np.linalg.solve, r.attribute("T", a), dy)


def outer(r: Rewriter, op: Apply) -> Atom | None:
    """`w @ y.T`, of vectors their outer product."""
    w, y, b = op.args
    ranks = fact(w).rank, fact(y).rank, fact(b).rank
    if ranks == (1, 1, 1):
        return r.make(np.outer, w, y)
    if ranks == (2, 2, 2):
        return r.make(MATMUL, w, r.attribute("T", y))
    return None


def swapped(r: Rewriter, op: Apply) -> Atom | None:
    """The last two axes of a matrix exchanged."""
    ends = {a.value for a in op.args[1:] if isinstance(a, Const)}
    if fact(op.args[0]).rank != 2 or ends != {-1, -2} or op.kwargs:
        return None
    return r.attribute("T", op.args[0])


def turned_back(r: Rewriter, op: Apply) -> Atom | None:
    """`x.T.T`, and `(a.T @ b).T` of matrices."""
    if len(op.args) != 1 or op.kwargs:
        return None
    before = _transposed(r, op.args[0])
    if before is not None:
        return before
    negated = r.nameless(op.args[0], NEG)
    if negated is not None:
        return r.make(NEG, r.attribute("T", negated.args[0]))
    outer = r.inner(op.args[0], np.outer)
    if outer is not None and len(outer.args) == 2 and not outer.kwargs:
        return r.make(np.outer, *outer.args[::-1])
    product = r.inner(op.args[0], MATMUL)
    if product is None or any(fact(a).rank != 2 for a in product.args):
        return None
    left, right = product.args
    first = _transposed(r, left)
    if first is None:
        return None
    return r.make(MATMUL, r.attribute("T", right), first)


def _transposed(r: Rewriter, x: Atom) -> Atom | None:
    """The array whose transpose x is; of the forward sweep one that has a name."""
    made = r.maker(x, np.transpose)
    if made is None and isinstance(x, Var):
        made = r.made_by(x.name)
        if made is None or not isinstance(made.args[0], Var) or not made.args[0].hint:
            return None
    if made is None or made.fn is not np.transpose:
        return None
    return made.args[0] if len(made.args) == 1 and not made.kwargs else None


def spread_number(r: Rewriter, op: Apply) -> Atom | None:
    """A product with a number that was given axes of length 1."""
    for one, other in (op.args, op.args[::-1]):
        made = r.maker(one, np.expand_dims)
        if made is not None and fact(made.args[0]).is_scalar:
            axes = made.args[1] if len(made.args) > 1 else None
            known: Any = axes.value if isinstance(axes, Const) else None
            if known is not None and (fact(other).rank or 0) >= np.size(known):
                return r.make(MUL, made.args[0], other)
    return None


def diagonal(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a square matrix in its diagonal."""
    dy, x, *rest = op.args
    shape = fact(x).shape
    if not isinstance(shape, tuple) or len(shape) != 2 or op.kwargs:
        return None
    if any(k != Const(0) for k in rest) or not r.same_shapes(shape[:1], shape[1:]):
        return None
    return r.make(np.diag, dy)


def real_of_complex(_r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of what is complex is left as it is."""
    return op.args[0] if fact(op.args[1]).is_complex else None


def singular_values(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `u, s, vh = svd(x)`, of which only s is reached."""
    du, ds, dvh, u, _, vh = op.args
    if (du, dvh) != (Const(None), Const(None)) or fact(ds).rank != 1:
        return None
    part = r.made_by(u.name) if isinstance(u, Var) else None
    whole = part.args[0] if part is not None and part.args else None
    made = r.made_by(whole.name) if isinstance(whole, Var) else None
    if made is None or made.fn is not np.linalg.svd:
        return None
    if ("full_matrices", Const(False)) not in made.kwargs:
        return None
    return r.make(MATMUL, r.make(MUL, u, ds), vh)


def eigenvalues(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `w, v = eigh(x)`, of which only w is reached."""
    dw, dv, _, v, *uplo = op.args
    dtype = fact(v).dtype
    if dv != Const(None) or fact(dw).rank != 1 or dtype is None or dtype.kind != "f":
        return None
    whole = r.make(MATMUL, r.make(MUL, v, dw), r.attribute("T", v))
    return r.make(one_triangle, whole, *uplo)


def solution(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoints in `x, residuals, rank, s = lstsq(a, b)`, of which only x is
    reached."""
    dy, a, b, y = op.args
    made = r.maker(dy, build_tuple)
    if made is None or not (_is_zero(r, made.args[1]) and _is_zero(r, made.args[3])):
        return None
    whole = r.made_by(y.name) if isinstance(y, Var) else None
    if whole is None or not _cuts_nothing_off(whole):
        return None
    x = r.make(operator.getitem, y, Const(0))
    return r.make(unsolution, made.args[0], a, b, x)


def _cuts_nothing_off(op: Apply) -> bool:
    """Whether lstsq takes for 0 what is 0 but for rounding."""
    given = (*op.args[2:], *(a for _, a in op.kwargs))
    return op.fn is np.linalg.lstsq and all(a == Const(None) for a in given)


def _is_zero(r: Rewriter, d: Atom) -> bool:
    """Whether an adjoint is zeros that nothing has reached."""
    return is_zeros(d, r.made_by(d.name) if isinstance(d, Var) else None)


RULES = {
    unsolve: (solved,),
    outer_last: (outer,),
    np.swapaxes: (swapped,),
    np.transpose: (turned_back,),
    MUL: (spread_number,),
    undiag: (diagonal,),
    real_like: (real_of_complex,),
    uneigh: (eigenvalues,),
    unsvd: (singular_values,),
    unlstsq: (solution,),
}
