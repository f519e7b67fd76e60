"""The ops of a function -> the first store that another name of the list would see.

On the tape a store gives a list a new variable, and the old ones stand for what it was.
That holds of the text, which writes into the list itself, where nobody reads it under
an older variable later: neither the list nor what holds it. And a store within a list
of lists, `rows[i][j] = e`, changes one of its rows, where no list stands in two places.
Lowering follows names; of what stands in lists it knows too little, so that this is
asked of the tape when it is done.

>>> from yota_ast.ir.abstract_values import FLOAT, INT
>>> from yota_ast.ir.facts.joined_facts import list_of
>>> from yota_ast.ir.atoms import Const
>>> from yota_ast.ir.built_values import build_list
>>> row, rows = Var("row", list_of(FLOAT)), Var("rows", list_of(list_of(FLOAT)))
>>> new, i = Var("new", row.fact), Var("i", INT)
>>> ops = (
...     Apply(row, operator.mul, (Const(0.0), i)),
...     Apply(rows, build_list, (row,)),
...     Store(new, row, i, Const(1.0)),
... )
>>> seen_elsewhere(Block(ops), rows) == ops[-1]
True
>>> seen_elsewhere(Block(ops), new) is None
True
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Collection, Hashable, Iterable
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import (
    arms_with_ends,
    entering,
    handed_on,
    is_loop,
    merges_of,
)
from yota_ast.ir.built_values import builds
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Op,
    Simple,
    Store,
    Try,
    While,
    atoms_of,
    blocks_of,
    defined_by,
    only,
    path_length,
    walk,
)
from yota_ast.ir.store_changes import Put, changes_length
from yota_ast.ops import info, sharing
from yota_ast.ops.algebra import COMPUTING, operated

Path = tuple[tuple[int, int], ...]
"""The ops that something stands in, by their times, and in which of their arms."""
_CONTAINERS: Final = ("list", "tuple", "dict")


@dataclass(frozen=True, slots=True)
class Spot:
    """When something is done, and where."""

    time: int
    path: Path = ()


@dataclass(slots=True)
class Lists:
    """The lists of a function: where they are made, held, read and written.

    A list is called by the variable of the op that makes it.
    """

    split: Collection[str] = ()
    """What was built of lists that stand elsewhere, too."""
    made: dict[str, Apply] = field(default_factory=dict)
    defined: dict[str, Spot] = field(default_factory=dict)
    reads: dict[str, list[Spot]] = field(default_factory=dict)
    stores: list[tuple[Store, Spot]] = field(default_factory=list)
    put: list[tuple[Var, Var, Spot, Op]] = field(default_factory=list)
    """What is put into which container, when, and by which op."""
    ops: dict[str, Apply] = field(default_factory=dict)
    ends: list[tuple[tuple[Atom | Undefined, ...], tuple[Var, ...]]] = field(
        default_factory=list
    )
    loops: set[int] = field(default_factory=set)
    variables: dict[str, Var] = field(default_factory=dict)
    may_be: dict[str, set[str]] = field(default_factory=dict)
    """The lists that a variable may be."""
    held: dict[str, set[str]] = field(default_factory=dict)
    """The lists that a list may hold."""
    reach: dict[str, set[str]] = field(default_factory=dict)
    """What the variables that are read may be, and what that may hold."""
    first: dict[str, frozenset[str]] = field(default_factory=dict)
    """The ops that made the list that a variable is, as they were last done."""
    clock: int = 0

    def tick(self) -> None:
        """Note that something has been done."""
        self.clock += 1

    # ------------------------------------------------------------ the walk

    def visit(self, block: Block, path: Path = ()) -> None:
        """Enter the ops of a block."""
        for op in block:
            self.clock += 1
            start = Spot(self.clock, path)
            self.read(atoms_of(op), start)
            match op:
                case Apply():
                    self.apply(op, start)
                case Store():
                    self.stores.append((op, start))
                    if not path_length(op.target, op.index):
                        self.enter(op.target, op.value, start, op)
                case Simple() | Compound():
                    pass
                case _:
                    assert_never(op)
            self.ends += handed_on(op)
            self.within(op, start)
            self.clock += 1
            for var in defined_by(op):
                self.define(var, Spot(self.clock, path))

    def within(self, op: Op, start: Spot) -> None:
        """Enter the blocks of an op. Those of a loop run one after the other; those of
        a branch do not, nor do `else` and `except`, but both after what is tried."""
        if is_loop(op):
            self.loops.add(start.time)
            inside = Spot(start.time, (*start.path, (start.time, 0)))
            for var in entering(op):
                self.define(var, inside)
            if isinstance(op, For):  # each iteration takes an item
                self.read((op.iterable,), inside)
        for k, (block, ends) in enumerate(arms_with_ends(op)):
            here = (*start.path, _step_into(op, k, start.time))
            self.visit(block, here)
            self.clock += 1
            self.read(ends, Spot(self.clock, here))

    def define(self, var: Var, spot: Spot) -> None:
        """A variable gets its value."""
        self.defined[var.name] = spot
        if _may_hold(var.fact):
            self.variables[var.name] = var

    def read(self, atoms: Iterable[Atom | Undefined], spot: Spot) -> None:
        """Some atoms are read."""
        for atom in atoms:
            if isinstance(atom, Var) and _may_hold(atom.fact):
                self.variables.setdefault(atom.name, atom)
                self.reads.setdefault(atom.name, []).append(spot)

    def apply(self, op: Apply, spot: Spot) -> None:
        """An op that may make a list, or hold one."""
        self.ops[op.out.name] = op
        if not _may_hold(op.out.fact):
            return
        self.made[op.out.name] = op
        if builds(op.fn):
            for atom in op.args:
                self.enter(op.out, atom, spot, op)

    def enter(self, container: Var, item: Atom, spot: Spot, op: Op) -> None:
        """An item is put into a container."""
        if isinstance(item, Var) and _may_hold(item.fact):
            self.put.append((container, item, spot, op))

    # ------------------------------------------------------------ what may be what

    def settle(self, loops: Iterable[For]) -> None:
        """Find out which lists the variables may be, and which these may hold."""
        handed = {out.name for _, outs in self.ends for out in outs}
        handed |= {op.out.name for op, _ in self.stores}
        handed |= {name for name, op in self.made.items() if _is_item(op)}
        for name in self.variables:
            self.may_be[name] = set() if name in handed else {name}
            if name not in self.defined:  # the caller's, of which nothing is known
                self.held[name] = {name}
        over = [(t, op.iterable) for op in loops for t in op.targets]
        before = -1
        while before != (now := self.size()):
            before = now
            for op in self.made.values():
                self.flow(op)
            for store, _ in self.stores:
                self.grow(store.out, self.of(store.target))
            for sources, outs in self.ends:
                for out in outs:
                    for source in sources:
                        self.grow(out, self.of(source))
            for target, iterable in over:
                self.grow(target, self.reached(self.of(iterable)))
            for container, item, *_ in self.put:
                for name in self.of(container):
                    self.held.setdefault(name, set()).update(self.of(item))
        self.reach = {name: self.reached(self.may_be[name]) for name in self.reads}

    def size(self) -> int:
        """How much is known: it grows until all is."""
        known = (*self.may_be.values(), *self.held.values())
        return sum(map(len, known))

    def of(self, atom: object) -> set[str]:
        """The lists that an atom may be."""
        return self.may_be.get(atom.name, set()) if isinstance(atom, Var) else set()

    def grow(self, out: Var, lists: set[str]) -> None:
        """A variable may be these lists, too."""
        if _may_hold(out.fact):
            self.may_be.setdefault(out.name, set()).update(lists)

    def flow(self, op: Apply) -> None:
        """What the result of an op may be, and hold."""
        if builds(op.fn) or sharing(op) == "fresh":
            return
        given = set().union(*map(self.of, atoms_of(op)))
        flat = _is_flat(op.out.fact)
        if op.fn is operator.getitem:
            self.item(op, flat=flat)
        elif not flat:
            self.held.setdefault(op.out.name, set()).update(self.reached(given))
        if op.fn is not operator.getitem and not _is_new(op):
            self.grow(op.out, self.reached(given))

    def item(self, op: Apply, *, flat: bool) -> None:
        """owner[key]: one of what it holds, or a list of several."""
        owner, key = op.args
        found = self.of(owner)
        for _ in range(path_length(owner, key) or 1):
            found = self.inside(found)
        if not _is_slice(key):
            self.grow(op.out, found)
        if not _is_place(key) and not flat:
            self.held.setdefault(op.out.name, set()).update(found)

    def inside(self, lists: Iterable[str]) -> set[str]:
        """What some lists hold."""
        return set().union(*(self.held.get(name, ()) for name in lists))

    def reached(self, lists: Iterable[str]) -> set[str]:
        """Some lists, what they hold, what that holds."""
        found: set[str] = set()
        waiting = list(lists)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.held.get(name, ())
        return found

    # ------------------------------------------------------------ which one it is

    def find_first(self, block: Block) -> None:
        """For each variable the ops that made the list it is. What a loop carries is
        taken to stay the list that it was, and given up where it does not."""
        for op in block:
            match op:
                case Apply():
                    if _is_new(op) and op.out.fact.kind in _CONTAINERS:
                        self.first[op.out.name] = frozenset({op.out.name})
                case Store():
                    self.same(op.out, op.target)
                case For() | While():
                    self.first_in_loop(op)
                case Simple() | Compound():
                    for inner in blocks_of(op):
                        self.find_first(inner)
                    for m in merges_of(op):
                        self.same(m.out, m.then, m.orelse)
                case _:
                    assert_never(op)

    def first_in_loop(self, op: For | While) -> None:
        """The same of what a loop carries."""
        steady = [c for c in op.carries if isinstance(c.init, Var)]
        while True:
            for c in steady:
                self.same(c.inside, c.init)
            for inner in blocks_of(op):
                self.find_first(inner)
            kept = [
                c
                for c in steady
                if isinstance(c.next, Var)
                and self.first.get(c.next.name) == self.first.get(c.inside.name)
            ]
            for c in steady:
                if c not in kept:
                    self.first.pop(c.inside.name, None)
            if len(kept) == len(steady):
                break
            steady = kept
        for c in steady:
            self.same(c.out, c.init)

    def same(self, out: Var, *ends: Atom | Undefined) -> None:
        """A variable is the list that one of some others is."""
        known = [self.first.get(e.name) if isinstance(e, Var) else None for e in ends]
        self.first.pop(out.name, None)
        if all(k is not None for k in known):
            self.first[out.name] = frozenset().union(*(k for k in known if k))

    # ------------------------------------------------------------ the questions

    def is_after(self, read: Spot, change: Spot, defined: Spot) -> bool:
        """Whether what is defined somewhere may be read after a change."""
        if defined.time > change.time:
            return False
        again = set(read.path) & set(change.path)
        if any(p[0] in self.loops and p not in defined.path for p in again):
            return True
        for one, other in zip(read.path, change.path, strict=False):
            if one != other:
                if one[0] == other[0]:
                    return False  # another arm
                break
        return read.time > change.time

    def is_seen(self, store: Store, change: Spot) -> bool:
        """Whether what a store writes is read later as what it was."""
        written = self.of(store.target)
        for _ in range(lists_above(store)):
            written = self.inside(written)
        made = self.first.get(store.target.name, frozenset())
        own = min((self.defined[name].time for name in made), default=0)
        if path_length(store.target, store.index):
            own = 0  # the rows may be older
        for name in self.reads:
            since = self.defined.get(name, Spot(0))
            if since.time < own or self.reach[name].isdisjoint(written):
                continue
            if any(self.is_after(r, change, since) for r in self.reads[name]):
                return True
        return False

    def stand_once(self, lists: set[str]) -> bool:
        """Whether each of some lists, and of what they hold, stands in one place."""
        group = self.reached(lists)
        for name in group:
            op = self.made.get(name)
            if op is None or not _is_new(op) or name in self.split:
                return False
            if not builds(op.fn) and self.held.get(name):
                return False
        swapped = self.swapped()
        return all(
            id(op) in swapped or self.is_moved(item, spot, op)
            for container, item, spot, op in self.put
            if not group.isdisjoint(self.of(container))
        )

    def swapped(self) -> set[int]:
        """The stores, by identity, that together swap two items of a list:
        `rows[i], rows[k] = rows[k], rows[i]`."""
        found: set[int] = set()
        for (one, at), (two, then) in itertools.pairwise(self.stores):
            if at.path != then.path or not _puts(one) or not _puts(two):
                continue
            if two.target != one.out or (self.taken(one.value) is None):
                continue
            places = {self.same_as(one.index), self.same_as(two.index)}
            taken = self.taken(one.value), self.taken(two.value)
            crossed = (one.target, self.same_as(two.index)), (
                one.target, self.same_as(one.index)
            )  # fmt: skip
            if taken == crossed and len(places) == 2:
                found |= {id(one), id(two)}
        return found

    def taken(self, item: Atom) -> tuple[Atom, Hashable] | None:
        """The list that an item was taken from, and where it stood."""
        op = self.ops.get(item.name) if isinstance(item, Var) else None
        if op is None or op.fn is not operator.getitem:
            return None
        return op.args[0], self.same_as(op.args[1])

    def same_as(self, key: Atom) -> Hashable:
        """What is equal for two keys that are computed alike."""
        op = self.ops.get(key.name) if isinstance(key, Var) else None
        if op is None or operated(op.fn) not in COMPUTING:
            return key
        return op.fn, *map(self.same_as, op.args)

    def is_moved(self, item: Var, spot: Spot, op: Op) -> bool:
        """Whether what an op puts into a list is new, and nobody reads it elsewhere."""
        made = self.first.get(item.name)
        if made is None:
            return False
        beside = [self.first.get(i.name, made) for _, i, _, by in self.put if by is op]
        if sum(not made.isdisjoint(other) for other in beside) > 1:
            return False
        return not any(
            self.is_after(read, spot, self.defined[name])
            for name in made
            for other in self.variables
            if name in self.first.get(other, ())
            for read in self.reads.get(other, ())
        )


def seen_elsewhere(
    block: Block, result: object, split: Collection[str] = ()
) -> Store | None:
    """The first store into a list that another variable would see; see above.

    split: what was built of lists that stand elsewhere, too.
    """
    if not any(op.target.fact.kind in _CONTAINERS for op in only(walk(block), Store)):
        return None
    lists = Lists(split=split)
    lists.visit(block)
    lists.tick()
    lists.read([result] if isinstance(result, Var) else [], Spot(lists.clock))
    lists.settle(only(walk(block), For))
    lists.find_first(block)
    for op, spot in lists.stores:
        if op.target.fact.kind not in _CONTAINERS:
            continue
        if path_length(op.target, op.index) and not lists.stand_once(
            lists.of(op.target)
        ):
            return op
        if lists.is_seen(op, spot):
            return op
    return None


def _puts(store: Store) -> bool:
    return isinstance(store.change, Put)


def _is_new(op: Apply) -> bool:
    """Whether an op makes a container of its own."""
    return builds(op.fn) or info(op.fn).container != "unknown"


def _step_into(op: Op, k: int, time: int) -> tuple[int, int]:
    """The step of a path into the block number `k` of an op: blocks of one time and
    several numbers never run both."""
    match op:
        case If():
            return time, k
        case Try():
            return (time if k else -time), k
        case Simple() | Compound():
            return time, 0
        case _:
            assert_never(op)


def _may_hold(fact: Fact) -> bool:
    """Whether a value may be a list, or hold one."""
    return not fact.is_immutable and fact.kind not in ("array", "real", "nothing")


def _is_flat(fact: Fact) -> bool:
    """Whether a value is a list, tuple or dict of numbers and the like."""
    if fact.kind not in _CONTAINERS:
        return False
    items = fact.items if fact.items is not None else (element_of(fact),)
    return all(not _may_hold(f) for f in items)


def _is_place(key: Atom) -> bool:
    """Whether a key is that of one item."""
    fact = fact_of_atom(key)
    return fact.is_immutable or fact.kind == "tuple"


def _is_item(op: Apply) -> bool:
    """Whether an op takes one item out of a container."""
    return op.fn is operator.getitem and _is_place(op.args[1])


def _is_slice(key: Atom) -> bool:
    """Whether a key is that of several items."""
    fact = fact_of_atom(key)
    return fact.cls is slice


def lists_above(op: Store) -> int:
    """How many lists hold the list that a store writes, from the target down.

    >>> from yota_ast.ir.abstract_values import Fact
    >>> from yota_ast.ir.atoms import Const
    >>> from yota_ast.ir.store_changes import APPEND
    >>> rows = Var("rows", Fact("list"))
    >>> put = Store(rows, rows, Const((0, 1)), rows)
    >>> append = Store(rows, rows, Const((0,)), rows, APPEND)
    >>> lists_above(put), lists_above(append)
    (1, 1)
    """
    depth = path_length(op.target, op.index)
    return depth if changes_length(op.change) else max(depth - 1, 0)
