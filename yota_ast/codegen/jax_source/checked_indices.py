"""An index -> the same, with a test where JAX would take the nearest one in range.

    x[i]              x[within(i, len(x))]
    A[:, k, 1:]       A[:, within(k, A.shape[1]), 1:]
    A[places]         A[within_axes(places, A.shape)]

Slices, masks and `None` mean the same in JAX, or raise. What has been tested before, of
an axis of that length, is not tested again.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from yota_ast.codegen.jax_source.jax_draft import Draft
from yota_ast.ir.abstract_values import INT, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime.jax.arrays_of_jax import within, within_axes

Axis: TypeAlias = Dim | tuple[str, int]
"""The length of an axis, or the array and the axis where the length is unknown."""


class Indices:
    """Puts tests into indices. counters: the variables of loops over `range(n)`, and
    the length that they stay below. seen: what has been tested where the statement
    stands; None: what is tested may not be run."""

    def __init__(self, draft: Draft, counters: Mapping[str, Dim]) -> None:
        self.draft = draft
        self.counters = counters
        self.seen: set[tuple[Axis, int | str]] = set()
        self.sure = True

    @contextmanager
    def within(self, *, sure: bool = True) -> Iterator[None]:
        """Forget at the end what is tested in here; sure: it is run in any case."""
        seen, was_sure = set(self.seen), self.sure
        self.sure = sure
        yield
        self.seen, self.sure = seen, was_sure

    def tested(self, owner: Atom, index: Atom) -> Atom:
        """Return an index of an array, with its tests."""
        parts = self._parts(index)
        if parts is None:
            shape = self.draft.call(
                np.shape, owner, fact=Fact("tuple"), form="attribute", spelling="shape"
            )
            return self.draft.call(within_axes, index, shape, fact=fact_of_atom(index))
        for part in parts:
            self._refuse_list(part)
        tested = self._tested_parts(owner, parts)
        if all(map(operator.is_, tested, parts)):
            return index
        if len(tested) == 1 and fact_of_atom(index).kind != "tuple":
            return tested[0]
        facts = tuple(map(fact_of_atom, tested))
        return self.draft.call(
            build_tuple, *tested, fact=Fact("tuple", items=facts), form="build"
        )

    def _parts(self, index: Atom) -> list[Atom] | None:
        """Return the parts of an index; None where they are unknown."""
        if isinstance(index, Const):
            value = index.value
            if isinstance(value, tuple):
                return [Const(v) for v in value] if index.text is None else None
            return [index]
        op = self.draft.op_of(index)
        if isinstance(op, Apply) and op.fn is build_tuple:
            return list(op.args)
        if isinstance(op, Apply) and op.fn is build_slice:
            return [index]
        return None if index.fact.kind in ("tuple", "unknown", "real") else [index]

    def _refuse_list(self, part: Atom) -> None:
        op = self.draft.op_of(part)
        of_list = isinstance(op, Apply) and op.fn is build_list
        if of_list or fact_of_atom(part).kind == "list":
            self.draft.refuse("JAX takes no list as an index", "Write np.array([...]).")

    def _tested_parts(self, owner: Atom, parts: Sequence[Atom]) -> list[Atom]:
        """Return the parts, with a test around numbers and arrays of numbers."""
        found, axis = [], 0
        for k, part in enumerate(parts):
            taken = self._axes_taken(part)
            if _is_ellipsis(part):
                rest = [self._axes_taken(p) for p in parts[k + 1 :]]
                axis = -sum(rest) or 0
                found.append(part)
                continue
            found.append(self._tested(owner, part, axis) if taken == 1 else part)
            axis += taken
        return found

    def _axes_taken(self, part: Atom) -> int:
        fact = fact_of_atom(part)
        if fact.kind == "none" or _is_ellipsis(part):
            return 0
        if fact.dtype is not None and fact.dtype == np.bool_ and fact.kind == "array":
            if fact.rank is None:
                self.draft.refuse("a mask of unknown rank")
            return fact.rank
        return 1

    def _tested(self, owner: Atom, part: Atom, axis: int) -> Atom:
        op = self.draft.op_of(part)
        if isinstance(op, Apply) and op.fn is build_slice:
            return part
        if isinstance(part, Const) and isinstance(part.value, slice):
            return part
        fact = fact_of_atom(part)
        if fact.kind == "other" and fact.cls is slice:
            return part
        if fact.kind == "array" and fact.dtype is not None and fact.dtype == np.bool_:
            return part
        if self._is_in_range(owner, part, axis):
            return part
        return self.draft.call(within, part, self._length(owner, axis), fact=fact)

    def _length(self, owner: Atom, axis: int) -> Var:
        if not axis and fact_of_atom(owner).rank != 0:
            return self.draft.call(len, owner, fact=INT)
        shape = self.draft.call(
            np.shape, owner, fact=Fact("tuple"), form="attribute", spelling="shape"
        )
        return self.draft.call(
            operator.getitem, shape, Const(axis), fact=INT, form="subscript"
        )

    def _is_in_range(self, owner: Atom, part: Atom, axis: int) -> bool:
        """Say whether an index is certainly in range, or has been tested."""
        shape = fact_of_atom(owner).shape
        length = None
        if isinstance(shape, tuple) and -len(shape) <= axis < len(shape):
            length = shape[axis]
        if isinstance(part, Const) and type(part.value) is not int:
            return False
        if length is not None and not length.base and isinstance(part, Const):
            return _least_length(part) <= length.offset
        bound = self.counters.get(part.name) if isinstance(part, Var) else None
        if bound is not None and bound == length:
            return True
        if length is not None:
            return self._has_been_tested(length, part)
        if not isinstance(owner, Var) or self.draft.op_of(owner) is not None:
            return False
        return self._has_been_tested((owner.name, axis), part)

    def _has_been_tested(self, of: Axis, part: Atom) -> bool:
        """Say whether an index has been tested; if not, it is now."""
        if isinstance(part, Const):
            return self._is_long_enough(of, _least_length(part))
        if self.draft.op_of(part) is not None:
            return False
        is_known = (of, part.name) in self.seen
        if self.sure:
            self.seen.add((of, part.name))
        return is_known

    def _is_long_enough(self, of: Axis, least: int) -> bool:
        """Say whether an axis is known to be so long; if not, it is now."""
        known = [k for axis, k in self.seen if axis == of and isinstance(k, int)]
        if self.sure:
            self.seen.add((of, least))
        return max(known, default=0) >= least


def _least_length(index: Const) -> int:
    """Return how long an axis is that has an index: 3 for 2, and for -3."""
    number = index.value
    assert isinstance(number, int)
    return number + 1 if number >= 0 else -number


def _is_ellipsis(part: Atom) -> bool:
    return isinstance(part, Const) and part.value is Ellipsis
