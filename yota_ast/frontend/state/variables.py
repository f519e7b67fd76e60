"""New variables of the tape."""

from __future__ import annotations

from yota_ast.frontend.state.lowering_records import (
    Hint,
)
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    Fact,
    named_apart,
)
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import (
    new_var,
)


class Variables(Notes):
    """New variables, and what they are called."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.counter = 0
        self.shapes = 0  # names of shapes; none is ever given twice

    def var(self, fact: Fact, hint: str | None = None, frame: int = 0) -> Var:
        """A new variable. Names are made to read well when all is lowered."""
        return self.var_called(f"%{self.next_number()}", fact, hint, frame)

    def var_called(
        self, name: str, fact: Fact, hint: str | None = None, frame: int = 0
    ) -> Var:
        """A new variable of this name."""
        if name in self.born:  # a pass over a loop that was given up has used it
            self.forget(name)
        self.born[name] = self.turns
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
        depth = len(self.calls)
        if hint.startswith("%"):  # a name of lowering's own
            return
        if name not in self.hints or depth < self.hints[name].depth:
            self.hints[name] = Hint(hint, frame or self.frame.cell, depth)

    def renumber_variables(self, last: int) -> None:
        """Give the numbers of variables after this one again."""
        self.counter = last
