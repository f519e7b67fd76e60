"""An op that makes an array -> the statements that compute it, in loops.

    t1 = np.empty(max(len(u) - 2, 0))
    for i in range(len(u) - 2):
        t1[i] = c * (u[i + 2] - u[i])

Products of matrices, and what Numba has for whole arrays, stay calls.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.loops.array_forms import turned_axes
from yota_ast.codegen.loops.axes import Axes
from yota_ast.codegen.loops.bracket_forms import Subscripts, slices
from yota_ast.codegen.loops.broadcast_sums import BroadcastSums
from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.loops.elements import Array, Axis, is_array
from yota_ast.codegen.loops.lists import Lists, is_list
from yota_ast.codegen.loops.masks import Masks
from yota_ast.codegen.loops.named_arrays import NamedArrays
from yota_ast.codegen.loops.products import is_of_blas
from yota_ast.codegen.loops.scalars import Scalars, dtype_argument, is_named_tuple
from yota_ast.codegen.plan.statement_plan import Let, Move, Stmt
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops.registry import info
from yota_ast.ops.result_memory import sharing
from yota_ast.runtime import unbroadcast, uncast

_LISTS: Final = (build_list, build_tuple)


class NewArrays:
    """Makes the statements that compute arrays."""

    def __init__(
        self,
        draft: Draft,
        scalar: Scalars,
        subscripts: Subscripts,
        lists: Lists,
        known: NamedArrays,
    ) -> None:
        assert scalar.reductions is not None
        self.draft = draft
        self.scalar = scalar
        self.subscripts = subscripts
        self.elements = elements = subscripts.elements
        self.lists = lists
        self.products = scalar.reductions.products
        self.known = known
        self.axes = Axes(draft, elements, scalar.reductions)
        self.sums = BroadcastSums(draft, elements)
        self.masks = Masks(draft, elements)

    def computed(self, target: Var, op: Apply) -> list[Stmt]:
        """Return the statements that compute an array."""
        definition = self.elements.defined(op)
        if definition is not None:
            return self.named(target, definition)
        if info(op.fn).in_loops == "new":
            return self.allocated(target, op)
        if op.args and is_list(op.args[0]):
            return self.of_list(target, op)
        for way in (self.by_its_kind, self.by_its_function):
            found = way(target, op)
            if found is not None:
                return found
        along = self.axes.statements(target, op)
        if along is not None:
            return along
        if sharing(op) != "fresh" and self.known.is_written(target):
            view = self.written_view(target, op)
            if view is not None:
                return view
            self.draft.refuse(f"`{op.fn.__name__}`, whose memory is written")
        if op.fn in (np.reshape, np.ndarray.reshape, np.ravel):
            return self.reshaped(target, op)
        array = self.elements.of_op(op, last=True)
        return self.filled(target, self.dtype_of(op), array)

    def by_its_kind(self, target: Var, op: Apply) -> list[Stmt] | None:
        """Return the statements of a call by how loops are made of it."""
        match info(op.fn).in_loops:
            case "product":
                return self.product(target, op)
            case "arrays":
                return self.called(target, op)
            case "joined":
                return self.joined(target, op)
            case _:
                return None

    def by_its_function(self, target: Var, op: Apply) -> list[Stmt] | None:
        """Return the statements of a view or a copy, and of contractions."""
        if info(op.fn).in_loops == "contraction":
            return self.products.contracted(target, op)
        if op.fn is np.array:
            return self.written_out(target, op)
        if op.fn is unbroadcast:
            return self.sums.unbroadcast(target, op)
        if op.fn is operator.getitem:
            mask = self.masks.of(*op.args)
            if mask is not None:
                return self.masks.read(target, op, mask)
            if self.subscripts.takes_view(op.args[1]):
                return self.view(target, op)
        if op.fn in (np.copy, np.ndarray.copy):
            if self.draft.nested_op(op.args[0]) is None:
                self.draft.same_lengths(target, op.args[0])
                return [Let((target,), replace(op, out=target))]
        if op.fn is np.transpose and len(op.args) == 1:
            owner = self.elements.name(op.args[0])
            return [Let((target,), replace(op, out=target, args=(owner,)))]
        if op.fn is np.ndarray.astype:
            return self.cast(target, op)
        if op.fn is uncast:
            return self.uncast(target, op)
        return None

    def product(self, target: Var, op: Apply) -> list[Stmt]:
        """Return a product of matrices and vectors, a call of BLAS where it has one."""
        ranks = [fact_of_atom(a).rank for a in op.args]
        if all(rank in (1, 2) for rank in ranks):
            if not is_of_blas(op):
                return self.products.contracted(target, op)
            args = tuple(map(self.factor, op.args))
            if op.fn is np.matmul:
                op = replace(op, fn=operator.matmul, form="operator")
            return [Let((target,), replace(op, out=target, args=args))]
        return self.products.stacked(target, op)

    def uncast(self, target: Var, op: Apply) -> list[Stmt]:
        """Return the adjoint of what was cast from one dtype of floats to another."""
        dy, x = op.args[:2]
        own, other = (fact_of_atom(a).dtype for a in (x, dy))
        if own is None or other is None or own.kind != "f" or other.kind != "f":
            self.draft.refuse("a cast of other than floats")
        return self.filled(target, own, self.elements.array(dy))

    def cast(self, target: Var, op: Apply) -> list[Stmt]:
        """Return `x.astype(dtype)`: a copy, or the array itself with `copy=False`."""
        owner, dtype = fact_of_atom(op.args[0]), op.out.fact.dtype
        if dtype is None or dtype.kind not in "fbiu" or owner.dtype is None:
            self.draft.refuse("`astype` of unknown numbers")
        if owner.dtype == dtype and dict(op.kwargs).get("copy") == Const(False):
            return [Move(((target, self.elements.name(op.args[0])),))]
        return self.filled(target, dtype, self.elements.array(op.args[0]))

    def named(self, target: Var, value: Atom) -> list[Stmt]:
        """Return the statements that compute an expression under a name."""
        op = self.draft.nested_op(value)
        if isinstance(op, Apply):
            return self.computed(target, replace(op, out=target))
        return [Move(((target, value),))]

    def of_list(self, target: Var, op: Apply) -> list[Stmt]:
        """Return an array that is an item of a list, or is made of one."""
        if op.fn is operator.getitem:
            return [Let((target,), replace(self.lists.item(op), out=target))]
        if op.fn in (np.stack, np.concatenate, np.array, np.vstack):
            listed = self.draft.nested_op(op.args[0])
            if not isinstance(listed, Apply) or listed.fn is not build_list:
                return self.lists.joined(target, op, self.dtype_of(op))
        if op.fn is np.array:
            return self.written_out(target, op)
        if info(op.fn).in_loops == "joined":
            return self.joined(target, op)
        if op.fn in self.elements.forms:
            numbers = self.elements.array_of_list(op.args[0])
            return self.computed(target, replace(op, args=(numbers, *op.args[1:])))
        self.draft.refuse(f"`np.{op.fn.__name__}` of a list")

    def reshaped(self, target: Var, op: Apply, *, dense: bool = True) -> list[Stmt]:
        """Return `np.reshape(x, shape)`, of a copy where nothing is written to it."""
        if op.kwargs or (len(op.args) != 2 and op.fn is np.reshape):
            self.draft.refuse("`np.reshape` with options")
        owner, *lengths = op.args
        owner = self.elements.name(owner)
        if dense:
            owner = self.draft.call(np.ascontiguousarray, owner, fact=owner.fact)
        shape: Atom = Const(-1)
        if len(lengths) == 1 and is_named_tuple(self.draft, lengths[0]):
            shape = lengths[0]
        elif len(lengths) == 1:
            shape = self.draft.index(lengths[0], self.scalar)
        elif lengths:
            shape = self.draft.tuple_of([*map(self.scalar, lengths)])
        made = Apply(target, np.reshape, (owner, shape), origin=op.origin)
        return [Let((target,), made)]

    def written_view(self, target: Var, op: Apply) -> list[Stmt] | None:
        """Return `np.flip(x)`, and `np.reshape(x, shape)`, as Numba takes views: it
        does not compile the latter of an array that is not contiguous."""
        if op.fn is np.flip:
            rank = fact_of_atom(op.args[0]).rank
            gone = turned_axes(op, rank) if rank is not None else None
            if gone is None or rank is None:
                return None
            parts = [slice(None, None, -1 if k in gone else None) for k in range(rank)]
            place = Const(parts[0] if rank == 1 else tuple(parts))
            args = (self.elements.name(op.args[0]), place)
            made = Apply(target, operator.getitem, args, form="subscript")
            return [Let((target,), replace(made, origin=op.origin))]
        if op.fn in (np.reshape, np.ndarray.reshape, np.ravel):
            return self.reshaped(target, op, dense=False)
        return None

    def dtype_of(self, op: Apply) -> np.dtype[Any] | None:
        """Return the dtype of an array: a float of Python changes no float64."""
        if op.out.fact.dtype is not None:
            return op.out.fact.dtype
        return np.dtype(float) if self.known.reads_float64(op) else None

    def called(self, target: Var, op: Apply) -> list[Stmt]:
        """Return a call that Numba has, of named arrays and numbers."""
        return self.number_or_call(target, self.scalar.whole(op))

    def number_or_call(self, target: Var, value: Atom) -> list[Stmt]:
        """Return the assignment of a call that has just been made."""
        assert isinstance(value, Var)
        made = self.draft.nested.pop(value.name)
        assert isinstance(made, Apply)
        return [Let((target,), replace(made, out=target))]

    def written_out(self, target: Var, op: Apply) -> list[Stmt]:
        """Return `np.array([a, b])` of numbers."""
        listed, dtype = self.draft.nested_op(op.args[0]), op.out.fact.dtype
        if (
            isinstance(listed, Apply)
            and listed.args
            and all(map(is_array, listed.args))
        ):
            return self.joined(target, op)
        if not isinstance(listed, Apply) or any(map(is_array, listed.args)):
            self.draft.refuse("`np.array` of what is no list of numbers")
        if op.kwargs or dtype is None or listed.fn not in _LISTS:
            self.draft.refuse("`np.array` of what is no list of numbers")
        rows = [self.draft.nested_op(a) for a in listed.args]
        if any(isinstance(row, Apply) and row.fn in _LISTS for row in rows):
            return self.rows_written_out(target, rows, dtype)
        if any(fact_of_atom(a).kind in ("list", "tuple") for a in listed.args):
            self.draft.refuse("`np.array` of lists that have names")
        items = [self.scalar(a) for a in listed.args]
        first = self.draft.empty(target, [Const(len(items))], dtype)
        stores = (self.draft.write(target, [Const(k)], a) for k, a in enumerate(items))
        return [first, *stores]

    def rows_written_out(
        self, target: Var, rows: Sequence[object], dtype: np.dtype[Any]
    ) -> list[Stmt]:
        """Return `np.array([[a, b], [c, d]])` of numbers."""
        lists = [r for r in rows if isinstance(r, Apply) and r.fn in _LISTS]
        items = [row.args for row in lists]
        plain = all(fact_of_atom(a).is_scalar for args in items for a in args)
        if len(lists) != len(rows) or len({*map(len, items)}) > 1 or not plain:
            self.draft.refuse("`np.array` of lists of other than numbers")
        ends = [Const(len(items)), Const(len(items[0]))]
        numbers = [[self.scalar(a) for a in args] for args in items]
        stores = (
            self.draft.write(target, [Const(i), Const(j)], a)
            for i, row in enumerate(numbers)
            for j, a in enumerate(row)
        )
        return [self.draft.empty(target, ends, dtype), *stores]

    def allocated(self, target: Var, op: Apply) -> list[Stmt]:
        """Return a call that makes an array of a shape or of that of another."""
        op = of_other_shape(op)
        given, *filled = op.args[: 2 if op.fn is np.full else 1]
        dtype = dtype_argument(self.draft, op, 1 + len(filled))
        shape = self.elements.name(given) if is_array(given) else self.shape(given)
        if is_array(given):
            self.draft.same_lengths(target, shape)
        args = (shape, *map(self.scalar, filled), *dtype)
        return [Let((target,), replace(op, out=target, args=args, kwargs=()))]

    def shape(self, given: Atom) -> Atom:
        """Return the shape of a new array."""
        inner = self.draft.nested_op(given)
        if isinstance(inner, Apply) and inner.fn is build_list:
            return self.draft.tuple_of([*map(self.scalar, inner.args)])
        if isinstance(inner, Apply) and inner.fn is not operator.getitem:
            args = tuple(map(self.scalar, inner.args))
            out = self.draft.var(inner.out.fact)
            return self.draft.nest(replace(inner, args=args), out)
        return given if isinstance(given, Const) else self.scalar(given)

    def joined(self, target: Var, op: Apply) -> list[Stmt]:
        """Return `np.concatenate([u, v], axis)`."""
        dtype, parts = self.dtype_of(op), self.joined_parts(op)
        axis = axis_of(op)
        if op.fn is np.hstack:
            axis = min(parts[0].rank - 1, 1)
        if op.fn is np.vstack:
            axis = 0
            parts = [_with_axis(p, 0) if p.rank == 1 else p for p in parts]
        if op.fn in (np.stack, np.array) and type(axis) is int:
            axis %= parts[0].rank + 1
            parts = [_with_axis(p, axis) for p in parts]
        if type(axis) is not int or dtype is None:
            self.draft.refuse(f"`np.{op.fn.__name__}` along an unknown axis")
        axis %= parts[0].rank
        if len({p.rank for p in parts}) != 1:
            self.draft.refuse("`np.concatenate` of unlike arrays")
        axes = [
            self.elements.common([p.axes[k] for p in parts])
            for k in range(parts[0].rank) if k != axis
        ]  # fmt: skip
        starts: list[Atom] = [Const(0)]
        for part in parts:
            starts.append(self.draft.sum(starts[-1], part.axes[axis].length))
        ends = [a.length for a in axes]
        ends.insert(axis, starts[-1])
        found: list[Stmt] = [self.draft.empty(target, ends, dtype)]
        for part, start in zip(parts, starts, strict=False):
            counters = self.draft.counters(part.rank)
            place: list[Atom] = list(counters)
            place[axis] = self.draft.sum(start, counters[axis])
            body = self.draft.write(target, place, part.at(counters))
            found += self.draft.loops(counters, [a.length for a in part.axes], [body])
        return found

    def joined_parts(self, op: Apply) -> list[Array]:
        """Return the arrays that are put one behind the other."""
        if op.fn is np.append:
            if len(op.args) != 2 or op.kwargs:
                self.draft.refuse("`np.append` with options")
            parts = [self.elements.as_vector(a) for a in op.args]
            if any(p.rank != 1 for p in parts):
                self.draft.refuse("`np.append` of what is no vector")
            return parts
        listed = self.draft.nested_op(op.args[0])
        if not isinstance(listed, Apply) or listed.fn not in (build_list, build_tuple):
            self.draft.refuse(f"`np.{op.fn.__name__}` of what is no list of arrays")
        return [self.elements.array(a) for a in listed.args]

    def factor(self, atom: Atom) -> Atom:
        """Return an operand of a product: a name, `x.T` or `x[i]` of a name."""
        op = self.draft.nested_op(atom)
        if isinstance(op, Apply) and op.fn is operator.getitem:
            if self.draft.nested_op(op.args[0]) is None:
                out = self.draft.var(op.out.fact)
                index = self.draft.index(op.args[1], self.scalar)
                args = (self.elements.name(op.args[0]), index)
                return self.draft.nest(replace(op, out=out, args=args), out)
        if isinstance(op, Apply) and op.fn is np.transpose and len(op.args) == 1:
            out = self.draft.var(op.out.fact)
            return self.draft.nest(
                replace(op, out=out, args=(self.elements.name(op.args[0]),)), out
            )
        return self.elements.name(atom)

    def view(self, target: Var, op: Apply) -> list[Stmt]:
        """Return a view: `v = x[i, 1:]`."""
        owner = self.elements.name(op.args[0])
        made = self.draft.index(op.args[1], self.scalar)
        self.draft.lengths.unite_views(target, owner, slices(self.draft, made))
        return [Let((target,), replace(op, out=target, args=(owner, made)))]

    def filled(
        self, target: Var, dtype: np.dtype[Any] | None, array: Array
    ) -> list[Stmt]:
        """Return a new array, and the loops that fill it."""
        if dtype is None or dtype.kind not in "fbiu":
            self.draft.refuse("an array whose numbers are unknown, or complex")
        self.known.note(target, dtype)
        counters = self.draft.counters(array.rank)
        ends = [axis.length for axis in array.axes]
        body = [self.draft.write(target, counters, array.at(counters))]
        return [
            self.draft.empty(target, ends, dtype),
            *self.draft.loops(counters, ends, body),
        ]


def of_other_shape(op: Apply) -> Apply:
    """Return `np.zeros_like(x, shape=s)` as `np.zeros(s, dtype)`."""
    shape = dict(op.kwargs).get("shape", Const(None))
    if shape == Const(None):
        return op
    fn = getattr(np, op.fn.__name__.removesuffix("_like"))
    given = (("dtype", Const(op.out.fact.dtype)),)
    return replace(op, fn=fn, args=(shape,), kwargs=given)


def _with_axis(part: Array, axis: int) -> Array:
    """Return an array with one more axis, of length 1."""
    unit = Axis(Dim("", 1, 1), Const(1))
    return Array(
        (*part.axes[:axis], unit, *part.axes[axis:]),
        lambda index: part.at((*index[:axis], *index[axis + 1 :])),
    )


def axis_of(op: Apply) -> object:
    """Return the literal axis of a call, else None.

    >>> x, y = Var("x"), Var("y")
    >>> (
    ...     axis_of(Apply(y, np.concatenate, (x,))),
    ...     axis_of(Apply(y, np.split, (x, Const(2)), (("axis", Const(1)),))),
    ... )
    (0, 1)
    """
    first = 2 if op.fn is np.split else 1
    if op.fn is np.append:
        return 0
    named = dict(op.kwargs)
    given = named.pop("axis", op.args[first] if len(op.args) > first else Const(0))
    if named or not isinstance(given, Const):
        return None
    return given.value
