"""One function, and the ways in which a program may write it.

An operator has a function of the module `operator`, a node of the syntax tree, a sign,
a special method, a form that writes in place and, of arrays, a ufunc. Attributes and
methods of arrays are functions of NumPy.

>>> as_ufunc(operator.add), as_ufunc(abs), as_ufunc(np.exp)
(<ufunc 'add'>, <ufunc 'absolute'>, <ufunc 'exp'>)
>>> BY_NODE["Mult"].method, BY_NODE["Mult"].reflected, SIGN_OF[operator.mul]
('__mul__', '__rmul__', '*')
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.syntax.grammar import OPERATORS as GRAMMAR

Fn = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operator:
    """node: the class of its node in the syntax tree. fn: its function. method,
    reflected: its special methods. in_place: the function of `x += y`. ufunc: what it
    calls for arrays; None: none that gives the same."""

    node: str
    fn: Fn
    ufunc: np.ufunc | None = None
    reflected: str = ""
    in_place: Fn | None = None

    @property
    def sign(self) -> str:
        """How it is written: `+`."""
        return GRAMMAR[self.node][0].strip()

    @property
    def method(self) -> str:
        """The special method that an object gives it a meaning by."""
        return f"__{self.fn.__name__.strip('_')}__"


def _binary(node: str, name: str, ufunc: np.ufunc) -> Operator:
    plain = name.strip("_")
    in_place = getattr(operator, f"i{plain}")
    return Operator(node, getattr(operator, name), ufunc, f"__r{plain}__", in_place)


BINARY: Final = (
    _binary("Add", "add", np.add),
    _binary("Sub", "sub", np.subtract),
    _binary("Mult", "mul", np.multiply),
    _binary("Div", "truediv", np.true_divide),
    _binary("FloorDiv", "floordiv", np.floor_divide),
    _binary("Mod", "mod", np.remainder),
    _binary("Pow", "pow", np.power),
    _binary("MatMult", "matmul", np.matmul),
    _binary("BitAnd", "and_", np.bitwise_and),
    _binary("BitOr", "or_", np.bitwise_or),
    _binary("BitXor", "xor", np.bitwise_xor),
    _binary("LShift", "lshift", np.left_shift),
    _binary("RShift", "rshift", np.right_shift),
)
UNARY: Final = (
    Operator("USub", operator.neg, np.negative),
    Operator("UAdd", operator.pos, np.positive),
    Operator("Invert", operator.invert, np.invert),
)
ORDER: Final = (
    Operator("Lt", operator.lt, np.less, "__gt__"),
    Operator("LtE", operator.le, np.less_equal, "__ge__"),
    Operator("Gt", operator.gt, np.greater, "__lt__"),
    Operator("GtE", operator.ge, np.greater_equal, "__le__"),
)
EQUALITY: Final = (
    Operator("Eq", operator.eq, np.equal, "__eq__"),
    Operator("NotEq", operator.ne, np.not_equal, "__ne__"),
)
IDENTITY: Final = (Operator("Is", operator.is_), Operator("IsNot", operator.is_not))
COMPARING: Final = (*ORDER, *EQUALITY)
NOT: Final = Operator("Not", operator.not_)

OPERATORS: Final = (*BINARY, *UNARY, NOT, *COMPARING, *IDENTITY)
"""All operators but `and`, `or`, `in`, which are no function of their operands."""
BY_NODE: Final[Mapping[str, Operator]] = {op.node: op for op in OPERATORS}
SIGN_OF: Final[Mapping[Fn, str]] = {op.fn: op.sign for op in OPERATORS}
BY_SIGN: Final[Mapping[str, Operator]] = {op.sign: op for op in BINARY}
"""The operators of two operands that compute."""
UFUNC_OF: Final[Mapping[Fn, np.ufunc]] = {
    **{op.fn: op.ufunc for op in OPERATORS if op.ufunc is not None},
    builtins.pow: np.power,
    builtins.abs: np.absolute,
    operator.abs: np.absolute,
}
"""What computes the same of arrays as a function of Python."""
SPECIAL_METHODS: Final[Mapping[Fn, tuple[str, str]]] = {
    **{op.fn: (op.method, op.reflected) for op in (*BINARY, *COMPARING, *UNARY)},
    operator.contains: ("__contains__", ""),
    operator.getitem: ("__getitem__", ""),
}
"""The special methods of an operator: of its first operand, of its second one."""
USUAL_NAMES: Final[Mapping[str, str]] = {"absolute": "abs", "conjugate": "conj"}
"""What NumPy's functions are usually called that have another name of their own."""
NEEDED_METHODS: Final[Mapping[Fn, str]] = {
    abs: "__abs__",
    len: "__len__",
    next: "__next__",
    round: "__round__",
}
"""The special methods without which builtins take nothing."""
BUILTIN_METHODS: Final[Mapping[Fn, str]] = {
    **NEEDED_METHODS,
    bool: "__bool__",
    complex: "__complex__",
    divmod: "__divmod__",
    float: "__float__",
    int: "__int__",
    iter: "__iter__",
    reversed: "__reversed__",
}
"""The special methods by which a class gives builtins a meaning."""
WRITING_METHODS: Final[frozenset[str]] = frozenset(
    ["__setitem__", "__delitem__"]
    + [f"__{op.in_place.__name__}__" for op in BINARY if op.in_place is not None]
)
"""The special methods that write into their owner."""
SET_METHODS: Final[Mapping[Fn, str]] = {
    operator.or_: "union",
    operator.and_: "intersection",
    operator.sub: "difference",
    operator.xor: "symmetric_difference",
}
"""The methods of sets that do what operators do."""
CONVERSIONS: Final[Mapping[int, Fn]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}
"""What an f-string writes a value with, by the number in its syntax tree: `{x!r}`."""
AT: Final[Mapping[Fn, np.ufunc]] = {operator.add: np.add, operator.sub: np.subtract}
"""The ufuncs of stores that add at places which may repeat."""

ATTRIBUTES: Final[Mapping[str, Fn]] = {
    "T": np.transpose,
    "mT": np.matrix_transpose,
    "shape": np.shape,
    "ndim": np.ndim,
    "size": np.size,
    "real": np.real,
    "imag": np.imag,
}
"""The attributes of arrays that are functions of NumPy."""
METHODS: Final[Mapping[str, Fn]] = {
    name: getattr(np, name)
    for name in (
        "all any argmax argmin argsort choose clip conj conjugate cumprod cumsum"
        " diagonal dot max mean min nonzero prod ptp ravel repeat round searchsorted"
        " squeeze std sum swapaxes take trace var"
    ).split()
    if hasattr(np.ndarray, name) and hasattr(np, name)
}
"""The methods of arrays that take what the function of the same name takes behind the
array. `reshape`, `transpose` and `compress` take it otherwise; `sort` and `partition`
write."""


def spelled(names: str) -> tuple[Fn, ...]:
    """The functions of some operators in all their spellings, by their names in
    `operator`.

    >>> spelled("mul neg") == (operator.mul, np.multiply, operator.neg, np.negative)
    True
    """
    fns = operators_in_order(names)
    return tuple(f for fn in fns for f in (fn, UFUNC_OF.get(fn)) if f is not None)


def method_of(fn: object) -> str:
    """The special method by which a class gives a builtin a meaning, or "".

    >>> method_of(len), method_of(np.sin)
    ('__len__', '')
    """
    try:
        return BUILTIN_METHODS.get(fn, "")  # type: ignore[call-overload,no-any-return]
    except TypeError:  # what has no hash
        return ""


def as_ufunc(fn: object) -> object:
    """The ufunc of an operator, the function itself of all else."""
    try:
        return UFUNC_OF.get(fn, fn)  # type: ignore[call-overload]
    except TypeError:  # what has no hash
        return fn


def in_place(fn: Fn) -> Fn:
    """The function that computes in place: of `operator.add` that of `x += y`.

    >>> in_place(operator.add) is operator.iadd
    True
    """
    found = next(op.in_place for op in BINARY if op.fn is fn)
    assert found is not None
    return found


def operators(names: str) -> frozenset[Fn]:
    """The functions of some operators, by the names that `operator` has for them.

    >>> operators("add neg") == {operator.add, operator.neg}
    True
    """
    return frozenset(operators_in_order(names))


def operators_in_order(names: str) -> tuple[Fn, ...]:
    """The same, one after the other."""
    return tuple(getattr(operator, name) for name in names.split())
