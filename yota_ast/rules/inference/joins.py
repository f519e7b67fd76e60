"""Facts of arrays put together and taken apart.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> x = array_fact("f8", (Dim("x.shape[0]", 0, 2), Dim("x.shape[1]", 0, 3)))
>>> arrays = Var("arrays", Fact("tuple", items=(x, x)))
>>> [str(d) for d in concatenated(arrays, Const(1)).shape]
['x.shape[0]', '(2 * x.shape[1])']
>>> [str(d) for d in stacked(arrays, Const(0)).shape]
['2', 'x.shape[0]', 'x.shape[1]']
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact, Shape
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import UNIT, Dim, literal_dim
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.facts.lengths_that_fit import is_one_of
from yota_ast.rules.inference.dims import joined_length
from yota_ast.rules.inference.infer import (
    COMPLEX_DTYPE,
    as_array_fact,
    may_be_complex,
    stand_in,
)
from yota_ast.rules.inference.layouts import as_array, at_least
from yota_ast.rules.inference.shapes import (
    FactFn,
    array_of,
    array_result,
    differences,
    known,
    scalar_or_array,
    value_of,
)

Axis = Dim | None


def _items(arrays: Atom) -> list[Fact] | None:
    """The arrays that are joined, where it is known how many there are."""
    fact = fact_of_atom(arrays)
    if fact.kind in ("list", "tuple"):
        if fact.items is None:
            return None
        return [as_array_fact(f) for f in fact.items]
    if fact.kind == "array" and isinstance(fact.shape, tuple) and fact.shape:
        length = fact.shape[0]
        if length is not None and not length.base:
            return [fact.with_shape(fact.shape[1:])] * length.offset
    return None


def _each(arrays: Atom) -> Fact | None:
    """Each of the arrays of a list of unknown length, where their axes are known: NumPy
    raises where there is none, and where their lengths differ."""
    fact = fact_of_atom(arrays)
    if fact.kind != "list" or fact.items is not None:
        return None
    each = as_array_fact(element_of(fact))
    return each if each.is_numeric and isinstance(each.shape, tuple) else None


def _dtype(items: list[Fact]) -> np.dtype[Any] | None:
    if any(f.dtype is None and not f.is_python for f in items) or not items:
        return COMPLEX_DTYPE if any(f.is_complex for f in items) else None
    return np.result_type(
        *[
            f.dtype if f.dtype is not None else np.asarray(stand_in(f)).dtype
            for f in items
        ]
    )


def _same(a: Axis, b: Axis) -> Axis:
    """The length of an axis that several arrays have in common."""
    return a if a == b or b is None else b if a is None or a.base else a


def _joined(items: list[Fact] | None, axis: int | None) -> Fact:
    """Along an axis, -1 the last; None: flat."""
    if items is None:
        return Fact("array")
    shapes = [f.shape for f in items]
    dtype = _dtype(items)
    if axis is None:
        return array_result(dtype, (_flat_length(shapes),))
    if not shapes or not all(isinstance(s, tuple) and s for s in shapes):
        return array_result(dtype, None)
    known_shapes = [s for s in shapes if isinstance(s, tuple)]
    rank = len(known_shapes[0])
    if any(len(s) != rank for s in known_shapes):
        return UNKNOWN
    columns = list(zip(*known_shapes, strict=True))
    dims = [
        joined_length(columns[k]) if k == axis % rank else reduce(_same, columns[k])
        for k in range(rank)
    ]
    return array_result(dtype, tuple(dims))


def _flat_length(shapes: list[Shape]) -> Axis:
    """The length of arrays joined flat: of numbers and of arrays of one axis."""
    parts = [s for s in shapes if isinstance(s, tuple) and len(s) < 2]
    if len(parts) < len(shapes):
        return None
    return joined_length([s[0] if s else UNIT for s in parts])


def concatenated(arrays: Atom, axis: Atom) -> Fact:
    """`np.concatenate(arrays, axis)`."""
    items = _items(arrays)
    if not known(axis):
        return Fact("array", None if items is None else _dtype(items))
    return _joined(items, value_of(axis))


def differences_between(
    x: Atom, n: Atom, axis: Atom, prepend: Atom, append: Atom
) -> Fact:
    """`np.diff(x, n, axis, prepend=prepend, append=append)`."""
    return _differences(x, n, axis, prepend, x, append)


def differences_after(x: Atom, n: Atom, axis: Atom, prepend: Atom) -> Fact:
    """`np.diff(x, n, axis, prepend=prepend)`."""
    return _differences(x, n, axis, prepend, x)


def differences_before(x: Atom, n: Atom, axis: Atom, append: Atom) -> Fact:
    """`np.diff(x, n, axis, append=append)`."""
    return _differences(x, n, axis, x, append)


def _differences(x: Atom, n: Atom, axis: Atom, *parts: Atom) -> Fact:
    """Those of arrays that are joined. Of a number there is one along the axis, and of
    `x[:1]`: where x is empty there are no differences."""
    shape = array_of(x).shape
    if not known(axis) or not isinstance(shape, tuple) or not shape:
        return array_result(None, None)
    k = value_of(axis) % len(shape)
    items = []
    for part in map(array_of, parts):
        own = part.shape
        one = part.is_scalar or (
            isinstance(own, tuple)
            and len(own) == len(shape)
            and is_one_of(own[k], shape[k])
        )
        items.append(
            part.with_shape((*shape[:k], UNIT, *shape[k + 1 :])) if one else part
        )
    return differences(Var("joined", _joined(items, k)), n, axis)


def stacked(arrays: Atom, axis: Atom) -> Fact:
    """`np.stack(arrays, axis)`."""
    items = _items(arrays)
    if items is None and (each := _each(arrays)) is not None and known(axis):
        dims = [*each.shape] if isinstance(each.shape, tuple) else []
        dims.insert(value_of(axis) % (len(dims) + 1), fact_of_atom(arrays).length)
        return array_result(_dtype([each]), tuple(dims))
    if not items or not known(axis):
        return Fact("array", _dtype(items or []))
    shapes = [f.shape for f in items if isinstance(f.shape, tuple)]
    if len(shapes) != len(items):
        return Fact("array", _dtype(items))
    dims = [reduce(_same, column) for column in zip(*shapes, strict=True)]
    k = value_of(axis) % (len(dims) + 1)
    return array_result(_dtype(items), (*dims[:k], literal_dim(len(items)), *dims[k:]))


def _raised(rank: int, axis: int, first: int | None = None) -> FactFn:
    """Joined along an axis after each array has got so many axes."""

    def fact(arrays: Atom) -> Fact:
        items = _items(arrays)
        if items is None:
            each = _each(arrays)
            if each is None or each.rank != 1 or (rank, axis) != (2, 0):
                return Fact("array")
            dims = (fact_of_atom(arrays).length, *(each.shape or ()))
            return array_result(_dtype([each]), dims)
        raised = [at_least(rank)(Var("item", f)) for f in items]
        flat = first is not None and all(f.rank == 1 for f in raised)
        return _joined(raised, first if flat else axis)

    return fact


vstacked = _raised(2, 0)
hstacked = _raised(1, 1, first=0)
dstacked = _raised(3, 2)


def column_stacked(arrays: Atom) -> Fact:
    """`np.column_stack`: vectors are columns."""
    items = _items(arrays)
    if items is None:
        return Fact("array")
    columns = [
        f.with_shape((*f.shape, literal_dim(1)))
        if isinstance(f.shape, tuple) and len(f.shape) == 1
        else f
        for f in items
    ]
    return _joined(columns, 1)


def appended(x: Atom, values: Atom, axis: Atom) -> Fact:
    """`np.append(x, values, axis)`."""
    if not known(axis):
        return Fact("array")
    return _joined([as_array(x), as_array(values)], value_of(axis))


# ---------------------------------------------------------------- apart


def _parts(x: Atom, sections: Atom, axis: Atom, *, even: bool) -> Fact:
    """A list of arrays; `even`: a number of sections has to divide the length."""
    given, cuts = as_array(x), value_of(sections)
    several = fact_of_atom(sections).items
    if cuts is None and several is None:
        return Fact("list", cls=list)
    count = cuts if isinstance(cuts, int) else len(several or cuts) + 1
    if not isinstance(given.shape, tuple) or not known(axis):
        return Fact("list", items=(array_result(given.dtype, None),) * count, cls=list)
    k = value_of(axis) % len(given.shape)
    whole = given.shape[k]
    lengths: list[Axis] = [None] * count
    if whole is not None and not whole.base and cuts is not None:
        sizes = [len(part) for part in np.array_split(np.zeros(whole.offset), cuts)]
        lengths = [literal_dim(n) for n in sizes]
    elif even and whole and whole.example is not None and isinstance(cuts, int):
        size = whole.example
        if size % cuts == 0:  # the primal raises where it does not come out even
            lengths = [Dim(f"{_grouped(whole)} // {cuts}", 0, size // cuts)] * count
    dims = given.shape
    items = [given.with_shape((*dims[:k], n, *dims[k + 1 :])) for n in lengths]
    return Fact("list", items=tuple(items), cls=list)


def parts_fact(x: Atom, sections: Atom, axis: Atom) -> Fact:
    """`np.split(x, sections, axis)`."""
    return _parts(x, sections, axis, even=True)


def uneven_parts_fact(x: Atom, sections: Atom, axis: Atom) -> Fact:
    """`np.array_split(x, sections, axis)`: of another x some parts may be longer."""
    return _parts(x, sections, axis, even=False)


def parts_along(axis: int) -> FactFn:
    """`np.vsplit`, `np.hsplit` and `np.dsplit`; of a vector along what it has."""

    def fact(x: Atom, sections: Atom) -> Fact:
        flat = axis == 1 and as_array(x).rank == 1
        return parts_fact(x, sections, Const(0 if flat else axis))

    return fact


def _grouped(dim: Dim) -> str:
    return f"({dim})" if dim.offset else str(dim)


# ---------------------------------------------------------------- repeated, turned


def tiled(x: Atom, reps: Atom) -> Fact:
    """`np.tile(x, reps)`."""
    given = as_array(x)
    count = value_of(reps)
    if not isinstance(given.shape, tuple) or count is None:
        return array_result(given.dtype, None)
    times = count if isinstance(count, (tuple, list)) else (count,)
    rank = max(len(times), len(given.shape))
    dims = (literal_dim(1),) * (rank - len(given.shape)) + given.shape
    factors = (1,) * (rank - len(times)) + tuple(times)
    pairs = zip(dims, factors, strict=True)
    return array_result(given.dtype, tuple(_times(d, n) for d, n in pairs))


def _times(dim: Axis, n: int) -> Axis:
    if dim is None or n == 1:
        return dim
    return literal_dim(dim.offset * n) if not dim.base else None


def repeated_fact(x: Atom, repeats: Atom, axis: Atom) -> Fact:
    """`np.repeat(x, repeats, axis)`."""
    given = as_array(x)
    if not known(axis):
        return array_result(given.dtype, None)
    if value_of(axis) is None:
        return array_result(given.dtype, (None,))
    if not isinstance(given.shape, tuple):
        return array_result(given.dtype, None)
    k = value_of(axis) % len(given.shape)
    times = value_of(repeats)
    length = _times(given.shape[k], times) if isinstance(times, int) else None
    return array_result(given.dtype, (*given.shape[:k], length, *given.shape[k + 1 :]))


def same_shape(x: Atom) -> Fact:
    """An array of the shape and dtype of x."""
    return as_array(x)


def turned_over(x: Atom) -> Fact:
    """The same of an array that has axes; without one NumPy gives a number."""
    given = as_array(x)
    return scalar_or_array(given.dtype, ()) if given.shape == () else given


def real_or_complex(x: Atom) -> Fact:
    """Nothing: which it is depends on the numbers."""
    return UNKNOWN


def real_if_real(x: Atom) -> Fact:
    """The same of what may be complex; an array of what is real."""
    given = fact_of_atom(x)
    return UNKNOWN if may_be_complex(given) else as_array(x)


def triangle(x: Atom) -> Fact:
    """`np.tril(x)`: of a vector, a matrix whose rows are all that vector."""
    given = as_array(x)
    if not isinstance(given.shape, tuple):
        return array_result(given.dtype, None)
    return (
        given if len(given.shape) != 1 else array_result(given.dtype, given.shape * 2)
    )


def turned(x: Atom, k: Atom, axes: Atom) -> Fact:
    """`np.rot90(x, k, axes)`."""
    given = as_array(x)
    if not isinstance(given.shape, tuple) or not (known(k) and known(axes)):
        return array_result(given.dtype, None)
    dims = list(given.shape)
    if value_of(k) % 2:
        i, j = value_of(axes)
        dims[i], dims[j] = dims[j], dims[i]
    return array_result(given.dtype, tuple(dims))


def padded(x: Atom, pad_width: Atom) -> Fact:
    """`np.pad(x, pad_width)`."""
    given = as_array(x)
    width = value_of(pad_width)
    if not isinstance(given.shape, tuple):
        return array_result(given.dtype, None)
    shape: Shape = (None,) * len(given.shape)
    if width is not None and not isinstance(width, dict):
        pairs = np.broadcast_to(width, (len(given.shape), 2)).tolist()
        shape = tuple(
            joined_length([d, literal_dim(a + b)])
            for d, (a, b) in zip(given.shape, pairs, strict=True)
        )
    return array_result(given.dtype, shape)


def is_real(fact: Fact) -> bool:
    """Whether a value is real numbers of no more than 64 bits, and nothing else."""
    if fact.kind in ("list", "tuple"):
        return fact.items is not None and all(map(is_real, fact.items))
    if fact.kind in ("float", "int"):
        return True
    if fact.kind not in ("array", "scalar") or fact.dtype is None:
        return False
    return fact.dtype.kind in "fiu" and fact.dtype.itemsize <= 8
