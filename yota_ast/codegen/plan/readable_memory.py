"""Program -> the memory that each variable may read, as a set of roots.

Two variables without a common root share no memory, so that a store into one leaves
the other as it is. What is not known shares with everything it was made from;
parameters are distinct, for a text that writes into one checks it at entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Undefined, Var
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
    atoms_of,
    blocks_of,
)
from yota_ast.ir.tape import Guard, Program
from yota_ast.ops import sharing

Roots = frozenset[str]
_NONE: Roots = frozenset()


def roots(program: Program, ops: Iterable[Op | Guard]) -> dict[str, Roots]:
    """Return the roots of every variable of the program."""
    survey = _Survey({p.var.name: frozenset({p.var.name}) for p in program.params})
    ops = tuple(ops)
    survey.ops(ops)
    # Without loops everything is made before it is read.
    while survey.repeats:
        before = dict(survey.found)
        survey.ops(ops)
        if before == survey.found:
            break
    return survey.found


def is_immutable(fact: Fact) -> bool:
    """Say whether no store can change a value of which this is known."""
    if fact.kind == "tuple" and fact.items is not None:
        return all(is_immutable(item) for item in fact.items)
    return fact.is_immutable


def is_in_place(op: Apply) -> bool:
    """Say whether `a += b` may write into the memory of a."""
    if op.form != "augmented" or is_immutable(op.out.fact):
        return False
    return isinstance(op.args[0], Var) and not is_immutable(op.args[0].fact)


def target_of(op: Store | Apply) -> Var | None:
    """Return the variable into whose memory a store or a sum in place writes."""
    if isinstance(op, Store):
        return op.target
    first = op.args[0] if is_in_place(op) and not op.effect else None
    return first if isinstance(first, Var) else None


class _Survey:
    def __init__(self, found: dict[str, Roots]) -> None:
        self.found = found
        self.repeats = False
        self.fresh: dict[str, bool] = {}  # whether the result of an op is new memory

    def of(self, atom: Atom | Undefined) -> Roots:
        return self.found.get(atom.name, _NONE) if isinstance(atom, Var) else _NONE

    def put(self, var: Var, *sources: Roots) -> None:
        if not is_immutable(var.fact):
            self.found[var.name] = self.found.get(var.name, _NONE).union(*sources)

    def ops(self, ops: Iterable[Op | Guard]) -> None:
        for op in ops:
            self.op(op)

    def op(self, op: Op | Guard) -> None:
        match op:
            case Apply():
                if is_immutable(op.out.fact):  # most ops give numbers
                    return
                own = frozenset({op.out.name})
                fresh = self.fresh.get(op.out.name)
                if fresh is None:
                    fresh = self.fresh[op.out.name] = sharing(op) == "fresh"
                seen = () if fresh else tuple(map(self.of, atoms_of(op)))
                if is_in_place(op):  # an array is written, and stays itself
                    seen = (self.of(op.args[0]),)
                self.put(op.out, own, *seen)
            case Read():
                self.put(op.out, self.of(op.root))
            case Store():
                self.put(op.out, self.of(op.target), self.of(op.value))
            case With():
                self.blocks(op)
            case If() | Try():
                self.blocks(op)
                for m in op.merges:
                    self.put(m.out, self.of(m.then), self.of(m.orelse))
            case For():
                for target in op.targets:
                    self.put(target, self.of(op.iterable))
                self.loop(op)
            case While():
                self.loop(op)
            case Guard():
                self.ops(op.block)
            case Raise():
                pass
            case _:
                assert_never(op)

    def loop(self, op: For | While) -> None:
        self.repeats = True
        for c in op.carries:
            self.put(c.inside, self.of(c.init), self.of(c.next))
        self.blocks(op)
        for c in op.carries:
            self.put(c.out, self.of(c.inside), self.of(c.next))
        if op.stack is not None:
            self.put(op.stack, *map(self.of, op.saved))

    def blocks(self, op: Op) -> None:
        for block in blocks_of(op):
            self.ops(block)


def written(block: Block | Iterable[Op | Guard]) -> Iterable[Store | Apply]:
    """Yield what may change memory or the world: stores, sums in place, and ops with an
    effect."""
    for op in block:
        match op:
            case Apply():
                if op.effect or is_in_place(op):
                    yield op
            case Store():
                yield op
            case Guard():
                yield from written(op.block)
            case Read() | If() | For() | While() | Raise() | With() | Try():
                for inner in blocks_of(op):
                    yield from written(inner)
            case _:
                assert_never(op)
