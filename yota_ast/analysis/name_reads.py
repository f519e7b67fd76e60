"""A block -> the block without the reads of names that cannot raise, or need not stand.

Lowering notes where the function reads a name that may have no value: `(y,)` of the
generated code raises there as the function does. Such a read is left out where the name
has a value by every way, and where the statements below compute with the name before
anything else is seen to happen.

>>> from yota_ast.ir.atoms import UNDEFINED
>>> c, x, y, t, z = (Var(name) for name in "cxytz")
>>> branch = If(c, Block(), Block(), (Merge(y, x, UNDEFINED),))
>>> read, double = name_read(t, y), Apply(z, abs, (y,))
>>> len(without_sure_reads(Block((branch, read, double)), frozenset({"z"})))
2
>>> len(without_sure_reads(Block((branch, read)), frozenset()))
2
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of, has_effect, undefined_in
from yota_ast.ir.built_values import build_tuple, builds
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    Block,
    Compound,
    For,
    If,
    Merge,
    Op,
    Origin,
    Raise,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    only,
    walk,
)
from yota_ast.ops import info

End = Atom | Undefined


def name_read(out: Var, var: Var, origin: Origin = NOWHERE) -> Apply:
    """Return the op that reads a name for its error alone; nothing reads `out`."""
    return Apply(out, build_tuple, (var,), form="build", origin=origin)


def without_sure_reads(block: Block, needed: Collection[str]) -> Block:
    """Return a block without the reads that need not stand; needed: the variables that
    are read after it."""
    alone = _read_alone(block, needed)
    if not alone:
        return block
    walking = _Reads(undefined_in(block), alone, _filled(block))
    return walking.block(block, set(), [Var(name) for name in needed])


def _read_alone(block: Block, needed: Collection[str]) -> frozenset[str]:
    """Return the results of the ops that read a name for its error alone."""
    found = {op.out.name for op in only(walk(block), Apply) if _is_read(op)}
    if found:
        atoms = (a for op in walk(block) for a in (*atoms_of(op), *ends_of(op)))
        found -= {a.name for a in atoms if isinstance(a, Var)}
    return frozenset(found.difference(needed))


def _filled(block: Block) -> frozenset[str]:
    """Return the ranges of literals that hold a number."""
    calls = (op for op in only(walk(block), Apply) if op.fn is range)
    return frozenset(op.out.name for op in calls if _is_filled(op))


def _is_filled(op: Apply) -> bool:
    ends: list[Any] = [a.value for a in op.args if isinstance(a, Const)]
    whole = len(ends) == len(op.args) and all(type(e) is int for e in ends)
    return whole and ends[2:] != [0] and bool(range(*ends))


def _is_read(op: Apply) -> bool:
    return op.fn is build_tuple and len(op.args) == 1


@dataclass(frozen=True, slots=True)
class _Reads:
    """undefined: the variables that may have no value somewhere; alone: the results of
    reads; filled: what has items to loop over. Those of the undefined that have a value
    where an op stands are `sure`."""

    undefined: frozenset[str]
    alone: frozenset[str]
    filled: frozenset[str]

    def block(self, block: Block, sure: set[str], ends: Sequence[End] = ()) -> Block:
        """Return a block without reads, and add to `sure` what it makes sure; ends:
        what is surely read where it ends."""
        kept: list[Op] = []
        for k, op in enumerate(block.ops):
            if isinstance(op, Apply) and op.out.name in self.alone:
                var = op.args[0]
                if not self.is_sure(var, sure) and not self._follows(
                    var, block.ops[k + 1 :], ends
                ):
                    kept.append(op)
                sure.update(_names(op.args))
            else:
                kept.append(self._op(op, sure))
        return Block(tuple(kept))

    def is_sure(self, end: End, sure: Collection[str]) -> bool:
        """Return whether an atom has a value."""
        if isinstance(end, Var):
            return end.name not in self.undefined or end.name in sure
        return isinstance(end, Const)

    def _follows(self, var: Atom, ops: Sequence[Op], ends: Sequence[End]) -> bool:
        """Return whether something computes with a variable before anything is seen
        to happen."""
        for op in ops:
            if isinstance(op, Apply) and op.out.name in self.alone:
                continue
            if var in _read_first(op) and not _is_idle(op):
                return True
            if not _passes_unseen(op):
                return False
        return var in ends

    def _op(self, op: Op, sure: set[str]) -> Op:
        if not _is_idle(op):
            sure.update(_names(_read_first(op)))
        match op:
            case Simple():
                return op
            case If():
                return self._branch(op, sure)
            case For() | While():
                return self._loop(op, sure)
            case With():
                return replace(op, body=self.block(op.body, sure))
            case Try():
                return self._try(op, sure)
            case _:
                assert_never(op)

    def _branch(self, op: If, sure: set[str]) -> If:
        one, two = set(sure), set(sure)
        then, orelse = self.block(op.then, one), self.block(op.orelse, two)
        self._merged(op.merges, (then, one), (orelse, two), sure)
        return replace(op, then=then, orelse=orelse)

    def _try(self, op: Try, sure: set[str]) -> Try:
        one, two = set(sure), set(sure)
        body = self.block(op.body, one)
        orelse, handler = self.block(op.orelse, one), self.block(op.handler, two)
        self._merged(op.merges, (orelse, one), (handler, two), sure)
        return replace(op, body=body, orelse=orelse, handler=handler)

    def _merged(
        self,
        merges: Iterable[Merge],
        first: tuple[Block, set[str]],
        second: tuple[Block, set[str]],
        sure: set[str],
    ) -> None:
        """Add to `sure` what is so after two arms: an arm that raises is never left."""
        (then, one), (orelse, two) = first, second
        raises = _raises(then), _raises(orelse)
        for m in merges:
            if raises[0] or self.is_sure(m.then, one):
                if raises[1] or self.is_sure(m.orelse, two):
                    sure.add(m.out.name)
        sure |= two if raises[0] else one if raises[1] else one & two

    def _loop(self, op: For | While, sure: set[str]) -> For | While:
        """Return a loop likewise: what an iteration begins with is sure where what the
        loop begins with is, and what an iteration ends with."""
        begin = [c for c in op.carries if self.is_sure(c.init, sure)]
        while True:
            inside = sure | {c.inside.name for c in begin}
            done = self._body(op, inside)
            lasting = [c for c in begin if self.is_sure(c.next, inside)]
            if len(lasting) == len(begin):
                break
            begin = lasting
        for c in op.carries:
            if self.is_sure(c.next, inside) and (c in begin or self._runs(op)):
                sure.add(c.out.name)
        return done

    def _body(self, op: For | While, inside: set[str]) -> For | While:
        if isinstance(op, For):
            return replace(op, body=self.block(op.body, inside))
        cond = self.block(op.cond, inside, (op.test,))
        inside.update(_names((op.test,)))
        return replace(op, cond=cond, body=self.block(op.body, inside))

    def _runs(self, op: For | While) -> bool:
        """Return whether a loop surely runs once."""
        if isinstance(op, While):
            return isinstance(op.test, Const) and op.test.value is True
        known = fact_of_atom(op.iterable)
        filled = isinstance(op.iterable, Var) and op.iterable.name in self.filled
        return filled or bool(known.items)


def _read_first(op: Op) -> tuple[Atom, ...]:
    """Return what an op reads before its blocks run; what a loop begins with is handed
    on, not read."""
    match op:
        case For():
            return (op.iterable,)
        case While():
            return ()
        case Simple() | Compound():
            return atoms_of(op)
        case _:
            assert_never(op)


def _is_idle(op: Op) -> bool:
    """Return whether an op may leave no trace in generated code."""
    return isinstance(op, Apply) and (
        builds(op.fn) or info(op.fn).tells or op.form == "unpack"
    )


def _passes_unseen(op: Op) -> bool:
    """Return whether nothing is seen to happen by an op: no effect, no write."""
    match op:
        case If():
            inner = (*op.then, *op.orelse)
            return op.form != "if" and all(map(_passes_unseen, inner))
        case Store() | Raise():
            return False
        case Simple():
            return not has_effect(op)
        case Compound():
            return False
        case _:
            assert_never(op)


def _raises(block: Block) -> bool:
    return bool(block.ops) and isinstance(block.ops[-1], Raise)


def _names(atoms: Iterable[Any]) -> Iterator[str]:
    return (a.name for a in atoms if isinstance(a, Var))
