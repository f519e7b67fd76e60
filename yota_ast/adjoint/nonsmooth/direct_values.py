"""A sweep with marks, and that of the direct call -> one with the values of the latter.

A mark keeps products apart that are one product in the direct call, whose last digits
are others then. Both sweeps are made and tidied; what they have in common is there
once, and what a block hands on is `valued(direct, marked)`: the value of the one with
the derivative of the other.

    d = bent(dy * C, x)      d = bent(dy * C, x)
    dx = 0.3 * (d * s)       dx = valued(0.3 * dy * C * s, 0.3 * (d * s))

In: two blocks, and what is read after each.  Out: one, and what is read after it. Where
they differ in more than such values, it is that with the marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never, cast

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.rewrites.common_values import identity, likeness
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.rewrite_engine import LITERALS
from yota_ast.analysis.activity import makes_iterator
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    Origin,
    Outlined,
    Raise,
    Simple,
    Store,
    Try,
    While,
    With,
    walk,
)
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.ops.result_kinds import allocates
from yota_ast.rules.notation.rule import BOOK
from yota_ast.runtime import valued

End = Atom | Undefined
Ends = Mapping[str, Atom]


def has_marks(block: Block) -> bool:
    """Return whether something is marked in a block."""
    return any(isinstance(op, Apply) and info(op.fn).marks for op in walk(block))


def with_direct_values(
    marked: tuple[Block, Ends], direct: tuple[Block, Ends], infer: Infer, names: Names
) -> tuple[Block, dict[str, Atom]]:
    """Return the block with marks and what is read after it, by the same names, with
    the values of the direct one."""
    (block, ends), (other, others) = marked, direct
    if ends.keys() != others.keys():
        return block, dict(ends)
    worker = _Both(Builder(infer, names))
    try:
        pairs = [(others[name], ends[name]) for name in ends]
        made, found = worker.block(other, block, pairs)
    except _UnlikeError:
        return block, dict(ends)
    return without_dead(made, found), dict(zip(ends, found, strict=True))  # type: ignore[arg-type]


class _UnlikeError(Exception):
    """Two sweeps differ in more than values."""


def _check(alike: object) -> None:
    if not alike:
        raise _UnlikeError


@dataclass(slots=True)
class _Both:
    """Goes over two sweeps side by side. The names in what is made are those of the
    direct one; known: what stands for the variables of the other. bare: of those, what
    has the same value in the direct one."""

    builder: Builder
    known: dict[str, Atom] = field(default_factory=dict)
    bare: dict[str, Atom] = field(default_factory=dict)
    made: dict[str, Apply] = field(default_factory=dict)
    """The ops since memory was written last."""
    paired: dict[tuple[object, object, bool], Atom] = field(default_factory=dict)
    """What has been made of two values since then."""

    # ------------------------------------------------------------ blocks

    def block(
        self, direct: Block, marked: Block, ends: Sequence[tuple[End, End]] = ()
    ) -> tuple[Block, list[End]]:
        """Return one block of two, and what it hands on."""
        outer, self.builder = self.builder, self.builder.nested()
        sides = [list(_parts(block)) for block in (direct, marked)]
        _check(len(sides[0]) == len(sides[1]))
        for (own, last), (others, other) in zip(*sides, strict=True):
            self._plain(own, others)
            if last is not None and other is not None:
                self.builder.origin = last.origin
                self.builder.ops.append(self._op(last, other))
                self.made, self.paired = {}, {}
        found = [self._pair(*pair) for pair in ends]
        made, self.builder = self.builder.block(), outer
        return made, found

    def _plain(self, own: Sequence[Apply], others: Sequence[Apply]) -> None:
        """Add the ops of both, those that are alike once."""
        table = dict[object, list[Var]]()
        self.made, self.paired = {op.out.name: op for op in own}, {}
        for op in own:
            self.builder.ops.append(op)
            table.setdefault(likeness(op.fn, op.args, op.kwargs), []).append(op.out)
        for op in others:
            args = [self._atom(a) for a in op.args]
            kwargs = [(k, self._atom(a)) for k, a in op.kwargs]
            found = _taken(table, op, likeness(op.fn, args, kwargs))
            if found is not None:
                self.known[op.out.name] = found
                continue
            out = self._added(replace(op, args=tuple(args), kwargs=tuple(kwargs)))
            if info(op.fn).marks:
                self.bare[out.name] = self._bare(args[0])
                continue
            args = [self._bare(a) for a in args]
            kwargs = [(k, self._bare(a)) for k, a in kwargs]
            found = _taken(table, op, likeness(op.fn, args, kwargs))
            if found is not None:
                self.bare[out.name] = found

    def _added(self, op: Apply) -> Var:
        """Add an op of the sweep with marks, of another name than that of any other."""
        names = self.builder.names
        out = replace(op.out, name=names.fresh(op.out.name))
        self.known[op.out.name] = out
        self.made[out.name] = op = replace(op, out=out)
        self.builder.ops.append(op)
        return out

    # ------------------------------------------------------------ what ends a part

    def _op(self, own: Op, other: Op) -> Op:
        """Return one op of two that stand in the same place."""
        _check(type(own) is type(other))
        match own:
            case Apply():
                return self._applied(own, cast("Apply", other))
            case Store():
                return self._stored(own, cast("Store", other))
            case If():
                return self._branch(own, cast("If", other))
            case For():
                return self._for(own, cast("For", other))
            case While():
                return self._while(own, cast("While", other))
            case With():
                return self._within(own, cast("With", other))
            case Raise():
                return self._raised(own, cast("Raise", other))
            case Simple() | Try():
                _check(own == other)
                return own
            case _:
                assert_never(own)

    def _applied(self, own: Apply, other: Apply) -> Op:
        _check(own.fn == other.fn and len(own.args) == len(other.args))
        names = [k for k, _ in own.kwargs]
        _check(names == [k for k, _ in other.kwargs])
        if own.effect or own.form == "augmented":  # it may write into what it is given
            self._same(own.args, other.args)
        args = [self._given(*pair) for pair in zip(own.args, other.args, strict=True)]
        values = zip(own.kwargs, other.kwargs, strict=True)
        kwargs = tuple((k, self._given(a, b)) for (k, a), (_, b) in values)
        self.known[other.out.name] = own.out
        return replace(own, args=tuple(args), kwargs=kwargs)

    def _raised(self, own: Raise, other: Raise) -> Op:
        self._same((own.exc,), (other.exc,))
        return own

    def _stored(self, own: Store, other: Store) -> Op:
        _check(own.change == other.change)
        self._same((own.target, own.index), (other.target, other.index))
        self.known[other.out.name] = own.out
        return replace(own, value=self._given(own.value, other.value))

    def _branch(self, own: If, other: If) -> Op:
        self._same((own.test,), (other.test,))
        _check(len(own.merges) == len(other.merges))
        pairs = list(zip(own.merges, other.merges, strict=True))
        ends = [(a.then, b.then) for a, b in pairs]
        then, firsts = self.block(own.then, other.then, ends)
        ends = [(a.orelse, b.orelse) for a, b in pairs]
        orelse, seconds = self.block(own.orelse, other.orelse, ends)
        self.known |= {b.out.name: a.out for a, b in pairs}
        outs = [m.out for m in own.merges]
        merges = map(Merge, outs, firsts, seconds)
        return replace(own, then=then, orelse=orelse, merges=tuple(merges))

    def _for(self, own: For, other: For) -> Op:
        inits = self._inits(own, other)
        self._same((own.iterable,), (other.iterable,))
        self._stand(other.targets, own.targets)
        return self._loop(own, other, inits)

    def _while(self, own: While, other: While) -> Op:
        inits = self._inits(own, other)
        cond, _ = self.block(own.cond, other.cond)
        self._same((own.test,), (other.test,))
        return self._loop(replace(own, cond=cond), other, inits)

    def _inits(self, own: For | While, other: For | While) -> list[End]:
        _check(len(own.carries) == len(other.carries))
        pairs = list(zip(own.carries, other.carries, strict=True))
        inits = [self._pair(a.init, b.init) for a, b in pairs]
        self.known |= {b.inside.name: a.inside for a, b in pairs}
        return inits

    def _loop(
        self, own: For | While, other: For | While, inits: Sequence[End]
    ) -> For | While:
        """Return one loop of two, from its body on."""
        pairs = list(zip(own.carries, other.carries, strict=True))
        ends = [(a.next, b.next) for a, b in pairs]
        body, following = self.block(own.body, other.body, ends)
        self._same(_read_after(own), _read_after(other))
        self.known |= {b.out.name: a.out for a, b in pairs}
        self._stand(_stacks(other), _stacks(own))
        carries = tuple(
            Carry(c.out, init, c.inside, end)
            for c, init, end in zip(own.carries, inits, following, strict=True)
        )
        return replace(own, body=body, carries=carries)

    def _within(self, own: With, other: With) -> Op:
        self._same((own.context,), (other.context,))
        body, _ = self.block(own.body, other.body)
        return replace(own, body=body)

    # ------------------------------------------------------------ atoms

    def _stand(self, others: Sequence[Var], own: Sequence[Var]) -> None:
        _check(len(others) == len(own))
        self.known |= {b.name: a for a, b in zip(own, others, strict=True)}

    def _same(self, own: Sequence[Atom], others: Sequence[Atom]) -> None:
        """Go on if these are one another's, unmarked."""
        _check(len(own) == len(others))
        for a, b in zip(own, others, strict=True):
            _check(identity(a) == identity(self._atom(b)))

    def _given(self, own: Atom, other: Atom) -> Atom:
        found = self._pair(own, other)
        assert not isinstance(found, Undefined)
        return found

    def _pair(self, own: End, other: End) -> End:
        """Return the value of the one with the derivative of the other."""
        if isinstance(own, Undefined) or isinstance(other, Undefined):
            _check(own == other)
            return own
        return self._valued(own, self._atom(other))

    def _valued(self, own: Atom, other: Atom, *, alone: bool = True) -> Atom:
        """Return the same of atoms of what is made here. A constant has no slope, its
        value may have. alone: whether the two are one number, not terms of sums that
        are."""
        if not self._differ(own, other):
            return other
        if isinstance(own, Const) and isinstance(other, Const):
            return own
        key = (identity(own), identity(other), alone)
        if key not in self.paired:
            both = self._together(own, other, alone=alone)
            self.paired[key] = both or self._beside(own, other)
        return self.paired[key]

    def _beside(self, own: Atom, other: Atom) -> Var:
        """Return the value of the one with the derivative of the other, as an op."""
        _check(_are_alike(own, other))
        hint = own.hint if isinstance(own, Var) else None
        maker = self._maker(own) or self._maker(other)
        self.builder.origin = Origin(reverse=True) if maker is None else maker.origin
        return self.builder.apply(valued, own, other, hint=hint, fact=fact_of_atom(own))

    def _together(self, own: Atom, other: Atom, *, alone: bool) -> Var | None:
        """Return the sum of the terms of both, and of anything that is linear in what
        alone is not the same: so a sum goes on from where it went on. The terms may
        stand in another order: a factor of one is none of the other."""
        one, two = self._maker(own), self._maker(other)
        if one is None or two is None or one.fn != two.fn:
            return None
        if one.kwargs != two.kwargs or len(one.args) != len(two.args):
            return None
        pairs = list(zip(one.args, two.args, strict=True))
        unlike = [k for k, pair in enumerate(pairs) if self._differ(*pair)]
        if not all(_are_alike(*pairs[k]) for k in unlike):
            return None
        summed = operated(one.fn) in TERMS
        if not summed and not _is_linear(one, unlike, scaled=alone):
            return None
        within = alone and not summed
        args = tuple(self._valued(a, b, alone=within) for a, b in pairs)
        out = replace(one.out, name=self.builder.names.fresh(one.out.name))
        self.builder.ops.append(replace(one, out=out, args=args))
        return out

    def _differ(self, own: Atom, other: Atom) -> bool:
        """Return whether two atoms are not the same number, marked or not."""
        return identity(self._bare(other)) != identity(own)

    def _maker(self, atom: Atom) -> Apply | None:
        op = self.made.get(atom.name) if isinstance(atom, Var) else None
        return None if op is None or _is_new(op) else op

    def _atom(self, atom: Atom) -> Atom:
        """Return what stands for an atom of the sweep with marks."""
        return self.known.get(atom.name, atom) if isinstance(atom, Var) else atom

    def _bare(self, atom: Atom) -> Atom:
        return self.bare.get(atom.name, atom) if isinstance(atom, Var) else atom


def _are_alike(one: Atom, other: Atom) -> bool:
    """Return whether two values are numbers, or arrays of one shape."""
    facts = fact_of_atom(one), fact_of_atom(other)
    p, q = (fact.shape if fact.is_numeric else None for fact in facts)
    if not isinstance(p, tuple) or not isinstance(q, tuple) or len(p) != len(q):
        return False
    return all(map(_are_of_one_length, p, q))


def _are_of_one_length(p: Dim | None, q: Dim | None) -> bool:
    """Return whether neither axis is spread along the other: both belong to what is
    the same but for rounding."""
    return p == q or (p is not None and q is not None and p.size == q.size)


def _is_linear(op: Apply, places: Sequence[int], *, scaled: bool) -> bool:
    """Return whether an op is linear in one of its arguments, which is the only one of
    some. scaled: whether the others may be values that vary."""
    if len(places) != 1:
        return False
    if not scaled and not all(isinstance(a, Const) for a in _others(op, places[0])):
        return False
    bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
    if bound is None:
        return False
    given = op.args[places[0]]
    names = [name for name, value in bound.arguments.items() if value == given]
    return len(names) == 1 and names[0] in bound.rule.linear


def _others(op: Apply, place: int) -> list[Atom]:
    """Return the arguments of an op but one."""
    return [*op.args[:place], *op.args[place + 1 :], *(a for _, a in op.kwargs)]


def _taken(table: Mapping[object, list[Var]], op: Apply, key: object) -> Var | None:
    """Return what an op like another gives: that of the same name, if there is one.
    New memory stands for one other alone."""
    found = table.get(key)
    if not found:
        return None
    places = [k for k, v in enumerate(found) if v.name == op.out.name]
    place = places[0] if places else 0
    return found.pop(place) if _is_new(op) else found[place]


def _is_new(op: Apply) -> bool:
    return allocates(op.fn) or op.fn in LITERALS or makes_iterator(op.fn)


def _parts(block: Block) -> Iterator[tuple[list[Apply], Op | None]]:
    """Yield the pure ops of a block up to each op that is none, and that op."""
    plain = list[Apply]()
    for op in block:
        if isinstance(op, Apply) and not _ends_part(op):
            plain.append(op)
        else:
            yield plain, op
            plain = []
    yield plain, None


def _ends_part(op: Apply) -> bool:
    return op.effect or op.form == "augmented" or isinstance(op.fn, Outlined)


def _read_after(op: For | While) -> tuple[Atom, ...]:
    """Return what is read at the end of a pass."""
    stop = () if op.stop is None else (op.stop,)
    return (*stop, *op.saved)


def _stacks(op: For | While) -> tuple[Var, ...]:
    return () if op.stack is None else (op.stack,)
