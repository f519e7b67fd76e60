"""Who wrote how the fields of a class are set: its author, `dataclass`, or attrs; and
which fields these set.

attrs is not imported. Of its classes those are told here whose `__init__` sets fields
in a way of its own: the frozen ones, and those that convert or validate what is set.
The others set fields as everyone does.
"""

from __future__ import annotations

from typing import Any, Final

_ATTRS: Final = "<attrs generated "


def is_made_by_dataclass(fn: object) -> bool:
    """Whether `dataclass` wrote a method, and not who wrote the class.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: float
    ...
    ...     def __repr__(self):
    ...         return f"at {self.x}"
    >>> is_made_by_dataclass(Point.__init__), is_made_by_dataclass(Point.__repr__)
    (True, False)
    """
    code: Any = getattr(fn, "__code__", None)
    return is_of_no_file(fn) and code.co_qualname.startswith("__create_fn__.")


def init_fields(cls: Any) -> list[Any]:
    """The fields of a dataclass that its `__init__` knows, in their order: what is only
    given to `__post_init__` as well.

    >>> from dataclasses import InitVar, make_dataclass
    >>> from typing import ClassVar
    >>> parts = ("radius", float), ("scale", InitVar[float]), ("corners", ClassVar[int])
    >>> Disc = make_dataclass("Disc", parts)
    >>> [(field.name, is_only_given(field)) for field in init_fields(Disc)]
    [('radius', False), ('scale', True)]
    """
    fields = cls.__dataclass_fields__.values()
    return [f for f in fields if f._field_type.name != "_FIELD_CLASSVAR"]  # noqa: SLF001


def is_only_given(field: Any) -> bool:
    """Whether a field of a dataclass is an `InitVar`."""
    return bool(field._field_type.name == "_FIELD_INITVAR")  # noqa: SLF001


def is_slot_of(cls: Any, name: str) -> bool:
    """Whether a class has a slot for a field, and no value of its own."""
    return name in vars(cls).get("__slots__", ())


def is_of_no_file(fn: object) -> bool:
    """Whether a function was made of a string by the standard library."""
    code: Any = getattr(fn, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def is_frozen_by_attrs(cls: Any) -> bool:
    """Whether attrs forbids to set the fields of a class."""
    fn: Any = cls.__setattr__
    home = (getattr(fn, "__module__", ""), getattr(fn, "__name__", ""))
    return home == ("attr._make", "_frozen_setattrs")


def has_hooks_of_attrs(cls: Any) -> bool:
    """Whether attrs converts and validates what the fields of a class are set to."""
    code = getattr(cls.__setattr__, "__code__", None)
    return code is not None and "sa_attrs" in code.co_freevars


def is_filled_by_attrs(cls: Any, init: Any) -> bool:
    """Whether a class has the `__init__` that attrs writes, which sets plain fields
    past what the class says of setting them."""
    code = getattr(init, "__code__", None)
    if code is None or not code.co_filename.startswith(_ATTRS):
        return False
    return (
        (is_frozen_by_attrs(cls) or has_hooks_of_attrs(cls))
        and "__attrs_attrs__" in vars(cls)
        and not hasattr(cls, "__attrs_pre_init__")
        and not any(type(a.converter).__name__ == "Converter" for a in attrs_of(cls))
    )


def attrs_of(cls: Any) -> tuple[Any, ...]:
    """The fields of a class of attrs."""
    return tuple(cls.__attrs_attrs__)


def is_frozen(cls: Any, name: str) -> bool:
    """Whether a frozen dataclass among the bases of a class forbids to set a field."""
    frozen = [
        c for c in cls.__mro__ if is_made_by_dataclass(vars(c).get("__setattr__"))
    ]
    return any(c is cls or name in c.__dataclass_fields__ for c in frozen)
