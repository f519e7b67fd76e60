"""The arguments of a call -> where each object among them is found; what a value from
outside holds.

Fields of objects, slots too, and items of lists, tuples and dicts are places that a
text can name; an object may be found at several, through parent pointers at ever more,
of which the shortest stands for it.  Sets, deques and the like have no such places:
what they hold is told, and no more.
"""

from __future__ import annotations

import functools
import gc
import types
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.frontend.heap.lowered_values import is_user_class
from yota_ast.frontend.source.decorator_refusals import called_of
from yota_ast.ir.abstract_values import FLOAT, Fact, fact_of
from yota_ast.ir.facts.joined_facts import list_of
from yota_ast.support.captured_data import content_of, outside_names
from yota_ast.syntax.value_paths import PathStep, item_text, key_of_item, path_text

PLAIN: Final = frozenset(
    (float, int, bool, complex, str, bytes, type(None), types.FunctionType, type)
)
"""The types of what holds nothing that the text might write."""
_NOT_LOOKED_INTO: Final = (type, types.ModuleType, types.FunctionType, types.CodeType)
PlaceOf = tuple[str, tuple[PathStep, ...]]
"""The name of a parameter, and the path of a part of it."""


@dataclass(slots=True)
class Places:
    """The objects, lists and dicts among arguments.

    first: of each, by its identity, the place that stands for it. all: the text of each
    place, in which those behind one of several places of an object are left out.

    >>> pair = [1, {}]
    >>> [text for text, _ in Places.of({"x": pair, "y": (pair, 1.0)}).all]
    ['x', 'x[1]', 'y[0]']
    """

    first: dict[int, PlaceOf] = field(default_factory=dict)
    all: list[tuple[str, Any]] = field(default_factory=list)

    @staticmethod
    def of(examples: Mapping[str, Any]) -> Places:
        """Those of some arguments, the nearest first."""
        places = Places()
        for root, path, value in places_in(examples):
            if is_mutable(value):
                places.all.append((path_text(root, path), value))
                places.first.setdefault(id(value), (root, path))
        return places


def places_in(
    examples: Mapping[str, Any],
) -> Iterator[tuple[str, tuple[PathStep, ...], Any]]:
    """Where each value among some arguments is found, the nearest first, but those of
    plain types. What is found a second time is not looked into again.

    >>> [(path_text(root, path), v) for root, path, v in places_in({"x": ([], 1.0)})]
    [('x', ([], 1.0)), ('x[0]', [])]
    """
    met = set[int]()
    waiting: deque[tuple[str, tuple[PathStep, ...], Any]] = deque()
    waiting.extend((name, (), value) for name, value in examples.items())
    while waiting:
        root, path, value = waiting.popleft()
        if type(value) in PLAIN:
            continue
        yield root, path, value
        if id(value) in met:
            continue
        met.add(id(value))
        waiting.extend(
            (root, (*path, step), v)
            for step, v in _parts(value)
            if type(v) not in PLAIN
        )


def is_mutable(value: object) -> bool:
    """Whether a value is an object, a list or a dict, which can be written."""
    if isinstance(value, type):
        return False
    made = isinstance(value, (list, dict)) or hasattr(value, "__dict__")
    return made or any(True for _ in slots_of(value))


def _parts(value: Any) -> Iterator[tuple[PathStep, Any]]:
    """The fields of an object, the items of a container."""
    if isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            yield ("item", key_of_item(type(value), k)), item
    elif isinstance(value, dict):
        for key, item in value.items():
            yield ("item", key), item
    elif not isinstance(value, type) and type(value).__module__ != "builtins":
        for name, item in getattr(value, "__dict__", {}).items():
            if not _is_hidden(type(value), name):
                yield ("attr", name), item
        for name, item in slots_of(value):
            yield ("attr", name), item


def _is_hidden(cls: type, name: str) -> bool:
    """Whether a class has a descriptor of a name, which is found before a field."""
    found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    return hasattr(type(found), "__set__")


def has_own_methods(cls: type) -> bool:
    """Whether a class of lists or dicts says in Python what some method of theirs does.

    >>> class Rows(list):
    ...     def append(self, row):
    ...         super().append(list(row))
    >>> has_own_methods(Rows), has_own_methods(list)
    (True, False)
    """
    methods = {*dir(list), *dir(dict)} - {*dir(object)} | {"__setattr__"}
    owners = (c for c in cls.__mro__ if c.__module__ not in ("builtins", "collections"))
    found = (fn for c in owners for name, fn in vars(c).items() if name in methods)
    return any(isinstance(fn, types.FunctionType) for fn in found)


def slots_of(value: object) -> Iterator[tuple[str, Any]]:
    """The fields of an object that has slots."""
    if isinstance(value, (list, dict, tuple)):
        return
    for cls in type(value).__mro__[:-1]:
        if "__slots__" in vars(cls):
            for name, found in vars(cls).items():
                if isinstance(found, types.MemberDescriptorType):
                    try:
                        yield name, found.__get__(value)
                    except AttributeError:
                        continue


def held_by(text: str, value: object) -> Iterator[tuple[str, object]]:
    """What a value from outside is, or holds without being an object of a class: that
    of which the fields are read is told of field by field. Each has the text that names
    it, "" where there is none.

    >>> [found for found in held_by("w", [{}, ({1.5},)])]
    [('w', [{}, ({1.5},)]), ('w[0]', {}), ('w[1][0]', {1.5})]
    """
    met = set[int]()
    waiting = deque([(text, value)])
    while waiting:
        text, value = waiting.popleft()
        if type(value) in PLAIN or id(value) in met:
            continue
        met.add(id(value))
        inner = [(s, v) for s, v in _within(value) if type(v) not in PLAIN]
        if isinstance(value, (list, dict)) or not (inner or isinstance(value, tuple)):
            yield text, value
        waiting.extend((text and step and f"{text}{step}", v) for step, v in inner)


def _within(value: Any) -> Iterator[tuple[str, object]]:
    """What a container, a partial or a method holds, and how it is found there."""
    if isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            yield item_text("", key_of_item(type(value), k)), item
    elif isinstance(value, (dict, types.MappingProxyType)):
        yield from ((item_text("", key), item) for key, item in value.items())
    elif isinstance(value, functools.partial):
        yield from ((item_text(".args", k), a) for k, a in enumerate(value.args))
        yield from ((item_text(".keywords", k), v) for k, v in value.keywords.items())
        yield ".func", value.func
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif isinstance(value, (set, frozenset, deque)):
        yield from (("", item) for item in value)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        yield from (("", item) for item in value.flat)


def all_within(value: object) -> Iterator[object]:
    """What a value holds at any depth, objects of classes seen through, but those of
    NumPy and SciPy."""
    met = set[int]()
    waiting = [value]
    while waiting:
        one: Any = waiting.pop()
        if type(one) in PLAIN or id(one) in met or isinstance(one, _NOT_LOOKED_INTO):
            continue
        met.add(id(one))
        if isinstance(one, np.ndarray) and one.dtype.kind == "O":
            waiting += one.flat
        elif type(one).__module__.partition(".")[0] not in ("numpy", "scipy"):
            yield one
            fields = getattr(one, "__dict__", None)
            waiting += (r for r in gc.get_referents(one) if r is not fields)
            waiting += fields.values() if isinstance(fields, dict) else ()


def reached_by(fn: object) -> Iterator[object]:
    """What a function of the user's may read of what is outside, and what the functions
    that it may call may read.

    >>> data = [1.0]
    >>> any(found is data for found in reached_by(functools.partial(len, data)))
    True
    """
    met, waiting = set[int](), [fn]
    while waiting:
        each = waiting.pop()
        if id(each) in met or _is_of_package(each):
            continue
        met.add(id(each))
        yield each
        if isinstance(each, types.FunctionType):
            waiting += content_of(each, outside_names(each.__code__)) or ()
        elif isinstance(each, types.MethodType):
            waiting += each.__func__, each.__self__
        elif isinstance(each, types.ModuleType):
            yield from vars(each).values()
        elif not isinstance(each, type):
            waiting += (v for v in all_within(each) if v is not each)
            waiting.append(called_of(each))


def _is_of_package(value: object) -> bool:
    """Whether a module, a class or a function is of NumPy, SciPy or this package."""
    name = getattr(value, "__module__", None) or ""
    name = value.__name__ if isinstance(value, types.ModuleType) else str(name)
    return name.partition(".")[0] in ("numpy", "scipy", "yota_ast", "builtins")


def has_for_fields(value: object, written: object) -> bool:
    """Whether one of two is the `__dict__` of the other."""
    pairs = (value, written), (written, value)
    return any(
        two is not None and getattr(one, "__dict__", 0) is two for one, two in pairs
    )


def may_be_brought(value: object) -> bool:
    """Whether what is written outside can be followed as an argument is.

    >>> may_be_brought({}), may_be_brought(np.zeros(2)), may_be_brought(np)
    (True, True, False)
    """
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray and value.ndim > 0
    return type(value) in (list, dict) or (
        is_user_class(type(value)) and is_mutable(value)
    )


def fact_outside(value: object, name: str) -> Fact:
    """What is known of an object from outside that is written: a list of numbers, as a
    history, may be longer at each call.

    >>> fact_outside([1.0, 2.0], "LOSSES"), fact_outside([], "LOSSES")
    (list[float, ...], list[float, ...])
    """
    if type(value) is list and all(isinstance(v, (float, np.floating)) for v in value):
        return list_of(FLOAT)
    return fact_of(value, name)
