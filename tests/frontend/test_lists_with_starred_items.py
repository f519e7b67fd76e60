"""`[a, *b]` where it is unknown how many items b has: as `[a] + list(b)`."""

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode

P, V = np.array([0.4, 1.3, 0.7]), np.array([0.3, -0.7, 0.4])


def positive(x):
    return x[x > 0.5]


def behind_a_number(x):
    q = np.array([x[0], *positive(x)])
    return np.sum(q**3) * x[1]


def between_numbers(x):
    q = np.array([x[0], *positive(x), 2.0, x[1] * x[2]])
    return np.sum(q**3)


def two_of_them(x):
    q = [*positive(x), x[0], *np.sqrt(positive(x) + 1)]
    s = 0.0
    for k, e in enumerate(q):
        s += (k + 1) * e**2
    return s


def rows(x):
    m = np.outer(x, x)[x > 0.5]
    q = [x, *m]
    return sum(np.sum(r**2) for r in q)


def known_beside_unknown(x):
    pair = (x[1], 2.0)
    q = [*pair, *positive(x), *pair]
    return sum(e * e for e in q) * x[0]


def in_a_loop(x):
    y = x
    for k in range(3):
        y = np.array([x[k], *y[y > 0.1]])
    return np.sum(y**2 * np.sin(y))


def in_one_arm(x):
    if x[0] < 1.0:
        q = np.array([x[0] ** 2, *positive(x)])
    else:
        q = x
    return np.sum(q**3)


def after_an_overwrite(x):
    y = np.array(x)
    y *= 2.0
    q = [1.0, *y[y > 0.9]]
    y[:] = 0.0
    return np.sum(np.array(q) ** 3) + np.sum(y * x)


def of_nothing(x):
    q = [x[0] ** 2, *x[x > 10.0]]
    return sum(q)


def given_by_another(x):
    def doubled(y):
        return [y[0], *(2.0 * y[y > 0.5])]

    return np.sum(np.array(doubled(x)) ** 2) + doubled(x)[-1] ** 2


@pytest.mark.parametrize(
    "fn",
    [
        behind_a_number, between_numbers, two_of_them, rows, known_beside_unknown,
        in_a_loop, in_one_arm, after_an_overwrite, of_nothing, given_by_another,
    ],
)  # fmt: skip
def test_items_of_unknown_number(fn):
    check_every_mode(fn, P, V)


def arrays_of_several_ranks(x):
    given = [np.outer(x, x), x, x[None]]
    total = 0.0
    for k in range(3):
        for j, d in enumerate([*given[:k], given[k] * 2, *given[k + 1 :]]):
            if j != k:
                total += np.sum(np.sin(d)) * k
    return total


def test_lists_of_other_arrays_are_taken_apart():
    check_every_mode(arrays_of_several_ranks, P, V)


def test_the_code_serves_other_numbers_of_items():
    made = ya.simplegrad(behind_a_number, P)
    for p in (V, np.array([3.0, 1.0, 2.0])):
        val, dx = made(p)
        assert val == behind_a_number(p)
        np.testing.assert_allclose(dx, ya.grad(behind_a_number, p)[1][0])


def items_in_order(x, names):
    left = list(names)
    q = [left.pop(), *left, len(left)]
    return x * q[-1] * len(q[0])


def test_items_are_evaluated_in_order():
    names = ["a", "bcd", "ef"]
    assert ya.grad(items_in_order, 2.0, names)[0] == items_in_order(2.0, names) == 8.0
