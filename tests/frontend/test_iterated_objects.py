"""Objects of classes with `__iter__`: what takes items takes theirs."""

import itertools
import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Held:
    """Gives an iterator over what it holds."""

    def __init__(self, *items):
        self.items = list(items)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


class Squares:
    """A generator function as `__iter__`."""

    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item * item


class Countdown:
    """An iterator of its own."""

    def __init__(self, count, step):
        self.count = count
        self.step = step

    def __iter__(self):
        return self

    def __next__(self):
        self.count -= 1
        return self.count * self.step


def summed(b, c):
    return sum(Held(b, c, b * c)) * sum(Squares(b, c), c)


def unpacked(b, c):
    x, y = Held(b, c)
    z, *rest = Squares(x, y, b * c)
    return x * y * z * rest[0] + rest[1]


def paired(b, c):
    pairs = zip(Held(b, c), Squares(c, b), strict=True)
    return sum(i * x * y for i, (x, y) in enumerate(pairs, 1))


def numbered(b, c):
    held = dict(enumerate(Held(b, c)))
    return held[1] * b + sum(i * x for i, x in enumerate(Squares(b, c)))


def extreme(b, c):
    low, high = sorted(Held(c, b))
    return max(Held(b, c)) * min(Squares(b, c)) + low * high * high


def listed(b, c):
    rows = np.array([*Held(b, c), *list(Squares(b, c))])
    return rows.prod() * math.prod(Held(b, c)) + math.fsum(tuple(Squares(b, c)))


def given_to_a_function(b, c):
    def product(x, y):
        return x * y

    return product(*Squares(b, c)) + sum(map(lambda v: v * b, Held(b, c)))


def added_to_a_list(b, c):
    held = [b]
    held.extend(Held(c, b))
    held += Squares(b)
    held[1:2] = Held(c, c)
    return sum(v * i for i, v in enumerate(held))


def taken_one_by_one(b, c):
    first = next(iter(Held(b, c)))
    down = Countdown(3, b)
    return first * next(down) * next(down) * c


def chained(b, c):
    every = itertools.chain(Held(b, c), Squares(c))
    return sum(v * w for v, w in zip(every, [1.0, 2.0, 3.0], strict=True))


def asked(b, c):
    return (b if any(v > 1.0 for v in Held(b, c)) else c) * len(Held(b, c))


FUNCTIONS = [
    summed, unpacked, paired, numbered, extreme, listed, given_to_a_function,
    added_to_a_list, taken_one_by_one, chained, asked,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_their_items_are_taken(fn):
    check(fn, 0.9, 2.0)


def changed_before_it_is_read(b, c):
    held = Held(b, c)
    pairs = zip(held, [1.0, 2.0], strict=True)
    held.items[0] = c
    return sum(x * y for x, y in pairs)


def test_an_object_that_changes_before_it_is_read():
    with pytest.raises(ya.UnsupportedSyntax, match="has changed since it was made"):
        ya.grad(changed_before_it_is_read, 0.9, 2.0)


class Ordered(Held):
    """Is compared by its last item, and runs over all."""

    def __lt__(self, other):
        return self.items[-1] < other.items[-1]

    def __gt__(self, other):
        return self.items[-1] > other.items[-1]


def the_larger_of_two(b, c):
    return sum(max(Ordered(b, c), Ordered(5.0 * c, b)))


def test_the_larger_of_two_objects_is_not_that_of_their_items():
    with pytest.raises(ya.UnsupportedSyntax, match="is passed on or returned"):
        ya.grad(the_larger_of_two, 0.9, 2.0)
