"""`is` between lists, dicts and tuples."""

import pytest

import yota_ast as ya

from .checking import check


def two_names(x):
    a = [x]
    b, c, d = a, [x], {0: a, 1: [x]}
    return x * (2 * (a is b) + 3 * (a is c) + 5 * (d[0] is b) + 7 * (d[1] is not b))


def unlike(x):
    t, xs = (x, 1.0), [x]
    return x * (2 if t is (x, 2.0) or t is (x,) or xs is t else 3)


def in_rows(x):
    rows = [[x], [x * 2]]
    last = rows[-1]
    return sum(r[0] for r in rows if r is last) + x * any(r is x for r in rows)


@pytest.mark.parametrize("fn", [two_names, unlike, in_rows])
def test_what_is_known(fn):
    check(fn, 0.7)


def by_a_branch(x):
    a = [x]
    b = a if x > 0.5 else [x]
    return x * (2 if b is a else 3)


def by_a_swap(x):
    a, b = {"k": x}, {"k": 2.0}
    p = a
    if x > 0.5:
        a, b = b, a
    return x * (2 if p is b else 3)


def by_a_key(x, k):
    a, b = [x], [x * 2]
    return x * (2 if (a, b)[k] is b else 3)


def by_a_value(x):
    a, b = [x], [x * x]
    return x * (2 if max(a, b) is a else 3)


def by_a_truth(x):
    a = [x]
    return x * (2 if (x > 0.5 and a) is a else 3)


def in_a_loop(x, n):
    a = [x]
    b, same = a, 0
    for k in range(n):
        same += a is b
        if k == 1:
            a = [x * 2]
    return x * same


def by_an_error(x):
    a = b = [x]
    try:
        1.0 / (x - 0.7)
    except ZeroDivisionError:
        b = [x]
    return x * (2 if b is a else 3)


def tuples(x):
    t = (x, 1.0)
    return x * (2 if tuple(t) is t and t[:] is t else 3)


ASKED = [by_a_branch, by_a_swap, by_a_value, by_a_truth, by_an_error, tuples]


@pytest.mark.parametrize("fn", ASKED)
def test_what_is_not_known(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="may or may not be one object"):
        ya.grad(fn, 0.7)


@pytest.mark.parametrize("fn", [by_a_key, in_a_loop])
def test_what_the_text_knows(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="may or may not be one object"):
        ya.simplegrad(fn, wrt="x")
