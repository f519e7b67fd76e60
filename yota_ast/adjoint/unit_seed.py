"""A tidied reverse sweep -> the same for a seed of 1, to the last bit.

    dx = seed / c * x        dx = 1.0 / c * x
    dy = seed * y            dy = y

In: the sweep, and the adjoints at its end.  Out: the same with 1.0 for the seed, and
products with it left out. It is done after all that changes the order of factors, so
that the numbers are those of the sweep that is given a seed of 1.

A sum may begin with such a product, or with what a loop or a branch makes of it, and
the order of its terms depends on whether the sweep may add to it in place. So this
product stays until that is decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.engine import Definition, Ends, defined_in, made_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    atoms_of,
    blocks_of,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS, operated

Adjoints = Mapping[str, Atom]


def with_unit(back: Block, ends: Adjoints, seed: Var) -> tuple[Block, dict[str, Atom]]:
    """Return the sweep and the adjoints where the seed is 1."""
    stay = _starts_of_sums(back) | _ends_of_forward(back, ends)
    put = Substitution({seed.name: Const(1.0)})
    return _without(back, ends, put, lambda op: op.out not in stay)


def without_units(back: Block, ends: Adjoints) -> tuple[Block, dict[str, Atom]]:
    """Return the sweep without the products with 1 that its sums began with or add. An
    array stays where anything but one sum reads it: its memory may be written."""
    read = [a for op in walk(back) for a in atoms_of(op)] + list(ends.values())
    reads = Counter(atom.name for atom in read if isinstance(atom, Var))
    sums = {op.args[0] for op in back if isinstance(op, Apply) and _is_sum(op)}
    sums |= set(_terms(back))

    def may_go(op: Apply) -> bool:
        alone = reads[op.out.name] == 1 and op.out in sums
        number = op.out.fact.is_immutable or all(isinstance(a, Const) for a in op.args)
        return alone or number

    return _without(back, ends, Substitution({}), may_go)


def _terms(block: Block) -> Iterator[Atom]:
    """Yield what sums add that nothing may have written into since it was made."""
    made = set[Atom]()
    for op in block:
        for inner in blocks_of(op):
            yield from _terms(inner)
        if not isinstance(op, Apply):
            made.clear()
            continue
        if _is_sum(op) and op.args[1] in made:
            yield op.args[1]
        if op.form == "augmented" or op.effect:
            made.clear()
        else:
            made.add(op.out)


def _starts_of_sums(back: Block) -> set[Var]:
    """Return what sums begin with, also by way of loops and branches."""
    sums = filter(_is_sum, only(walk(back), Apply))
    handed = defined_in(back)
    return made_of((op.args[0] for op in sums), handed, _handed)


def _ends_of_forward(back: Block, ends: Adjoints) -> set[Var]:
    """Return the products with an array of the forward sweep that adjoints are at the
    end: without the product nothing would read that array before it is overwritten."""
    own = {var.name for op in walk(back) for var in bound_by(op)}
    last = made_of(ends.values(), defined_in(back), _handed)
    products = (op for op in only(walk(back), Apply) if op.out in last)
    return {
        op.out
        for op in products
        if any(isinstance(a, Var) and a.name not in own for a in op.args)
        and not op.out.fact.is_immutable
    }


def _handed(definition: Definition) -> Ends:
    return definition if isinstance(definition, tuple) else ()


def _is_sum(op: Apply) -> bool:
    return operated(op.fn) in TERMS


def _without(
    back: Block, ends: Adjoints, put: Substitution, may_go: Callable[[Apply], bool]
) -> tuple[Block, dict[str, Atom]]:
    def changed(block: Block) -> Block:
        ops: list[Op] = []
        for op in block:
            new = put.op(map_blocks(op, changed))
            found = _plain(new)
            if found is not None and isinstance(op, Apply) and may_go(op):
                put.made[op.out.name] = found
            else:
                ops.append(_anew(op, new))
        return of_ops(block, tuple(ops))

    done = changed(back)
    made = {name: put.atom(d) for name, d in ends.items()}
    return without_dead(done, made.values()), made


def _anew(op: Op, new: Op) -> Op:
    """Return a sum that makes a new value, where what it was added to has gone."""
    if not isinstance(op, Apply) or not isinstance(new, Apply):
        return new
    added = op.form == "augmented" and new.args[0] != op.args[0]
    return replace(new, form="operator") if added else new


def _plain(op: Op) -> Atom | None:
    """Return what a product with 1 is."""
    if not isinstance(op, Apply) or info(op.fn).arithmetic != "product":
        return None
    for one, other in (op.args, op.args[::-1]):
        if one != Const(1.0):
            continue
        if isinstance(other, Const):
            return _as_float(other)
        known = fact_of_end(other)
        if known.is_floating and known.kind == op.out.fact.kind:
            return other
    return None


def _as_float(number: Const) -> Const | None:
    """Return a number that is written in the sweep as the float that 1.0 makes it."""
    value = number.value
    if number.text is not None or isinstance(value, bool):
        return None
    return Const(float(value)) if isinstance(value, (int, float)) else None
