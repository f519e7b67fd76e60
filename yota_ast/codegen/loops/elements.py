"""An array expression -> its axes, and the expression of its element at an index.

`c * (u[2:] - u[:-2])` has one axis, of the length `len(u) - 2`; its element at `i` is
`c * (u[i + 2] - u[i])`. What has no such form is computed ahead, under a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.numba_source.number_arithmetic import as_numpy
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply
from yota_ast.ops.algebra import operated
from yota_ast.ops.registry import info

Index = tuple[Atom, ...]
Element = Callable[[Index], Atom]


@dataclass(frozen=True, slots=True)
class Axis:
    """The length of an axis: the abstract one if it is known, and the expression."""

    dim: Dim | None
    length: Atom

    @property
    def is_unit(self) -> bool:
        """Whether the length is 1."""
        return self.dim is not None and self.dim.is_unit


@dataclass(frozen=True, slots=True)
class Array:
    """An array expression: its axes, and its element at an index."""

    axes: tuple[Axis, ...]
    at: Element

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.axes)


def number(fact: Fact) -> Fact:
    """Return the abstract value of an element of an array."""
    return Fact("scalar", fact.dtype, ())


def zero_of(fact: Fact) -> Const:
    """Return the zero that a sum of elements starts from: of integers, an integer."""
    integers = fact.dtype is not None and fact.dtype.kind in "biu"
    return Const(0) if integers else Const(0.0)


def is_array(atom: Atom) -> bool:
    """Say whether a value has axes."""
    fact = fact_of_atom(atom)
    return fact.kind in ("array", "real") and not fact.is_scalar


class Elements:
    """Takes array expressions apart.

    scalars: gives the expression of a number. ahead: computes an op under a name.
    forms: by functions, what takes their calls apart; None: it has to be computed.
    """

    def __init__(
        self,
        draft: Draft,
        scalars: Callable[[Atom], Atom],
        ahead: Callable[[Apply], Var],
        forms: Mapping[Any, Callable[[Elements, Apply], Array | None]],
    ) -> None:
        self.draft = draft
        self.scalar = scalars
        self.ahead = ahead
        self.forms = forms
        self.defined: Callable[[Apply], Atom | None] = lambda _: None
        """What a call is by its definition."""

    # ------------------------------------------------------------ arrays

    def array(self, atom: Atom) -> Array:
        """Return the axes and the element of an expression; a number has no axes."""
        if fact_of_atom(atom).kind in ("list", "tuple"):
            return self.of_list(atom)
        if not is_array(atom):
            value = self.scalar(atom)
            return Array((), lambda _: value)
        op = self.draft.nested_op(atom)
        if op is None:
            return self.named(atom)
        if not isinstance(op, Apply):
            self.draft.refuse("an array that a condition chooses in an expression")
        return self.of_op(op)

    def of_list(self, atom: Atom) -> Array:
        """Return the elements of a list of numbers, as an array."""
        return self.named(self.array_of_list(atom))

    def array_of_list(self, atom: Atom) -> Var:
        """Return the array of a list of numbers."""
        fact = fact_of_atom(atom)
        kinds = {f.kind for f in fact.items or ()}
        if self.draft.nested_op(atom) is None or not fact.items:
            self.draft.refuse("a list in place of an array")
        if not kinds <= {"float", "int", "scalar", "real"}:
            self.draft.refuse("a list in place of an array")
        dtype = np.dtype(int if kinds == {"int"} else float)
        count = len(fact.items)
        out = self.draft.var(Fact("array", dtype, (Dim("", count, count),)))
        return self.ahead(Apply(out, np.array, (atom,)))

    def name(self, atom: Atom) -> Var:
        """Return the variable of an array, which is computed ahead if it has none."""
        op = self.draft.nested_op(atom)
        if op is not None:
            if not isinstance(op, Apply):
                self.draft.refuse("an array that a condition chooses")
            return self.ahead(op)
        return self.draft.from_outside(atom) if isinstance(atom, Const) else atom

    def named(self, atom: Atom) -> Array:
        """Return an array that has a name."""
        if isinstance(atom, Const):
            atom = self.draft.from_outside(atom)
        fact = atom.fact
        if not isinstance(fact.shape, tuple):
            self.draft.refuse("an array of unknown rank: give examples")
        axes = tuple(self.axis(atom, k, dim) for k, dim in enumerate(fact.shape))
        return Array(axes, lambda index: self.draft.item(atom, index, number(fact)))

    def axis(self, owner: Var, k: int, dim: Dim | None) -> Axis:
        """Return an axis of a named array; what is 1 in the example has to be 1, and so
        does a slice `k : k + 1`."""
        length = self.length(owner, k, dim)
        if dim is None or dim.is_unit or not (dim.example == 1 or _is_one(dim)):
            return Axis(dim, length)
        self.draft.test_equal(length, Const(1))
        return Axis(Dim("", 1, 1), Const(1))

    def length(self, owner: Var, axis: int, dim: Dim | None) -> Atom:
        """Return the length of an axis of a named array."""
        if dim is not None and not dim.base:
            return Const(dim.offset)
        return self.draft.length(owner, axis)

    def of_op(self, op: Apply, *, last: bool = False) -> Array:
        """Return the array that an op gives; last: it has to be made of elements."""
        definition = self.defined(op)
        if definition is not None:
            return self.array(definition)
        known = self.forms.get(op.fn)
        found = None
        if known is not None:
            found = known(self, op)
        elif is_elementwise(op):
            found = self.elementwise(op)
        if found is not None:
            return found
        if last:
            self.draft.refuse(f"`{getattr(op.fn, '__name__', op.fn)}`")
        return self.named(self.ahead(op))

    def elementwise(self, op: Apply) -> Array:
        """Return what an op gives that works on each element alone."""
        parts = [self.array(a) for a in op.args]
        axes = self.together(parts)
        out = number(op.out.fact)

        def at(index: Index) -> Atom:
            args = [self.at(part, axes, index) for part in parts]
            return with_numbers(self.draft, op, as_numpy(self.draft, op, args), out)

        return Array(axes, at)

    def together(self, parts: Sequence[Array]) -> tuple[Axis, ...]:
        """Return the axes of arrays that are broadcast, and test that they fit."""
        rank = max((p.rank for p in parts), default=0)
        return tuple(
            self.common([p.axes[k - rank] for p in parts if p.rank >= rank - k])
            for k in range(rank)
        )

    def common(self, axes: Sequence[Axis]) -> Axis:
        """Return the axis that several are broadcast to."""
        wide = [axis for axis in axes if not axis.is_unit] or [axes[0]]
        first = next((axis for axis in wide if axis.dim is not None), wide[0])
        for axis in wide:
            if axis is not first and (axis.dim is None or axis.dim != first.dim):
                self.draft.test_equal(axis.length, first.length)
        return first

    def at(self, part: Array, axes: tuple[Axis, ...], index: Index) -> Atom:
        """Return the element of one of several arrays that are broadcast."""
        skipped = len(axes) - part.rank
        own = tuple(
            Const(0)
            if axis.is_unit and not axes[skipped + k].is_unit
            else index[skipped + k]
            for k, axis in enumerate(part.axes)
        )
        return part.at(own)

    def as_vector(self, atom: Atom) -> Array:
        """Return a vector, of one element for a number."""
        found = self.array(atom)
        if found.rank:
            return found
        return Array((Axis(Dim("", 1, 1), Const(1)),), lambda _: found.at(()))


def _is_one(dim: Dim) -> bool:
    """Whether a slice leaves one item, if the axis does not cut it off."""
    return dim.uncut is not None and dim.uncut.length.is_unit


def with_numbers(
    draft: Draft, op: Apply, given: tuple[Callable[..., Any], list[Atom]], fact: Fact
) -> Var:
    """Return an op on numbers: of the operands given, or another function of them."""
    fn, args = given
    if fn is not op.fn:
        form = "operator" if operated(fn) != "none" else "call"
        return draft.call(fn, *args, fact=fact, form=form)
    out = draft.var(fact)
    return draft.nest(replace(op, out=out, args=tuple(args)), out)


def is_elementwise(op: Apply) -> bool:
    """Say whether an op works on each element alone, and has no options."""
    return not op.kwargs and info(op.fn).in_loops == "elements"
