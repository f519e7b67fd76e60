"""An attribute that an argument lacks -> what `__getattr__` gives for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import ABSENT, found_on
from yota_ast.frontend.heap.lowered_values import Argument, Value
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const


def asked_of_argument(
    lowering: Component, owner: Argument, cls: type, name: str
) -> Value:
    """Return what `__getattr__` gives for a name that is not a field of the object."""
    structures = ArgumentStructures.of(lowering)
    position = Position.of(lowering)
    title = f"the object `{owner.root.name}` of class {cls.__name__}"
    dynamic = ValueKinds.of(lowering).special_method(owner, "__getattr__")
    if dynamic is not None and found_on(cls, name) is ABSENT:
        ObjectAttributes.of(lowering).check_found_as_usual(cls)
        structures.tell_own(owner, cls, name, ABSENT)
        return Language.of(lowering).call(dynamic, (owner, Const(name)))
    if hasattr(cls, "__getattr__"):
        position.refuse_call(
            f"{title} has no attribute `{name}`, and its `__getattr__` is not "
            "written in Python",
            f"Make `{name}` an argument.",
        )
    if position.tries:
        structures.tell_attribute(owner, name, there=False)
    refuse: Callable[[str, str], NoReturn] = position.refuse_call
    refuse(f"{title} has no attribute `{name}`", "Correct the name.")
