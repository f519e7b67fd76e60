"""Rewrites of the helpers that undo broadcasting and reductions, where ranks are known.

`unbroadcast(dz, b)` becomes `dz.sum(axis=0)`; `expand(d, x)`, a cotangent not yet
spread over the shape of x, is carried along unspread through what is elementwise
(`unsum(seed, x) * w` is `seed * w` where w has the shape of x).
"""

from __future__ import annotations

import builtins
import operator

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import ADD, DIV, MUL, NEG, SUB
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact, is_narrower
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import along_curve, count, expand, unbroadcast, ungetitem, unsum


def _spread(r: Rewriter, atom: Atom) -> tuple[Atom, Atom] | None:
    """(d, x) of an `expand(d, x)`."""
    op = r.maker(atom, expand)
    if op is None or r.maker(op.args[0], ungetitem) is not None:
        return None  # what is scattered is added in place, to what has its own shape
    return op.args[0], op.args[1]


def expand_(r: Rewriter, op: Apply) -> Atom | None:
    """A cotangent that has the shape already."""
    d, x = op.args
    if fact(x).is_scalar and fact(d).is_scalar:
        return d
    if r.same_shape(d, x):
        return d
    named = r.shaped_like(x)
    return None if named == x else r.make(expand, d, named)


def through(r: Rewriter, op: Apply) -> Atom | None:
    """An elementwise op of a spread cotangent."""
    if len(op.args) == 1:
        spread = _spread(r, op.args[0])
        return (
            None
            if spread is None
            else r.make(expand, r.make(op.fn, spread[0]), spread[1])
        )
    a, b = op.args
    left, right = _spread(r, a), _spread(r, b)
    if left is not None and right is not None and r.same_shape(left[1], right[1]):
        return r.make(expand, r.make(op.fn, left[0], right[0]), left[1])
    if left is not None:
        return _one_side(r, op, left, b, first=True)
    if right is not None:
        return _one_side(r, op, right, a, first=False)
    return None


def _one_side(
    r: Rewriter, op: Apply, spread: tuple[Atom, Atom], other: Atom, *, first: bool
) -> Atom | None:
    d, x = spread
    pair = (d, other) if first else (other, d)
    if r.same_shape(other, x):
        # A number that is spread to a shape has a type, by itself it has none.
        return None if _may_be_narrower(r, other, x) else r.make(op.fn, *pair)
    if not fact(d).is_scalar and _fill(d, other, x):
        return r.make(op.fn, *pair)
    if fact(other).is_scalar:
        return r.make(expand, r.make(op.fn, *pair), x)
    return None


def _may_be_narrower(r: Rewriter, one: Atom, other: Atom) -> bool:
    """Whether an array may hold floats of fewer bits than another: also where ways
    join that bring floats of either kind."""
    known = fact(other).dtype
    wide = known is not None and known.kind == "f" and known.itemsize == 8
    return is_narrower(one, other) or (wide and _is_joined(r, one))


def _is_joined(r: Rewriter, atom: Atom) -> bool:
    """Whether floats of several types may meet in an array: it comes of a branch or a
    loop of the function, or of an op that was given such."""
    pending, seen = [atom], set[str]()
    while pending:
        part = pending.pop()
        known = fact(part)
        if not isinstance(part, Var) or known.kind != "array" or known.dtype:
            continue
        if part.name in r.joins:
            return True
        op = r.made_by(part.name)
        pending += () if op is None or part.name in seen else op.args
        seen.add(part.name)
    return False


def _fill(one: Atom, other: Atom, whole: Atom) -> bool:
    """Whether two arrays, each of length 1 along some axes, together have the shape of
    a third: `d[:, None] / y[None, :]` that of a matrix."""
    p, q, shape = fact(one).shape, fact(other).shape, fact(whole).shape
    if not (isinstance(p, tuple) and isinstance(q, tuple)):
        return False
    if not isinstance(shape, tuple) or max(len(p), len(q)) != len(shape):
        return False
    for k, n in enumerate(reversed(shape), 1):
        present = [s[-k] for s in (p, q) if len(s) >= k]
        if n is None or n not in present:
            return False
        if any(m != n and (m is None or not m.is_unit) for m in present):
            return False
    return True


def unbroadcast_(r: Rewriter, op: Apply) -> Atom | None:
    """d summed to the shape of x, in the words of the ranks at hand."""
    d, x = op.args
    known, wanted = fact(d), fact(x)
    spread = _spread(r, d)
    if spread is not None:
        return _unbroadcast_spread(r, spread, x)
    if known.is_scalar and wanted.is_scalar:
        r.assumed.shapes = True
        return d
    if r.same_shape(d, x):
        return d
    if wanted.is_scalar and known.shape is not None and not known.is_scalar:
        r.assumed.shapes |= known.rank is not None
        return total(r, d)
    axes = _axes(r, known.shape, wanted.shape)
    if axes is None:
        return None
    r.assumed.shapes = True
    return _summed(r, d, axes)


def _unbroadcast_spread(r: Rewriter, spread: tuple[Atom, Atom], x: Atom) -> Atom | None:
    d, like = spread
    if r.same_shape(like, x):
        return r.make(expand, d, x)
    if fact(x).is_scalar and fact(d).is_scalar:
        return r.make(MUL, d, r.attribute("size", r.shaped_like(like)))
    axes = _axes(r, fact(like).shape, fact(x).shape)
    if axes is None:
        return None
    r.assumed.shapes = True
    lead = len(axes[0])
    summed = (*axes[0], *(k + lead for k in axes[1]))
    if not fact(d).is_scalar:
        shape = r.attribute("shape", r.shaped_like(like))
        return _summed(r, r.make(np.broadcast_to, d, shape), axes)
    for k in summed:
        shape = r.attribute("shape", r.shaped_like(like))
        d = r.make(MUL, d, r.make(operator.getitem, shape, Const(k)))
    return r.make(expand, d, x)


def _summed(
    r: Rewriter, d: Atom, axes: tuple[tuple[int, ...], tuple[int, ...]]
) -> Atom:
    """d, its leading axes summed away and others summed to length 1."""
    leading, units = axes
    if leading:
        axis: object = leading[0] if len(leading) == 1 else leading
        d = r.method("sum", d, kwargs=(("axis", Const(axis)),))
    if units:
        axis = units[0] if len(units) == 1 else units
        kwargs = (("axis", Const(axis)), ("keepdims", Const(True)))
        d = r.method("sum", d, kwargs=kwargs)
    return d


def _axes(
    r: Rewriter, given: object, wanted: object
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The leading axes to sum, and those (of what is left) to sum to length 1."""
    if not isinstance(given, tuple) or not isinstance(wanted, tuple):
        return None
    lead = len(given) - len(wanted)
    if lead < 0:
        return None
    units = []
    for k, (p, q) in enumerate(zip(given[lead:], wanted, strict=True)):
        if isinstance(q, Dim) and q.is_unit:
            if not (isinstance(p, Dim) and p.is_unit):
                units.append(k)
        elif not r.same_shapes((p,), (q,)):
            return None
    return tuple(range(lead)), tuple(units)


def _is_mask(atom: Atom) -> bool:
    known = fact(atom)
    return known.kind == "bool" or known.dtype == bool


def total(r: Rewriter, d: Atom) -> Atom:
    """The sum of all of d: np.vdot of a product, scalars outside."""
    op = r.inner(d, MUL, DIV) or r.nameless(d, NEG)
    if op is not None and op.fn is NEG:
        return r.make(NEG, total(r, op.args[0]))
    if op is not None and op.fn is MUL:
        a, b = op.args
        if fact(a).is_scalar:
            return r.make(MUL, a, total(r, b))
        inner = r.inner(a, MUL)
        if inner is not None and fact(inner.args[0]).is_scalar:
            rest = r.make(MUL, inner.args[1], b)
            return r.make(MUL, inner.args[0], total(r, rest))
        # of two masks vdot tells whether they meet, and it conjugates complex numbers
        masks = _is_mask(a) and _is_mask(b)
        if r.same_shape(a, b) and not masks and not fact(a).is_complex:
            return r.make(np.vdot, a, b)
    if op is not None and op.fn is DIV and fact(op.args[1]).is_scalar:
        return r.make(DIV, total(r, op.args[0]), op.args[1])
    return r.make(np.sum, d)


def unsum_(r: Rewriter, op: Apply) -> Atom | None:
    """The cotangent of a sum, spread along the axes that were summed."""
    dy, x, axis, keepdims = _reduction(op)
    known, like = fact(dy), fact(x)
    if like.is_scalar:
        return dy
    if isinstance(axis, Const) and axis.value is None and known.is_scalar:
        return r.make(expand, dy, x)
    spread = _spread(r, dy)
    if spread is not None and fact(spread[0]).is_scalar:
        return r.make(expand, spread[0], x)
    if not isinstance(axis, Const) or not isinstance(keepdims, Const):
        return None
    if like.rank is None or axis.value is None:
        return r.make(expand, dy, x) if keepdims.value else None
    summed = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    axes = {int(a) % like.rank for a in summed}
    if keepdims.value or axes == set(range(len(axes))):
        return r.make(expand, dy, x)  # leading axes: broadcasting does it
    if known.kind == "real" and known.rank is None:
        return None  # it may be 0.0, for an array of zeros
    index = tuple(np.newaxis if k in axes else slice(None) for k in range(like.rank))
    return r.make(expand, r.make(operator.getitem, dy, Const(index)), x)


def _reduction(op: Apply) -> tuple[Atom, Atom, Atom, Atom]:
    names = ("dy", "x", "axis", "keepdims")
    given: dict[str, Atom] = {"axis": Const(None), "keepdims": Const(False)}
    given |= dict(zip(names, op.args, strict=False)) | dict(op.kwargs)
    return given["dy"], given["x"], given["axis"], given["keepdims"]


def count_(r: Rewriter, op: Apply) -> Atom | None:
    """How many elements a mean puts together: never 0, for a scalar quotient raises
    where the primal gives nan."""
    x = r.shaped_like(op.args[0])
    given = dict(zip(("x", "axis", "ddof"), op.args, strict=False)) | dict(op.kwargs)
    axis, ddof = given.get("axis", Const(None)), given.get("ddof", Const(0))
    if fact(x).is_scalar and ddof == Const(0):
        return Const(1)
    if not isinstance(axis, Const) or fact(x).kind != "array":
        return None
    if axis.value is None:
        length = r.attribute("size", x)
    elif isinstance(axis.value, int):
        length = r.make(operator.getitem, r.attribute("shape", x), axis)
    elif isinstance(axis.value, tuple) and axis.value:
        shape = r.attribute("shape", x)
        length = r.make(operator.getitem, shape, Const(axis.value[0]))
        for k in axis.value[1:]:
            length = r.make(MUL, length, r.make(operator.getitem, shape, Const(k)))
    else:
        return None
    if ddof != Const(0):
        length = r.make(SUB, length, ddof)
    return r.make(builtins.max, length, Const(1))


def materialize(r: Rewriter, op: Apply) -> Atom | None:
    """What is left of `expand` where the dtype is known, in NumPy's words."""
    d, x = op.args
    known = fact(x)
    if known.kind != "array" or known.dtype is None:
        return None
    if not fact(d).is_scalar:
        return r.make(np.broadcast_to, d, r.attribute("shape", x))
    if known.dtype.kind not in "fc":
        return r.make(np.full, r.attribute("shape", x), r.make(float, d))
    if isinstance(d, Const) and d.value == 0:
        return r.make(np.zeros_like, x)
    return r.make(np.full_like, x, d)


def along_curve_(r: Rewriter, op: Apply) -> Atom | None:
    """What reaches the points of a curve of numbers: a product."""
    dy, slope, x = op.args
    if not ((fact(dy).is_scalar and fact(x).is_scalar) or r.same_shape(dy, x)):
        return None
    r.assumed.shapes = True
    return r.make(MUL, dy, slope)


LAST_RULES = {expand: (materialize,)}
RULES = {
    expand: (expand_,),
    ADD: (through,),
    SUB: (through,),
    MUL: (through,),
    DIV: (through,),
    NEG: (through,),
    unbroadcast: (unbroadcast_,),
    unsum: (unsum_,),
    along_curve: (along_curve_,),
    count: (count_,),
}
