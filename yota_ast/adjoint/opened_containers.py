"""Lists and tuples of known length that a function reads at computed positions -> lists
of unknown length, each with one list of adjoints.

    for i in range(len(W)):
        x = np.tanh(W[i] @ x)

In: a tape and the parameters asked for.  Out: the tape, where `W` is a list of arrays,
and not one array and another. What goes back through `W[i]` is then added to an item of
`dW`, and no statement stands for each item. So of lists in lists, dicts and objects.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.reverse.differentiable_arguments import is_item, is_position
from yota_ast.ir.abstract_values import CONTAINERS, Fact, anonymous
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Names
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.facts.joined_facts import join, list_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Read,
    Simple,
    atoms_of,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape
from yota_ast.syntax.value_paths import plain_key

Path = tuple[object, ...]
Place = tuple[str, Path]
"""A variable that nothing known makes, and the keys to what is held in it."""
ANY: Final = object()
"""The key of every item of an opened container."""
_RUNNERS: Final = (zip, enumerate, reversed)
_PLAIN: Final = (list, tuple, dict)
"""The classes of containers that adjoints are made of."""


def with_open(tape: Tape, names: Names) -> tuple[Tape, frozenset[str]]:
    """The tape, in which what is read at computed positions is of unknown length; and
    the variables that are."""
    places = _Places.of(tape)
    if not places.opened or (marking() and places.are_deep()):
        return tape, frozenset()
    made = {v.name: replace(v, fact=f) for v, f in places.changed()}
    within = Substitution(made)
    block = within.block(_with_items(tape.block, places, names))
    params = tuple(replace(p, var=within.var(p.var)) for p in tape.params)
    opened = frozenset(v.name for v in made.values() if v.fact.items is None)
    return replace(tape, params=params, block=block), opened


@dataclass(slots=True)
class _Places:
    """Where the containers of a tape stand, and which of them are opened."""

    vars: dict[str, Var] = field(default_factory=dict)
    known: dict[str, Place] = field(default_factory=dict)
    roots: dict[str, Fact] = field(default_factory=dict)
    opened: set[Place] = field(default_factory=set)

    @staticmethod
    def of(tape: Tape) -> _Places:
        """Those of a tape."""
        found = _Places()
        for param in tape.params:
            found._root(param.var)
        ops = list(walk(tape.block))
        for op in ops:
            found._enter(op)
        wanted = [v for op in ops for v in _computed(op) if v.name in found.known]
        banned = set[str]()
        while wanted:
            found._open(v for v in wanted if found.known[v.name][0] not in banned)
            lost = {r for r, p in found.opened if not found._is_plain((r, p))}
            lost |= set(found._used_whole(ops, tape.result))
            if not lost:
                break
            banned |= lost
        return found

    def _root(self, var: Var) -> None:
        self.roots[var.name] = var.fact
        self._note(var, (var.name, ()))

    def _enter(self, op: Op) -> None:
        """Note where what an op gives stands."""
        match op:
            case Read():
                self._note(op.out, (op.root.name, tuple(k for _, k in op.path)))
            case Apply(fn=fn) if fn in (build_list, build_tuple):
                self._root(op.out)
            case Apply() if is_item(op) and is_position(op.args[1]):
                whole, key = op.args
                step = _index(key, whole) if isinstance(key, Const) else ANY
                self._note_item(op.out, whole, step)
            case For(targets=(target,)) if _is_sequence(op.iterable):
                self._note_item(target, op.iterable, ANY)
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)

    def _note(self, var: Var, place: Place) -> None:
        self.vars[var.name], self.known[var.name] = var, place

    def _note_item(self, var: Var, whole: Atom, key: object) -> None:
        place = self.known.get(whole.name) if isinstance(whole, Var) else None
        if place is not None:
            self._note(var, (place[0], (*place[1], key)))

    def place_of(self, atom: Atom) -> Place | None:
        """Where what a variable holds stands, any item of what is opened for each."""
        found = self.known.get(atom.name) if isinstance(atom, Var) else None
        if found is None:
            return None
        root, path = found[0], list[object]()
        for key in found[1]:
            path.append(ANY if (root, tuple(path)) in self.opened else key)
        return root, tuple(path)

    def _open(self, wanted: Iterable[Var]) -> None:
        """Open these, and what is at the same place in items of what is opened."""
        self.opened, waiting = set(), list(wanted)
        before = -1
        while before != len(self.opened):
            before = len(self.opened)
            found = {p for v in waiting if (p := self.place_of(v)) is not None}
            self.opened |= {p for p in found if self._is_reached(p)}

    def _is_reached(self, place: Place) -> bool:
        """Whether any item stands for each only where a container is opened."""
        root, path = place
        return all(
            key is not ANY or (root, path[:k]) in self.opened
            for k, key in enumerate(path)
        )

    def _is_plain(self, place: Place) -> bool:
        return _held(self.roots[place[0]], place[1]) is not None

    def _used_whole(self, ops: list[Op], result: Atom) -> Iterator[str]:
        """The roots that hold what is opened, where an op may do anything with it."""
        for op in ops:
            for atom in _whole_uses(op):
                place = self.place_of(atom)
                if place is not None and self._holds_opened(place):
                    yield place[0]
        place = self.place_of(result)
        if place is not None and self._holds_opened(place):
            yield place[0]

    def _holds_opened(self, place: Place) -> bool:
        n = len(place[1])
        return any(r == place[0] and p[:n] == place[1] for r, p in self.opened)

    def are_deep(self) -> bool:
        """Whether an opened list holds containers: no text that writes into those is
        differentiated again."""
        found = (_held(self.roots[root], path) for root, path in self.opened)
        inner = (f for known in found if known is not None for f in known.items or ())
        return any(f.kind in CONTAINERS for f in inner)

    def changed(self) -> Iterator[tuple[Var, Fact]]:
        """The variables that hold what is opened, and what is known of them now."""
        for name, var in self.vars.items():
            place = self.place_of(var)
            if place is not None and self._holds_opened(place):
                known = self._opened_fact(self.roots[place[0]], (place[0], ()))
                fact = _within(known, place[1]) if name not in self.roots else known
                if fact is not None:
                    yield var, fact

    def _opened_fact(self, known: Fact, place: Place) -> Fact:
        """What is known of a container at a place, where what is opened is of unknown
        length."""
        root, path = place
        if known.items is None:
            return known
        if place in self.opened:
            inner = (root, (*path, ANY))
            items = [anonymous(self._opened_fact(f, inner)) for f in known.items]
            each = functools.reduce(join, items)
            listed = list_of(each, known.cls, len(items))
            return replace(listed, kind=known.kind)
        keys = known.keys if known.keys is not None else range(len(known.items))
        pairs = zip(keys, known.items, strict=True)
        items = [self._opened_fact(f, (root, (*path, k))) for k, f in pairs]
        return replace(known, items=tuple(items))


def _index(key: Const, whole: Atom) -> object:
    """A key as items are counted: the last is no -1."""
    items, at = fact_of_atom(whole).items, key.value
    is_back = isinstance(at, int) and at < 0 and items is not None
    return at + len(items or ()) if is_back and isinstance(at, int) else at


def _computed(op: Op) -> Iterator[Var]:
    """The sequences of known length that an op reads at a computed position."""
    found = tuple[Atom, ...]()
    match op:
        case Apply() if is_item(op):
            key = op.args[1]
            found = op.args[:1] if is_position(key) and isinstance(key, Var) else ()
        case Apply(fn=fn) if fn in _RUNNERS:
            found = op.args
        case For() if _is_sequence(op.iterable):
            found = (op.iterable,)
        case Simple() | Compound():
            pass
        case _:
            assert_never(op)
    for atom in found:
        if isinstance(atom, Var) and atom.fact.kind in CONTAINERS and atom.fact.items:
            yield atom


def _is_sequence(atom: Atom) -> bool:
    return fact_of_atom(atom).kind in ("list", "tuple")


def _whole_uses(op: Op) -> Iterator[Atom]:
    """What an op may do anything with: not what it reads an item of."""
    match op:
        case Read():
            return
        case Apply() if is_item(op) and is_position(op.args[1]):
            return
        case Apply(fn=fn) if fn in (len, *_RUNNERS):
            return
        case For():
            pass
        case Simple() | Compound():
            yield from atoms_of(op)
        case _:
            assert_never(op)
    yield from (a for a in ends_of(op) if isinstance(a, Var))


def _held(known: Fact, path: Path) -> Fact | None:
    """What a sequence holds at a place, where its items are of one kind: numbers,
    arrays, or containers of such; None where they are not."""
    for k, key in enumerate(path):
        if known.items is None:
            return None
        if key is ANY:
            inner = [_held(f, path[k + 1 :]) for f in known.items]
            return None if None in inner else inner[0]
        item = _item(known, key)
        if item is None:
            return None
        known = item
    plain = known.kind in CONTAINERS and known.cls in _PLAIN
    plain = plain and all(type(key) is str for key in known.keys or ())
    return known if plain and known.items and _alike(known.items) else None


def _item(known: Fact, key: object) -> Fact | None:
    """What is known of the item of a container of known structure at a key."""
    assert known.items is not None
    keys = list(known.keys) if known.keys is not None else [*range(len(known.items))]
    return known.items[keys.index(key)] if key in keys else None


def _alike(facts: Sequence[Fact]) -> bool:
    """Whether items may be told apart by their positions alone."""
    if len({f.kind for f in facts}) > 1 or not all(map(_holds_numbers, facts)):
        return False
    return _is_known(functools.reduce(join, facts))


def _holds_numbers(known: Fact) -> bool:
    """Whether a value is a float, an array of floats with axes, or holds such alone."""
    if known.kind == "float":
        return True
    if known.kind == "array":
        return known.is_floating and bool(known.rank)
    items = known.items or ()
    return known.cls in _PLAIN and bool(items) and all(map(_holds_numbers, items))


def _is_known(known: Fact) -> bool:
    """Whether a join of what holds numbers is as well known as each of them."""
    if known.kind not in CONTAINERS:
        return known.kind in ("float", "array")
    inner = known.items if known.items is not None else (known.element,)
    return all(f is not None and _is_known(f) for f in inner)


def _within(known: Fact, path: Path) -> Fact | None:
    """What is known at a place within."""
    for key in path:
        item = known.element if known.items is None else _item(known, key)
        if item is None:
            return None
        known = item
    return known


def _with_items(block: Block, places: _Places, names: Names) -> Block:
    """The block, whose reads of items of what is opened are subscripts of it."""
    reads = [op for op in block if isinstance(op, Read)]
    known = {(op.root, op.path): op.out for op in reads}
    read, taken = list[Op](), list[Op]()
    for op in reads:
        cut = _cut(op, places)
        if cut is None:
            read.append(op)
            continue
        whole = op.root if not cut else known.get((op.root, op.path[:cut]))
        start = cut if whole is not None else 0
        taken += _subscripts(whole or op.root, op, start, names)
    rest = [op for op in block if not isinstance(op, Read)]
    return Block((*read, *taken, *rest)) if taken else block


def _subscripts(whole: Var, op: Read, start: int, names: Names) -> Iterator[Apply]:
    """The subscripts that read the same from what is at the start of the path."""
    for at in range(start, len(op.path)):
        last = at == len(op.path) - 1
        fact = op.out.fact if last else _fact_at(op, at + 1)
        out = op.out if last else Var(names.fresh("t"), fact)
        args = whole, Const(plain_key(op.path[at][1]))
        yield Apply(out, operator.getitem, args, form="subscript", origin=op.origin)
        whole = out


def _fact_at(op: Read, end: int) -> Fact:
    found = _within(op.root.fact, tuple(k for _, k in op.path[:end]))
    assert found is not None
    return found


def _cut(op: Read, places: _Places) -> int | None:
    """How far a read leads to what is opened, beyond which it reads an item."""
    place = places.place_of(op.out)
    if place is None:
        return None
    root, path = place
    cuts = [k for k in range(len(path)) if (root, path[:k]) in places.opened]
    return cuts[0] if cuts else None
