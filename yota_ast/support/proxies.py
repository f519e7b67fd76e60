"""Objects that answer for others -> whether to believe what they say of themselves.

>>> class Proxy:
...     __class__ = property(lambda self: int)
>>> isinstance(Proxy(), int), poses_as_another(Proxy()), poses_as_another(1)
(True, True, False)
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Iterator
from typing import Any, Final, TypeGuard, TypeVar

T = TypeVar("T")


def poses_as_another(value: object) -> bool:
    """Whether an object says that it is of another class than it is: a proxy of wrapt,
    a mock. `isinstance` believes it, and it may do all in a way of its own.

    A weak reference's proxy does all as the object does. An object that names no class
    does not pose; see `hides_its_fields`.
    """
    cls = type(value)
    try:
        told = value.__class__
    except Exception:  # noqa: BLE001  of the user's method
        return False
    named = issubclass(type(told), type)
    return named and told is not cls and cls not in weakref.ProxyTypes


def is_a(value: object, classes: type[T] | tuple[type[T], ...]) -> TypeGuard[T]:
    """Whether an object is of a class indeed, whatever it says of itself."""
    return issubclass(type(value), classes)


def items_within(value: Any) -> Iterator[tuple[Any, Any]]:
    """The keys or places of a list, a tuple or a dict, and what it holds there; past
    methods of a class that is derived from these, which may do anything.

    >>> class Closed(list):
    ...     __iter__ = None
    >>> [*items_within(Closed("ab"))], [*items_within({"a": 1})], [*items_within(1)]
    ([(0, 'a'), (1, 'b')], [('a', 1)], [])
    """
    if is_a(value, dict):
        yield from dict.items(value)
    elif is_a(value, list):
        yield from enumerate(list.__iter__(value))
    elif is_a(value, tuple):
        yield from enumerate(tuple.__iter__(value))


_GOING_THROUGH: Final = ("__iter__", "__len__", "keys", "values", "items")


def is_gone_through_its_own_way(value: object) -> bool:
    """Whether the class of a list, a tuple or a dict says in Python what it is gone
    through by: what it holds is then not what a loop sees.

    >>> class Reversed(list):
    ...     def __iter__(self):
    ...         return reversed([*super().__iter__()])
    >>> is_gone_through_its_own_way(Reversed()), is_gone_through_its_own_way([])
    (True, False)
    """
    return is_a(value, (list, tuple, dict)) and _has_way_of_its_own(type(value))


@functools.cache
def _has_way_of_its_own(cls: type) -> bool:
    found = (inspect.getattr_static(cls, name, None) for name in _GOING_THROUGH)
    return any(isinstance(method, types.FunctionType) for method in found)


def hides_its_fields(value: object) -> bool:
    """Whether the class of an object answers to every attribute, its class and fields
    too, with something of its own: nothing is then known of it."""
    cls = type(value)
    if cls.__getattribute__ is object.__getattribute__:
        return False
    try:
        told = getattr(value, "__dict__", {})
        return value.__class__ is not cls or not isinstance(told, dict)
    except Exception:  # noqa: BLE001  of the user's method
        return True
