"""Objects that answer for others -> whether to believe what they say of themselves.

>>> class Proxy:
...     __class__ = property(lambda self: int)
>>> isinstance(Proxy(), int), poses_as_another(Proxy()), poses_as_another(1)
(True, True, False)
"""

from __future__ import annotations

import weakref


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
