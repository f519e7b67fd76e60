"""Calls of helpers, closures, functions as values, comprehensions."""

import copy
import dataclasses
import functools
import itertools
import math
import operator

import numpy as np
import pytest

import yota_ast as ya
from tests.frontend.lowering import check
from yota_ast.errors import UnsupportedCall

r = np.random.default_rng(0)


def helper(x, a=2.0, *rest, k=1.0, **kw):
    s = x * a * k
    for r_ in rest:
        s = s + r_
    return s + kw.get("z", 0.0)


def factory(k):
    def f(x):
        return x * k

    return f


triple = factory(3.0)


def deco(f):
    @functools.wraps(f)
    def wrapper(*a, **k):
        return 2 * f(*a, **k)

    return wrapper


@deco
def decorated(x, y):
    z = x * y
    return z + 1


def calls(x):
    args = (1.0, 2.0)
    return helper(x) + helper(x, 3.0) + helper(x, *args, k=x, z=x) + helper(x, k=3.0)


def nesteddef(x):
    c = x * 2

    def f(t):
        return t * c

    g = lambda t: t + c
    c = c + 1
    return f(x) + g(x)


def usefac(x):
    return triple(x) + factory(2.0)(x)


def passed(x):
    def apply(f, v):
        return f(v)

    return apply(math.sin, x) + apply(lambda t: t * x, x)


def mapred(x):
    a = sum(map(lambda t: t * x, [1.0, 2.0]))
    b = functools.reduce(lambda u, v: u * v, [x, x, 2.0])
    p = functools.partial(helper, a=3.0)
    return a + b + p(x, k=2.0) + sum(i * x for i in range(4) if i % 2)


def usedeco(x):
    return decorated(x, y=3.0)


def nonl(x):
    t = 0.0

    def add(v):
        nonlocal t
        t = t + v

    add(x)
    add(2 * x)
    for i in range(3):
        add(x * i)
    return t


def comp(x):
    a = [x * i for i in range(3)]
    b = [u * v for u in a for v in (1.0, 2.0) if v > 1]
    d = {k: x * k for k in (1, 2)}
    return sum(a) + sum(b) + d[2] + len(a)


def nestlist(ws, x):
    for W, b in ws:
        x = np.tanh(x @ W + b)
    return x.sum()


def retstruct(x):
    return {"a": [x, x * 2], "b": (x, None)}


CASES = [
    (calls, False, [(1.5,)]),
    (nesteddef, False, [(1.5,)]),
    (usefac, False, [(1.5,)]),
    (passed, False, [(1.5,)]),
    (mapred, False, [(1.5,)]),
    (usedeco, False, [(1.5,)]),
    (nonl, False, [(1.5,)]),
    (comp, False, [(1.5,)]),
    (
        nestlist,
        True,
        [([(r.normal(size=(2, 2)), r.normal(size=2))] * 2, r.normal(size=2))],
    ),
    (retstruct, False, [(1.5,)]),
]


@pytest.mark.parametrize(
    ("fn", "only_known", "cases"), CASES, ids=lambda p: getattr(p, "__name__", None)
)
def test_tape_does_what_the_function_does(fn, only_known, cases):
    check(fn, *cases, known=(True,) if only_known else (True, False))


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (len, ()), (sum, ()), (all, ()), (any, ()), (callable, ()), (iter, ()),
        (next, ()), (map, ()), (filter, ()), (getattr, (1.0,)), (hasattr, (1.0,)),
        (setattr, (1.0,)), (isinstance, (1.0,)), (isinstance, (1.0, int, float)),
        (slice, ()), (functools.reduce, (sum,)), (itertools.starmap, (sum,)),
        (itertools.islice, ((1.0,),)), (operator.getitem, ((1.0,),)), (copy.copy, ()),
        (copy.deepcopy, ()), (dataclasses.replace, ()), (dataclasses.asdict, ()),
        (dataclasses.astuple, ()), (itertools.accumulate, ()), (itertools.pairwise, ()),
        (itertools.combinations, ()), (itertools.permutations, ()),
        (itertools.combinations_with_replacement, ()),
    ],
)  # fmt: skip
def test_what_lowering_calls_itself_is_given_as_much_as_it_takes(fn, args):
    def called(x):
        y = fn(*args)
        return x if y is None else 2.0 * x

    with pytest.raises(TypeError):
        called(1.0)
    with pytest.raises(UnsupportedCall, match="too few or too many arguments"):
        ya.simplegrad(called, 1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: itertools.combinations([x]), lambda x: itertools.islice([x], -1),
        lambda x: itertools.repeat(x, None),
    ],
)  # fmt: skip
def test_an_iterator_that_cannot_be_made(call):
    def f(x):
        return sum(call(x), 2.0 * x)

    with pytest.raises(UnsupportedCall, match=r"raises (Type|Value)Error"):
        ya.simplegrad(f, 1.0)
