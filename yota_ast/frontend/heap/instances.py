"""Classes of the user's: instances made while lowering, super(), NamedTuples."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.has_attribute import ABSENT, found_on, is_asked_first
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Frame,
    Node,
    Ref,
    Super,
    TupleValue,
    Value,
    is_literal_value,
    is_user_class,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.type_questions import Args, Kwargs, TypeQuestions
from yota_ast.frontend.source.field_setters import (
    attrs_of,
    init_fields,
    is_filled_by_attrs,
    is_frozen,
    is_frozen_by_attrs,
    is_made_by_dataclass,
    is_of_no_file,
    is_only_given,
    is_slot_of,
)
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.syntax.value_paths import attribute_text, class_text

_VALUES: Final = (dict, list, set, frozenset, str, int, float, complex, bytes)
"""Classes in C of which objects are made of what is given."""
CLEVER: Final = ("__new__", "__getattr__", "__getattribute__")
"""Methods by which a class says itself what making an object or a field means."""


class Instances(Component):
    """Class(...) and super()."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    kinds = uses(ValueKinds)
    object_attributes = uses(ObjectAttributes)
    type_questions = uses(TypeQuestions)

    @provides(UserCalls.instantiate)
    def instantiate(
        self, function: Const, cls: type, args: Args, kwargs: Kwargs
    ) -> Value | None:
        """Class(...), or None where the class is not written in Python."""
        if not is_user_class(cls) or cls.__module__ in LIBRARIES:
            return None
        if issubclass(cls, tuple):
            return self.named_tuple(cls, args, kwargs)
        if not self.is_plain(cls):
            return None
        if inspect.isabstract(cls):
            return self.abstract(cls)
        self.operations.use(cls)
        ref = self.cells.new_cell(Cell("object", {}, cls))
        init = inspect.getattr_static(cls, "__init__", ABSENT)
        if is_made_by_dataclass(init):
            self.fill_dataclass(ref, cls, init, args, kwargs)
        elif is_filled_by_attrs(cls, init):
            self.fill_attrs(ref, cls, args, kwargs)
        elif isinstance(init, types.FunctionType):
            name = attribute_text(class_text(cls), "__init__")
            self.language.call(Const(init, name, cls.__module__), (ref, *args), kwargs)
        elif not isinstance(init, types.WrapperDescriptorType):
            self.object_attributes.refuse_descriptor("__init__", cls)
        elif args or kwargs:
            self.refuse_arguments(cls)
        return ref

    def refuse_arguments(self, cls: type) -> NoReturn:
        """Refuse what is given to a class that does not say itself what it takes."""
        kind = next((c for c in _VALUES if issubclass(cls, c)), None)
        if kind is None:
            self.position.refuse_call(
                f"`{cls.__name__}` takes no arguments", "Correct the call."
            )
        self.position.refuse_call(
            f"`{cls.__name__}` is a subclass of {kind.__name__}: the function "
            "cannot make objects of it",
            f"Make a plain {kind.__name__}, or use a class with fields.",
        )

    @provides(OpaqueCalls.refuse_clever)
    def refuse_clever(self, cls: type) -> None:
        """Refuse a class that says itself what its fields are, or one of arrays."""
        if issubclass(cls, np.ndarray) and not cls.__module__.startswith("numpy"):
            self.position.refuse_call(
                f"`{cls.__name__}` is a subclass of np.ndarray, whose operators and "
                "methods may be its own",
                "Keep the array in a field of a plain class.",
            )
        for name in CLEVER if is_user_class(cls) else ():
            if isinstance(found_on(cls, name), (types.FunctionType, staticmethod)):
                self.position.refuse_call(
                    f"`{cls.__name__}` defines `{name}`: the function cannot "
                    "make objects of it",
                    "Pass the object as an argument, or write fields, properties and "
                    "methods instead.",
                )

    def abstract(self, cls: type) -> Value:
        """Class(...) of an abstract class, which raises."""
        if self.position.tries:
            try:
                object.__new__(cls)
            except TypeError as error:
                return self.operations.failing(TypeError, str(error))
        self.position.refuse_call(
            f"`{cls.__name__}` is an abstract class: it has no objects",
            "Define its abstract methods in a subclass.",
        )

    def is_plain(self, cls: type) -> bool:
        """Whether instances are dicts of fields, with nothing clever about them."""
        return makes_as_usual(type(cls)) and not any(
            isinstance(
                inspect.getattr_static(cls, name, None),
                (types.FunctionType, staticmethod),
            )
            for name in CLEVER
        )

    @provides(TypeQuestions.assign_attribute)
    def assign_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value, which raises where the class is frozen."""
        if self.choice.is_chosen(owner):
            self.choice.write_chosen(
                owner, name, partial(self.assign_to_one, name, value)
            )
            return
        if isinstance(owner, Ref) and self.kinds.is_object(owner):
            setter = self.type_questions.own_setter(self.cells.heap[owner.cell].cls)
            if setter is not None:
                self.language.call(setter, (owner, Const(name), value))
                return
            if is_frozen(self.cells.heap[owner.cell].cls, name):
                what = f"cannot assign to field {name!r}"
                self.operations.failing(dataclasses.FrozenInstanceError, what)
                return
            if is_frozen_by_attrs(self.cells.heap[owner.cell].cls):
                self.position.refuse(
                    f"the function sets the attribute `{name}` of a frozen object",
                    "Make a new object instead.",
                )
        self.type_questions.set_attribute(owner, name, value)

    def assign_to_one(self, name: str, value: Value, owner: Value) -> Value:
        """owner.name = value, as a step of what is chosen."""
        self.type_questions.assign_attribute(owner, name, value)
        return NULL

    @provides(TypeQuestions.own_setter)
    def own_setter(self, cls: type | None) -> Value | None:
        """The function by which a class sets fields, if it has its own; objects of such
        a class are the caller's."""
        inherited: object = object.__setattr__
        if cls is None or cls.__setattr__ is inherited:
            return None
        return (
            None if _says_only_frozen(cls) else self.kinds.class_function(cls, SETTER)
        )

    @provides(Inlining.fill_object)
    def fill_object(self, init: object, args: Args, kwargs: Kwargs) -> Value | None:
        """The __init__ that dataclass wrote, called by name: super().__init__(x)."""
        if (
            not args
            or not isinstance(args[0], Ref)
            or not self.kinds.is_object(args[0])
        ):
            return None
        cls: Any = self.cells.heap[args[0].cell].cls
        self.fill_dataclass(args[0], cls, init, args[1:], kwargs)
        return NULL

    def fill_dataclass(
        self, ref: Ref, cls: Any, init: object, args: Args, kwargs: Kwargs
    ) -> None:
        """Set the fields as a generated __init__ does, which may be that of a base: it
        sets the fields that the base has."""
        made_for: Any = next(c for c in cls.__mro__ if vars(c).get("__init__") is init)
        fields = init_fields(made_for)
        taken = [f for f in fields if f.init]
        positional = [f.name for f in taken if not f.kw_only]
        given = self.given_fields(
            cls, positional, [f.name for f in taken], args, kwargs
        )
        frozen = made_for.__dataclass_params__.frozen  # it sets them past a setter
        setter = None if frozen else self.type_questions.own_setter(cls)
        for_after: list[Value] = []
        for field in fields:
            value = given.get(field.name)
            if value is None:
                value = self.default_of_field(made_for, field)
            if value is None:
                continue
            if is_only_given(field):
                for_after.append(value)
            elif setter is not None:
                self.language.call(setter, (ref, Const(field.name), value))
            else:
                self.set_plainly(ref, cls, field.name, value)
        if "__post_init__" in vars(made_for)["__init__"].__code__.co_names:
            self.language.call(self.language.attribute(ref, "__post_init__"), for_after)

    def set_plainly(self, ref: Ref, cls: type, name: str, value: Value) -> None:
        """Set a field as `object` does: a property or a descriptor is asked first."""
        if is_asked_first(found_on(cls, name)):
            self.type_questions.set_attribute(ref, name, value)
        else:
            self.cells.put(ref.cell, name, value)

    def default_of_field(self, cls: Any, field: Any) -> Value | None:
        """The default of a field of a dataclass; None of one that is not set."""
        if field.default_factory is not dataclasses.MISSING:
            factory = field.default_factory
            return self.language.call(
                Const(factory, getattr(factory, "__name__", None)), ()
            )
        if field.default is dataclasses.MISSING:
            return self.refuse_no_value(cls, field.name) if field.init else None
        if not field.init and not is_slot_of(cls, field.name):
            return None  # that of the class is read
        literal = is_literal_value(field.default)
        text = None if literal else attribute_text(class_text(cls), field.name)
        return Const(field.default, text, cls.__module__ if text else "")

    def given_fields(
        self,
        cls: Any,
        positional: Sequence[str],
        names: Sequence[str],
        args: Args,
        kwargs: Kwargs,
    ) -> dict[str, Value]:
        """What a generated __init__ is given, by name."""
        given = dict(kwargs)
        if len(args) > len(positional):
            self.position.refuse_call(
                f"`{cls.__name__}` takes {len(positional)} arguments",
                "Correct the call.",
            )
        given |= dict(zip(positional, args, strict=False))
        unknown = [name for name in given if name not in names]
        if unknown:
            self.position.refuse_call(
                f"`{cls.__name__}` has no field `{unknown[0]}`", "Correct the call."
            )
        return given

    def refuse_no_value(self, cls: Any, name: str) -> NoReturn:
        """An argument of a generated __init__ is missing."""
        self.position.refuse_call(
            f"`{cls.__name__}` gets no value for `{name}`", "Correct the call."
        )

    def fill_attrs(self, ref: Ref, cls: Any, args: Args, kwargs: Kwargs) -> None:
        """Set the fields as the __init__ does that attrs writes: one after the other,
        converted, then looked at by what validates them."""
        fields = attrs_of(cls)
        named = [a.alias for a in fields if a.init]
        positional = [a.alias for a in fields if a.init and not a.kw_only]
        given = self.given_fields(cls, positional, named, args, kwargs)
        for field in fields:
            value = given.get(field.alias)
            if value is None:
                value = self.default_of_attrs(ref, cls, field)
            if value is not None and field.converter is not None:
                value = self.language.call(_by_name(field.converter), (value,))
            if value is not None:
                self.set_plainly(ref, cls, field.name, value)
        for field in fields:
            if field.validator is not None:
                value = self.language.attribute(ref, field.name)
                self.language.call(
                    _by_name(field.validator), (ref, Const(field), value)
                )
        after = self.kinds.class_function(cls, "__attrs_post_init__")
        if after is not None:
            self.language.call(after, (ref,))

    def default_of_attrs(self, ref: Ref, cls: Any, field: Any) -> Value | None:
        """The default of a field; None of a field that is not set at all."""
        default = field.default
        if getattr(default, "name", "") == "NOTHING":
            return self.refuse_no_value(cls, field.name) if field.init else None
        if hasattr(default, "takes_self"):
            return self.language.call(
                _by_name(default.factory), (ref,) if default.takes_self else ()
            )
        return Const(default)

    def named_tuple(self, cls: Any, args: Args, kwargs: Kwargs) -> Value:
        """A NamedTuple: a tuple whose items have names."""
        fields: tuple[str, ...] | None = getattr(cls, "_fields", None)
        if fields is None or not is_of_no_file(cls.__new__):
            self.position.refuse_call(
                f"`{cls.__name__}`, a subclass of tuple, is not supported",
                "Use a NamedTuple or a dataclass.",
            )
        values: dict[str, Value] = dict(zip(fields, args, strict=False)) | dict(kwargs)
        for name, default in cls._field_defaults.items():
            text = None if is_literal_value(default) else name
            values.setdefault(name, Const(default, text))
        missing = [name for name in fields if name not in values]
        if missing or len(values) > len(fields) or len(args) > len(fields):
            self.position.refuse_call(
                f"the arguments do not fit the fields of `{cls.__name__}`",
                "Correct the call.",
            )
        return TupleValue(tuple(values[name] for name in fields), cls)

    @provides(UserCalls.super_of)
    def super_of(self, node: Node) -> Value:
        """super() or super(Class, self)."""
        if node.args:
            cls, owner = (self.language.evaluate(a) for a in node.args)
            if isinstance(cls, Const) and isinstance(cls.value, type):
                return Super(cls.value, owner)
            self.position.refuse_call(
                "the class given to super is unknown",
                "Use super() without arguments.",
            )
        frame: Frame | None = self.position.frame
        while frame is not None and "__class__" not in frame.scope.cells:
            frame = frame.parent
        if frame is None:
            self.position.refuse_call(
                "super() is used outside a method", "Call it in a method."
            )
        cell: Any = frame.scope.cells["__class__"]
        first = next(iter(self.cells.heap[frame.cell].items.values()))
        return Super(cell.cell_contents, first)


SETTER: Final = "__setattr__"
LIBRARIES: Final = frozenset(
    {"builtins", "numpy", "functools", "itertools", "collections", "warnings"}
)


def makes_as_usual(kind: type) -> bool:
    """Whether the classes of a metaclass make their objects as those of `type` do.

    >>> import abc, enum
    >>> makes_as_usual(abc.ABCMeta), makes_as_usual(enum.EnumMeta)
    (True, False)
    """
    return all(
        inspect.getattr_static(kind, name, None)
        is inspect.getattr_static(type, name, None)
        for name in ("__call__", "__getattr__", "__getattribute__", "__setattr__")
    )


def _says_only_frozen(cls: type) -> bool:
    """Whether a class sets fields as all do, or forbids it."""
    return is_made_by_dataclass(cls.__setattr__) or is_frozen_by_attrs(cls)


def _by_name(fn: Any) -> Const:
    return Const(
        fn, getattr(fn, "__name__", None), getattr(fn, "__module__", None) or ""
    )
