"""An attribute that an argument lacks -> what `__getattr__` gives for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from yota_ast.frontend.heap.has_attribute import ABSENT, found_on
from yota_ast.frontend.heap.lowered_values import Argument, Value
from yota_ast.ir.atoms import Const


def asked_of_argument(lowering: Any, owner: Argument, cls: type, name: str) -> Value:
    """Return what `__getattr__` gives for a name that is not a field of the object."""
    title = f"the object `{owner.root.name}` of class {cls.__name__}"
    dynamic = lowering.special_method(owner, "__getattr__")
    if dynamic is not None and found_on(cls, name) is ABSENT:
        lowering.check_found_as_usual(cls)
        lowering.tell_own(owner, cls, name, ABSENT)
        found: Value = lowering.call(dynamic, (owner, Const(name)))
        return found
    if hasattr(cls, "__getattr__"):
        lowering.refuse_call(
            f"{title} has no attribute `{name}`, and its `__getattr__` is not "
            "written in Python",
            f"Make `{name}` an argument.",
        )
    if lowering.tries:
        lowering.tell_attribute(owner, name, there=False)
    refuse: Callable[[str, str], NoReturn] = lowering.refuse_call
    refuse(f"{title} has no attribute `{name}`", "Correct the name.")
