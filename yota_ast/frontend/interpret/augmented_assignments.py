"""`target op= value` -> what it changes in place."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from yota_ast.frontend.arrays.array_layouts import is_part
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    MethodOf,
    Node,
    Ref,
    Value,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.interpret.assignment_targets import Assignments
from yota_ast.frontend.interpret.statement_execution import STATEMENTS
from yota_ast.frontend.library.type_questions import TypeQuestions
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.store_changes import PUT, Update
from yota_ast.ops.spellings import BY_NODE, SIGN_OF
from yota_ast.syntax import nodes


class AugmentedAssignments(Component):
    """Augmented assignments."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    operations = uses(Operations)
    name_lookup = uses(NameLookup)
    kinds = uses(ValueKinds)
    type_questions = uses(TypeQuestions)
    assignments = uses(Assignments)
    keyed_items = uses(KeyedItems)

    @STATEMENTS.handles("AugAssign")
    def run_AugAssign(self, stmt: Node) -> None:
        """a += value."""
        fn = BY_NODE[type(stmt.op).__name__].fn
        target = stmt.target
        if isinstance(target, nodes.Name):
            old = self.name_lookup.load(target.id)
            value = self.language.evaluate(stmt.value)
            self.assignments.bind_name(target.id, self.augmented(fn, old, value))
            return
        owner = self.language.evaluate(target.value)
        if isinstance(target, nodes.Attribute):
            name = self.position.frame.scope.mangled(target.attr)
            old = self.language.attribute(owner, name)
            new = self.augmented(fn, old, self.language.evaluate(stmt.value))
            if not is_part(owner, name):  # which is written by now
                self.type_questions.assign_attribute(owner, name, new)
            return
        index = self.language.evaluate(target.slice)
        keyed = self.keyed_items.in_list(owner, index)
        owner, index = keyed or (owner, index)
        inside = isinstance(owner, Var) and owner.fact.kind == "list"
        apart = isinstance(owner, Ref) and self.cells.heap[owner.cell].var is None
        if inside or apart or keyed is not None:
            old = self.language.subscript(owner, index)
            if inside:
                self.check_number(old)
            new = self.augmented(fn, old, self.language.evaluate(stmt.value))
            self.language.store(owner, index, new, PUT)
        else:
            stale = isinstance(owner, Var) and self.was_written(owner)
            value = self.language.evaluate(stmt.value)
            if isinstance(owner, Var) and not stale and self.was_written(owner):
                self.position.refuse(
                    "the right side changes the array on the left side",
                    "Assign the right side to a name on the line before.",
                )
            self.language.store(owner, index, value, Update(fn))

    @extensible
    def check_number(self, old: Value) -> None:
        """Refuse `xs[i] += e` of an item that may be an array; see array_stores.py."""
        raise NotImplementedError

    @extensible
    def was_written(self, var: Var) -> bool:
        """Whether the memory of a variable was written since it was made."""
        raise NotImplementedError

    @extensible
    def augmented(self, fn: Any, old: Value, value: Value) -> Value:
        """The new value of `old += value`."""
        method = self.kinds.special_method(old, f"__i{fn.__name__.strip('_')}__")
        if method is not None:
            result = self.language.call(method, (old, value))
            if not (isinstance(result, Const) and result.value is NotImplemented):
                return result
        changes = f"__i{fn.__name__.strip('_')}__"
        if isinstance(old, Const) and hasattr(old.value, changes):
            self.position.refuse(
                "the function writes into something that it did not make",
                "Work on a copy.",
            )
        if isinstance(old, Argument) and old.example is not None:
            if self.changes_in_place(fn, old, value):
                self.cells.begin_again(old)
        if isinstance(old, Ref) and self.cells.heap[old.cell].kind == "list":
            if isinstance(value, Var) and value.fact.kind == "array":
                return self.language.operate(fn, old, value)  # NumPy makes a new array
            if fn not in (operator.add, operator.mul) and self.is_numpys(value):
                return self.language.operate(fn, old, value)
            if fn is operator.add:
                self.language.call(MethodOf(old, "extend"), (value,))
                made = old
                self.check_as_made((value,))
                return made
            if fn is operator.mul:
                return self.repeated(old, value)
            self.position.refuse(
                f"`{SIGN_OF[fn]}=` of a list is not supported",
                "Make it an array first: np.array(xs).",
            )
        if isinstance(old, Ref) and self.cells.heap[old.cell].kind in ("set", "dict"):
            return self.joined_in_place(fn, old, value)
        if isinstance(old, Var):
            self.check_augmented(fn, old, value)
            if old.fact.may_be_array:
                return self.augmented_array(fn, old, value)
        return self.language.operate(fn, old, value, form="augmented")

    def is_numpys(self, value: Value) -> bool:
        """Whether a value is a number of NumPy's, which makes an array of a list."""
        return isinstance(value, Var) and value.fact.kind == "scalar"

    def changes_in_place(self, fn: Any, old: Argument | Var, value: Value) -> bool:
        """Whether `old op= value` changes a container; a number of NumPy's, or an
        array, makes an array of a list."""
        kind = old.fact.kind
        if kind == "list" and fn is operator.add:
            return not (
                isinstance(value, (Var, Const))
                and self.operations.fact(value).is_numeric
            )
        if kind == "list" and fn is operator.mul:
            return self.operations.fact(value).kind in ("int", "bool")
        return kind == "dict" and fn is operator.or_

    def check_augmented(self, fn: Any, old: Var, value: Value) -> None:
        """Refuse `old op= value` where it changes a list or a dict of which it is not
        known which it is."""
        changes = self.changes_in_place(fn, old, value)
        if old.fact.kind == "other" and old.name in self.notes.built:  # an item: a set
            changes = hasattr(old.fact.cls, f"__i{fn.__name__.strip('_')}__")
        if old.fact.may_be_array and not old.fact.is_numeric:
            roots = map(cell_of, self.language.memory_of(old).roots)
            changes = any(cell is not None for cell in roots)
        if changes:
            self.cells.refuse_one_of_several()
        self.check_object_in_place(fn, old)

    @extensible
    def check_object_in_place(self, fn: Any, owner: Var) -> None:
        """Refuse it of an object that is not followed; see array_stores.py."""
        raise NotImplementedError

    def joined_in_place(self, fn: Any, ref: Ref, value: Value) -> Value:
        """set |= items, dict |= items: in place."""
        cell = self.cells.heap[ref.cell]
        self.cells.check_fixed(cell)
        made = self.language.operate(fn, ref, value)
        if not isinstance(made, Ref):
            self.position.refuse(
                f"a {cell.kind} is updated with an unknown value",
                f"Use {cell.kind}s of literal numbers and strings.",
            )
        self.cells.heap[ref.cell] = self.cells.heap[made.cell]
        return ref

    @extensible
    def check_as_made(self, given: Iterable[Value]) -> None:
        """Refuse iterators that read what has changed; see iterators.py."""
        raise NotImplementedError

    def repeated(self, ref: Ref, value: Value) -> Value:
        """list *= number: in place."""
        cell = self.cells.heap[ref.cell]
        self.cells.check_fixed(cell)
        made = self.language.operate(operator.mul, ref, value)
        if not isinstance(made, Ref) or cell.var is not None:
            self.position.refuse(
                "a list is repeated in place an unknown number of times",
                "Make a new list: xs = xs * n.",
            )
        self.cells.heap[ref.cell] = self.cells.heap[made.cell]
        return ref

    @extensible
    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; see array_stores.py."""
        raise NotImplementedError
