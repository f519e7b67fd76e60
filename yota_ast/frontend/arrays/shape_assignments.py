"""`y.shape = n` -> `y = y.reshape(n)`, of an array that the function made.

The array has one name, and nothing else is a part of it or holds it: nothing else shows
the new shape. NumPy raises where the new shape is no view, and so does the text; a
handler may catch what NumPy raises, so that within `try` there is no such assignment.
"""

from __future__ import annotations

from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.heap.lowered_values import Node, Value, variables_in
from yota_ast.frontend.heap.materialisation import is_writable
from yota_ast.frontend.interpret.assignment_targets import Assignments
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Var
from yota_ast.syntax import nodes


class ShapeAssignments(Component):
    """Gives arrays other shapes."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    lists = uses(ListMethods)
    assignments = uses(Assignments)
    view_writes = uses(ViewWrites)

    @provides(Assignments.reshape_in_place)
    def reshape_in_place(self, named: Node, owner: Value, shape: Value) -> bool:
        """y.shape = shape of an array; say whether y is one that may be given another
        shape."""
        if not isinstance(named, nodes.Name) or not isinstance(owner, Var):
            return False
        if self.position.tries or not self.has_one_name(named.id, owner):
            return False
        method = self.language.attribute(owner, "reshape")
        made = self.language.call(method, (shape,))
        if isinstance(made, Var):
            self.check_view(made, owner)
            self.lists.own(made)
        self.assignments.bind_name(named.id, made)
        return True

    def has_one_name(self, name: str, owner: Var) -> bool:
        """Whether an array that the function made has one name, and nothing else is a
        part of it or holds it."""
        memory = self.language.memory_of(owner)
        if owner.fact.kind != "array" or not memory.whole:
            return False
        holders = [
            (number, key)
            for number, cell in self.cells.heap.items()
            for key, value in (("", cell.var), *cell.items.items())
            for var in variables_in(value)
            if not set(memory.roots).isdisjoint(self.language.memory_of(var).roots)
        ]
        own = (self.position.frame.cell, name)
        return all(map(is_writable, memory.roots)) and holders == [own]

    def check_view(self, made: Var, base: Var) -> None:
        """Have the text test that an array in another shape is a view."""
        if base.name not in self.notes.dense:
            called = self.view_writes.called(base)
            message = (
                f"made for {called} with its elements in the order of their indices"
            )
            self.view_writes.raise_if_apart(made, base, message, None)
