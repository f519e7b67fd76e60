"""A tape -> the same, where a comparison is made once that a statement makes twice.

    r[r > 0] = r[r > 0] ** p        ->        mask = r > 0
                                              r[mask] = r[mask] ** p

The reverse sweep then has one mask for both places: what it puts back where it has
taken it out it need not add. Nothing between the two is written to, and neither has a
name by which it could be.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.atoms import Const
>>> x, y = (Var(n, array_fact("f8", (None,))) for n in "xy")
>>> a, b = (Var(n, array_fact("?", (None,))) for n in "ab")
>>> two = [Apply(m, operator.gt, (x, Const(0)), form="operator") for m in (a, b)]
>>> reads = [Apply(y, operator.getitem, (x, m)) for m in (a, b)]
>>> [op.args[1].name for op in with_masks_once(Block((*two, *reads))).ops[1:]]
['a', 'a']
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Raise,
    Read,
    Simple,
    Store,
    atoms_of,
    map_blocks,
    of_ops,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ops.spellings import COMPARING

_COMPARING: Final = {fn for op in COMPARING for fn in (op.fn, op.ufunc) if fn}


def with_masks_once(block: Block, result: Atom | None = None) -> Block:
    """Return a block, and those within, with such comparisons made once; result: what
    is read behind it."""
    if sum(isinstance(op, Apply) and op.fn in _COMPARING for op in walk(block)) < 2:
        return block
    masks = _Masks(frozenset(_read_elsewhere(block)) | _names(result))
    masks.into(block)
    if not masks.first:
        return block
    return Substitution(masks.first).block(_without(block, masks.first))


def _names(atom: Atom | Undefined | None) -> frozenset[str]:
    return frozenset([atom.name] if isinstance(atom, Var) else [])


def _read_elsewhere(block: Block) -> Iterator[str]:
    """Yield the names of what is read other than as an index."""
    for op in walk(block):
        yield from (a.name for a in _atoms_elsewhere(op) if isinstance(a, Var))


def _atoms_elsewhere(op: Op) -> Sequence[Atom | Undefined]:
    match op:
        case Apply() if op.fn is operator.getitem:
            return op.args[:1]
        case Store():
            return op.target, op.value
        case Simple() | Compound():
            return [*atoms_of(op), *ends_of(op)]
        case _:
            assert_never(op)


@dataclass(frozen=True, slots=True)
class _Masks:
    """elsewhere: what is read other than as an index. first: what stands for a mask
    that is made again."""

    elsewhere: frozenset[str]
    first: dict[str, Var] = field(default_factory=dict)

    def into(self, block: Block) -> None:
        """Find the masks that are made again in a block, and in those within."""
        seen: dict[Hashable, Var] = {}
        for op in block:
            match op:
                case Apply() if op.effect or op.form == "augmented":
                    seen.clear()
                case Apply() if self._is_mask(op):
                    other = seen.setdefault(_identity(op), op.out)
                    if other != op.out:
                        self.first[op.out.name] = other
                case Apply() | Read() | Raise():
                    pass
                case Store():
                    seen.clear()
                case Simple():
                    raise AssertionError(op)
                case Compound():
                    seen.clear()
                    map_blocks(op, self._within)
                case _:
                    assert_never(op)

    def _within(self, block: Block) -> Block:
        self.into(block)
        return block

    def _is_mask(self, op: Apply) -> bool:
        """Say whether an op compares, and what it makes is read as an index alone."""
        known = op.out.fact
        is_mask = known.kind == "array" and known.dtype == bool and not op.kwargs
        return is_mask and op.fn in _COMPARING and op.out.name not in self.elsewhere


def _identity(op: Apply) -> Hashable:
    atoms = (a.name if isinstance(a, Var) else a.key() for a in op.args)
    return (op.fn, *atoms)


def _without(block: Block, gone: Mapping[str, Var]) -> Block:
    """Return a block without the ops that make what something else stands for."""
    kept = (o for o in block if not (isinstance(o, Apply) and o.out.name in gone))
    inner = (map_blocks(op, lambda b: _without(b, gone)) for op in kept)
    return of_ops(block, tuple(inner))
