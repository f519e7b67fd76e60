"""Facts of `x[index]`.

>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5), Dim("x.shape[1]", 0, 3))))
>>> [str(d) for d in getitem_fact(x, Const(slice(1, -1))).shape]
['x.shape[0] - 2', 'x.shape[1]']
>>> getitem_fact(x, Const((0, 1)))
float64

What one mask picks of arrays is equally long:

>>> from yota_ast.ir.abstract_values import named_apart
>>> wrong = named_apart(array_fact("?", (Dim("x.shape[0]", 0, 5),)), "7")
>>> [str(d) for d in getitem_fact(x, Var("wrong", wrong)).shape]
['@7', 'x.shape[1]']
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.ir.abstract_values import (
    INT,
    UNKNOWN,
    Fact,
    Kind,
    Shape,
    array_fact,
    fact_of,
)
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import (
    UNIT,
    Dim,
    Uncut,
    is_natural,
    literal_dim,
    total,
)
from yota_ast.ir.facts.joined_facts import element_of, join, within
from yota_ast.ir.nodes import path_length
from yota_ast.rules.inference.dims import broadcast, joined_length
from yota_ast.rules.inference.infer import COMPLEX_DTYPE, as_array_fact, stand_in
from yota_ast.rules.inference.shapes import (
    array_result,
    scalar_or_array,
    shape_argument,
    value_of,
)
from yota_ast.rules.inference.slice_lengths import length_of_names, length_of_slice

_OPEN_GRID: Kind = "tuple" if isinstance(np.ogrid[:1, :1], tuple) else "list"


@dataclass(frozen=True, slots=True)
class Part:
    """One entry of an index: its fact, and its value where the program writes it."""

    fact: Fact
    value: Any = None
    known: bool = False

    @property
    def takes(self) -> int:
        """How many axes of the array the entry stands for."""
        if self.known and (self.value is None or self.value is Ellipsis):
            return 0
        if self.is_mask and self.fact.rank is not None:
            return self.fact.rank
        return 1

    @property
    def is_slice(self) -> bool:
        """Whether the entry is `a:b:c`."""
        return self.fact.cls is slice

    @property
    def is_int(self) -> bool:
        """Whether the entry is a number."""
        return self.fact.kind in ("int", "scalar") and self.fact.is_whole

    @property
    def is_mask(self) -> bool:
        """Whether the entry is an array of bools."""
        dtype = self.fact.dtype
        return self.fact.kind == "array" and dtype is not None and dtype.kind == "b"

    @property
    def is_array(self) -> bool:
        """Whether the entry is an array of indices."""
        dtype = self.fact.dtype
        known = dtype is not None and dtype.kind in "iu" and self.fact.rank is not None
        return self.fact.kind == "array" and known


def getitem_fact(x: Atom, index: Atom) -> Fact:
    """What is known of `x[index]`."""
    fact = fact_of_atom(x)
    if depth := path_length(x, index):
        known = within(fact, depth)
        return UNKNOWN if known.kind == "nothing" else known
    if fact.kind in ("tuple", "list", "dict"):
        return _of_container(fact, index)
    if fact.kind == "real" and fact.rank is None:
        return Fact("real", fact.dtype)
    if fact.cls is range and fact_of_atom(index).kind == "int":
        return INT
    if fact.kind not in ("array", "real", "scalar"):
        return UNKNOWN
    parts = index_parts(index)
    if parts is None or fact.rank is None:
        if fact.kind == "array" and parts is not None and any(map(_keeps, parts)):
            return array_result(fact.dtype, None)
        return Fact("real", fact.dtype)
    axes = list(fact.shape) if isinstance(fact.shape, tuple) else []
    shape, keeps_array = _indexed(axes, parts)
    if shape != ():
        return array_result(fact.dtype, shape)
    return Fact("array" if keeps_array else "scalar", fact.dtype, ())


def grid_fact(x: Atom, index: Atom) -> Fact:
    """`np.mgrid[0:n, 0:m]`: one array that holds the places along each axis in turn.
    `np.ogrid` gives each along an axis of its own."""
    parts = index_parts(index)
    single = fact_of_atom(index).cls is slice
    if parts is None or not all(p.is_slice for p in parts):
        return UNKNOWN
    written = [e for p in parts if p.known for e in _ends(p.value)]
    floats = any(p.fact.varies for p in parts) or not all(
        e is None or type(e) is int for e in written
    )
    whole = all(p.fact.ends is not None for p in parts)
    dtype = np.dtype(float) if floats else np.dtype(int) if whole else None
    dims = tuple(map(_places, parts))
    if single:
        return array_result(dtype, dims)
    if not (isinstance(x, Const) and x.value is np.ogrid):
        return array_result(dtype, (literal_dim(len(dims)), *dims))
    each = np.eye(len(dims), dtype=bool)
    shapes = [
        tuple(d if own else UNIT for d, own in zip(dims, row, strict=True))
        for row in each
    ]
    items = tuple(array_result(dtype, shape) for shape in shapes)
    return Fact(_OPEN_GRID, items=items, cls=type(np.ogrid[:1, :1]))


def _ends(written: slice) -> tuple[Any, Any, Any]:
    return written.start, written.stop, written.step


def _places(part: Part) -> Dim | None:
    """How many places a slice of a grid names."""
    if part.known:
        start, stop, step = _ends(part.value)
        if isinstance(step, complex):
            return literal_dim(int(abs(step)))
        return literal_dim(max(math.ceil((stop - (start or 0)) / (step or 1)), 0))
    start, stop, step = part.fact.ends or (None, None, None)
    if stop is None or step not in (None, 1):
        return None
    first, last = (
        e if isinstance(e, Dim) else literal_dim(e) for e in (start or 0, stop)
    )
    length = total([(last, 1), (first, -1)])
    return length if is_natural(length) else None


def index_parts(index: Atom) -> list[Part] | None:
    """The entries of an index; None where it is not known how many there are."""
    if isinstance(index, Const):
        entries = index.value if isinstance(index.value, tuple) else (index.value,)
        return [_known_part(e) for e in entries]
    if index.fact.kind == "tuple":
        if index.fact.items is None:
            return None
        return [_part(f) for f in index.fact.items]
    return None if index.fact.kind in ("unknown", "real") else [_part(index.fact)]


def _known_part(value: Any) -> Part:
    if isinstance(value, range):
        value = list(value)
    fact = fact_of(np.asarray(value)) if isinstance(value, list) else fact_of(value)
    return Part(fact, value, known=True)


def _part(fact: Fact) -> Part:
    if fact.ends is not None and not any(isinstance(e, Dim) for e in fact.ends):
        return Part(fact, slice(*fact.ends), known=True)
    if fact.kind == "none":
        return Part(fact, None, known=True)
    if fact.cls is type(Ellipsis):
        return Part(fact, Ellipsis, known=True)
    if fact.cls is range:
        return Part(array_fact(np.intp, (None,)))
    return Part(as_array_fact(fact))


def _of_container(fact: Fact, index: Atom) -> Fact:
    if fact.items is None:
        return _of_open_list(fact, index)
    if isinstance(index, Const):
        if fact.kind == "dict" and fact.keys is not None:
            found = dict(zip(fact.keys, fact.items, strict=True))
            return found.get(index.value, UNKNOWN)
        if isinstance(index.value, slice):
            return Fact(fact.kind, items=fact.items[index.value], cls=fact.cls)
        place: Any = index.value
        found_item: Fact = fact.items[place]
        return found_item
    if fact.items and fact.kind != "dict" and fact_of_atom(index).cls is slice:
        return Fact(fact.kind, cls=fact.cls, element=reduce(join, fact.items))
    if not fact.items:
        return UNKNOWN
    if fact.kind != "dict" and fact_of_atom(index).kind not in ("int", "str", "scalar"):
        return UNKNOWN
    return reduce(join, fact.items)


def _of_open_list(fact: Fact, index: Atom) -> Fact:
    """An item, or a part, of a list of unknown length or a dict of unknown keys."""
    part = fact_of_atom(index)
    if isinstance(index, Const) and type(index.value) is slice:
        return _part_of_list(fact, index.value)
    if part.cls is slice:
        return replace(fact, length=None, least=0)
    known = element_of(fact)
    return UNKNOWN if known.kind == "nothing" else known


def _part_of_list(fact: Fact, written: slice) -> Fact:
    """A part of a list of unknown length.

    >>> from yota_ast.ir.abstract_values import FLOAT
    >>> from yota_ast.ir.facts.joined_facts import list_of
    >>> pair = list_of(FLOAT, least=2)
    >>> [_part_of_list(pair, slice(n, None)).least for n in (None, 1, 3, -1)]
    [2, 1, 0, 0]
    """
    start, stop, step = written.start or 0, written.stop, written.step
    least = 0
    if stop is None and (step in (None, 1) or (step == -1 and not start)):
        least = max(fact.least - start, 0) if start >= 0 else 0
    known = fact.length
    length = None if known is None else length_of_slice(known, written)
    return replace(fact, length=length, least=least)


def _indexed(axes: list[Dim | None], parts: list[Part]) -> tuple[Shape, bool]:
    """The shape, and whether a 0-d result is an array (an Ellipsis makes it one)."""
    if any(not _is_understood(p) for p in parts):
        return None, True
    rest = len(axes) - sum(p.takes for p in parts)
    dots = [k for k, p in enumerate(parts) if p.known and p.value is Ellipsis]
    full = Part(Fact("other", cls=slice), slice(None), known=True)
    if dots:
        parts = [*parts[: dots[0]], *[full] * rest, *parts[dots[0] + 1 :]]
    else:
        parts = [*parts, *[full] * rest]
    advanced = any(p.is_array or p.is_mask for p in parts)
    result: list[Dim | None] = []
    shapes: list[Shape] = []
    places: list[int] = []
    where = 0
    for k, part in enumerate(parts):
        taken, axes = axes[: part.takes], axes[part.takes :]
        if part.takes == 0:
            result.append(UNIT)
        elif part.is_slice:
            result.append(_sliced(taken[0], part))
        elif advanced:
            picked = part.fact.picked  # of all arrays that the mask picks from
            shapes.append((picked,) if part.is_mask else part.fact.shape)
            places.append(k if not places or places[-1] == k - 1 else -1)
            where = len(result) if len(places) == 1 else where
    if not advanced:
        return tuple(result), bool(dots)
    together = broadcast(shapes)
    if not isinstance(together, tuple):
        return None, True
    if -1 in places:  # entries apart from each other: NumPy puts their axes first
        where = 0
    return (*result[:where], *together, *result[where:]), bool(dots)


def _keeps(part: Part) -> bool:
    """Whether what an entry takes of an array is an array, however many axes it has."""
    nothing = part.value is None or part.value is Ellipsis
    return part.is_slice or (part.known and nothing)


def _is_understood(part: Part) -> bool:
    if part.known and (part.value is None or part.value is Ellipsis):
        return True
    return part.is_slice or part.is_int or part.is_array or part.is_mask


def _sliced(axis: Dim | None, part: Part) -> Dim | None:
    """The length that a slice leaves of an axis."""
    if axis is None:
        return None
    if part.known:
        return length_of_slice(axis, part.value)
    return None if part.fact.ends is None else length_of_names(axis, part.fact.ends)


# ---------------------------------------------------------------- functions that pick


def _dtype_and_rank(x: Atom) -> Fact:
    return as_array_fact(fact_of_atom(x))


def taken(x: Atom, indices: Atom, axis: Atom) -> Fact:
    """`np.take(x, indices, axis)`."""
    given, where = _dtype_and_rank(x), as_array_fact(fact_of_atom(indices))
    if given.kind == "unknown":
        return UNKNOWN
    if not (isinstance(where.shape, tuple) and isinstance(axis, Const)):
        return Fact("real", given.dtype)
    if axis.value is None:
        return scalar_or_array(given.dtype, where.shape)
    if not isinstance(given.shape, tuple):
        return Fact("real", given.dtype)
    k = value_of(axis) % len(given.shape)
    return scalar_or_array(
        given.dtype, (*given.shape[:k], *where.shape, *given.shape[k + 1 :])
    )


def like_indices(x: Atom) -> Fact:
    """An array of the dtype of x, of unknown shape."""
    return array_result(_dtype_and_rank(x).dtype, None)


def compressed(x: Atom) -> Fact:
    """What `np.compress` and `np.extract` keep of x."""
    return array_result(_dtype_and_rank(x).dtype, None)


def select_fact(conditions: Atom, choices: Atom, default: Atom) -> Fact:
    """`np.select`: all broadcast together."""
    shapes: list[Shape] = [_dtype_and_rank(default).shape]
    dtypes = [_dtype_and_rank(default)]
    for atom in (conditions, choices):
        items = fact_of_atom(atom).items
        if items is None:
            return UNKNOWN
        shapes.extend(as_array_fact(f).shape for f in items)
        if atom is choices:
            dtypes.extend(as_array_fact(f) for f in items)
    dtype = COMPLEX_DTYPE if any(f.is_complex for f in dtypes) else None
    if all(f.dtype is not None or f.is_python for f in dtypes):
        dtype = np.result_type(*[_example(f) for f in dtypes])
    return array_result(dtype, broadcast(shapes))


def _example(fact: Fact) -> Any:
    return fact.dtype if fact.dtype is not None else stand_in(fact)


def diag_fact(x: Atom, k: Atom) -> Fact:
    """`np.diag(x, k)`."""
    given = _dtype_and_rank(x)
    if given.rank not in (1, 2) or not isinstance(given.shape, tuple):
        return Fact("array", given.dtype)
    if given.rank != 1:
        main = k in (Const(0), Const(None))
        return array_result(given.dtype, (_diagonal(*given.shape) if main else None,))
    length: Dim | None = None
    if isinstance(k, Const):
        length = joined_length([given.shape[0], literal_dim(abs(value_of(k)))])
    return array_result(given.dtype, (length, length))


def _diagonal(rows: Dim | None, columns: Dim | None) -> Dim | None:
    """Return the length of a diagonal: the smaller of two, by the example.

    >>> n, m = Dim("x.shape[0]", 0, 5), Dim("y.shape[0]", 0, 5)
    >>> str(_diagonal(n, n)), str(_diagonal(n, m)), str(_diagonal(n, m).uncut.length)
    ('x.shape[0]', '@diag(x.shape[0], y.shape[0])', 'x.shape[0]')
    """
    if rows is None or columns is None or rows == columns:
        return rows if columns is not None else None
    size, other = rows.example, columns.example
    if size is None or other is None:
        return None
    short, long = (rows, columns) if size <= other else (columns, rows)
    rest = total([(long, 1), (short, -1)])
    if rest is None or short.uncut is not None or long.uncut is not None:
        return None
    uncut = Uncut(short, () if is_natural(rest) else (rest,))
    return Dim(f"@diag({rows}, {columns})", uncut=uncut)


def windows_fact(x: Atom, window_shape: Atom) -> Fact:
    """`sliding_window_view(x, window_shape)`: the axes of a window are the last."""
    given, window = _dtype_and_rank(x), fact_of_atom(window_shape)
    added = len(window.items) if window.items is not None else 1
    if given.rank is None or window.kind not in ("int", "tuple", "list"):
        return Fact("array", given.dtype)
    if window.kind != "int" and window.items is None:
        return Fact("array", given.dtype)
    return array_result(given.dtype, (None,) * (given.rank + added))


def strided_fact(x: Atom, shape: Atom) -> Fact:
    """`as_strided(x, shape, strides)`."""
    return array_result(_dtype_and_rank(x).dtype, shape_argument(shape))


def along_strided_fact(dx: Atom, shape: Atom) -> Fact:
    """The tangent of what `as_strided` gives."""
    return strided_fact(dx, shape)


def diagonal_fact(x: Atom, offset: Atom, axis1: Atom, axis2: Atom) -> Fact:
    """`np.diagonal(x)`: the diagonal is the last axis."""
    given = _dtype_and_rank(x)
    if given.rank is None:
        return Fact("array", given.dtype)
    dims = given.shape if isinstance(given.shape, tuple) else ()
    places = [value_of(a) if isinstance(a, Const) else None for a in (axis1, axis2)]
    if offset != Const(0) or not all(
        type(k) is int and -len(dims) <= k < len(dims) for k in places
    ):
        return array_result(given.dtype, (None,) * (given.rank - 1))
    one, two = (k % len(dims) for k in places)  # type: ignore[operator]
    rest = tuple(d for k, d in enumerate(dims) if k not in (one, two))
    return array_result(given.dtype, (*rest, _diagonal(dims[one], dims[two])))
