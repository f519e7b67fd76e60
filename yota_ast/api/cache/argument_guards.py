"""The arguments of a call -> whether a text that was made in this process is for them.

What no line of the text asks, for it would have to stand in every text: whether a
number is complex, whether a number or an array is of a class with operators of its own,
whether a class is another of the same name. The bare function and a file do not look.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.nodes import Block
>>> from yota_ast.ir.functions import Parameter
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", FLOAT, "x")
>>> tape = Tape("f", (Parameter(x),), Block(), x)
>>> looks = Looks(tape, Program("f_grad", tape.params, Block(), Block(), x))
>>> looks("f_grad", {"x": 2.0})
>>> looks("f_grad", {"x": 2j})  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
  ...
ValueError: f_grad: made for real numbers, but `x` is complex
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from yota_ast.api.other_meanings import library_of, other_meanings
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.facts.complex_values import real_parameters
from yota_ast.ir.nodes import Apply, Read
from yota_ast.ir.tape import Program, Tape
from yota_ast.support.value_classes import computes_otherwise
from yota_ast.syntax.value_literals import key_text, shown_text
from yota_ast.syntax.value_paths import PathStep, follow, path_text, steps_of

Place = tuple[str, tuple[PathStep, ...]]
"""A parameter, and the steps to a part of it."""
_PLAIN: Final = frozenset((float, int, bool, str, type(None), np.float64))
"""The types of which there is nothing to ask."""


class Looks:
    """What a text takes for granted of its arguments and does not check itself.

    program: what the text is printed from.
    """

    def __init__(self, tape: Tape, program: Program) -> None:
        self.wrt = program.wrt if program.results else ()
        self.zero = set(_zeros_of(program))
        """The parameters that do not matter."""
        checks, seed = program.checks, program.seed
        params = {p.var.name for p in tape.params}
        self.complex = params - real_parameters(tape) | {seed}
        """The parameters that may be complex."""
        kinds = {p.var.name: p.var.fact.kind for p in tape.params}
        self.numbers = {n: k for n, k in kinds.items() if k in ("float", "int")}
        """The parameters that were Python's numbers, of either sign."""
        points = (p.var for p in tape.params if p.var.fact.kind == "array")
        self.points = {v.name for v in points if v.fact.is_scalar}
        """The parameters that were arrays without axes."""
        asked = [c.test for c in checks]
        self.typed = {n for n in kinds if any(_asks_type(n, t) for t in asked)}
        """The parameters of which the text asks for the name of their type."""
        reads = [op for op in tape.block if isinstance(op, Read)]
        facts = [p.var.fact for p in tape.params] + [op.out.fact for op in reads]
        self.known = {cls for fact in facts for cls in _classes_of(fact)}
        """The classes of which the text knows how they compute."""
        self.fields = list(_fields_of(reads))
        """Where the text reads numbers and arrays of objects."""
        self.elsewhere = {k: told for k, (told, _) in other_meanings(tape).items()}
        """What means something else for the arrays of libraries."""
        named = [c for c in checks if c.made is not None]
        parts = ((c, steps_of(c.part)) for c in named)
        self.classes = [(c, part) for c, part in parts if part is not None]

    def __call__(self, title: str, given: Mapping[str, object]) -> None:
        """Look at the arguments, by the names of the parameters: raises ValueError
        where the text is for others."""
        for name, value in given.items():
            if type(value) not in _PLAIN:
                self._look(title, name, value)
        for path in self.fields:
            value = _found(path, given)
            if type(value) not in _PLAIN:
                self._look(title, shown_text(path_text(*path)), value)
        for check, path in self.classes:
            cls = type(_found(path, given))
            if cls is not check.made and _is_called(cls, check.made):
                raise ValueError(f"{title}: {check.told}, but another one is given")

    def given_back(
        self, title: str, given: Mapping[str, object], found: object
    ) -> object:
        """What the text gives, each gradient of the kind of its argument.

        Raises ValueError where one is of another shape, or of whole numbers: the text
        is for arguments of other shapes, or for floats.
        """
        if not self.wrt or not isinstance(found, tuple):
            return found
        value, *gradients = found
        for k, (name, gradient) in enumerate(zip(self.wrt, gradients, strict=False)):
            argument: Any = given.get(name, gradient)
            if name in self.points and np.ndim(argument):
                raise ValueError(f"{title}: made for {name} ()")
            if not _is_alike(argument, gradient):
                what = _unfit(argument, gradient, value)
                if what and name not in self.zero:
                    raise ValueError(
                        f"{title}: made for {what} `{name}`: make it again"
                    )
                gradients[k] = _as_argument(argument, gradient)
        return (value, *gradients)

    def _look(self, title: str, name: str, value: object) -> None:
        cls: Any = type(value)
        if name in self.numbers and issubclass(cls, np.unsignedinteger):
            kind = self.numbers[name]
            raise ValueError(
                f"{title}: made for {kind} `{name}`, but a {cls.__name__} has no sign: "
                f"give {kind}({name})"
            )
        if name in self.typed and cls is np.bool_:
            raise ValueError(
                f"{title}: made for a number `{name}` of a Python type, not NumPy's "
                f"bool: give bool({name})"
            )
        for part in _numbers_in(value):
            if name not in self.complex and _is_complex(part):
                raise ValueError(
                    f"{title}: made for real numbers, but `{name}` is complex: "
                    "make it with a complex example"
                )
            own: Any = type(part)
            if self.elsewhere and library_of(own) in self.elsewhere:
                raise ValueError(
                    f"{title}: {self.elsewhere[library_of(own)]}, such as `{name}`: "
                    "give an array of NumPy"
                )
            if own not in self.known and computes_otherwise(own):
                raise ValueError(
                    f"{title}: `{name}` is or holds a {own.__name__}, which defines "
                    "operators of its own: make it with such an example"
                )


def _zeros_of(program: Program) -> Iterator[str]:
    """The parameters of which the gradient is made as zeros and stays such."""
    zeros = {
        op.out
        for op in program.reverse
        if isinstance(op, Apply) and op.fn is np.zeros_like
    }
    for name, result in zip(program.wrt, program.results, strict=False):
        if result in zeros:
            yield name


def _is_alike(argument: Any, gradient: Any) -> bool:
    """Whether a gradient is as its argument."""
    if type(argument) is not type(gradient):
        return False
    if type(gradient) is not np.ndarray:
        return True
    same = argument.dtype == gradient.dtype and argument.shape == gradient.shape
    return bool(same and gradient.dtype.kind not in "iub")


def _unfit(argument: Any, gradient: Any, value: object) -> str:
    """What else the text was made for than an argument, where its gradient says so.

    value: that of the function, which has no more digits than a number of Python's has
    beside arrays.
    """
    if not _is_of_numbers(argument) or not _is_of_numbers(gradient):
        return ""
    if np.shape(gradient) != np.shape(argument):
        return "another shape of"
    found, wanted = _dtype_of(gradient), _dtype_of(argument)
    if found.kind in "iub":
        return "floats in"
    if found.kind != "f" or wanted.kind not in "iubf":
        return ""
    given = argument if hasattr(argument, "dtype") else value
    return "less precision in" if found.itemsize < _digits(_dtype_of(given)) else ""


def _dtype_of(value: object) -> np.dtype[Any]:
    return getattr(value, "dtype", None) or np.dtype(float)


def _digits(dtype: np.dtype[Any]) -> int:
    """How long the floats are that a gradient has."""
    return dtype.itemsize if dtype.kind == "f" else 8


def _is_of_numbers(value: object) -> bool:
    """Whether a value is a number, an array, or a list of such."""
    if isinstance(value, (tuple, list)):
        return all(map(_is_of_numbers, value))
    return isinstance(value, (float, int, np.ndarray, np.generic))


def _as_argument(argument: Any, gradient: Any) -> Any:
    """A gradient as a float, an array or a list, as its argument is."""
    cls, dtype = type(argument), _dtype_of(argument)
    if not _is_of_numbers(argument) or not _is_of_numbers(gradient):
        return gradient
    if np.iscomplexobj(gradient) or dtype.kind not in "iubf":
        return gradient
    whole = np.asarray(gradient, dtype if dtype.kind == "f" else float)
    if isinstance(argument, np.ndarray):
        return whole
    if isinstance(argument, np.floating):
        return whole[()]
    if cls in (list, tuple):
        return gradient if isinstance(gradient, cls) else cls(whole.tolist())
    return float(whole) if cls in (float, int, bool) else gradient


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


def _asks_type(name: str, test: str) -> bool:
    """Whether a test asks for the name of a type, which bools of NumPy share."""
    return f"type({name}).__name__" in test and key_text("bool") in test


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


def _fields_of(reads: Iterable[Read]) -> Iterator[Place]:
    """The parts of objects that are read: what is in containers is found there."""
    for op in reads:
        if any(kind == "attr" for kind, _ in op.path):
            yield op.root.name, op.path


def _is_called(cls: object, made: type | None) -> bool:
    """Whether a class has the name of another: of one of another name the text itself
    says that it is none for it."""
    return isinstance(cls, type) and made is not None and cls.__name__ == made.__name__


def _found(path: Place, given: Mapping[str, object]) -> object:
    """What a path leads to; None where that is not there, as the text itself says."""
    root, steps = path
    try:
        return follow(given[root], steps)
    except Exception:  # noqa: BLE001  of a user's property, too
        return None
