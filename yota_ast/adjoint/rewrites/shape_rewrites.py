"""Rewrites of helpers for shapes into NumPy's own words, where ranks are known.

`untile(d, x, 2)` of a vector becomes `d.reshape(2, -1).sum(axis=0)`.
"""

from __future__ import annotations

from collections.abc import Container

from yota_ast.adjoint.rewrites.helper_rewrites import parts_of
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    FLAT,
    STACK,
    constant,
    count,
    either,
    floats,
    rank,
    scalar,
    vector,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import Bound, Condition, Table, rewrite


def _joined(ranks: Container[int | None]) -> Condition:
    """The arrays that were joined are known and of one rank, one of these."""

    def holds(r: Rewriter, bound: Bound) -> bool:
        parts = parts_of(r, bound["arrays"])
        found = {fact(p).rank for p in parts or ()}
        return len(found) == 1 and found.pop() in ranks

    return holds


def _is_square(r: Rewriter, bound: Bound) -> bool:
    """The operand is a matrix of as many rows as columns."""
    shape = fact(bound["x"]).shape
    if not isinstance(shape, tuple) or len(shape) != 2:
        return False
    return r.same_shapes(shape[:1], shape[1:])


def _is_all(axis: object) -> bool:
    """Whether the axis is that of a vector."""
    return axis in (None, 0, -1) and axis is not False


TABLE: Table = (
    rewrite("untile(d, x, n)", "d.reshape(n, -1).sum(axis=0)", vector("x"), count("n")),
    rewrite(
        "unrepeat(d, x, n, axis)", "d.reshape(-1, n).sum(axis=1)",
        vector("x"), count("n"), constant(_is_all, "axis"),
    ),
    rewrite("unpad(d, x, n)", "d[n:-n]", rank(x=1), count("n")),
    rewrite("unpad(d, x, n)", "d[n:-n, n:-n]", rank(x=2), count("n")),
    rewrite("unpad(d, x, n)", "d[n:-n, n:-n, n:-n]", rank(x=3), count("n")),
    rewrite("unvstack(d, arrays)", "unstack(d, arrays, 0)", _joined((1,))),
    rewrite("unvstack(d, arrays)", "unconcatenate(d, arrays, 0)", _joined(STACK)),
    rewrite("unhstack(d, arrays)", "unconcatenate(d, arrays, 0)", _joined((1,))),
    rewrite("unhstack(d, arrays)", "unconcatenate(d, arrays, 1)", _joined(STACK)),
    rewrite("undiag(d, x)", "np.diag(d)", either(vector("x"), _is_square)),
    rewrite("undiag(d, x, k)", "np.diag(d, k)", vector("x"), constant(bool, "k")),
    rewrite("untrace(d, x)", "d * np.eye(len(x))", _is_square, scalar("d")),
    rewrite(
        "untrace(d, x)", "d * np.eye(x.shape[0], x.shape[1])", rank(x=2), scalar("d")
    ),
    rewrite(
        "unnorm(d, x, y, 1)", "d * np.sign(x)", vector("x"), floats("x"), scalar("d")
    ),
    rewrite(
        "untensordot_left(d, u, v, 1)", "unmatmul_left(d, u, v)", rank(u=FLAT, v=FLAT)
    ),
    rewrite(
        "untensordot_right(d, u, v, 1)", "unmatmul_right(d, u, v)", rank(u=FLAT, v=FLAT)
    ),
)  # fmt: skip
