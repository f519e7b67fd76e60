"""`global calls; calls += 1`, `Model.count += 1`: names outside that are given values.

A module, a class or a function holds the name. The generated code reads it and sets it
where the function does, so that whoever looks at it sees what they saw before. Lowering
begins again where the first such name is met, for it may have been read earlier. What
holds a derivative is not kept there.

>>> class Model:
...     count = 0
>>> holder_of(Model, "count") is Model, holder_of(Model(), "count") is None
(True, True)
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, Final

from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import GlobalName, SetOutside
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import BOOL, FLOAT, INT, NONE, STR, Fact
from yota_ast.ir.atoms import Const
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_paths import class_text

KINDS: Final[dict[type, Fact]] = {int: INT, bool: BOOL, str: STR, float: FLOAT}
"""What may be kept under such a name, and what is known of it when it is read."""


def holder_of(thing: object, name: str) -> object:
    """What holds an attribute that a module, a class or a function has; None where
    another value cannot simply be put there, as where it is no number or string."""
    if isinstance(thing, type):
        if type(thing).__setattr__ is not type.__setattr__:
            return None
        homes = [c for c in thing.__mro__ if name in vars(c)]
        if not homes or not homes[0].__flags__ & _OF_HEAP:
            return None
        thing = homes[0]
    if not isinstance(thing, (type, types.ModuleType, types.FunctionType)):
        return None
    return thing if type(vars(thing).get(name)) in KINDS else None


_OF_HEAP: Final = 1 << 9
"""The flag of classes that a class statement makes: those in C cannot be changed."""


def module_of(number: int) -> types.ModuleType | None:
    """The module whose globals have an identity."""
    for module in list(sys.modules.values()):
        if id(getattr(module, "__dict__", None)) == number:
            return module
    return None


class OutsideNames(Component):
    """Names of modules, classes and functions that the function sets."""

    language = uses(Language)
    position = uses(Position)
    operations = uses(Operations)

    def is_set(self, holder: object, name: str) -> bool:
        """Whether the function sets a name outside."""
        return (id(holder), name) in self.settings.set_outside

    def begin_again(self, key: GlobalName) -> None:
        """Begin again where a global, which keeps a new value, can be set."""
        module = module_of(key[0])
        if module is not None and not self.is_set(module, key[1]):
            self.sets(module, key[1], Const(None))

    def sets_global(self, key: GlobalName, value: Value) -> bool:
        """Set a global that keeps new values; whether it is one."""
        module = module_of(key[0]) if self.settings.set_outside else None
        if module is None or not self.is_set(module, key[1]):
            return False
        return self.sets(module, key[1], value)

    def sets(self, holder: object, name: str, value: Value) -> bool:
        """Set a name outside; whether that is possible."""
        if holder_of(holder, name) is not holder:
            return False
        if not self.is_set(holder, name):
            raise SetOutside((id(holder), name))
        known = isinstance(value, Const) and type(value.value) in KINDS
        if not known and self.operations.fact(value).kind not in ("int", "bool", "str"):
            return False
        args = (_named(holder), Const(name), self.language.atom(value))
        self.operations.apply(setattr, args, fact=NONE, effect=True)
        return True

    def read(self, holder: object, name: str) -> Value:
        """The value of a name outside, as it is now."""
        return self.operations.apply(
            getattr, (_named(holder), Const(name)), form="attribute", spelling=name,
            fact=KINDS[type(vars(holder)[name])], effect=True,
        )  # fmt: skip

    # ------------------------------------------------------------ whoever reads it

    @extends(NameLookup.load_global)
    def load_global(self, rest: Callable[..., Value], name: str) -> Value:
        """A name of the function's module, or of Python."""
        number = id(self.position.frame.scope.globals)
        for key in self.settings.set_outside:
            module = module_of(number) if key[1] == name else None
            if module is not None and key[0] == id(module):
                return self.read(module, name)
        return rest(name)

    @extends(ObjectAttributes.attribute_of_constant)
    def attribute_of_constant(
        self, rest: Callable[..., Value], owner: Const, name: str
    ) -> Value:
        """An attribute of a module, a class or a function."""
        holder = holder_of(owner.value, name) if self.settings.set_outside else None
        if holder is not None and self.is_set(holder, name):
            return self.read(holder, name)
        return rest(owner, name)

    @extends(ObjectAttributes.class_attribute)
    def class_attribute(
        self, rest: Callable[..., Value], found: Any, owner: Value, cls: type, name: str
    ) -> Value:
        """What an object has of its class."""
        holder = holder_of(cls, name) if self.settings.set_outside else None
        if holder is not None and self.is_set(holder, name):
            return self.read(holder, name)
        return rest(found, owner, cls, name)


def _named(holder: Any) -> Const:
    """A module, a class or a function as the generated code names it."""
    if isinstance(holder, types.ModuleType):
        name = holder.__name__
        return Const(holder, identifier(name.rpartition(".")[2]), name)
    text = class_text(holder) if isinstance(holder, type) else holder.__name__
    return Const(holder, text, holder.__module__)
