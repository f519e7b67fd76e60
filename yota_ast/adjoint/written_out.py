"""A reverse sweep in place -> the same, where a short array is written as a whole.

New zeros that get a number in each cell are the array of these numbers:

    dp = np.zeros_like(p)
    dp[1] = db                   dp = np.array([da, db], p.dtype)
    dp[0] = da

In: the block of a reverse sweep, and the forward sweep before it.  Out: the block. It
takes arrays of one axis of which the length is certain: that of a list in the text, or
that which `a, b = p` has found.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from ..build import Builder, Infer, Names
from ..facts import NUMBERS, Fact
from ..records import dataclass, field, replace
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    For,
    If,
    Op,
    Store,
    Undefined,
    Var,
    With,
    build_list,
)
from .floating import Sources, makers_in
from .gathering import summed
from .rewrite import Assumptions
from .views import Reads

_LONGEST = 6
"""How many cells are written in one line."""
_SEVERAL = 4
"""How many stores have to go for the sake of a check."""


def with_wholes(
    block: Block, infer: Infer, names: Names, ahead: Block, assumed: Assumptions
) -> Block:
    """The block; `ahead` is the forward sweep, run before it. assumed: what the text
    asks of its arguments, which is more afterwards.

    Where the length rests on numbers being no arrays, as that of `np.array([a, b])`,
    and nothing else does, this is done for the sake of several lines.
    """
    lengths = _unpacked(ahead)
    makers = makers_in(ahead, block)
    worker = _Wholes(infer, names, lengths, makers)
    made = worker.block(block, lengths)
    if worker.gone < _SEVERAL:
        worker = _Wholes(infer, names, lengths, makers, assumed.single)
        made = worker.block(block, lengths)
    assumed.shapes |= worker.gone > 0
    assumed.single |= worker.numbers
    return made if worker.gone else block


def _numbers_behind(makers: Mapping[str, Sequence[Sources]], var: Var) -> set[str]:
    """The numbers that an array is made of, by their names."""
    seen: dict[str, Var] = {}
    todo: list[Atom | Undefined] = [var]
    while todo:
        atom = todo.pop()
        if isinstance(atom, Var) and atom.name not in seen:
            seen[atom.name] = atom
            for source in makers.get(atom.name, ()):
                todo += source.args if isinstance(source, Apply) else source
    return {n for n, v in seen.items() if n not in makers and v.fact.kind in NUMBERS}


def _unpacked(ahead: Block) -> dict[str, int]:
    """How long the arrays are that the forward sweep takes apart in any case."""
    found: dict[str, int] = {}
    for op in ahead:
        if isinstance(op, Apply) and op.form == "unpack" and op.spelling:
            whole, index = op.args
            plain = isinstance(index, Const) and type(index.value) is int
            if isinstance(whole, Var) and plain and whole.fact.rank == 1:
                found[whole.name] = int(op.spelling)
    return found


@dataclass(slots=True)
class _Whole:
    """New zeros, and what is put into their cells."""

    made: Apply
    count: int
    name: str
    last: int
    """The place of the last store."""
    cells: dict[int, list[tuple[bool, Atom]]] = field(default_factory=dict)
    stores: list[int] = field(default_factory=list)

    def take(self, place: int, op: Store) -> bool:
        """Note a store; False: it is none of a number into a cell."""
        cell = op.index.value if isinstance(op.index, Const) else None
        if type(cell) is not int or not 0 <= cell < self.count:
            return False
        if op.augment not in ("", "+", "-") or not _is_number(op.value):
            return False
        if not op.augment:
            self.cells[cell] = []
        self.cells.setdefault(cell, []).append((op.augment != "-", op.value))
        self.name, self.last = op.out.name, place
        self.stores.append(place)
        return True


@dataclass(slots=True)
class _Wholes:
    infer: Infer
    names: Names
    lengths: Mapping[str, int]
    makers: Mapping[str, Sequence[Sources]]
    asked: frozenset[str] | None = None
    """The numbers of which a length may rest; None: on any."""
    reads: Reads = field(default_factory=Reads)
    gone: int = 0
    """How many stores are gone."""
    numbers: set[str] = field(default_factory=set)
    """The numbers that lengths rest on."""

    def block(self, block: Block, lengths: Mapping[str, int]) -> Block:
        """lengths: of the arrays that are taken apart before this block in any case."""
        ops = block.ops
        wholes = [w for k in range(len(ops)) if (w := self.whole(ops, k, lengths))]
        by_last = {w.last: w for w in wholes}
        self.gone += sum(len(w.stores) for w in wholes)
        self.numbers |= {n for w in wholes for n in self.resting_on(w.made)}
        gone = {p for w in wholes for p in w.stores} | {
            k for k, op in enumerate(ops) if any(op is w.made for w in wholes)
        }
        builder = Builder(self.infer, self.names)
        for k, op in enumerate(ops):
            if k in by_last:
                self.put(by_last[k], op, builder)
            elif k not in gone:
                builder.ops.append(self.within(op))
        return builder.block()

    def within(self, op: Op) -> Op:
        if isinstance(op, If):
            then, orelse = self.block(op.then, {}), self.block(op.orelse, {})
            return replace(op, then=then, orelse=orelse)
        if isinstance(op, (For, With)):
            return replace(op, body=self.block(op.body, {}))
        return op

    def whole(
        self, ops: tuple[Op, ...], at: int, lengths: Mapping[str, int]
    ) -> _Whole | None:
        """What is put into the zeros made at a place, until something reads them."""
        made = ops[at]
        count = _count(made, lengths)
        if not isinstance(made, Apply) or count is None:
            return None
        found = _Whole(made, count, made.out.name, at)
        for k in range(at + 1, len(ops)):
            op = ops[k]
            if isinstance(op, Store) and op.target.name == found.name:
                if found.name in self.reads.by(replace(op, target=_OTHER)):
                    break
                if not found.take(k, op):
                    break
            elif found.name in self.reads.by(op):
                break
        if 2 * len(found.cells) < count:
            return None
        if self.asked is not None and not self.resting_on(made) <= self.asked:
            return None
        return found

    def resting_on(self, made: Apply) -> set[str]:
        """The numbers that the length of new zeros rests on."""
        like = made.args[0]
        assert isinstance(like, Var)
        if like.name in self.lengths and self.is_given(like):
            return set()
        return _numbers_behind(self.makers, like)

    def is_given(self, var: Var) -> bool:
        """Whether a variable is an argument, or a part of one."""
        return var.name not in self.makers

    def put(self, whole: _Whole, last: Op, builder: Builder) -> None:
        """Add the array, under the name of what the last store has made of it."""
        assert isinstance(last, Store)
        builder.origin = last.origin
        items = [_sum(whole.cells.get(k, []), builder) for k in range(whole.count)]
        listed = builder.apply(build_list, *items, form="build")
        args: tuple[Atom, ...] = (listed,)
        like = whole.made.args[0]
        if isinstance(like, Var) and like.name in self.lengths and self.is_given(like):
            args = (listed, _dtype_of(like, builder))
        hint = last.out.hint or whole.made.out.hint
        out = replace(last.out, hint=hint)
        builder.ops.append(Apply(out, np.array, args, origin=last.origin))


_OTHER = Var("")


def _count(op: Op, lengths: Mapping[str, int]) -> int | None:
    """How many cells new zeros have, where that is certain and they are few."""
    if not isinstance(op, Apply) or op.fn is not np.zeros_like or op.kwargs:
        return None
    like = op.args[0]
    if len(op.args) != 1 or not isinstance(like, Var) or not _is_vector(like.fact):
        return None
    count = lengths.get(like.name)
    if count is None and isinstance(like.fact.shape, tuple):
        (dim,) = like.fact.shape
        count = None if dim is None or dim.base else dim.offset
    return count if count is not None and 0 < count <= _LONGEST else None


def _dtype_of(var: Var, builder: Builder) -> Var:
    name, dtype = Const("dtype"), Fact("other", cls=np.dtype)
    return builder.apply(
        getattr, var, name, form="attribute", spelling="dtype", fact=dtype
    )


def _is_vector(fact: Fact) -> bool:
    real = fact.dtype is not None and fact.dtype.kind == "f"
    return fact.kind == "array" and fact.rank == 1 and real


def _is_number(atom: Atom) -> bool:
    """Whether what is put into a cell is a real number."""
    if isinstance(atom, Const):
        return type(atom.value) is float
    known = atom.fact
    return known.kind in NUMBERS and not known.is_complex


def _sum(terms: Sequence[tuple[bool, Atom]], builder: Builder) -> Atom:
    """What a cell holds when all is added to it."""
    if not terms:
        return Const(0.0)
    sign, total = summed([_turned(*term, builder) for term in terms], builder)
    return total if sign else builder.apply(operator.neg, total)


def _turned(plus: bool, term: Atom, builder: Builder) -> tuple[bool, Atom]:
    """A term without the minus sign that it was made with."""
    made = builder.maker(term)
    if made is None or made.fn is not operator.neg or made.out.hint:
        return plus, term
    return not plus, made.args[0]
