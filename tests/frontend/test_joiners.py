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


def a_row_of_numbers(x):
    return np.sum(np.vstack((np.c_[x[0], 2, -x[1]], np.c_[[x]] ** 2)) ** 3)


def of_a_number_of_either_type(x):
    w = 1.0 - 0.1 * x @ x
    w = 0 if w < 0 else np.sqrt(w)
    return np.sum(np.r_[w, x] ** 3)


PROGRAMS = [
    (of_a_number_of_either_type, X),
    (of_a_number_of_either_type, 3 * X),
    (a_row_of_numbers, X),
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


def columns_of_three_axes(x):
    y = np.reshape(x, (3, 1, 1))
    return np.c_[np.zeros((3, 1, 1)), y]


def columns_of_blocks(x):
    y = x[:, np.newaxis, np.newaxis] * np.ones((3, 2, 2))
    return np.c_[y, y[..., :1] ** 2]


def rows_of_blocks(x):
    y = x[:, np.newaxis, np.newaxis] * np.ones((3, 2, 2))
    return np.r_[y, y[:1] ** 2]


@pytest.mark.parametrize(
    "fn", [columns_of_three_axes, columns_of_blocks, rows_of_blocks]
)
def test_columns_are_joined_along_the_last_axis(fn):
    seed = np.arange(np.size(fn(X))).reshape(fn(X).shape) + 0.5
    val, _ = ya.grad(fn, X, seed=seed)
    assert np.array_equal(val, fn(X))
    assert ya.gradcheck(fn, X)


def columns_of_different_ranks(x):
    return np.c_[np.ones((3, 1, 1)), x]


def test_columns_that_numpy_does_not_join_are_refused():
    with pytest.raises(ya.UnsupportedCall, match=r"np\.c_"):
        ya.grad(columns_of_different_ranks, X)
