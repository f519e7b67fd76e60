"""A forward sweep and a plan -> the forward sweep that keeps what the reverse reads."""

from __future__ import annotations

import copy
import operator
from typing import Any, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.reverse.mirrored_blocks import loop_key
from yota_ast.analysis.block_places import Plan, arms_of
from yota_ast.ir.abstract_values import CONTAINERS, INT
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import undefined_in
from yota_ast.ir.builder import Names
from yota_ast.ir.facts.joined_facts import element_of, is_nested
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    Simple,
    Try,
    While,
    With,
    defined_by,
)
from yota_ast.support.public_names import is_of_scipy
from yota_ast.support.value_classes import is_sparse
from yota_ast.syntax import saved_names


@dataclass(slots=True)
class _Rewriter:
    plan: Plan
    names: Names
    undefined: frozenset[str]  # what may have no value where it is copied
    branches: int = 0
    exports: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    """What a branch hands on, by its number: the variable, and how deep it stands."""

    def __post_init__(self) -> None:
        for name, exported in self.plan.exports.items():
            if exported.name in self.plan.made:
                for depth, (branch, _) in enumerate(self.plan.places.of[name].arms):
                    self.exports.setdefault(branch, []).append((name, depth))

    def block(self, block: Block, entering: tuple[Var, ...] = ()) -> Block:
        """The block, with copies of what is about to be overwritten."""
        ops: list[Op] = [op for v in entering for op in self._copy(v)]
        for op in block:
            match op:
                case If() | Try():
                    ops.append(self._branch(op))
                case With():
                    ops.append(replace(op, body=self.block(op.body)))
                    continue
                case For() | While():
                    ops.append(self._loop(op) if op.carries else op)
                case Simple():
                    ops.append(op)
                case _:
                    assert_never(op)
            ops += [c for v in defined_by(op) for c in self._copy(v)]
        return Block(tuple(ops))

    def _copy(self, var: Var) -> list[Op]:
        made = self.plan.copies.get(var.name)
        if made is None:
            return []
        known = var.fact
        holds = known.kind in CONTAINERS and not element_of(known).is_number
        if is_nested(known) or (holds and var.name in self.plan.deep):
            return self._deep_copy(made, var)
        if is_sparse(known.cls) and var.name not in self.undefined:
            return [_method(made, known.cls, var)]
        if var.fact.kind == "list" and var.name not in self.undefined:
            return [_method(made, list, var)]
        # it may be a number, or nothing
        if var.fact.kind != "array" or var.name in self.undefined:
            # a shallow copy of a sparse matrix has the same entries
            fn = copy.deepcopy if is_sparse(var.fact.cls) else copy.copy
            return [Apply(made, fn, (var,))]
        return [_method(made, np.ndarray, var)]

    def _deep_copy(self, made: Var, var: Var) -> list[Op]:
        """A copy with all that is held; of a result of SciPy, which may hold what has
        no copy, of its items."""
        cls = var.fact.cls
        if var.fact.kind != "tuple" or cls in (None, tuple) or not is_of_scipy(cls):
            return [Apply(made, copy.deepcopy, (var,))]
        items = Var(self.names.fresh("items"), replace(var.fact, cls=tuple))
        return [Apply(items, tuple, (var,)), Apply(made, copy.deepcopy, (items,))]

    def _branch(self, op: If | Try) -> If | Try:
        self.branches += 1
        number = self.branches
        inner_blocks = [self.block(b) for _, b in arms_of(op)]
        merges = list(op.merges)
        for name, depth in self.exports.get(number, ()):
            exported, place = self.plan.exports[name], self.plan.places.of[name]
            inner: Atom = self.plan.places.vars[name]
            if depth + 1 < len(place.arms):
                inner = Var(
                    f"{exported.name}@{depth + 1}", exported.fact, exported.hint
                )
            out = exported
            if depth:
                out = Var(f"{exported.name}@{depth}", exported.fact, exported.hint)
            missing: Atom | Undefined = Const(None) if place.loops else UNDEFINED
            first = place.arms[depth][1] == 0
            sides = (inner, missing) if first else (missing, inner)
            merges.append(Merge(out, *sides))
        if isinstance(op, If):
            then, orelse = inner_blocks
            # what is handed on from one arm alone makes of an expression a statement
            form = op.form if len(merges) == len(op.merges) else "if"
            return replace(
                op, then=then, orelse=orelse, merges=tuple(merges), form=form
            )
        body, orelse, handler = inner_blocks
        return replace(
            op, body=body, orelse=orelse, handler=handler, merges=tuple(merges)
        )

    def _loop(self, op: For | While) -> For | While:
        plan = self.plan.loops.get(loop_key(op))
        entering = tuple(c.inside for c in op.carries)
        if isinstance(op, For):
            body = self.block(op.body, (*entering, *op.targets))
            op = replace(op, body=body)
        else:
            op = replace(
                op, cond=self.block(op.cond), body=self.block(op.body, entering)
            )
        if plan is None:
            return op
        if plan.trips is not None:
            return self._count(op, plan.trips)
        if plan.stack is not None:
            saved = tuple(self.plan.exports.get(v.name, v) for v in plan.saved)
            return replace(op, stack=plan.stack, saved=saved)
        return op

    def _count(self, op: For | While, trips: Var) -> For | While:
        inside = Var(self.names.fresh(trips.name), INT, saved_names.TRIPS)
        following = Var(self.names.fresh(trips.name), INT, saved_names.TRIPS)
        step = Apply(following, operator.add, (inside, Const(1)), (), "augmented")
        carry = Carry(trips, Const(0), inside, following)
        body = Block((*op.body.ops, step))
        return replace(op, body=body, carries=(*op.carries, carry))


def rewrite_forward(
    block: Block, plan: Plan, names: Names, entering: tuple[Var, ...] = ()
) -> Block:
    """The forward sweep with its saves, counters, copies and exports."""
    return _Rewriter(plan, names, undefined_in(block)).block(block, entering)


def _method(made: Var, cls: Any, var: Var) -> Apply:
    """`var.copy()`."""
    return Apply(made, cls.copy, (var,), (), "method", "copy")
