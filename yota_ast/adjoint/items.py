"""Loops over the items of arrays and lists -> loops over positions, where items are
differentiated.

`for u, v in zip(a, b)` becomes `for i in range(min(len(a), len(b)))` with `u = a[i]`
and `v = b[i]`: what goes back through an item then goes back through an index.
"""

from __future__ import annotations

import builtins
import operator
from dataclasses import dataclass, field, replace

from ..build import Builder, Infer, Names
from ..facts import BOOL, INT, UNKNOWN, Fact
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    For,
    If,
    Raise,
    Try,
    Var,
    While,
    With,
    build_tuple,
)
from .activity import RUNNERS, Activity
from .scope import fact_of_end


@dataclass(slots=True)
class _Indices:
    active: Activity
    infer: Infer
    names: Names
    makers: dict[str, Apply] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        builder = Builder(self.infer, self.names)
        for op in block:
            if isinstance(op, Apply):
                self.makers[op.out.name] = op
            elif isinstance(op, For):
                op = self._loop(replace(op, body=self.block(op.body)), builder)
            elif isinstance(op, While | With):
                op = replace(op, body=self.block(op.body))
            elif isinstance(op, If):
                op = replace(op, then=self.block(op.then), orelse=self.block(op.orelse))
            elif isinstance(op, Try):
                op = replace(op, body=self.block(op.body), orelse=self.block(op.orelse),
                             handler=self.block(op.handler))  # fmt: skip
            builder.ops.append(op)
        return builder.block()

    def _loop(self, op: For, builder: Builder) -> For:
        """The loop over positions; as it is where its items do not matter."""
        if op.iterable not in self.active or not isinstance(op.iterable, Var):
            return op
        if not self._is_indexed(op.iterable):
            return op
        builder.origin = op.origin
        runner = self.makers.get(op.iterable.name)
        position = Var(self.names.fresh("i"), INT, "i")
        if runner is not None and runner.fn is enumerate and len(runner.args) == 1:
            if len(op.targets) == 2 and not runner.kwargs:
                position = op.targets[0]
        body = Builder(self.infer, self.names, op.origin)
        n = self._length(op.iterable, builder)
        self._bind(op.targets, op.iterable, position, n, body)
        body.ops += op.body.ops
        trips = builder.apply(range, n)
        return replace(op, targets=(position,), iterable=trips, body=body.block())

    def _runner(self, atom: Atom) -> Apply | None:
        """The zip, enumerate or reversed that a value is."""
        made = self.makers.get(atom.name) if isinstance(atom, Var) else None
        return made if made is not None and made.fn in RUNNERS else None

    def _is_indexed(self, atom: Atom) -> bool:
        """Whether the items of a value can be read by their position."""
        runner = self._runner(atom)
        if runner is None:
            known = fact_of_end(atom)
            sequence = known.kind in ("list", "tuple", "str") or known.cls is range
            return sequence or known.kind in ("array", "real")
        if runner.fn not in (zip, enumerate, reversed):
            return False
        parts = runner.args[:1] if runner.fn is enumerate else runner.args
        return all(map(self._is_indexed, parts))

    def _length(self, atom: Atom, builder: Builder) -> Atom:
        """How many items there are."""
        runner = self._runner(atom)
        if runner is None:
            return builder.apply(len, atom, fact=INT)
        if runner.fn is not zip:
            return self._length(runner.args[0], builder)
        lengths = [self._length(a, builder) for a in runner.args]
        if len(lengths) == 1:
            return lengths[0]
        strict = dict(runner.kwargs).get("strict")
        if strict is not None and strict != Const(False):
            self._check_lengths(lengths, builder)
            return lengths[0]
        return builder.apply(builtins.min, *lengths, fact=INT)

    def _check_lengths(self, lengths: list[Atom], builder: Builder) -> None:
        """Raise what `zip(..., strict=True)` raises where lengths differ."""
        for k, length in enumerate(lengths[1:], 2):
            test = builder.apply(operator.ne, length, lengths[0], fact=BOOL)
            inner = builder.nested()
            message = f"zip() argument {k} is of another length than argument 1"
            error = inner.apply(ValueError, Const(message), fact=UNKNOWN)
            inner.ops.append(Raise(error, builder.origin))
            builder.ops.append(
                If(test, inner.block(), Block(()), origin=builder.origin)
            )

    def _bind(
        self,
        targets: tuple[Var, ...],
        atom: Atom,
        position: Atom,
        n: Atom,
        body: Builder,
    ) -> None:
        """Give the targets the items at a position, of `n`."""
        runner = self._runner(atom)
        if runner is not None and runner.fn is reversed:
            last = body.apply(operator.sub, n, Const(1), fact=INT)
            place = body.apply(operator.sub, last, position, fact=INT)
            self._bind(targets, runner.args[0], place, n, body)
        elif runner is None and len(targets) == 1:
            body.ops.append(_item(targets[0], atom, (position,), body))
        elif runner is None and fact_of_end(atom).may_be_array:
            for k, target in enumerate(targets):
                body.ops.append(_item(target, atom, (position, Const(k)), body))
        elif runner is None:
            item = body.apply(operator.getitem, atom, position)
            for k, target in enumerate(targets):
                body.ops.append(_item(target, item, (Const(k),), body))
        else:
            parts: list[Atom | _Count] = list(runner.args)
            if runner.fn is enumerate:
                start = dict(runner.kwargs).get("start", Const(0))
                start = runner.args[1] if len(runner.args) > 1 else start
                parts = [_Count(start), runner.args[0]]
            inner = targets
            if len(targets) == 1:
                inner = tuple(
                    Var(self.names.fresh("t"), f)
                    for f in targets[0].fact.items or (UNKNOWN,) * len(parts)
                )
            for target, part in zip(inner, parts, strict=True):
                if isinstance(part, _Count):
                    _counted(target, part.start, position, body)
                else:
                    self._bind((target,), part, position, self._n(part, body), body)
            if len(targets) == 1:
                known = [v.fact for v in inner]
                fact = Fact("tuple", items=tuple(known), cls=tuple)
                out = replace(targets[0], fact=fact)
                origin = body.origin
                body.ops.append(Apply(out, build_tuple, inner, (), "build", "", origin))

    def _n(self, part: Atom, body: Builder) -> Atom:
        """The length of what is run through backwards; else of no matter."""
        runner = self._runner(part)
        if runner is None or runner.fn is not reversed:
            return Const(0)
        return self._length(part, body)


@dataclass(frozen=True, slots=True)
class _Count:
    """The numbers that `enumerate` gives, from a start on."""

    start: Atom


def _counted(target: Var, start: Atom, position: Atom, body: Builder) -> None:
    """The number of an iteration."""
    if target == position:
        return
    args = (position,) if start == Const(0) else (position, start)
    fn = operator.add if len(args) == 2 else operator.pos
    body.ops.append(Apply(target, fn, args, (), "operator", "", body.origin))


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
