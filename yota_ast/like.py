"""Text that says what arguments are like -> their facts.

The command line's `--like`. A comma between parameters; each `name=kind`:

    W=float[3,4]        an array, of float64; lengths of axes, here as an example
    x=float32[n,d]      names for lengths: one name, one length
    x=float[...]        an array of any rank;  float[]: of none
    b=float  n=int      Python numbers;  float32: a NumPy scalar
    s=str  o=None  flag=bool
    p=tuple[float, float[3]]   q=list[float[3]]   r={W: float[3,4], b: float}
    m=mypkg.Linear      an instance of that class

>>> facts = parse_like("W=float[3,n], b=float")
>>> facts
{'W': ndarray[float64, 2], 'b': float}
>>> [(str(dim), dim.size) for dim in facts["W"].shape]
[('W.shape[0]', 3), ('W.shape[1]', None)]

A name that stands more than once is a length that no axis of another name has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from .errors import YotaError
from .facts import (
    BOOL,
    COMPLEX,
    FLOAT,
    NONE,
    STR,
    Dim,
    Fact,
    int_fact,
    literal_dim,
    sizes_of_names,
)
from .literals import Keys
from .paths import axis_text, item_text
from .records import dataclass, field

_PYTHON: Final = {
    "float": FLOAT,
    "bool": BOOL,
    "complex": COMPLEX,
    "str": STR,
    "None": NONE,
}
_TOKEN: Final = re.compile(r"\s*(\.\.\.|[^\W\d][\w.]*|\d+|[^\s\w])")
_END: Final = "the end"
_EXAMPLE: Final = 'Write it as "W=float[3,4], b=float, n=int, m=mypkg.Linear".'


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


@dataclass(slots=True)
class _Parser:
    """Reads tokens from left to right; `path` is the text of what is described."""

    text: str
    tokens: list[str]
    find: Callable[[str], object] | None
    sizes: Mapping[str, int] = field(default_factory=dict)
    position: int = 0
    lengths: list[str] = field(default_factory=list)  # the names for them

    def parameters(self) -> dict[str, Fact]:
        facts: dict[str, Fact] = {}
        while self._ahead != _END:
            name = self._name("a parameter")
            if name in facts:
                raise self._error(f"{name} is there twice")
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
        name = self._name("a kind")
        if name in ("tuple", "list") and self._ahead == "[":
            items = self._items(path)
            cls = tuple if name == "tuple" else list
            return Fact(cls.__name__, items=items, cls=cls)  # type: ignore[arg-type]
        if self._ahead == "[":
            return self._array(name, path)
        if name == "int":
            return int_fact(Dim(path))
        if name in _PYTHON:
            return _PYTHON[name]
        dtype = _dtype(name)
        return self._class(name) if dtype is None else Fact("scalar", dtype, ())

    def _array(self, name: str, path: str) -> Fact:
        dtype = np.dtype(float) if name == "float" else _dtype(name)
        dtype = (
            np.dtype(name) if dtype is None and name in ("int", "complex") else dtype
        )
        if dtype is None:
            raise self._error(f"{name} is no dtype of an array")
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
            return literal_dim(1) if size == 1 else Dim(path, 0, size)
        if not token.isidentifier():
            raise self._unexpected(token, "a length or a name for it")
        self.lengths.append(token)
        return Dim(path, 0, self.sizes.get(token))

    def _items(self, path: str) -> tuple[Fact, ...]:
        self._expect("[")
        items: list[Fact] = []
        while self._ahead != "]":
            items.append(self._fact(item_text(path, len(items))))
            if self._ahead != "]":
                self._expect(",")
        self._expect("]")
        return tuple(items)

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

    def _class(self, name: str) -> Fact:
        if self.find is None:
            raise self._error(f"{name} is no kind of value")
        found = self.find(name)
        if not isinstance(found, type):
            raise self._error(f"{name} is not a class")
        return Fact("object", cls=found)

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
