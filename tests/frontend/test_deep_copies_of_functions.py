"""Deep copies of methods and partials are of the copies, and of what holds itself."""

import copy
from functools import partial
from types import SimpleNamespace

import pytest

from .checking import check


class Box:
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2

    def plus(self, k):
        return self.a + k


def a_method_of_itself(x):
    box = Box(x)
    box.called = box.area
    other = copy.deepcopy(box)
    other.a = 5 * x
    return other.called() + 7 * box.called()


def a_method_in_a_list(x):
    box = Box(x)
    first, second = copy.deepcopy([box.area, {"box": box}])
    second["box"].a = 5 * x
    return first() + 7 * box.area()


def a_partial(x):
    box, row = Box(x), [x]
    box.called = partial(box.plus, k=x)
    box.summed = partial(sum, row)
    other, shallow = copy.deepcopy(box), copy.copy(box.summed)
    other.a = 5 * x
    row.append(3.0)
    return other.called() + 7 * box.called() + other.summed() * shallow()


def a_method_of_a_list(x):
    row = [x]
    held = SimpleNamespace(row=row, append=row.append)
    other = copy.deepcopy(held)
    other.append(5 * x)
    return sum(row) + 7 * sum(other.row)


def what_holds_itself(x):
    box, inner = Box(x), Box(2 * x)
    box.inner, inner.outer = inner, box
    other = copy.deepcopy(box)
    other.a = 5 * x
    return other.inner.outer.a + 7 * other.inner.a + 11 * box.a


OUTSIDE = Box(2.0)
OUTSIDE.called = OUTSIDE.area
OUTSIDE.bound = partial(Box.plus, OUTSIDE, 1.0)


def of_a_global(x):
    other = copy.deepcopy(OUTSIDE)
    other.a = 3 * x
    return other.called() * other.bound() * OUTSIDE.called()


@pytest.mark.parametrize(
    "fn",
    [
        a_method_of_itself, a_method_in_a_list, a_partial, a_method_of_a_list,
        what_holds_itself, of_a_global,
    ],
)  # fmt: skip
def test_copied(fn):
    check(fn, 0.7)
