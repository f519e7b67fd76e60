"""np.r_ and np.c_ of numbers, lists and tuples: the value and its gradient."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 1.2, 2.0])


def of_a_list(abc):
    a, b, c = np.r_[abc]
    return a * b + c**2


def of_whole_numbers(x):
    return np.sum(np.r_[1, 0, 2] * x)


def of_numbers(x):
    q = np.r_[x[0], 2, x[1]]
    return q @ q


def of_lists_and_tuples(x):
    q = np.r_[x[0], 1, [2.0, x[1]], (3, x[2])]
    return np.sum(q * q)


def of_a_nested_list(x):
    q = np.r_[[[x[0], 1], [2.0, x[1]]]]
    return np.sum(q @ q)


def of_a_tuple_of_its_own(x):
    parts = (x[0], x[1] * 2)
    return np.r_[parts] @ np.r_[x[1], 1]


def columns_of_lists(x):
    return np.sum(np.c_[[x[0], 1.0], [2, x[1]]] ** 2)


PROGRAMS = [
    (of_a_list, X),
    (of_a_list, [1.0, 2.0, 3.0]),
    (of_whole_numbers, X),
    (of_numbers, X),
    (of_lists_and_tuples, X),
    (of_a_nested_list, X),
    (of_a_tuple_of_its_own, X),
    (columns_of_lists, X),
]


@pytest.mark.parametrize(("fn", "x"), PROGRAMS)
def test_joiner(fn, x):
    val, _ = ya.grad(fn, x)
    assert type(val) is type(fn(x))
    assert val == fn(x)
    assert ya.gradcheck(fn, x)


def stores_in_whole_numbers(x):
    q = np.r_[1, 2]
    q[0] = x
    return q[0] * x


def test_whole_numbers_stay_whole():
    val, g = ya.grad(stores_in_whole_numbers, 1.3)
    assert (val, g[0]) == (1.3, 1.0)


def with_a_narrow_number(x):
    return np.sum(np.r_[x, np.float32(2)])


def test_numbers_of_another_type_are_refused():
    with pytest.raises(ya.UnsupportedCall, match=r"np\.r_"):
        ya.grad(with_a_narrow_number, 1.3)
