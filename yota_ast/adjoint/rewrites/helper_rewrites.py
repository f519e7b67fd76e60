"""Rewrites of helpers into NumPy's own words, where ranks and settings are known.

`unmax(dy, x, y, 1)` becomes `np.where(hit, (dy / hit.sum(axis=1))[:, np.newaxis], 0.0)`
with `hit = (x == y[:, np.newaxis]) | np.isnan(x)`; an item of `unstack(dy, [a,
b])` a row of dy.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from yota_ast import runtime
from yota_ast.adjoint.reverse.stored_precision import narrows
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    SOME,
    array,
    axes_at,
    axes_of,
    complex_,
    either,
    floats,
    known,
    leads,
    literal,
    rank,
    restores,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Table,
    computed,
    operands,
    rewrite,
)
from yota_ast.adjoint.vectors.index_parts import NEW, WHOLE, index_of, parts_of_index
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    unbroadcast,
    uncast_array,
    ungetitem,
    unstack,
    unsum_sequence,
)
from yota_ast.syntax.value_paths import attribute_text

ALL = slice(None)


def both_parts(r: Rewriter, op: Apply) -> Atom | None:
    """What goes back through both parts of a complex z, `d * z.real` and `d * z.imag`,
    is `d * z`."""
    for one, other in (op.args, op.args[::-1]):
        turned = r.inner(one, runtime.unimag)
        if turned is None or not fact(turned.args[1]).is_complex:
            continue
        left, right = (
            r.inner(turned.args[0], operator.mul),
            r.inner(other, operator.mul),
        )
        if left is None or right is None or left.args[0] != right.args[0]:
            continue
        part, z = r.maker_of(right.args[1]), turned.args[1]
        if part is not None and part.fn is np.real and part.args == (z,):
            part = r.maker_of(left.args[1])
            if part is not None and part.fn is np.imag and part.args == (z,):
                return r.apply(operator.mul, left.args[0], z)
    return None


def _is_of_extremum(r: Rewriter, bound: Bound) -> bool:
    """Whether y is the maximum or minimum of an array of floats: np.nanmax is no nan
    where x is."""
    made = r.forward.get(getattr(bound["y"], "name", ""))
    over = bound["axis"] != Const(())  # over no axis each is a maximum
    return over and made is not None and made.fn in (np.max, np.min, np.amax, np.amin)


def _counting(_: Rewriter, bound: Bound) -> bool:
    """Bind how those that reach a maximum are counted: an integer count would widen
    floats of fewer bits."""
    how = [] if bound["axis"].value is None else [("axis", bound["axis"])]
    how += [("keepdims", Const(True))] if bound["keepdims"].value else []
    kind = fact(bound["x"]).dtype.type  # type: ignore[union-attr]
    if kind is not np.float64:
        name = attribute_text("np", kind.__name__)
        how.append(("dtype", Const(kind, name, "numpy")))
    bound["how"] = tuple(how)
    return True


def _is_euclidean(_: Rewriter, bound: Bound) -> bool:
    """Whether the norms are those of vectors."""
    order, axes = bound["order"], axes_of(bound)
    if axes is None or len(axes) > 1:
        return False
    vectors = len(axes) == 1 or fact(bound["x"]).rank == 1
    return order == Const(None) or (order == Const(2) and vectors)


def _ordering(_: Rewriter, bound: Bound) -> bool:
    """Bind the order of axes that undoes a transposition."""
    axes: Any = bound["axes"].value if isinstance(bound["axes"], Const) else ...
    rank = fact(bound["d"]).rank
    if isinstance(axes, tuple) and len(axes) == 1 and not isinstance(axes[0], int):
        axes = axes[0]
    if rank and (axes is None or axes == ()):
        axes = tuple(range(rank))[::-1]
    if not (rank and isinstance(axes, tuple) and len(axes) == rank):
        return False
    if not all(type(k) is int for k in axes):
        return False
    bound["back"] = Const(tuple(map(int, np.argsort([k % rank for k in axes]))))
    return True


def _turns_round(_: Rewriter, bound: Bound) -> bool:
    """Whether an order of axes is the other way round."""
    order = bound["back"].value
    return bool(order == tuple(range(len(order)))[::-1])


def _is_one_length(_: Rewriter, bound: Bound) -> bool:
    """Whether a shape has one axis."""
    shape = fact(bound["shape"])
    return shape.kind == "tuple" and len(shape.items or ()) == 1


def uncast(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of np.array(x) and its like: that of x itself."""
    given = operands(op)
    dy, dtype, known = given["dy"], given["dtype"], fact(given["x"])
    listed = _leaves(known) if known.kind in ("list", "tuple") else None
    if not (known.kind == "array" or known.is_scalar or listed):
        return None
    if not _casts_to_no_less(dtype, listed or [known]):
        return None
    if listed:  # item k of the adjoint of the array is that of item k
        same = fact(dy).kind in ("array", "real") and not fact(dy).is_scalar
        mixed = any(f.is_complex for f in listed)
        wide = not all(f.is_complex for f in listed)
    else:
        same, mixed = r.assumed.same_shape(dy, given["x"]), False
        wide = not known.is_complex
    if not same or (fact(dy).is_complex and mixed and wide):
        return None
    return r.apply(np.real, dy) if fact(dy).is_complex and wide else dy


def _casts_to_no_less(dtype: Atom, leaves: list[Fact]) -> bool:
    """Whether a type of floats holds the digits of numbers and arrays; None is that of
    all of them."""
    if not isinstance(dtype, Const) or dtype.value is None:
        return isinstance(dtype, Const)
    to = np.dtype(dtype.value)  # type: ignore[call-overload]
    return to.kind in "fc" and not any(narrows(to, f.dtype) for f in leaves)


def item_of_cast(r: Rewriter, op: Apply) -> Atom | None:
    """An item of the adjoint of a list that was made an array: that of the item, its
    real part if the item is real."""
    made, key = r.maker(op.args[0], uncast_array), op.args[1]
    if made is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    given = operands(made)
    dy, x, dtype = given["dy"], given["x"], given["dtype"]
    parts, leaves = parts_of(r, x), _leaves(fact(x))
    if parts is None or not leaves or not fact(dy).rank:
        return None
    if not _casts_to_no_less(dtype, leaves):
        return None
    row = r.apply(operator.getitem, dy, key)
    return r.apply(uncast_array, row, parts[key.value], dtype)


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
    filled = r.maker_of(y)
    if filled is not None and filled.fn is np.full:
        given = operands(filled)
        if given.get("dtype", given.get(2, Const(None))) == Const(None):
            return d  # the array has the dtype of the value
    to, known = fact(y).dtype, fact(x)
    if to is None or to.kind not in "fc" or narrows(to, known.dtype or np.dtype(float)):
        return None
    return d if to.kind == "f" or known.is_complex else None


def not_cut(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of what an array of floats holds, or of what is a whole number."""
    d, y = op.args[:2]
    filled = r.maker_of(y)
    if filled is not None and filled.fn is np.arange:
        if dict(filled.kwargs).get("dtype", Const(None)) == Const(None):
            return d  # it has the dtype of its ends
    floats = fact(y).dtype is not None and fact(y).dtype.kind in "fc"  # type: ignore[union-attr]
    return d if floats or fact(y).kind == "float" else None


def _turned_axis(_: Rewriter, bound: Bound) -> bool:
    """Bind the axis of a running sum, and the index that turns it round."""
    axis, rank = bound["axis"], fact(bound["x"]).rank
    if not isinstance(axis, Const) or not rank or (axis.value is None and rank > 1):
        return False
    k = 0 if axis.value is None else axis.value
    if type(k) is not int:
        return False
    around, turn = (ALL,) * (k % rank), slice(None, None, -1)
    bound["turn"] = Const((*around, turn) if around else turn)
    bound["how"] = () if rank == 1 else (("axis", Const(k)),)
    return True


def _may_be_array(known: Fact) -> bool:
    return known.kind in ("array", "real")


def _is_vague_list(known: Fact) -> bool:
    return known.kind == "list" and known.items is None


def item_of_stack(r: Rewriter, op: Apply) -> Atom | None:
    """An item of the adjoints of what was stacked: a row of the whole."""
    stack, key = op.args
    maker = r.maker(stack, unstack)
    if maker is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    given = operands(maker)
    arrays, axis, dy = given["arrays"], given["axis"], given["dy"]
    rank = fact(dy).rank
    if parts_of(r, arrays) is None or not rank:
        return None
    if not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    before = (ALL,) * (axis.value % rank)
    index = Const((*before, key.value)) if before else key
    return r.apply(operator.getitem, dy, index)


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
        index = r.apply(build_tuple, *both, form="build")
    return r.apply(operator.getitem, whole, index)


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
    return r.apply(unbroadcast, dy, r.known_as(r.apply(operator.getitem, x, key), each))


def parts_of(r: Rewriter, arrays: Atom) -> tuple[Atom, ...] | None:
    """The arrays that were joined, where the text builds their list."""
    op = r.forward.get(arrays.name) if isinstance(arrays, Var) else None
    op = op or r.maker(arrays, build_list, build_tuple)
    if op is None or op.fn not in (build_list, build_tuple):
        return None
    return op.args


def _adds_axes(r: Rewriter, bound: Bound) -> bool:
    """Whether an index adds axes of length 1 and does nothing else."""
    parts = parts_of_index(r, bound["index"], fact(bound["x"]).rank)
    return parts is not None and NEW in parts and {*parts} <= {NEW, WHOLE}


def without_new_axes(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `x[:, None]`, `x[i:j, None]`: that without the axis of length
    1."""
    dy, x, index = op.args
    parts = parts_of_index(r, index, fact(x).rank)
    if parts is None or NEW not in parts or not all(map(_is_basic, parts)):
        return None
    axes = [p for p in parts if fact(p).kind != "int"]
    if fact(dy).rank != len(axes):
        return None
    rest = [p for p in parts if p != NEW]
    d = _without_axes(r, dy, tuple(k for k, p in enumerate(axes) if p == NEW))
    if {*rest} <= {WHOLE}:
        return r.known_as(d, array_fact(fact(dy).dtype, fact(x).shape))
    return r.apply(ungetitem, d, x, index_of(r, rest))


def _is_basic(part: Atom) -> bool:
    """Whether a part of an index takes one place or a slice, or adds an axis."""
    return part == NEW or fact(part).cls is slice or fact(part).kind == "int"


def _without_axes(r: Rewriter, dy: Atom, new: tuple[int, ...]) -> Atom:
    """An array without some axes of length 1."""
    rank = fact(dy).rank or 0
    total = r.inner(dy, np.sum)
    if total is not None and dict(total.kwargs).get("keepdims") == Const(True):
        axis = dict(total.kwargs).get("axis", Const(None))
        if axes_at(axis, rank) == new and len(total.args) == 1:
            return r.method("sum", total.args[0], kwargs=(("axis", axis),))
    narrow = r.maker(dy, operator.getitem)
    if narrow is not None:  # `d[:, None]` has it of d
        inner = parts_of_index(r, narrow.args[1], fact(narrow.args[0]).rank)
        if inner and {*inner} <= {NEW, WHOLE} and all(inner[k] == NEW for k in new):
            left = [p for k, p in enumerate(inner) if k not in new]
            if NEW not in left:
                return narrow.args[0]
            return r.apply(operator.getitem, narrow.args[0], index_of(r, left))
    at = Const(tuple(0 if k in new else ALL for k in range(rank)))
    return r.apply(operator.getitem, dy, at)


def _turns(index: Atom) -> bool:
    """Whether an index runs over axes from their ends, and does nothing else."""
    parts = index.value if isinstance(index, Const) else None
    parts = parts if isinstance(parts, tuple) else (parts,)
    turn = slice(None, None, -1)
    slices = [p for p in parts if isinstance(p, slice) and p in (ALL, turn)]
    return len(slices) == len(parts) and turn in slices


def _is_turn(_: Rewriter, bound: Bound) -> bool:
    """Whether `x[index]` is x with some of its axes turned round."""
    return _turns(bound["index"])


def turned(_: Rewriter, bound: Bound) -> bool:
    """Whether `x[index]` is x with some of its axes turned round."""
    return _turns(bound["index"]) and fact(bound["d"]).rank == fact(bound["x"]).rank


def _takes_all(_: Rewriter, bound: Bound) -> bool:
    """Whether `x[index]` is all of x."""
    index, rank = bound["index"], fact(bound["x"]).rank
    if not isinstance(index, Const) or not rank or fact(bound["d"]).rank != rank:
        return False
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    return all(part is ... or _is_whole(part) for part in parts)


def _is_whole(part: object) -> bool:
    return isinstance(part, slice) and part == ALL


def turned_twice(r: Rewriter, op: Apply) -> Atom | None:
    """`d[::-1][::-1]` is d."""
    d, index = op.args
    made = r.inner(d, operator.getitem)
    return made.args[0] if made and _turns(index) and made.args[1] == index else None


_EXTREMUM = (array("x"), floats("x"), rank(x=SOME), _is_of_extremum)
LAST_TABLE: Table = (rewrite("unimag(d, x)", "1j * d", complex_("x")),)
TABLE: Table = (
    rewrite(
        "unstack(d, arrays)", "d",
        known(_is_vague_list, "arrays"), known(_may_be_array, "d"),
    ),
    rewrite("ungetitem(-d, x, index)", "-ungetitem(d, x, index)", _adds_axes),
    rewrite("(-x)[index]", "-x[index]", array("x"), either(_is_turn, _adds_axes)),
    computed(without_new_axes, ungetitem),
    rewrite("ungetitem(d, x, index)", "d[index]", floats("x", "d"), array("d"), turned),
    rewrite("ungetitem(d, x, index)", "d", array("x", "d"), _takes_all),
    computed(turned_twice, operator.getitem),
    rewrite(
        "unmax(-d, x, y, axis, keepdims)", "-unmax(d, x, y, axis, keepdims)",
        *_EXTREMUM,
    ),
    rewrite(
        "unmax(d, x, y, axis, keepdims)",
        "np.where(ties(x, y, axis, keepdims),"
        " d / ties(x, y, axis, keepdims).sum(**how), 0.0)",
        *_EXTREMUM, leads, _counting,
    ),
    rewrite(
        "unmax(d, x, y, axis, keepdims)",
        "np.where(ties(x, y, axis, keepdims),"
        " (d / ties(x, y, axis, keepdims).sum(**how))[index], 0.0)",
        *_EXTREMUM, restores, _counting,
    ),
    rewrite("ties(x, y, axis, keepdims)", "(x == y) | np.isnan(x)", *_EXTREMUM, leads),
    rewrite(
        "ties(x, y, axis, keepdims)", "(x == y[index]) | np.isnan(x)",
        *_EXTREMUM, restores,
    ),
    rewrite(
        "unnorm(d, x, y, order, axis, keepdims)", "d / np.where(y == 0, 1, y) * x",
        floats("x"), _is_euclidean, leads,
    ),
    rewrite(
        "unnorm(d, x, y, order, axis, keepdims)",
        "(d / np.where(y == 0, 1, y))[index] * x",
        floats("x"), _is_euclidean, restores,
    ),
    rewrite("untranspose(d, axes)", "d", rank(d=0), literal("axes")),
    rewrite("untranspose(d, axes)", "d.T", _ordering, _turns_round),
    rewrite("untranspose(d, axes)", "np.transpose(d, back)", _ordering),
    computed(both_parts, operator.add),
    computed(kept, runtime.uncast),
    computed(not_cut, runtime.held),
    computed(uncast, uncast_array),
    rewrite("uncumsum(d, x, axis)", "np.cumsum(d[turn], **how)[turn]", _turned_axis),
    computed(item_of_stack, operator.getitem),
    computed(item_of_literal, operator.getitem),
    computed(item_of_cast, operator.getitem),
    computed(item_of_row, operator.getitem),
    computed(item_of_sum, operator.getitem),
    rewrite("np.ravel(x)", "x", rank(x=1)),
    rewrite("np.atleast_2d(x)", "x", rank(x=2)),
    rewrite("np.reshape(x, shape)", "x", rank(x=1), array("x"), _is_one_length),
)  # fmt: skip
