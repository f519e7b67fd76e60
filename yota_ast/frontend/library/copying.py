"""copy.copy and copy.deepcopy of the values of the lowering.

In: a container, an array, an object of the user's, made here or the caller's.  Out: its
copy; None for what may be copied in a way that is not known here.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Bound,
    Cell,
    Closure,
    MethodOf,
    Partial,
    Ref,
    TupleValue,
    Value,
    is_literal_value,
    is_user_class,
)
from yota_ast.frontend.heap.reachable_objects import slots_of
from yota_ast.frontend.library.cached_functions import carried_over
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.ir.abstract_values import element_of, is_plain
from yota_ast.ir.atoms import Const, Var
from yota_ast.syntax.value_paths import behind, item_text

FUNCTIONS: Final = (Closure, Bound, Partial, MethodOf)
_PROTOCOL: Final = (
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__getnewargs__",
    "__getnewargs_ex__",
)
"""By which a class says how the state of its objects is taken and set."""


def shallow(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """copy.copy(x)."""
    return _copied(self, args[0], lambda item: item, "__copy__")


def deep(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """copy.deepcopy(x): what is one object in x is one in the copy."""
    known: list[tuple[Value, Value]] = []

    def inner(item: Value) -> Value:
        for other, copied in known:
            if _is_same(item, other):
                return copied
            constants = isinstance(item, Const) and isinstance(other, Const)
            if not constants and self.may_be_one(item, other):
                self.refuse_call(
                    "deepcopy is given a value that may hold one array or "
                    "container twice",
                    "Copy each part by itself.",
                )
        begun = len(known)
        made = _copied(
            self, item, inner, "__deepcopy__", lambda made: known.append((item, made))
        )
        if made is None:
            self.refuse_call(
                "deepcopy is given a value of unknown type",
                "Give an example argument, or annotate it.",
            )
        assert made is not None
        if _is_shared(item) and (item, made) not in known[begun:]:
            known.append((item, made))
        return made

    return inner(args[0])


def _is_shared(item: Value) -> bool:
    """Whether a value may be another one's memory, or hold some."""
    if isinstance(item, Const):
        return isinstance(item.value, _CHANGING)
    return isinstance(item, (Ref, Var, Argument))


def _is_same(item: Value, other: Value) -> bool:
    """Whether two values are one object."""
    if isinstance(item, Const) and isinstance(other, Const):
        return item.value is other.value
    return not isinstance(item, Const) and item == other


def _copied(
    self: Any,
    value: Value,
    inner: Callable[[Value], Value],
    hook: str,
    begun: Callable[[Value], None] | None = None,
) -> Value | None:
    """A copy; of a container, of what `inner` makes of its items. hook: the method by
    which a class says how its objects are copied. begun: is told of a container that
    has none of its items yet, for they may hold it."""
    cls = _user_class_of(self, value)
    if cls is not None:
        own = self.class_function(cls, hook)
        if own is not None:
            given = [value]
            if hook == "__deepcopy__":
                given.append(self.new_cell(Cell("dict", {}, dict)))
            made: Value = self.call(own, tuple(given))
            return made
        if not self.is_plain(cls):
            return None
        for name in _PROTOCOL:
            if _says(cls, name):
                self.refuse_call(
                    f"objects of {cls.__name__} are copied by its `{name}`",
                    f"Define `{hook}`, or make the copy by hand.",
                )
        value = _with_cached(self, value, _opened(self, value))
    function = _copied_function(_parted(value), inner)
    if function is not None:
        return function if hook == "__deepcopy__" else value
    if self.fact(value).kind in _UNCHANGED:
        return value
    if isinstance(value, (Var, Const)) and self.fact(value).kind == "array":
        array: Value = self.numpy_call("array", value)
        return array
    if isinstance(value, Var) and self.fact(value).kind == "real":
        # A number, or an array: +x is another one of either.
        other: Value = self.operate(operator.pos, value)
        return other
    if isinstance(value, TupleValue):
        return TupleValue(tuple(map(inner, value.items)), value.cls)
    cls = _class_of(value)
    value = as_container(self, value)
    if isinstance(value, Ref):
        cell = self.heap[value.cell]
        if cell.var is not None:
            if cell.kind != "list" or not is_plain(element_of(cell.var.fact)):
                return None
            return value if cls is not None else self.builtin_list((value,), ())
        cell = dataclasses.replace(cell, fixed=False, source=None)
        copied: Ref = self.new_cell(cell)
        if begun is not None:
            begun(copied)
        items = {key: inner(item) for key, item in cell.items.items()}
        self.heap[copied.cell] = cell.with_items(items)
        if value.cell in self.factories:  # a defaultdict
            self.factories[copied.cell] = self.factories[value.cell]
        return copied
    return value if isinstance(value, TupleValue) else None


def _copied_function(value: Value, inner: Callable[[Value], Value]) -> Value | None:
    """A deep copy of a function or None: methods and partials are of the copies."""
    if isinstance(value, Bound):
        return Bound(value.function, inner(value.owner))
    if isinstance(value, Partial):
        kwargs = tuple((k, inner(v)) for k, v in value.kwargs)
        return Partial(inner(value.function), tuple(map(inner, value.args)), kwargs)
    if isinstance(value, Const) and (callable(value.value) or value.value is None):
        return value
    return value if isinstance(value, FUNCTIONS) else None


def _parted(value: Value) -> Value:
    """A method or a partial of a module, or of an object of its, as one made here."""
    if not isinstance(value, Const):
        return value
    fn, text, home = value.value, value.text or "", value.home

    def part(thing: Any, path: str) -> Value:
        named = text and not is_literal_value(thing)
        return Const(thing, behind(text, path), home) if named else Const(thing)

    if isinstance(fn, types.MethodType):
        return Bound(Const(fn.__func__), part(fn.__self__, "__self__"))
    if isinstance(fn, functools.partial):
        inside: Any = fn.func
        args = tuple(part(v, item_text("args", k)) for k, v in enumerate(fn.args))
        kwargs = (
            (k, part(v, item_text("keywords", k))) for k, v in fn.keywords.items()
        )
        named = getattr(inside, "__name__", None), getattr(inside, "__module__", "")
        return Partial(Const(inside, *named), args, tuple(kwargs))
    return value


def _user_class_of(self: Any, value: Value) -> type | None:
    """The class of the user's that a value is an object of."""
    cls: type | None = None
    if isinstance(value, Ref) and self.is_object(value):
        cls = self.heap[value.cell].cls
    elif isinstance(value, Argument) and value.fact.kind == "object":
        cls = value.fact.cls
    elif isinstance(value, Const) and is_user_class(type(value.value)):
        cls = type(value.value)
    return cls if cls is not None and is_user_class(cls) else None


def _says(cls: type, name: str) -> bool:
    """Whether a class says itself how its objects are taken apart: not as dataclasses
    with slots do, field by field."""
    found = inspect.getattr_static(cls, name, None)
    if found is inspect.getattr_static(object, name, None):
        return False
    return getattr(found, "__module__", "") != "dataclasses"


def _opened(self: Any, value: Value) -> Value:
    """An object, as one of its fields."""
    if isinstance(value, Argument):
        opened: Value = self.opened(value, deep=False)
        return opened
    if not isinstance(value, Const) or not is_user_class(type(value.value)):
        return value
    slots = [name for name, _ in slots_of(value.value)]
    if not slots and not hasattr(value.value, "__dict__"):
        return value
    fields = (*slots, *getattr(value.value, "__dict__", ()))
    items = {name: self.attribute(value, name) for name in fields}
    made: Value = self.new_cell(Cell("object", items, type(value.value)))
    return made


def _with_cached(self: Any, value: Value, opened: Value) -> Value:
    """An object with what is cached for it, which Python keeps among its fields."""
    cached = carried_over(self, value)
    if not cached or not isinstance(opened, Ref):
        return opened
    cell = self.heap[opened.cell]
    made: Value = self.new_cell(cell.with_items({**cached, **cell.items}))
    return made


def as_container(self: Any, value: Value) -> Value:
    """A list, dict or tuple of the caller's or of a module as one made here."""
    cls = _class_of(value)
    if cls is None:
        return value
    made: Value = self.call(Const(cls, cls.__name__, "builtins"), (value,))
    return made


def _class_of(value: Value) -> type | None:
    """Of an argument or a module's container: list, dict or tuple."""
    if isinstance(value, Argument):
        return {"list": list, "dict": dict, "tuple": tuple}.get(value.fact.kind)
    cls = type(value.value) if isinstance(value, Const) else None
    return cls if cls in (list, dict, tuple) else None


_CHANGING: Final = (list, dict, np.ndarray)
_UNCHANGED: Final = ("float", "int", "bool", "complex", "str", "none", "scalar")
