"""Writes to what the caller sees, spelled in other words, and aliases of dicts."""

# ruff: noqa: B010

import numpy as np
import pytest

import yota_ast as ya


class Box:
    def __init__(self):
        self.s = 1.5
        self.items = [1.0]
        self.table = {"q": 2.0}

    def put(self, value):
        super().__setattr__("s", value)


BOX = Box()
TABLE = {"k": 2.0, "rows": [1.0, 2.0], "array": np.array([1.0, 2.0])}
ROWS = [[1.0], [2.0]]


def by_the_base(b, o):
    object.__setattr__(o, "s", b)
    return o.s * b


def by_super(b, o):
    o.put(b)
    return o.s * b


def by_the_method(b, o):
    o.__setattr__("s", b * 2)
    return o.s * b


def by_setattr(b, o):
    setattr(o, "s", b * 3)
    return o.s * b


def attributes_in_place(b, o):
    o.items += [b]
    o.table |= {"q": b}
    return sum(o.items) * o.table["q"]


def a_dict(b, d):
    e = d
    e |= {"k": b}
    d["z"] = e["k"] * 2
    return d["k"] * b + e["z"]


def a_list(b, xs):
    ys = xs
    ys += [b]
    ys *= 2
    xs[0] = b
    return sum(ys) * len(xs)


def a_set(b, s):
    s &= {1, 2}
    s -= {1}
    return b * len(s)


@pytest.mark.parametrize(
    ("fn", "made"),
    [
        (a_set, lambda: {1, 2, 3}),
        (by_the_base, Box),
        (by_super, Box),
        (by_the_method, Box),
        (by_setattr, Box),
        (attributes_in_place, Box),
        (a_dict, lambda: {"k": 1.0}),
        (a_list, lambda: [1.0, 2.0]),
    ],
)
def test_the_caller_sees_what_is_written(fn, made):
    mine, plain = made(), made()
    value, _ = ya.grad(fn, 0.4, mine, wrt="b")
    assert value == fn(0.4, plain)
    assert getattr(mine, "__dict__", mine) == getattr(plain, "__dict__", plain)
    report = ya.gradcheck(fn, 0.4, made(), wrt="b")
    assert report, str(report)


def under_two_names(b, c):
    d = {"a": b}
    e = d
    d |= {"a": c, "z": b}
    return e["a"] * e["z"] * len(e)


def in_a_loop(b, c):
    d = {"a": b}
    e = [d]
    for _ in range(3):
        d |= {"a": d["a"] * c}
    return e[0]["a"]


def in_a_function(b, c):
    d = {"a": b}

    def join(q):
        q |= {"a": c * b}

    join(d)
    return d["a"]


def in_one_arm(b, c):
    d = {"a": b}
    if b > 0.5:
        d |= {"a": c}
    return d["a"] * b


def read_as_items(b, c):
    return vars(BOX)["s"] * b + BOX.__dict__["s"] * c


@pytest.mark.parametrize(
    "fn", [under_two_names, in_a_loop, in_a_function, in_one_arm, read_as_items]
)
@pytest.mark.parametrize("args", [(0.9, 0.4), (0.3, 0.4)])
def test_dicts_are_joined_in_place(fn, args):
    value, _ = ya.grad(fn, *args)
    assert value == fn(*args)
    report = ya.gradcheck(fn, *args)
    assert report, str(report)


def an_array_of_a_copy(b):
    rows = TABLE.copy()
    rows["array"][0] = 7.0
    return sum(TABLE["array"]) * b


def a_row_of_a_copy(b):
    rows = ROWS.copy()
    rows[0][0] = 7.0
    return ROWS[0][0] * b


def attributes_as_items(b):
    vars(BOX)["s"] = 4.0
    return BOX.s * b


def of_the_class(b):
    type.__setattr__(Box, "rate", 4.0)
    return BOX.s * b


@pytest.mark.parametrize(
    "fn",
    [
        an_array_of_a_copy,
        a_row_of_a_copy,
        attributes_as_items,
        of_the_class,
    ],
)
def test_what_is_outside_stays_as_it_is(fn):
    with pytest.raises((ya.UnsupportedSyntax, ya.UnsupportedCall)):
        ya.grad(fn, 0.4)
