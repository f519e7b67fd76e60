"""`try: xs.append(f(x))`: what is put in may raise, and then nothing has changed."""

from __future__ import annotations

import math

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.6, 1.3, 0.9])


class Box:
    def __init__(self, x):
        self.x = x
        self.log = [x]


class Guarded(Box):
    @property
    def y(self):
        return self.x

    @y.setter
    def y(self, value):
        self.x = value
        self.log.append(math.log(value))


def appended(V, n):
    out = []
    for v in V:
        try:
            out.append(math.log(v - n))
        except ValueError:
            out.append(v * v)
    return sum(out) * out[0]


def appended_known(V, n):
    out = [V[2]]
    other = out
    try:
        y = math.log(V[0] - n)
        out.append(y * V[1])
    except ValueError:
        out.append(V[1])
        out[0] *= 2.0
    return sum(other)


def left_alone_by_the_handler(V, n):
    out = []
    for v in V:
        try:
            if v > 1.0 + n:
                raise ValueError  # noqa: TRY301
            out.append(v * v)
        except ValueError:
            continue
    return sum(out) + len(out)


def an_item_of_a_dict(V, n):
    d = {"n": 0, "a": V[1], "b": 1.0}
    try:
        d["a"] = math.log(V[0] - n)
        d["n"] += 1
        d["a"] *= V[2]
    except ValueError:
        d["b"] = d["a"] * V[1]
    return sum(d.values())


def an_item_of_a_list(V, n):
    out = [0.0] * 3
    for i in range(3):
        try:
            out[i] = math.sqrt(V[i] - n)
            out[i] *= V[0]
        except ValueError:
            out[i] = V[i] * out[i - 1]
    return sum(out) * V[0]


def a_field(V, n):
    box = Box(V[0])
    same = box
    try:
        box.x = math.log(V[1] - n)
        box.x += V[2]
        box.log.append(box.x)
    except ValueError:
        same.log.append(V[2])
    return same.x * sum(same.log)


def read_in_else_and_finally(V, n):
    out = []
    for v in V:
        try:
            out.append(math.sqrt(v - n))
        except ValueError:
            last = v
        else:
            last = out[-1] * 2.0
        finally:
            total = sum(out) + last
    return total * last


def out_of_range(V, n):
    out = [V[0], V[1]]
    for i in range(3):
        try:
            out[i] = V[i] * 2.0
        except IndexError:
            out.append(V[i])
    return sum(out) * out[-1]


def in_a_try_within(V, n):
    out = []
    for v in V:
        try:
            try:
                out.append(math.log(v - n))
            except ZeroDivisionError:
                out.append(0.0)
            out.append(1.0 / (len(out) - 2))
        except (ValueError, ZeroDivisionError):
            out.append(v)
    return sum(out)


FOLLOWED = [
    appended, appended_known, left_alone_by_the_handler, an_item_of_a_dict,
    an_item_of_a_list, a_field, read_in_else_and_finally, in_a_try_within,
]  # fmt: skip


@pytest.mark.parametrize("n", [0, 0.8, 2.0])
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", FOLLOWED)
def test_nothing_is_changed_where_the_value_raises(f, passes, n, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.grad(f, V, n)[0] == f(V, n)
    found = ya.gradcheck(f, V, n)
    assert found, str(found)


def changed_by_the_value(V, n):
    out = [V[0]]

    def grown():
        out.append(V[1])
        return math.log(V[0] - n)

    try:
        out.append(grown())
    except ValueError:
        pass
    return sum(out)


def another_by_the_value(V, n):
    out = [V[0]]
    old = out

    def other():
        nonlocal out
        out = [V[1], V[2]]
        return math.log(V[0] + n)

    try:
        out.append(other())
    except ValueError:
        pass
    return sum(out) * 2.0 + sum(old)


def a_key_by_the_value(V, n):
    out, i = [v * v for v in V], 0
    try:
        out[i] += (i := 2) * math.log(V[2] + n)
    except ValueError:
        pass
    return out[0] * 2.0 + out[2]


def a_key_by_a_function(V, n):
    out, i = [v * v for v in V], 0

    def moved():
        nonlocal i
        i = 2
        return math.log(V[2] + n)

    try:
        out[i] += moved()
    except ValueError:
        pass
    return out[0] * 2.0 + out[2]


def changed_by_a_property(V, n):
    box = Guarded(V[0])
    try:
        box.y = V[1] - n
    except ValueError:
        pass
    return box.x * sum(box.log)


@pytest.mark.parametrize(
    "f",
    [
        changed_by_the_value, another_by_the_value, a_key_by_the_value,
        a_key_by_a_function,
        changed_by_a_property, out_of_range,
    ],
)  # fmt: skip
def test_what_may_be_half_changed_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax, match=r"the body of `try`|list"):
        ya.grad(f, V, 2.0)


def test_the_text_says_it_once():
    text = ya.simplegrad(appended, V, 0.8).source
    assert text.count("# out.append(math.log(v - n))") == 1
