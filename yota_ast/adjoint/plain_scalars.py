"""A reverse sweep -> the same, with fewer names for numbers.

The adjoint of a sum over a loop is the same in all iterations. It is read by the name
that it has outside:

    dcost = seed
    for x_in in saved[::-1]:         for x_in in saved[::-1]:
        dx += dcost * x_in               dx += seed * x_in

A number that is a product of the seed and of what the forward sweep has computed needs
no name where it is read once, in the same block:

    dtotal = seed * rate
    dx = dtotal * w                  dx = (seed * rate) * w

An adjoint that is made of another adjoint keeps its name, and so does one that is
returned, or that two statements read.

The zeros for a list of numbers need no helper that asks what its items are:

    dv = zeros_of(v)                 dv = [0.0] * len(v)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.results.rows_of_numbers import zero_rows
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import is_loop, read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_list
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Op,
    atoms_of,
    defined_by,
    map_blocks,
    of_ops,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ops import info
from yota_ast.runtime import unbroadcast, zeros_in_lists, zeros_of, zeros_within
from yota_ast.syntax.names import is_weak

_MOST_FACTORS: Final = 2
"""How many factors a number has that is written where it is read."""
_SCALING: Final = ("product", "quotient", "negative")


Ends = dict[str, Atom]


def without_constant_carries(block: Block, ends: Ends) -> tuple[Block, Ends]:
    """Return a block whose loops carry no number that no iteration changes, and what
    the adjoints in `ends` are then."""
    found: dict[str, Atom] = {}
    block = _with_fewer_carries(block, found)
    if not found:
        return block, ends
    put = Substitution({name: _followed(atom, found) for name, atom in found.items()})
    return put.block(block), {name: put.atom(d) for name, d in ends.items()}


def _with_fewer_carries(block: Block, found: dict[str, Atom]) -> Block:
    def of_op(op: Op) -> Op:
        op = map_blocks(op, lambda inner: _with_fewer_carries(inner, found))
        if not is_loop(op):
            return op
        kept = tuple(c for c in op.carries if not _is_constant(c, found))
        if not kept or len(kept) == len(op.carries):
            return op
        for carry in op.carries:
            if carry not in kept and not isinstance(carry.init, Undefined):
                names = (carry.inside.name, carry.out.name)
                found.update(dict.fromkeys(names, carry.init))
        return replace(op, carries=kept)

    return Block(tuple(map(of_op, block)))


def _is_constant(carry: Carry, found: Mapping[str, Atom]) -> bool:
    """Whether a carried number is what it was, and that has a name or is written."""
    init, following = carry.init, carry.next
    if isinstance(init, Undefined) or isinstance(following, Undefined):
        return False
    named = isinstance(init, Const) or not is_weak(init.hint)
    same = _followed(following, found) == carry.inside
    return same and named and carry.out.fact.is_scalar


def _followed(atom: Atom, found: Mapping[str, Atom]) -> Atom:
    while isinstance(atom, Var) and atom.name in found:
        atom = found[atom.name]
    return atom


def without_single_names(block: Block, ends: Iterable[Atom]) -> Block:
    """Return a raw reverse sweep in which numbers that are read once have no name."""
    counts = read_counts(block, ends)
    made = {v.name for op in walk(block) for v in defined_by(op)}

    def renamed(inner: Block) -> Block:
        read = {a.name for op in inner for a in atoms_of(op) if isinstance(a, Var)}
        of_seed: dict[str, float] = {}
        put: dict[str, Var] = {}
        for op in inner:
            size = _factors(op, made, of_seed)
            if isinstance(op, Apply) and size <= _MOST_FACTORS:
                of_seed[op.out.name] = size
                named = not is_weak(op.out.hint)
                if named and op.out.name in read and counts[op.out.name] == 1:
                    put[op.out.name] = replace(op.out, hint=None)
        within = Block(tuple(map_blocks(op, renamed) for op in inner))
        return Substitution(put).block(within) if put else within

    return renamed(block)


def _factors(op: Op, made: set[str], of_seed: Mapping[str, float]) -> float:
    """Return how often a number is multiplied or divided that is made of the seed and
    of what the forward sweep has computed alone; infinity for any other op."""
    if not isinstance(op, Apply) or not op.origin.reverse or op.out.fact.shape != ():
        return inf
    scales = info(op.fn).arithmetic in _SCALING
    if op.fn is not unbroadcast and not scales:
        return inf
    args = op.args[:1] if op.fn is unbroadcast else op.args
    inner = [a.name for a in args if isinstance(a, Var) and a.name in made]
    if any(name not in of_seed for name in inner):
        return inf
    return sum(of_seed[n] for n in inner) + scales


def with_zero_numbers(block: Block, infer: Infer, names: Names) -> Block:
    """The block, in which zeros for the numbers of a list are written as such."""
    builder = Builder(infer, names)
    for op in block:
        if isinstance(op, Apply) and op.fn is zeros_of and _holds_numbers(op.args[0]):
            builder.origin = op.origin
            zero = builder.apply(build_list, Const(0.0), form="build")
            count = builder.apply(len, *op.args)
            builder.ops.append(
                replace(op, fn=operator.mul, args=(zero, count), form="operator")
            )
        elif isinstance(op, Apply) and op.fn in (zeros_within, zeros_in_lists):
            builder.origin = op.origin
            if not zero_rows(builder, op.args[0], op.out):
                builder.ops.append(op)
        else:
            inner = map_blocks(op, lambda b: with_zero_numbers(b, infer, names))
            builder.ops.append(inner)
    return of_ops(block, builder.block().ops)


def _holds_numbers(items: Atom) -> bool:
    """Whether all items of a list are numbers, and how many is not known."""
    known = fact_of_atom(items)
    if known.kind != "list" or known.items is not None:
        return False
    each = element_of(known)
    return each.is_scalar and each.kind != "array" and not each.is_complex
