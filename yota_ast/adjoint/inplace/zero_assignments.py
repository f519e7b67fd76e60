"""A reverse sweep in place -> the same, where zeroing and adding are one assignment.

The adjoint of `y[i] *= e` is `d = dy[i]; dy[i] = 0; dy[i] += d * e`; the last two are
`dy[i] = d * e`. So are those of rows that change places: the adjoint of
`y[[i, j]] = y[[j, i]]` is `dy[[j, i]] = dy[[i, j]]`. And what is first added to a cell
of `np.zeros_like(y)` is put there, where cells are written by their numbers.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of, names_read
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Simple,
    Store,
    atoms_of,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import ADD, PUT, Update, is_repeated, is_sum
from yota_ast.ops import info
from yota_ast.ops.subscript_memory import makes_index
from yota_ast.runtime import unstore

Makers = Mapping[str, Apply]


def makers_of(block: Block) -> dict[str, Apply]:
    """What makes the variables of a block and of those within."""
    return {op.out.name: op for op in walk(block) if isinstance(op, Apply)}


def with_assignments(block: Block, infer: Infer, names: Names, makers: Makers) -> Block:
    """The block, with each zeroing put together with the sum that follows it."""
    return _Assigning(infer, names, makers).block(block)


class Following(Substitution):
    """Puts others in the places of variables, through several."""

    def var(self, var: Var) -> Var:
        """What stands for a variable in the end."""
        while var.name in self.made:
            var = self.made[var.name]
        return var


def without_unchanged(block: Block, ends: Iterable[Atom | Undefined]) -> Block:
    """The block without `dy[1:-1] = dy[1:-1]`; ends: what is read when it has run."""
    makers = makers_of(block)
    later = {atom.name for atom in ends if isinstance(atom, Var)}
    same = {
        op.out.name: op.target
        for op in only(walk(block), Store)
        if op.out.name not in later and _puts_back(op, makers)
    }
    if not same:
        return block

    def kept(block: Block) -> Block:
        ops = [map_blocks(op, kept) for op in block]
        stays = [
            op for op in ops if not (isinstance(op, Store) and op.out.name in same)
        ]
        return of_ops(block, tuple(stays))

    return Following(same).block(kept(block))


def _puts_back(op: Store, makers: Makers) -> bool:
    """Whether a slice is put where it is: it is a view, so nothing has changed it."""
    read = makers.get(op.value.name) if isinstance(op.value, Var) else None
    if read is None or read.fn is not operator.getitem or op.change != PUT:
        return False
    parts = op.index.value if isinstance(op.index, Const) else None
    parts = parts if isinstance(parts, tuple) else (parts,)
    sliced = any(type(part) is slice for part in parts)
    plain = all(type(part) in (slice, int) for part in parts)
    return sliced and plain and read.args == (op.target, op.index)


@dataclass(frozen=True, slots=True)
class _Assigning:
    infer: Infer
    names: Names
    makers: Makers

    def block(self, block: Block) -> Block:
        joined = self.joined(block)
        gone = {zero.out.name for zero in joined.values()}
        builder = Builder(self.infer, self.names)
        for op in block:
            if isinstance(op, Store) and op.out.name in gone:
                continue
            if isinstance(op, Store) and op.out.name in joined:
                builder.origin, value = op.origin, op.value
                if isinstance(op.change, Update) and op.change.fn is operator.sub:
                    value = builder.apply(operator.neg, value)
                zero = joined[op.out.name]
                target = zero.target
                same = same_index(zero.index, op.index, self.makers)
                if is_repeated(op.change) or not same:
                    value = self.picked(value, builder)
                op = replace(op, target=target, value=value, change=PUT)
            builder.ops.append(map_blocks(op, self.block))
        return with_first_put(builder.block())

    def picked(self, value: Atom, builder: Builder) -> Atom:
        """Of two that are the same element, either has the whole of its adjoint."""
        read = self.makers.get(value.name) if isinstance(value, Var) else None
        if read is None or read.fn is not unstore:
            return value
        return builder.apply(operator.getitem, *read.args, fact=read.out.fact)

    def joined(self, block: Block) -> dict[str, Store]:
        """By the result of a sum, the zeroing just before it of the same cells."""
        zeros = {
            op.out.name: op
            for op in block
            if isinstance(op, Store) and op.change == PUT and op.value == Const(0.0)
        }
        found: dict[str, Store] = {}
        for op in block:
            if not isinstance(op, Store) or not is_sum(op.change):
                continue
            zero = zeros.get(op.target.name)
            if zero is None or _reads(block, zero.out.name) != 1:
                continue
            once = not is_repeated(op.change)
            same = once and same_index(zero.index, op.index, self.makers)
            if same or self.permuted(zero, op):
                found[op.out.name] = zero
        return found

    def permuted(self, zero: Store, total: Store) -> bool:
        """Whether what stood at some indices is added at the same in another order.

        Where two are the same element, it is zeroed and gets what it was.
        """
        read = self.makers.get(getattr(total.value, "name", ""))
        if read is None or read.fn not in (operator.getitem, unstore):
            return False
        if read.args != (zero.target, zero.index):
            return False
        first, second = self.items(zero.index), self.items(total.index)
        if first is None or second is None or first[1] != second[1]:
            return False
        return len(first[0]) == 2 and Counter(first[0]) == Counter(second[0])

    def items(self, index: Atom) -> tuple[tuple[Atom, ...], tuple[Atom, ...]] | None:
        """The items of an index that begins with a list, and its other parts."""
        made = self.makers.get(index.name) if isinstance(index, Var) else None
        if made is None or made.fn not in (build_list, build_tuple):
            return None
        if made.fn is build_list:
            return made.args, ()
        inner = self.items(made.args[0])
        return None if inner is None or inner[1] else (inner[0], made.args[1:])


def same_index(one: Atom, other: Atom, makers: Makers) -> bool:
    """Whether two indices are built alike of the same numbers."""
    if one == other or isinstance(one, Const) or isinstance(other, Const):
        return one == other
    first, second = makers.get(one.name), makers.get(other.name)
    if first is None or second is None or first.fn != second.fn:
        return False
    if not makes_index(first.fn) or len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    return all(same_index(a, b, makers) for a, b in pairs)


def with_first_put(block: Block) -> Block:
    """The block, where what is added first to a cell of new zeros is assigned to it,
    and what is added to a part of them before all else."""
    ops: list[Op] = []
    written: dict[str, frozenset[int]] = {}  # of new zeros, the cells that are none
    parts: dict[str, tuple[Atom, ...]] = {}
    for op in block:
        match op:
            case Store():
                cells, cell = written.pop(op.target.name, None), _cell(op.index)
                if cells is not None and cell is not None:
                    if op.change == ADD and cell not in cells:
                        op = replace(op, change=PUT)
                    written[op.out.name] = cells | {cell}
                elif cells == frozenset() and op.change == ADD and _fills(op, parts):
                    op = replace(op, change=PUT)
            case Apply():
                shape = info(op.fn).shape_only
                for k, atom in enumerate(atoms_of(op)):  # a view may be written next
                    if isinstance(atom, Var) and k not in shape:
                        written.pop(atom.name, None)
                if op.fn is np.zeros_like:
                    written[op.out.name] = frozenset()
                if op.fn is build_tuple:
                    parts[op.out.name] = op.args
            case Simple() | Compound():
                for name in names_read(Block((op,))):
                    written.pop(name, None)
            case _:
                assert_never(op)
        ops.append(op)
    return Block(tuple(ops))


def _fills(store: Store, parts: Mapping[str, tuple[Atom, ...]]) -> bool:
    """Whether real numbers go to a part of an array of floats that slices tell; parts:
    those of indices, by their names."""
    target, value = store.target.fact, fact_of_atom(store.value)
    floats = target.kind == "array" and target.dtype is not None
    if not floats or value.dtype is None or value.dtype.kind not in "fiu":
        return False
    index = fact_of_atom(store.index)
    found = index.items if index.kind == "tuple" else (index,)
    if isinstance(store.index, Var) and store.index.name in parts:
        found = (*map(fact_of_atom, parts[store.index.name]),)
    return found is not None and all(p.kind == "int" or p.cls is slice for p in found)


def _cell(index: Atom) -> int | None:
    """The number of a cell, counted from the front."""
    number = index.value if isinstance(index, Const) else None
    return number if type(number) is int and number >= 0 else None


def _reads(block: Block, name: str) -> int:
    atoms = (a for op in walk(block) for a in (*atoms_of(op), *ends_of(op)))
    return sum(isinstance(a, Var) and a.name == name for a in atoms)
