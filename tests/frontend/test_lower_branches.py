"""Branches, early returns, raise, with and try."""

import math

import numpy as np
import pytest

from tests.frontend.lowering import check

r = np.random.default_rng(0)


def price(q, p, kind):
    if q <= 0:
        return 0.0
    if kind == "bulk":
        rate = 0.9 - 0.001 * q
        cost = p * q * rate
    elif kind == "member":
        cost = p * q * 0.95
    else:
        cost = p * q
    if kind == "bulk":
        cost = cost + 5.0 * rate**2
    return cost * cost


def friction(re, eps, mode="auto", limit=None):
    if limit is None:
        limit = 2300.0
    if mode == "laminar" or (mode == "auto" and re < limit):
        return 64.0 / re
    arg = eps / 3.7 + 5.74 / re**0.9
    a = math.log10(arg)
    f = 0.25 / (a * a)
    return f * (1 + 0.5 * eps)


def guard(x):
    if x < 0:
        raise ValueError("neg")
    assert x < 10, "big"
    return math.sqrt(x)


def werr(x):
    with np.errstate(divide="ignore"):
        y = np.log(x)
        if y.ndim > 1:
            return y
    return y * 2


def try1(x, lim):
    try:
        return math.exp(x)
    except:
        return lim


def try2(x, y):
    r = 0.0
    try:
        r = x / y
    except (ZeroDivisionError, ValueError) as e:
        pass
    except OverflowError:
        r = 1.0
    else:
        r = r + 1
    finally:
        z = x * 2
    return r + z


def try3(re, eps):
    try:
        arg = eps / 3.7 + 5.74 / re**0.9
        a = math.log10(arg)
        f = 0.25 / (a * a)
    except (ValueError, ZeroDivisionError):
        f = 0.02 * re**-0.1
    return f * (1 + 0.5 * eps)


def try5(x):
    for i in range(3):
        try:
            if x > 3:
                return x * 2
            x = math.sqrt(x - 1)
        except ValueError:
            break
    else:
        return 7.0
    return x


def reraise(x):
    try:
        y = math.log(x)
    except ValueError as e:
        if x < -5:
            raise
        raise KeyError("bad") from e
    return y


def ternlist(x, c):
    v = [x, 1.0] if c else [2 * x, 3.0]
    w = (x, 1.0) if c else (2 * x, 3.0)
    if c:
        v.append(x)
    else:
        v.append(0.0)
    return v[0] + v[1] + w[0] + v[2]


def varlen(x, c):
    v = [x]
    if c:
        v.append(x)
    return sum(v) + len(v)


CASES = [
    (
        price,
        False,
        [(2.0, 3.0, "bulk"), (2.0, 3.0, "member"), (2.0, 3.0, "x"), (-2.0, 3.0, "x")],
    ),
    (
        friction,
        False,
        [
            (1000.0, 0.1),
            (5000.0, 0.1),
            (5000.0, 0.1, "laminar"),
            (3000.0, 0.1, "auto", 4000.0),
        ],
    ),
    (guard, False, [(3.0,), (-3.0,), (30.0,)]),
    (werr, False, [(np.array([0.0, 1.0]),)]),
    (try1, False, [(1.5, 3.0), (1000.0, 3.0)]),
    (try2, False, [(1.5, 3.0), (1.5, 0.0)]),
    (try3, False, [(1.5, 3.0), (-1.5, 0.1), (10.0, -4.0)]),
    (try5, False, [(1.5,), (100.0,), (1000000000.0,), (9.0,)]),
    (reraise, False, [(1.5,), (-1.0,), (-6.0,)]),
    (ternlist, False, [(1.5, True), (1.5, False)]),
    (varlen, False, [(1.5, True), (1.5, False)]),
]


@pytest.mark.parametrize(
    ("fn", "only_known", "cases"), CASES, ids=lambda p: getattr(p, "__name__", None)
)
def test_tape_does_what_the_function_does(fn, only_known, cases):
    check(fn, *cases, known=(True,) if only_known else (True, False))
