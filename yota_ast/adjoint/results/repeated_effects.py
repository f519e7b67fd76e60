"""A tape -> refused where what it does must not happen twice.

>>> from yota_ast.ir.tape import Tape
>>> refuse_effects(Tape("f", (), Block(), Const(1.0)))
"""

from __future__ import annotations

from yota_ast.errors import UnsupportedCall
from yota_ast.ir.atoms import Const  # noqa: F401  in the examples
from yota_ast.ir.functions import OUTSIDE
from yota_ast.ir.nodes import (
    Apply,
    Block,  # noqa: F401  in the examples
    Store,
    only,
    walk,
)
from yota_ast.ir.tape import Tape


def refuse_effects(
    tape: Tape,
    why: str = "the pullback runs the function again",
    remedy: str = "Use `grad` with a seed, which runs the function once.",
) -> None:
    """Refuse a function that must not be run once more."""
    outside = {p.var.name for p in tape.params if p.kind == OUTSIDE}
    for block in (*(f.block for f in tape.functions), tape.block):
        stores = only(walk(block), Store)
        places = [s.origin.place for s in stores if s.target.name in outside]
        places += [op.origin.place for op in only(walk(block), Apply) if op.effect]
        if places:
            message = f"{why}, and this would happen twice"
            raise UnsupportedCall(message, at=places[0], remedy=remedy)
