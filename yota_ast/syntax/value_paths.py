r"""The way from a name to a part of what it stands for <-> the text of that way.

In: names of fields and keys of containers, which are data.  Out: a text that reads that
part and nothing else, and its steps again.  A field whose name is no identifier is read
by `getattr`; a key without a literal by its number in `HELD`.

>>> text = path_text("m", [("attr", "layers"), ("item", 0), ("attr", "a b")])
>>> text
"getattr(m.layers[0], 'a b')"
>>> steps_of(text)
('m', (('attr', 'layers'), ('item', 0), ('attr', 'a b')))
>>> evaluated("d['a'] + 1", {"d": {"a": 2}})
3
"""

from __future__ import annotations

import ast
import inspect
from collections import namedtuple
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, Final, Literal, Self

from yota_ast.syntax.names import identifier, is_plain
from yota_ast.syntax.value_literals import (
    HELD,
    HELD_NAME,
    key_text,
    literal_text,
    shown_key,
)

PathStep = tuple[Literal["attr", "item"], object]
"""A field by its name, or an item by its key."""
_MANY: Final = 4096


_Named = namedtuple("_Named", "field")  # noqa: PYI024
FIELD_OF_TUPLE: Final = type(inspect.getattr_static(_Named, "field"))
"""What the fields of named tuples are in their classes."""


class FieldKey(int):
    """The position of an item of a NamedTuple, which is written as its field.

    >>> item_text("p", FieldKey(0, "slope")), FieldKey(0, "slope") == 0
    ('p.slope', True)
    """

    field: str

    def __new__(cls, position: int, field: str) -> Self:
        """Return a position that is written as a field."""
        made = super().__new__(cls, position)
        made.field = field
        return made


def attribute_text(owner: str, name: object) -> str:
    """Return the text of a field: `m.W`, `getattr(m, 'a b')`.

    The only place that writes a name behind a dot.

    >>> attribute_text("m", "class"), attribute_text("m", 1)
    ("getattr(m, 'class')", 'm.__dict__[1]')
    """
    if is_plain(name):
        return f"{owner}.{name}"
    if isinstance(name, str):
        return f"getattr({owner}, {literal_text(str.__str__(name))})"
    return item_text(f"{owner}.__dict__", name)


def item_text(owner: str, key: object) -> str:
    """Return the text of an item: `d['a']`; the only place that writes a key."""
    if type(key) is FieldKey:
        return attribute_text(owner, key.field)
    return f"{owner}[{key_text(key)}]"


def axis_text(owner: str, axis: int) -> str:
    """Return the text of the length of an axis.

    >>> axis_text("x", 0)
    'x.shape[0]'
    """
    return item_text(f"{owner}.shape", axis)


def path_text(root: str, path: Iterable[PathStep]) -> str:
    """Return the text of a part of what a name stands for.

    >>> path_text("m", (("attr", "layers"), ("item", 0), ("attr", "W")))
    'm.layers[0].W'
    """
    text = root
    for kind, key in path:
        text = attribute_text(text, key) if kind == "attr" else item_text(text, key)
    return text


def path_name(root: str, path: Iterable[PathStep]) -> str:
    """Return an identifier for a part of what a name stands for.

    >>> path_name("m", (("attr", "layers"), ("item", 0), ("attr", "a b")))
    'm_layers_0_a_b'
    """
    words = map(word_of, (key for _, key in path))
    return identifier(".".join((root, *words)))


def word_of(key: object) -> str:
    """Return what a step adds to an identifier."""
    if type(key) is FieldKey:
        return key.field
    return key if isinstance(key, str) else shown_key(key)


def plain_key(key: object) -> object:
    """Return the key as it is where a program computes with it.

    >>> plain_key(FieldKey(0, "slope"))
    0
    """
    return int(key) if type(key) is FieldKey else key


def key_of_item(cls: object, position: int) -> int:
    """Return the key of an item of a tuple of a class.

    >>> key_of_item(tuple, 1)
    1
    """
    names: tuple[str, ...] = getattr(cls, "_fields", ())
    if position >= len(names):
        return position
    name = names[position]
    plain = getattr(cls, "__getattribute__", None) is tuple.__getattribute__
    read = position_of_field(cls, name) if plain else None
    return FieldKey(position, name) if read == position else position


def position_of_field(cls: object, name: str) -> int | None:
    """Return the position of the item that a field of a NamedTuple reads; None where
    the class, or a subclass, has something else of that name.

    >>> position_of_field(_Named, "field"), position_of_field(_Named, "count")
    (0, None)
    """
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property) and _is_of_scipy(found):
        names: tuple[str, ...] = getattr(cls, "_fields", ())
        return names.index(name) if name in names else None
    if not isinstance(found, FIELD_OF_TUPLE):
        return None
    position: int = found.__reduce__()[1][0]
    return position


def _is_of_scipy(found: property) -> bool:
    """Whether a property is that of a result of SciPy, a tuple with named items."""
    return getattr(found.fget, "__module__", None) == "scipy._lib._bunch"


def class_text(cls: type) -> str:
    """Return the name of a class as a text reads it: it can be set to anything.

    >>> class_text(int), class_text(type("a b", (), {}))
    ('int', 'a_b')
    """
    return cls.__name__ if is_plain(cls.__name__) else identifier(cls.__name__)


def behind(path: str, rest: str) -> str:
    """Return a path behind another: `step.keywords['k']`."""
    return f"{path}.{rest}"


# ---------------------------------------------------------------- back


@lru_cache(_MANY)
def steps_of(text: str) -> tuple[str, tuple[PathStep, ...]] | None:
    """Return the name and the steps of a path, None of any other expression."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    steps: list[PathStep] = []
    while not isinstance(node, ast.Name):
        found = _last_step(node)
        if found is None:
            return None
        node, step = found
        steps.insert(0, step)
    return node.id, tuple(steps)


def _last_step(node: ast.expr) -> tuple[ast.expr, PathStep] | None:
    match node:
        case ast.Attribute(value, attr):
            return value, ("attr", attr)
        case ast.Call(ast.Name("getattr"), [value, ast.Constant(str(name))], []):
            return value, ("attr", name)
        case ast.Subscript(value, index):
            key = key_of(index)
            return None if key is None else (value, ("item", key[0]))
    return None


def key_of(node: ast.expr) -> tuple[object] | None:
    """Return the key that a text names, in a tuple of its own; None of another."""
    match node:
        case ast.Constant(value):
            return (value,)
        case ast.UnaryOp(ast.USub(), ast.Constant(value)):
            return (-value,)  # type: ignore[operator]
        case ast.Tuple(elements):
            found = [key_of(each) for each in elements]
            known = [key for key in found if key is not None]
            return (tuple(k for (k,) in known),) if len(known) == len(found) else None
        case ast.Subscript(ast.Name(name), ast.Constant(int(number))):
            return (HELD[number],) if name == HELD_NAME else None
    return None


def follow(value: Any, steps: Iterable[PathStep]) -> Any:
    """Return the part of a value that steps lead to; raises what Python raises."""
    for kind, key in steps:
        value = getattr(value, str(key)) if kind == "attr" else value[key]
    return value


@lru_cache(_MANY)
def _compiled(text: str) -> CodeType:
    return compile(text, "<path>", "eval", dont_inherit=True)


def evaluated(text: str, *names: Mapping[str, Any]) -> Any:
    """Return the value of a text of the compiler's own; the only place that asks
    Python for one. names: what it reads, outer ones last."""
    local = names[0] if names else {}
    outer = {key: value for each in reversed(names[1:]) for key, value in each.items()}
    return eval(_compiled(text), {**outer, HELD_NAME: HELD}, dict(local))  # noqa: S307
