"""Tape and activity -> one block: every op, and after it the tangent of its result.

What the forward sweep of the function does is left as it is, and stands in the same
branches and loops: the tangents are carried and merged beside the values. Memory that
the function writes has a tangent that is written at the same places.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.nonsmooth.real_sizes import Powers
from yota_ast.adjoint.nonsmooth.smooth_squares import without_root
from yota_ast.adjoint.reverse.contributions import (
    adjoint_fact,
    adjoint_hint,
    fact_of_end,
)
from yota_ast.adjoint.reverse.inlined_helpers import Follow
from yota_ast.adjoint.reverse.outlined_adjoints import Pairs, results_of
from yota_ast.adjoint.reverse.stored_precision import cut
from yota_ast.analysis.activity import Activity
from yota_ast.analysis.dtypes import FloatsByFacts
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Closed,
    Compound,
    For,
    If,
    Merge,
    Op,
    Origin,
    Outlined,
    Raise,
    Read,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
    defined_by,
    walk,
)
from yota_ast.ir.store_changes import AppendItem, Update
from yota_ast.ops import info, takes_all
from yota_ast.rules.notation.rule import BOOK
from yota_ast.runtime import expand, replace_grad, stored, ungetitem
from yota_ast.solvers.derived_functions import Derived
from yota_ast.solvers.solver_operands import is_solved
from yota_ast.solvers.solver_tangents import Forward, solver_tangent
from yota_ast.support.value_classes import is_record
from yota_ast.syntax.value_paths import plain_key
from yota_ast.tangent.augmented_parts import (
    divides_by_number,
    multiplied,
    quotient,
)
from yota_ast.tangent.complex_tangents import Own, is_wide, tangent_fact, widened
from yota_ast.tangent.outlined_tangents import called
from yota_ast.tangent.primitive_tangents import Differential
from yota_ast.tangent.replaced_tangents import replaced_tangent
from yota_ast.tangent.stationary_points import Stationary
from yota_ast.tangent.tangent_steps import by_path, called_after, item_of, zero
from yota_ast.tangent.tried_bodies import check_values, come_after, run_again
from yota_ast.tangent.written_operands import WrittenOperands

_STRUCTURAL = (build_tuple, build_list, build_dict)


@dataclass(slots=True)
class Tangents:
    """Writes the block of a function and its tangent.

    follow: gives the ops of a helper. known: the tangents so far, of the active
    variables.
    """

    active: Activity
    follow: Follow
    known: dict[str, Atom] = field(default_factory=dict)
    derived: Derived | None = None
    """The derivatives of functions that solvers are given."""
    forward: Forward | None = None
    """Forward mode of such functions."""
    floats: FloatsByFacts = field(default_factory=lambda: FloatsByFacts(Block()))
    """What arrays hold that are written."""
    stationary: Stationary = field(default_factory=lambda: Stationary(Block()))
    """Where slopes are infinite."""
    powers: Powers = field(default_factory=lambda: Powers(Block()))
    """What may be complex, though its fact says float."""
    copies: set[str] = field(default_factory=set)
    """Of what is written in place, as it was."""
    items: Mapping[str, frozenset[object]] = field(default_factory=dict)
    """Of what is read item by item, which."""
    undefined: Collection[str] = ()
    """Variables that may have no value."""
    operands: WrittenOperands = field(default_factory=WrittenOperands)
    """Which operands still hold what was read."""
    pairs: Pairs = field(default_factory=dict)
    """The functions of the program that have tangents."""
    items_of_calls: dict[str, dict[int, Var]] = field(default_factory=dict)
    """The tangents of several results of a call, by the variable of the call."""
    own: Own = field(default_factory=Own)
    """What is of the type that is said of it."""

    def of(self, atom: Atom) -> Atom | None:
        """The tangent of an atom; None where it is constant."""
        if not isinstance(atom, Var):
            return None
        # A copy of what is active is none of the function's variables.
        return self.known.get(atom.name) if self._varies(atom) else None

    def _varies(self, var: Var) -> bool:
        return var in self.active or var.name in self.copies

    def end(self, end: Atom | Undefined, builder: Builder) -> Atom | Undefined:
        """The tangent of what a branch or a loop hands on."""
        if isinstance(end, Undefined):
            return end
        d = self.of(end)
        return zero(builder, end) if d is None else d

    def block(self, block: Block, builder: Builder) -> None:
        """Add the ops of a block and their tangents."""
        for op in block:
            builder.origin = _beside(op.origin)
            self.operands.forget(op, builder.made)
            match op:
                case Apply() if isinstance(op.fn, Outlined) and op.out in self.active:
                    builder.ops += self._called(op, builder)
                case Apply():
                    before = self._before(op, builder)
                    self._keep(op, builder)
                    self._apply(op, builder, before)
                case Read():  # the tangents of all parts come behind all parts
                    reads = [k for k, o in enumerate(builder.ops) if type(o) is Read]
                    builder.ops.insert(reads[-1] + 1 if reads else len(builder.ops), op)
                    self._read(op, builder)
                case Store():
                    self._store(op, builder)
                case If():
                    self._if(op, builder)
                case For() | While():
                    self._loop(op, builder)
                case With():
                    body = self._inner(op.body, builder)
                    builder.ops.append(replace(op, body=body))
                case Raise():
                    builder.ops.append(op)
                case Try():
                    self._try(op, builder)
                case _:
                    assert_never(op)

    def _inner(self, block: Block, builder: Builder) -> Block:
        """A block within, and its tangents."""
        inner = builder.nested()
        self.block(block, inner)
        return inner.block()

    def _keep(self, op: Apply, builder: Builder) -> None:
        builder.ops.append(op)
        builder.made[op.out.name] = op
        self.operands.note(op)
        self.own.note(op.out, (*op.args, *(a for _, a in op.kwargs)))

    def _try(self, op: Try, builder: Builder) -> None:
        """The tangents of the body stand in the `else`: what they raise, if they do, is
        no error of the body's, which the handler would take for one."""
        if not self._has_tangent(op):
            builder.ops.append(op)
            return
        done, caught = builder.nested(), builder.nested()
        check_values(op, self.active, self.undefined)
        sharing, body = self.operands.sharing, op.body
        if come_after(op, self.active, sharing):
            self._tried(op.body, done)
        else:
            body, again = run_again(op, builder.names, sharing)
            self.block(again, done)
        self.block(op.orelse, done)
        self.block(op.handler, caught)
        merges = self._merged(op.merges, (done, caught), op.origin, builder)
        orelse, handler = done.block(), caught.block()
        made = replace(op, body=body, orelse=orelse, handler=handler, merges=merges)
        builder.ops.append(made)

    def _tried(self, body: Block, done: Builder) -> None:
        """Add the tangents of a body that has run."""
        for each in body:
            done.origin = _beside(each.origin)
            match each:
                case Apply():
                    done.made[each.out.name] = each
                    self._apply(each, done, None)
                case Read():
                    self._read(each, done)
                case Store():
                    self._store(each, done)
                    done.ops.remove(each)  # done in the body
                case Simple() | Compound():
                    pass  # of which nothing varies
                case _:
                    assert_never(each)

    def _has_tangent(self, op: Try) -> bool:
        inner = (each for block in blocks_of(op) for each in block)
        return any(v in self.active for o in (op, *inner) for v in defined_by(o))

    # ------------------------------------------------------------ one op

    def _before(self, op: Apply, builder: Builder) -> Var | None:
        """A copy of what `y *= e` writes into, for the tangent reads what it was."""
        old = op.args[0] if op.form == "augmented" else None
        if op.out not in self.active or not isinstance(old, Var):
            return None
        return builder.apply(np.copy, old) if old.fact.may_be_array else None

    def _reading(self, op: Apply, before: Var) -> Apply:
        """`y *= e` as `before * e`."""
        old = op.args[0]
        d = self.of(old)
        if d is not None:
            self.known[before.name] = d
            self.copies.add(before.name)
        args = tuple(before if a == old else a for a in op.args)
        return replace(op, args=args, form="operator")

    def _apply(self, op: Apply, builder: Builder, before: Var | None) -> None:
        if op.out not in self.active or self._by_parts(op):
            return
        if self._takes_of_call(op, builder):
            return
        if before is not None:
            op = self._reading(op, before)
        if isinstance(op.fn, Closed):
            return
        if is_solved(op):
            assert self.derived is not None
            assert self.forward is not None
            d: Atom = solver_tangent(
                op, self.of, self.derived, self.forward, self.active, builder
            )
        elif op.fn is replace_grad:
            assert self.derived is not None
            dx = self.of(op.args[0])
            assert dx is not None
            d = replaced_tangent(op, self.derived.functions, dx, builder)
        elif op.fn in _STRUCTURAL or is_record(op.fn):
            d = self._built(op, builder)
        elif (part := self._part(op, builder)) is not None:
            d = part
        elif self._is_item(op):
            container = self.of(op.args[0])
            assert container is not None
            d = builder.apply(
                op.fn, container, *op.args[1:],
                form="subscript" if op.form == "attribute" else op.form,
                spelling=op.spelling, fact=tangent_fact(op.out),
            )  # fmt: skip
        else:
            op = without_root(op, builder.made.get)
            d = self._differential(op, builder).value()
        if is_wide(op.out.fact) and isinstance(d, Var):
            d = widened(builder, d, op.out, self.own)
        self.known[op.out.name] = called_after(builder, d, op.out)

    def _called(self, op: Apply, builder: Builder) -> tuple[Op, ...]:
        """The call of a function of the program, its tangents noted."""
        assert isinstance(op.fn, Outlined)
        pair = self.pairs[op.fn.name]
        ends = [self.end(op.args[i], builder) for i in pair.asked]
        tangents = [d for d in ends if not isinstance(d, Undefined)]
        made = called(op, pair, tangents, builder)
        if len(results_of(pair.function)) > 1:
            self.items_of_calls[op.out.name] = made.tangents
        else:
            self.known[op.out.name] = made.tangents[0]
        return made.ops

    def _takes_of_call(self, op: Apply, builder: Builder) -> bool:
        """Whether an op takes one of several results of a call; its tangent noted."""
        owner = op.args[0] if op.args else None
        found = self.items_of_calls.get(owner.name) if isinstance(owner, Var) else None
        if found is None or not isinstance(op.args[1], Const):
            return False
        d = found.get(int(op.args[1].value))  # type: ignore[call-overload]
        self.known[op.out.name] = zero(builder, op.out) if d is None else d
        return True

    def _by_parts(self, op: Apply) -> bool:
        """Whether all that is read of a result are items with tangents of their own."""
        read = self.items.get(op.out.name)
        if not read:
            return False
        bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
        return bound is not None and read <= bound.rule.parts.keys()

    def _part(self, op: Apply, builder: Builder) -> Atom | None:
        """The tangent of an item of what an op gives, where a rule states it alone."""
        made = builder.made.get(getattr(op.args[0], "name", "")) if op.args else None
        if made is None or not self._is_item(op) or not isinstance(op.args[1], Const):
            return None
        return self._differential(made, builder).item(op.args[1].value, op.out)

    def _differential(self, op: Apply, builder: Builder) -> Differential:
        return Differential(
            op, self.of, builder, self.follow, self.stationary, self.powers
        )

    def _is_item(self, op: Apply) -> bool:
        x = op.args[0] if op.args else None
        return (
            op.fn is operator.getitem
            and isinstance(x, Var)
            and x.fact.kind in CONTAINERS
        )

    def _built(self, op: Apply, builder: Builder) -> Var:
        """The container of the tangents of the items."""
        items: list[Atom] = []
        for k, item in enumerate(op.args):
            if op.fn is build_dict and k % 2 == 0:
                items.append(item)
                continue
            end = self.end(item, builder)
            assert not isinstance(end, Undefined)
            items.append(end)
        known = replace(op.out.fact, cls=None) if op.out.fact.cls else op.out.fact
        fn = build_tuple if is_record(op.fn) else op.fn
        return builder.apply(fn, *items, form="build", fact=known)

    def _read(self, op: Read, builder: Builder) -> None:
        """A field of an argument: the tangent of an object is a dict by paths."""
        if op.out not in self.active:
            return
        at: Atom | None = self.known.get(op.root.name)
        assert at is not None
        outer = 0 if op.root.fact.kind not in CONTAINERS else next(
            (k for k, (kind, _) in enumerate(op.path) if kind == "attr"), len(op.path)
        )  # fmt: skip
        for _, key in op.path[:outer]:
            at = item_of(builder, at, plain_key(key))
        if op.path[outer:]:
            at = by_path(
                builder,
                at,
                tuple(plain_key(k) for _, k in op.path[outer:]),
                op.out.fact,
            )
        self.known[op.out.name] = called_after(builder, at, op.out)

    # ------------------------------------------------------------ stores

    def _store(self, op: Store, builder: Builder) -> None:
        """The tangent is written where the value is, before it: `y[i] *= v` reads what
        it overwrites."""
        self.own.note(op.out, (op.target,))
        if op.out not in self.active:
            builder.ops.append(op)
            return
        target = self.end(op.target, builder)
        if isinstance(target, Const):  # of an array without axes: of numbers a 0
            known = adjoint_fact(op.target)
            target = builder.apply(np.zeros_like, op.target, fact=known)
        assert isinstance(target, Var)
        value = self.end(op.value, builder)
        assert not isinstance(value, Undefined)
        if op.target.fact.kind in CONTAINERS or isinstance(op.change, AppendItem):
            d = builder.var(target.fact, target.hint, f"d{op.out.name}")
            made = replace(op, out=d, target=target, value=value, origin=builder.origin)
            builder.ops += [made, op]
            self.known[op.out.name] = d
            return
        value = cut(builder, self.floats, op, value)
        if op.target.fact.is_complex:
            target = widened(builder, target, op.target, self.own)
        if divides_by_number(op):  # the tangent of a quotient reads it
            builder.ops.append(op)
            active = self.of(op.value) is not None
            place = quotient(builder, op, target, value if active else None)
        else:
            place = self._placed(op, target, value, builder)
            builder.ops.append(op)
        self.known[op.out.name] = called_after(builder, place, op.out)

    def _placed(self, op: Store, target: Var, value: Atom, builder: Builder) -> Var:
        """The tangent of an array that a store writes a part of."""
        assert isinstance(op.target, Var)
        known = adjoint_fact(op.target)
        if isinstance(op.change, Update) and op.change.repeats:
            part = builder.apply(operator.getitem, op.target, op.index)
            value = builder.apply(expand, value, part, fact=adjoint_fact(part))
            spread = builder.apply(ungetitem, value, op.target, op.index, fact=known)
            return builder.apply(op.change.fn, target, spread, fact=known)
        whole = takes_all(op.index, op.target)
        fn = op.change.fn if isinstance(op.change, Update) else None
        if whole and fn is None and not _has_more_axes(value, op.target):
            return builder.apply(expand, value, op.target, fact=known)
        if fn is None:
            return builder.apply(stored, target, op.index, value, fact=known)
        part, old = target, op.target
        if not whole:
            part = builder.apply(operator.getitem, target, op.index)
            old = builder.apply(operator.getitem, op.target, op.index)
        new = self._augmented(op, fn, (part, old), value, builder)
        if whole:
            return builder.refine(new, new.fact.with_shape(known.shape))
        return builder.apply(stored, target, op.index, new, fact=known)

    def _augmented(
        self,
        op: Store,
        fn: Callable[..., Any],
        before: tuple[Atom, Atom],
        d: Atom,
        builder: Builder,
    ) -> Var:
        """The tangent of `before + value` or another operator, that of before and that
        of value, d, given."""
        part, old = before
        apply = builder.apply
        if fn in (operator.add, operator.sub):
            return apply(fn, part, d)
        if fn not in (operator.mul, operator.truediv):
            return self._by_rule(fn, (old, op.value), (part, d), builder)
        return multiplied(builder, fn, (part, d), (old, op.value))

    def _by_rule(
        self,
        fn: Callable[..., Any],
        operands: tuple[Atom, Atom],
        tangents: tuple[Atom, Atom],
        builder: Builder,
    ) -> Var:
        """The tangent of an operator on two operands, by its rule."""
        (old, value), (part, d) = operands, tangents
        made = builder.made[builder.apply(fn, old, value).name]
        if info(fn).steps:
            return builder.apply(np.zeros_like, made.out, fact=adjoint_fact(made.out))
        given = {old: part} if self.of(value) is None else {value: d, old: part}
        new = replace(self._differential(made, builder), tangent=given.get).value()
        assert isinstance(new, Var)
        return new

    # ------------------------------------------------------------ branches and loops

    def _if(self, op: If, builder: Builder) -> None:
        arms = builder.nested(), builder.nested()
        for block, inner in zip((op.then, op.orelse), arms, strict=True):
            self.block(block, inner)
        merges = self._merged(op.merges, arms, op.origin, builder)
        then, orelse = (arm.block() for arm in arms)
        builder.ops.append(replace(op, then=then, orelse=orelse, merges=merges))

    def _merged(
        self, merges: Sequence[Merge], arms: tuple[Builder, Builder], origin: Origin,
        builder: Builder,
    ) -> tuple[Merge, ...]:  # fmt: skip
        """What two ways hand on, and their tangents."""
        found = list(merges)
        for arm in arms:
            arm.origin = _beside(origin)
        for m in merges:
            self.own.note_ways(m.out, m.then, m.orelse)
            if m.out in self.active:
                d = builder.var(tangent_fact(m.out), _hint(m.out), f"d{m.out.name}")
                then = self._joining(m.then, m.out, arms[0])
                orelse = self._joining(m.orelse, m.out, arms[1])
                self.own.names.add(d.name)
                self.known[m.out.name] = d
                found.append(Merge(d, then, orelse))
        return tuple(found)

    def _joining(
        self, atom: Atom | Undefined, out: Var, builder: Builder
    ) -> Atom | Undefined:
        """The tangent at the end of one of several ways: an array where the value is
        one, for what follows may write into it."""
        d = self.end(atom, builder)
        if out.fact.kind == "array" and isinstance(d, Const) and isinstance(atom, Var):
            return builder.apply(np.zeros_like, atom, fact=adjoint_fact(atom))
        if is_wide(out.fact) and isinstance(d, Var):
            return widened(builder, d, out, self.own)
        return d

    def _loop(self, op: For | While, builder: Builder) -> None:
        self._refuse_items(op)
        entering: list[tuple[Carry, Atom | Undefined, Var]] = []
        for c in op.carries:
            self.own.note_ways(c.inside, c.init, c.next)
            if c.out in self.active or c.inside in self.active:
                init = self._joining(c.init, c.inside, builder)
                known = tangent_fact(c.inside)
                inside = builder.var(known, _hint(c.inside), f"d{c.inside.name}")
                entering.append((c, init, inside))
        for c, _, inside in entering:
            self.known[c.inside.name] = inside
            self.own.names.add(inside.name)
        if isinstance(op, While):
            op = replace(op, cond=self._inner(op.cond, builder))
        body = builder.nested()
        self.block(op.body, body)
        body.origin = _beside(op.origin)
        carries = list(op.carries)
        for c in carries:
            self.own.note_ways(c.out, c.init, c.next)
        for c, init, inside in entering:
            following = self._joining(c.next, c.inside, body)
            out = builder.var(inside.fact, _hint(c.out), f"d{c.out.name}")
            self.own.names.add(out.name)
            carries.append(Carry(out, init, inside, following))
            self.known[c.out.name] = out
        builder.ops.append(replace(op, body=body.block(), carries=tuple(carries)))

    def _refuse_items(self, op: For | While) -> None:
        """Refuse a loop over the items of what is differentiated, where tangents are
        made of theirs; the keys of a dict have none."""
        if not isinstance(op, For) or fact_of_end(op.iterable).kind == "dict":
            return
        if self.of(op.iterable) is not None and self._reads_items(op):
            raise UnsupportedSyntax(
                "this loop over a differentiated value is not supported",
                at=op.origin.location,
                remedy="Loop over `range(len(x))` and read `x[i]`.",
            )

    def _reads_items(self, loop: For) -> bool:
        """Whether what has a tangent is made of the items of a loop."""
        carried = (c.next for c in loop.carries if c.out in self.active)
        read = (
            a
            for op in walk(loop.body)
            if any(v in self.active for v in defined_by(op))
            for a in (*atoms_of(op), *ends_of(op))
        )
        return any(a in loop.targets for a in (*carried, *read))


def _has_more_axes(value: Atom, target: Var) -> bool:
    """Whether a store takes axes away from what it stores: those in front, of length
    1."""
    given, rank = fact_of_end(value).rank, target.fact.rank
    return given is not None and rank is not None and given > rank


def _beside(origin: Origin) -> Origin:
    """The place of a tangent: beside the statement, under no comment."""
    return replace(origin, text="", reverse=True)


def _hint(var: Var) -> str | None:
    return adjoint_hint(var) if var.hint else None
