"""The variables of a block -> the arguments and fields that each is made of.

All that a value is computed from counts, also where its derivative is 0: `x > 0` is
made of x. The test of a branch does not: a branch has the slope of the arm taken.

>>> import operator
>>> from yota_ast.ir.abstract_values import UNKNOWN
>>> from yota_ast.ir.atoms import Const
>>> x, w, y, m = (Var(name, UNKNOWN) for name in "xwym")
>>> block = Block((Apply(y, abs, (x,)), Apply(m, operator.gt, (w, Const(0)))))
>>> sources = Sources(block)
>>> set(sources.of(y)), sources.are_apart(y, m), sources.are_apart(x, y)
({('x',)}, True, False)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    walk,
)
from yota_ast.ops import info

Leaf: TypeAlias = tuple[object, ...]
"""An argument by its name, and the way to a field of it."""


@dataclass(slots=True)
class Sources:
    """What the values of a block are made of."""

    block: Block
    _read: dict[str, tuple[str, ...]] | None = None
    _known: dict[str, frozenset[Leaf]] = field(default_factory=dict)
    _named: frozenset[str] = frozenset()
    _fields: dict[str, Leaf] = field(default_factory=dict)

    def knows(self, var: Var) -> bool:
        """Return whether the block computes or reads a variable."""
        self._edges()
        return _home(var) in self._named

    def are_apart(self, one: object, other: object) -> bool:
        """Return whether no argument, and no part of one, is in both values."""
        own, others = self.of(one), self.of(other)
        return not any(_overlap(p, q) for p in own for q in others)

    def of(self, atom: object) -> frozenset[Leaf]:
        """Return the arguments and fields that a value is made of."""
        if not isinstance(atom, Var):
            return frozenset()
        name = _home(atom)
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> frozenset[Leaf]:
        read = self._edges()
        waiting, seen, leaves = [name], {name}, set[Leaf]()
        while waiting:
            at = waiting.pop()
            if at not in read:
                leaves.add(self._fields.get(at, (at,)))
                continue
            more = [n for n in read[at] if n not in seen]
            seen.update(more)
            waiting += more
        return frozenset(leaves)

    def _edges(self) -> dict[str, tuple[str, ...]]:
        if self._read is None:
            self._read = dict(_edges(self.block))
            reads = (op for op in walk(self.block) if isinstance(op, Read))
            self._fields = {op.out.name: (op.root.name, *op.path) for op in reads}
            every = {n for names in self._read.values() for n in names}
            self._named = frozenset(every | self._fields.keys() | self._read.keys())
        return self._read


def _overlap(one: Leaf, other: Leaf) -> bool:
    """Whether one is the other, or a part of it."""
    return all(p == q for p, q in zip(one, other, strict=False))


def _edges(block: Block) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each variable that is computed, with those that it is computed from."""
    for op in walk(block):
        yield from _edges_of(op)


def _edges_of(op: Op) -> Iterator[tuple[str, tuple[str, ...]]]:
    match op:
        case Apply():
            shapes = info(op.fn).shape_only
            args = [a for k, a in enumerate(op.args) if k not in shapes]
            yield op.out.name, _names(*args, *(a for _, a in op.kwargs))
        case Store():
            yield op.out.name, _names(op.target, op.index, op.value)
        case If() | Try():
            for m in op.merges:
                yield m.out.name, _names(m.then, m.orelse)
        case For():
            yield from _edges_of_loop(op)
            for t in op.targets:
                yield t.name, _names(op.iterable)
        case While():
            yield from _edges_of_loop(op)
        case Read() | Raise() | With():
            pass
        case _:
            assert_never(op)


def _edges_of_loop(op: For | While) -> Iterator[tuple[str, tuple[str, ...]]]:
    for c in op.carries:
        yield c.out.name, _names(c.init, c.next)
        yield c.inside.name, _names(c.init, c.next)


def _names(*atoms: object) -> tuple[str, ...]:
    return tuple(_home(a) for a in atoms if isinstance(a, Var))


def _home(var: Var) -> str:
    """The name of the variable, or of the container that an item is of."""
    return var.name.partition("[")[0]
