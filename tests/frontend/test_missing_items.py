"""Items that there are none of, in a `try` that catches what that raises."""

import numpy as np
import pytest

import yota_ast as ya


def past_a_list(x, a):
    items = [a, 2 * a]
    try:
        s = items[2]
        a = s * 3
    except IndexError as error:
        s = a * a * len(str(error))
    return s * np.sum(x)


def past_a_tuple_of_a_helper(x, a):
    def get(items, k):
        return items[k]

    try:
        s = get((a, 2 * a), 5) * 2
    except (IndexError, KeyError) as error:
        s = a * a * len(str(error))
    return s * np.sum(x)


def not_in_a_dict(x, a):
    d = {"a": a, 1: x}
    try:
        s = d["b"]
    except KeyError as error:
        s = d["a"] * a * len(str(error))
    return s * np.sum(x)


def not_in_an_argument(x, a, K):
    try:
        s = K["q"]
    except KeyError:
        s = K["a"] * a
    return s * np.sum(x)


def past_a_list_that_is_written(x, a):
    items = [a, a * a]
    try:
        items[3] = a
    except IndexError as error:
        items[1] = a**3 * len(str(error))
    return items[1] * np.sum(x)


def nothing_to_pop(x, a):
    d = {"a": a}
    try:
        s = d.pop("b")
    except KeyError:
        s = d["a"] * a
    return s * np.sum(x)


def in_one_arm(x, a):
    items = [a, a]
    try:
        s = a * 2 if a > 0 else items[4]
    except IndexError:
        s = a**3
    return s * np.sum(x)


def in_a_loop(x, a):
    s, items = 1.0, (a, a * a)
    for _ in range(4):
        try:
            t = items[7] * 3
            s = t
        except IndexError:
            s = s * a
    return s * np.sum(x)


def caught_further_out(x, a):
    try:
        s = a * 3
        try:
            t = s * {"u": 1.0}["v"]
        except IndexError:
            t = 7.0
    except KeyError:
        t = a * 5
    return t * np.sum(x)


X = np.array([0.3, 0.7])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (past_a_list, (X, 0.4)),
        (past_a_tuple_of_a_helper, (X, 0.4)),
        (not_in_a_dict, (X, 0.4)),
        (not_in_an_argument, (X, 0.4, {"a": 0.9})),
        (past_a_list_that_is_written, (X, 0.4)),
        (nothing_to_pop, (X, 0.4)),
        (in_one_arm, (X, 0.4)),
        (in_one_arm, (X, -0.4)),
        (in_a_loop, (X, 0.4)),
        (caught_further_out, (X, 0.4)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_it_raises_where_the_function_does(f, args):
    value, _ = ya.grad(f, *args)
    assert value == f(*args)
    assert ya.gradcheck(f, *args)


def uncaught(x, a):
    items = [a, 2 * a]
    try:
        s = items[2]
    except KeyError:
        s = a
    return s * x


def test_what_nobody_catches_is_raised():
    with pytest.raises(IndexError, match="list index out of range"):
        ya.grad(uncaught, 2.0, 3.0)
