"""Attributes whose getters are run, and fields that are held -> values."""

from __future__ import annotations

from typing import Any, assert_never

from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import Ref, Value
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Raise,
    Simple,
    walk,
)


def taken(lowering: Component, owner: Value, name: str) -> Value | None:
    """The value of an attribute whose getter is run, None where it raises that there is
    none."""
    snapshots = Snapshots.of(lowering)
    position = Position.of(lowering)
    blocks = Blocks.of(lowering)
    mark = snapshots.mark()
    value: Value | None = None
    with position.in_try(), blocks.comes_back():
        value = Language.of(lowering).attribute(owner, name)
    ops = blocks.ops[mark.ops :]
    if blocks.ended and not mark.snapshot.ended:
        lacks = raises_absence(ops) and not snapshots.changes_since(mark.snapshot)
        snapshots.back_to(mark)
        sure, value = lacks, None
    else:
        sure = not any(isinstance(op, Raise) for op in walk(Block(tuple(ops))))
    if not sure:
        position.refuse_call(
            f"the object has the attribute `{name}` on some paths only",
            "Assign it on every path before this line.",
        )
    return value


def raises_absence(ops: list[Op]) -> bool:
    """Whether ops do nothing but raise AttributeError."""
    made: dict[str, Any] = {}
    for op in ops:
        match op:
            case Raise():
                error = made.get(op.exc.name) if isinstance(op.exc, Var) else None
                return isinstance(error, type) and issubclass(error, AttributeError)
            case Apply():
                if op.effect:
                    return False
                made[op.out.name] = op.fn
            case Simple() | Compound():
                return False
            case _:
                assert_never(op)
    return False


def field_held(lowering: Component, owner: Value, name: str) -> Value | None:
    """The value in a slot of an object that is made while lowering."""
    found: Value | None = None
    if isinstance(owner, Ref) and ValueKinds.of(lowering).is_object(owner):
        found = Cells.of(lowering).heap[owner.cell].items.get(name)
    return found


def check_method_of_container(lowering: Component, cls: type, name: str) -> None:
    """Refuse a field of a list or a dict of a user's class: a field of its own, a
    constant of the class, or what `__getattr__` makes of a key."""
    kind = dict if issubclass(cls, dict) else list
    if hasattr(kind, name):
        return
    item = "Read it as an item, by its key, or make" if kind is dict else "Make"
    Position.of(lowering).refuse_call(
        f"the attribute `{name}` of a {kind.__name__}, of class {cls.__name__}, is "
        "not followed",
        f"{item} it an argument.",
    )
