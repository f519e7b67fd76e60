"""`target op= value` -> what it changes in place."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from yota_ast.frontend.arrays.array_layouts import is_part
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    MethodOf,
    Node,
    Ref,
    Value,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.interpret.assignment_targets import Assignments
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.store_changes import PUT, Update
from yota_ast.ops.spellings import BY_NODE, SIGN_OF
from yota_ast.syntax import nodes


class AugmentedAssignments(Assignments):
    """Augmented assignments."""

    def run_AugAssign(self, stmt: Node) -> None:
        """a += value."""
        fn = BY_NODE[type(stmt.op).__name__].fn
        target = stmt.target
        if isinstance(target, nodes.Name):
            old = self.load(target.id)
            value = self.evaluate(stmt.value)
            self.bind_name(target.id, self.augmented(fn, old, value))
            return
        owner = self.evaluate(target.value)
        if isinstance(target, nodes.Attribute):
            name = self.frame.scope.mangled(target.attr)
            old = self.attribute(owner, name)
            new = self.augmented(fn, old, self.evaluate(stmt.value))
            if not is_part(owner, name):  # which is written by now
                self.assign_attribute(owner, name, new)
            return
        index = self.evaluate(target.slice)
        inside = isinstance(owner, Var) and owner.fact.kind == "list"
        if inside or (isinstance(owner, Ref) and self.heap[owner.cell].var is None):
            old = self.subscript(owner, index)
            if inside:
                self.check_number(old)
            new = self.augmented(fn, old, self.evaluate(stmt.value))
            self.store(owner, index, new, PUT)
        else:
            stale = isinstance(owner, Var) and self.was_written(owner)
            value = self.evaluate(stmt.value)
            if isinstance(owner, Var) and not stale and self.was_written(owner):
                self.refuse(
                    "the right side changes the array on the left side",
                    "Assign the right side to a name on the line before.",
                )
            self.store(owner, index, value, Update(fn))

    def check_number(self, old: Value) -> None:
        """Refuse `xs[i] += e` of an item that may be an array; see arrays.py."""
        raise NotImplementedError

    def was_written(self, var: Var) -> bool:
        """Whether the memory of a variable was written since it was made."""
        raise NotImplementedError

    def augmented(self, fn: Any, old: Value, value: Value) -> Value:
        """The new value of `old += value`."""
        method = self.special_method(old, f"__i{fn.__name__.strip('_')}__")
        if method is not None:
            result = self.call(method, (old, value))
            if not (isinstance(result, Const) and result.value is NotImplemented):
                return result
        changes = f"__i{fn.__name__.strip('_')}__"
        if isinstance(old, Const) and hasattr(old.value, changes):
            self.refuse(
                "the function writes into something that it did not make",
                "Work on a copy.",
            )
        if isinstance(old, Argument) and old.example is not None:
            if self.changes_in_place(fn, old, value):
                self.begin_again(old)
        if isinstance(old, Ref) and self.heap[old.cell].kind == "list":
            if isinstance(value, Var) and value.fact.kind == "array":
                return self.operate(fn, old, value)  # NumPy makes a new array
            if fn is operator.add:
                self.call(MethodOf(old, "extend"), (value,))
                made = old
                self.check_as_made((value,))
                return made
            if fn is operator.mul:
                return self.repeated(old, value)
            self.refuse(
                f"`{SIGN_OF[fn]}=` of a list is not supported",
                "Make it an array first: np.array(xs).",
            )
        if isinstance(old, Ref) and self.heap[old.cell].kind in ("set", "dict"):
            return self.joined_in_place(fn, old, value)
        if isinstance(old, Var):
            self.check_augmented(fn, old, value)
            if old.fact.may_be_array:
                return self.augmented_array(fn, old, value)
        return self.operate(fn, old, value, form="augmented")

    def changes_in_place(self, fn: Any, old: Argument | Var, value: Value) -> bool:
        """Whether `old op= value` changes a container; a number of NumPy's, or an
        array, makes an array of a list."""
        kind = old.fact.kind
        if kind == "list" and fn is operator.add:
            return not (isinstance(value, (Var, Const)) and self.fact(value).is_numeric)
        if kind == "list" and fn is operator.mul:
            return self.fact(value).kind in ("int", "bool")
        return kind == "dict" and fn is operator.or_

    def check_augmented(self, fn: Any, old: Var, value: Value) -> None:
        """Refuse `old op= value` where it changes a list or a dict of which it is not
        known which it is."""
        changes = self.changes_in_place(fn, old, value)
        if old.fact.kind == "other" and old.name in self.built:  # an item: a set
            changes = hasattr(old.fact.cls, f"__i{fn.__name__.strip('_')}__")
        if old.fact.may_be_array and not old.fact.is_numeric:
            roots = map(cell_of, self.memory_of(old).roots)
            changes = any(cell is not None for cell in roots)
        if changes:
            self.refuse_one_of_several()
        self.check_object_in_place(fn, old)

    def check_object_in_place(self, fn: Any, owner: Var) -> None:
        """Refuse it of an object that is not followed; see arrays.py."""
        raise NotImplementedError

    def joined_in_place(self, fn: Any, ref: Ref, value: Value) -> Value:
        """set |= items, dict |= items: in place."""
        cell = self.heap[ref.cell]
        self.check_fixed(cell)
        made = self.operate(fn, ref, value)
        if not isinstance(made, Ref):
            self.refuse(
                f"a {cell.kind} is updated with an unknown value",
                f"Use {cell.kind}s of literal numbers and strings.",
            )
        self.heap[ref.cell] = self.heap[made.cell]
        return ref

    def check_as_made(self, given: Iterable[Value]) -> None:
        """Refuse iterators that read what has changed; see passing.py."""
        raise NotImplementedError

    def repeated(self, ref: Ref, value: Value) -> Value:
        """list *= number: in place."""
        cell = self.heap[ref.cell]
        self.check_fixed(cell)
        made = self.operate(operator.mul, ref, value)
        if not isinstance(made, Ref) or cell.var is not None:
            self.refuse(
                "a list is repeated in place an unknown number of times",
                "Make a new list: xs = xs * n.",
            )
        self.heap[ref.cell] = self.heap[made.cell]
        return ref

    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; see memory.py."""
        raise NotImplementedError
