"""Whether a dict has a key, where an arm of a branch has asked that before.

    if key not in d:
        d[key] = w  # a new key

In: the dict and the key, as operands of `in`.  Out: the answer that the arms around
tell, and None where they tell none. A dict that is written is another variable then.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.crossed_stores import RECENT, Lines
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply


def known_in_arm(lowering: Component, asked: Sequence[Atom]) -> bool | None:
    """Return what the arms around say of `key in d`; asked: d and the key."""
    made = _recent(lowering)
    for test, holds in reversed(Position.of(lowering).arms):
        op = made.get(test.name) if isinstance(test, Var) else None
        if op is not None and op.fn is operator.not_ and isinstance(op.args[0], Var):
            op, holds = made.get(op.args[0].name), not holds
        if op is None or op.fn is not operator.contains:
            continue
        if op.args[0] == asked[0] and Lines(made).alike(op.args[1], asked[1]):
            return holds
    return None


def _recent(lowering: Component) -> dict[str, Apply]:
    """The calls whose results can be read here, the last ones of each block."""
    blocks = Blocks.of(lowering)
    around = (*blocks.blocks_open, blocks.ops)
    return {
        op.out.name: op
        for ops in around
        for op in ops[-RECENT:]
        if isinstance(op, Apply)
    }
