"""Whether an object has an attribute, and the value of one that runs code to tell.

In goes an attribute of a class, or the name of one; out come what the class gives its
instances, and for properties what reading them gives: None where that surely raises
AttributeError. What raises on some ways only is refused.

>>> found_on(float, "real") is float.real, found_on(float, "mro") is ABSENT
(True, True)
"""

from __future__ import annotations

import types
from typing import Any, Final

ABSENT: Final = object()
"""What stands for an attribute that is not there."""
_OF_EVERY_CLASS: Final = ("__new__", "__getattribute__")


def found_on(cls: type, name: str) -> Any:
    """What the instances of a class find on it: nothing of the class's own class."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return ABSENT


def modelled(cls: type) -> type:
    """The class of a library that a class of ours stands for, as for a deque."""
    found: type = vars(cls).get("__yota_ast_models__", cls)
    return found


def seen_in(cls: type, module: str) -> type:
    """A class as the code of a module sees it: one of ours that stands for another is
    seen as such by its own methods alone."""
    return cls if module == cls.__module__ else modelled(cls)


def is_hidden(cls: type, name: str, module: str) -> bool:
    """Whether code of a module does not see an attribute of a class of ours, which the
    class that it stands for lacks."""
    seen = seen_in(cls, module)
    return seen is not cls and not hasattr(seen, name)


def is_unmodelled(cls: type, name: str) -> bool:
    """Whether the class that one of ours stands for has what this one lacks."""
    whole = vars(modelled(cls))
    ours = (base for base in cls.__mro__ if base.__module__ == cls.__module__)
    own = any(name in vars(base) for base in ours)
    return name in whole and not own and name not in _OF_EVERY_CLASS


def why_lacking(cls: type, name: str) -> tuple[str, str]:
    """Why an attribute of an object cannot be read, and the remedy."""
    title = modelled(cls).__name__
    if is_unmodelled(cls, name) or hasattr(cls, "__yota_ast_named__"):
        remedy = getattr(cls, "__yota_ast_handed_on__", "Use a list.")
        return f"`{name}` of a {title} is not supported", remedy
    return (
        f"the object of class {title} has no attribute `{name}` here",
        "Assign it before it is read.",
    )


def gives(cls: type, name: str) -> bool:
    """Whether a class gives its instances an attribute, slots without a value left out.

    >>> gives(float, "__name__"), gives(float, "is_integer"), gives(complex, "real")
    (False, True, True)
    """
    found = found_on(cls, name)
    return found is not ABSENT and not is_slot(found)


def is_slot(found: object) -> bool:
    """Whether what a class holds is the place of a field in its instances, which may
    be empty. Fields of classes written in C, as the parts of a complex, never are."""
    if not isinstance(found, types.MemberDescriptorType):
        return False
    return "__slots__" in vars(found.__objclass__)


def takes(cls: type, name: str) -> bool:
    """Whether instances of a class have a place for a field: by a dict, or a slot."""
    return bool(cls.__dictoffset__) or is_slot(found_on(cls, name))


def finds_otherwise(cls: type) -> bool:
    """Whether a class says in its own way what the attributes of its instances are."""
    return isinstance(found_on(cls, "__getattribute__"), types.FunctionType)


def runs_code(cls: type | None, name: str) -> bool:
    """Whether reading an attribute of instances of a class runs a getter."""
    found = ABSENT if cls is None else found_on(cls, name)
    cached = type(found).__name__ == "cached_property"
    if cached or descriptor_function(found, "__get__") is not None:
        return True
    return isinstance(found, property) and found.fget is not None


def descriptor_function(found: object, name: str) -> types.FunctionType | None:
    """What a class written in Python does where an object of it stands in a class and
    an attribute is read (`__get__`), set or deleted; None where there is none.

    >>> descriptor_function(property(), "__get__") is None
    True
    """
    fn = found_on(type(found), name)
    return fn if isinstance(fn, types.FunctionType) else None


def is_asked_first(found: object) -> bool:
    """Whether something of a class is asked before the fields of its objects.

    >>> is_asked_first(property()), is_asked_first(is_asked_first)
    (True, False)
    """
    asked = hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")
    return asked and not is_field_in_c(found)


def is_field_in_c(found: object) -> bool:
    """Whether a class in C keeps a field of its objects so, or `__slots__` does."""
    return isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType))
