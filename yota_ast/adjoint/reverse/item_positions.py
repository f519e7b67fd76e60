"""Loops over the items of arrays -> loops over positions, where items are
differentiated.

`for u, v in zip(a, b)` becomes `for i in range(min(len(a), len(b)))` with `u = a[i]`
and `v = b[i]`: what goes back through an item then goes back through an index.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import Any, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.activity import Activity, makes_iterator
from yota_ast.ir.abstract_values import BOOL, INT, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Raise,
    Simple,
    While,
    map_blocks,
)


@dataclass(slots=True)
class _Indices:
    active: Activity
    infer: Infer
    names: Names
    makers: dict[str, Apply] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        builder = Builder(self.infer, self.names)
        for op in block:
            match op:
                case Apply():
                    self.makers[op.out.name] = op
                case For():
                    op = self._loop(replace(op, body=self.block(op.body)), builder)
                case While():  # its test is not reversed
                    op = replace(op, body=self.block(op.body))
                case Simple() | Compound():
                    op = map_blocks(op, self.block)
                case _:
                    assert_never(op)
            builder.ops.append(op)
        return builder.block()

    def _loop(self, op: For, builder: Builder) -> For:
        """The loop over positions; as it is where its items do not matter."""
        if op.iterable not in self.active or not isinstance(op.iterable, Var):
            return op
        runner = self._runner(op.iterable)
        if runner is None:
            return op
        builder.origin = op.origin
        whole = runner.fn is enumerate and len(runner.sources) == 1
        index = op.targets[0] if whole and len(op.targets) == 2 else None
        letter = _letter(op.targets)
        position = index or Var(self.names.fresh(letter), INT, letter)
        length = runner.length(builder)
        body = Builder(self.infer, self.names, op.origin)
        if index is not None:
            inner = runner.sources[0]
            body.ops.append(inner.item_as(op.targets[1], position, body, builder))
        elif not runner.bind(op.targets, position, body, builder):
            return op
        body.ops += op.body.ops
        trips = builder.apply(range, length)
        return replace(op, targets=(position,), iterable=trips, body=body.block())

    def _runner(self, atom: Atom) -> Runner | None:
        """What a loop runs over, if its items can be taken by position."""
        made = self.makers.get(atom.name) if isinstance(atom, Var) else None
        if made is None or made.fn not in (zip, enumerate, reversed, range):
            if made is not None and makes_iterator(made.fn):
                return None
            known = fact_of_atom(atom)
            ok = known.may_be_array or known.kind in ("list", "tuple")
            return Runner(operator.getitem, atom) if ok else None
        if made.fn is range:
            return Runner(range, atom)
        sources = [
            self._runner(a) for a in made.args[: 1 if made.fn is enumerate else None]
        ]
        inner = tuple(s for s in sources if s is not None)
        if len(inner) < len(sources):
            return None
        named = dict(made.kwargs)
        if made.fn is enumerate:
            start = made.args[1] if len(made.args) > 1 else named.get("start", Const(0))
            if start != Const(0):
                return Runner(enumerate, atom, (*inner, Runner(operator.add, start)))
            return Runner(enumerate, atom, inner)
        strict = named.get("strict", Const(False))
        if not isinstance(strict, Const):
            return None
        return Runner(made.fn, atom, inner, strict=bool(strict.value))


def _letter(targets: Sequence[Var]) -> str:
    """What the position is called: not as an item is."""
    taken = {target.hint for target in targets}
    return next((letter for letter in "ikjmn" if letter not in taken), "i")


def _tuple(parts: Sequence[Atom], body: Builder) -> Var:
    """A tuple whose items are known."""
    items = tuple(map(fact_of_atom, parts))
    fact = Fact("tuple", items=items, cls=tuple)
    return body.apply(build_tuple, *parts, form="build", fact=fact)


@dataclass(frozen=True, slots=True)
class Runner:
    """What a loop runs over: a sequence, or what zip, enumerate and reversed make of
    others. Of `enumerate(xs, start)` a second source holds `start`."""

    fn: Any
    atom: Atom
    sources: tuple[Runner, ...] = ()
    strict: bool = False

    def length(self, outer: Builder) -> Atom:
        """How many items there are, computed before the loop."""
        if self.fn is zip:
            lengths = [s.length(outer) for s in self.sources]
            if len(lengths) == 1:
                return lengths[0]
            if self.strict:
                self._check(lengths, outer)
                return lengths[0]
            return outer.apply(builtins.min, *lengths, fact=INT)
        if self.fn in (enumerate, reversed):
            return self.sources[0].length(outer)
        return outer.apply(len, self.atom, fact=INT)

    def _check(self, lengths: list[Atom], outer: Builder) -> None:
        """zip(strict=True) raises where lengths differ."""
        for k, other in enumerate(lengths[1:], 2):
            test = outer.apply(operator.ne, other, lengths[0], fact=BOOL)
            message = Const(f"zip() argument {k} is of another length than argument 1")
            then = outer.nested()
            error = then.apply(ValueError, message, fact=UNKNOWN)
            then.ops.append(Raise(error, outer.origin))
            outer.ops.append(If(test, then.block(), Block(), origin=outer.origin))

    def bind(
        self, targets: tuple[Var, ...], i: Atom, body: Builder, outer: Builder
    ) -> bool:
        """Give the targets of a loop their values; whether that could be done."""
        if len(targets) == 1:
            body.ops.append(self.item_as(targets[0], i, body, outer))
            return True
        if self.fn is zip and len(self.sources) == len(targets):
            for source, target in zip(self.sources, targets, strict=True):
                body.ops.append(source.item_as(target, i, body, outer))
            return True
        if self.fn is enumerate and len(targets) == 2:
            start = self.sources[1].atom if len(self.sources) > 1 else Const(0)
            count = Apply(
                targets[0],
                operator.add,
                (i, start),
                form="operator",
                origin=body.origin,
            )
            body.ops.append(count)
            body.ops.append(self.sources[0].item_as(targets[1], i, body, outer))
            return True
        if self.fn is operator.getitem:
            row = self.row(i, body)
            for k, target in enumerate(targets):
                at = (i, Const(k)) if row is None else (Const(k),)
                item = _item(target, row or self.atom, at, body)
                body.ops.append(
                    replace(item, form="unpack", spelling=str(len(targets)))
                )
            return True
        whole = self.item(i, body, outer)
        for k, target in enumerate(targets):
            body.ops.append(_item(target, whole, (Const(k),), body))
        return True

    def row(self, i: Atom, body: Builder) -> Var | None:
        """The item at position i, unless one index may reach into it: into an array."""
        if fact_of_atom(self.atom).kind not in ("list", "tuple"):
            return None
        return body.apply(operator.getitem, self.atom, i)

    def item_as(self, target: Var, i: Atom, body: Builder, outer: Builder) -> Apply:
        """The op that gives a target its value."""
        if self.fn is operator.getitem:
            return _item(target, self.atom, (i,), body)
        made = self.item(i, body, outer)
        op = body.ops.pop()
        assert isinstance(op, Apply)
        assert op.out == made
        known = target.fact if made.fact.kind == "unknown" else made.fact
        return replace(op, out=replace(target, fact=known))

    def item(self, i: Atom, body: Builder, outer: Builder) -> Var:
        """The item at position i, by an op of the loop's body."""
        if self.fn is zip:
            parts = [s.item(i, body, outer) for s in self.sources]
            return _tuple(parts, body)
        if self.fn is enumerate:
            start = self.sources[1].atom if len(self.sources) > 1 else Const(0)
            count = body.apply(operator.add, i, start) if start != Const(0) else i
            return _tuple([count, self.sources[0].item(i, body, outer)], body)
        if self.fn is reversed:
            last = outer.apply(operator.sub, self.length(outer), Const(1), fact=INT)
            back = body.apply(operator.sub, last, i, fact=INT)
            return self.sources[0].item(back, body, outer)
        return body.apply(operator.getitem, self.atom, i)


def _item(
    target: Var, source: Atom, index: tuple[Atom, ...], builder: Builder
) -> Apply:
    at: Atom = index[0]
    if len(index) > 1:
        at = builder.apply(build_tuple, *index, form="build")
    known = builder.infer(operator.getitem, (source, at), ())
    out = target if known.kind == "unknown" else replace(target, fact=known)
    return Apply(
        out, operator.getitem, (source, at), (), "subscript", "", builder.origin
    )


def with_indices(block: Block, active: Activity, infer: Infer, names: Names) -> Block:
    """The block, with loops over the items of active arrays turned into loops over
    positions."""
    return _Indices(active, infer, names).block(block)
