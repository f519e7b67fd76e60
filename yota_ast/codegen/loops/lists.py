"""Lists of arrays or numbers -> lists of Numba, and the arrays that are made of them.

    t1 = np.stack(rows)

becomes

    t1 = np.empty((len(rows), len(rows[0])))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(row)):
            t1[i, j] = row[j]

A list holds values of one dtype and rank.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.loops.draft import INT, Draft
from yota_ast.codegen.loops.elements import Elements, is_array
from yota_ast.codegen.loops.known_facts import item_of
from yota_ast.codegen.plan.statement_plan import Let, Move, Stmt, Write
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list
from yota_ast.ir.nodes import Apply, Store
from yota_ast.ir.store_changes import AppendItem, Put

_NUMBERS: Final = ("float", "int", "bool", "scalar")
"""The kinds of numbers; one that may be each of several is a `real` of no axes."""


def is_list(atom: Atom) -> bool:
    """Say whether a value is a list."""
    return isinstance(atom, Var) and fact_of_atom(atom).kind == "list"


class Lists:
    """Makes the statements of lists. number: gives the expression of a number."""

    def __init__(
        self, draft: Draft, elements: Elements, number: Callable[[Atom], Atom]
    ) -> None:
        self.draft = draft
        self.elements = elements
        self.number = number

    def item_fact(self, owner: Atom) -> Fact:
        """Return what is known of each item; a list of unlike ones is refused."""
        each = item_of(fact_of_atom(owner))
        number = each.kind == "real" and each.is_scalar
        known = (
            number
            or each.kind in _NUMBERS
            or (
                each.kind == "array"
                and each.dtype is not None
                and each.rank is not None
            )
        )
        if not known and each.kind != "nothing":
            self.draft.refuse("a list of other than arrays of one kind, or numbers")
        return each

    def value(self, atom: Atom) -> Atom:
        """Return an item that a list gets: an array under a name, or a number."""
        return self.elements.name(atom) if is_array(atom) else self.number(atom)

    def built(self, op: Apply) -> Var:
        """Return `[a, b]`, and `[x] * n`."""
        self.item_fact(op.out)
        args = tuple(map(self.value, op.args))
        return self.draft.again(replace(op, args=args))

    def item(self, op: Apply) -> Apply:
        """Return `rows[i]` and `rows[::-1]`."""
        self.item_fact(op.args[0])
        return replace(op, args=(self.owner(op.args[0]), self.index(op.args[1])))

    def owner(self, atom: Atom) -> Atom:
        """Return a list: a name, or a list backwards."""
        op = self.draft.nested_op(atom)
        if op is None:
            return atom
        if isinstance(op, Apply) and op.fn is build_list:
            return self.built(op)
        if not isinstance(op, Apply) or op.fn is not operator.getitem:
            self.draft.refuse("a list that is computed")
        out = self.draft.var(op.out.fact)
        return self.draft.nest(replace(self.item(op), out=out), out)

    def index(self, atom: Atom) -> Atom:
        """Return an index of a list."""
        return self.draft.index(atom, self.number)

    def stored(self, op: Store) -> list[Stmt]:
        """Return `rows.append(x)` and `rows[i] = x`."""
        self.item_fact(op.target)
        if not isinstance(op.change, (AppendItem, Put)):
            self.draft.refuse("a store into a list")
        index = op.index if op.index == Const(None) else self.index(op.index)
        return [Write(replace(op, index=index, value=self.value(op.value)))]

    # ------------------------------------------------------------ arrays of lists

    def joined(self, target: Var, op: Apply, dtype: np.dtype | None) -> list[Stmt]:
        """Return the array that `np.stack` or `np.concatenate` makes of a list."""
        if len(op.args) != 1 or op.kwargs or dtype is None:
            self.draft.refuse(f"`np.{op.fn.__name__}` of a list with options")
        rows = self.name(op.args[0])
        each = self.item_fact(rows)
        if each.kind != "array":
            return self.of_numbers(target, rows, each, dtype)
        assert each.rank is not None
        stacked = op.fn is not np.concatenate
        if not each.rank or (not stacked and each.rank < 1):
            self.draft.refuse(f"`np.{op.fn.__name__}` of a list of arrays of no axes")
        if op.fn is np.vstack and each.rank > 1:
            stacked = False
        return self.of_arrays(target, rows, dtype, stacked=stacked)

    def name(self, atom: Atom) -> Var:
        """Return the variable of a list."""
        found = self.owner(atom)
        assert isinstance(found, Var)
        op = self.draft.nested.pop(found.name, None)
        if op is not None:
            assert isinstance(op, Apply)
            self.draft.before.append(Let((found,), op))
        return found

    def length(self, owner: Atom) -> Var:
        """Return `len(rows)`."""
        return self.draft.call(len, owner, fact=INT)

    def of_numbers(
        self, target: Var, rows: Var, each: Fact, dtype: np.dtype
    ) -> list[Stmt]:
        """Return the vector of a list of numbers."""
        counter, *_ = self.draft.counters(1)
        item = self.draft.item(rows, (counter,), each)
        body = self.draft.write(target, (counter,), item)
        return [
            self.draft.empty(target, [self.length(rows)], dtype),
            *self.draft.loops([counter], [self.length(rows)], [body]),
        ]

    def of_arrays(
        self, target: Var, rows: Var, dtype: np.dtype, *, stacked: bool
    ) -> list[Stmt]:
        """Return the array of a list of arrays, which have to have one shape."""
        each = self.item_fact(rows)
        assert each.rank is not None
        first = self.draft.item(rows, (Const(0),), each)
        inner: list[Atom] = [
            self.elements.length(first, k, None) for k in range(each.rank)
        ]
        counter, *others = self.draft.counters(each.rank + 1)
        row = self.draft.var(each, "row")
        taken = Let((row,), Apply(row, operator.getitem, (rows, counter),
                                  form="subscript"))  # fmt: skip
        own = [self.elements.length(row, k, None) for k in range(each.rank)]
        item = self.draft.item(row, others, replace(each, kind="scalar", shape=()))
        body: list[Stmt] = [taken]
        with self.draft.within(body):
            for one, other in list(zip(own, inner, strict=True))[0 if stacked else 1 :]:
                self.draft.test_equal(one, other)
        if stacked:
            write = self.draft.write(target, (counter, *others), item)
            body += self.draft.loops(others, own, [write])
            ends = [self.length(rows), *inner]
            empty = self.draft.empty(target, ends, dtype)
            return [empty, *self.draft.loops([counter], [self.length(rows)], body)]
        return self.one_behind_another(target, rows, dtype, body, counter, others)

    def one_behind_another(
        self, target: Var, rows: Var, dtype: np.dtype, body: list[Stmt],
        counter: Var, others: Sequence[Var],
    ) -> list[Stmt]:  # fmt: skip
        """Return the loops of `np.concatenate(rows)`."""
        each = self.item_fact(rows)
        taken = body[0]
        assert isinstance(taken, Let)
        (row,) = taken.targets
        n, start = self.draft.var(INT, "n"), Const(0)
        first = self.draft.item(rows, (Const(0),), each)
        assert each.rank is not None
        rest = [self.elements.length(first, k, None) for k in range(1, each.rank)]
        counted = self.draft.loops(
            [counter], [self.length(rows)],
            [Let((n,), Apply(n, operator.add, (n, self.draft.call(
                len, self.draft.item(rows, (counter,), each), fact=INT)),
                form="augmented"))],
        )  # fmt: skip
        place = (self.draft.sum(n, others[0]), *others[1:])
        item = self.draft.item(row, others, replace(each, kind="scalar", shape=()))
        own = [self.elements.length(row, k, None) for k in range(each.rank)]
        loops = self.draft.loops(others, own, [self.draft.write(target, place, item)])
        grown = Let((n,), Apply(n, operator.add, (n, own[0]), form="augmented"))
        ended = self.draft.loops([counter], [self.length(rows)], [*body, *loops, grown])
        empty = self.draft.empty(target, [n, *rest], dtype)
        begin = Move(((n, start),))
        return [begin, *counted, empty, begin, *ended]
