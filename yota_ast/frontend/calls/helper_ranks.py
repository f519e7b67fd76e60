"""Calls within the helpers of a text: what facts prove of ranks is a number there.

Helpers are written for arrays of every rank. Where one is lowered in place,
`np.ndim(x)` is known, and what is computed from it: `range(np.ndim(x))`, `x.shape[k:]`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from yota_ast import runtime
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.heap.lowered_values import Node, Value
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.syntax.names import GENERATED

SOURCES = runtime.__path__[0]


class HelperRanks(Component):
    """Knows ranks in helpers."""

    position = uses(Position)
    blocks = uses(Blocks)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)

    @extends(Language.evaluate)
    def evaluate(self, rest: Callable[..., Value], node: Node) -> Value:
        """The value of an expression: in a helper, a number where facts prove it."""
        value = rest(node)
        if not isinstance(value, Var) or value.fact.kind != "int":
            return value
        if not self.position.frame.scope.filename.startswith((GENERATED, SOURCES)):
            return value
        op = self.blocks.ops[-1] if self.blocks.ops else None
        if isinstance(op, Apply) and op.out == value and op.fn is np.ndim:
            rank = self.operations.fact(op.args[0]).rank
            if rank is None:
                return value
            self.assumptions.depend_on_ranks()
            return Const(rank)
        return self.assumptions.known_value(value) or value
