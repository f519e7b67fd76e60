"""A raw reverse sweep -> the reverse sweep that a careful person would write."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.inplace.kept_views import sharing_of
from yota_ast.adjoint.plain_scalars import without_single_names
from yota_ast.adjoint.rewrites import (
    algebra_rewrites,
    broadcast_rewrites,
    einsum_rewrites,
    helper_rewrites,
    matrix_rewrites,
    power_rewrites,
    shape_rewrites,
    signal_rewrites,
    statistics_rewrites,
    sum_rewrites,
    where_rewrites,
)
from yota_ast.adjoint.rewrites.common_values import equal_values
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewrite, Rewriter
from yota_ast.adjoint.rewrites.rewrite_patterns import Table, by_function
from yota_ast.adjoint.vectors import contraction_rewrites
from yota_ast.analysis.unit_axes import note_lengths
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.nodes import Apply, Block, atoms_of, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.syntax.names import identifier

TABLES: tuple[Table, ...] = (
    sum_rewrites.FIRST_TABLE,
    contraction_rewrites.TABLE,
    broadcast_rewrites.TABLE,
    einsum_rewrites.TABLE,
    matrix_rewrites.TABLE,
    signal_rewrites.TABLE,
    helper_rewrites.TABLE,
    statistics_rewrites.TABLE,
    shape_rewrites.TABLE,
    where_rewrites.TABLE,
    power_rewrites.TABLE,
    algebra_rewrites.TABLE,
    sum_rewrites.TABLE,
)
LAST_TABLES: tuple[Table, ...] = (
    broadcast_rewrites.LAST_TABLE,
    helper_rewrites.LAST_TABLE,
    where_rewrites.LAST_TABLE,
)
"""What writes out in the end what nothing has absorbed."""
_OF_SHAPES = (broadcast_rewrites.through, matrix_rewrites.SPREAD)


@functools.cache
def all_rules() -> Mapping[Fn, tuple[Rewrite, ...]]:
    """The rewrites of each function, those of broadcasting first."""
    return by_function(TABLES)


@functools.cache
def _last_rules() -> Mapping[Fn, tuple[Rewrite, ...]]:
    return by_function(LAST_TABLES)


@functools.cache
def _of_floats() -> Mapping[Fn, tuple[Rewrite, ...]]:
    """Those of arithmetic on Python's floats: nothing of it is spread over a shape."""
    return {
        fn: tuple(rewrite for rewrite in all_rules()[fn] if rewrite not in _OF_SHAPES)
        for fn in (
            algebra_rewrites.ADD,
            algebra_rewrites.SUB,
            algebra_rewrites.MUL,
            algebra_rewrites.DIV,
            algebra_rewrites.NEG,
        )
    }


def tidy(
    forward: Block,
    reverse: Block,
    ends: Mapping[str, Atom],
    infer: Infer,
    names: Names,
) -> tuple[Block, dict[str, Atom], Assumptions]:
    """The reverse sweep, tidied; what the adjoints in `ends` have become; and what
    that takes for granted of the arguments."""
    slim = without_single_names(without_dead(reverse, ends.values()), ends.values())
    rewriter = Rewriter(all_rules(), infer, names, _of_floats(), uses=_uses(slim, ends))
    note_lengths(rewriter.assumed, forward)
    rewriter.known |= equal_values(forward)
    at_hand = rewriter.register(forward)
    rewriter.not_zero(forward)
    made = rewriter.block(slim, at_hand)
    adjoints = {name: rewriter.atom(d) for name, d in ends.items()}
    made = without_dead(made, adjoints.values())
    # What is spread over a shape after all is written out when nothing can absorb it.
    if _applies(_last_rules(), made):
        last = Rewriter(_last_rules(), infer, names)
        made = last.block(made, last.register(forward))
        adjoints = {name: last.atom(d) for name, d in adjoints.items()}
        made = without_dead(made, adjoints.values())
    made, adjoints = _called(made, adjoints)
    return made, adjoints, rewriter.assumed


def _applies(rules: Mapping[Fn, tuple[Rewrite, ...]], block: Block) -> bool:
    """Whether any of some rules is one of a function in a block."""
    return any(isinstance(op, Apply) and op.fn in rules for op in walk(block))


def _called(block: Block, adjoints: dict[str, Atom]) -> tuple[Block, dict[str, Atom]]:
    """The same, the adjoint of an argument that others are made of called by its
    name."""
    own = {op.out for op in block if isinstance(op, Apply) and op.out.hint is None}
    ends = [d for d in adjoints.values() if isinstance(d, Var)]
    read = {a for op in walk(block) for a in atoms_of(op) if isinstance(a, Var)}
    hints = {
        d: replace(d, hint=f"d{identifier(name)}")
        for name, d in adjoints.items()
        if isinstance(d, Var) and d in own & read and ends.count(d) == 1
    }
    if not hints:
        return block, adjoints
    put = Substitution({old.name: new for old, new in hints.items()})
    return put.block(block), {name: put.atom(d) for name, d in adjoints.items()}


def _uses(block: Block, ends: Mapping[str, Atom]) -> dict[str, int]:
    counts: dict[str, int] = {}
    atoms = [a for op in walk(block) for a in atoms_of(op)]
    for atom in (*atoms, *ends.values()):
        if isinstance(atom, Var):
            counts[atom.name] = counts.get(atom.name, 0) + 1
    return counts


def tidy_beside(
    block: Block, ends: Sequence[Atom], values: Sequence[Atom], infer: Infer,
    names: Names,
) -> tuple[Block, list[Atom], Assumptions]:  # fmt: skip
    """A block of values and their tangents, the tangents tidied and the values, that
    are read after it, left as they are; and what the tangents `ends` have become."""
    read = {str(k): v for k, v in enumerate((*ends, *values))}
    slim = without_dead(block, read.values())
    saved = frozenset(v.name for op in walk(slim) if is_loop(op) for v in op.saved)
    uses = _uses(slim, read)
    rewriter = Rewriter(
        all_rules(), infer, names, _of_floats(), uses=uses, beside=True, saved=saved
    )
    rewriter.sharing = sharing_of(slim)
    rewriter.written = rewriter.sharing.written(*slim)
    made = rewriter.block(slim)
    made_ends = [rewriter.atom(end) for end in ends]
    made = without_dead(made, [*made_ends, *values])
    last = Rewriter(_last_rules(), infer, names, beside=True, saved=saved)
    last.sharing = sharing_of(made)
    last.written = last.sharing.written(*made)
    made = last.block(made)
    made_ends = [last.atom(end) for end in made_ends]
    return without_dead(made, [*made_ends, *values]), made_ends, rewriter.assumed
