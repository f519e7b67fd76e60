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

from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.applied_functions import AppliedFunctions
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.identity import Identity
from yota_ast.frontend.heap.instances import Instances
from yota_ast.frontend.heap.keyed_items import KeyedItems
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
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.library.cached_functions import carried_over
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import element_of, is_plain
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


def shallow(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """copy.copy(x)."""
    return _copied(lowering, args[0], lambda item: item, "__copy__")


def deep(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """copy.deepcopy(x): what is one object in x is one in the copy."""
    position = Position.of(lowering)
    known: list[tuple[Value, Value]] = []

    def inner(item: Value) -> Value:
        for other, copied in known:
            if _is_same(item, other):
                return copied
            constants = isinstance(item, Const) and isinstance(other, Const)
            if not constants and Identity.of(lowering).may_be_one(item, other):
                position.refuse_call(
                    "deepcopy is given a value that may hold one array or "
                    "container twice",
                    "Copy each part by itself.",
                )
        begun = len(known)
        made = _copied(
            lowering,
            item,
            inner,
            "__deepcopy__",
            lambda made: known.append((item, made)),
        )
        if made is None:
            position.refuse_call(
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
    lowering: Component,
    value: Value,
    inner: Callable[[Value], Value],
    hook: str,
    begun: Callable[[Value], None] | None = None,
) -> Value | None:
    """A copy; of a container, of what `inner` makes of its items. hook: the method by
    which a class says how its objects are copied. begun: is told of a container that
    has none of its items yet, for they may hold it."""
    cells = Cells.of(lowering)
    language = Language.of(lowering)
    operations = Operations.of(lowering)
    cls = _user_class_of(lowering, value)
    if cls is not None:
        own = ValueKinds.of(lowering).class_function(cls, hook)
        if own is not None:
            given = [value]
            if hook == "__deepcopy__":
                given.append(cells.new_cell(Cell("dict", {}, dict)))
            return language.call(own, tuple(given))
        if not Instances.of(lowering).is_plain(cls):
            return None
        for name in _PROTOCOL:
            if _says(cls, name):
                Position.of(lowering).refuse_call(
                    f"objects of {cls.__name__} are copied by its `{name}`",
                    f"Define `{hook}`, or make the copy by hand.",
                )
        value = _with_cached(lowering, value, _opened(lowering, value))
    function = _copied_function(_parted(value), inner)
    if function is not None:
        return function if hook == "__deepcopy__" else value
    if operations.fact(value).kind in _UNCHANGED:
        return value
    if isinstance(value, (Var, Const)) and operations.fact(value).kind == "array":
        return AppliedFunctions.of(lowering).numpy_call("array", value)
    if isinstance(value, Var) and operations.fact(value).kind == "real":
        # A number, or an array: +x is another one of either.
        return language.operate(operator.pos, value)
    if isinstance(value, TupleValue):
        return TupleValue(tuple(map(inner, value.items)), value.cls)
    cls = _class_of(value)
    value = as_container(lowering, value)
    if not isinstance(value, Ref):
        return value if isinstance(value, TupleValue) else None
    cell = cells.heap[value.cell]
    if cell.var is None:
        return _copied_items(lowering, value, inner, begun)
    if cell.kind != "list" or not is_plain(element_of(cell.var.fact)):
        return None
    if cls is not None:
        return value
    return Builtins.of(lowering).builtin_list((value,), ())


def _copied_items(
    lowering: Component,
    value: Ref,
    inner: Callable[[Value], Value],
    begun: Callable[[Ref], None] | None,
) -> Ref:
    """A copy of a container of known items."""
    cells, factories = Cells.of(lowering), KeyedItems.of(lowering).factories
    cell = dataclasses.replace(cells.heap[value.cell], fixed=False, source=None)
    copied = cells.new_cell(cell)
    if begun is not None:
        begun(copied)
    items = {key: inner(item) for key, item in cell.items.items()}
    cells.heap[copied.cell] = cell.with_items(items)
    if value.cell in factories:  # a defaultdict
        factories[copied.cell] = factories[value.cell]
    return copied


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


def _user_class_of(lowering: Component, value: Value) -> type | None:
    """The class of the user's that a value is an object of."""
    cls: type | None = None
    if isinstance(value, Ref) and ValueKinds.of(lowering).is_object(value):
        cls = Cells.of(lowering).heap[value.cell].cls
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


def _opened(lowering: Component, value: Value) -> Value:
    """An object, as one of its fields."""
    if isinstance(value, Argument):
        return ArgumentParts.of(lowering).opened(value, deep=False)
    if not isinstance(value, Const) or not is_user_class(type(value.value)):
        return value
    slots = [name for name, _ in slots_of(value.value)]
    if not slots and not hasattr(value.value, "__dict__"):
        return value
    fields = (*slots, *getattr(value.value, "__dict__", ()))
    items = {name: Language.of(lowering).attribute(value, name) for name in fields}
    return Cells.of(lowering).new_cell(Cell("object", items, type(value.value)))


def _with_cached(lowering: Component, value: Value, opened: Value) -> Value:
    """An object with what is cached for it, which Python keeps among its fields."""
    cells = Cells.of(lowering)
    cached = carried_over(lowering, value)
    if not cached or not isinstance(opened, Ref):
        return opened
    cell = cells.heap[opened.cell]
    return cells.new_cell(cell.with_items({**cached, **cell.items}))


def as_container(lowering: Component, value: Value) -> Value:
    """A list, dict or tuple of the caller's or of a module as one made here."""
    cls = _class_of(value)
    if cls is None:
        return value
    return Language.of(lowering).call(Const(cls, cls.__name__, "builtins"), (value,))


def _class_of(value: Value) -> type | None:
    """Of an argument or a module's container: list, dict or tuple."""
    if isinstance(value, Argument):
        return {"list": list, "dict": dict, "tuple": tuple}.get(value.fact.kind)
    cls = type(value.value) if isinstance(value, Const) else None
    return cls if cls in (list, dict, tuple) else None


_CHANGING: Final = (list, dict, np.ndarray)
_UNCHANGED: Final = ("float", "int", "bool", "complex", "str", "none", "scalar")
