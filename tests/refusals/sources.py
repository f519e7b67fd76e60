# ruff: noqa: PYI024
"""Functions whose text cannot be had."""

import importlib._bootstrap as bootstrap
import operator
import types
from collections import namedtuple
from dataclasses import dataclass
from functools import partial

import numpy as np

import yota_ast as ya

from .cases import refused as _refused
from .groups import SOURCE

refused = partial(_refused, group=SOURCE)
asked = partial(refused, ask=lambda program, _: program())
"""A program that asks for a gradient itself, of what has no text to point at."""
FILE = __file__


def compiled(source, filename, line=1):
    """The function that a source defines, said to stand in a file."""
    space = {}
    exec(compile("\n" * (line - 1) + source, filename, "exec"), space)
    return next(v for v in space.values() if isinstance(v, types.FunctionType))


def without_columns(fn):
    """A function as Python makes it where it keeps no columns."""
    code = fn.__code__
    left, table = len(code.co_code) // 2, bytearray()
    while left:
        units = min(left, 8)
        table += bytes([0x80 | (13 << 3) | (units - 1), 0])
        left -= units
    code = code.replace(co_linetable=bytes(table))
    return types.FunctionType(code, globals(), closure=fn.__closure__)


SQUARE = "def square(x):\n    return x * x\n"
executed = compiled(SQUARE, "<string>")
typed = compiled(SQUARE, "<stdin>")
timed = compiled(SQUARE, "<magic-timeit>")
gone = compiled(SQUARE, "/nowhere/gone.py")
frozen = bootstrap._verbose_message


def edited(x):
    return x * x


as_it_was = compiled(
    "def edited(x):\n    return x * 3\n", FILE, edited.__code__.co_firstlineno
)


def lines(slope):
    return (lambda x: x * slope), (lambda x: x + slope)


one_of_two = without_columns(lines(2.0)[0])


@refused("The gradient is made from the source, and there is none.", 2.0)
def calls_what_was_executed(x):
    return executed(x)


@refused("The gradient is made from the source, and there is none.", 2.0)
def calls_what_was_typed(x):
    return typed(x)


@refused("The gradient is made from the source, and there is none.", 2.0)
def calls_what_was_timed(x):
    return timed(x)


@refused("The gradient is made from the source, and there is none.", 2.0)
def calls_what_is_frozen(x):
    return frozen("x", x)


@refused("The gradient is made from the source, and there is none.", 2.0)
def calls_what_cannot_be_read(x):
    return gone(x)


@refused("The gradient would be that of another function.", 2.0)
def calls_what_was_edited(x):
    return as_it_was(x)


@refused("The gradient would perhaps be that of the other one.", 2.0)
def calls_one_of_two_lambdas(x):
    return one_of_two(x)


@dataclass
class Point:
    x: float


Pair = namedtuple("Pair", "a b")


@refused("Its source is generated, and thrown away.", Point(1.0), 2.0)
def starts_a_dataclass_again(p, x):
    Point.__init__(p, x * x)
    return p.x


@refused("Its source is generated, and thrown away.", 2.0)
def builds_a_namedtuple_by_hand(x):
    return Pair.__new__(Pair, x, x).a


@asked("A class has several methods, each with a gradient of its own.")
def differentiates_a_class():
    return ya.simplegrad(Point)


@asked("The gradient is made from the source, and there is none.")
def differentiates_a_ufunc():
    return ya.simplegrad(np.frompyfunc(edited, 1, 1))


@asked("What it does with arrays is followed at a call, where its arguments are known.")
def differentiates_an_object_of_vectorize():
    return ya.simplegrad(np.vectorize(edited))


@asked("The gradient is made from the source, and there is none.")
def differentiates_a_builtin():
    return ya.simplegrad(operator.itemgetter(0))


class Compiled:
    __call__ = operator.methodcaller("sum")

    def __init__(self, f):
        self.__name__, self.py_func = f.__name__, f


@asked("The wrapper may change what the function does.")
def differentiates_a_dispatcher():
    return ya.simplegrad(Compiled(edited))


class Proxy:
    __class__ = property(lambda self: types.FunctionType)

    def __init__(self, f):
        self.__wrapped__ = f

    def __call__(self, x):
        return 2 * self.__wrapped__(x)


@asked("The wrapper may change what the function does.")
def differentiates_a_proxy():
    return ya.simplegrad(Proxy(edited))


@asked("Only a function has a gradient.")
def differentiates_a_number():
    return ya.simplegrad(3.0)
