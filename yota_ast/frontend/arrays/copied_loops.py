"""A loop that cannot stay one -> a copy of its body for each item that the example has.

`for i in range(len(x)): table[i] = x[i]` writes keys that are known where `i` is. The
length of an axis is taken from the example, and generated code checks it. A loop that
stays one is left as it is, and so is a long one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from yota_ast.errors import UnsupportedCall, UnsupportedSyntax
from yota_ast.frontend.components import Component, Components, extends, uses
from yota_ast.frontend.desugar.checkpoint_calls import schedule_of
from yota_ast.frontend.heap.lowered_values import Lazy, Node, Value
from yota_ast.frontend.interpret.loops import FEW, MOST_UNROLLED, Loops, body_size
from yota_ast.frontend.library.lazy_iterables import LazyIterables
from yota_ast.frontend.state.position import Position

REFUSALS: Final = (UnsupportedSyntax, UnsupportedCall)


class CopiedLoops(Component):
    """Loops over as many items as the example has."""

    position = uses(Position)
    loops = uses(Loops)
    lazy_iterables = uses(LazyIterables)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.copies = 1  # of the loops around, multiplied

    @extends(Loops.over)
    def over(
        self, rest: Callable[..., None], stmt: Node, iterable: Value, source: Value
    ) -> None:
        """A loop over something that is no object of a user's class."""
        if not isinstance(iterable, Lazy) or schedule_of(self, iterable):
            return rest(stmt, iterable, source)
        after, back = self.position.live, self.loops.way_back()
        try:
            return rest(stmt, iterable, source)
        except REFUSALS as refusal:
            error = refusal
        back()
        items = self.lazy_iterables.items_shown(iterable)
        if not items or not self._is_short(stmt, len(items)):
            raise error
        self.copies *= len(items)
        try:
            again = self.lazy_iterables.items_shown
            return self.loops.unroll(stmt, items, source, after, again)
        except REFUSALS:
            raise error from None
        finally:
            self.copies //= len(items)

    def _is_short(self, stmt: Node, count: int) -> bool:
        """Whether so many copies of a body are few, also within the loops around."""
        copies = self.copies * count
        return count <= FEW and copies * body_size(stmt) <= MOST_UNROLLED
