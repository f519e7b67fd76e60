"""A try of one statement that changes a container -> one that does so in its `else`.

What is put in may raise, and then nothing has changed; the change itself raises nothing
that is caught. So `try: xs.append(f(x))` is `try: held = f(x)`, `else:
xs.append(held)`, and no handler sees a container that may have been changed or not.
"""

from __future__ import annotations

import inspect
import types
from typing import Any, Final

from yota_ast.facts import element_of
from yota_ast.frontend.contexts import Contexts
from yota_ast.frontend.state import header
from yota_ast.frontend.values import Cell, Node, Ref, Value
from yota_ast.syntax import nodes
from yota_ast.tape import Const, Var

HELD: Final = "%held"


class Moving(Contexts):
    """Changes that are made after what may raise."""

    def changed_afterwards(self, stmt: Node) -> Node:
        """A try that changes containers in its `else`, where that is the same; or the
        try as it is."""
        part = stmt.body[0]
        if len(stmt.body) > 1 or not self.is_change(stmt, part):
            return stmt
        name = f"{HELD}{part.lineno}_{part.col_offset}"
        held, read = _name(name, nodes.Store()), _name(name, nodes.Load())
        if isinstance(part, nodes.Expr):
            put_in = part.value.args[0]
            change: Node = nodes.Expr(_call_with(part.value, read))
        else:
            put_in, target = part.value, _target(part)
            if isinstance(part, nodes.AugAssign):
                put_in = nodes.BinOp(_loaded(target), part.op, part.value)
            change = nodes.Assign([target], read, None)
        value: Node = nodes.Assign([held], put_in, None)
        for made in (value, change):
            _placed(made, part)
            made.header = header(part)
        change.goes_on = True
        return nodes.copy_location(
            nodes.Try([value], stmt.handlers, [change, *stmt.orelse], stmt.finalbody),
            stmt,
        )

    def is_change(self, stmt: Node, part: Node) -> bool:
        """Whether a statement ends by changing a list, a dict or an object of which the
        name is known, and that raises nothing that is caught."""
        if is_append(part):
            owner = self.owner_of(part.value.func)
            return owner is not None and owner.kind == "list" and owner.cls is list
        target = _target(part)
        owner = None if target is None else self.owner_of(target)
        if owner is None or target is None:
            return False
        if isinstance(part, nodes.AugAssign) and not self.is_number_at(owner, target):
            return False
        if isinstance(target, nodes.Attribute):
            return owner.kind == "object" and _takes(owner.cls, target.attr)
        if not isinstance(target.slice, nodes.Constant | nodes.Name):
            return False
        if owner.kind == "dict":
            return owner.cls is dict and isinstance(target.slice, nodes.Constant)
        known = owner.kind == "list" and owner.cls is list
        inside = owner.var is None and _constant(target.slice) in owner.items
        return known and (inside or not self.catches(stmt, IndexError, TypeError))

    def owner_of(self, place: Node) -> Cell | None:
        """The container that the name in `name.field` or `name[key]` stands for."""
        if not isinstance(place.value, nodes.Name):
            return None
        if place.value.id in self.frame.scope.captured:
            return None  # what is put in may give the name another one
        frame = self.frame
        while frame.parent is not None and place.value.id not in frame.scope.locals:
            frame = frame.parent
        found = self.get((frame.cell, place.value.id))
        return self.heap[found.cell] if isinstance(found, Ref) else None

    def is_number_at(self, owner: Cell, target: Node) -> bool:
        """Whether a number stands where a statement augments: nothing in place."""
        if owner.var is not None:
            return owner.kind == "list" and element_of(owner.var.fact).is_number
        key = (
            target.attr if isinstance(target, nodes.Attribute)
            else _constant(target.slice)
        )  # fmt: skip
        value: Value | None = owner.items.get(key)
        return isinstance(value, Var | Const) and self.fact(value).is_number

    def catches(self, stmt: Node, *errors: type[BaseException]) -> bool:
        """Whether a handler of a try catches one of some errors."""
        return any(
            issubclass(error, cls)
            for handler in stmt.handlers
            for cls in _classes(self.classes_of(handler).value)
            for error in errors
        )

    def classes_of(self, handler: Node) -> Const:
        """What a handler catches; see trying.py."""
        raise NotImplementedError


def is_append(stmt: Node) -> bool:
    """Whether a statement is `xs.append(e)`."""
    call = stmt.value if isinstance(stmt, nodes.Expr) else None
    return (
        isinstance(call, nodes.Call)
        and isinstance(call.func, nodes.Attribute)
        and call.func.attr == "append"
        and len(call.args) == 1
        and not call.keywords
        and not isinstance(call.args[0], nodes.Starred)
    )


def _target(stmt: Node) -> Node | None:
    """What a statement assigns: an item or a field."""
    if isinstance(stmt, nodes.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
    elif isinstance(stmt, nodes.AugAssign):
        target = stmt.target
    else:
        return None
    return target if isinstance(target, nodes.Subscript | nodes.Attribute) else None


def _takes(cls: Any, name: str) -> bool:
    """Whether an object of a class takes any value for a field, without more ado."""
    found = inspect.getattr_static(cls, name, None)
    plain = not hasattr(type(found), "__set__") or isinstance(
        found, types.MemberDescriptorType
    )
    return plain and cls.__setattr__ is object.__setattr__


def _constant(node: Node) -> object:
    return node.value if isinstance(node, nodes.Constant) else None


def _classes(caught: Any) -> tuple[type[BaseException], ...]:
    return caught if isinstance(caught, tuple) else (caught,)


def _name(name: str, ctx: Node) -> Node:
    return nodes.Name(name, ctx, None, None)


def _call_with(call: Node, argument: Node) -> Node:
    return nodes.Call(call.func, [argument], [])


def _loaded(target: Node) -> Node:
    """A target as it is read."""
    if isinstance(target, nodes.Attribute):
        return nodes.Attribute(target.value, target.attr, nodes.Load())
    return nodes.Subscript(target.value, target.slice, nodes.Load())


def _placed(made: Node, part: Node) -> None:
    """Give what was made the place of what it stands for."""
    for node in nodes.walk(made):
        if getattr(node, "lineno", None) is None:
            nodes.copy_location(node, part)
