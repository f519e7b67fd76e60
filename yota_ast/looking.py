"""The arguments of a call -> whether a text that was made in this process is for them.

What no line of the text asks, for it would have to stand in every text: whether a
number is complex, whether a number or an array is of a class with operators of its own,
whether a class is another of the same name. The bare function and a file do not look.

>>> from .facts import FLOAT
>>> from .tape import Block, Parameter, Var
>>> x = Var("x", FLOAT, "x")
>>> looks = Looks(Tape("f", (Parameter(x),), Block(), x), (), "seed")
>>> looks("f_grad", {"x": 2.0})
>>> looks("f_grad", {"x": 2j})  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
  ...
ValueError: f_grad: made for real numbers, and `x` is complex
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import CodeType
from typing import Any, Final

import numpy as np

from .checks import Check
from .complexes import real_parameters
from .facts import Fact, computes_otherwise
from .tape import Read, Tape, path_text

_PLAIN: Final = frozenset((float, int, bool, str, type(None), np.float64))
"""The types of which there is nothing to ask."""


class Looks:
    """What a text takes for granted of its arguments and does not check itself.

    checks: those of the text. seed: the name of the parameter that is the cotangent.
    """

    def __init__(self, tape: Tape, checks: Iterable[Check], seed: str) -> None:
        params = {p.var.name for p in tape.params}
        self.complex = params - real_parameters(tape) | {seed}
        """The parameters that may be complex."""
        self.floats = {p.var.name for p in tape.params if p.var.fact.kind == "float"}
        reads = [op for op in tape.block if isinstance(op, Read)]
        facts = [p.var.fact for p in tape.params] + [op.out.fact for op in reads]
        self.known = {cls for fact in facts for cls in _classes_of(fact)}
        """The classes of which the text knows how they compute."""
        self.fields = [(t, _code(t)) for t in _texts_of_fields(reads)]
        """Where the text reads numbers and arrays of objects."""
        named = [c for c in checks if c.made is not None]
        self.classes = [(c, _code(f"type({c.part})")) for c in named]

    def __call__(self, title: str, given: Mapping[str, object]) -> None:
        """Look at the arguments, by the names of the parameters: raises ValueError
        where the text is for others."""
        for name, value in given.items():
            if type(value) not in _PLAIN:
                self._look(title, name, value)
        for text, code in self.fields:
            value = _found(code, given)
            if type(value) not in _PLAIN:
                self._look(title, text, value)
        for check, code in self.classes:
            cls = _found(code, given)
            if cls is not check.made and _is_called(cls, check.made):
                raise ValueError(f"{title}: {check.message}, and this is another class")

    def _look(self, title: str, name: str, value: object) -> None:
        if name in self.floats and isinstance(value, np.unsignedinteger):
            raise ValueError(
                f"{title}: made for a float `{name}`, and a {type(value).__name__} has "
                f"no sign: give float({name})"
            )
        for part in _numbers_in(value):
            if name not in self.complex and _is_complex(part):
                raise ValueError(
                    f"{title}: made for real numbers, and `{name}` is complex: "
                    "make it with a complex example"
                )
            cls: Any = type(part)
            if cls not in self.known and computes_otherwise(cls):
                raise ValueError(
                    f"{title}: not made for what has operators of its own, and `{name}`"
                    f" is or holds a {cls.__name__}: make it with such an "
                    "example"
                )


def _numbers_in(value: object) -> Iterator[object]:
    """A value, or what containers hold; not the numbers of which nothing is asked."""
    cls = type(value)
    if cls in _PLAIN:
        return
    yield value
    if issubclass(cls, (tuple, list)):
        for item in value:  # type: ignore[attr-defined]
            if type(item) not in _PLAIN:
                yield from _numbers_in(item)
    elif issubclass(cls, Mapping):
        yield from _numbers_in(tuple(value.values()))  # type: ignore[attr-defined]


def _is_complex(value: object) -> bool:
    if issubclass(type(value), complex):
        return True
    try:
        return value.dtype.kind == "c"  # type: ignore[attr-defined, no-any-return]
    except Exception:  # noqa: BLE001  of what only looks like an array
        return False


def _classes_of(fact: Fact) -> Iterator[type]:
    """The classes that a fact names."""
    if isinstance(fact.cls, type):
        yield fact.cls
    for inner in (*(fact.items or ()), fact.element, fact.present):
        if inner is not None:
            yield from _classes_of(inner)


def _texts_of_fields(reads: Iterable[Read]) -> Iterator[str]:
    """The parts of objects that are read: what is in containers is found there."""
    for op in reads:
        if any(kind == "attr" for kind, _ in op.path):
            yield path_text(op.root.name, op.path)


def _is_called(cls: object, made: type | None) -> bool:
    """Whether a class has the name of another: of one of another name the text itself
    says that it is none for it."""
    return isinstance(cls, type) and made is not None and cls.__name__ == made.__name__


def _code(text: str) -> CodeType:
    return compile(text, "<arguments>", "eval")


def _found(code: CodeType, given: Mapping[str, object]) -> object:
    """What a path leads to; None where that is not there, as the text itself says."""
    try:
        # The compiler's own text, of a path.
        return eval(code, {}, given)  # noqa: S307
    except Exception:  # noqa: BLE001  of a user's property, too
        return None
