"""`x[mask]` and `x[mask] = v` -> loops with a test, and a count of what it lets in.

n = 0
for i in range(len(x)):
if mask[i]:
t1[n] = x[i]
n += 1
"""

from __future__ import annotations

import operator

from yota_ast.codegen.loops.bracket_forms import indices
from yota_ast.codegen.loops.draft import INT, Draft
from yota_ast.codegen.loops.elements import Elements, is_array
from yota_ast.codegen.plan.statement_plan import Branch, Let, Move, Stmt
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import Change


class Masks:
    """Makes the loops of reads and stores by a mask of all axes."""

    def __init__(self, draft: Draft, elements: Elements) -> None:
        self.draft = draft
        self.elements = elements

    def of(self, owner: Atom, index: Atom) -> Atom | None:
        """Return the mask that an index is, None of another index."""
        parts = indices(self.draft, index)
        if parts is None or len(parts) != 1 or not is_array(parts[0]):
            return None
        fact = fact_of_atom(parts[0])
        if fact.dtype != bool:
            return None
        if fact.rank is None or fact.rank != fact_of_atom(owner).rank:
            self.draft.refuse("a mask of some axes")
        return parts[0]

    def read(self, target: Var, op: Apply, mask: Atom) -> list[Stmt]:
        """Return `target = x[mask]`."""
        dtype = op.out.fact.dtype
        if dtype is None:
            self.draft.refuse("a mask of unknown numbers")
        owner = self.elements.array(op.args[0])
        tests = self.elements.named(self.elements.name(mask))
        axes = self.elements.together([tests, owner])
        counters = self.draft.counters(len(axes))
        ends = [axis.length for axis in axes]
        n = self.draft.var(INT, "n")
        test = tests.at(counters)
        counted = self.draft.loops(counters, ends, [Branch(test, (self.bump(n),))])
        written = self.draft.write(target, [n], owner.at(counters))
        filled = self.draft.loops(
            counters, ends, [Branch(test, (written, self.bump(n)))]
        )
        start = Move(((n, Const(0)),))
        return [start, *counted, self.draft.empty(target, [n], dtype), start, *filled]

    def store(self, target: Var, mask: Atom, value: Atom, change: Change) -> list[Stmt]:
        """Return `target[mask] = value`."""
        place = self.elements.named(target)
        tests = self.elements.named(self.elements.name(mask))
        axes = self.elements.together([tests, place])
        counters = self.draft.counters(len(axes))
        ends = [axis.length for axis in axes]
        test = tests.at(counters)
        if not is_array(value):
            given = self.elements.scalar(value)
            body = self.draft.write(target, counters, given, change)
            return self.draft.loops(counters, ends, [Branch(test, (body,))])
        listed = self.elements.named(self.elements.name(value))
        if listed.rank != 1:
            self.draft.refuse("a store by a mask of what is no vector")
        n = self.draft.var(INT, "n")
        self.draft.checked = True  # the lengths are compared behind the loop
        body = self.draft.write(target, counters, listed.at((n,)), change)
        start = Move(((n, Const(0)),))
        loops = self.draft.loops(counters, ends, [Branch(test, (body, self.bump(n)))])
        with self.draft.ahead(after := list[Stmt]()):
            self.draft.test_equal(listed.axes[0].length, n)
        return [start, *loops, *after]

    def bump(self, n: Var) -> Let:
        """Return `n += 1`."""
        return Let((n,), Apply(n, operator.add, (n, Const(1)), form="augmented"))
