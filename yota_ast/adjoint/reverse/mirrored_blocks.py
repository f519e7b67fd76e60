"""The blocks of a tape -> what the blocks of the reverse sweep that mirror them are
made of: flags, names, places, the leaves of what a branch or a loop joins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final, TypeVar, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, replace, replacer
from yota_ast.adjoint.reverse.contributions import leaves_of
from yota_ast.ir.abstract_values import BOOL
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    If,
    Merge,
    Op,
    Origin,
    Raise,
    Simple,
    Try,
    While,
    atoms_of,
    defined_by,
    map_blocks,
)
from yota_ast.support.public_names import FILTERS
from yota_ast.syntax import saved_names

_Joined = TypeVar("_Joined", Merge, Carry)


@dataclass(frozen=True, slots=True)
class Backwards:
    """The iterations of a loop of the forward sweep, last first; called by the name of
    its first carried variable."""

    loop: str


def loop_key(op: For | While) -> str:
    """The name by which the reverse of a loop refers to it."""
    return op.carries[0].out.name


_turned: Final = replacer(Origin, "text", "reverse")


def backwards(origin: Origin) -> Origin:
    """The place of what reverses a statement; a comment quotes no headers of blocks."""
    text = "" if origin.text.endswith(":") else origin.text
    return _turned(origin, text, True)


def names_within(block: Block) -> frozenset[str]:
    """The variables that the ops of a block define (inner blocks not included)."""
    return frozenset(v.name for op in block for v in defined_by(op))


def never_ends(block: Block) -> bool:
    """Whether a block always raises."""
    if not block.ops:
        return False
    match last := block.ops[-1]:
        case If():
            return never_ends(last.then) and never_ends(last.orelse)
        case Raise():
            return True
        case Simple() | Compound():
            return False
        case _:
            assert_never(last)


def with_flags(block: Block, names: Names) -> Block:
    """The block, each try in it with a first merge that tells whether its body
    raised."""
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Try):
            out = Var(names.fresh("caught"), BOOL, saved_names.CAUGHT)
            told = Merge(out, Const(False), Const(True))
            op = replace(op, merges=(told, *op.merges))
        ops.append(map_blocks(op, lambda inner: with_flags(inner, names)))
    return Block(tuple(ops))


def filters(body: Block, names: Names) -> Iterator[Apply]:
    """What a body says of the warnings that are wanted, once more."""
    for op in body:
        if isinstance(op, Apply) and op.fn in FILTERS:
            if all(isinstance(a, Const) for a in atoms_of(op)):
                out = Var(names.fresh(op.out.name), op.out.fact)
                origin = replace(backwards(op.origin), text="")  # it says it itself
                yield replace(op, out=out, origin=origin)


def each_leaf(joined: _Joined) -> list[_Joined]:
    """What a branch or a loop joins; of containers, the leaves one by one."""
    leaves = leaves_of(joined.out)
    if leaves == (joined.out,):
        return [joined]
    sides = [f.name for f in fields(joined)]
    found = []
    for leaf in leaves:
        place = leaf.name.removeprefix(joined.out.name)
        parts: dict[str, Any] = {
            side: _leaf_at(getattr(joined, side), place) for side in sides
        }
        found.append(replace(joined, **parts))
    return found


def _leaf_at(atom: Atom | Undefined, place: str) -> Atom | Undefined:
    """The leaf of a container at a place; no variable where there is none."""
    if not isinstance(atom, Var):
        return atom
    at = {v.name.removeprefix(atom.name): v for v in leaves_of(atom)}
    return at.get(place, Const(0.0))
