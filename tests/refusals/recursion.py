"""Functions that call themselves, or each other too deep, that are refused."""

from functools import partial

import numpy as np

from .cases import refused as _refused
from .groups import LOOP

refused = partial(_refused, group=LOOP)
X = np.array([1.0, 2.0, 3.0])
SCALE = 2.0


def grow(x, n):
    if n == 0:
        return x
    return np.exp(0.1 * grow(x, n - 1))


@refused("The reverse sweep of the calls reads what they returned.", X, 20)
def writes_into_what_calls_returned(x, n):
    z = grow(x * 1.0, n)
    z[0] = 5.0
    return np.sum(z * x)


def scaled(x, n):
    global SCALE
    if n == 0:
        return x * SCALE
    SCALE = 3.0
    y = scaled(x, n - 1) * x
    SCALE = 2.0
    return y


@refused("One generated function serves all calls, and reads the global.", 2.0, 3)
def recurses_while_a_global_is_another(x, n):
    return scaled(x, n)


class Counter:
    def __init__(self):
        self.total = np.zeros(3)

    def add(self, x, n):
        if n > 0:
            self.total[0] += x
            self.add(x, n - 1)


@refused(
    "One generated function serves all calls: it may not change values outside it.",
    2.0,
    3,
)
def recurses_over_an_array_of_an_object(x, n):
    counter = Counter()
    counter.add(x, n)
    return counter.total.sum()


@refused("It may be a number or an array.", known=False)
def recurses_over_what_may_be_an_array(x, n):
    y = x * 2

    def add(n):
        if n > 0:
            add(n - 1)
            z = y
            z += 1.0

    add(n)
    return np.sum(y)


class Deep:
    """A module of functions of which each calls the one before."""

    def get_source(self, _name):
        return "def deep0(x):\n    return x * x\n" + "".join(
            f"def deep{k}(x):\n    return deep{k - 1}(x) * 1.0\n" for k in range(1, 70)
        )


DEEP = {"__name__": "deep", "__loader__": Deep()}
exec(compile(Deep().get_source("deep"), "deep.py", "exec"), DEEP)
deepest = DEEP["deep69"]


@refused("The compiler sees no end of so many nested calls.", 2.0)
def calls_too_deep(x):
    return deepest(x)
