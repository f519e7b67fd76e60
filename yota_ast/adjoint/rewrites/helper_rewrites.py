"""Rewrites of helpers into NumPy's own words, where ranks and settings are known.

`unmax(dy, x, y, 1)` becomes `np.where(hit, (dy / hit.sum(axis=1))[:, np.newaxis], 0.0)`
with `hit = (x == y[:, np.newaxis]) | np.isnan(x)`; an item of `unconcatenate(dy,
(a, b))` a slice of dy.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping

import numpy as np

from yota_ast import runtime
from yota_ast.adjoint.reverse.stored_precision import narrows
from yota_ast.adjoint.rewrites.algebra_rewrites import ADD, DIV, MUL, NEG
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.ir.abstract_values import Fact, array_fact, element_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    ties,
    unbroadcast,
    uncast_array,
    unconcatenate,
    uncumsum,
    ungetitem,
    unmax,
    unnorm,
    unstack,
    unsum_sequence,
    untranspose,
)
from yota_ast.syntax.value_paths import attribute_text

ALL = slice(None)


def arguments(op: Apply) -> Mapping[str, Atom]:
    """The arguments of a helper by name; settings left out are constants."""
    bound = inspect.signature(op.fn).bind(*op.args, **dict(op.kwargs))
    missing = {
        p.name: Const(p.default)
        for p in inspect.signature(op.fn).parameters.values()
        if p.default is not p.empty
    }
    return missing | bound.arguments


def _axes(axis: Atom, rank: int | None) -> tuple[int, ...] | None:
    """The axes that a literal setting names, from 0; () for all of them."""
    if not isinstance(axis, Const) or rank is None:
        return None
    if axis.value is None:
        return ()
    given = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    if not all(type(k) is int for k in given):
        return None
    return tuple(k % rank for k in given) if rank else None


def _restored(
    r: Rewriter, y: Atom, axes: tuple[int, ...], rank: int, keepdims: object
) -> Atom:
    """The result of a reduction, with the axes that it took away at length 1."""
    if keepdims or not axes or axes == tuple(range(len(axes))):
        return y  # leading axes: broadcasting does it
    index = tuple(np.newaxis if k in axes else ALL for k in range(rank))
    return r.make(operator.getitem, y, Const(index))


def tied(r: Rewriter, op: Apply) -> Atom | None:
    """Where an array is its maximum or minimum, as a comparison."""
    given = arguments(op)
    x, y, keepdims = (given[k] for k in ("x", "y", "keepdims"))
    axes = _axes(given["axis"], fact(x).rank)
    rank, dtype = fact(x).rank, fact(x).dtype
    if axes is None or not rank or not isinstance(keepdims, Const):
        return None
    if given["axis"] == Const(()):  # over no axis: each is a maximum
        return None
    if fact(x).kind != "array" or dtype is None or dtype.kind != "f":
        return None
    made = r.forward.get(y.name) if isinstance(y, Var) else None
    if made is None or made.fn not in (np.max, np.min, np.amax, np.amin):
        return None  # np.nanmax is no nan where x is
    same = r.make(operator.eq, x, _restored(r, y, axes, rank, keepdims.value))
    return r.make(operator.or_, same, r.make(np.isnan, x))


def maximum_of_all(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a maximum or minimum: those that reach it share evenly."""
    given = arguments(op)
    x, dy, keepdims = (given[k] for k in ("x", "dy", "keepdims"))
    hit = tied(r, op)
    axes, rank = _axes(given["axis"], fact(x).rank), fact(x).rank
    if hit is None or axes is None or rank is None or not isinstance(keepdims, Const):
        return None
    kwargs: list[tuple[str, Atom]] = []
    if axes:
        kwargs.append(("axis", given["axis"]))
    if keepdims.value:
        kwargs.append(("keepdims", Const(True)))
    kind = getattr(fact(x).dtype, "type", np.float64)
    if kind is not np.float64:  # an integer count would widen what it divides
        kwargs.append(
            ("dtype", Const(kind, attribute_text("np", kind.__name__), "numpy"))
        )
    n = r.make(np.sum, hit, kwargs=tuple(kwargs))
    negated = r.nameless(dy, NEG)  # x - np.where(...), not x + np.where(..., -s, 0.0)
    share = r.make(DIV, dy if negated is None else negated.args[0], n)
    share = _restored(r, share, axes, rank, keepdims.value)
    shared = r.make(np.where, hit, share, Const(0.0))
    return shared if negated is None else r.make(NEG, shared)


def norm(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a Euclidean norm: 0 at the origin."""
    given = arguments(op)
    x, y, dy, keepdims = (given[k] for k in ("x", "y", "dy", "keepdims"))
    order, rank = given["ord"], fact(x).rank
    axes = _axes(given["axis"], rank)
    if axes is None or rank is None or not isinstance(keepdims, Const):
        return None
    vectors = len(axes) == 1 or (not axes and rank == 1)
    if order not in (Const(None), Const(2)) or (order == Const(2) and not vectors):
        return None
    if len(axes) > 1 or fact(x).dtype is None or fact(x).dtype.kind != "f":  # type: ignore[union-attr]
        return None
    divisor = r.make(np.where, r.make(operator.eq, y, Const(0)), Const(1), y)
    share = r.make(DIV, dy, divisor)
    return r.make(MUL, _restored(r, share, axes, rank, keepdims.value), x)


def turned_back(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a transposition."""
    given = arguments(op)
    axes, rank = given["axes"], fact(given["dy"]).rank
    if not isinstance(axes, Const) or rank is None:
        return None
    order = axes.value
    if isinstance(order, tuple) and len(order) == 1 and not isinstance(order[0], int):
        order = order[0]
    if rank == 0:  # of an array without axes; its cotangent may be a number
        return given["dy"]
    if order is None or order == ():
        return r.attribute("T", given["dy"])
    if not (isinstance(order, tuple) and len(order) == rank):
        return None
    if not all(type(k) is int for k in order):
        return None
    back = tuple(int(k) for k in np.argsort([k % rank for k in order]))
    if back == tuple(range(rank))[::-1]:
        return r.attribute("T", given["dy"])
    return r.make(np.transpose, given["dy"], Const(back))


def flat(r: Rewriter, op: Apply) -> Atom | None:
    """np.ravel, or np.reshape to one axis, of what has one axis."""
    if op.kwargs or not op.args or fact(op.args[0]).rank != 1:
        return None
    if op.fn is np.ravel:
        return op.args[0] if len(op.args) == 1 else None
    shape = fact(op.args[1]) if len(op.args) == 2 else None
    one = shape is not None and shape.kind == "tuple" and len(shape.items or ()) == 1
    return op.args[0] if one and fact(op.args[0]).kind == "array" else None


def uncast(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of np.array(x) and its like: that of x itself."""
    given = arguments(op)
    dy, dtype, known = given["dy"], given["dtype"], fact(given["x"])
    listed = _leaves(known) if known.kind in ("list", "tuple") else None
    if not isinstance(dtype, Const) or not (known.kind == "array" or listed):
        return None
    if not (dtype.value is None or np.dtype(dtype.value).kind in "fc"):  # type: ignore[call-overload]
        return None
    if listed:  # item k of the adjoint of the array is that of item k
        same = fact(dy).kind in ("array", "real") and not fact(dy).is_scalar
        mixed = any(f.is_complex for f in listed)
        wide = not all(f.is_complex for f in listed)
    else:
        same, mixed = r.same_shape(dy, given["x"]), False
        wide = not known.is_complex
    if dtype.value is not None:
        to = np.dtype(dtype.value)  # type: ignore[call-overload]
        if any(narrows(to, f.dtype) for f in listed or [known]):
            return None
    if not same or (fact(dy).is_complex and mixed and wide):
        return None
    return r.make(np.real, dy) if fact(dy).is_complex and wide else dy


def _leaves(known: Fact) -> list[Fact] | None:
    """The numbers and arrays in a list, also of lists; None: some are not known."""
    if known.kind not in ("list", "tuple"):
        return [known] if known.is_scalar or known.kind == "array" else None
    items = known.items if known.items is not None else (known.element,)
    found = [None if f is None else _leaves(f) for f in items]
    if any(leaves is None for leaves in found):
        return None
    return [f for leaves in found if leaves for f in leaves]


def kept(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of what was put into an array of floats: nothing was cut off."""
    d, x, dtype = op.args
    made = r.maker(dtype, getattr)
    if made is None or made.args[1] != Const("dtype"):
        return None
    y = made.args[0]
    filled = r.made_by(y.name) if isinstance(y, Var) else None
    if filled is not None and filled.fn is np.full:
        if arguments(filled)["dtype"] == Const(None):
            return d  # the array has the dtype of the value
    to, given = fact(y).dtype, fact(x)
    if to is None or to.kind not in "fc" or narrows(to, given.dtype or np.dtype(float)):
        return None
    return d if to.kind == "f" or given.is_complex else None


def not_cut(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of what an array of floats holds, or of what is a whole number."""
    d, y = op.args[:2]
    filled = r.made_by(y.name) if isinstance(y, Var) else None
    if filled is not None and filled.fn is np.arange:
        if dict(filled.kwargs).get("dtype", Const(None)) == Const(None):
            return d  # it has the dtype of its ends
    floats = fact(y).dtype is not None and fact(y).dtype.kind in "fc"  # type: ignore[union-attr]
    return d if floats or fact(y).kind == "float" else None


def running_sum(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a running sum: one from the other end."""
    given = arguments(op)
    dy, x = given["dy"], given["x"]
    axis, rank = given["axis"], fact(x).rank
    if not isinstance(axis, Const) or not rank:
        return None
    if axis.value is None and rank > 1:
        return None
    k = 0 if axis.value is None else axis.value
    if type(k) is not int:
        return None
    turn = slice(None, None, -1)
    around = (ALL,) * (k % rank)
    index = Const((*around, turn)) if around else Const(turn)
    turned = r.make(operator.getitem, dy, index)
    kwargs = () if rank == 1 else (("axis", Const(k)),)
    sums = r.make(np.cumsum, turned, kwargs=kwargs)
    return r.make(operator.getitem, sums, index)


def stacked(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a list whose items were stacked: the array stands for it."""
    given = arguments(op)
    arrays, axis, dy = given["arrays"], given["axis"], given["dy"]
    known = fact(arrays)
    if known.kind != "list" or known.items is not None or axis != Const(0):
        return None
    return dy if fact(dy).kind in ("array", "real") else None


def item(r: Rewriter, op: Apply) -> Atom | None:
    """An item of the adjoints of what was joined: a part of the whole."""
    joined, key = op.args
    maker = r.maker(joined, unconcatenate, unstack)
    if maker is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    given = arguments(maker)
    arrays, axis, dy = given["arrays"], given["axis"], given["dy"]
    parts = parts_of(r, arrays)
    if parts is None or not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    rank = fact(dy).rank
    if not rank:
        return None
    before = (ALL,) * (axis.value % rank)
    if maker.fn is unstack:
        index = Const((*before, key.value)) if before else key
        return r.make(operator.getitem, dy, index)
    lengths = [_length(r, a, axis.value % rank) for a in parts]
    if any(n is None for n in lengths):
        return None
    k = key.value
    start = _sum(r, [n for n in lengths[:k] if n is not None]) if k else Const(None)
    last = k == len(parts) - 1
    stop = Const(None) if last else _sum(r, [n for n in lengths[: k + 1] if n])
    part = r.make(operator.getitem, dy, _index(r, before, start, stop))
    shape = fact(parts[k]).shape
    return r.known_as(part, array_fact(fact(dy).dtype, shape))


def item_of_literal(r: Rewriter, op: Apply) -> Atom | None:
    """An item of a list of adjoints that was put together for it."""
    whole, key = op.args
    made = r.maker(whole, build_list, build_tuple)
    if made is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    return made.args[key.value]


def item_of_row(r: Rewriter, op: Apply) -> Atom | None:
    """`d[i][j]` of an array is `d[i, j]`."""
    row, key = op.args
    made = r.maker(row, operator.getitem)
    if made is None or not isinstance(made.args[0], Var):
        return None
    whole, first = made.args
    places = _places(first)
    if places is None or _places(key) != (key,) or fact(whole).kind != "array":
        return None
    if len(places) >= (fact(whole).rank or 0):
        return None
    both = (*places, key)
    if all(isinstance(k, Const) for k in both):
        index: Atom = Const(tuple(k.value for k in both if isinstance(k, Const)))
    else:
        index = r.make(build_tuple, *both, form="build")
    return r.make(operator.getitem, whole, index)


def _places(index: Atom) -> tuple[Atom, ...] | None:
    """The whole numbers that an index consists of."""
    if isinstance(index, Var):
        return (index,) if index.fact.kind == "int" else None
    values = index.value if isinstance(index.value, tuple) else (index.value,)
    if not values or not all(type(k) is int for k in values):
        return None
    return tuple(map(Const, values))


def item_of_sum(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of one item of `sum(x)`: that of the sum."""
    whole, key = op.args
    made = r.maker(whole, unsum_sequence)
    if made is None or not isinstance(made.args[1], Var):
        return None
    dy, x = made.args
    each = element_of(fact(x))
    if not each.is_numeric or _places(key) != (key,):
        return None
    if each.is_scalar and fact(dy).is_scalar:
        return dy
    return r.make(unbroadcast, dy, r.known_as(r.make(operator.getitem, x, key), each))


def parts_of(r: Rewriter, arrays: Atom) -> tuple[Atom, ...] | None:
    """The arrays that were joined, where the text builds their list."""
    op = r.forward.get(arrays.name) if isinstance(arrays, Var) else None
    op = op or r.maker(arrays, build_list, build_tuple)
    if op is None or op.fn not in (build_list, build_tuple):
        return None
    return op.args


def _length(r: Rewriter, x: Atom, axis: int) -> Atom | None:
    known = fact(x)
    if known.kind != "array" or not isinstance(known.shape, tuple):
        return None
    dim = known.shape[axis]
    if dim is not None and not dim.base:
        return Const(dim.offset)
    x = r.shaped_like(x)
    if axis == 0:
        return r.make(len, x)
    return r.make(operator.getitem, r.attribute("shape", x), Const(axis))


def _sum(r: Rewriter, lengths: list[Atom]) -> Atom:
    total = lengths[0]
    for n in lengths[1:]:
        total = r.make(ADD, total, n)
    return total


def _index(r: Rewriter, before: tuple[slice, ...], start: Atom, stop: Atom) -> Atom:
    if isinstance(start, Const) and isinstance(stop, Const):
        part = slice(start.value, stop.value)
        return Const((*before, part)) if before else Const(part)
    cut = r.make(build_slice, start, stop, Const(None), form="build")
    if not before:
        return cut
    return r.make(build_tuple, *(Const(s) for s in before), cut, form="build")


def without_new_axes(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `x[:, None]`: that without the axis of length 1."""
    dy, x, index = op.args
    if not isinstance(index, Const) or fact(x).rank is None:
        return None
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    if not all(p is None or (isinstance(p, slice) and p == ALL) for p in parts):
        return None
    if parts.count(ALL) != fact(x).rank or None not in parts:
        return None
    negated = r.nameless(dy, NEG)
    if negated is not None:
        return r.make(NEG, r.make(ungetitem, negated.args[0], x, index))
    new = tuple(k for k, p in enumerate(parts) if p is None)
    total = r.inner(dy, np.sum)
    if total is not None and dict(total.kwargs).get("keepdims") == Const(True):
        axis = dict(total.kwargs).get("axis", Const(None))
        if _axes(axis, len(parts)) == new and len(total.args) == 1:
            return r.method("sum", total.args[0], kwargs=(("axis", axis),))
    at = Const(tuple(0 if p is None else ALL for p in parts))
    return r.known_as(
        r.make(operator.getitem, dy, at), array_fact(fact(dy).dtype, fact(x).shape)
    )


RULES = {
    unstack: (stacked,),
    ungetitem: (without_new_axes,),
    unmax: (maximum_of_all,),
    ties: (tied,),
    unnorm: (norm,),
    untranspose: (turned_back,),
    runtime.uncast: (kept,),
    runtime.held: (not_cut,),
    uncast_array: (uncast,),
    uncumsum: (running_sum,),
    operator.getitem: (item, item_of_literal, item_of_row, item_of_sum),
    np.ravel: (flat,),
    np.reshape: (flat,),
}
