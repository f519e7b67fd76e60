"""A plan -> the same with loops in place of array statements.

    t1 = c * (u[2:] - u[:-2])

becomes

    t1 = np.empty(max(len(u) - 2, 0))
    for i in range(len(u) - 2):
        t1[i] = c * (u[i + 2] - u[i])
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.loops.array_forms import FORMS
from yota_ast.codegen.loops.bracket_forms import Subscripts, slice_ends
from yota_ast.codegen.loops.defined_calls import Definitions
from yota_ast.codegen.loops.draft import INT, Draft
from yota_ast.codegen.loops.elements import Elements, is_array
from yota_ast.codegen.loops.equal_lengths import EqualLengths
from yota_ast.codegen.loops.fused_statements import fused
from yota_ast.codegen.loops.known_facts import Infer
from yota_ast.codegen.loops.lists import Lists, is_list
from yota_ast.codegen.loops.named_arrays import NamedArrays
from yota_ast.codegen.loops.new_arrays import NewArrays, axis_of
from yota_ast.codegen.loops.reductions import Reductions
from yota_ast.codegen.loops.returned_values import Returned, built_again, leaves_of
from yota_ast.codegen.loops.scalars import Scalars
from yota_ast.codegen.loops.stores import Stores
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Attempt,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Throw,
    Within,
    Write,
    place_in,
    walk,
)
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list, build_tuple, handed
from yota_ast.ir.nodes import Apply, For, If, Outlined, Read
from yota_ast.ir.store_changes import PUT, Update
from yota_ast.ops.registry import info
from yota_ast.runtime import ungetitem, unset

_EACH: Final = Update(operator.add, repeats=True)
"""What an adjoint is added as, once for each time that its place is repeated."""


class Loops:
    """Rewrites the statements of one plan.

    callees: by the functions that the program defines, what these read of modules.
    wide: the integers that may have more than 64 bits. called: other loops call these,
    and are given the containers that they return.
    """

    def __init__(
        self,
        plan: Plan,
        points: PointsTo,
        callees: Mapping[str, Sequence[Const]],
        infer: Infer,
        wide: frozenset[str] = frozenset(),
        *,
        called: bool = False,
    ) -> None:
        self.called = called
        self.plan = plan = fused(plan, points)
        self.draft = Draft(plan.nested, (p.hint or p.name for p in plan.params))
        self.draft.near = place_in(plan)
        self.draft.lengths = EqualLengths(self.draft.nested, plan)
        self.scalar = Scalars(self.draft, callees, wide)
        self.elements = Elements(self.draft, self.scalar, self.ahead, FORMS)
        subscripts = Subscripts(self.elements)
        self.elements.forms = {**FORMS, operator.getitem: subscripts.form}
        self.scalar.reductions = Reductions(self.draft, self.elements, subscripts)
        self.returned = Returned(plan)
        self.leaves: tuple[Var, ...] = ()
        self.built: list[Stmt] = []
        self.elements.defined = Definitions(self.draft, infer, self.ahead).of
        self.lists = Lists(self.draft, self.elements, self.scalar)
        self.scalar.lists = self.lists
        known = NamedArrays(plan, points)
        self.arrays = NewArrays(self.draft, self.scalar, subscripts, self.lists, known)
        self.stores = Stores(self.arrays)

    def ahead(self, op: Apply) -> Var:
        """Compute an op under a name, ahead of the statement at hand."""
        var = self.draft.var(op.out.fact)
        self.draft.before += self.computed(var, op)
        return var

    def computed(self, target: Var, op: Apply) -> list[Stmt]:
        """Return the statements that compute an array."""
        if op.fn is ungetitem:
            return self.put_back(target, op)
        if op.fn is not unset:
            return self.arrays.computed(target, op)
        array, index = op.args
        copied = self.arrays.filled(
            target, self.arrays.dtype_of(op), self.elements.array(array)
        )
        self.draft.before += copied
        return self.stores.stored(target, index, Const(0.0), PUT)

    def put_back(self, target: Var, op: Apply) -> list[Stmt]:
        """Return zeros of the shape of an array, with a value added at an index."""
        value, array, index = op.args
        ends = [axis.length for axis in self.elements.array(array).axes]
        dtype = self.arrays.dtype_of(op)
        if dtype is None:
            self.draft.refuse("an adjoint whose numbers are unknown")
        self.draft.before.append(self.draft.zeros(target, ends, dtype))
        return self.stores.stored(target, index, value, _EACH)

    def run(self) -> Plan:
        """Return the plan of loops."""
        if self.is_built_outside and not self.returned.is_one_form:
            self.draft.refuse("a function that returns containers of several forms")
        forward, reverse = map(self.stmts, (self.plan.forward, self.plan.reverse))
        last: list[Stmt] = []
        with self.draft.ahead(last):
            end = self.last_exit()
        outside = (var for var, _ in self.draft.outside.values())
        return replace(
            self.plan, params=(*self.plan.params, *outside), forward=forward,
            reverse=(*reverse, *last, *self.built), exit=end, nested=self.draft.nested,
        )  # fmt: skip

    @property
    def is_built_outside(self) -> bool:
        """Say whether the function in Python makes the containers that are returned."""
        return self.returned.is_used and not self.called

    def last_exit(self) -> Exit:
        """Return the last exit, and find what makes the containers that it returns."""
        if not self.is_built_outside:
            return self.exit(self.plan.exit)
        parts = self.returned.parts(self.plan.exit)
        self.leaves = tuple(map(self.named_result, leaves_of(parts)))
        self.built, values = built_again(parts, self.leaves, self.draft.nested)
        return replace(self.plan.exit, value=values[0], results=tuple(values[1:]))

    def named_result(self, atom: Atom) -> Var:
        """Return a variable for what the loops return."""
        value = self.result(atom)
        if isinstance(value, Var) and value.name not in self.draft.nested:
            return value
        var = self.draft.var(fact_of_atom(value))
        self.draft.before.append(self.assigned(var, value))
        return var

    def exit(self, stmt: Exit) -> Exit:
        """Return what an exit of the loops returns: arrays and numbers, and in loops
        that others call tuples of them."""
        parts = self.returned.parts(stmt)
        leaves = leaves_of(parts)
        if not self.is_built_outside and self.returned.is_used:
            named = tuple(map(self.named_result, leaves))
            built, leaves = built_again(parts, named, self.draft.nested)
            self.draft.before += built
            return replace(stmt, value=leaves[0], results=tuple(leaves[1:]))
        value, *results = map(self.result, leaves)
        return replace(stmt, value=value, results=tuple(results))

    def result(self, atom: Atom) -> Atom:
        """Return what the function returns, arrays under a name."""
        return self.elements.name(atom) if is_array(atom) else self.scalar(atom)

    # ------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """Return the statements of a loop or branch, which may not run."""
        with self.draft.lengths.scope():
            return self.stmts(stmts)

    def stmts(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """Return the statements of a block."""
        found: list[Stmt] = []
        for stmt in stmts:
            self.draft.go_to(getattr(stmt, "origin", self.draft.origin))
            with self.draft.ahead(found):
                made = self.followed(stmt)
            found += made
        return tuple(found)

    def followed(self, stmt: Stmt) -> list[Stmt]:
        """Return what a statement becomes, and note what it does to lengths."""
        lengths = self.draft.lengths
        if isinstance(stmt, Move):
            made = self.statement(stmt)
            keys = [(var, lengths.keys(atom)) for var, atom in stmt.pairs]
            lengths.forget([stmt])
            for var, known in keys:
                lengths.unite_all(var, known)
            return made
        lengths.forget([stmt])
        made = self.statement(stmt)
        lengths.forget([stmt])
        return made

    def statement(self, stmt: Stmt) -> list[Stmt]:
        """Return what a statement becomes."""
        match stmt:
            case Let():
                return self.let(stmt)
            case Write():
                if is_list(stmt.op.target):
                    return self.lists.stored(stmt.op)
                return self.stores.write(stmt)
            case Move():
                pairs = [(v, self.result(a)) for v, a in stmt.pairs]
                return [replace(stmt, pairs=tuple(pairs))]
            case Branch():
                test = self.scalar(stmt.test)
                arms = (self.block(stmt.then), self.block(stmt.orelse))
                return [replace(stmt, test=test, then=arms[0], orelse=arms[1])]
            case Loop():
                return [self.loop(stmt)]
            case NewList() | Append() | Break():
                return [stmt]
            case Throw():
                return [stmt]
            case Exit():
                return [self.exit(stmt)]
            case Within():
                self.draft.refuse("a `with` block")
            case Attempt():
                self.draft.refuse("a `try` block")
            case _:
                assert_never(stmt)

    def loop(self, stmt: Loop) -> Loop:
        """Return a loop of the function's."""
        op = stmt.op
        if isinstance(op, For):
            over = self.iterable(op.iterable)
            made: Any = replace(op, iterable=over)
            cond: tuple[Stmt, ...] = ()
        else:
            own = [*self.block(stmt.cond)]
            with self.draft.within(own):
                test = self.scalar(op.test)
            made, cond = replace(op, test=test), tuple(own)
        return replace(
            stmt, op=made, cond=cond, body=self.block(stmt.body),
            orelse=self.block(stmt.orelse),
        )  # fmt: skip

    def run_over(self, atom: Atom) -> Atom:
        """Return what `zip` and `enumerate` run over: arrays and ranges."""
        op = self.draft.nested_op(atom)
        if op is None and not is_array(atom):
            self.draft.refuse("a loop over anything but arrays and ranges")
        return self.iterable(atom)

    def iterable(self, atom: Atom) -> Atom:
        """Return what a loop runs over."""
        if is_array(atom):
            return self.elements.name(atom)
        if isinstance(atom, Const) and atom.text is not None:
            return self.draft.from_outside(atom)
        op = self.draft.nested_op(atom)
        if op is None:
            return atom
        assert isinstance(op, Apply)
        if op.fn is range:
            args = tuple(map(self.scalar, op.args))
            return self.draft.nest(replace(op, args=args), op.out)
        if op.fn is operator.getitem and op.args[1] == Const(slice(None, None, -1)):
            inner = self.draft.nested_op(op.args[0])
            if isinstance(inner, Apply) and inner.fn is range:
                return self.backwards(inner)
            return atom
        if op.fn in (enumerate, zip) and not op.kwargs:
            args = tuple(map(self.run_over, op.args))
            return self.draft.nest(replace(op, args=args), op.out)
        self.draft.refuse("a loop over anything but a range")

    def backwards(self, op: Apply) -> Atom:
        """Return `range(a, b, s)[::-1]` as a range."""
        args = [*map(self.scalar, op.args)]
        start = args[0] if len(args) > 1 else Const(0)
        step = args[2] if len(args) > 2 else Const(1)
        if not isinstance(step, Const) or type(step.value) is not int:
            self.draft.refuse("a range backwards whose step is no literal")
        draft, by = self.draft, step.value
        whole = draft.call(range, *args, fact=op.out.fact)
        count = draft.add(draft.call(len, whole, fact=INT), -1)
        last = draft.sum(start, draft.times(count, by))
        return draft.call(
            range, last, draft.add(start, -by), Const(-by), fact=op.out.fact
        )

    def let(self, stmt: Let) -> list[Stmt]:
        """Return an assignment."""
        match stmt.value:
            case Read():
                return [stmt]
            case If() as op:
                return [self.assigned(stmt.targets[0], self.scalar.choice(op))]
            case Apply() as op:
                return self.applied(stmt, op)
            case _:
                assert_never(stmt.value)

    def applied(self, stmt: Let, op: Apply) -> list[Stmt]:
        """Return the assignment of what a call or an operator gives."""
        if isinstance(op.fn, Outlined):
            called = self.scalar.called(op)
            return [replace(stmt, value=called)]
        if len(stmt.targets) != 1:
            return self.unpacked(stmt, op) if stmt.targets else self.unnamed(op)
        (target,) = stmt.targets
        if self.plan.key(target) in self.returned.names:
            return []  # it is built outside
        if op.fn is build_tuple and self.is_index(target):
            return self.tuple_items(target, op)
        if op.fn is build_list and not op.args:
            return [NewList(target, op.origin)]
        if not is_array(op.out):
            return [self.assigned(target, self.scalar.operation(op))]
        if op.form == "augmented":
            return self.stores.added(target, op)
        return self.computed(target, op)

    def is_index(self, target: Var) -> bool:
        """Say whether a tuple is one of numbers, slices and arrays, never another."""
        moved = (s for s in walk(self.plan.body) if isinstance(s, Move))
        others = {self.plan.key(v) for s in moved for v, _ in s.pairs}
        return self.plan.key(target) not in others

    def tuple_items(self, target: Var, op: Apply) -> list[Stmt]:
        """Keep the items of a tuple, each under a name of its own."""
        items: list[Atom] = []
        for atom in op.args:
            ends = slice_ends(self.draft, atom)
            kept = isinstance(atom, Const) or ends is not None
            items.append(atom if kept else self.named_result(atom))
        self.draft.tuples[self.plan.key(target)] = tuple(items)
        self.draft.tuples[target.name] = tuple(items)
        return []

    def unnamed(self, op: Apply) -> list[Stmt]:
        """Return an expression that is computed for its errors alone."""
        if op.effect:
            self.draft.refuse("a call that does more than compute")
        if is_array(op.out):
            self.ahead(op)
            return []
        value = self.scalar.operation(op)
        return [self.assigned(self.draft.var(op.out.fact), value)]

    def unpacked(self, stmt: Let, op: Apply) -> list[Stmt]:
        """Return `f, g = np.split(x, 2, axis=1)` as views; of `a, b = u, v`
        both are computed before."""
        if op.fn is handed:
            return [stmt]
        if op.fn is operator.getitem and op.form == "unpack":
            return self.items(stmt, op.args[0])
        if op.fn is build_tuple and len(op.args) == len(stmt.targets):
            values = [*map(self.named_result, op.args)]
            pairs = tuple(zip(stmt.targets, values, strict=True))
            return [Move(pairs, (), op.origin)]
        if op.fn is np.shape or is_array(op.out):
            return self.items(stmt, self.draft.nest(op, op.out))
        if info(op.fn).in_loops == "arrays":
            return [replace(stmt, value=self.scalar.call_of_arrays(op))]
        if op.fn is not np.split:
            self.draft.refuse("an assignment to several names")
        owner, axis = self.elements.name(op.args[0]), axis_of(op)
        count = op.args[1].value if isinstance(op.args[1], Const) else None
        rank = owner.fact.rank
        if type(count) is not int or rank is None or type(axis) is not int:
            self.draft.refuse("`np.split` at places")
        axis %= rank
        length = self.elements.length(owner, axis, None)
        part = self.draft.operate(operator.floordiv, length, Const(count), fact=INT)
        self.draft.test_equal(
            self.draft.operate(operator.mod, length, Const(count), fact=INT), Const(0)
        )
        found: list[Stmt] = []
        for k, target in enumerate(stmt.targets):
            ends = [self.draft.times(part, k) if k else Const(None)]
            ends += [self.draft.times(part, k + 1) if k + 1 < count else Const(None)]
            index = self.draft.part(ends, axis)
            found.append(
                Let((target,), Apply(target, operator.getitem, (owner, index),
                                     form="subscript", origin=op.origin))
            )  # fmt: skip
        return found

    def items(self, stmt: Let, owner: Atom) -> list[Stmt]:
        """Return `a, b = x` and `n, m = x.shape`, a statement for each name."""
        count = len(stmt.targets)
        op = self.draft.nested_op(owner)
        if isinstance(op, Apply) and op.fn is np.shape:
            lengths = [a.length for a in self.elements.array(op.args[0]).axes]
            if len(lengths) == count:
                pairs = [*zip(stmt.targets, lengths, strict=True)]
                for var, length in pairs:
                    self.draft.same_lengths(var, length)
                return [Move((pair,)) for pair in pairs]
        if not is_array(owner):
            self.draft.refuse("an assignment to several names")
        whole = self.elements.named(self.elements.name(owner))
        self.draft.test_equal(whole.axes[0].length, Const(count))
        name = self.elements.name(owner)
        found: list[Stmt] = []
        for k, target in enumerate(stmt.targets):
            part = Apply(target, operator.getitem, (name, Const(k)), form="subscript")
            found.append(Let((target,), part))
        return found

    def assigned(self, target: Var, value: Atom) -> Stmt:
        """Return the assignment of a number: an expression that is new is taken over
        as it is."""
        made = self.draft.nested.get(value.name) if isinstance(value, Var) else None
        if made is None:
            return Move(((target, value),), (), self.draft.origin)
        match made:
            case Apply():
                return Let((target,), replace(made, out=target))
            case If():
                merge = replace(made.merges[0], out=target)
                return Let((target,), replace(made, merges=(merge,)))
            case _:
                assert_never(made)
