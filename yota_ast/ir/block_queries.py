"""Blocks -> what they define, what they read of what is outside, whom they call.

>>> from yota_ast.ir.nodes import Block
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> free_in(Block((Apply(y, abs, (x,)),)), y, z)
(x::?, z::?)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeGuard, assert_never

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Closed,
    Compound,
    For,
    If,
    Merge,
    Op,
    Origin,
    Outlined,
    Simple,
    Try,
    While,
    With,
    atoms_of,
    defined_by,
    map_blocks,
    only,
    walk,
)
from yota_ast.support.reachable import reach


def merges_of(op: Op) -> tuple[Merge, ...]:
    """The variables that an op defines by one way or another: those of a branch."""
    match op:
        case If() | Try():
            return op.merges
        case Simple() | Compound():
            return ()
        case _:
            assert_never(op)


def carries_of(op: Op) -> tuple[Carry, ...]:
    """The variables that an op carries round: those of a loop."""
    match op:
        case For() | While():
            return op.carries
        case Simple() | Compound():
            return ()
        case _:
            assert_never(op)


Ends = tuple[Atom | Undefined, ...]


def arms_with_ends(op: Op) -> tuple[tuple[Block, Ends], ...]:
    """Each block of an op, and what it hands on where it ends."""
    match op:
        case If():
            then, orelse = _sides(op.merges)
            return (op.then, then), (op.orelse, orelse)
        case Try():
            then, orelse = _sides(op.merges)
            return (op.body, ()), (op.orelse, then), (op.handler, orelse)
        case For():
            return ((op.body, tuple(c.next for c in op.carries)),)
        case While():
            return (op.cond, ()), (op.body, tuple(c.next for c in op.carries))
        case With():
            return ((op.body, ()),)
        case Simple():
            return ()
        case _:
            assert_never(op)


def _sides(merges: tuple[Merge, ...]) -> tuple[Ends, Ends]:
    return tuple(m.then for m in merges), tuple(m.orelse for m in merges)


def has_effect(op: Op) -> bool:
    """Whether an op itself raises, draws or prints: one that defines nothing does."""
    match op:
        case Apply():
            return op.effect
        case Simple():
            return not op.DEFINES
        case Compound():
            return False
        case _:
            assert_never(op)


def is_loop(op: Op) -> TypeGuard[For | While]:
    """Say whether the blocks of an op may run several times."""
    match op:
        case For() | While():
            return True
        case Simple() | Compound():
            return False
        case _:
            assert_never(op)


def ends_of(op: Op) -> list[Atom | Undefined]:
    """What an op reads where its blocks end."""
    match op:
        case Simple() | With():
            return []
        case If() | Try():
            return [a for m in op.merges for a in (m.then, m.orelse)]
        case For():
            return _ends_of_loop(op)
        case While():
            return [*_ends_of_loop(op), op.test]
        case _:
            assert_never(op)


def names_read(block: Block, after: Iterable[Atom | Undefined] = ()) -> Iterator[str]:
    """What a block and the blocks within read, each name as often as it is read, and
    then what is read when the block has run.

    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> block = Block((Apply(y, max, (x, x)), Apply(z, abs, (y,))))
    >>> [*names_read(block, [z])]
    ['x', 'x', 'y', 'z']
    """
    for op in walk(block):
        atoms: Iterable[Atom | Undefined] = atoms_of(op)
        if not isinstance(op, Simple):
            atoms = (*atoms, *ends_of(op))
        for atom in atoms:
            if isinstance(atom, Var):
                yield atom.name
    yield from (atom.name for atom in after if isinstance(atom, Var))


def made_of(block: Block, names: Iterable[str]) -> set[str]:
    """Some variables, and all that they are computed of.

    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> block = Block((Apply(y, abs, (x,)), Apply(z, abs, (y,))))
    >>> sorted(made_of(block, ["y"]))
    ['x', 'y']
    """
    found, before, ops = {*names}, -1, [*walk(block)][::-1]
    while before != len(found):
        before = len(found)
        for op in ops:
            if any(v.name in found for v in bound_by(op)):
                read = (*atoms_of(op), *ends_of(op))
                found.update(a.name for a in read if isinstance(a, Var))
    return found


def read_counts(block: Block, after: Iterable[Atom | Undefined] = ()) -> Counter[str]:
    """How often each variable is read; after: what is read when the block has run."""
    return Counter(names_read(block, after))


def _ends_of_loop(op: For | While) -> list[Atom | Undefined]:
    stop = () if op.stop is None else (op.stop,)
    return [*(c.next for c in op.carries), *op.saved, *stop]


def handed_on(op: Op) -> Iterator[tuple[tuple[Atom | Undefined, ...], tuple[Var, ...]]]:
    """What branches and loops hand on: of each variable what it may come from, and the
    variables that it becomes.

    >>> from yota_ast.ir.nodes import Merge
    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> list(handed_on(If(x, Block(()), Block(()), (Merge(z, x, y),))))
    [((x::?, y::?), (z::?,))]
    """
    for m in merges_of(op):
        yield (m.then, m.orelse), (m.out,)
    for c in carries_of(op):
        yield (c.init, c.next), (c.inside, c.out)


def entering(op: Op) -> tuple[Var, ...]:
    """The variables that each iteration of an op begins with: what it carries, and the
    item of a `for`."""
    return (*(c.inside for c in carries_of(op)), *items_of_loop(op))


def place_of(op: Op, ops: Sequence[Op]) -> int | None:
    """Where an op itself stands among others, which is near their end; None where it
    does not."""
    places = range(len(ops) - 1, -1, -1)
    return next((k for k in places if ops[k] is op), None)


def items_of_loop(op: Op) -> tuple[Var, ...]:
    """The variables that are the item of a `for`."""
    return op.targets if isinstance(op, For) else ()


def bound_by(op: Op) -> tuple[Var, ...]:
    """The variables that an op itself defines, for what follows or for its blocks."""
    match op:
        case Simple():
            return defined_by(op)
        case If():
            return tuple(m.out for m in op.merges)
        case Try():
            return (op.error, *(m.out for m in op.merges))
        case With():
            return ()
        case For():
            return (*op.targets, *_bound_by_loop(op))
        case While():
            return _bound_by_loop(op)
        case _:
            assert_never(op)


def _bound_by_loop(op: For | While) -> tuple[Var, ...]:
    carried = tuple(v for c in op.carries for v in (c.inside, c.out))
    return carried if op.stack is None else (*carried, op.stack)


def undefined_in(block: Block) -> frozenset[str]:
    """The variables that may have no value: those that one arm of a branch, or no
    iteration of a loop, defines."""
    users: dict[str, list[str]] = {}
    for op in walk(block):
        for ends, outs in handed_on(op):
            for end in ends:
                name = end.name if isinstance(end, Var) else ""
                if isinstance(end, (Var, Undefined)):
                    users.setdefault(name, []).extend(out.name for out in outs)
    return frozenset(reach([""], users.get) - {""})


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
    found = (op.fn for op in only(walk(block), Apply))
    return (fn.name for fn in found if isinstance(fn, (Outlined, Closed)))


def slopes_in(block: Block) -> tuple[str, ...]:
    """The names of the functions whose roots are the minima that a block looks for."""
    found = (op.fn for op in only(walk(block), Apply))
    made = (fn.slope for fn in found if isinstance(fn, Closed))
    return tuple(dict.fromkeys(fn.name for fn in made if fn is not None))


def with_origins(block: Block, change: Callable[[Origin], Origin]) -> Block:
    """The same block of ops that come from elsewhere."""

    def moved(op: Op) -> Op:
        op = map_blocks(op, lambda inner: with_origins(inner, change))
        return replace(op, origin=change(op.origin))

    return Block(tuple(map(moved, block)))
