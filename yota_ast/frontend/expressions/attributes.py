"""Attributes and subscripts: of arrays, arguments, modules, classes and objects."""

from __future__ import annotations

import enum
import inspect
import operator
import types
from typing import Any, Final, cast

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.expressions.absent_attributes import asked_of_argument
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.attribute_getters import check_method_of_container
from yota_ast.frontend.expressions.folding import has_method, type_of
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.object_attributes import (
    ObjectAttributes,
    own_field,
)
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import (
    ABSENT,
    found_on,
    gives,
    is_asked_first,
    is_field_in_c,
)
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Bound,
    MethodOf,
    Ref,
    Super,
    TupleValue,
    Value,
    is_user_class,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.cached_functions import note_changes
from yota_ast.frontend.source.method_binding import (
    attribute_of_function,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    Fact,
    array_fact,
    fact_of,
    real_fact,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.annotations import (
    annotations_of_class,
    array_of_annotation,
    named_tuple_fact,
    plain_fact,
)
from yota_ast.ir.facts.time_points import MOMENTS
from yota_ast.ir.facts.types_of_floats import dtype_fact, told_of_types
from yota_ast.ops.spellings import ATTRIBUTES
from yota_ast.solvers.solver_functions import is_solution
from yota_ast.support.value_classes import is_record, is_sparse
from yota_ast.syntax.value_paths import (
    PathStep,
    path_text,
    position_of_field,
)

_OF_ERRORS: Final = (
    "__cause__", "__context__", "__suppress_context__", "__traceback__",
)  # fmt: skip
"""What tells of the way of an error, which may be another in the text."""


_PARTS: Final = frozenset({"T", "mT", "real", "imag", "flat"})
"""Attributes that are numbers of an array, as they are after a write."""


_WORDS_OF_DTYPES: Final = ("name", "kind", "char", "str", "byteorder")


OTHER_ATTRIBUTES: Final = ("dtype", "flat", "itemsize", "nbytes", "strides", "flags")


def _fact_of_sparse(owner: Var, name: str) -> Fact | None:
    """What is known of an attribute of a sparse matrix; None: it is none."""
    match name:
        case "T":
            return owner.fact
        case "shape":
            return Fact("tuple", items=(INT, INT), cls=tuple)
        case "nnz" | "ndim":
            return INT
        case "format":
            return STR
    return None


ARRAY_NAMES: Final = frozenset(dir(np.ndarray)) | {"is_integer"}


OF_MEMBER: Final = (types.DynamicClassAttribute, enum.property)
"""What the name and the value of a member are in the class of all enumerations."""


NUMERALS: Final = (float, int, complex, np.number, np.bool_)
"""Classes of numbers, which have no length and no items."""


FRACTIONS: Final = (float, complex, np.inexact)
"""Those that are no whole numbers."""


_REAL: Final = (float, int, bool, complex, np.float64, np.ndarray)
"""What a number or array may be of which no more is known."""


class Attributes(Component):
    """owner.name."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    kinds = uses(ValueKinds)
    items_and_truth = uses(ItemsAndTruth)
    argument_parts = uses(ArgumentParts)
    object_attributes = uses(ObjectAttributes)

    @provides(Language.attribute)
    def attribute(self, owner: Value, name: str) -> Value:
        """owner.name."""
        if isinstance(owner, Var):
            return self.attribute_of_var(owner, name)
        if isinstance(owner, Const):
            return self.object_attributes.attribute_of_constant(owner, name)
        if isinstance(owner, Argument):
            return self.attribute_of_argument(owner, name)
        if isinstance(owner, Super):
            return self.object_attributes.attribute_of_super(owner, name)
        if isinstance(owner, Ref) and self.kinds.is_object(owner):
            return self.object_attributes.attribute_of_object(owner, name)
        if isinstance(owner, TupleValue) and owner.cls is not tuple:
            return self.object_attributes.attribute_of_namedtuple(owner, name)
        if self.choice.is_chosen(owner):
            return self.choice.attribute_of_chosen(owner, name)
        if name == "__class__" and isinstance(owner, (Ref, TupleValue)):
            return self.language.call(Const(type, "type", "builtins"), (owner,))
        own = self.own_method_of(owner, name)
        own = own or attribute_of_function(self, owner, name)
        if own is not None:
            return own
        if self.position.tries and self.lacks_method(owner, name):
            return self.object_attributes.without_attribute(
                self.operations.fact(owner).cls or set, name
            )
        return MethodOf(owner, name)

    def attribute_of_var(self, owner: Var, name: str) -> Value:
        """An attribute of a number, an array, or an argument of unknown class."""
        failed = self.lacks(owner, name)
        if failed is not None:
            return failed
        if name in _PARTS:
            owner = self.language.fresh(owner)
        if owner.fact.kind == "real" and name not in ARRAY_NAMES:
            path = self.structures.paths.get(owner.name)
            if path is not None:
                return self.argument_parts.read(path[0], (*path[1], ("attr", name)))
        if name in _fields(owner.fact.cls) or _is_method(owner.fact, name):
            return self.field_of_tuple(owner, name)
        if is_solution(owner.fact):
            return self.field_of_solution(owner, name)
        if is_sparse(owner.fact.cls) and _fact_of_sparse(owner, name):
            return self.attribute_of_sparse(owner, name)
        if name in ATTRIBUTES:
            return self.array_attribute(owner, name)
        if name == "flat" and self.operations.fact(owner).is_numeric:
            if (
                self.position.spot() in self.settings.copied
            ):  # it is written, and is never a copy
                raise self.position.given_up_on_memory(
                    "Write y[i, j], or y[...] = values."
                )
            flat = self.operations.apply(np.ravel, (owner,))
            self.notes.flats.add(flat.name)
            return flat
        if name == "dtype":
            return self.dtype_of(owner)
        if name == "device" and is_numpy(type_of(owner.fact)):
            self.assumptions.tell_type(owner, is_numpy)
            return Const("cpu")
        cls = owner.fact.cls
        moment = cls in MOMENTS and hasattr(cls, name)
        if cls is np.dtype or (moment and not has_method(owner.fact, name)):
            return self.attribute_of_type(owner, name)
        if name in OTHER_ATTRIBUTES:
            args = (owner, Const(name))
            known = self.sizes_in_bytes(owner.fact, name)
            return self.operations.apply(
                getattr, args, form="attribute", spelling=name, fact=known
            )
        if name == "__name__" and owner.fact.kind == "callable":  # of a class
            args = (owner, Const(name))
            return self.operations.apply(
                getattr, args, form="attribute", spelling=name, fact=STR
            )
        self.check_followed(owner, name)
        if name == "__class__" and owner.fact.is_numeric:
            return self.language.call(Const(type, "type", "builtins"), (owner,))
        return MethodOf(owner, name)

    def attribute_of_sparse(self, owner: Var, name: str) -> Value:
        """A.T, and what no entry of a sparse matrix has a part in."""
        whole = name in ATTRIBUTES
        return self.operations.apply(
            ATTRIBUTES[name] if whole else getattr,
            (owner,) if whole else (owner, Const(name)),
            form="attribute",
            spelling=name,
            fact=_fact_of_sparse(owner, name),
        )

    def sizes_in_bytes(self, fact: Fact, name: str) -> Fact | None:
        """What is known of `x.itemsize`, `x.nbytes` and `x.strides`."""
        if name in ("itemsize", "nbytes"):
            return INT
        if name != "strides":
            return None
        items = None if fact.rank is None else (INT,) * fact.rank
        return Fact("tuple", items=items, cls=tuple)

    def check_followed(self, owner: Var, name: str) -> None:
        """Refuse what may be another in the text."""
        if name == "base" and owner.fact.may_be_array:
            self.position.refuse(
                "`base` may be another array in generated code",
                "Copy the array if it must own its memory: x.copy().",
            )
        if name in _OF_ERRORS:
            self.position.refuse(
                f"`{name}` of an error may differ in generated code",
                "Test the class of the error, or its message.",
            )

    def field_of_tuple(self, owner: Var, name: str) -> Value:
        """A field of a named tuple that an op gives, or a method with its items."""
        cls: Any = owner.fact.cls
        if _is_method(owner.fact, name):
            items = self.language.parts_of(owner) or ()
            found: Value = self.attribute(TupleValue(items, cls), name)
            return found
        position = position_of_field(cls, name)
        if name not in cls._fields:
            self.position.refuse(
                f"`{name}` is no item of the result, and has no rule",
                "Compute it from the items of the result.",
            )
        if position is None:
            held = inspect.getattr_static(cls, name)
            return self.object_attributes.class_attribute(held, owner, cls, name)
        return self.language.subscript(owner, Const(position))

    def lacks(self, owner: Var, name: str) -> Value | None:
        """What surely raises in a `try`: a number or an array has no such attribute."""
        made = owner.fact.kind == "tuple" and owner.name not in self.structures.paths
        told = self.position.tries and (owner.fact.is_numeric or made)
        cls = type_of(owner.fact) if told else None
        if told and owner.fact.kind == "real":  # whichever of these it is
            cls = None if any(gives(c, name) for c in _REAL) else float
        if cls is None or gives(cls, name):
            return None
        self.assumptions.tell_type(owner, lambda cls: gives(cls, name))
        return self.object_attributes.without_attribute(cls, name)

    def lacks_method(self, owner: Value, name: str) -> bool:
        """Whether a list, a tuple, a dict or a set surely has no such attribute."""
        cls: Any = tuple if isinstance(owner, TupleValue) else None
        if isinstance(owner, Ref):
            cls = self.cells.heap[owner.cell].cls
        return cls in (tuple, list, dict, set) and not gives(cls, name)

    @provides(Language.fails_on)
    def fails_on(self, value: Value, text: str, *, whole: bool = False) -> bool:
        """Whether in a `try` a number surely raises TypeError, as the text does; whole:
        one that is no whole number."""
        kinds = FRACTIONS if whole else NUMERALS
        cls = type_of(self.operations.fact(value)) if self.position.tries else None
        if cls is None or not isinstance(value, Var) or not issubclass(cls, kinds):
            return False
        self.assumptions.tell_type(value, lambda cls: issubclass(cls, kinds))
        self.operations.failing(TypeError, text.format(cls.__name__))
        return True

    def field_of_solution(self, owner: Var, name: str) -> Value:
        """sol.x of what a solver has found."""
        keys = owner.fact.keys or ()
        if name not in keys:
            self.position.refuse_call(
                f"`{name}` of a solver's result is not supported",
                f"Use its fields {', '.join(map(str, keys))}.",
            )
        known = (owner.fact.items or ())[keys.index(name)]
        return self.operations.apply(
            operator.getitem, (owner, Const(name)), form="attribute", spelling=name,
            fact=known,
        )  # fmt: skip

    def dtype_of(self, owner: Var) -> Value:
        """x.dtype; that of the example where the text is made for it, or where it is of
        whole numbers, which cut off what is stored."""
        fact = owner.fact
        whole = fact.dtype is not None and fact.dtype.kind in "iub"
        taken = self.assumptions.fixed is not None or whole
        if taken and fact.dtype is not None and fact.kind == "array":
            self.assumptions.depend_on_types()
            return Const(fact.dtype)
        args = (owner, Const("dtype"))
        known = dtype_fact(fact.dtype)
        return self.operations.apply(
            getattr, args, form="attribute", spelling="dtype", fact=known
        )

    def attribute_of_type(self, owner: Var, name: str) -> Value:
        """x.dtype.kind, or what is asked of a moment."""
        args = (owner, Const(name))
        told = told_of_types(getattr, args)
        if told is not None:
            return Const(told)
        word = owner.fact.cls is np.dtype and name in _WORDS_OF_DTYPES
        return self.operations.apply(
            getattr, args, form="attribute", spelling=name, fact=STR if word else None
        )

    def array_attribute(self, owner: Var, name: str) -> Value:
        """x.shape, x.T and so on; what facts prove is remembered for tests."""
        fn = ATTRIBUTES[name]
        out = self.operations.apply(fn, (owner,), form="attribute", spelling=name)
        if name == "ndim" and owner.fact.rank is not None:
            self.notes.known[out.name] = owner.fact.rank
            self.kinds.ranks.add(out.name)
        return out

    @provides(Blocks.note_changes)
    def note_changes(self) -> None:
        """Note what is changed of what was cached in a block."""
        note_changes(self)

    # ------------------------------------------------------------ arguments

    def attribute_of_argument(self, owner: Argument, name: str) -> Value:
        """A field or method of an object that the caller passes."""
        cls = owner.fact.cls
        names: tuple[str, ...] = getattr(cls, "_fields", ())
        if owner.fact.kind == "tuple" and cls is not None and names:
            found, position = found_on(cls, name), position_of_field(cls, name)
            if position is not None:
                self.choice.tell_class(owner)
                return self.items_and_truth.item_of_argument(owner, position)
            own = isinstance(found, (types.FunctionType, property)) or name in names
            if own and not name.startswith("_"):
                self.choice.tell_class(owner)
                return self.object_attributes.class_attribute(found, owner, cls, name)
            return MethodOf(owner, name)
        if owner.fact.kind != "object" or cls is None:
            return self.own_method_of(owner, name) or MethodOf(owner, name)
        found = found_on(cls, name)
        if isinstance(owner.example, enum.Enum) and isinstance(found, OF_MEMBER):
            member = self.of_member(owner, name)
            if member is not None:
                return member
        if found is not ABSENT and not is_field_in_c(found):
            fields = getattr(owner.example, "__dict__", {})
            if is_asked_first(found) or name not in fields:
                seen = owner.example is not None  # and has no field of this name
                if seen or name not in annotations_of_class(cls) or callable(found):
                    self.object_attributes.check_found_as_usual(cls)
                    self.choice.tell_class(owner)
                    self.structures.tell_own(owner, cls, name, found)
                    return self.object_attributes.class_attribute(
                        found, owner, cls, name
                    )
        return self.field_of_argument(owner, cls, name)

    def of_member(self, owner: Argument, name: str) -> Value | None:
        """The name or the value of a member of an enumeration: no field that varies."""
        value, members = getattr(owner.example, name), cast("Any", owner.fact.cls)
        kinds = {type(getattr(member, name)) for member in members}
        self.choice.tell_class(owner)
        if kinds == {float}:
            return self.operations.apply(
                getattr, (self.language.atom(owner), Const(name)), form="attribute",
                spelling=name, fact=FLOAT,
            )  # fmt: skip
        if len(kinds) > 1 or type(value) not in (str, int, bool):
            return None
        path = (*owner.path, _attr(name))
        fact = fact_of(value, path_text(owner.root.name, path))
        return self.argument_parts.argument(owner.root, path, fact, value)

    def own_method_of(self, owner: Value, name: str) -> Value | None:
        """A method that the user's class of a list or a dict defines itself."""
        cls = self.kinds.class_of_container(owner)
        method = None if cls is None else self.kinds.class_function(cls, name)
        if cls is not None and method is None and not self.position.tries:
            check_method_of_container(self, cls, name)
        return None if method is None else Bound(method, owner)

    def field_of_argument(self, owner: Argument, cls: type, name: str) -> Value:
        """A field: its kind from the example, or from the class's annotations."""
        path = (*owner.path, _attr(name))
        text = path_text(owner.root.name, path)
        if owner.example is not None:
            value = own_field(owner.example, name)
            if value is ABSENT:
                return asked_of_argument(self, owner, cls, name)
            if self.position.tries:
                self.structures.tell_attribute(owner, name, there=True)
            if isinstance(
                value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)
            ):
                self.argument_parts.function_held(owner.root, path, value)
                return Const(value, text)
            return self.argument_parts.argument(
                owner.root, path, fact_of(value, text), value
            )
        return self.argument_parts.argument(
            owner.root, path, _said_of_field(owner.fact, name, text), None
        )


def is_numpy(cls: type | None) -> bool:
    """Whether a class is that of NumPy's arrays, or of its numbers."""
    return cls is not None and issubclass(cls, (np.ndarray, np.generic))


def fact_of_annotation(annotation: object, text: str) -> Fact:
    """The fact of a field or parameter that an annotation describes.

    >>> fact_of_annotation("int", "n"), fact_of_annotation(None, "x")
    (int, real)
    """
    plain = plain_fact(annotation)
    if plain is not None:
        return plain
    if annotation is not None and "None" in str(annotation):
        return UNKNOWN
    if annotation in ("np.ndarray", "numpy.ndarray", "ndarray"):
        return array_fact(None, f"{text}.shape")
    if is_record(annotation):
        return named_tuple_fact(annotation, text, fact_of_annotation)
    if isinstance(annotation, type) and is_user_class(annotation):
        if not issubclass(annotation, tuple):
            return Fact("object", cls=annotation)
    return array_of_annotation(annotation, text) or real_fact(text)


def _said_of_field(owner: Fact, name: str, text: str) -> Fact:
    """The fact of a field of which there is no example: by the fact of its object, else
    by the annotation in its class."""
    if owner.keys is not None and name in owner.keys:
        return (owner.items or ())[owner.keys.index(name)]
    annotations = annotations_of_class(owner.cls) if owner.cls is not None else {}
    return fact_of_annotation(annotations.get(name), text)


def _attr(name: str) -> PathStep:
    return ("attr", name)


def _is_whole(key: object) -> bool:
    return type(key) is slice and key == slice(None)


def _fields(cls: object) -> tuple[str, ...]:
    """The names of the items of a tuple, and of what a result of SciPy has beside."""
    return (*getattr(cls, "_fields", ()), *getattr(cls, "_extra_fields", ()))


def _is_method(fact: Fact, name: str) -> bool:
    """Whether a class of named tuples has a method, or a property, of this name."""
    named = fact.kind == "tuple" and hasattr(fact.cls, "_fields")
    if not named or name[:2] == "__" or name in _fields(fact.cls):
        return False
    found = inspect.getattr_static(fact.cls, name, None)
    return isinstance(found, (types.FunctionType, property))
