"""The sweeps of a gradient -> the same, made for speed: the passes in order."""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.fast.block_loops import in_blocks
from yota_ast.adjoint.fast.cheaper_functions import with_cheaper_functions
from yota_ast.adjoint.fast.product_sums import with_products
from yota_ast.adjoint.fast.written_joins import Written, with_written_joins
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.ir.atoms import Atom, Undefined
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.nodes import Block, atoms_of, walk
from yota_ast.ir.tape import Tape
from yota_ast.support.passes import enabled


def before_adjoints(tape: Tape, names: Names) -> Written:
    """A tape of which fast adjoints are made, what the entry then tests, and which
    arguments are like what loops hand on."""
    if not enabled("fast-joins"):
        return tape, (), {}
    return with_written_joins(tape, names)


def made_fast(
    ahead: Block,
    back: Block,
    ends: Sequence[Atom],
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> tuple[Block, Block]:
    """Both sweeps; ends: what is read behind them; assumed: what they take for granted
    of the arguments, to which more may be added."""
    if enabled("fast-functions"):
        ahead, back = with_cheaper_functions(ahead, back, infer, names)
    if enabled("fast-sums"):
        ahead, back = with_products(ahead, back, infer, names, assumed)
        back = without_dead(back, ends)
        ahead = without_dead(ahead, (*ends, *_read(back)))
    if enabled("fast-blocks"):
        ahead, back = in_blocks(ahead, back, ends, infer, names, assumed)
    return ahead, back


def _read(block: Block) -> list[Atom | Undefined]:
    return [a for op in walk(block) for a in (*atoms_of(op), *ends_of(op))]
