"""Rewrites of the adjoints of products of arrays, systems of equations and
factorisations, where ranks are known, and of what only some results of them reach.

`unsolve(dy, A, b)` is `np.linalg.solve(A.T, dy)` for a matrix A; in `U, s, Vt =
svd(X, full_matrices=False)` of which only s is read, the adjoint of X is `U * ds @ Vt`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from yota_ast.adjoint.closed_factors import of_factor, of_multiple
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    ANY,
    FLAT,
    STACK,
    axes_at,
    complex_,
    constant,
    either,
    floats,
    known,
    rank,
    same_shape,
    scalar,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Condition,
    Table,
    computed,
    rewrite,
)
from yota_ast.adjoint.unread_vectors import is_zeros
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    cofactors,
    uncho_factor,
    unfactor,
    unlower,
    unlstsq,
    unsolution,
)
from yota_ast.syntax.names import is_weak

_SYSTEM: Final = rank(a=2, b=(1, 2))
_SOLVED: Final = either(rank(a=2, b=1, y=1), rank(a=2, b=2, y=2))


def _varies(_: Rewriter, bound: Bound) -> bool:
    """Whether the right side of a system varies."""
    return bool(bound["d"] != Const(None))


def _has_the_axes(_: Rewriter, bound: Bound) -> bool:
    """Whether a product has as many axes as a number was given."""
    axes: Any = bound["axes"].value
    return (fact(bound["x"]).rank or 0) >= np.size(axes)


def _is_of_thin_svd(r: Rewriter, bound: Bound) -> bool:
    """Whether u is of `svd(x, full_matrices=False)`."""
    part = r.maker_of(bound["u"])
    made = r.maker_of(part.args[0]) if part is not None and part.args else None
    if made is None or made.fn is not np.linalg.svd:
        return False
    return ("full_matrices", Const(False)) in made.kwargs


def turned_back(r: Rewriter, op: Apply) -> Atom | None:
    """`x.T.T`, and `(a.T @ b).T` or `(a @ b.T).T`, of matrices and of stacks of them,
    however it is written that the last two axes change places."""
    for alike in (_reverses, _turns):
        before = _transposed(r, op.args[0], alike) if alike(op) else None
        if before is not None:
            return before
    if not _turns(op):
        return None
    if _factor_of_identity(r, op.args[0]) is not None:
        return op.args[0]
    product = r.inner(op.args[0], operator.matmul)
    if product is None or any((fact(a).rank or 0) < 2 for a in product.args):
        return None
    left, right = product.args
    first, last = (_transposed(r, side, _turns) for side in (left, right))
    if first is not None:
        return r.apply(operator.matmul, _turned(r, right), first)
    if last is not None:
        return r.apply(operator.matmul, last, _turned(r, left))
    return None


def _turned(r: Rewriter, x: Atom) -> Atom:
    if fact(x).rank == 2:
        return r.attribute("T", x)
    return r.apply(np.swapaxes, x, Const(-1), Const(-2))


def _reverses(op: Apply) -> bool:
    """Whether an op puts all axes, however many they are, in the other order."""
    return op.fn is np.transpose and len(op.args) == 1 and not op.kwargs


def _turns(op: Apply) -> bool:
    """Whether an op changes the places of the last two axes, and of no others."""
    n = fact(op.args[0]).rank or 0
    axes = [*op.args[1:], *(a for _, a in op.kwargs)]
    if n < 2 or op.fn not in (np.transpose, np.ndarray.transpose, np.swapaxes):
        return False
    if not axes:
        return n == 2
    given: list[Any] = [a.value for a in axes if isinstance(a, Const)]
    if len(given) < len(axes):
        return False
    if op.fn is np.swapaxes:
        return sorted(axis % n for axis in given) == [n - 2, n - 1]
    order = given[0] if isinstance(given[0], tuple) else tuple(given)
    turned = (*range(n - 2), n - 1, n - 2)
    return len(order) == n and all(
        a % n == b for a, b in zip(order, turned, strict=True)
    )


def _transposed(r: Rewriter, x: Atom, alike: Callable[[Apply], bool]) -> Atom | None:
    """The array whose transpose x is, by such an op; of the forward sweep one that has
    a name, or that is read for `x.T` anyway, which has none."""
    made = r.maker(x, np.transpose, np.ndarray.transpose, np.swapaxes)
    if made is None:
        made = r.maker_of(x)
        if made is None or not made.args or not isinstance(made.args[0], Var):
            return None
        read = made.form == "attribute" and is_weak(getattr(x, "hint", None))
        if not made.args[0].hint and not read:
            return None
    return made.args[0] if alike(made) else None


def solution(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoints in `x, residuals, rank, s = lstsq(a, b)`, of which only x is
    reached."""
    dy, a, b, y = op.args
    made = r.maker(dy, build_tuple)
    if made is None or not (_is_zero(r, made.args[1]) and _is_zero(r, made.args[3])):
        return None
    whole = r.maker_of(y)
    if whole is None or not _cuts_nothing_off(whole):
        return None
    x = r.apply(operator.getitem, y, Const(0))
    return r.apply(unsolution, made.args[0], a, b, x)


def _cuts_nothing_off(op: Apply) -> bool:
    """Whether lstsq takes for 0 what is 0 but for rounding."""
    given = (*op.args[2:], *(a for _, a in op.kwargs))
    return op.fn is np.linalg.lstsq and all(a == Const(None) for a in given)


def _is_zero(r: Rewriter, d: Atom) -> bool:
    """Whether an adjoint is zeros that nothing has reached."""
    return is_zeros(d, r.maker_of(d))


def _one_matrix(*, units: bool = False) -> Condition:
    """One matrix `v` stands under a stack `u`: bind the `axes` that a product sums.
    units: the matrices of the stack have one row each, or the stack is of vectors."""

    def holds(r: Rewriter, bound: Bound) -> bool:
        shape = fact(bound["u"]).shape
        if not isinstance(shape, tuple) or len(shape) < 3:
            return False
        axes = tuple(range(len(shape) - 1))
        bound["axes"] = Const((axes, axes))
        row = shape[-2]
        return not units or (row is not None and row.is_unit)

    return holds


def _one_vector(_: Rewriter, bound: Bound) -> bool:
    """A vector `v` stands under a stack `u`: bind how many axes the stack has, and the
    `index` that adds one behind them."""
    rank = fact(bound["u"]).rank or 0
    bound["n"] = Const(rank - 1)
    bound["index"] = Const((..., None))
    return rank > 2


def _column(name: str) -> Condition:
    """An operand is a matrix of one column: its product with a number is cheaper than
    that of a whole matrix."""
    return lambda _, bound: _is_unit(bound[name], 1)


def _row(name: str) -> Condition:
    """An operand is a matrix of one row."""
    return lambda _, bound: _is_unit(bound[name], 0)


def _is_unit(matrix: Atom, axis: int) -> bool:
    """Whether a matrix has one row, or one column."""
    shape = fact(matrix).shape
    if not isinstance(shape, tuple) or len(shape) != 2:
        return False
    length = shape[axis]
    return length is not None and length.is_unit


def slope_of_log_det(r: Rewriter, op: Apply) -> Atom | None:
    """`d / y * cofactors(x)` of `y = det(x)` is `d * inv(x).T`, where an inverse of x
    or a solution is at hand: it has one, or nothing would follow. By itself a
    determinant may be 0."""
    for quotient, slope in (op.args, op.args[::-1]):
        over, made = r.inner(quotient, operator.truediv), r.maker(slope, cofactors)
        if over is None or made is None or fact(made.args[0]).rank != 2:
            continue
        (x,), (d, y) = made.args, over.args
        of = r.maker_of(y)
        if of is not None and of.fn is np.linalg.det and of.args == (x,):
            if any(r.at_hand(fn, x) for fn in _OF_REGULAR):
                return r.apply(operator.mul, d, r.attribute("T", _inverse(r, x)))
    return None


def trace(r: Rewriter, op: Apply) -> Atom | None:
    """The sum of the products of a matrix and the identity is its trace."""
    for x, one in (op.args, op.args[::-1]):
        known = fact(x)
        real = known.dtype is not None and known.dtype.kind == "f"
        if _is_identity(r, one) and known.rank == 2 and real:
            return r.apply(np.trace, x)
    return None


def _is_identity(r: Rewriter, x: Atom) -> bool:
    made = r.maker_of(x)
    if made is None or len(made.args) != 1 or made.kwargs:
        return False
    return made.fn is np.eye or made.fn is np.identity


def scaled(r: Rewriter, op: Apply) -> Atom | None:
    """The product of `s * np.eye(n)`, of which a trace is made, and x is `s * x`."""
    for one, x in (op.args, op.args[::-1]):
        s = _factor_of_identity(r, one)
        if s is not None and fact(x).rank in (1, 2):
            return r.apply(operator.mul, s, x)
    return None


def _factor_of_identity(r: Rewriter, x: Atom) -> Atom | None:
    made = r.maker(x, operator.mul)
    if made is None or not fact(made.args[0]).is_scalar:
        return None
    return made.args[0] if _is_identity(r, made.args[1]) else None


def sum_of_outer(r: Rewriter, op: Apply) -> Atom | None:
    """`(np.outer(u, v) * x).sum(axis=0)` is `v * (u @ x)`: no matrix is filled."""
    axis = axes_at(dict(op.kwargs).get("axis", Const(None)), 2)
    plain = len(op.args) == 1 and [name for name, _ in op.kwargs] == ["axis"]
    if not plain or axis not in ((0,), (1,)):
        return None
    factors = _factors(r, op.args[0])
    outers = [f for f in factors if _is_outer_alone(r, f)]
    rest = [f for f in factors if f not in outers[:1]]
    arrays = [f for f in rest if not fact(f).is_scalar]
    if not outers or not arrays or any(fact(f).rank != 2 for f in arrays):
        return None
    if not any(r.assumed.same_shape(f, outers[0]) for f in arrays):
        return None
    if not all(_is_of_floats(f) for f in (outers[0], *arrays)):
        return None
    u, v = r.made[outers[0].name].args  # type: ignore[union-attr]
    matrix = functools.reduce(lambda a, b: r.apply(operator.mul, a, b), arrays)
    product = (u, matrix) if axis == (0,) else (matrix, v)
    found = r.apply(
        operator.mul, v if axis == (0,) else u, r.apply(operator.matmul, *product)
    )
    for scalar_factor in rest:
        if fact(scalar_factor).is_scalar:
            found = r.apply(operator.mul, scalar_factor, found)
    return found


def _factors(r: Rewriter, atom: Atom) -> list[Atom]:
    """What a value is a product of, as far as the text would nest it."""
    made = r.inner(atom, operator.mul)
    if made is None:
        return [atom]
    return [f for a in made.args for f in _factors(r, a)]


def _is_outer_alone(r: Rewriter, atom: Atom) -> bool:
    """Whether a value is an outer product of vectors that nothing else reads."""
    made = r.maker(atom, np.outer)
    if made is None or not isinstance(atom, Var) or r.uses.get(atom.name, 1) > 1:
        return False
    return len(made.args) == 2 and all(fact(a).rank == 1 for a in made.args)


def _is_of_floats(atom: Atom) -> bool:
    known = fact(atom)
    return known.dtype is not None and known.dtype.kind == "f"


def _is_double(of: Fact) -> bool:
    """Whether a value is a number of Python's, a double, or an array of doubles."""
    return of.is_python or of.dtype == np.float64


def _inverse(r: Rewriter, x: Atom) -> Atom:
    return r.apply(np.linalg.inv, x)


_OF_REGULAR = (np.linalg.inv, np.linalg.solve)
"""What raises for a matrix that has no inverse."""
_DOUBLES = known(_is_double, "a")
_SCALED = either(rank(u=0, v=ANY), rank(u=ANY, v=0))
SPREAD = rewrite(
    "np.expand_dims(s, axes) * x", "s * x",
    scalar("s"), constant(lambda axes: axes is not None, "axes"), _has_the_axes,
)  # fmt: skip
TABLE: Table = (
    rewrite("unmatmul_left(d, u, v)", "np.outer(d, v)", rank(u=2, v=1)),
    rewrite("unmatmul_left(d, u, v)", "v @ d", rank(u=1, v=2)),
    rewrite("unmatmul_left(d, u, v)", "d * v", rank(u=1, v=1)),
    # BLAS takes its time for products of a column and a row
    rewrite("unmatmul_left(d, u, v)", "d * v.T", rank(u=2, v=2), _column("v")),
    rewrite("unmatmul_left(d, u, v)", "d @ v.T", rank(u=2, v=2)),
    rewrite(
        "unmatmul_left(d, u, v)", "np.tensordot(d, v, (-1, 1))",
        rank(v=2), _one_matrix(units=True),
    ),
    rewrite("unmatmul_left(d, u, v)", "d @ v.T", rank(u=STACK, v=2)),
    rewrite("unmatmul_left(d, u, v)", "d[index] * v", rank(v=1), _one_vector),
    rewrite(
        "unmatmul_left(d, u, v)", "unbroadcast(d @ np.swapaxes(v, -1, -2), u)",
        rank(u=STACK, v=STACK),
    ),
    rewrite("unmatmul_right(d, u, v)", "d @ u", rank(u=2, v=1)),
    rewrite("unmatmul_right(d, u, v)", "np.outer(u, d)", rank(u=1, v=2)),
    rewrite("unmatmul_right(d, u, v)", "d * u", rank(u=1, v=1)),
    rewrite("unmatmul_right(d, u, v)", "u.T * d", rank(u=2, v=2), _row("u")),
    rewrite("unmatmul_right(d, u, v)", "u.T @ d", rank(u=2, v=2)),
    rewrite(
        "unmatmul_right(d, u, v)", "np.tensordot(u, d, axes)",
        rank(v=2), _one_matrix(),
    ),
    rewrite("unmatmul_right(d, u, v)", "np.tensordot(d, u, n)", rank(v=1), _one_vector),
    rewrite(
        "unmatmul_right(d, u, v)", "unbroadcast(np.swapaxes(u, -1, -2) @ d, v)",
        rank(u=STACK, v=STACK),
    ),
    rewrite("undot_left(d, u, v)", "unbroadcast(d * v, u)", _SCALED),
    rewrite("undot_left(d, u, v)", "unmatmul_left(d, u, v)", rank(u=FLAT, v=FLAT)),
    rewrite("undot_right(d, u, v)", "unbroadcast(d * u, v)", _SCALED),
    rewrite("undot_right(d, u, v)", "unmatmul_right(d, u, v)", rank(u=FLAT, v=FLAT)),
    rewrite("uninner_left(d, u, v)", "d @ v", rank(u=FLAT, v=2)),
    rewrite("uninner_left(d, u, v)", "undot_left(d, u, v)", rank(u=FLAT, v=1)),
    rewrite("uninner_left(d, u, v)", "unbroadcast(d * v, u)", _SCALED),
    rewrite("uninner_right(d, u, v)", "d.T @ u", rank(u=2, v=2)),
    rewrite("uninner_right(d, u, v)", "np.outer(d, u)", rank(u=1, v=2)),
    rewrite("uninner_right(d, u, v)", "undot_right(d, u, v)", rank(u=FLAT, v=1)),
    rewrite("uninner_right(d, u, v)", "unbroadcast(d * u, v)", _SCALED),
    rewrite("unsolve(d, a, b)", "np.linalg.solve(a.T, d)", _SYSTEM),
    rewrite(
        "np.linalg.solve(a.T, np.eye(n))", "np.linalg.inv(a).T", rank(a=2), _DOUBLES
    ),
    rewrite(
        "np.linalg.solve(a.T, s * np.eye(n))", "s * np.linalg.inv(a).T",
        scalar("s"), rank(a=2), _DOUBLES,
    ),
    rewrite(
        "along_solve(a, b, y, da=t)", "np.linalg.solve(a, -(t @ y))",
        _SOLVED, rank(t=2),
    ),
    rewrite("along_solve(a, b, y, db=d)", "np.linalg.solve(a, d)", _SOLVED, _varies),
    rewrite(
        "along_solve(a, b, y, da=t, db=d)", "np.linalg.solve(a, d - t @ y)",
        _SOLVED, rank(t=2), _varies,
    ),
    rewrite("outer_last(w, y, b)", "np.outer(w, y)", rank(w=1, y=1, b=1)),
    rewrite("outer_last(w, y, b)", "w @ y.T", rank(w=2, y=2, b=2)),
    rewrite("np.swapaxes(x, -1, -2)", "x.T", rank(x=2)),
    rewrite("np.swapaxes(x, -2, -1)", "x.T", rank(x=2)),
    rewrite(
        "a @ x + b @ x", "(a + b) @ x", rank(a=2, b=2, x=FLAT), same_shape("a", "b")
    ),
    rewrite(
        "x @ a + x @ b", "x @ (a + b)", rank(a=2, b=2, x=FLAT), same_shape("a", "b")
    ),
    rewrite(
        "s * a + x @ (s * b)", "s * (a + x @ b)",
        scalar("s"), rank(x=2, a=FLAT, b=FLAT),
    ),
    rewrite(
        "w + s * a + x @ (s * b)", "w + s * (a + x @ b)",
        scalar("s"), rank(x=2, a=FLAT, b=FLAT),
    ),
    rewrite(
        "w + a @ x + b @ x", "w + (a + b) @ x",
        rank(a=2, b=2, x=FLAT), same_shape("a", "b"),
    ),
    rewrite(
        "w + x @ a + x @ b", "w + x @ (a + b)",
        rank(a=2, b=2, x=FLAT), same_shape("a", "b"),
    ),
    # a vector has fewer signs than a matrix
    rewrite("v @ -x", "-(v @ x)", rank(v=1, x=2)),
    rewrite("-x @ v", "-(x @ v)", rank(x=2, v=1)),
    rewrite("s * (u @ v)", "(s * u) @ v", scalar("s"), rank(v=2), _column("u")),
    rewrite("(s * x) @ v", "x @ (s * v)", scalar("s"), rank(x=2, v=1)),
    rewrite("(s * x) @ v", "x @ (s * v)", scalar("s"), rank(x=2), _column("v")),
    computed(trace, np.vdot),
    computed(scaled, operator.matmul),
    computed(sum_of_outer, np.sum),
    rewrite("np.transpose(x)", "x", rank(x=1)),
    rewrite("np.transpose(-x)", "-x.T"),
    rewrite("np.transpose(s * x)", "s * x.T", scalar("s"), rank(x=2)),
    rewrite("np.transpose(np.outer(u, v))", "np.outer(v, u)"),
    rewrite("s * np.outer(u, v)", "np.outer(s * u, v)", scalar("s"), rank(u=1)),
    computed(turned_back, np.transpose, np.ndarray.transpose, np.swapaxes),
    SPREAD,
    rewrite("real_like(d, x)", "d", complex_("x")),
    rewrite("real_like(d, x)", "np.real(d)", floats("x")),
    rewrite(
        "uneigh(d, None, w, v, uplo)", "one_triangle((v * d) @ v.T, uplo)",
        rank(d=1), floats("v"),
    ),
    computed(of_factor, unlower, unfactor, uncho_factor),
    computed(of_multiple, np.linalg.solve),
    rewrite(
        "unlower(d, y)",
        "one_triangle(np.linalg.inv(y).T"
        " @ (np.tril(y.T @ d) - np.diag(np.diag(y.T @ d) / 2)) @ np.linalg.inv(y))",
        rank(d=2, y=2), floats("d", "y"),
    ),
    rewrite(
        "one_triangle(s, 'L')", "np.tril(s + s.T) - np.diag(np.diag(s))",
        rank(s=2), floats("s"),
    ),
    computed(slope_of_log_det, operator.mul),
    rewrite("unsvd(None, d, None, u, s, v)", "(u * d) @ v", rank(d=1), _is_of_thin_svd),
    computed(solution, unlstsq),
)  # fmt: skip
