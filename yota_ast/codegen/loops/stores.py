"""A store into a part of an array -> loops that write its elements.

    u[1:-1] += t1

becomes

    for i in range(len(u) - 2):
        u[i + 1] += t1[i]

What a value reads of the memory that the store writes is read ahead, as NumPy does.
"""

from __future__ import annotations

import operator

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.loops.elements import is_array
from yota_ast.codegen.loops.new_arrays import NewArrays
from yota_ast.codegen.plan.statement_plan import Move, Stmt, Write
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.cell_stores import cells_put
from yota_ast.ir.nodes import Apply, Store
from yota_ast.ir.store_changes import PUT, Change, Put, Update
from yota_ast.ops.registry import info


class Stores:
    """Makes the loops of stores."""

    def __init__(self, arrays: NewArrays) -> None:
        self.arrays = arrays
        self.draft, self.elements = arrays.draft, arrays.elements
        self.known, self.subscripts = arrays.known, arrays.subscripts

    def added(self, target: Var, op: Apply) -> list[Stmt]:
        """Return `x += e` of a whole array."""
        own = op.args[0]
        assert isinstance(own, Var)
        change = Update(op.fn)
        if self.known.plan.key(own) != self.known.plan.key(target):
            self.draft.before.append(Move(((target, own),)))
        return self.stored(target, Const(Ellipsis), op.args[1], change)

    def write(self, stmt: Write) -> list[Stmt]:
        """Return a store into a part of an array."""
        op = stmt.op
        if not is_array(op.target) or not isinstance(op.change, (Put, Update)):
            self.draft.refuse("a store into a list or dict")
        change = PUT if op.change == PUT else op.change  # a loop writes, and no call
        return self.stored(op.target, op.index, op.value, change)

    def stored(
        self, target: Var, index: Atom, value: Atom, change: Change
    ) -> list[Stmt]:
        """Return the loops of a store."""
        if isinstance(change, Update) and info(change.fn).in_loops != "elements":
            self.draft.refuse("a product of matrices in place")
        if fact_of_atom(value).kind in ("list", "tuple"):
            store = Store(target, target, index, value, change)
            if cells := cells_put(store, self.draft.nested_op(value)):
                cells = [(k, self.settled(target, a)) for k, a in cells]
                return [
                    self.draft.write_at(target, Const(k), self.elements.scalar(a), PUT)
                    for k, a in cells
                ]
            value = self.elements.array_of_list(value)
        mask = self.arrays.masks.of(target, index)
        if mask is not None:
            value = self.settled(target, value)
            return self.arrays.masks.store(target, mask, value, change)
        place = Apply(
            self.draft.var(target.fact), operator.getitem, (target, index),
            form="subscript",
        )  # fmt: skip
        part = self.subscripts.array(place)
        if part is None:
            return self.stored_in_view(target, place, value, change)
        if (
            isinstance(change, Update)
            and not change.repeats
            and not self.subscripts.takes_view(index)
        ):
            value = self.updated(place, value, change)
            change = PUT
        if isinstance(change, Update):
            change = Update(change.fn)
        if part.rank:
            value = self.settled(target, value)
        given = self.elements.array(value)
        if given.rank > part.rank:
            self.draft.refuse("a store of more axes than its place has")
        axes = self.elements.together([part, given]) if part.rank else ()
        for own, common in zip(part.axes, axes, strict=False):
            if own.is_unit and not common.is_unit:  # a place is not broadcast
                self.draft.test_equal(common.length, own.length)
        counters = self.draft.counters(part.rank)
        where = self.draft.index_of(part.at(counters))
        body = self.draft.write_at(
            target, where, self.elements.at(given, axes, counters), change
        )
        return self.draft.loops(counters, [a.length for a in part.axes], [body])

    def updated(self, place: Apply, value: Atom, change: Update) -> Atom:
        """Return `x[i] + v` as it is before a store: an index that repeats counts
        once."""
        old = self.draft.nest(place, place.out)
        fact = replace(place.out.fact, shape=fact_of_atom(place.args[1]).shape)
        out = self.draft.var(fact)
        both = Apply(out, change.fn, (old, value), form="operator")
        return self.draft.nest(both, out)

    def stored_in_view(
        self, target: Var, place: Apply, value: Atom, change: Change
    ) -> list[Stmt]:
        """Return a store into a part that is taken as a view first."""
        value = self.settled(target, value)
        rank = self.subscripts.rank_of_part(target, place.args[1])
        fact = replace(target.fact, shape=(None,) * rank)
        view = self.draft.var(fact)
        self.draft.before += self.arrays.view(view, place)
        return self.stored(view, Const(Ellipsis), value, change)

    def settled(self, target: Var, value: Atom) -> Atom:
        """Return a value that the loops of a store do not change."""
        if not self.known.overlaps(target, value):
            return value
        if is_array(value):
            return self.named_copy(value)
        number = self.draft.var(fact_of_atom(value))
        self.draft.before.append(Move(((number, self.elements.scalar(value)),)))
        return number

    def named_copy(self, atom: Atom) -> Var:
        """Return a new array with the elements of an expression."""
        var = self.draft.var(fact_of_atom(atom))
        op = self.draft.nested_op(atom)
        dtype = fact_of_atom(atom).dtype
        if dtype is None and isinstance(op, Apply):
            dtype = self.arrays.dtype_of(op)
        array = self.elements.array(atom)
        self.draft.before += self.arrays.filled(var, dtype, array)
        return var
