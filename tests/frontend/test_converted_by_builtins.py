"""float, int, len and `in` of objects: what the class gives is converted, or raises."""

import numpy as np
import pytest

from .checking import check


class Number:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value

    def __int__(self):
        return self.value

    def __len__(self):
        return self.value


class Holds:
    def __init__(self, answer):
        self.answer = answer

    def __contains__(self, key):
        return self.answer


class Within:
    def __init__(self, values):
        self.values = values

    def __contains__(self, key):
        return np.any(self.values == key)


class Said:
    def __init__(self, answer):
        self.answer = answer

    def __bool__(self):
        return self.answer


def plain_division(x):
    try:
        return x / float(Number(np.float64(0.0)))
    except ZeroDivisionError:
        return 5.0 * x


def plain_float(x):
    value = float(Number(np.exp(x)))
    return value * x if type(value) is float else x


def plain_int(x):
    return x * 5.0 if type(int(Number(True))) is int else x


def plain_length(x):
    return x * 5.0 if type(len(Number(True))) is int else x


def no_float(x):
    try:
        return float(Number(3)) * x
    except TypeError:
        return 5.0 * x


def no_int(x):
    try:
        return int(Number(2.5)) * x
    except TypeError:
        return 5.0 * x


def no_length(x):
    try:
        return len(Number(-1)) * x
    except ValueError:
        return 5.0 * x


def no_truth(x):
    try:
        return x if Said(1) else 2.0 * x
    except TypeError:
        return 5.0 * x


def truth_of_a_number(x):
    return (1.0 in Holds(5.0)) * x + (1.0 in Holds(0.0)) + (1.0 not in Holds(x)) * x


def truth_that_is_a_bool(x):
    return x if (1.0 in Holds(1)) is True and (1.0 in Holds([x])) is True else 5.0 * x


def truth_computed(x):
    return (1.0 in Holds(x * 3.0)) * x


def sum_of_truths(x):
    return x * sum(1.0 in each for each in (Holds(4.0), Holds(x), Holds(None)))


@pytest.mark.filterwarnings("ignore:.*__ returned non-:DeprecationWarning")
@pytest.mark.parametrize(
    "fn",
    [
        plain_division,
        plain_float,
        plain_int,
        plain_length,
        no_float,
        no_int,
        no_length,
        no_truth,
        truth_of_a_number,
        truth_that_is_a_bool,
        truth_computed,
        sum_of_truths,
    ],
)
def test_what_python_makes_of_it(fn):
    check(fn, 0.7)


def truth_of_numpy(v):
    return v[0] * 3.0 if (9.0 in Within(v)) is False else v[0]


def test_truth_of_numpy():
    check(truth_of_numpy, np.array([0.3, 1.2]))
