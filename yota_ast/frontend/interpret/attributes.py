"""Attributes and subscripts: of arrays, arguments, modules, classes and objects."""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, cast

import numpy as np

from yota_ast.frontend.heap.has_attribute import (
    ABSENT,
    asked_of_argument,
    check_method_of_container,
    field_held,
    finds_otherwise,
    found_on,
    gives,
    is_hidden,
    is_slot,
    is_unmodelled,
    modelled,
    why_lacking,
)
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Bound,
    Cell,
    Closure,
    MethodOf,
    Ref,
    SliceValue,
    Super,
    TupleValue,
    Value,
    is_literal_value,
    is_user_class,
    literal,
)
from yota_ast.frontend.interpret.folding import has_method, type_of
from yota_ast.frontend.interpret.operators import Operators
from yota_ast.frontend.library.cached_functions import cached_property, note_changes
from yota_ast.frontend.source.method_binding import (
    attribute_of_function,
    becomes_method,
    method_of,
)
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    FLOAT,
    OPAQUE,
    STR,
    UNKNOWN,
    Fact,
    array_fact,
    fact_of,
    is_record,
    is_sparse,
    real_fact,
)
from yota_ast.ir.annotations import (
    annotations_of_class,
    array_of_annotation,
    named_tuple_fact,
    plain_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import (
    Origin,
    Read,
)
from yota_ast.ir.time_points import MOMENTS
from yota_ast.ops.spellings import ATTRIBUTES
from yota_ast.solvers.solver_functions import is_solution
from yota_ast.support.public_names import public_path
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_literals import shown_key
from yota_ast.syntax.value_paths import (
    FIELD_OF_TUPLE,
    FieldKey,
    PathStep,
    attribute_text,
    class_text,
    item_text,
    key_of_item,
    path_name,
    path_text,
    position_of_field,
)

_OF_CLASSES: Final = ("__name__", "__qualname__", "__module__")
"""What of a class is as the class statement has made it."""
_OF_ERRORS: Final = (
    "__cause__", "__context__", "__suppress_context__", "__traceback__",
)  # fmt: skip
"""What tells of the way of an error, which may be another in the text."""
_NO_FUNCTIONS: Final = (
    classmethod, staticmethod, property, functools.partial, functools.partialmethod,
    types.MethodType,
)  # fmt: skip
"""What may be in the place of a method that defines an operator."""
_MADE: Final = ("object", "callable", "str", "tuple", "list", "dict")
"""The kinds of items of a module's list that are known by what they are."""
_PARTS: Final = frozenset({"T", "mT", "real", "imag", "flat"})
"""Attributes that are numbers of an array, as they are after a write."""
_WORDS_OF_DTYPES: Final = ("name", "kind", "char", "str", "byteorder")
OTHER_ATTRIBUTES: Final = ("dtype", "flat", "itemsize", "nbytes", "strides", "flags")
ARRAY_NAMES: Final = frozenset(dir(np.ndarray)) | {"is_integer"}
OF_MEMBER: Final = (types.DynamicClassAttribute, enum.property)
"""What the name and the value of a member are in the class of all enumerations."""
_LOOKUPS: Final = (Mapping.get, Mapping.keys, Mapping.values, Mapping.items)

NUMERALS: Final = (float, int, complex, np.number, np.bool_)
"""Classes of numbers, which have no length and no items."""
FRACTIONS: Final = (float, complex, np.inexact)
"""Those that are no whole numbers."""


_REAL: Final = (float, int, bool, complex, np.float64, np.ndarray)
"""What a number or array may be of which no more is known."""


class Attributes(Operators):
    """owner.name and owner[index]."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.reads: dict[tuple[object, ...], Read] = {}
        self.held: dict[str, tuple[str, object]] = {}  # functions in arguments
        self.brought: dict[int, Const] = {}  # defaults, what methods and partials bind
        self.owned_cells: dict[tuple[str, tuple[PathStep, ...]], Ref] = {}

    def attribute(self, owner: Value, name: str) -> Value:
        """owner.name."""
        if isinstance(owner, Var):
            return self.attribute_of_var(owner, name)
        if isinstance(owner, Const):
            return self.attribute_of_constant(owner, name)
        if isinstance(owner, Argument):
            return self.attribute_of_argument(owner, name)
        if isinstance(owner, Super):
            return self.attribute_of_super(owner, name)
        if isinstance(owner, Ref) and self.is_object(owner):
            return self.attribute_of_object(owner, name)
        if isinstance(owner, TupleValue) and owner.cls is not tuple:
            return self.attribute_of_namedtuple(owner, name)
        if self.is_chosen(owner):
            return self.attribute_of_chosen(owner, name)
        own = self.own_method_of(owner, name)
        own = own or attribute_of_function(self, owner, name)
        if own is not None:
            return own
        if self.tries and self.lacks_method(owner, name):
            return self.without_attribute(self.fact(owner).cls or set, name)
        return MethodOf(owner, name)

    def attribute_of_var(self, owner: Var, name: str) -> Value:
        """An attribute of a number, an array, or an argument of unknown class."""
        failed = self.lacks(owner, name)
        if failed is not None:
            return failed
        if name in _PARTS:
            owner = self.fresh(owner)
        if owner.fact.kind == "real" and name not in ARRAY_NAMES:
            path = self.paths.get(owner.name)
            if path is not None:
                return self.read(path[0], (*path[1], ("attr", name)))
        if name in getattr(owner.fact.cls, "_fields", ()):
            return self.field_of_tuple(owner, name)
        if is_solution(owner.fact):
            return self.field_of_solution(owner, name)
        if name == "T" and is_sparse(owner.fact.cls):
            return self.apply(
                np.transpose, (owner,), form="attribute", spelling="T", fact=owner.fact
            )
        if name in ATTRIBUTES:
            return self.array_attribute(owner, name)
        if name == "flat" and self.fact(owner).is_numeric:
            if (
                self.spot() in self.settings.copied
            ):  # it is written, and is never a copy
                raise self.given_up_on_memory("Write y[i, j], or y[...] = values.")
            flat = self.apply(np.ravel, (owner,))
            self.flats.add(flat.name)
            return flat
        if name == "dtype":
            return self.dtype_of(owner)
        cls = owner.fact.cls
        moment = cls in MOMENTS and hasattr(cls, name)
        if cls is np.dtype or (moment and not has_method(owner.fact, name)):
            args = (owner, Const(name))
            known = STR if cls is np.dtype and name in _WORDS_OF_DTYPES else None
            return self.apply(
                getattr, args, form="attribute", spelling=name, fact=known
            )
        if name in OTHER_ATTRIBUTES:
            args = (owner, Const(name))
            return self.apply(getattr, args, form="attribute", spelling=name)
        if name == "__name__" and owner.fact.kind == "callable":  # of a class
            args = (owner, Const(name))
            return self.apply(getattr, args, form="attribute", spelling=name, fact=STR)
        self.check_followed(owner, name)
        if name == "__class__" and owner.fact.is_numeric:
            return self.call(Const(type, "type", "builtins"), (owner,))
        return MethodOf(owner, name)

    def check_followed(self, owner: Var, name: str) -> None:
        """Refuse what may be another in the text."""
        if name == "base" and owner.fact.may_be_array:
            self.refuse(
                "`base` may be another array in generated code",
                "Copy the array if it must own its memory: x.copy().",
            )
        if name in _OF_ERRORS:
            self.refuse(
                f"`{name}` of an error may differ in generated code",
                "Test the class of the error, or its message.",
            )

    def field_of_tuple(self, owner: Var, name: str) -> Value:
        """A field of a named tuple that an op gives."""
        cls: Any = owner.fact.cls
        position = position_of_field(cls, name)
        if position is None:
            found = inspect.getattr_static(cls, name)
            return self.class_attribute(found, owner, cls, name)
        return self.subscript(owner, Const(position))

    def lacks(self, owner: Var, name: str) -> Value | None:
        """What surely raises in a `try`: a number or an array has no such attribute."""
        made = owner.fact.kind == "tuple" and owner.name not in self.paths
        told = self.tries and (owner.fact.is_numeric or made)
        cls = type_of(owner.fact) if told else None
        if told and owner.fact.kind == "real":  # whichever of these it is
            cls = None if any(gives(c, name) for c in _REAL) else float
        if cls is None or gives(cls, name):
            return None
        self.tell_type(owner, lambda cls: gives(cls, name))
        return self.without_attribute(cls, name)

    def without_attribute(self, cls: type, name: str) -> Value:
        """What Python raises where an object of a class has no such attribute."""
        text = f"'{cls.__name__}' object has no attribute '{name}'"
        return self.failing(AttributeError, text)

    def lacks_method(self, owner: Value, name: str) -> bool:
        """Whether a list, a tuple, a dict or a set surely has no such attribute."""
        cls: Any = tuple if isinstance(owner, TupleValue) else None
        if isinstance(owner, Ref):
            cls = self.heap[owner.cell].cls
        return cls in (tuple, list, dict, set) and not gives(cls, name)

    def fails_on(self, value: Value, text: str, *, whole: bool = False) -> bool:
        """Whether in a `try` a number surely raises TypeError, as the text does; whole:
        one that is no whole number."""
        kinds = FRACTIONS if whole else NUMERALS
        cls = type_of(self.fact(value)) if self.tries else None
        if cls is None or not isinstance(value, Var) or not issubclass(cls, kinds):
            return False
        self.tell_type(value, lambda cls: issubclass(cls, kinds))
        self.failing(TypeError, text.format(cls.__name__))
        return True

    def loaded(self, name: object) -> Value:
        """sys.modules[name], of the modules that are loaded now."""
        module = sys.modules.get(str(name))
        if module is None:
            return self.failing(KeyError, str(name))
        return Const(module, identifier(str(name).rpartition(".")[2]), str(name))

    def field_of_solution(self, owner: Var, name: str) -> Value:
        """sol.x of what a solver has found."""
        keys = owner.fact.keys or ()
        if name not in keys:
            self.refuse_call(
                f"`{name}` of a solver's result is not supported",
                f"Use its fields {', '.join(map(str, keys))}.",
            )
        known = (owner.fact.items or ())[keys.index(name)]
        return self.apply(
            operator.getitem, (owner, Const(name)), form="attribute", spelling=name,
            fact=known,
        )  # fmt: skip

    def dtype_of(self, owner: Var) -> Value:
        """x.dtype; that of the example where the text is made for it, or where it is of
        whole numbers, which cut off what is stored."""
        fact = owner.fact
        whole = fact.dtype is not None and fact.dtype.kind in "iub"
        taken = self.fixed is not None or whole
        if taken and fact.dtype is not None and fact.kind == "array":
            self.typed = True
            return Const(fact.dtype)
        args = (owner, Const("dtype"))
        known = Fact("other", cls=np.dtype)
        return self.apply(getattr, args, form="attribute", spelling="dtype", fact=known)

    def array_attribute(self, owner: Var, name: str) -> Value:
        """x.shape, x.T and so on; what facts prove is remembered for tests."""
        fn = ATTRIBUTES[name]
        out = self.apply(fn, (owner,), form="attribute", spelling=name)
        if name == "ndim" and owner.fact.rank is not None:
            self.known[out.name] = owner.fact.rank
            self.ranks.add(out.name)
        return out

    def note_changes(self) -> None:
        """Note what is changed of what was cached in a block."""
        note_changes(self)

    # ------------------------------------------------------------ arguments

    def read(
        self, root: Var, path: tuple[PathStep, ...], fact: Fact | None = None
    ) -> Var:
        """A field of an argument, read once, at the top of the text."""
        key = (root.name, path)
        if key not in self.reads:
            text = path_text(root.name, path)
            known = real_fact(text) if fact is None else fact
            # A pass over a loop that is given up gives back the numbers of its
            # variables; what is read of an argument outlives it.
            hint = path_name(root.name, path)
            out = self.var_called(f"%r{len(self.reads)}", known, hint)
            self.reads[key] = Read(out, root, path, Origin(self.location()))
            self.paths[out.name] = (root, path)
            self.remember_argument(out, text)
        return self.reads[key].out

    def remember_argument(self, var: Var, text: str) -> None:
        """Note that a variable's memory is the caller's; see memory.py."""
        raise NotImplementedError

    def argument(
        self, root: Var, path: tuple[PathStep, ...], fact: Fact, example: object
    ) -> Value:
        """The value of an argument, or of a part of one."""
        if fact.kind == "none":
            self.tell_none(root, path)
            return NULL
        self.sample(root, path, fact, example)
        if fact.kind == "callable" and example is not None:
            if not path:
                return Const(example, root.name)
            self.function_held(root, path, example)
            return Const(example)
        container = fact.kind in ("tuple", "list", "dict") and fact.items is not None
        owned = self.owned_part(root, path, example) if self.owned_cells else None
        if owned is not None:
            return owned
        if container or fact.kind == "object":
            return Argument(root, path, fact, example)
        var = root if not path else self.read(root, path, fact)
        return self.as_given(var) if root.name in (self.fixed or ()) else var

    def owned_part(
        self, root: Var, path: tuple[PathStep, ...], example: object
    ) -> Ref | Var | None:
        """What is written, by one of its names; see elsewhere.py."""
        raise NotImplementedError

    def note_borne(self, text: str, fn: object) -> None:
        """Note what a method or a partial in an argument binds; see elsewhere.py."""
        raise NotImplementedError

    def brought_along(
        self,
        value: object,
        text: str,
        home: str = "",
        by: tuple[object, str] = (None, ""),
    ) -> Value:
        """A default, or what a method or a partial binds; see elsewhere.py."""
        raise NotImplementedError

    def check_whole(self, value: Argument) -> None:
        """Refuse to hand on what holds something written; see elsewhere.py."""
        raise NotImplementedError

    def attribute_of_argument(self, owner: Argument, name: str) -> Value:
        """A field or method of an object that the caller passes."""
        cls = owner.fact.cls
        names: tuple[str, ...] = getattr(cls, "_fields", ())
        if owner.fact.kind == "tuple" and cls is not None and names:
            found, position = found_on(cls, name), position_of_field(cls, name)
            if position is not None:
                self.tell_class(owner)
                return self.item_of_argument(owner, position)
            own = isinstance(found, (types.FunctionType, property)) or name in names
            if own and not name.startswith("_"):
                self.tell_class(owner)
                return self.class_attribute(found, owner, cls, name)
            return MethodOf(owner, name)
        if owner.fact.kind != "object" or cls is None:
            return self.own_method_of(owner, name) or MethodOf(owner, name)
        found = found_on(cls, name)
        if isinstance(owner.example, enum.Enum) and isinstance(found, OF_MEMBER):
            member = self.of_member(owner, name)
            if member is not None:
                return member
        if found is not ABSENT and not _is_slot(found):
            fields = getattr(owner.example, "__dict__", {})
            if isinstance(found, property) or name not in fields:
                seen = owner.example is not None  # and has no field of this name
                if seen or name not in annotations_of_class(cls) or callable(found):
                    self.check_found_as_usual(cls)
                    self.tell_class(owner)
                    self.tell_own(owner, cls, name, found)
                    return self.class_attribute(found, owner, cls, name)
        return self.field_of_argument(owner, cls, name)

    def of_member(self, owner: Argument, name: str) -> Value | None:
        """The name or the value of a member of an enumeration: no field that varies."""
        value, members = getattr(owner.example, name), cast("Any", owner.fact.cls)
        kinds = {type(getattr(member, name)) for member in members}
        self.tell_class(owner)
        if kinds == {float}:
            return self.apply(
                getattr, (self.atom(owner), Const(name)), form="attribute",
                spelling=name, fact=FLOAT,
            )  # fmt: skip
        if len(kinds) > 1 or type(value) not in (str, int, bool):
            return None
        path = (*owner.path, _attr(name))
        fact = fact_of(value, path_text(owner.root.name, path))
        return self.argument(owner.root, path, fact, value)

    def own_method_of(self, owner: Value, name: str) -> Value | None:
        """A method that the user's class of a list or a dict defines itself."""
        cls = self.class_of_container(owner)
        method = None if cls is None else self.class_function(cls, name)
        if cls is not None and method is None and not self.tries:
            check_method_of_container(self, cls, name)
        return None if method is None else Bound(method, owner)

    def field_of_argument(self, owner: Argument, cls: type, name: str) -> Value:
        """A field: its kind from the example, or from the class's annotations."""
        path = (*owner.path, _attr(name))
        text = path_text(owner.root.name, path)
        if owner.example is not None:
            value = _field(owner.example, name)
            if value is ABSENT:
                return asked_of_argument(self, owner, cls, name)
            if self.tries:
                self.tell_attribute(owner, name, there=True)
            if isinstance(
                value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)
            ):
                self.function_held(owner.root, path, value)
                return Const(value, text)
            return self.argument(owner.root, path, fact_of(value, text), value)
        return self.argument(
            owner.root, path, _said_of_field(owner.fact, name, text), None
        )

    def function_held(self, root: Var, path: tuple[PathStep, ...], fn: object) -> None:
        """Have the text check which function an argument holds."""
        text = path_text(root.name, path)
        self.held[text] = root.name, fn
        if isinstance(fn, (types.MethodType, functools.partial)):
            self.note_borne(text, fn)
        for check in Check.function(text, fn):
            self.checks[text] = check

    def item_of_argument(self, argument: Argument, key: object) -> Value:
        """argument[key], of a container of known items."""
        fact, keys = argument.fact, argument.fact.keys
        position: Any = keys.index(key) if keys is not None else key
        items = fact.items or ()
        if isinstance(position, int) and position < 0:
            position += len(items)
        named = key if keys is not None else key_of_item(fact.cls, position)
        if type(named) is FieldKey:
            self.tell_class(argument)
        path = (*argument.path, _item(named))
        example: Any = argument.example
        part = None if example is None else example[key]
        return self.argument(argument.root, path, items[position], part)

    def atom_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's, as a whole: as it is now, where a part
        of it is written."""
        inside = len(value.path)
        self.check_whole(value)
        for root, path in self.owned_cells:
            if root == value.root.name and path[:inside] == value.path != path:
                return self.atom(self.opened(value, deep=False))
        return self.place_of_argument(value)

    def opened(self, value: Value, *, deep: bool = True) -> Value:
        """A container or object of the caller's, as one of its parts; see loops.py."""
        raise NotImplementedError

    def place_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's itself."""
        if not value.path:
            return value.root
        return self.read(value.root, value.path, value.fact)

    # ------------------------------------------------------------ constants

    def attribute_of_constant(self, owner: Const, name: str) -> Value:
        """An attribute of a module, a class, or an object that is not an argument."""
        thing = owner.value
        text = None if owner.text is None else attribute_text(owner.text, name)
        if isinstance(thing, types.ModuleType):
            rebound = self.rebound.get((id(vars(thing)), name))
            if rebound is not None:
                return rebound[0]
            if name == "__name__":
                return Const(thing.__name__)
            try:
                value = getattr(thing, name)
            except AttributeError as error:
                if self.tries or self.arms_open:
                    return self.failing(AttributeError, str(error))
                self.refuse_call(
                    f"module `{thing.__name__}` has no attribute `{name}`",
                    "Correct the name.",
                )
            self.use(value, thing.__name__, name)
            if thing is np:  # whatever the program calls it: `self.backend.pi`
                text = attribute_text("np", name)
            return Const(value, text, thing.__name__)
        if isinstance(thing, type):
            return self.attribute_of_class(owner, thing, name)
        raises = self.tries or self.ended or self.arms_open  # in an arm not taken
        if thing is None and raises and not hasattr(None, name):
            # what has failed before, in the same expression, has no value
            return NULL if self.ended else self.without_attribute(type(None), name)
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
        field = _field(thing, name)
        if isinstance(found, FIELD_OF_TUPLE):
            field = getattr(thing, name)
        elif field is ABSENT or _is_asked_first(found):
            dynamic = self.special_method(owner, "__getattr__")
            if found is ABSENT and dynamic is not None:
                return self.call(dynamic, (owner, Const(name)))
            if found is ABSENT:
                self.refuse_call(
                    f"`{owner.text}` has no attribute `{name}`", "Correct the name."
                )
            return self.class_attribute(found, owner, type(thing), name)
        self.use(field, owner.home, text or "")
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
            return self.apply(fn, (owner,), form="attribute", spelling=name)
        value = getattr(thing, name, ABSENT)
        method = getattr(type(thing), name, None)
        if callable(method) and not isinstance(value, type):  # as `dtype.type` is
            return MethodOf(owner, name)
        if value is ABSENT:
            if self.tries:
                return self.without_attribute(type(thing), name)
            self.refuse_call(
                f"{type(thing).__name__} has no attribute `{name}`", "Correct the name."
            )
        # Of what is computed of literals, `2 ** 0.5`, the text would need parentheses.
        named = owner.text is not None and owner.made is None
        found = Const(value, text if named else None, owner.home)
        if not is_literal_value(value):
            self.brought[id(value)] = found
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
            self.refuse_call(
                f"class {cls.__name__} has no attribute `{name}`", "Correct the name."
            )
        self.use(value, owner.home, text)
        return Const(value, text, owner.home)

    # ------------------------------------------------------------ objects

    def surely_there(self, owner: Ref, name: str) -> None:
        """Refuse an attribute that the object may be without, where that decides."""
        if name in self.heap[owner.cell].perhaps:
            self.refuse_call(
                f"the object has the attribute `{name}` on some paths only",
                "Assign it on every path before this line.",
            )

    def attribute_of_object(self, owner: Ref, name: str) -> Value:
        """A field or method of an object made while lowering."""
        cell = self.heap[owner.cell]
        cls = cell.cls or object
        found = found_on(cls, name)
        if is_hidden(cls, name, self.frame.scope.module):
            return self.without_field(cls, name)
        if name in cell.items and not isinstance(found, property):
            if found is not ABSENT or self.tries:
                self.surely_there(owner, name)
            return cell.items[name]
        if name == "__class__":
            cls = modelled(cls)
            return Const(cls, class_text(cls), cls.__module__)
        if name == "__dict__":
            self.refuse_call(
                "`__dict__` of an object is not supported", "Read its fields by name."
            )
        if found is ABSENT:
            return self.without_field(cls, name)
        if owner.cell in self.opened_from:
            self.tell_own(self.opened_from[owner.cell], cls, name, found)
        return self.class_attribute(found, owner, cls, name)

    def without_field(self, cls: type, name: str) -> Value:
        """An attribute that an object surely lacks: in a `try` that is no mistake."""
        if self.tries and not is_unmodelled(cls, name):
            return self.without_attribute(modelled(cls), name)
        self.refuse_call(*why_lacking(cls, name))

    def class_attribute(self, found: Any, owner: Value, cls: type, name: str) -> Value:
        """What an attribute found on an object's class is for the object."""
        text, home = attribute_text(class_text(cls), name), cls.__module__
        if isinstance(found, property):
            if found.fget is None:
                self.refuse_call(
                    f"the property `{name}` cannot be read",
                    "Give the property a getter.",
                )
            return self.call(Const(found.fget, text, home), (owner,))
        if isinstance(found, classmethod):
            return Bound(
                Const(found.__func__, text, home), Const(cls, class_text(cls), home)
            )
        if isinstance(found, staticmethod):
            return Const(found.__func__, text, home)
        if is_slot(found):
            return field_held(self, owner, name) or self.without_field(cls, name)
        self.use(found, home, text)
        if becomes_method(found):
            return method_of(self, Const(found, text, home), owner, cls)
        if type(found).__name__ == "cached_property":
            inside = Const(found.func, text, home)
            compute = functools.partial(self.call, inside, (owner,))
            return cached_property(self, owner, name, compute)
        if hasattr(type(found), "__get__") and not _is_slot(found):
            if name in ("name", "value") and found is vars(enum.Enum)[name]:
                return self.attribute(owner, f"_{name}_")
            self.refuse_descriptor(name, cls)
        return Const(found, text, home)

    def check_found_as_usual(self, cls: type) -> None:
        """Refuse a class that says in its own way what the attributes of its instances
        are."""
        if finds_otherwise(cls):
            self.refuse_descriptor("__getattribute__", cls)

    def refuse_descriptor(self, name: str, cls: type) -> NoReturn:
        """Refuse what says in a way of its own what an attribute is."""
        self.refuse_call(
            f"the descriptor `{name}` of {cls.__name__} is not supported",
            "Write it as a property, or as a method.",
        )

    def class_function(self, cls: type, name: str) -> Value | None:
        """A function of a class, looked up along its bases."""
        if is_unmodelled(cls, name):
            return self.without_field(cls, name)
        found = found_on(cls, name)
        if isinstance(found, (types.FunctionType, functools._lru_cache_wrapper)):
            self.use(found)
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
        if self.tries or self.arms_open:
            return self.without_attribute(super, name)
        self.refuse_call(
            f"no base of {owner.cls.__name__} has an attribute `{name}`",
            "Correct the name.",
        )

    def found_on_base(self, found: Any, owner: Super, base: type, name: str) -> Value:
        """What super() has found on a base."""
        of, home = owner.owner, base.__module__
        text = attribute_text(class_text(base), name)
        on_class = isinstance(of, Const) and isinstance(of.value, type)
        if isinstance(found, classmethod):
            cls = None if on_class else self.class_of(of)
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
        actual = self.class_of(owner.owner)
        if isinstance(owner.owner, Const) and isinstance(owner.owner.value, type):
            actual = owner.owner.value
        if actual is None:
            self.refuse_call("super() is used outside a method", "Call it in a method.")
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

    # ------------------------------------------------------------ subscripts

    def subscript(self, owner: Value, index: Value) -> Value:
        """owner[index]."""
        if isinstance(owner, Const) and owner.value is sys.modules:
            key = self.known_value(self.as_given(index))
            if key is not None:
                return self.loaded(key.value)
        if self.is_table(owner):
            index = self.as_given(index)
            known = self.known_value(index)
            item = None if known is None else self.known_item(owner, known.value)
            if item is not None:
                return item
        index = self.as_number(index)
        if isinstance(owner, Const):
            joined = self.joined(owner.value, index)
            if joined is not None:
                return joined
        method = self.special_method(owner, "__getitem__")
        if method is not None:
            return self.call(method, (owner, index))
        if self.is_chosen(owner):
            return self.with_each(
                self.surely_chosen(owner), lambda one: self.subscript(one, index)
            )
        taken = isinstance(owner, Const) and self.fixed is not None
        if taken or self.is_known_by_items(owner):
            index = self.as_index(index)
        known = self.known_value(index)
        if known is not None:
            item = self.known_item(owner, known.value)
            if item is not None:
                return item
        if (
            isinstance(owner, Var)
            and known is not None
            and isinstance(known.value, str)
        ):
            path = self.paths.get(owner.name)
            if path is not None and owner.fact.kind == "real":
                return self.read(path[0], (*path[1], ("item", known.value)))
        if isinstance(owner, (Closure, Bound, MethodOf)):
            self.refuse_call("a function is subscripted", "Call the function.")
        if isinstance(owner, Var) and owner.name in self.rows:
            index = self.index_atom(index)
            item = self.item_of_row(owner, index)
            if item is not None:
                return item
        return self.part_at(owner, index)

    def is_known_by_items(self, owner: Value) -> bool:
        """Whether a value is a sequence of which each item is known by its place."""
        if isinstance(owner, Ref):
            cell = self.heap[owner.cell]
            return cell.kind == "list" and cell.var is None
        return isinstance(owner, TupleValue)

    def part_at(self, owner: Value, index: Value) -> Value:
        """owner[index], which stays as it is, unless it is one of several objects."""
        if not isinstance(owner, Var):
            one = self.one_at(owner, index)
            one = self.item_by_key(owner, index) if one is None else one
            if one is not None:
                return one
        opaque = self.fact(owner).kind in ("unknown", "other", "object")
        if opaque and self.fact(index).is_floating:
            self.refuse_call(
                "an object of unknown class is indexed by a float",
                "Give an example argument, or make the object in the function.",
            )
        atoms = (self.atom(owner), self.index_atom(index))
        cut = self.cut_of_lengths(atoms[0], index)
        whole = self.fact(atoms[0])
        known = STR if whole.kind == "str" else OPAQUE if whole == OPAQUE else None
        part = self.apply(operator.getitem, atoms, form="subscript", fact=known)
        if cut is not None:
            self.cuts[part.name] = cut
        if isinstance(owner, Var) and owner.name in self.flats:
            if part.fact.kind == "array":  # NumPy's y.flat[1:] is no view
                copy = np.ndarray.copy
                return self.apply(copy, (part,), form="method", spelling="copy")
        return part

    def cut_of_lengths(self, owner: Atom, index: Value) -> slice | None:
        """Which part of a tuple of whole numbers is taken: of `x.shape[:-1]`."""
        if not isinstance(owner, Var) or not isinstance(index, SliceValue):
            return None
        known = owner.fact
        if known.kind != "tuple" or known.items is None or known.holds_floats:
            return None
        start, stop, step = map(self.known_value, (index.start, index.stop, index.step))
        if start is None or stop is None or step is None:
            return None
        ends: list[Any] = [start.value, stop.value, step.value]
        return slice(*ends)

    def is_table(self, owner: Value) -> bool:
        """Whether items are found by keys that must be known: a dict, a registry."""
        if isinstance(owner, Const):
            return isinstance(owner.value, Mapping)
        return isinstance(owner, (Ref, Argument)) and self.fact(owner).kind == "dict"

    def joined(self, joiner: object, index: Value) -> Value | None:
        """The arrays of np.r_[a, b] joined; see numpys.py."""
        raise NotImplementedError

    def item_of_row(self, owner: Var, key: Atom) -> Var | None:
        """row[key], read in the list that holds the row; see rows.py."""
        raise NotImplementedError

    def index_atom(self, index: Value) -> Atom:
        """An index as an atom."""
        return self.atom(index)

    def known_item(self, owner: Value, key: Any) -> Value | None:
        """The item of a virtual container at a known key."""
        if isinstance(owner, Ref) and self.heap[owner.cell].kind == "dict":
            if self.heap[owner.cell].var is not None:
                return None
            items = self.heap[owner.cell].items
            if key in items:
                return items[key]
            self.tell_key(owner, key)
            if owner.cell in self.factories:
                self.put(owner.cell, key, self.call(self.factories[owner.cell], ()))
                return self.heap[owner.cell].items[key]
            return self.without_key(key, f"the dict has no key {shown_key(key)} here")
        if isinstance(owner, Argument) and owner.fact.keys is not None:
            if key in owner.fact.keys:
                if self.tries:
                    self.tell_key(owner, key)
                return self.item_of_argument(owner, key)
            self.tell_key(owner, key)
            reason = f"the argument `{owner.root.name}` has no key {shown_key(key)}"
            return self.without_key(key, reason)
        if isinstance(owner, Const) and literal(owner):
            try:
                return Const(owner.value[key])  # type: ignore[index]
            except (TypeError, IndexError, KeyError):
                return None
        if isinstance(owner, Const) and isinstance(owner.value, Mapping):
            return self.entry(owner, key)
        if isinstance(owner, Const) and isinstance(owner.value, (list, tuple)):
            if type(key) is int and self.is_made(owner.value, key):
                return self.entry(owner, key)
            if (
                type(key) is slice
                and key == slice(None)
                and isinstance(owner.value, list)
            ):
                return self.call(Const(list, "list", "builtins"), (owner,))
        return self.known_element(owner, key)

    def without_key(self, key: object, reason: str) -> Value:
        """An item that there is none of: in a `try` that is no mistake."""
        if self.tries and literal(Const(key)):
            return self.failing(KeyError, key)
        self.refuse_call(reason, "Correct the key.")

    def without_index(self, key: int, count: int, kind: str) -> Value:
        """An item past the ends of a sequence of `count`, likewise."""
        if self.tries:
            return self.failing(IndexError, f"{kind} index out of range")
        self.refuse_call(
            f"the index {key} is out of range: there are {count} items",
            "Correct the index.",
        )

    def is_made(self, things: Sequence[object], key: int) -> bool:
        """Whether an item of a list from outside is no number: what it is, or holds, is
        known."""
        inside = -len(things) <= key < len(things)
        return inside and fact_of(things[key]).kind in _MADE

    def entry(self, table: Const, key: object) -> Value | None:
        """The item of a mapping from outside the function, if it is no number."""
        mapping: Any = table.value
        try:
            value = mapping[key]
        except Exception:  # noqa: BLE001  (the text raises it when it runs)
            return None
        if fact_of(value).is_numeric and type(mapping) is dict:
            atoms = (table, Const(key))
            known = fact_of(value)
            return self.apply(operator.getitem, atoms, form="subscript", fact=known)
        text = None if table.text is None else item_text(table.text, key)
        self.use(value, table.home, text or "")
        return Const(value, text, table.home)

    def stretch_of_built(self, owner: Var, key: slice) -> Value | None:
        """xs[1:] of a list or tuple that an op gives, item by item."""
        fact = self.fact(owner)
        if fact.kind not in ("list", "tuple") or not fact.holds_floats:
            return None
        items = self.parts_of(owner)
        if items is None or fact.kind == "tuple":
            return None if items is None else TupleValue(items[key])
        return self.new_cell(Cell("list", dict(enumerate(items[key])), list))

    def known_element(self, owner: Value, key: Any) -> Value | None:
        """The element, or the slice, of a virtual tuple or list."""
        if isinstance(owner, Argument) and isinstance(key, int):
            count = len(owner.fact.items or ())
            if self.tries or -count <= key < 0:
                self.tell_length(owner)
            if -count <= key < count:
                return self.item_of_argument(owner, key)
        if isinstance(owner, Var) and isinstance(key, slice):
            return self.stretch_of_built(owner, key)
        if isinstance(owner, (Var, Const, SliceValue)):
            return None
        items = self.sequence_items(owner)
        if items is None or not isinstance(key, (int, slice)):
            return None
        if isinstance(key, slice):
            return self.like(owner, items[key])
        if -len(items) <= key < len(items):
            return items[key]
        kind = "tuple" if self.fact(owner).kind == "tuple" else "list"
        return self.without_index(key, len(items), kind)


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


def _field(thing: object, name: str) -> object:
    """An instance's field, without running code of its class."""
    found: object = inspect.getattr_static(thing, name, ABSENT)
    if _is_slot(found):
        return getattr(thing, name, ABSENT)
    fields = getattr(thing, "__dict__", {})
    return fields.get(name, ABSENT) if name not in fields else fields[name]


def _is_asked_first(found: object) -> bool:
    """Whether something of a class is asked before the fields of its objects."""
    asked = hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")
    return asked and not _is_slot(found)


def _is_slot(found: object) -> bool:
    return isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType))


def _attr(name: str) -> PathStep:
    return ("attr", name)


def _item(key: object) -> PathStep:
    return ("item", key)


def _is_whole(key: object) -> bool:
    return type(key) is slice and key == slice(None)
