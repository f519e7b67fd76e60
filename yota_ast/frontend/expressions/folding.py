"""What literals and facts prove before anything runs.

>>> fold(operator.add, (Const(2), Const(3)))
Const(value=5, text=None, home='')
>>> fold(operator.truediv, (Const(1), Const(3))).text
'1 / 3'
>>> fold(operator.truediv, (Const(1), Const(0))) is None
True
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import (
    BuiltinMethodType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
)
from typing import Any, Final, get_args

import numpy as np

from yota_ast.frontend.heap.has_attribute import modelled
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Closure,
    Either,
    MethodOf,
    Partial,
    Value,
    candidates,
    is_literal_value,
)
from yota_ast.ir.abstract_values import EITHER_BOOL, NUMBER, Fact
from yota_ast.ir.atoms import Const
from yota_ast.ops import info
from yota_ast.ops.dtypes.complex_powers import ABOUT_COMPLEX
from yota_ast.ops.spellings import BY_SIGN, SIGN_OF
from yota_ast.support.value_classes import Labelled
from yota_ast.syntax import parse_expr, print_expr
from yota_ast.syntax.value_literals import literal_text

_BINDING: Final[dict[Callable[..., Any], int]] = {
    **{BY_SIGN[sign].fn: 1 for sign in "+-"},
    **{BY_SIGN[sign].fn: 2 for sign in ("*", "/", "//", "%")},
}
"""How tightly the signs bind that are written most."""
MAX_SIZE: Final = 1 << 16
MAX_TEXT: Final = 4000
"""How many characters a value may be spelled with; beyond that it is a number."""
_EXACT: Final[dict[str, type]] = {
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "str": str,
    "none": type(None),
}
_SEQUENCES: Final[dict[str, type]] = {"tuple": tuple, "list": list, "dict": dict}


def fold(fn: Callable[..., Any], operands: Sequence[Const]) -> Const | None:
    """An operator applied to literals, or None where it raises or would be large."""
    values = [c.value for c in operands]
    if fn is operator.pow and _large_power(values):
        return None
    if fn is operator.lshift or (fn is operator.mul and _large_repeat(values)):
        return None
    try:
        value = fn(*values)
    except Exception:  # noqa: BLE001  (the text raises it when it runs)
        return None
    if not is_literal_value(value):
        return None
    if isinstance(value, (float, complex)) and fn in SIGN_OF:
        parts = tuple(_without_names(c) for c in operands)
        text = _spelling(fn, parts)
        return Const(value) if text is None else Const(value, text, "", (fn, parts))
    return Const(value)


def text_of_class(fn: object, operands: Sequence[object]) -> Const | None:
    """The text of a class of Python or NumPy, `str(type(x))`, which is always one.

    >>> text_of_class(str, [Const(float)]).value
    "<class 'float'>"
    """
    one = operands[0] if len(operands) == 1 else None
    cls: Any = one.value if isinstance(one, Const) and fn in (str, repr) else None
    named = type(cls) is type and cls.__module__ in ("builtins", "numpy")
    return Const(str(cls)) if named else None


def _large_power(values: Sequence[Any]) -> bool:
    base, exponent = values
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        return exponent * max(abs(base), 2).bit_length() > MAX_SIZE
    return False


def _large_repeat(values: Sequence[Any]) -> bool:
    sizes = [len(v) for v in values if isinstance(v, (str, bytes, tuple))]
    counts = [v for v in values if isinstance(v, int)]
    return bool(sizes and counts) and sizes[0] * max(counts[0], 0) > MAX_SIZE


def _spelling(fn: Callable[..., Any], operands: Sequence[Const]) -> str | None:
    """How the user wrote it: `1 / 3`; a signed number needs no spelling."""
    if len(operands) == 1 and operands[0].text is None:
        return None
    texts = [
        f"({literal_text(c.value) if c.text is None else c.text})" for c in operands
    ]
    if any(isinstance(c.value, float) and not math.isfinite(c.value) for c in operands):
        return None
    text = SIGN_OF[fn] + texts[0] if len(texts) == 1 else f" {SIGN_OF[fn]} ".join(texts)
    if len(text) > MAX_TEXT:
        return None
    return _joined(fn, operands) or print_expr(parse_expr(text))


def _joined(fn: Callable[..., Any], operands: Sequence[Const]) -> str | None:
    """The same of numbers without a sign, and of what is made of such: the texts as
    they are, which need no parsing."""
    binding, parts = _BINDING.get(fn), []
    for on_right, operand in enumerate(operands):
        text = operand.text or str(literal_text(operand.value))
        if operand.made is not None:
            inner = _BINDING.get(operand.made[0])
        else:
            inner = 3 if text[0].isdigit() and "+" not in text else None  # 1e+22
        if binding is None or inner is None:
            return None
        parts.append(f"({text})" if inner < binding + on_right else text)
    return f" {SIGN_OF[fn]} ".join(parts)


def _without_names(const: Const) -> Const:
    """A literal as it is written; a closure's object by its value."""
    named = const.text is not None and const.made is None
    return Const(const.value) if named else const


def told_by(fn: Callable[..., Any], fact: Fact) -> Any:
    """What a question about a value's kind or axes gives, where facts prove it; else
    None.

    >>> from yota_ast.ir.abstract_values import FLOAT
    >>> told_by(np.ndim, FLOAT), told_by(np.shape, FLOAT), told_by(np.exp, FLOAT)
    (0, (), None)
    """
    if fn is np.isscalar:
        if fact.kind in (*_EXACT, "scalar", "array"):
            return fact.kind not in ("array", "none")
        return None
    if not info(fn).tells or not fact.is_numeric:
        return None
    if fn in ABOUT_COMPLEX:
        if not fact.is_python and (fact.kind == "real" or fact.dtype is None):
            return None
        return fact.is_complex is (fn is np.iscomplexobj)
    if fn is np.ndim or fact.rank is None:
        return fact.rank
    answers = {np.iterable: fact.rank > 0, np.shape: (), np.size: 1}
    return answers.get(fn) if fact.rank == 0 or fn is np.iterable else None


def is_type(value: object) -> bool:
    """Whether a value is a type of NumPy's numbers, or one that stands for such."""
    if isinstance(value, np.dtype):
        return True
    kinds = (np.generic, float, int, complex)
    return isinstance(value, type) and issubclass(value, kinds)


def is_member(const: Const) -> bool:
    """Whether a constant is a member of an enumeration, compared as Python compares it,
    by a name that nothing sets anew: `Mode.FAST`, or one of the standard library's."""
    member = const.value
    if not isinstance(member, Enum) or isinstance(type(member).__eq__, FunctionType):
        return False
    if not const.home or const.home.partition(".")[0] in sys.stdlib_module_names:
        return True
    return f".{const.text}".endswith(f".{type(member).__name__}.{member.name}")


def type_of(fact: Fact) -> type | None:
    """The type of a value, where the fact proves it."""
    if fact == EITHER_BOOL:  # a bool, or one of NumPy's
        return None
    if fact.kind in _EXACT:
        return _EXACT[fact.kind]
    if fact.kind == "scalar" and fact.dtype is not None:
        return fact.dtype.type
    if fact.kind == "array":
        return fact.cls or np.ndarray
    if fact.kind in _SEQUENCES:
        return fact.cls or _SEQUENCES[fact.kind]
    if fact.cls in (BaseException, object):
        return None  # an error of any class, an object in one case of several
    if fact.kind in ("object", "other", "model"):
        return fact.cls
    return None


def has_method(fact: Fact, name: str) -> bool:
    """Whether an attribute of a value is surely one that can be called, and no field.

    >>> has_method(Fact("list"), "append"), has_method(Fact("other"), "flag")
    (True, False)
    """
    cls = type_of(fact)
    return cls is not None and callable(getattr(cls, name, None))


def class_of_function(value: Value, fact: Callable[[Value], Fact]) -> type | None:
    """The class of a function or a method that exists while lowering alone; None of
    anything else. fact: what is known of a value."""
    if isinstance(value, Closure):
        return FunctionType
    if isinstance(value, Bound):
        function = value.function
        plain = isinstance(function, Const) and isinstance(function.value, FunctionType)
        return MethodType if plain or isinstance(function, Closure) else None
    if isinstance(value, Partial):  # what stands for itemgetter has no name
        named = not isinstance(value.function, Const) or value.function.text is not None
        return functools.partial if named else None
    if isinstance(value, MethodOf) and has_method(fact(value.owner), value.name):
        owner = type_of(fact(value.owner))
        found = inspect.getattr_static(owner, value.name)
        return BuiltinMethodType if isinstance(found, MethodDescriptorType) else None
    if isinstance(value, Either):
        found = {class_of_function(one, fact) for one in candidates(value)}
        return found.pop() if len(found) == 1 else None
    return None


def classes_in(given: Any) -> Iterator[type]:
    """The classes that isinstance is given.

    >>> list(classes_in((int, (float | list, str))))
    [<class 'int'>, <class 'float'>, <class 'list'>, <class 'str'>]
    """
    parts = given if isinstance(given, tuple) else get_args(given)
    if isinstance(given, type) or not parts:
        yield given
    else:
        for part in parts:
            yield from classes_in(part)


def is_instance(fact: Fact, classes: object) -> bool | None:
    """isinstance(value, classes), where the fact proves the answer."""
    cls = type_of(fact)
    if cls is Labelled:  # which stands for classes of which no more is known
        return None
    if cls is not None:
        own, cls = cls, modelled(cls)
        if fact.cls is not None and _is_said_by_objects(cls):
            return None
        try:  # nobody but its own methods can ask for a class of ours
            return issubclass(cls, classes) or issubclass(own, classes)  # type: ignore[arg-type]
        except TypeError:
            return None
    if fact.kind == "real":
        possible, others = _classes_of_real(fact)
        flat = classes if isinstance(classes, tuple) else (classes,)
        if not any(_may_be(p, c) for c in flat for p in (*possible, *others)):
            return False
        if all(
            any(issubclass(p, c) for c in flat if isinstance(c, type)) for p in possible
        ):
            return True
    return None


def handing_on(cls: type | None) -> str:
    """What to pass in the place of an object of a class."""
    if cls is None or modelled(cls) is cls:
        return "Pass or return its fields."
    found: str | None = getattr(cls, "__yota_ast_handed_on__", None)
    return found or "Pass or return a list: list(x)."


def _is_said_by_objects(cls: type) -> bool:
    """Whether the objects of a class say themselves of which class they are."""
    return any("__class__" in vars(base) for base in cls.__mro__[:-1])


def _classes_of_real(fact: Fact) -> tuple[tuple[type, ...], tuple[type, ...]]:
    """The classes of which a number or array is of which no more is known: the usual
    ones, and those of which it may be as well."""
    if fact.dtype is not None and fact.dtype.kind == "b":
        return (bool, np.bool_, np.ndarray), ()
    others: tuple[type, ...] = (int, bool)
    if fact == NUMBER or fact.is_complex:
        others = (int, bool, np.bool_, np.integer)
    if fact.is_complex:
        others = (*others, complex, np.complexfloating)
    return (float, np.floating, np.ndarray), others


def _may_be(cls: type, wanted: object) -> bool:
    """Whether an instance of a class, or of a subclass of it, may be one of another."""
    if not isinstance(wanted, type):
        return True
    try:
        return issubclass(cls, wanted) or issubclass(wanted, cls)
    except TypeError:
        return True


def is_none(fact: Fact) -> bool | None:
    """`value is None`, where the fact proves the answer."""
    if fact.kind == "none":
        return True
    return None if fact.kind == "unknown" else False
