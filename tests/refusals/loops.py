# ruff: noqa: TRY301
"""Loops, iterators, handlers and contexts that are refused."""

import itertools
import math
import warnings
from functools import partial

import numpy as np

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import LOOP

refused = partial(_refused, group=LOOP)
X = np.array([1.0, 2.0, 3.0])


@refused("Only the run decides if the set holds the name.", 2.0)
def adds_to_a_set_in_a_loop(x: float):
    seen = set()
    while x > 1:
        seen.add("large")
        x = x / 2
    return 2 * x if "large" in seen else x


@refused("Python raises an error where the lengths differ, and they are unknown.", X, X)
def zips_strictly_at_times(x, y):
    total = 0.0
    for v, w in zip(x, y, strict=x[0] > 0):
        total = total + v * w
    return total


@refused("An iterator has no length, and a view of a dict has no positions.", 2.0)
def asks_an_iterator_for_its_length(x: float):
    doubled = map(lambda v: 2 * v, [x, 3.0])
    return len(doubled) * x


@refused("The item may be a view of the array, which changes.", known=False)
def writes_rows_in_general(m, x):
    y = m * 1.0
    for row, v in zip(y, x, strict=False):
        row *= v
    return y.sum()


@refused("Such a list has no end: it contains itself.", 2.0, 40)
def nests_a_list_in_itself(x, n):
    items = []
    for _ in range(n):
        items.append(items)
    return x * len(items)


@refused("Generated code would have a statement for each.", 2.0)
def goes_through_too_many_pairs(x):
    return sum(x * u * v for u, v in itertools.product(range(100), range(100)))


class TooLargeError(ValueError):
    def __init__(self, value):
        super().__init__("too large")
        self.value = value


@refused("A derivative does not follow errors.", 2.0)
def reads_a_number_from_an_error(x):
    try:
        if x > 1:
            raise TooLargeError(x * x)
        y = x
    except TooLargeError as error:
        y = error.value
    return y


class Counter:
    def __init__(self):
        self.count = 0

    def counted(self, x):
        self.count += 1
        return x


@refused("`any` stops at the first true item, and later items are never computed.", X)
def asks_for_items_that_change_something(x):
    c = Counter()
    found = any(c.counted(v) > 1 for v in x)
    return x[0] * c.count if found else x[1]


@refused("The first element would be counted twice.", X)
def applies_to_elements_what_changes_something(x):
    c = Counter()
    return np.sum(np.vectorize(c.counted)(x)) * c.count


@refused("The items of one place depend on those that the other has taken.", X)
def takes_from_one_iterator_twice(x):
    items = iter([x[0], x[1], x[2], x[0]])
    return sum(u * v for u, v in zip(items, items, strict=True))


@refused("The number of items is known only when the function runs.", X)
def iterates_over_a_selection(x):
    items = iter(x[x > 1])
    return next(items) * 2.0


@refused("It has no end, and its items have no derivative.", X)
def goes_round_for_ever(x):
    total = 0.0
    for v in itertools.cycle(x):
        total = total + v
        if total > 5:
            break
    return total


@refused("The derivative depends on how far the loop came before the error.", 2.0)
def reads_what_a_try_left(x):
    y = x
    try:
        for k in range(3):
            y = y * math.log(x - k)
    except ValueError as error:
        warnings.warn(str(error), stacklevel=2)
    return y + x


@refused("A part of it may be written when the error comes.", X, 3)
def fills_an_array_within_try(x, n):
    y = x * 1.0
    try:
        for k in range(n):
            y[k] = math.sqrt(x[k] - 1.5)
    except ValueError as error:
        warnings.warn(str(error), stacklevel=2)
    return y.sum()


class Leaves:
    def __exit__(self, *_):
        pass


@refused(PYTHON_RAISES, 2.0)
def enters_what_cannot_be_entered(x):
    with Leaves():
        return x * x
