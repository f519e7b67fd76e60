"""A name -> what it stands for."""

from __future__ import annotations

import types
from typing import Any

from yota_ast.errors import UnsupportedSyntax
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.heap.lowered_values import (
    LOST,
    Frame,
    Value,
    is_literal_value,
)
from yota_ast.frontend.interpret.undefined_at_entry import UndefinedNames
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.support.kept_functions import origin_of


class NameLookup(Component):
    """Names: local, of functions around, global."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    records = uses(InliningRecords)
    operations = uses(Operations)
    undefined_names = uses(UndefinedNames)
    assumptions = uses(ValueAssumptions)

    def load(self, name: str) -> Value:
        """What a name stands for, found as Python finds it."""
        if name.startswith("%"):  # the subject of a match
            return self.load_local(self.position.frame, name)
        frame: Frame | None = self.position.frame
        while frame is not None:
            scope = frame.scope
            if name in scope.declared:
                late = self.cells.get((frame.cell, name))
                if late is not None:
                    return late
                break
            if name in scope.locals:
                return self.load_local(frame, name)
            if name in scope.cells:
                return self.load_cell(name, scope.cells[name])
            frame = frame.parent
        return self.load_outside(name)

    def load_outside(self, name: str) -> Value:
        """A global, as the function that is lowered has it: it may be a parameter."""
        frame = self.position.frame
        while frame.parent is not None:
            frame = frame.parent
        if name in frame.scope.own_globals:
            return self.load_local(frame, name)
        return self.load_global(name)

    def load_local(self, frame: Frame, name: str) -> Value:
        """A variable of a function that is being lowered."""
        value = self.cells.get((frame.cell, name))
        if value == LOST:
            self.position.refuse(
                f"`{name}` is read after a `try` that may have raised before or after "
                f"assigning it",
                f"Assign `{name}` last in the `try`, or in the handler.",
            )
        if value is None:
            refusal = UnsupportedSyntax(
                f"`{name}` is read before a value is assigned to it",
                at=self.position.location(),
                remedy=f"Assign `{name}` before this line.",
            )
            return self.undefined_names.unassigned(frame, name, refusal)
        if self.notes.unset and name[0] != "%":
            self.undefined_names.read_unset(frame, name, value)
        return value

    @extensible
    def load_cell(self, name: str, cell: Any) -> Value:
        """A variable of the function around one that is already made."""
        try:
            value = cell.cell_contents
        except ValueError:
            self.position.refuse(
                f"the closure variable `{name}` has no value yet",
                "Assign it before the call.",
            )
        self.operations.use(
            value, self.position.frame.scope.module, f"<closure>.{name}"
        )
        self.noted_constant(name, value)
        if is_literal_value(value):
            return Const(value)
        return Const(value, name)

    @extensible
    def load_global(self, name: str) -> Value:
        """A name of the function's module, or of Python."""
        scope = self.position.frame.scope
        rebound = self.records.rebound.get((id(scope.globals), name))
        if rebound is not None:
            return rebound[0]
        if name in scope.globals:
            value = scope.globals[name]
            home, path = origin_of(scope.globals, name)
            self.operations.use(value, home, path if home else "")
            self.noted_constant(path or name, value)
            found = Const(value, path or None, home)
            if self.assumptions.fixed is not None and type(value) in (str, bool):
                return self.assumptions.as_given(found)
            return found
        builtins: Any = scope.globals.get("__builtins__", {})
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        if name in known:
            return Const(known[name], name, "builtins")
        if self.position.tries or self.position.arms_open:
            return self.operations.failing(NameError, f"name {name!r} is not defined")
        self.position.refuse(
            f"the name `{name}` is not defined",
            f"Define `{name}` in {scope.module or 'the module'}, or import it there.",
        )

    def noted_constant(self, name: str, value: object) -> None:
        """Note the value of a global or a closure's variable, if it is data."""
        if not callable(value) and not isinstance(value, types.ModuleType):
            self.language.noted("constant", name, value)
