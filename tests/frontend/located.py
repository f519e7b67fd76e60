"""Functions of all kinds, each of which is to be found in this file."""
# ruff: noqa: B018, FURB110, PLC2401, PLC3002
# fmt: off

from __future__ import annotations

import functools


def plain(x):
    """A docstring
    that no dedent survives."""
    return x * 2


def wrapper(fn):
    @functools.wraps(fn)
    def inside(*args):
        return fn(*args)

    return inside


def passing(fn):
    return fn


@wrapper
def wrapped(x):
    return x + 1


@passing
@passing
def decorated(x):
    return x - 1


def outer(a):
    def inner(x):
        return a * x

    return inner


class Layer:
    def __init__(self, w):
        self.__w = w

    def forward(self, x):
        return self.__w * x

    @staticmethod
    def twice(x):
        return 2 * x

    @classmethod
    def make(cls, w):
        return cls(w)

    @property
    def w(self):
        return (lambda: self.__w)()

    square = lambda self, x: x * x


one, two = lambda x: x + 1, lambda x: x + 2
same, again = (lambda x: x, lambda x: x)
nest = lambda x: lambda y: x + y
long = lambda x: (
    x
    + 1
)
constant, default = lambda: 1, lambda x, f=lambda: 2: x if x else f()

if True:

    def plain_twice(x):
        return 1
else:

    def plain_twice(x):
        return 2


def plain_twice(x):
    return 3


def unicode_(ß):
    return "é" + missing(ß)


def loops(x):
    y = [v for v in x if v > 0 or -0.0]
    try:
        with open(x) as f:
            return {1, 2.0} if x in {1, 2} else f
    finally:
        y
