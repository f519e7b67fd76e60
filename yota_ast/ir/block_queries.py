"""Blocks -> what they define, what they read of what is outside, whom they call.

>>> from yota_ast.ir.nodes import Block
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> free_in(Block((Apply(y, abs, (x,)),)), y, z)
(x::?, z::?)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Closed,
    For,
    If,
    Merge,
    Op,
    Origin,
    Outlined,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    atoms_of,
    walk,
)


def ends_of(op: Op) -> list[Atom | Undefined]:
    """What an op reads where its blocks end."""
    if isinstance(op, (If, Try)):
        return [a for m in op.merges for a in (m.then, m.orelse)]
    if isinstance(op, (For, While)):
        ends: list[Atom | Undefined] = [c.next for c in op.carries]
        ends += op.saved
        ends += [] if op.stop is None else [op.stop]
        return [*ends, op.test] if isinstance(op, While) else ends
    return []


def handed_on(op: Op) -> Iterator[tuple[tuple[Atom | Undefined, ...], tuple[Var, ...]]]:
    """What branches and loops hand on: of each variable what it may come from, and the
    variables that it becomes.

    >>> from yota_ast.ir.nodes import Merge
    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> list(handed_on(If(x, Block(()), Block(()), (Merge(z, x, y),))))
    [((x::?, y::?), (z::?,))]
    """
    if isinstance(op, (If, Try)):
        for m in op.merges:
            yield (m.then, m.orelse), (m.out,)
    elif isinstance(op, (For, While)):
        for c in op.carries:
            yield (c.init, c.next), (c.inside, c.out)


def bound_by(op: Op) -> tuple[Var, ...]:
    """The variables that an op itself defines, for what follows or for its blocks."""
    if isinstance(op, (Apply, Read, Store)):
        return (op.out,)
    if isinstance(op, If):
        return tuple(m.out for m in op.merges)
    if isinstance(op, Try):
        return (op.error, *(m.out for m in op.merges))
    if isinstance(op, (Raise, With)):
        return ()
    carried = tuple(v for c in op.carries for v in (c.inside, c.out))
    targets = op.targets if isinstance(op, For) else ()
    stack = () if op.stack is None else (op.stack,)
    return (*targets, *carried, *stack)


def undefined_in(block: Block) -> frozenset[str]:
    """The variables that may have no value: those that one arm of a branch, or no
    iteration of a loop, defines."""
    joined: list[Merge | Carry] = []
    for op in walk(block):
        if isinstance(op, (If, Try)):
            joined += op.merges
        elif isinstance(op, (For, While)):
            joined += op.carries
    joined.reverse()  # those of inner blocks first: they are joined again outside
    found: set[str] = set()
    before = -1
    while before != len(found):
        before = len(found)
        for j in joined:
            ends = (j.then, j.orelse) if isinstance(j, Merge) else (j.init, j.next)
            if any(
                isinstance(a, Undefined) or (isinstance(a, Var) and a.name in found)
                for a in ends
            ):
                found.add(j.out.name)
                found |= {j.inside.name} if isinstance(j, Carry) else set()
    return frozenset(found)


def free_in(block: Block, *also: Atom | Undefined) -> tuple[Var, ...]:
    """The variables that a block, or what stands after it, reads and does not define,
    in the order in which they are met."""
    defined: set[str] = set()
    read: dict[str, Var] = {}
    for op in walk(block):
        atoms: tuple[Atom | Undefined, ...] = atoms_of(op)
        if isinstance(op, Apply):  # most ops: what follows, in short
            defined.add(op.out.name)
        else:
            defined.update(v.name for v in bound_by(op))
            atoms += tuple(ends_of(op))
        for a in atoms:
            if isinstance(a, Var):
                read.setdefault(a.name, a)
    for a in also:
        if isinstance(a, Var):
            read.setdefault(a.name, a)
    return tuple(v for name, v in read.items() if name not in defined)


def outlined_in(block: Block) -> tuple[str, ...]:
    """The names of the functions that a block calls, or makes functions of, each once,
    in order."""
    return tuple(dict.fromkeys(calls_in(block)))


def calls_in(block: Block) -> Iterator[str]:
    """The name of the function, for each place where a block calls one, or makes a
    function of it."""
    found = (op.fn for op in walk(block) if isinstance(op, Apply))
    return (fn.name for fn in found if isinstance(fn, (Outlined, Closed)))


def slopes_in(block: Block) -> tuple[str, ...]:
    """The names of the functions whose roots are the minima that a block looks for."""
    found = (op.fn for op in walk(block) if isinstance(op, Apply))
    made = (fn.slope for fn in found if isinstance(fn, Closed))
    return tuple(dict.fromkeys(fn.name for fn in made if fn is not None))


def with_origins(block: Block, change: Callable[[Origin], Origin]) -> Block:
    """The same block of ops that come from elsewhere."""
    return Block(tuple(_from_elsewhere(op, change) for op in block))


def _from_elsewhere(op: Op, change: Callable[[Origin], Origin]) -> Op:
    blocks = ("then", "orelse", "body", "cond", "handler")
    inner = {
        name: with_origins(part, change)
        for name in blocks
        if isinstance(part := getattr(op, name, None), Block)
    }
    return replace(op, origin=change(op.origin), **inner)  # type: ignore[arg-type]
