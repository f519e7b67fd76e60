"""A forward sweep -> which variables are one object, and the last that stands for it.

An array that is written in place has a new variable after each store, and one more for
each loop that carries it round: all are one object, of one shape and dtype. What reads
a variable for its shape alone may as well read the last of them, of which nothing need
be kept.
"""

from __future__ import annotations

from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.block_places import Places
from yota_ast.analysis.points_to import is_augmented
from yota_ast.ir.atoms import Atom, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of, merges_of
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
    map_blocks,
    walk,
)
from yota_ast.ir.store_changes import changes_length
from yota_ast.ops import info


def values_read(block: Block, *also: Atom | Undefined) -> frozenset[str]:
    """The names of what a block, or what stands after it, reads for more than shape
    and dtype."""
    found = {a.name for a in also if isinstance(a, Var)}
    for op in walk(block):
        shape = info(op.fn).shape_only if isinstance(op, Apply) else ()
        read = (a for k, a in enumerate(atoms_of(op)) if k not in shape)
        found.update(a.name for a in (*read, *ends_of(op)) if isinstance(a, Var))
    return frozenset(found)


@dataclass(slots=True)
class Objects:
    """For each variable, the one that is known to be the same object from the first."""

    first: dict[str, str] = field(default_factory=dict)
    given_up: set[str] = field(default_factory=set)
    """What loops carry that does not stay: nor does it where less is taken to stay, as
    when a loop around is gone through again."""

    def of(self, name: str) -> str:
        """The name of the first variable of the object."""
        return self.first.get(name, name)

    def visit(self, block: Block) -> None:
        """Enter the ops of a block. What a loop carries is taken to stay the object
        that it was, and given up where it turns out not to."""
        for op in block:
            match op:
                case Store():
                    if not changes_length(op.change):
                        self.same(op.out, op.target)
                case Apply() if is_augmented(op) and _is_in_place(op):
                    self.same(op.out, op.args[0])
                case For() | While():
                    self._loop(op)
                case Simple() | Compound():
                    for inner in blocks_of(op):
                        self.visit(inner)
                    for m in merges_of(op):
                        if self.agree(m.then, m.orelse):
                            self.same(m.out, m.then)
                case _:
                    assert_never(op)

    def _loop(self, op: For | While) -> None:
        may_stay = (c for c in op.carries if isinstance(c.init, Var))
        steady = [c for c in may_stay if c.inside.name not in self.given_up]
        while True:
            before = dict(self.first)
            for c in steady:
                self.same(c.inside, c.init)
            for inner in blocks_of(op):
                self.visit(inner)
            held = [c for c in steady if self.agree(c.next, c.init)]
            if len(held) == len(steady):
                break
            self.given_up.update(c.inside.name for c in steady if c not in held)
            self.first, steady = before, held
        for c in steady:
            self.same(c.out, c.init)

    def agree(self, a: Atom | Undefined, b: Atom | Undefined) -> bool:
        """Whether two ends are certainly the same object."""
        if not isinstance(a, Var) or not isinstance(b, Var):
            return False
        return self.of(a.name) == self.of(b.name)

    def same(self, var: Var, as_: Atom | Undefined) -> None:
        """A variable is the object that another is."""
        if isinstance(as_, Var):
            self.first[var.name] = self.of(as_.name)


def _is_in_place(op: Apply) -> bool:
    """Whether an `y *= e` of the reverse sweep writes into y: it has axes."""
    known = fact_of_atom(op.args[0])
    return op.origin.reverse and known.kind == "array" and bool(known.rank)


def objects_of(block: Block) -> Objects:
    """The objects of a forward sweep."""
    objects = Objects()
    objects.visit(block)
    return objects


def last_version(name: str, places: Places, objects: Objects) -> Var | None:
    """The last variable of the object among those that stand where the first does, and
    so in scope wherever any of them is; None where there is only one."""
    first = objects.of(name)
    if first not in places.of or places.of[first].arms:
        return None
    home = places.of[first]
    found = [n for n in places.of if objects.of(n) == first and places.of[n] == home]
    last = max(found, key=places.order.__getitem__)
    return None if last == name else places.vars[last]


def with_last_versions(reverse: Block, places: Places, objects: Objects) -> Block:
    """The reverse sweep, reading the last version of what it reads for its shape."""

    def inside(block: Block) -> Block:
        return with_last_versions(block, places, objects)

    return Block(
        tuple(
            _with_last(op, places, objects)
            if isinstance(op, Apply)
            else map_blocks(op, inside)
            for op in reverse
        )
    )


def with_last_makers(places: Places, objects: Objects) -> dict[str, Op]:
    """What makes the values of a forward sweep that tell a shape, of the last version
    of what they are told of: by it they are computed again."""
    found: dict[str, Op] = {}
    for name, op in places.maker.items():
        if isinstance(op, Apply) and info(op.fn).shape_only:
            last = _with_last(op, places, objects)
            if last is not op:
                found[name] = last
    return found


def _with_last(op: Apply, places: Places, objects: Objects) -> Apply:
    for at in info(op.fn).shape_only:
        read = op.args[at] if at < len(op.args) else None
        if not isinstance(read, Var) or read.name not in places.of:
            continue
        last = last_version(read.name, places, objects)
        if last is not None:
            op = replace(op, args=(*op.args[:at], last, *op.args[at + 1 :]))
    return op
