"""Functions that wait while a generator runs of which they take the items.

In: the variables of such a function that are read later.  Out: which of the names in a
frame are live, wherever frames are compared: after a branch, round a loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.source.name_flow import FLAGS
from yota_ast.frontend.state.position import Position


class WaitingFrames(Component):
    """The frames of such functions, and their names that are read later."""

    position = uses(Position)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.frames: dict[int, frozenset[str]] = {}  # by the numbers of their cells

    @contextmanager
    def waiting(self, names: frozenset[str]) -> Iterator[None]:
        """Have the current function wait; names: those that it reads later."""
        outer = self.frames
        self.frames = {**outer, self.position.frame.cell: names}
        try:
            yield
        finally:
            self.frames = outer

    def live_in(self, number: int, live: frozenset[str]) -> frozenset[str] | None:
        """The names in a cell that are read later; None where all may be. live: those
        of the current function."""
        own = number == self.position.frame.cell
        return live if own else self.frames.get(number)

    def is_dead(self, number: int, key: object, live: frozenset[str]) -> bool:
        """Whether nothing reads later what stands in a cell under a key: one of the
        flags of a loop, or a name that is not live."""
        read = self.live_in(number, live)
        return read is not None and (key in FLAGS or key not in read)
