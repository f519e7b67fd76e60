"""The body of a loop -> which whole numbers it carries may outgrow 64 bits.

A counter, `k += 1`, needs more iterations than anyone waits for. What is multiplied in
each iteration does not, nor does what is added to itself, `a, b = b, a + b`.

In: the ops of a body, and what the loop carries.  Out: the names of what grows.

>>> from yota_ast.ir.builder import Builder, Names
>>> from yota_ast.ir.abstract_values import INT
>>> builder = Builder(lambda fn, args, kwargs: INT, Names())
>>> k, n = (Var(name, INT, name) for name in "kn")
>>> more = builder.apply(operator.add, k, Const(1))
>>> twice = builder.apply(operator.add, n, n)
>>> carries = [Carry(k, Const(0), k, more), Carry(n, Const(1), n, twice)]
>>> grown(builder.ops, carries)
{'n'}
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import merges_of
from yota_ast.ir.nodes import (
    Apply,
    Carry,
    Compound,
    For,
    Op,
    Outlined,
    Simple,
    Store,
    While,
    atoms_of,
    blocks_of,
)
from yota_ast.ops.algebra import GROWING, TERMS
from yota_ast.ops.record import Arithmetic
from yota_ast.ops.registry import info

_BOUND: Final = 2**31
"""Two numbers of no more bits have a product that fits."""
_STEADY, _COUNTS, _SUM, _GROWS = range(4)
"""What is bounded, whatever the iteration; what counts iterations; the sum of two such,
`lo + hi`, of which the half counts still; and what grows faster."""


def grown(ops: Sequence[Op], carries: Sequence[Carry]) -> set[str]:
    """The names, within the body, of what grows faster than it counts."""
    found: set[str] = set()
    while True:
        levels = _Levels({c.inside.name: _COUNTS for c in carries})
        levels.known.update(dict.fromkeys(found, _GROWS))
        levels.ops(ops)
        more = {c.inside.name for c in carries if levels.of(c.next) > _COUNTS}
        if more <= found:
            return found
        found |= more


class _Levels:
    """How fast variables grow."""

    def __init__(self, known: dict[str, int]) -> None:
        self.known = known

    def of(self, atom: Atom | Undefined) -> int:
        """How fast an atom grows."""
        return self.known.get(atom.name, _STEADY) if isinstance(atom, Var) else _STEADY

    def most(self, atoms: Iterable[Atom | Undefined]) -> int:
        """How fast the fastest of some atoms grows."""
        return max(map(self.of, atoms), default=_STEADY)

    def ops(self, ops: Iterable[Op]) -> None:
        """Note what ops define."""
        for op in ops:
            match op:
                case Apply():
                    self.known[op.out.name] = self.result(op)
                case Store():
                    self.known[op.out.name] = self.most((op.target, op.value))
                case For() | While():
                    self.loop(op)
                case Simple() | Compound():
                    for block in blocks_of(op):
                        self.ops(block)
                    for m in merges_of(op):
                        self.known[m.out.name] = self.most((m.then, m.orelse))
                case _:
                    assert_never(op)

    def result(self, op: Apply) -> int:
        """How fast the result of an op grows."""
        atoms = atoms_of(op)
        levels = [self.of(a) for a in atoms]
        most = max(levels, default=_STEADY)
        arithmetic = info(op.fn).arithmetic
        if arithmetic in GROWING or isinstance(op.fn, Outlined):
            return _GROWS if most else _STEADY
        if arithmetic in TERMS and all(levels):
            return _SUM if most == _COUNTS and len(levels) > 1 else _GROWS
        if arithmetic in TERMS and most == _SUM:
            return _GROWS
        if arithmetic in ("remainder", "and") and _bounds(atoms[-1]):
            return _STEADY
        if op.fn is operator.getitem:  # of a list what it holds, wherever that is
            return levels[0]
        if most == _SUM and _halves(arithmetic, atoms[-1]):
            return _COUNTS
        return most

    def loop(self, op: For | While) -> None:
        """A loop within: what it carries grows as fast as what it begins with, or as
        what an iteration hands on."""
        if isinstance(op, For):
            self.known |= {t.name: self.of(op.iterable) for t in op.targets}
        self.known |= {c.inside.name: self.of(c.init) for c in op.carries}
        before: dict[str, int] = {}
        while before != self.known:
            before = dict(self.known)
            for block in blocks_of(op):
                self.ops(block)
            for c in op.carries:
                most = self.most((c.inside, c.next))
                self.known |= {c.inside.name: most, c.out.name: most}


def _bounds(atom: Atom) -> bool:
    value = atom.value if isinstance(atom, Const) else None
    return type(value) is int and 0 < value <= _BOUND


def _halves(arithmetic: Arithmetic, divisor: Atom) -> bool:
    value = divisor.value if isinstance(divisor, Const) else 0
    least = {"floor": 2, "right shift": 1}.get(arithmetic)
    return type(value) is int and least is not None and value >= least
