"""A reverse sweep -> the same, where new memory for adjoints holds floats in any case.

`np.zeros_like(y)` holds whole numbers where y does; and y does where it is made of
numbers alone, `y = np.array([a, b])`, and the text is called with whole ones, as
`f(1, 2)`. Then it is `np.zeros_like(y, float)`. Of arrays that are arguments the text
asks that they hold floats.

In: both sweeps, and whether a function of the text is handed such arrays.  Out: the
reverse sweep.
"""

from __future__ import annotations

from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.analysis.dtypes import FloatsInAnyCall, is_of_doubles
from yota_ast.analysis.engine import definitions_in
from yota_ast.ir.atoms import Const
from yota_ast.ir.nodes import Apply, Block, Op, Outlined, map_blocks, walk
from yota_ast.ops import info

FLOAT: Final = Const(float, "float", "builtins")


def hands_on_numbers(block: Block) -> bool:
    """Whether a function of the text is handed an array that may be made of whole
    numbers where facts say that it holds floats."""
    floats = FloatsInAnyCall(definitions_in(block).get)
    return any(
        is_of_doubles(fact_of_end(atom)) and not floats.of(atom)
        for op in walk(block)
        if isinstance(op, Apply) and isinstance(op.fn, Outlined)
        for atom in op.args
    )


def with_floats(ahead: Block, back: Block, *, whole: bool = False) -> Block:
    """The reverse sweep, the memory of adjoints of floats where what it is like may be
    made of whole numbers; whole: as arrays that are arguments may."""
    likes = [op for op in walk(back) if isinstance(op, Apply) and _is_like(op)]
    if not likes:
        return back
    floats = FloatsInAnyCall(definitions_in(ahead, back).get, handed_on=whole)
    cut = {op.out.name for op in likes if not floats.of(op.args[0])}
    return _with_floats(back, cut) if cut else back


def _is_like(op: Apply) -> bool:
    """Whether an op makes memory for an adjoint, of the type of its argument."""
    of = info(op.fn)
    if of.numbers is None or of.numbers.of != (0,):
        return False
    if op.kwargs or len(op.args) != of.numbers.dtype:
        return False
    if of.fill == "unknown" and of.order != "kept":
        return False
    known = fact_of_end(op.out)
    return known.kind == "array" and known.dtype is not None and known.dtype.kind == "f"


def _with_floats(block: Block, whole: set[str]) -> Block:
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Apply) and op.out.name in whole:
            op = replace(op, args=(*op.args, FLOAT))
        ops.append(map_blocks(op, lambda inner: _with_floats(inner, whole)))
    return Block(tuple(ops))
