"""Functions made inside a function and given to a table: called as they are."""

import functools

import numpy as np
import pandas as pd
import pytest

import yota_ast as ya

from .every_mode import check_every_mode, slopes

RNG = np.random.default_rng(8)
FRAME = pd.DataFrame({"x": RNG.random(6), "y": RNG.random(6), "g": list("aabbcc")})
P = np.array([0.3, 0.2])
V = np.array([1.0, -0.5])


def apart(p, values):
    return np.sum((values.to_numpy() - p[0]) ** 2) * p[1]


def squares(p):
    return apart(p, FRAME.x.apply(lambda v: v**2))


def rows(p):
    return apart(p, FRAME.apply(lambda r: r["x"] * r.y + len(r.g), axis=1))


def captures(p):
    c = len(p) * 2.0
    return apart(p, FRAME.x.apply(lambda v: c * v))


def in_a_loop(p):
    total = 0.0
    for i in range(3):
        total = total + apart(p, FRAME.x.apply(lambda v: v * i))
    return total


def in_one_another(p):
    inner = FRAME.groupby("g").apply(
        lambda t: t.x.apply(lambda v: v - t.x.mean()).max()
    )
    return apart(p, inner)


def branches(p):
    def clipped(v):
        if v > 0.5:
            return 0.5
        return v

    return apart(p, FRAME.x.map(clipped))


def scaled(v, k):
    return v * k


def bound_arguments(p):
    return apart(p, FRAME.x.map(functools.partial(scaled, k=3.0)))


def defaults(p):
    twice = FRAME.x.apply(lambda v, c=2.0: v * c)
    thrice = FRAME.x.apply(lambda v, c=2.0: v * c, c=3.0)
    more = FRAME.x.apply(lambda v, c=2.0: v * c, args=(4.0,))
    return apart(p, twice) + apart(p, thrice) + apart(p, more)


def in_a_dict(p):
    table = FRAME.groupby("g").agg({"x": "mean", "y": lambda s: s.max() - s.min()})
    return apart(p, table.y)


def of_a_number(p):
    return p[0] ** 2 * float(FRAME.pipe(lambda t: t.x.sum()))


def as_a_key(p):
    total = 0.0
    for _, t in sorted(FRAME.groupby("g"), key=lambda pair: pair[0]):
        total = total + apart(p, t.x)
    return total


RIGHT = (
    squares, rows, captures, in_a_loop, in_one_another, branches, bound_arguments,
    defaults, in_a_dict, of_a_number, as_a_key,
)  # fmt: skip


@pytest.mark.parametrize("fn", RIGHT)
def test_every_mode(fn):
    check_every_mode(fn, P, V)


def test_it_is_written_as_the_user_wrote_it():
    source = ya.grad(squares, P)[1].source
    assert "FRAME.x.apply(lambda v: v**2)" in source


def holds_an_active_value(p):
    return FRAME.x.apply(lambda v: p[0] * v).sum()


def gives_an_unknown_value(p):
    return p[0] * FRAME.pipe(lambda t: t.x.sum())


@pytest.mark.parametrize(
    ("fn", "remedy"),
    [
        (holds_an_active_value, "Give its numbers: s.to_numpy() of pandas and xarray"),
        (gives_an_unknown_value, "Give its numbers: float(value) of a number"),
    ],
)
def test_a_differentiated_value_is_refused(fn, remedy):
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        ya.grad(fn, P)
    first, *_, last = str(caught.value).splitlines()
    assert first.startswith(f"{__file__}:")
    assert "a differentiated value is combined with a table" in first
    assert last.startswith(remedy)


def fills_a_list(p):
    found = []
    FRAME.x.apply(lambda v: found.append(v))
    return p[0] * len(found)


def takes_any_number(p):
    return apart(p, FRAME.x.apply(lambda *values: values[0]))


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (fills_a_list, "given to a table, changes something outside itself"),
        (takes_any_number, r"a function given to a table takes `\*args`"),
    ],
)
def test_what_is_not_followed_is_refused(fn, reason):
    with pytest.raises(ya.UnsupportedCall, match=reason):
        ya.grad(fn, P)


def test_a_series_is_put_in_order_by_place_and_not_by_label():
    def lowest(p):
        found = sorted(FRAME[FRAME.x > 0.2].x.sort_values(ascending=False))
        return found[0] * p[0] ** 2 + found[-1] * p[1]

    np.testing.assert_allclose(ya.grad(lowest, P)[1]["p"], slopes(lowest, P), atol=1e-6)
