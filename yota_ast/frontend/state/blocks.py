"""The ops of the current block, and the blocks around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from yota_ast.frontend.components import Component, Components, extensible, uses
from yota_ast.frontend.state.lowering_records import (
    FirstRead,
    Mark,
    NeverReturns,
)
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import fact_of_atom
from yota_ast.ir.nodes import (
    Apply,
    Op,
)
from yota_ast.ops import info


def asks_of_an_array(op: Op) -> bool:
    """Whether an op asks for the length or the shape of an array, which never fails."""
    if not isinstance(op, Apply) or not op.args or not info(op.fn).tells:
        return False
    known = fact_of_atom(op.args[0])
    return known.kind == "array" and bool(known.rank)


class Blocks(Component):
    """The ops that are lowered, and whether control can go on."""

    position = uses(Position)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.ops: list[Op] = []
        self.blocks_open: list[list[Op]] = []  # the ops of the blocks that are around
        self.ended = False  # the block cannot go on: it has raised
        self.emitted = 0  # how many ops there are, those of blocks included
        self.tried: list[Op] | None = None  # of a try that may leave nothing to do
        self.first_reads: dict[Any, FirstRead] = {}  # of what is cached
        self.pending: dict[Any, Any] = {}  # outlines whose body is being lowered

    def emit(self, op: Op) -> None:
        """Append an op to the current block."""
        self.emitted += 1
        self.ops.append(op)
        if self.settings.watch is not None:
            primitive = isinstance(op, Apply) and self.settings.is_primitive(op.fn)
            self.settings.watch.emitted(
                len(self.position.calls), op, primitive=primitive
            )

    @contextmanager
    def block(self) -> Iterator[list[Op]]:
        """Collect the ops of an inner block."""
        outer, self.ops = self.ops, []
        self.blocks_open.append(outer)
        try:
            yield self.ops
            if self.first_reads:
                self.note_changes()
        finally:
            self.blocks_open.pop()
            self.ops = outer

    @contextmanager
    def appending(self, ops: list[Op]) -> Iterator[None]:
        """Append to the ops of a block that is lowered already."""
        outer, self.ops = self.ops, ops
        try:
            yield
        finally:
            self.ops = outer

    @extensible
    def note_changes(self) -> None:
        """Note what is changed of what was cached in a block; see attributes.py."""
        raise NotImplementedError

    def is_open(self, ops: list[Op]) -> bool:
        """Whether the block of some ops is the current one, or around it."""
        return ops is self.ops or any(ops is outer for outer in self.blocks_open)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Be in a function of its own, where no block around is open."""
        around, known, self.blocks_open = self.blocks_open, dict(self.first_reads), []
        try:
            yield
        finally:
            self.blocks_open = around
            self.first_reads = {**self.first_reads, **known}

    @contextmanager
    def trying(self, ops: list[Op]) -> Iterator[None]:
        """Lower the body of a `try` that may leave no ops."""
        outer, self.tried = self.tried, ops
        try:
            yield
        finally:
            self.tried = outer

    @contextmanager
    def comes_back(self) -> Iterator[None]:
        """What calls a function of which no result is known yet ends like a raise."""
        try:
            yield
        except NeverReturns:
            self.end_block()

    def check_open(self) -> None:
        """A way that has ended does not come back: nothing is to be made of it."""
        if self.ended and any(o.known.result is None for o in self.pending.values()):
            raise NeverReturns

    def end_block(self) -> None:
        """Note that control cannot go on in the block: it has raised."""
        self.ended = True

    def restore_end(self, *, ended: bool) -> None:
        """Note whether control can go on, as it was noted before."""
        self.ended = ended

    def cut(self, mark: Mark) -> None:
        """Forget the ops that were lowered since."""
        del self.ops[mark.ops :]
        self.emitted, self.first_reads = mark.emitted, dict(mark.first_reads)
