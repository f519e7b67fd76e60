"""What is a number in one case and an object in another: never 0 without a word."""

import math

import numpy as np
import pytest

import yota_ast as ya


class Unit(float):
    """A number with a class of its own."""


class Missing:
    """What stands for a number that is not there."""


HALF, EDGE, MISSING = Unit(0.5), Unit(3.0), Missing()


def by_expression(x):
    c = HALF if x == EDGE else math.sin(x)
    return c * 2


def by_branch(x):
    if x == EDGE:
        c = HALF
    else:
        c = math.sin(x)
    s = (c, x)
    return s[0] * s[1]


def by_loop(x):
    c = math.sin(x)
    for _ in range(3):
        if x == EDGE:
            c = HALF
    return c * 2


def by_index(x):
    c = MISSING if x == EDGE else math.sin(x)
    t = (c, x, c)
    return (t[int(x) & 1] or 0.3) * 2


def converted(x):
    c = MISSING if x == EDGE else math.sin(x)
    return float(c) * 2


def in_a_call(x):
    c = HALF if x == EDGE else math.sin(x)
    return np.exp(c) * 2


def in_a_list(x):
    c = MISSING if x == EDGE else math.sin(x)
    return sum([c, c])


def handed_out(x):
    def pick(v):
        return MISSING if v > EDGE else v * v

    return pick(x) * 2


ALL = [
    by_expression, by_branch, by_loop, by_index, converted, in_a_call, in_a_list,
    handed_out,
]  # fmt: skip


@pytest.mark.parametrize("fn", ALL, ids=lambda fn: fn.__name__)
def test_refused(fn):
    asks = (
        lambda: ya.grad(fn, 1.2),
        lambda: ya.simplegrad(fn),
        lambda: ya.jvp(fn)(1.2, 1.0),
    )
    for ask in asks:
        with pytest.raises(
            ya.YotaError, match=r"holds an object in other cases|has no rule"
        ):
            ask()


def beside(x):
    found = MISSING if x > 3 else HALF
    return x * x if found is MISSING else 3 * x


def test_an_object_that_holds_no_number_of_the_result_is_right():
    assert ya.grad(beside, 1.2)[1]["x"] == 3.0


def sliced(x):
    found = [MISSING, x * 2, x * 3]
    return sum(map(float, found[int(x) :]))


def in_a_long_loop(x):
    total = 0.0
    for v in [MISSING if x > 5 else x * i for i in range(int(x) + 3)]:
        total += float(v)
    return total


@pytest.mark.parametrize("fn", [sliced, in_a_long_loop])
def test_containers_of_such_are_refused_as_such(fn):
    with pytest.raises(ya.YotaError, match="a variable that holds an object in"):
        ya.grad(fn, 1.2)
