"""A target and a value -> what the assignment changes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import InternalError
from yota_ast.frontend.arrays.array_layouts import is_part
from yota_ast.frontend.heap.has_attribute import found_on, is_slot, seen_in, takes
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Lazy,
    MaybeValue,
    Node,
    Ref,
    Value,
    is_literal_value,
)
from yota_ast.frontend.interpret.statement_execution import (
    Execution,
)
from yota_ast.ir.abstract_values import BOOL, INT, NONE
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.store_changes import PUT
from yota_ast.syntax import nodes

LAYOUT: Final = (
    "real", "imag", "flat", "shape", "dtype", "strides", "data", "T", "base",
)  # fmt: skip
"""Attributes of arrays that Python lets be set, or that look so."""


class Assignments(Execution):
    """Binds names, and unpacks."""

    def assign(self, target: Node, value: Value) -> None:
        """Bind a target to a value."""
        if isinstance(target, nodes.Name):
            self.bind_name(target.id, value)
        elif isinstance(target, (nodes.Tuple, nodes.List)):
            self.unpack(target, value)
        elif isinstance(target, nodes.Subscript):
            owner = self.evaluate(target.value)
            self.store(owner, self.evaluate(target.slice), value, PUT)
        else:
            assert isinstance(target, nodes.Attribute)
            name = self.frame.scope.mangled(target.attr)
            self.assign_attribute(self.evaluate(target.value), name, value)

    def bind_name(self, name: str, value: Value) -> None:
        """Give a name a value; the value is called by it."""
        scope = self.frame.scope
        if name in scope.declared and not _imported(self.node):
            self.bind_global(name, value)
            return
        if isinstance(value, Var) and not name.startswith("%"):
            self.name_value(value, name)
        if (
            isinstance(value, Const)
            and value.made
            and not value.hint
            and name[0] != "%"
        ):
            value = replace(value, hint=name)
        held = self.heap[value.cell].var if isinstance(value, Ref) else None
        if held is not None:  # a list that the text holds as a whole
            self.hint(held.name, name)
        frame = self.frame
        if name in scope.nonlocals:
            while frame.parent is not None and name not in frame.scope.locals:
                frame = frame.parent
            if name not in frame.scope.locals:
                self.refuse(
                    f"`nonlocal {name}` writes a variable outside the function",
                    "Return the new value.",
                )
        self.put(frame.cell, name, value)

    def bind_global(self, name: str, value: Value) -> None:
        """Give a global another value until its own is put back.

        Whoever reads it meanwhile is lowered with the new one; nothing is written.
        """
        scope = self.frame.scope
        if name in self.own_cells:  # then it is taken for a constant
            raise InternalError("a global that is a parameter has another value")
        if not isinstance(value, Const) or name not in scope.globals:
            self.refuse_global(name, self.location())
        key, own = (id(scope.globals), name), scope.globals[name]
        self.use(own)
        same = value.value is own or (
            type(value.value) is type(own) and is_literal_value(own)
            and value.value == own
        )  # fmt: skip
        self.rebound.pop(key, None)
        if not same:
            self.rebound[key] = (value, self.location())

    def name_value(self, value: Var, name: str) -> None:
        """Call a value by the name that it is assigned to, if it has no better one."""
        if value.name not in self.paths:
            self.hint(value.name, name)

    def unpack(self, target: Node, value: Value) -> None:
        """a, (b, *c) = value."""
        count = len(target.elts)
        starred = [k for k, e in enumerate(target.elts) if isinstance(e, nodes.Starred)]
        items: Sequence[Value] | None
        if isinstance(value, Lazy) and value.fn is map and not starred:
            columns = [self.unpacked(c, count) for c in value.args[1:]]
            rows = zip(*columns, strict=True)
            items = tuple(self.call(value.args[0], row) for row in rows)
        else:
            value = self.run_through(value)
            self.tell_items(value)
            items = self.items_of(value)
        if items is None and starred:
            items = self.items_apart(value) or self.items_of_table(value)
        elif items is None and self.fixed is not None:
            items = self.rows_of(value)
        if items is None:
            if starred:
                self.refuse(
                    "a starred target takes an unknown number of items",
                    "Take the items by slices: x[0], x[1:].",
                    target,
                )
            if self.tries and isinstance(value, Var):
                self.check_unpacked(value, count)
                if self.ended:
                    return
            items = self.unpacked(value, count, counted=True)
        if starred:
            self.unpack_starred(target, starred[0], items)
            return
        if len(items) != count:
            if self.tries:
                self.fail_to_unpack(count)
                return
            self.refuse(
                f"{len(items)} items are assigned to {count} targets",
                "Correct the number of targets.",
                target,
            )
        for element, item in zip(target.elts, items, strict=True):
            self.assign(element, item)

    def check_unpacked(self, value: Var, count: int) -> None:
        """In a `try`, what is taken apart has as many items as there are targets."""
        if value.fact.items is not None:
            if len(value.fact.items) != count:
                self.fail_to_unpack(count)
            return
        length = self.apply(len, (value,), fact=INT)
        args = (length, Const(count))
        test = self.apply(operator.ne, args, form="operator", fact=BOOL)
        stay = self.live_flags(self.live)
        self.branch(
            test, lambda: self.fail_to_unpack(count), lambda: UNDEFINED, live=stay
        )

    def fail_to_unpack(self, count: int) -> MaybeValue:
        """What Python raises where there are more items, or fewer, than targets."""
        return self.failing(ValueError, f"cannot unpack into {count} values")

    def unpacked(
        self, value: Value, count: int, *, counted: bool = False
    ) -> tuple[Value, ...]:
        """The items of something that the text takes apart by position; counted: it
        raises where there are more."""
        atom, spelling = self.atom(value), ""
        known = self.fact(atom).items
        if counted and (known is None or len(known) != count):
            spelling = str(count)
        return tuple(
            self.apply(
                operator.getitem, (atom, Const(k)), form="unpack", spelling=spelling
            )
            for k in range(count)
        )

    def unpack_starred(self, target: Node, at: int, items: Sequence[Value]) -> None:
        """a, *b, c = items."""
        after = len(target.elts) - at - 1
        if len(items) < at + after:
            self.refuse(
                "there are too few items to unpack",
                "Correct the number of targets.",
                target,
            )
        middle = items[at : len(items) - after]
        rest = self.new_cell(Cell("list", dict(enumerate(middle)), list))
        values = [*items[:at], rest, *items[len(items) - after :]]
        for element, item in zip(target.elts, values, strict=True):
            inner = element.value if isinstance(element, nodes.Starred) else element
            self.assign(inner, item)

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value."""
        if isinstance(owner, Ref) and self.is_object(owner):
            cls = self.heap[owner.cell].cls or object
            found = found_on(cls, name)
            if isinstance(found, property):
                if found.fset is None:
                    self.refuse(
                        f"the property `{name}` cannot be written",
                        "Give the property a setter.",
                    )
                self.call(Const(found.fset, name), (owner, value))
            elif hasattr(type(found), "__set__") and not is_slot(found):
                self.refuse(
                    f"the descriptor `{name}` is not supported",
                    "Write it as a property.",
                )
            elif not takes(seen := seen_in(cls, self.frame.scope.module), name):
                self.without_slot(seen, name)
            else:
                self.put(owner.cell, name, value)
            return
        roots = self.memory_of(owner).roots if isinstance(owner, Var) else ()
        guessed = any(root.startswith("arg:") for root in roots)  # or a part of one
        vague = guessed and self.fact(owner).kind == "real"
        if isinstance(owner, Var) and owner.fact.is_numeric and name in LAYOUT:
            self.set_layout(owner, name, value)
            return
        if isinstance(owner, Var) and owner.fact.is_numeric and not vague:
            # What no number and no array allows: Python raises it where it stands.
            self.apply(
                setattr,
                (self.atom(owner), Const(name), self.atom(value)),
                fact=NONE,
                effect=True,
            )
            return
        if isinstance(owner, Argument) and owner.example is not None:
            self.begin_again(owner)
        what = (
            f"`{owner.root.name}`"
            if isinstance(owner, Argument)
            else "an object from outside"
        )
        self.refuse(
            f"the function sets the attribute `{name}` of {what}",
            "Return the new value, and assign it outside.",
        )

    def without_slot(self, cls: type, name: str) -> None:
        """owner.name = value of a class with `__slots__`, none of which is for it."""
        if not self.tries:
            self.refuse(
                f"the class {cls.__name__} has no slot for `{name}`",
                "Name it in `__slots__`, or assign it to a variable.",
            )
        self.without_attribute(cls, name)

    def set_layout(self, owner: Var, name: str, value: Value) -> None:
        """array.real = value: a store; other attributes change the array itself."""
        known = owner.fact
        if is_part(owner, name):
            part = self.attribute(owner, name)
            assert isinstance(part, Var)
            self.store(part, Const(...), value, PUT)
            return
        real = known.dtype is not None and known.dtype.kind == "f"
        same = self.fact(value).is_scalar or self.fact(value).shape == known.shape
        if known.kind != "array" or not (
            (name == "real" and real) or (name == "flat" and same)
        ):
            self.refuse(
                f"the function sets the attribute `{name}` of an array",
                "Make a new array, with reshape or astype, or write into y[...].",
            )
        self.store(owner, Const(...), value, PUT)


def _imported(stmt: Node) -> bool:
    """An import into a global name is only made late: the value is the same."""
    return isinstance(stmt, (nodes.Import, nodes.ImportFrom))
