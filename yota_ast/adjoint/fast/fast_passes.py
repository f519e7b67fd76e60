"""The sweeps of a gradient -> the same, made for speed: the passes in order."""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast.adjoint.fast.block_loops import in_blocks
from yota_ast.adjoint.fast.cheaper_functions import with_cheaper_functions
from yota_ast.adjoint.rewrites.rewrite_engine import Assumptions
from yota_ast.ir.atoms import Atom
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.nodes import Block
from yota_ast.support.passes import enabled


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
        ahead = with_cheaper_functions(ahead, infer, names)
        back = with_cheaper_functions(back, infer, names)
    if enabled("fast-blocks"):
        ahead, back = in_blocks(ahead, back, ends, infer, names, assumed)
    return ahead, back
