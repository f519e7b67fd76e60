"""New variables of the tape."""

from __future__ import annotations

from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.state.lowering_records import (
    Hint,
)
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    Fact,
    named_apart,
)
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import (
    new_var,
)


class Variables(Component):
    """New variables, and what they are called."""

    position = uses(Position)
    notes = uses(Notes)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.counter = 0
        self.shapes = 0  # names of shapes; none is ever given twice

    def var(self, fact: Fact, hint: str | None = None, frame: int = 0) -> Var:
        """A new variable. Names are made to read well when all is lowered."""
        return self.var_called(f"%{self.next_number()}", fact, hint, frame)

    def var_called(
        self, name: str, fact: Fact, hint: str | None = None, frame: int = 0
    ) -> Var:
        """A new variable of this name."""
        if name in self.notes.born:  # a pass over a loop that was given up has used it
            self.notes.forget(name)
        self.notes.born[name] = self.position.turns
        if hint is not None:
            self.hint(name, hint, frame)
        self.shapes += 1
        return new_var(name, named_apart(fact, str(self.shapes)), hint)

    def next_number(self) -> int:
        """A number that no variable has, and no state of an array."""
        self.counter += 1
        return self.counter

    def hint(self, name: str, hint: str, frame: int = 0) -> None:
        """Call a variable as the user does: of nested calls the outermost decides."""
        depth = len(self.position.calls)
        if hint.startswith("%"):  # a name of lowering's own
            return
        known = self.notes.hints.get(name)
        if known is not None and known.name == "_":  # who calls it so does not read it
            known = None
        if known is None or (depth < known.depth and hint != "_"):
            self.notes.hints[name] = Hint(
                hint, frame or self.position.frame.cell, depth
            )

    def renumber_variables(self, last: int) -> None:
        """Give the numbers of variables after this one again."""
        self.counter = last
