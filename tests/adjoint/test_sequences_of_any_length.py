"""Tuples and lists of which no text knows the length: what is made of them is right."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, 2.5, 1.4])


def terms(x, u=1.5, v=2.0):
    return tuple(q * u / v**i for i, q in enumerate(x))


def of_a_list(x):
    return tuple([q * q for q in x])


def of_those_that_fit(x):
    return tuple(q * q for q in x if q > 1), tuple(x[x > 1] * 2)


def of_what_runs_over_lists(x):
    squares = [q * q for q in x]
    pairs = tuple(zip(squares, x)), list(zip(x, squares))
    return tuple(reversed(squares)), list(reversed(squares)), pairs


def numbered(x):
    found = [q * q for q in x]
    return list(enumerate(found)), tuple(enumerate(x * x))


def sorted_ones(x):
    return tuple(sorted(q * w for q in x for w in x)), tuple(map(np.sin, x))


def of_tuples(x):
    return tuple(tuple(q * w for q in x) for w in x), tuple((q, q * q) for q in x)


def of_rows(x):
    rows = tuple(q * x for q in x)
    return np.stack(rows), np.hstack(rows), np.sum(rows[0]) * rows[-1]


def used(x):
    t = terms(x)
    total = t[0] * t[-1] + max(t) + sum(t) + len(t) + np.sum(np.array(t) ** 2)
    for k, q in enumerate(t):
        total += k * q * q
    return total


def unpacked(x):
    a, b, c = tuple(q * q for q in x)
    return a * b + c


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        t = tuple(k * q * q for q in x)
        total += sum(t) * t[0]
    return total, t


def in_an_arm(x):
    t = terms(x) if x[0] > 0.1 else terms(x * 2)
    if x[1] > 2:
        t = terms(x * x)
    return t


def before_the_list_changes(x):
    xs = [q * 2 for q in x]
    t = tuple(xs)
    xs[0] = 5.0
    xs.append(x[0])
    return sum(t) * sum(xs) + t[0] * xs[0]


def of_a_list_that_grows(x):
    xs, total = [], 0.5
    for q in x:
        xs.append(q * total)
        t = tuple(xs)
        total = total + sum(t) * t[-1]
    return total, t


def one_list_twice(x):
    t = [q * 2 for q in x]
    u = t + t
    return u, u[0] * sum(u), terms(x) + terms(x)


def one_tuple_twice(x):
    t = terms(x)
    return t + t


def lists_of_the_last_iteration(x):
    total = 0.0
    for k in range(3):
        t = [q * k for q in x]
        longer = [k * total] * 2
        longer = t + longer
        part = t[:-1]
        total += sum(longer) * k
    return total, longer, part


@pytest.mark.parametrize("passes", ["none", "all"])
@pytest.mark.parametrize(
    "f",
    [terms, of_a_list, of_those_that_fit, of_what_runs_over_lists, numbered,
     sorted_ones, of_tuples, of_rows, used, unpacked, in_a_loop, in_an_arm,
     before_the_list_changes, of_a_list_that_grows, one_list_twice, one_tuple_twice,
     lists_of_the_last_iteration],
)  # fmt: skip
def test_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, X)


def test_the_value_is_a_tuple():
    value, dx = ya.grad(terms, X, seed=(1.0, 1.0, 1.0))
    assert type(value) is tuple
    np.testing.assert_allclose(dx[0], 1.5 / 2.0 ** np.arange(3))


def test_what_a_tuple_holds_is_not_read_after_a_write():
    def f(x):
        rows = np.outer(x, x)
        t = tuple(q for q in rows)
        rows[0, 1] = 5.0
        return np.sum(t[0])

    with pytest.raises(ya.UnsupportedSyntax, match="`t` may share memory"):
        ya.grad(f, X)
