"""Calls within the helpers of a text: what facts prove of ranks is a number there.

Helpers are written for arrays of every rank. Where one is lowered in place,
`np.ndim(x)` is known, and what is computed from it: `range(np.ndim(x))`, `x.shape[k:]`.
"""

from __future__ import annotations

import numpy as np

from yota_ast import runtime
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.heap.lowered_values import Node, Value
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.syntax.names import GENERATED

SOURCES = runtime.__path__[0]


class Helping(Comprehensions):
    """The layer that knows ranks in helpers."""

    def evaluate(self, node: Node) -> Value:
        """The value of an expression: in a helper, a number where facts prove it."""
        value = super().evaluate(node)
        if not isinstance(value, Var) or value.fact.kind != "int":
            return value
        if not self.frame.scope.filename.startswith((GENERATED, SOURCES)):
            return value
        op = self.ops[-1] if self.ops else None
        if isinstance(op, Apply) and op.out == value and op.fn is np.ndim:
            rank = self.fact(op.args[0]).rank
            if rank is None:
                return value
            self.depend_on_ranks()
            return Const(rank)
        return self.known_value(value) or value
