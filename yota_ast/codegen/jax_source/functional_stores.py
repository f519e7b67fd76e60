"""A store into an array -> a new array under the same name.

    z[i] = v           z = z.at[i].set(v)
    z[1:] += v         z = z.at[1:].add(v)
    np.add.at(z, i, v) z = z.at[i].add(v)

The printed `at` is an `Apply` of the function `at`, whose spelling says which change.
"""

from __future__ import annotations

import operator
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo
from yota_ast.analysis.repeated_elements import may_repeat
from yota_ast.codegen.jax_source.checked_indices import Indices
from yota_ast.codegen.jax_source.jax_draft import Draft
from yota_ast.codegen.jax_source.jax_expressions import at
from yota_ast.codegen.plan.statement_plan import Let, Stmt, Write
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.nodes import Apply, Store, only, walk
from yota_ast.ir.store_changes import Put, SharedView, Update
from yota_ast.ir.tape import Program
from yota_ast.ops.back_ends.jax_functions import CHANGES

_ALL: Final = Const(Ellipsis)


class Stores:
    """Prints the stores of one program."""

    def __init__(
        self, draft: Draft, indices: Indices, points: PointsTo, program: Program
    ) -> None:
        self.draft = draft
        self.indices = indices
        self.points = points
        self.makers: dict[str, Apply] = {}
        self.given = {p.var.name for p in program.params}
        inner = (guard.block for guard in program.guards)
        for block in (program.forward, program.reverse, *inner):
            self.makers |= {op.out.name: op for op in only(walk(block), Apply)}
            for store in only(walk(block), Store):
                self._refuse_view(store)

    def _refuse_view(self, op: Store) -> None:
        in_list = fact_of_atom(op.target).kind in ("list", "dict")
        if in_list or not isinstance(op.change, SharedView):
            return
        self.draft.origin = op.origin
        self.draft.refuse(
            "a store into a view does not reach the array in JAX",
            "Store into the array itself: A[0, 1] = v.",
        )

    def stored(self, stmt: Write) -> Stmt:
        """Return the statement that makes a new array."""
        op = stmt.op
        if op.target.fact.kind == "dict" and not _is_key(fact_of_atom(op.index)):
            self.draft.refuse(
                "a key of a dict may be an element of an array, which JAX cannot hash",
                "Make it a whole number: int(k[i]).",
            )
        if op.target.fact.kind in ("list", "dict", "object", "tuple"):
            return stmt
        if not isinstance(op.change, (Put, Update)):
            return stmt
        self._refuse_given(op)
        self._refuse_repeats(op)
        if op.origin.reverse and isinstance(op.change, Update) and op.index == _ALL:
            fn = op.change.fn
            return self._let(
                op, Apply(op.target, fn, (op.target, op.value), form="operator")
            )
        index = self.indices.tested(op.target, op.index)
        how, value = self._change(op, index)
        made = Apply(op.target, at, (op.target, index, value), spelling=how)
        return self._let(op, made)

    def _let(self, op: Store, made: Apply) -> Let:
        return Let((op.target,), replace(made, origin=op.origin))

    def _change(self, op: Store, index: Atom) -> tuple[str, Atom]:
        """Return the method of `at`, and what it is given."""
        if not isinstance(op.change, Update):
            return "set", op.value
        target, value = op.target.fact, fact_of_atom(op.value)
        if target.dtype is not None and target.dtype.kind in "biu":
            if value.kind not in ("int", "bool") and (
                value.dtype is None or value.dtype.kind not in "biu"
            ):
                self.draft.refuse("numbers are added into an array of whole numbers")
        fn = op.change.fn
        if fn in CHANGES:
            return CHANGES[fn], op.value
        if op.change.repeats:
            self.draft.refuse("a ufunc's `at` that JAX does not have")
        old = self.draft.call(
            operator.getitem, op.target, index, fact=target, form="subscript"
        )
        return "set", self.draft.call(fn, old, op.value, fact=target, form="operator")

    def _refuse_given(self, op: Store) -> None:
        """Refuse a store into an argument, which the caller would not see."""
        roots = self.points.memory(op.target)
        if roots & self.given:
            self.draft.refuse(
                "an argument is changed, which no array of JAX can be",
                "Take a copy with .copy() before.",
            )

    def _refuse_repeats(self, op: Store) -> None:
        """Refuse an index that may repeat where the last value counts: JAX may take
        another."""
        if isinstance(op.change, Update) and op.change.repeats:
            return
        if isinstance(op.change, Put) and fact_of_atom(op.value).is_scalar:
            return
        if may_repeat(op.index, self.makers):
            self.draft.refuse(
                "an index that may name an element twice: JAX may keep another value",
                "To add up, write np.add.at(z, index, value).",
            )


def _is_key(known: Fact) -> bool:
    """Whether a value is a number of Python's, a string, or a tuple of such."""
    if known.kind == "tuple" and known.items is not None:
        return all(map(_is_key, known.items))
    return known.kind in ("int", "bool", "float", "str", "none")
