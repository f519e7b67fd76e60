"""The ops of a function -> what it changes in place, were its numbers arrays.

`s += e` gives a number another value, and writes into an array. Where another name for
the old value is read after that, or the old value is the caller's, a text that is made
for numbers is none for arrays, and the other way round.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.atoms import Const, Var
>>> a, b, c = (Var(name, FLOAT) for name in "abc")
>>> ops = (
...     Apply(b, operator.add, (a, Const(1.0)), form="augmented"),
...     Apply(c, operator.mul, (a, b)),
... )
>>> [sorted(names) for names in changed_in_place(Block(ops), (), [])]
[['a', 'b']]
>>> changed_in_place(Block(ops[:1]), (), [])
[]
>>> [sorted(names) for names in changed_in_place(Block(ops[:1]), (), ["a"])]
[['a', 'b']]
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.abstract_values import CONTAINERS, Fact
from yota_ast.ir.atoms import Atom, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import (
    arms_with_ends,
    carries_of,
    entering,
    is_loop,
    merges_of,
)
from yota_ast.ir.built_values import builds
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Simple,
    Store,
    While,
    atoms_of,
    blocks_of,
    defined_by,
    walk,
)
from yota_ast.ops import sharing
from yota_ast.ops.spellings import SIGN_OF

Path = tuple[tuple[int, int], ...]
"""The ops that something stands in, by their times, and in which of their blocks."""
_EITHER: Final = Fact("real")
_CONTAINERS: Final = ("list", "dict", "set")


@dataclass(frozen=True, slots=True)
class Spot:
    """When something is done, and where."""

    time: int
    path: Path


@dataclass(slots=True)
class Places:
    """Where variables are defined, read and changed, and which may be one object."""

    parent: dict[str, str] = field(default_factory=dict)
    defined: dict[str, Spot] = field(default_factory=dict)
    read: dict[str, list[Spot]] = field(default_factory=dict)
    changed: list[tuple[str, Spot]] = field(default_factory=list)
    put: list[str] = field(default_factory=list)
    """What is put into containers."""
    picked: set[str] = field(default_factory=set)
    """What is found in them."""
    loops: set[int] = field(default_factory=set)
    clock: int = 0

    def tick(self) -> None:
        """Note that something has been done."""
        self.clock += 1

    def root(self, name: str) -> str:
        """The name that stands for all that may be one object."""
        while (up := self.parent.get(name, name)) != name:
            name = up
        return name

    def join(self, a: Atom | Undefined, b: Atom | Undefined) -> None:
        """Two variables may be one object, or one may hold the other."""
        if isinstance(a, Var) and isinstance(b, Var):
            self.parent[self.root(b.name)] = self.root(a.name)

    def note_read(self, atoms: Iterable[Atom | Undefined], path: Path) -> None:
        """Some atoms are read now."""
        spot = Spot(self.clock, path)
        for atom in atoms:
            if isinstance(atom, Var):
                self.read.setdefault(atom.name, []).append(spot)

    def visit(self, block: Block, path: Path = ()) -> None:
        """Enter the ops of a block."""
        for op in block:
            self.clock += 1
            time = self.clock
            self.note_read(_read_by(op), path)
            self._entered(op, Spot(time, path))
            if is_loop(op):
                self._loop(op, path, time)
            for k, (inner, ends) in enumerate(arms_with_ends(op)):
                here = (*path, (time, k))
                self.visit(inner, here)
                self.clock += 1
                self.note_read(ends, here)
            self.clock += 1
            for var in defined_by(op):
                self.defined[var.name] = Spot(self.clock, path)

    def _loop(self, op: For | While, path: Path, time: int) -> None:
        self.loops.add(time)
        inside = Spot(time, (*path, (time, 0)))
        self.note_read((c.init for c in op.carries), path)
        for var in entering(op):
            self.defined[var.name] = inside

    def _entered(self, op: Op, spot: Spot) -> None:
        name = changed_by(op)
        if name is not None:
            self.changed.append((name, spot))
        match op:
            case Apply():
                self._applied(op)
            case Store():
                self._stored(op)
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)

    def _stored(self, op: Store) -> None:
        self.join(op.target, op.out)
        if op.target.fact.kind in _CONTAINERS:
            self.join(op.target, op.value)
            self.put += [op.value.name] if isinstance(op.value, Var) else []

    def _applied(self, op: Apply) -> None:
        if changed_by(op) is not None:
            self.join(op.args[0], op.out)
        if op.fn is operator.getitem and fact_of_atom(op.args[0]).kind in _CONTAINERS:
            self.picked.add(op.out.name)
        if builds(op.fn):
            self.put += [a.name for a in op.args if isinstance(a, Var)]
        for atom in atoms_of(op) if _may_hand_on(op) else ():
            self.join(atom, op.out)

    def is_twice_in(self, group: Collection[str]) -> bool:
        """Whether one value may have two places in containers, or another name too."""
        return any(
            name in self.picked or len(self.read.get(name, ())) > 1
            for name in self.put
            if name in group
        )

    def link(self, block: Block) -> None:
        """Join what comes from several ways."""
        for op in block:
            for m in merges_of(op):
                self.join(m.out, m.then)
                self.join(m.out, m.orelse)
            for c in carries_of(op):
                for other in (c.init, c.inside, c.next):
                    self.join(c.out, other)
            if isinstance(op, For):
                for var in op.targets:
                    self.join(op.iterable, var)
            for inner in blocks_of(op):
                self.link(inner)

    def is_after(self, read: Spot, change: Spot, defined: Spot) -> bool:
        """Whether what is defined somewhere may be read after a change."""
        if defined.time > change.time:
            return False
        common = [a for a, b in zip(read.path, change.path, strict=False) if a == b]
        again = set(read.path) & set(change.path)
        if any(p[0] in self.loops and p not in defined.path for p in again):
            return True
        k = len(common)
        if len(read.path) > k and len(change.path) > k:
            if read.path[k][0] == change.path[k][0]:
                return False  # another arm
        return read.time > change.time


def changed_by(op: Op) -> str | None:
    """The number or array that an op changes in place, or would, were it an array."""
    match op:
        case Store():
            fact = op.target.fact
            return op.target.name if fact.is_scalar or fact.kind == "array" else None
        case Apply():
            old = op.args[0] if op.form == "augmented" and op.args else None
            return old.name if isinstance(old, Var) else None
        case Simple() | Compound():
            return None
        case _:
            assert_never(op)


def _read_by(op: Op) -> tuple[Atom, ...]:
    """What an op reads; a store into a container reads none of its items."""
    if isinstance(op, Store) and op.target.fact.kind in _CONTAINERS:
        return (op.index, op.value)
    return atoms_of(op)


def _may_hand_on(op: Apply) -> bool:
    """Whether a result may be what an op is given, were that an array."""
    if op.fn is operator.getitem and _is_number(op.args[0]):
        return True
    if op.fn in SIGN_OF and op.out.fact.kind not in CONTAINERS:
        return False
    if any(map(_is_number, op.args)):
        op = replace(op, args=tuple(map(_either, op.args)))
    return sharing(op) != "fresh"


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, Var) and atom.fact.is_number


def _either(atom: Atom) -> Atom:
    return (
        Var(atom.name, _EITHER)
        if isinstance(atom, Var) and atom.fact.is_number
        else atom
    )


def changed_in_place(
    block: Block,
    result: Collection[str],
    own: Collection[str],
    items: Collection[str] = (),
) -> list[set[str]]:
    """The variables that may be one object, of each that is changed where that can be
    seen. result: what is read at the end; own: the caller's; items: the items of lists
    that are changed."""
    if not items and not any(changed_by(op) for op in walk(block)):
        return []
    places = Places()
    start = Spot(0, ())
    places.visit(block)
    places.link(block)
    places.tick()
    for name in result:
        places.read.setdefault(name, []).append(Spot(places.clock, ()))
    groups: dict[str, set[str]] = {}
    for name in {*places.defined, *places.parent, *places.read, *own}:
        groups.setdefault(places.root(name), set()).add(name)
    seen: dict[str, None] = {}
    for name, change in places.changed:
        root = places.root(name)
        if root not in seen and (
            not groups[root].isdisjoint(own)
            or any(
                places.is_after(read, change, places.defined.get(member, start))
                for member in groups[root]
                for read in places.read.get(member, ())
            )
        ):
            seen[root] = None
    for name in items:
        group = groups.get(places.root(name), set())
        if not group.isdisjoint(own) or places.is_twice_in(group):
            seen[places.root(name)] = None
    return [groups[root] for root in seen]
