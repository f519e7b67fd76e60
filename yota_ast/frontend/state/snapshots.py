"""Points of the lowering to which it may go back."""

from __future__ import annotations

from typing import Any

from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.heap.lowered_values import Cell, Value
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.lowering_records import (
    Mark,
    Snapshot,
)
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables


class Snapshots(Component):
    """Points to go back to."""

    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    variables = uses(Variables)
    states = uses(ArrayStates)
    records = uses(InliningRecords)

    def snapshot(self) -> Snapshot:
        """The state that a branch starts from."""
        memory = dict(self.states.current), dict(self.states.successors)
        rebound, capturing = (
            dict(self.records.rebound),
            dict(self.records.capturing),
        )
        return Snapshot(
            dict(self.cells.heap), *memory, self.blocks.ended, rebound, capturing
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state."""
        self.cells.restore_cells(snapshot.heap)
        self.states.restore_states(snapshot)
        self.blocks.restore_end(ended=snapshot.ended)
        self.records.restore_records(snapshot)

    def mark(self) -> Mark:
        """A point to go back to if what follows cannot be lowered."""
        counts = dict(self.records.inlined), dict(self.blocks.first_reads)
        numbers = (
            self.variables.counter,
            self.position.statements,
            self.cells.cells_made,
        )
        return Mark(
            self.snapshot(), len(self.blocks.ops), self.blocks.emitted, *counts, numbers
        )

    def back_to(self, mark: Mark, *, renumber: bool = False) -> None:
        """Forget what was lowered since; renumber: give the numbers of its variables
        and statements again."""
        self.restore(mark.snapshot)
        self.blocks.cut(mark)
        self.records.restore_inlined(dict(mark.inlined))
        if renumber:
            self.variables.renumber_variables(mark.numbers[0])
            self.position.renumber_statements(mark.numbers[1])

    def back_to_cells(self, mark: Mark) -> None:
        """Forget what was lowered since, and give the numbers of its variables and
        cells again."""
        self.back_to(mark)
        self.variables.renumber_variables(mark.numbers[0])
        self.cells.renumber_cells(mark.numbers[2])

    def changes_since(self, before: Snapshot) -> bool:
        """Whether a variable, or what is in a container, is another than before."""

        def named(cell: Cell) -> dict[Any, Value]:
            return {k: v for k, v in cell.items.items() if k[0] != "%"}

        return before.globals != self.records.rebound or any(
            number != self.position.frame.cell
            or named(cell) != named(self.cells.heap[number])
            for number, cell in before.heap.items()
            if cell is not self.cells.heap[number]
        )
