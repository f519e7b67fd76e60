"""Text that says what arguments are like -> their facts.

The command line's `--like`. A comma between parameters; each `name=kind`:

    W=float[3,4]        an array, of float64; lengths of axes, here as an example
    x=float32[n,d]      names for lengths: one name, one length
    x=float[...]        an array of any rank;  float[]: of none
    b=float  n=int      Python numbers;  float32: a NumPy scalar
    s=str  o=None  flag=bool
    p=tuple[float, float[3]]   q=list[float[3]]   r={W: float[3,4], b: float}
    p=(float, float[3])        q=[float[3]]
    m=mypkg.Linear      an instance of that class
    m=Linear(W=float[3,4], b=float)   with what its fields are

>>> facts = parse_like("W=float[3,n], b=float")
>>> facts
{'W': ndarray[float64, 2], 'b': float}
>>> [(str(dim), dim.size) for dim in facts["W"].shape]
[('W.shape[0]', 3), ('W.shape[1]', None)]

A name that stands more than once is a length that no axis of another name has.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import FunctionType
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import YotaError
from yota_ast.frontend.expressions.attributes import fact_of_annotation
from yota_ast.ir.abstract_values import BOOL, COMPLEX, FLOAT, NONE, STR, Fact, int_fact
from yota_ast.ir.axis_lengths import (
    Dim,
    NamedLength,
    axis_dim,
    literal_dim,
    sizes_of_names,
)
from yota_ast.ir.facts.annotations import (
    annotations_of_class,
    named_tuple_fact,
)
from yota_ast.support.value_classes import is_record
from yota_ast.syntax.value_literals import Keys
from yota_ast.syntax.value_paths import attribute_text, axis_text, item_text

_PYTHON: Final = {
    "float": FLOAT,
    "bool": BOOL,
    "complex": COMPLEX,
    "str": STR,
    "None": NONE,
}
_TOKEN: Final = re.compile(r"\s*(\.\.\.|[^\W\d][\w.]*|\d+|[^\s\w])")
_END: Final = "the end"
_BRACKETS: Final = {"[": (list, "]"), "(": (tuple, ")")}
"""What a bracket begins, and which one ends it."""
_EXAMPLE: Final = (
    'Write it as "W=float[3,4], b=float, n=int, m=mypkg.Linear(W=float[3])".'
)


def parse_like(
    text: str, find: Callable[[str], object] | None = None
) -> dict[str, Fact]:
    """Return the fact of each parameter that the text speaks of.

    find: what gives the class of a dotted name; it may raise YotaError.
    Raises YotaError for text that is not of the form above.
    """
    tokens = _tokens(text)
    once = _Parser(text, tokens, find)
    once.parameters()
    return _Parser(text, tokens, find, sizes_of_names(once.lengths)).parameters()


def _tokens(text: str) -> list[str]:
    return [found[1] for found in _TOKEN.finditer(text)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each token stands; then the end."""
    return [*(found.span(1) for found in _TOKEN.finditer(text)), (len(text),) * 2]


def _dtype(name: str) -> np.dtype | None:
    """Return the dtype of a name of NumPy's ("float32"), None where it is none."""
    if re.fullmatch(r"(float|int|uint|complex)\d+|bool", name) is None:
        return None
    try:
        return np.dtype(name)
    except TypeError:
        return None


def _may_be_field(cls: type, name: str) -> bool:
    """Return whether instances of a class may have a field of that name.

    A class that sets its fields in a method does not tell which they are.
    """
    if "." in name:
        return False
    declared = annotations_of_class(cls)
    if hasattr(cls, "_fields"):
        return name in cls._fields
    if is_dataclass(cls) and not hasattr(cls, "__post_init__"):
        return name in declared
    of_class = inspect.getattr_static(cls, name, None)
    return name in declared or not isinstance(of_class, (FunctionType, property))


@dataclass(slots=True)
class _Parser:
    """Reads tokens from left to right; `path` is the text of what is described."""

    text: str
    tokens: list[str]
    find: Callable[[str], object] | None
    sizes: Mapping[str, NamedLength] = field(default_factory=dict)
    position: int = 0
    lengths: list[str] = field(default_factory=list)  # the names for them

    def parameters(self) -> dict[str, Fact]:
        facts: dict[str, Fact] = {}
        while self._ahead != _END:
            name = self._name("a parameter")
            if name in facts:
                raise self._error(f"{name} is named twice")
            self._expect("=")
            facts[name] = self._fact(name)
            if self._ahead != _END:
                self._expect(",")
        if not facts:
            raise self._error("it is empty")
        return facts

    # ------------------------------------------------------------ facts

    def _fact(self, path: str) -> Fact:
        if self._ahead == "{":
            return self._dict(path)
        if self._ahead in _BRACKETS:
            return self._sequence(*_BRACKETS[self._ahead], path)
        name = self._name("a kind")
        if name in ("tuple", "list") and self._ahead == "[":
            return self._sequence(tuple if name == "tuple" else list, "]", path)
        if self._ahead == "[":
            return self._array(name, path)
        if name == "int":
            return int_fact(Dim(path))
        if name in _PYTHON:
            return _PYTHON[name]
        dtype = _dtype(name)
        return self._class(name, path) if dtype is None else Fact("scalar", dtype, ())

    def _array(self, name: str, path: str) -> Fact:
        dtype = np.dtype(float) if name == "float" else _dtype(name)
        dtype = (
            np.dtype(name) if dtype is None and name in ("int", "complex") else dtype
        )
        if dtype is None:
            raise self._error(f"{name} is not a dtype of an array")
        self._expect("[")
        if self._ahead == "...":
            self._next()
            self._expect("]")
            return Fact("array", dtype, f"{path}.shape")
        dims: list[Dim] = []
        while self._ahead != "]":
            dims.append(self._dim(axis_text(path, len(dims))))
            if self._ahead != "]":
                self._expect(",")
        self._expect("]")
        return Fact("array", dtype, tuple(dims), cls=np.ndarray)

    def _dim(self, path: str) -> Dim:
        token = self._next()
        if token.isdecimal():
            size = int(token)
            return literal_dim(1) if size == 1 else axis_dim(path, size)
        if not token.isidentifier():
            raise self._unexpected(token, "a length or a name for it")
        self.lengths.append(token)
        return axis_dim(path, self.sizes.get(token))

    def _sequence(self, cls: type, end: str, path: str) -> Fact:
        """Read the items behind a bracket: `[float, int]` after `list`, or alone."""
        self._next()
        items: list[Fact] = []
        while self._ahead != end:
            items.append(self._fact(item_text(path, len(items))))
            if self._ahead != end:
                self._expect(",")
        self._expect(end)
        return Fact(cls.__name__, items=tuple(items), cls=cls)  # type: ignore[arg-type]

    def _dict(self, path: str) -> Fact:
        self._expect("{")
        items: dict[object, Fact] = {}
        while self._ahead != "}":
            token = self._next()
            if not token.isidentifier() and not token.isdecimal():
                raise self._unexpected(token, "a key")
            key = int(token) if token.isdecimal() else token
            self._expect(":")
            items[key] = self._fact(item_text(path, key))
            if self._ahead != "}":
                self._expect(",")
        self._expect("}")
        return Fact("dict", items=tuple(items.values()), keys=Keys(items), cls=dict)

    def _class(self, name: str, path: str) -> Fact:
        if self.find is None:
            raise self._error(f"{name} is not a kind of value")
        found = self.find(name)
        if not isinstance(found, type):
            raise self._error(f"{name} is not a class")
        if is_record(found):
            return self._named_tuple(found, path)
        given = self._fields(found, lambda name: attribute_text(path, name))
        if not given:
            return Fact("object", cls=found)
        return Fact("object", items=tuple(given.values()), keys=Keys(given), cls=found)

    def _named_tuple(self, cls: type, path: str) -> Fact:
        given = self._fields(cls, lambda name: attribute_text(path, name))
        return named_tuple_fact(cls, path, fact_of_annotation, given)

    def _fields(self, cls: type, text_of: Callable[[str], str]) -> dict[str, Fact]:
        """Read what stands between parentheses after a class; nothing without them."""
        found: dict[str, Fact] = {}
        if self._ahead != "(":
            return found
        self._next()
        while self._ahead != ")":
            name = self._name("a field")
            if name in found:
                raise self._error(f"{name} is named twice")
            if not _may_be_field(cls, name):
                raise self._error(f"{name} is not a field of {cls.__name__}")
            self._expect("=")
            found[name] = self._fact(text_of(name))
            if self._ahead != ")":
                self._expect(",")
        self._expect(")")
        return found

    # ------------------------------------------------------------ tokens

    @property
    def _ahead(self) -> str:
        known = self.position < len(self.tokens)
        return self.tokens[self.position] if known else _END

    def _next(self) -> str:
        token = self._ahead
        self.position += 1
        return token

    def _name(self, what: str) -> str:
        token = self._next()
        if not token.replace(".", "_").isidentifier():
            raise self._unexpected(token, what)
        return token

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise self._unexpected(found, repr(token))

    def _unexpected(self, token: str, expected: str) -> YotaError:
        shown = token if token == _END else repr(token)
        return self._error(f"expected {expected}, found {shown}")

    def _error(self, reason: str) -> YotaError:
        spans = _spans(self.text)
        start, end = spans[min(max(self.position - 1, 0), len(spans) - 1)]
        carets = " " * start + "^" * max(end - start, 1)
        return YotaError(
            f"cannot read --like {self.text!r}: {reason}",
            remedy=f"    {self.text}\n    {carets}\n{_EXAMPLE}"
            if self.text.strip()
            else _EXAMPLE,
        )
