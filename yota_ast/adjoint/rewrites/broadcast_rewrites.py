"""Rewrites of the helpers that undo broadcasting and reductions, where ranks are known.

`unbroadcast(dz, b)` becomes `dz.sum(axis=0)`; `expand(d, x)`, a cotangent not yet
spread over the shape of x, is carried along unspread through what is elementwise
(`unsum(seed, x) * w` is `seed * w` where w has the shape of x).
"""

from __future__ import annotations

import functools
import operator

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import ADD, DIV, MUL, NEG, SUB
from yota_ast.adjoint.rewrites.common_values import likeness
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    SOME,
    array,
    assuming_shapes,
    complex_,
    either,
    is_real,
    known,
    leads,
    literal,
    made_by,
    rank,
    restores,
    same_shape,
    scalar,
    whole,
    without,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact, is_narrower
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Table,
    computed,
    rewrite,
    signed,
)
from yota_ast.analysis.shape_sources import broadcasts
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim, stopped
from yota_ast.ir.nodes import Apply, atoms_of
from yota_ast.runtime import expand, unbroadcast, ungetitem


def spread_of(r: Rewriter, atom: Atom) -> tuple[Atom, Atom] | None:
    """(d, x) of an `expand(d, x)`."""
    op = r.maker(atom, expand)
    if op is None or r.maker(op.args[0], ungetitem) is not None:
        return None  # what is scattered is added in place, to what has its own shape
    return op.args[0], op.args[1]


def named_shape(r: Rewriter, op: Apply) -> Atom | None:
    """A cotangent spread to the shape of what the text has a name for."""
    d, x = op.args
    named = r.shaped_like(x)
    return None if named == x else r.apply(expand, d, named)


def through(r: Rewriter, op: Apply) -> Atom | None:
    """An elementwise op of a spread cotangent."""
    if len(op.args) == 1:
        spread = spread_of(r, op.args[0])
        return (
            None
            if spread is None
            else r.apply(expand, r.apply(op.fn, spread[0]), spread[1])
        )
    a, b = op.args
    left, right = spread_of(r, a), spread_of(r, b)
    if (
        left is not None
        and right is not None
        and r.assumed.same_shape(left[1], right[1])
    ):
        return r.apply(expand, r.apply(op.fn, left[0], right[0]), left[1])
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
    if first and r.maker(other, ungetitem) is not None:
        return None  # it is added in place, to what has its own shape
    if r.assumed.same_shape(other, x):
        # A number that is spread to a shape has a type, by itself it has none.
        return None if _may_be_narrower(r, other, x) else r.apply(op.fn, *pair)
    if not fact(d).is_scalar and _fill(r, d, other, x):
        return r.apply(op.fn, *pair)
    if fact(other).is_scalar:
        return r.apply(expand, r.apply(op.fn, *pair), x)
    return None


def _may_be_narrower(r: Rewriter, one: Atom, other: Atom) -> bool:
    """Whether an array may hold floats of fewer bits than another: also where ways
    join that bring floats of either kind."""
    known = fact(other).dtype
    wide = known is None or (known.kind == "f" and known.itemsize == 8)
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


def met(r: Rewriter, op: Apply) -> Atom | None:
    """c * expand(d, x) * a times b is c * d * a times b, where b has the shape of x and
    d is a number: b spreads it."""
    left, right = op.args
    rest = _unspread(r, left, right)
    if rest is not None:
        return r.apply(op.fn, rest, right)
    rest = _unspread(r, right, left) if op.fn is MUL else None
    return None if rest is None else r.apply(MUL, left, rest)


def _unspread(r: Rewriter, product: Atom, other: Atom) -> Atom | None:
    """A product without the spreading of a number in it that another factor does."""
    op = r.inner(product, MUL)
    for k, part in enumerate(() if op is None else op.args):
        spread = spread_of(r, part)
        if spread is None or not fact(spread[0]).is_scalar:
            less = _unspread(r, part, other)
        elif r.assumed.same_shape(other, spread[1]) and not _may_be_narrower(
            r, other, spread[1]
        ):
            less = spread[0]
        else:
            less = None
        if op is not None and less is not None:
            return r.apply(MUL, *(less if j == k else a for j, a in enumerate(op.args)))
    return None


def _fill(r: Rewriter, one: Atom, other: Atom, whole: Atom) -> bool:
    """Whether two arrays, each of length 1 along some axes, together have the shape of
    a third: `d[:, None] / y[None, :]` that of a matrix."""
    p, q, shape = fact(one).shape, fact(other).shape, fact(whole).shape
    if not (isinstance(p, tuple) and isinstance(q, tuple)):
        return False
    if not isinstance(shape, tuple) or max(len(p), len(q)) != len(shape):
        return False
    given, wanted = list[Dim | None](), list[Dim | None]()
    for k, n in enumerate(reversed(shape), 1):
        lengths = [s[-k] for s in (p, q) if len(s) >= k]
        longer = [m for m in lengths if m is None or not m.is_unit or m == n]
        if not longer:
            return False
        given += longer
        wanted += [n] * len(longer)
    return r.assumed.same_shapes(tuple(given), tuple(wanted))


def summed_back(r: Rewriter, op: Apply) -> Atom | None:
    """d summed to the shape of x, in the words of the ranks at hand."""
    d, x = op.args
    known, wanted = fact(d), fact(x)
    if wanted.is_scalar and known.shape is not None and not known.is_scalar:
        r.assumed.shapes |= known.rank is not None
        return total(r, d)
    axes = _axes(r, known.shape, wanted.shape)
    if axes is None:
        return None
    r.assumed.shapes = True
    return _summed(r, d, axes)


def spread_back(r: Rewriter, op: Apply) -> Atom | None:
    """What is spread, summed to the shape of x."""
    spread, x = spread_of(r, op.args[0]), op.args[1]
    if spread is None:
        return None
    d, like = spread
    axes = _axes(r, fact(like).shape, fact(x).shape)
    if axes is None:
        return None
    r.assumed.shapes = True
    lead = len(axes[0])
    summed = (*axes[0], *(k + lead for k in axes[1]))
    if not fact(d).is_scalar:
        shape = r.attribute("shape", like)
        return _summed(r, r.apply(np.broadcast_to, d, shape), axes)
    for k in summed:
        shape = r.attribute("shape", like)
        d = r.apply(MUL, d, r.apply(operator.getitem, shape, Const(k)))
    return r.apply(expand, d, x)


def shape_alone(r: Rewriter, op: Apply) -> Atom | None:
    """A temporary that is read for its shape alone is not computed for that: `k * x`
    has the shape of x, where k is a number. Of real numbers alone: what is summed back
    to a real array is taken for real."""
    d, x = op.args
    made = r.maker_of(x) if isinstance(x, Var) and x.hint is None else None
    if made is None or not broadcasts(made):
        return None
    arrays = [a for a in atoms_of(made) if not fact(a).is_scalar]
    if len(arrays) != 1 or fact(arrays[0]).kind != "array" or made.kwargs:
        return None
    if not all(is_real(fact(a)) for a in atoms_of(made)):
        return None
    return r.apply(unbroadcast, d, arrays[0])


def less_mean(r: Rewriter, op: Apply) -> Atom | None:
    """`x - np.mean(x, 0, keepdims=True)` is `x - m`, where `m = np.mean(x, axis=0)` is
    at hand: over leading axes it is subtracted from each."""
    x, mean = op.args
    made = r.inner(mean, np.mean)
    if made is None or made.kwargs != _KEEPING or made.args[0] != x:
        return None
    bound = {"x": x, "axis": [*made.args, Const(None)][1], "keepdims": Const(False)}
    found = r.seen.get(likeness(np.mean, made.args, ())) if leads(r, bound) else None
    return None if found is None else r.apply(SUB, x, found)


_KEEPING = (("keepdims", Const(True)),)


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
        if isinstance(q, Dim) and _is_one(r, q, p):
            if not (isinstance(p, Dim) and p.is_unit):
                units.append(k)
        elif not r.assumed.same_shapes((p,), (q,)):
            return None
    return tuple(range(lead)), tuple(units)


def _is_one(r: Rewriter, length: Dim, other: object) -> bool:
    """Whether a length is 1: that of `x[:1]` is, where it meets one that is longer."""
    longer = isinstance(other, Dim) and other.example not in (None, 1)
    if length.is_unit or not longer or length.example != 1:
        return length.is_unit
    whole = r.assumed.uncut(length) if stopped(length.base) else None
    return whole is not None and whole.is_unit


def _is_mask(atom: Atom) -> bool:
    known = fact(atom)
    return known.kind == "bool" or known.dtype == bool


def total(r: Rewriter, d: Atom) -> Atom:
    """The sum of all of d: np.vdot of a product, scalars outside."""
    op = r.inner(d, MUL, DIV) or signed(r, d, NEG)
    if op is not None and op.fn is NEG:
        return r.apply(NEG, total(r, op.args[0]))
    if op is not None and op.fn is MUL:
        a, b = op.args
        if fact(a).is_scalar:
            return r.apply(MUL, a, total(r, b))
        inner = r.inner(a, MUL)
        if inner is not None and fact(inner.args[0]).is_scalar:
            rest = r.apply(MUL, inner.args[1], b)
            return r.apply(MUL, inner.args[0], total(r, rest))
        # of two masks vdot tells whether they meet, and it conjugates complex numbers
        masks = _is_mask(a) and _is_mask(b)
        if r.assumed.same_shape(a, b) and not masks and not fact(a).is_complex:
            return r.apply(np.vdot, a, b)
    if op is not None and op.fn is DIV and fact(op.args[1]).is_scalar:
        return r.apply(DIV, total(r, op.args[0]), op.args[1])
    return r.apply(np.sum, d)


def _length(r: Rewriter, bound: Bound) -> bool:
    """Bind the product of the lengths of several axes."""
    axes = bound["axis"].value if isinstance(bound["axis"], Const) else None
    if not isinstance(axes, tuple) or not axes:
        return False
    shape = r.attribute("shape", bound["x"])
    sizes = [r.apply(operator.getitem, shape, Const(k)) for k in axes]
    bound["n"] = functools.reduce(functools.partial(r.apply, MUL), sizes)
    return True


_ALIKE = either(scalar("d", "x"), same_shape("d", "x"))
_TYPED = known(lambda f: f.kind == "array" and f.dtype is not None, "x")
_FLOATS = known(lambda f: f.dtype is not None and f.dtype.kind in "fc", "x")
_ARRAY = array("x")
_NUMBER, _ARRAYS = scalar("d"), without(scalar("d"))
_WHOLE = without(_FLOATS)
_WIDER = complex_("d"), without(complex_("x"))
"""A complex number was a factor beside: `full_like` would drop its imaginary part."""
_RANKED = known(lambda f: f.kind != "real" or f.rank is not None, "d")
"""It is no 0.0 that stands for an array of zeros."""
_DENSE = without(made_by(ungetitem, "d"))
"""What is scattered is added in place, to what has its own shape."""
LAST_TABLE: Table = (
    rewrite("expand(d, x)", "np.broadcast_to(d, x.shape)", _TYPED, _ARRAYS),
    rewrite("expand(d, x)", "np.full(x.shape, d)", _TYPED, _NUMBER, *_WIDER),
    rewrite("expand(d, x)", "np.full(x.shape, float(d))", _TYPED, _WHOLE, _NUMBER),
    rewrite("expand(0, x)", "np.zeros_like(x)", _TYPED, _FLOATS),
    rewrite("expand(d, x)", "np.full_like(x, d)", _TYPED, _FLOATS, _NUMBER),
)


def _restored(_: Rewriter, bound: Bound) -> bool:
    """Bind the `index` that gives a result back the axes that were taken away."""
    axis = bound["axis"]
    value = axis.value if isinstance(axis, Const) else None
    given = value if isinstance(value, tuple) else (value,)
    count = (fact(bound["y"]).rank or 0) + len(given)
    if not all(type(k) is int and -count <= k < count for k in given):
        return False
    places = {k % count for k in given}
    parts = (None if k in places else slice(None) for k in range(count))
    bound["index"] = Const(tuple(parts))
    return True


TABLE: Table = (
    rewrite("expand(d, x)", "d", _ALIKE),
    computed(named_shape, expand),
    computed(through, ADD, SUB, MUL, DIV, NEG),
    computed(met, MUL, DIV),
    rewrite("np.sum(x, None, keepdims=False)", "np.sum(x)"),
    rewrite(
        "np.sum(x, axis, keepdims=False)", "np.sum(x, axis=axis)", literal("axis")
    ),
    rewrite(
        "x - np.mean(y, None, keepdims=True)", "x - np.mean(y)",
        array("y"), same_shape("x", "y"),
    ),
    computed(less_mean, SUB),
    rewrite(
        "unbroadcast(expand(d, y), x)", "expand(d, x)", _DENSE, same_shape("y", "x")
    ),
    rewrite("unbroadcast(expand(d, y), x)", "d * y.size", _DENSE, scalar("d", "x")),
    computed(spread_back, unbroadcast),
    computed(shape_alone, unbroadcast),
    rewrite("unbroadcast(d, x)", "d", assuming_shapes(_ALIKE)),
    computed(summed_back, unbroadcast),
    rewrite("unsum(d, x, axis, keepdims)", "d", scalar("x")),
    rewrite("unsum(d, x, None, keepdims)", "expand(d, x)", scalar("d")),
    rewrite(
        "unsum(expand(d, y), x, axis, keepdims)", "expand(d, x)",
        scalar("d"), _DENSE,
    ),
    rewrite("unsum(d, x, axis, True)", "expand(d, x)", literal("axis")),
    rewrite("unsum(d, x, axis, keepdims)", "expand(d, x)", leads),
    rewrite("unsum(d, x, axis, keepdims)", "expand(d[index], x)", _RANKED, restores),
    rewrite("restored(y, axis, keepdims)", "y", rank(y=0)),
    rewrite("restored(y, None, keepdims)", "y"),
    rewrite("restored(y, axis, True)", "y"),
    rewrite("restored(y, axis, False)", "y[index]", rank(y=SOME), _restored),
    rewrite("along_curve(d, slope, x)", "d * slope", assuming_shapes(_ALIKE)),
    rewrite("count(x, axis)", "1", scalar("x")),
    rewrite("count(x, None, n)", "max(x.size - n, 1)", _ARRAY),
    rewrite("count(x, axis, n)", "max(x.shape[axis] - n, 1)", _ARRAY, whole("axis")),
    rewrite("count(x, axis, m)", "max(n - m, 1)", _ARRAY, _length),
)  # fmt: skip
