"""The states of arrays that are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from yota_ast.frontend.components import Component, Components
from yota_ast.frontend.heap.materialisation import Lent
from yota_ast.frontend.state.lowering_records import (
    Snapshot,
)
from yota_ast.ir.atoms import Var


class ArrayStates(Component):
    """In which state each array is, and by which variable."""

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.current: dict[str, str] = {}  # root: name of its last state
        self.successors: dict[str, Var] = {}  # a written array as it is now
        self.written: dict[str, None] = {}  # the caller's arrays that are written
        self.lent = Lent()  # containers that are in the text as well
        self.sealed: dict[str, str] = {}  # roots from outside a function: which it is

    def set_states(self, current: Mapping[str, str]) -> None:
        """Set the states that roots are in after a branch."""
        self.current = dict(current)

    def restore_states(self, before: Snapshot) -> None:
        """Take arrays as they were."""
        self.current, self.successors = dict(before.current), dict(before.successors)

    @contextmanager
    def sealing(self, who: str) -> Iterator[None]:
        """Be in a function of the tape, which cannot write into what is outside; who:
        what it is called in refusals."""
        outer, self.sealed = self.sealed, dict.fromkeys(self.current, who)
        try:
            yield
        finally:
            self.sealed = outer
