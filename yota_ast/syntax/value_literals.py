r"""Values that a program holds -> the text that stands for them in generated code.

In: a value.  Out: its literal, if it is of an exact built-in type; of what has none the
number under which `HELD` keeps it, `_HELD_[0]`, for which codegen prints a name.  No
`repr` of a user's class is ever called.

>>> literal_text((1, "it's", -0.0, 1 - 2j)), literal_text(float("inf"))
('(1, "it\'s", -0.0, complex(1.0, -2.0))', None)
>>> class Word(str):
...     def __repr__(self):
...         return "print('run')"
>>> literal_text(Word("a")), is_held(key_text(Word("a")))
(None, True)
"""

from __future__ import annotations

import functools
import math
import re
import threading
import weakref
from collections.abc import Hashable, Iterator
from typing import Any, Final

from yota_ast.syntax.names import shown_name

HELD_NAME: Final = "_HELD_"
"""The name of `HELD` in a text that is not printed yet."""
_MOST_BITS: Final = 14_000
"""What a whole number has whose digits every Python reads, at most 4,300."""
_MANY_ZEROS: Final = re.compile(r"(-?)(\d)(\d*?)(0{6,})\.0")
"""How a float ends that is written with an exponent: 1000000.0 is 1e6."""
_HELD_IN_TEXT: Final = re.compile(rf"\b{HELD_NAME}\[(\d+)\]")


def literal_text(value: object) -> str | None:
    """Return the literal of a value of an exact built-in type, None of any other.

    The only place that writes a value down. None for nan and infinity, which have
    names and no literals, and for numbers of more digits than Python reads.
    """
    kind = type(value)
    if kind is float:
        return _float_text(value) if math.isfinite(value) else None  # type: ignore[arg-type]
    if kind is int:
        return _whole_text(value)  # type: ignore[arg-type]
    if kind in (str, bytes, bool, type(None)):
        return repr(value)
    if kind is complex:
        return _complex_text(value)  # type: ignore[arg-type]
    if kind is tuple:
        return _tuple_text([literal_text(item) for item in value])  # type: ignore[attr-defined]
    return "..." if value is Ellipsis else None


def _float_text(value: float) -> str:
    """Return a float as a person writes it: 1e9, 1e-5, 1e30, and not 1000000000.0,
    1e-05, 1e+30."""
    written = repr(value)
    many = _MANY_ZEROS.fullmatch(written)
    if many:
        sign, first, rest, zeros = many.groups()
        digits, exponent = f"{sign}{first}.{rest}", len(rest + zeros)
        return f"{digits.removesuffix('.')}e{exponent}"
    digits, _, power = written.partition("e")
    return f"{digits}e{int(power)}" if power else written


def _whole_text(value: int) -> str | None:
    if value.bit_length() > _MOST_BITS:
        return None
    try:
        return repr(value)
    except ValueError:  # where the user allows fewer digits
        return None


def _complex_text(value: complex) -> str | None:
    real, imaginary = literal_text(value.real), literal_text(value.imag)
    if real is None or imaginary is None:
        return None
    if real == "0.0" and not imaginary.startswith("-"):
        return repr(value).replace("e+", "e")
    return f"complex({real}, {imaginary})"  # a sum would lose the signs of zeros


def _tuple_text(items: list[str | None]) -> str | None:
    texts = [item for item in items if item is not None]
    if len(texts) < len(items):
        return None
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


# ---------------------------------------------------------------- what has no literal


class Held:
    """The keys of containers that have no literal, by numbers.

    Equal keys of one class have one number, as they are one key of a dict; of those
    that are told by their identity nothing is kept alive.

    >>> held = Held()
    >>> one, two = object(), frozenset({1})
    >>> held.number(one), held.number(two), held.number(frozenset({1}))
    (0, 1, 1)
    >>> held.number(frozenset({True})), held[1]
    (2, frozenset({1}))
    """

    def __init__(self) -> None:
        self._values: dict[int, object] = {}
        self._numbers: dict[Hashable, int] = {}
        self._lock = threading.Lock()

    def number(self, value: object) -> int:
        """Return the number of a value, a new one if it has none."""
        if type(value).__hash__ is not object.__hash__:
            return self._numbered(_strict(value), value)
        try:
            told = weakref.ref(value)
        except TypeError:
            return self._numbered(("is", id(value)), value)
        return self._numbered(told, told)

    def _numbered(self, key: Hashable, value: object) -> int:
        with self._lock:
            number = self._numbers.setdefault(key, len(self._numbers))
            self._values[number] = value  # the latest is the one that is asked for
            return number

    def __getitem__(self, number: int) -> Any:
        """Return the value; KeyError if it is no longer there."""
        value = self._values[number]
        found = value() if isinstance(value, weakref.ref) else value
        if found is None:
            raise KeyError(number)
        return found


def _strict(value: Any) -> Hashable:
    """Return what tells a key from all others, 1 from True and from 1.0."""
    if type(value) is tuple:
        return (tuple, tuple(map(_strict, value)))
    if type(value) is frozenset:
        return (frozenset, frozenset(map(_strict, value)))
    if isinstance(value, float) and value != value:  # noqa: PLR0124  nan is itself alone
        return ("is", id(value))
    signed = math.copysign(1.0, value) if type(value) is float else 0
    return (type(value), value, signed)


HELD: Final = Held()


class Keys(tuple[object, ...]):  # noqa: SLOT001  the places are kept
    """The keys of a dict in their order, which are found as in the dict.

    1, True and 1.0 are one key, and three in what is returned: other keys.

    >>> keys = Keys({1: "a", "b": "c"})
    >>> True in keys, keys.index(1.0), keys == Keys([1, "b"]), keys == Keys([True, "b"])
    (True, 0, True, False)
    """

    def __contains__(self, key: object) -> bool:
        try:
            return key in self._places
        except TypeError:  # what has no hash
            return False

    def index(self, key: object, *_: Any) -> int:
        """Return the place of a key."""
        return self._places[key]

    @functools.cached_property
    def _places(self) -> dict[object, int]:
        return {key: place for place, key in enumerate(self)}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        return all(map(_is_same, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_is_same, one, other))
    return type(one) is type(other) and hash(one) == hash(other) and bool(one == other)


def key_text(key: object) -> str:
    """Return the text of a key of a container: a literal, or `_HELD_[0]`.

    >>> key_text("a b"), key_text((1, None)), key_text(-2)
    ("'a b'", '(1, None)', '-2')
    """
    text = literal_text(key)
    if text is not None:
        return text
    if type(key) is tuple:
        return str(_tuple_text([key_text(item) for item in key]))
    return f"{HELD_NAME}[{HELD.number(key)}]"


def is_held(text: str) -> bool:
    """Say whether a text names a key by its number."""
    return _HELD_IN_TEXT.search(text) is not None


# ---------------------------------------------------------------- for people


def shown_key(key: object) -> str:
    """Return a key as messages show it: `Colour.RED`, `<date>`; no `repr` is called.

    >>> import datetime
    >>> shown_key("a"), shown_key(datetime.date(2020, 1, 2)), shown_key(("b", int))
    ("'a'", '<date>', "('b', int)")
    """
    text = literal_text(key)
    if text is not None:
        return text
    if type(key) is tuple:
        return str(_tuple_text([shown_key(item) for item in key]))
    return shown_text("".join(_words_of(key)))


def _words_of(key: Any) -> Iterator[str]:
    cls = type(key)
    members = cls.__dict__.get("_member_map_")
    if isinstance(members, dict):
        names = [name for name, member in members.items() if member is key]
        yield shown_name(f"{cls.__name__}.{names[0]}" if names else cls.__name__)
    elif isinstance(key, type):
        yield shown_name(key.__name__)
    elif cls is float:
        yield float.__repr__(key)
    else:
        yield f"<{shown_name(cls.__name__)}>"


def shown_text(text: str) -> str:
    """Return a text with keys as people read them, for messages and for names.

    >>> shown_text(f"d[{key_text(int)}].shape")
    'd[int].shape'
    """
    if HELD_NAME not in text:
        return text
    return _HELD_IN_TEXT.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    try:
        return shown_key(HELD[int(found[1])])
    except KeyError:
        return "<key>"
