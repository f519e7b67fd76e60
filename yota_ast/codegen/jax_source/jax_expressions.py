"""Ops on arrays of JAX -> the text of an expression."""

from __future__ import annotations

from typing import Any

from yota_ast.codegen.printers.expression_source import Expressions, Piece
from yota_ast.ir.nodes import Apply
from yota_ast.syntax.grammar import ATOM


def at(target: Any, index: Any, value: Any) -> Any:
    """Stand for `target.at[index].set(value)`, or the method that the op spells."""
    raise TypeError("it is printed alone")


def same(x: Any) -> Any:
    """Stand for `x`, where NumPy's text has `float(x)`."""
    return x


class JaxExpressions(Expressions):
    """Prints atoms with what is nested in them."""

    def _operation(self, op: Apply) -> Piece:
        if op.fn is same:
            return self.piece(op.args[0])
        if op.fn is at:
            target, index, value = op.args
            field = self.world.field
            place = self.bracketed(field(self._object(target), "at"), index)
            return f"{field(place, op.spelling)}({self.text(value)})", ATOM
        return super()._operation(op)
