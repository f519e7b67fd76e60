"""A reverse sweep in place -> the same, with one sum for what it adds to one place.

    du[1:, 1:-1] += a                      du[:-1] -= b
    du[:-1] -= b               ->          du[1:, 1:-1] += a + c
    du[1:, 1:-1] += c

    dp += dp_4                             dp += dp_4 + dp_3
    dp += dp_3

The first sum joins the second. What it adds is a name, or for a slice a product of two,
and nothing that stands between reads the variable or writes into what is added. Longer
formulas stay apart, each with the line of the user's that it belongs to; those of one
line are joined.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.rewrites.algebra_rewrites import number, tidy_number
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.gathered_sums import summed
from yota_ast.analysis.points_to import PointsTo, written_by
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import place_of, read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Simple,
    Store,
    atoms_of,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.support.passes import enabled
from yota_ast.syntax.names import is_weak

_SHORT = {"at": 2, "whole": 1}
"""How many names and numbers a term has that is added together with another: to a place
of an array, to all of a variable."""
_LONGEST = 8
"""How many there are in a sum of such terms."""


def with_merged_updates(
    back: Block, results: Iterable[Atom], infer: Infer, names: Names, ahead: Block
) -> Block:
    """The sweep, with such sums merged. results: what is read after it; ahead: the
    forward sweep."""
    if not enabled("joined"):
        return back
    ends = tuple(results)
    reads = read_counts(back, ends)
    zeros = {
        o.out.name for o in only(walk(back), Apply) if o.fn in (np.zeros_like, np.zeros)
    }
    merging = _Merging(infer, names, reads, PointsTo(ahead, back), frozenset(zeros))
    merged = merging.block(back)
    return back if merged is back else without_dead(merged, ends)


def _names(atoms: Iterable[Atom | Undefined]) -> Iterator[str]:
    return (a.name for a in atoms if isinstance(a, Var))


@dataclass(frozen=True, slots=True)
class _Update:
    """An op that adds a value to a place of a variable, or takes it off.

    place: an index, or that it is all of it. starts: the place holds zeros before.
    """

    out: Var
    target: Var
    place: tuple[str, Atom | None]
    plus: bool
    value: Atom
    starts: bool = False


_UpdateOf = Callable[[Op], _Update | None]


@dataclass(frozen=True, slots=True)
class _Known:
    """The ops of a block so far: what makes each value, and what adds to each."""

    made: dict[str, Apply] = field(default_factory=dict)
    updates: dict[str, tuple[Op, _Update]] = field(default_factory=dict)

    def note(
        self, ops: Sequence[Op], update_of: Callable[[Op], _Update | None]
    ) -> None:
        """Take over ops, or what they have become."""
        self.made.update({op.out.name: op for op in only(ops, Apply)})
        for op in ops:
            if update := update_of(op):
                self.updates[update.out.name] = op, update


@dataclass(frozen=True, slots=True)
class _Merging:
    infer: Infer
    names: Names
    reads: Counter[str]
    points: PointsTo
    zeros: frozenset[str]
    """The arrays that are zeros: to put something into one is to add it."""

    def block(self, block: Block) -> Block:
        """A block, and those within, with sums merged."""
        ops, known = [map_blocks(op, self.block) for op in block], _Known()
        k = 0
        while k < len(ops):
            first, update = k, self._update(ops[k])
            before = self._before(update, known) if update is not None else None
            if update is not None and before is not None:
                first = next(j for j in range(k - 1, -1, -1) if before == ops[j])
                between = ops[first + 1 : k]
                at_once = before.origin.place == ops[k].origin.place
                goes_on = self._keeps_its_name(before, ops[first + 1 : k + 1])
                same = self._are_read_later(before, update, ops[:k], known)
                if (
                    goes_on
                    and same
                    and self._may_join(before, update, between, known, at_once=at_once)
                ):
                    k += self._merge(ops, first, update, k, known) - 1
            known.note(ops[first : k + 1], self._update)
            k += 1
        return of_ops(block, tuple(ops))

    def _update(self, op: Op) -> _Update | None:
        """What an op of the sweep adds to which place, if it does no more."""
        if not op.origin.reverse:  # the function's own, done again
            return None
        match op:
            case Store():
                starts = op.change == PUT and op.target.name in self.zeros
                sums = starts or op.change in (ADD, SUBTRACT)
                if not sums or op.target.fact.kind != "array":
                    return None
                plus, place = op.change != SUBTRACT, ("at", op.index)
                return _Update(op.out, op.target, place, plus, op.value, starts)
            case Apply():
                if op.form != "augmented" or op.fn not in (operator.add, operator.sub):
                    return None
                start, value = op.args
                known = op.out.fact
                if not isinstance(start, Var) or start.hint != op.out.hint:
                    return None
                if known.kind != "array" and not known.is_scalar:
                    return None
                plus = op.fn is operator.add
                return _Update(op.out, start, ("whole", None), plus, value)
            case Simple() | Compound():
                return None
            case _:
                assert_never(op)

    def _same_place(self, one: _Update, other: _Update, known: _Known) -> bool:
        """Whether two sums add to one place: to all, or by indices that are alike."""
        (kind, index), (kind_of_other, index_of_other) = one.place, other.place
        alike = _written(index, known.made) == _written(index_of_other, known.made)
        return kind == kind_of_other and alike

    def _before(self, update: _Update, known: _Known) -> Op | None:
        """The sum before that adds to the same place, where nothing else reads what
        those between make."""
        target = update.target
        while target.name in known.updates and self.reads[target.name] == 1:
            op, other = known.updates[target.name]
            if self._same_place(update, other, known):
                return op
            target = other.target
        return None

    def _keeps_its_name(self, before: Op, following: Sequence[Op]) -> bool:
        """Whether what follows a sum may go on from what the sum began with: a sum of
        all goes on under its own name alone."""
        one = self._update(before)
        assert one is not None
        op = next(op for op in following if one.out in atoms_of(op))
        return not isinstance(op, Apply) or one.target.hint == op.out.hint

    def _are_read_later(
        self, before: Op, update: _Update, ops: Sequence[Op], known: _Known
    ) -> bool:
        """Whether what two values are made of is the same behind some ops: of a
        product, and of a number with its sign changed, the parts are read there."""
        one = self._update(before)
        assert one is not None
        for value in (one.value, update.value):
            for op in self._parts_of(value, known.made):
                made = place_of(op, ops)
                assert made is not None
                between = [o for o in ops[made + 1 :] if o is not before]
                if not self._may_wait(op.args, between):
                    return False
        return True

    def _parts_of(self, value: Atom, made: Mapping[str, Apply]) -> Iterator[Apply]:
        """The ops of a value that may be taken apart: those that its sign stands in."""
        while isinstance(value, Var) and is_weak(value.hint):
            op = made.get(value.name)
            if op is None or op.fn not in (
                operator.neg,
                operator.mul,
                operator.truediv,
            ):
                return
            yield op
            value = op.args[0]

    def _may_join(
        self,
        before: Op,
        update: _Update,
        between: Sequence[Op],
        known: _Known,
        *,
        at_once: bool,
    ) -> bool:
        """Whether a sum may be made where a later one is: both are short, and what it
        adds is the same there. at_once: one line of the user's is reversed by both."""
        most = _LONGEST if at_once else _SHORT[update.place[0]]
        other = self._update(before)
        assert other is not None
        terms, others = (
            self._terms(u.value, known.made, most) for u in (update, other)
        )
        few = bool(terms and others) and len(others) + len(terms) <= _LONGEST
        return few and self._may_wait(others, between)

    def _terms(self, value: Atom, made: Mapping[str, Apply], most: int) -> list[Atom]:
        """What a short value is made of as the text writes it; [] of a long one, of
        which a term has more than the most."""
        if not isinstance(value, Var) or not is_weak(value.hint):
            return [value]
        op = made.get(value.name) if self.reads[value.name] == 1 else None
        if op is None or op.fn is operator.getitem:
            return [value]
        is_product = op.fn in (operator.mul, operator.truediv, operator.neg)
        if not is_product and op.fn not in (operator.add, operator.sub):
            return []
        parts = [self._terms(a, made, most) for a in op.args]
        found = [a for part in parts for a in part]
        long = is_product and len(found) > most
        return found if all(parts) and not long else []

    def _signed(self, update: _Update, made: Mapping[str, Apply]) -> tuple[bool, Atom]:
        """Whether a value is added, and the value, without a minus sign of its own."""
        value = update.value
        op = made.get(value.name) if isinstance(value, Var) else None
        bare = op is not None and op.fn is operator.neg and is_weak(op.out.hint)
        if op is None or not bare or self.reads[op.out.name] > 1:
            return update.plus, value
        return not update.plus, op.args[0]

    def _turned(
        self, value: Atom, made: Mapping[str, Apply], builder: Builder
    ) -> Atom | None:
        """A product that begins with a negative number, with its sign changed."""
        op = made.get(value.name) if isinstance(value, Var) else None
        if op is None or not is_weak(op.out.hint) or self.reads[op.out.name] > 1:
            return None
        if op.fn not in (operator.mul, operator.truediv):
            return None
        first, n = op.args[0], number(op.args[0])
        if n is None:
            turned = self._turned(first, made, builder)
        else:
            turned = tidy_number(-n) if n < 0 else None
        return None if turned is None else builder.apply(op.fn, turned, op.args[1])

    def _may_wait(self, terms: Sequence[Atom], between: Sequence[Op]) -> bool:
        """Whether values are the same after some ops."""
        held = [a for a in terms if isinstance(a, Var) and not a.fact.is_immutable]
        memory = frozenset[str]().union(*map(self.points.memory, held))
        inner = [*walk(Block(tuple(between)))]
        targets = [t for op in inner if (t := written_by(op)) is not None]
        effects = any(op.effect for op in only(inner, Apply))
        return not effects and all(
            memory.isdisjoint(self.points.memory(t)) for t in targets
        )

    def _merge(
        self, ops: list[Op], first: int, update: _Update, last: int, known: _Known
    ) -> int:
        """Add what one op adds by a later one, and return how many ops there are more
        in front of that."""
        one = self._update(ops[first])
        assert one is not None
        builder = Builder(self.infer, self.names, ops[last].origin)
        pair = [self._signed(u, known.made) for u in (one, update)]
        plus, term = pair[1]
        if (turned := self._turned(term, known.made, builder)) is not None:
            pair[1] = not plus, turned
        (one_plus, one_term), (plus, term) = pair
        if one_plus is plus and _are_written_alike(one_term, term, known.made):
            total = _twice(term, known.made, builder)
        else:
            plus, total = summed(pair, builder)
        self.reads.subtract(_names((one.value, update.value)))
        self.reads.update(_names((total,)))
        self.reads.update(_names(a for op in builder.ops for a in atoms_of(op)))
        ops[last] = _changed(ops[last], update.target, plus, total)
        following = first + 1
        while one.out not in atoms_of(ops[following]):
            following += 1
        after = self._update(ops[following])
        assert after is not None
        ops[following] = _changed(
            ops[following], one.target, after.plus, after.value, starts=one.starts
        )
        ops[last:last] = builder.ops
        del ops[first], known.updates[one.out.name]
        return len(builder.ops)


def _are_written_alike(one: Atom, other: Atom, made: Mapping[str, Apply]) -> bool:
    """Say whether two products are of the same variables, items and parts."""
    if one == other or isinstance(one, Const) or isinstance(other, Const):
        return one == other
    first, second = made.get(one.name), made.get(other.name)
    if first is None or second is None or first.fn is not second.fn:
        return False
    if first.fn is operator.getitem:
        alike = _written(first.args[1], made) == _written(second.args[1], made)
        return alike and first.args[0] == second.args[0]
    weak = is_weak(first.out.hint) and is_weak(second.out.hint)
    if first.fn is not operator.mul or not weak:
        return False
    pairs = zip(first.args, second.args, strict=True)
    return all(_are_written_alike(a, b, made) for a, b in pairs)


def _twice(value: Atom, made: Mapping[str, Apply], builder: Builder) -> Atom:
    """Twice a value, of a product the first factor."""
    op = made.get(value.name) if isinstance(value, Var) else None
    if op is None or op.fn is not operator.mul:
        return builder.apply(operator.mul, Const(2), value)
    first = _twice(op.args[0], made, builder)
    return builder.apply(operator.mul, first, *op.args[1:])


def _written(index: Atom | None, made: Mapping[str, Apply]) -> object:
    """An index as it is written: `[:, k]` is made anew at each place."""
    op = made.get(index.name) if isinstance(index, Var) else None
    if op is None or op.fn not in (build_tuple, build_slice):
        return index
    return (op.fn, *(_written(a, made) for a in op.args))


def _changed(
    op: Op, target: Var, plus: bool, value: Atom, *, starts: bool = False
) -> Op:
    """An op that adds a value to a variable, or takes it off; starts: its zeros."""
    match op:
        case Store():
            change = (PUT if starts else ADD) if plus else SUBTRACT
            return replace(op, target=target, value=value, change=change)
        case Apply():
            fn = operator.add if plus else operator.sub
            return replace(op, fn=fn, args=(target, value))
        case Simple() | Compound():
            return op
        case _:
            assert_never(op)
