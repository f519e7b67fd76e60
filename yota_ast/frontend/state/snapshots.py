"""Points of the lowering to which it may go back."""

from __future__ import annotations

from typing import Any

from yota_ast.frontend.heap.lowered_values import Cell, Value
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.lowering_records import (
    Mark,
    Snapshot,
)


class Snapshots(InliningRecords):
    """Points to go back to."""

    def snapshot(self) -> Snapshot:
        """The state that a branch starts from."""
        memory = dict(self.current), dict(self.successors)
        rebound, capturing = dict(self.rebound), dict(self.capturing)
        return Snapshot(dict(self.heap), *memory, self.ended, rebound, capturing)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state."""
        self.restore_cells(snapshot.heap)
        self.restore_states(snapshot)
        self.restore_end(ended=snapshot.ended)
        self.restore_records(snapshot)

    def mark(self) -> Mark:
        """A point to go back to if what follows cannot be lowered."""
        counts = dict(self.inlined), dict(self.first_reads)
        numbers = self.counter, self.statements, self.cells_made
        return Mark(self.snapshot(), len(self.ops), self.emitted, *counts, numbers)

    def back_to(self, mark: Mark, *, renumber: bool = False) -> None:
        """Forget what was lowered since; renumber: give the numbers of its variables
        and statements again."""
        self.restore(mark.snapshot)
        self.cut(mark)
        self.restore_inlined(dict(mark.inlined))
        if renumber:
            self.renumber_variables(mark.numbers[0])
            self.renumber_statements(mark.numbers[1])

    def back_to_cells(self, mark: Mark) -> None:
        """Forget what was lowered since, and give the numbers of its variables and
        cells again."""
        self.back_to(mark)
        self.renumber_variables(mark.numbers[0])
        self.renumber_cells(mark.numbers[2])

    def changes_since(self, before: Snapshot) -> bool:
        """Whether a variable, or what is in a container, is another than before."""

        def named(cell: Cell) -> dict[Any, Value]:
            return {k: v for k, v in cell.items.items() if k[0] != "%"}

        return before.globals != self.rebound or any(
            number != self.frame.cell or named(cell) != named(self.heap[number])
            for number, cell in before.heap.items()
            if cell is not self.heap[number]
        )
