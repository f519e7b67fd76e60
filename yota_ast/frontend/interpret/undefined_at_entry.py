"""Names that a loop reads before it assigns them -> what stands for them at first.

`if k > 0: x = x * y` reads what the iteration before has assigned to y. When the body
is lowered for the first time nothing is known of that: y is a variable of which the
fact says `nothing`, and so are all that are computed from it. At the end of the body y
is found to be carried, without a value on entry, and the body is lowered again. Python
itself raises where the first iteration reads y; so does the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import UnsupportedSyntax, YotaError
from yota_ast.frontend.heap.lowered_values import Node, Value
from yota_ast.frontend.interpret.statements import Statements
from yota_ast.frontend.source.name_flow import names_assigned
from yota_ast.ir.abstract_values import NOTHING


@dataclass(slots=True)
class Expected:
    """What a loop assigns to the names of a function; refusal: of the first read of
    one that has no value yet."""

    cell: int
    names: frozenset[str]
    refusal: UnsupportedSyntax | None = None


class Expecting(Statements):
    """Reads of what a loop assigns later."""

    expected: tuple[Expected, ...] = ()

    @contextmanager
    def expecting(self, stmt: Node) -> Iterator[Expected]:
        """While the body of a loop is lowered once."""
        names = frozenset(names_assigned(stmt.body))
        mine = Expected(self.frame.cell, names)
        outer, self.expected = self.expected, (*self.expected, mine)
        try:
            yield mine
        except YotaError:
            if mine.refusal is not None:
                raise mine.refusal from None
            raise
        finally:
            self.expected = outer

    def unassigned(self, frame: Any, name: str, refusal: UnsupportedSyntax) -> Value:
        """A variable without a value: what a loop around will have assigned to it."""
        if self.tries_of_names:  # in the text the name has a value from the first
            raise refusal
        for loop in reversed(self.expected):
            if loop.cell == frame.cell and name in loop.names:
                loop.refusal = loop.refusal or refusal
                return self.var(NOTHING, name)
        raise refusal
