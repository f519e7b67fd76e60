"""yield from: its value is what the generator returns; and dicts item by item."""

import numpy as np
import pytest

from .checking import check


def scaled(x):
    yield x
    return 5.0 * x


def returned(x):
    r = yield from scaled(x)
    yield r * x


def handed_on(x):
    r = yield from scaled(x)
    return r * x


def through_two(x):
    r = yield from handed_on(x)
    yield r


def twice_at_once(x):
    yield (yield from scaled(x)) * (yield from scaled(2.0 * x))


def of_each_pass(x):
    for k in range(3):
        r = yield from scaled(x * k)
        yield r * x


def of_a_list(x):
    r = yield from [x, 2.0 * x]
    yield x if r is None else 9.0 * x


def of_a_generator_held(x):
    made = scaled(x)
    r = yield from made
    yield r * x


class Steps:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        return self.x * 4.0


def of_an_object(x):
    r = yield from Steps(x)
    yield r * x


@pytest.mark.parametrize(
    "generator",
    [
        returned,
        through_two,
        twice_at_once,
        of_each_pass,
        of_a_list,
        of_a_generator_held,
        of_an_object,
    ],
)
def test_yield_from_gives_what_is_returned(generator):
    def total(x):
        return sum(generator(x))

    check(total, 0.7)


def each_of(v):
    yield from v
    return len(v) * 2.0


def of_an_array(v):
    r = yield from each_of(v)
    yield r * v[0]


def looped_over(v):
    total = 0.0
    for t in of_an_array(v):
        total = total * 0.5 + t * t
    return total


def test_of_items_of_an_array():
    check(looped_over, np.array([0.3, 1.2, -0.5]))


class Notes:
    def __init__(self):
        self.total = 0.0

    def add(self, k):
        self.total = self.total * 10.0 + k
        return k

    def more(self, k):
        self.add(k)
        return {"more": k}


def written_out(x):
    notes = Notes()
    made = {
        notes.add(1): notes.add(2) * x,
        **notes.more(3),
        notes.add(4): notes.add(5),
    }
    return notes.total * x + made[1] + made["more"]


def test_a_key_is_computed_before_its_value():
    check(written_out, 0.7)
