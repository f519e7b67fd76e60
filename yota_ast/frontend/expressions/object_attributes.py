"""owner.name of objects, classes and modules -> its value."""

from __future__ import annotations

import enum
import functools
import inspect
import types
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.attribute_getters import field_held
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import (
    ABSENT,
    descriptor_function,
    finds_otherwise,
    found_on,
    is_asked_first,
    is_field_in_c,
    is_hidden,
    is_slot,
    is_unmodelled,
    modelled,
    why_lacking,
)
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Bound,
    MethodOf,
    Ref,
    Super,
    TupleValue,
    Value,
    is_literal_value,
    is_user_class,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.cached_functions import cached_property
from yota_ast.frontend.source.decorator_refusals import refused_at_user
from yota_ast.frontend.source.method_binding import (
    becomes_method,
    method_of,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.ops.spellings import ATTRIBUTES
from yota_ast.support.public_names import public_path
from yota_ast.syntax.value_paths import (
    FIELD_OF_TUPLE,
    attribute_text,
    class_text,
    item_text,
    position_of_field,
)

_OF_CLASSES: Final = ("__name__", "__qualname__", "__module__")
"""What of a class is as the class statement has made it."""


_NO_FUNCTIONS: Final = (
    classmethod, staticmethod, property, functools.partial, functools.partialmethod,
    types.MethodType,
)  # fmt: skip
"""What may be in the place of a method that defines an operator."""


_LOOKUPS: Final = (Mapping.get, Mapping.keys, Mapping.values, Mapping.items)


class ObjectAttributes(Component):
    """Attributes of objects and constants."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    records = uses(InliningRecords)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    kinds = uses(ValueKinds)
    argument_parts = uses(ArgumentParts)

    def without_attribute(self, cls: type, name: str) -> Value:
        """What Python raises where an object of a class has no such attribute."""
        text = f"'{cls.__name__}' object has no attribute '{name}'"
        return self.operations.failing(AttributeError, text)

    # ------------------------------------------------------------ arguments

    @extensible
    def brought_along(
        self,
        value: object,
        text: str,
        home: str = "",
        by: tuple[object, str] = (None, ""),
    ) -> Value:
        """A default, or what a method or a partial binds; see outside_writes.py."""
        raise NotImplementedError

    # ------------------------------------------------------------ constants

    @extensible
    def attribute_of_constant(self, owner: Const, name: str) -> Value:
        """An attribute of a module, a class, or an object that is not an argument."""
        thing = owner.value
        text = None if owner.text is None else attribute_text(owner.text, name)
        if isinstance(thing, types.ModuleType):
            rebound = self.records.rebound.get((id(vars(thing)), name))
            if rebound is not None:
                return rebound[0]
            if name == "__name__":
                return Const(thing.__name__)
            try:
                value = getattr(thing, name)
            except AttributeError as error:
                if self.position.tries or self.position.arms_open:
                    return self.operations.failing(AttributeError, str(error))
                self.position.refuse_call(
                    f"module `{thing.__name__}` has no attribute `{name}`",
                    "Correct the name.",
                )
            self.operations.use(value, thing.__name__, name)
            if thing is np:  # whatever the program calls it: `self.backend.pi`
                text = attribute_text("np", name)
            return Const(value, text, thing.__name__)
        if isinstance(thing, type):
            return self.attribute_of_class(owner, thing, name)
        if isinstance(thing, ModuleSpec) and name == "_initializing":
            return Const(value=False)  # its module has been imported by then
        raises = (
            self.position.tries or self.blocks.ended or self.position.arms_open
        )  # in an arm not taken
        if thing is None and raises and not hasattr(None, name):
            # what has failed before, in the same expression, has no value
            return (
                NULL if self.blocks.ended else self.without_attribute(type(None), name)
            )
        if literal(owner) or not is_user_class(type(thing)):
            return self.attribute_of_plain(owner, name)
        if isinstance(thing, Mapping) and getattr(type(thing), name, None) in _LOOKUPS:
            return MethodOf(owner, name)
        if isinstance(thing, enum.Enum) and name in ("name", "value"):
            value = thing.name if name == "name" else thing.value
            return Const(value) if is_literal_value(value) else Const(value, text)
        if public_path(thing) is not None:  # a distribution of SciPy
            return Const(getattr(thing, name, ABSENT), text, owner.home)
        return self.attribute_of_outer(owner, name, text)

    def attribute_of_outer(self, owner: Const, name: str, text: str | None) -> Value:
        """An attribute of an object of a user's class that is not made here."""
        thing: Any = owner.value
        self.check_found_as_usual(type(thing))
        found = found_on(type(thing), name)
        field = own_field(thing, name)
        if isinstance(found, FIELD_OF_TUPLE):
            field = getattr(thing, name)
        elif field is ABSENT or is_asked_first(found):
            dynamic = self.kinds.special_method(owner, "__getattr__")
            if found is ABSENT and dynamic is not None:
                return self.language.call(dynamic, (owner, Const(name)))
            if found is ABSENT:
                self.position.refuse_call(
                    f"`{owner.text}` has no attribute `{name}`", "Correct the name."
                )
            return self.class_attribute(found, owner, type(thing), name)
        self.operations.use(field, owner.home, text or "")
        if not owner.home and is_literal_value(field):
            return Const(field)  # of an object in a cell: a literal, as a cell's number
        return Const(field, text, owner.home)

    def attribute_of_plain(self, owner: Const, name: str) -> Value:
        """An attribute of a number, a string, an array, a function."""
        thing = owner.value
        text = None if owner.text is None else attribute_text(owner.text, name)
        if name == "__self__" and isinstance(thing, types.MethodType):
            by = (None if owner.text else thing, name)
            return self.brought_along(thing.__self__, text or "", owner.home, by)
        if name in ATTRIBUTES and isinstance(thing, (np.ndarray, np.generic)):
            fn = ATTRIBUTES[name]
            return self.operations.apply(fn, (owner,), form="attribute", spelling=name)
        value = getattr(thing, name, ABSENT)
        method = getattr(type(thing), name, None)
        if callable(method) and not isinstance(value, type):  # as `dtype.type` is
            return MethodOf(owner, name)
        if value is ABSENT:
            if self.position.tries:
                return self.without_attribute(type(thing), name)
            self.position.refuse_call(
                f"{type(thing).__name__} has no attribute `{name}`", "Correct the name."
            )
        # Of what is computed of literals, `2 ** 0.5`, the text would need parentheses.
        named = owner.text is not None and owner.made is None
        found = Const(value, text if named else None, owner.home)
        if not is_literal_value(value):
            self.argument_parts.bring(found)
        return found

    def attribute_of_class(self, owner: Const, cls: type, name: str) -> Value:
        """Class.name: a function, a constant, a class method."""
        if name in _OF_CLASSES:
            return Const(getattr(cls, name))
        found = inspect.getattr_static(cls, name, ABSENT)
        text = attribute_text(owner.text or class_text(cls), name)
        if isinstance(found, classmethod):
            return Bound(Const(found.__func__, text, owner.home), owner)
        if isinstance(found, staticmethod):
            return Const(found.__func__, text, owner.home)
        value = getattr(cls, name, ABSENT)
        if value is ABSENT:
            self.position.refuse_call(
                f"class {cls.__name__} has no attribute `{name}`", "Correct the name."
            )
        self.operations.use(value, owner.home, text)
        return Const(value, text, owner.home)

    # ------------------------------------------------------------ objects

    def surely_there(self, owner: Ref, name: str) -> None:
        """Refuse an attribute that the object may be without, where that decides."""
        if name in self.cells.heap[owner.cell].perhaps:
            self.position.refuse_call(
                f"the object has the attribute `{name}` on some paths only",
                "Assign it on every path before this line.",
            )

    @extensible
    def attribute_of_object(self, owner: Ref, name: str) -> Value:
        """A field or method of an object made while lowering."""
        cell = self.cells.heap[owner.cell]
        cls = cell.cls or object
        found = found_on(cls, name)
        if is_hidden(cls, name, self.position.frame.scope.module):
            return self.without_field(cls, name)
        if name in cell.items and not is_asked_first(found):
            if found is not ABSENT or self.position.tries:
                self.surely_there(owner, name)
            return cell.items[name]
        if name == "__class__":
            cls = modelled(cls)
            return Const(cls, class_text(cls), cls.__module__)
        if name == "__dict__":
            self.position.refuse_call(
                "`__dict__` of an object is not supported", "Read its fields by name."
            )
        if found is ABSENT:
            return self.without_field(cls, name)
        if owner.cell in self.structures.opened_from:
            self.structures.tell_own(
                self.structures.opened_from[owner.cell], cls, name, found
            )
        return self.class_attribute(found, owner, cls, name)

    def without_field(self, cls: type, name: str) -> Value:
        """An attribute that an object surely lacks: in a `try` that is no mistake."""
        if self.position.tries and not is_unmodelled(cls, name):
            return self.without_attribute(modelled(cls), name)
        self.position.refuse_call(*why_lacking(cls, name))

    @extensible
    def class_attribute(self, found: Any, owner: Value, cls: type, name: str) -> Value:
        """What an attribute found on an object's class is for the object."""
        text, home = attribute_text(class_text(cls), name), cls.__module__
        if isinstance(found, property):
            if found.fget is None:
                self.position.refuse_call(
                    f"the property `{name}` cannot be read",
                    "Give the property a getter.",
                )
            return self.language.call(Const(found.fget, text, home), (owner,))
        if isinstance(found, classmethod):
            return Bound(
                Const(found.__func__, text, home), Const(cls, class_text(cls), home)
            )
        if isinstance(found, staticmethod):
            return Const(found.__func__, text, home)
        if is_slot(found):
            return field_held(self, owner, name) or self.without_field(cls, name)
        self.operations.use(found, home, text)
        if self.is_descriptor(found):
            own = Const(cls, class_text(cls), home)
            return self.call_descriptor(found, "__get__", (owner, own), cls, name)
        if becomes_method(found):
            return method_of(self, Const(found, text, home), owner, cls)
        if type(found).__name__ == "cached_property":
            inside = Const(found.func, text, home)
            compute = functools.partial(self.language.call, inside, (owner,))
            return cached_property(self, owner, name, compute)
        if hasattr(type(found), "__get__") and not is_field_in_c(found):
            if name in ("name", "value") and found is vars(enum.Enum)[name]:
                return self.language.attribute(owner, f"_{name}_")
            self.refuse_descriptor(name, cls)
        return Const(found, text, home)

    def is_descriptor(self, found: object) -> bool:
        """Whether code of the user's says what an attribute is. Python's own
        decorators of methods, in functools, have models."""
        getter = descriptor_function(found, "__get__")
        return getter is not None and getter.__module__ != "functools"

    def call_descriptor(
        self, found: object, fn: str, args: Sequence[Value], cls: type, name: str
    ) -> Value:
        """Call `__get__` or `__set__` of what stands in a class by a name."""
        of, place = type(found), self.position.location()
        home = next(base for base in cls.__mro__ if name in base.__dict__)
        text = item_text(f"{class_text(home)}.__dict__", name)
        function = descriptor_function(found, fn)
        with refused_at_user(found, lambda: place):
            return self.language.call(
                Const(function, attribute_text(class_text(of), fn), of.__module__),
                (Const(found, text, home.__module__), *args),
            )

    def check_found_as_usual(self, cls: type) -> None:
        """Refuse a class that says in its own way what the attributes of its instances
        are."""
        if finds_otherwise(cls):
            self.refuse_descriptor("__getattribute__", cls)

    def refuse_descriptor(self, name: str, cls: type) -> NoReturn:
        """Refuse what says in a way of its own what an attribute is."""
        self.position.refuse_call(
            f"the descriptor `{name}` of {cls.__name__} is not supported",
            "Write it as a property, or as a method.",
        )

    @provides(ValueKinds.class_function)
    def class_function(self, cls: type, name: str) -> Value | None:
        """A function of a class, looked up along its bases."""
        if is_unmodelled(cls, name):
            return self.without_field(cls, name)
        found = found_on(cls, name)
        if isinstance(found, (types.FunctionType, functools._lru_cache_wrapper)):
            self.operations.use(found)
            return Const(found, attribute_text(class_text(cls), name), cls.__module__)
        if isinstance(found, _NO_FUNCTIONS) or is_user_class(type(found)):
            self.refuse_descriptor(name, cls)
        return None

    def attribute_of_super(self, owner: Super, name: str) -> Value:
        """super().name, which is found on a base, and is of the object or class that
        `super` was given."""
        for base in self.bases_after(owner):
            if name in base.__dict__:
                return self.found_on_base(base.__dict__[name], owner, base, name)
        if self.position.tries or self.position.arms_open:
            return self.without_attribute(super, name)
        self.position.refuse_call(
            f"no base of {owner.cls.__name__} has an attribute `{name}`",
            "Correct the name.",
        )

    def found_on_base(self, found: Any, owner: Super, base: type, name: str) -> Value:
        """What super() has found on a base."""
        of, home = owner.owner, base.__module__
        text = attribute_text(class_text(base), name)
        on_class = isinstance(of, Const) and isinstance(of.value, type)
        if isinstance(found, classmethod):
            cls = None if on_class else self.choice.class_of(of)
            if cls is not None:
                of = Const(cls, class_text(cls), cls.__module__)
            return Bound(Const(found.__func__, text, home), of)
        if on_class:
            return self.attribute_of_class(
                Const(base, class_text(base), home), base, name
            )
        return self.class_attribute(found, of, base, name)

    def bases_after(self, owner: Super) -> Sequence[type]:
        """The classes that super() looks into, in their order."""
        actual = self.choice.class_of(owner.owner)
        if isinstance(owner.owner, Const) and isinstance(owner.owner.value, type):
            actual = owner.owner.value
        if actual is None:
            self.position.refuse_call(
                "super() is used outside a method", "Call it in a method."
            )
        bases = actual.__mro__
        return bases[bases.index(owner.cls) + 1 :]

    def attribute_of_namedtuple(self, owner: TupleValue, name: str) -> Value:
        """A field or method of a NamedTuple."""
        fields: tuple[str, ...] = getattr(owner.cls, "_fields", ())
        found, position = found_on(owner.cls, name), position_of_field(owner.cls, name)
        if position is not None:
            return owner.items[position]
        own = isinstance(found, (types.FunctionType, property)) or name in fields
        if own and not name.startswith("_"):
            return self.class_attribute(found, owner, owner.cls, name)
        return MethodOf(owner, name)


def own_field(thing: object, name: str) -> object:
    """An instance's field, without running code of its class."""
    found: object = inspect.getattr_static(thing, name, ABSENT)
    if is_field_in_c(found):
        return getattr(thing, name, ABSENT)
    fields = getattr(thing, "__dict__", {})
    return fields.get(name, ABSENT) if name not in fields else fields[name]
