"""Rewrites of helpers of linear algebra into NumPy's own words, where ranks are known.

`outer_last(unsolve(dy, a, b), y, b)` of a vector b becomes
`np.outer(np.linalg.solve(a.T, dy), y)`; `a.T.T` becomes `a`.
"""

from __future__ import annotations

import operator

import numpy as np

from ..runtime import outer_last, undiag, unsolve
from ..tape import Apply, Atom, Const, Var
from .algebra import MUL
from .rewrite import Rewriter, fact


def solved(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of the right side of a system: of a matrix, no stack of them."""
    dy, a, b = op.args
    if fact(a).rank != 2 or fact(b).rank not in (1, 2):
        return None
    return r.make(np.linalg.solve, r.attribute("T", a), dy)


def outer(r: Rewriter, op: Apply) -> Atom | None:
    """`w @ y.T`, of vectors their outer product."""
    w, y, _ = op.args
    ranks = {fact(a).rank for a in op.args}
    if ranks == {1}:
        return r.make(np.outer, w, y)
    if ranks == {2}:
        return r.make(operator.matmul, w, r.attribute("T", y))
    return None


def diagonal(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a matrix of which the diagonal was taken."""
    dy, x, *offset = op.args
    dims = fact(x).shape
    if offset not in ([], [Const(0)]) or op.kwargs or not isinstance(dims, tuple):
        return None
    square = len(dims) == 2 and dims[0] is not None and dims[0] == dims[1]
    return r.make(np.diag, dy) if square and fact(dy).rank == 1 else None


def turned(r: Rewriter, op: Apply) -> Atom | None:
    """`np.swapaxes(x, -1, -2)` of a matrix."""
    x, *axes = op.args
    if op.kwargs or fact(x).rank != 2 or {*axes} != {Const(-1), Const(-2)}:
        return None
    return r.attribute("T", x)


def turned_twice(r: Rewriter, op: Apply) -> Atom | None:
    """`x.T.T`; and `(p.T @ q).T`, which is `q.T @ p`."""
    x = op.args[0]
    if len(op.args) > 1 or op.kwargs or fact(x).rank != 2:
        return None
    before = _transposed(r, x)
    if before is not None:
        return before
    product = r.inner(x, operator.matmul)
    if product is None:
        return None
    p, q = product.args
    if fact(p).rank != 2 or fact(q).rank != 2:
        return None
    if _transposed(r, p) is None and _transposed(r, q) is None:
        return None
    return r.make(operator.matmul, r.attribute("T", q), r.attribute("T", p))


def _transposed(r: Rewriter, x: Atom) -> Atom | None:
    """The matrix whose transpose x is."""
    made = r.made_by(x.name) if isinstance(x, Var) else None
    if made is None or made.fn is not np.transpose or made.kwargs:
        return None
    return made.args[0] if len(made.args) == 1 else None


def scaled(r: Rewriter, op: Apply) -> Atom | None:
    """`np.expand_dims(c, (-1, -2)) * x` of a number c."""
    for k in (0, 1):
        made = r.maker(op.args[k], np.expand_dims)
        if made is None or not fact(made.args[0]).is_scalar:
            continue
        axes = made.args[1].value if isinstance(made.args[1], Const) else None
        count = len(axes) if isinstance(axes, tuple) else 1
        if (fact(op.args[1 - k]).rank or 0) >= count:
            return r.make(MUL, made.args[0], op.args[1 - k])
    return None


RULES = {
    unsolve: (solved,),
    outer_last: (outer,),
    undiag: (diagonal,),
    np.swapaxes: (turned,),
    np.transpose: (turned_twice,),
    MUL: (scaled,),
}
