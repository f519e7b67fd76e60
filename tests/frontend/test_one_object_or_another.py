"""A name that stands for one object or another: by a branch, a loop or a key."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .checking import check

V = np.array([0.3, 1.2, -0.5, 2.0])


class Line:
    def __init__(self, a, b):
        self.a, self.b = a, b
        self.log = []

    def cost(self, x):
        return self.a * x + np.sin(self.b)

    def step(self, t):
        self.a = self.a * t
        return self

    def add(self, t):
        self.log.append(t)

    @property
    def double(self):
        return 2 * self.a


class Parabola(Line):
    def cost(self, x):
        return self.a * x * x

    def __bool__(self):
        return self.a > 1


@dataclass
class Box:
    a: float
    b: float = 2.0

    def area(self):
        return self.a * self.b


class Node:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


FIRST, SECOND, THIRD = Line(1.5, 0.3), Line(0.5, 0.9), Parabola(0.7, 0.1)
LINES = [FIRST, SECOND, Line(0.2, 0.3), THIRD]
BY_NAME = {"first": FIRST, "third": THIRD}
BOX = Box(0.5, 0.3)
CHAIN = Node(1.0, Node(2.0, Node(3.0)))


def made_here(x, y):
    a, b = Line(x, y), Line(y, x)
    o = a if x > 0.5 else b
    return o.cost(y) + o.double


def of_two_classes(x, y):
    a, b = Line(x, y), Parabola(y, x)
    if x > y:
        o = a
    else:
        o = b
    return o.cost(y) + o.a + (1 if o else 2)


def found_outside(x, y):
    return (FIRST if x > y else SECOND).cost(x) * y


def of_two_classes_outside(x, y):
    o = FIRST if x > y else THIRD
    return o.cost(x) * y


def chosen(x):
    if x > 1:
        return FIRST
    if x < 0:
        return THIRD
    return None


def none_of_them(x, y):
    o = chosen(x)
    p = chosen(y)
    return (o.cost(x) if o is not None else x) + p.cost(y)


def written_by_two_names(x, y):
    a, b = Line(x, y), Line(y, x)
    o = a if x > 0.5 else b
    o.a = 3 * x
    a.b = a.b + y
    o.step(y)
    return a.a * a.b + b.a * o.b


def lists_in_them(x, y):
    a, b = Line(x, y), Line(y, x)
    o = a if x > y else b
    o.add(x)
    return len(a.log) * x + len(b.log) * y


def the_same(x, y):
    a, b = Line(x, y), Line(y, x)
    o = a if x > 0.5 else b
    return o.a if o is a else o.b * y


def as_a_field(x, y):
    a, b, holder = Box(x, y), Box(y, x), Line(x, y)
    holder.current = a
    if x < y:
        holder.current = b
    holder.current.a = 5 * x
    return a.a + b.a * holder.current.b


def asked_what_they_are(x, y):
    a, b = Box(x, y), Line(y, x)
    o = a if x > 0.5 else b
    if isinstance(o, Line):
        return o.cost(x)
    return o.area() * (y if hasattr(o, "log") else x)


def made_in_one_arm(x, y):
    a = Box(x, y)
    o = Box(y, 3 * x) if x < y else a
    o.a = 11 * y
    return o.area() + a.area()


def fits_a_pattern(x, y):
    a, b = Box(x, y), Box(y, x)
    o = a if x > 0.5 else b
    match o:
        case Box(a=t, b=u):
            return t * u + t
    return x


def asked_what_they_have(x, y):
    a, b = Box(x, y), Box(y, x)
    a.c = 5 * x
    o = a if x > 0.5 else b
    has = 2 if hasattr(o, "a") else 3
    return x * has * (5 if callable(o) else 7) + getattr(o, "c", y) * x


def _made_of(t, x):
    if t > 1:
        return Box(t, x)
    if t > 0:
        return Line(t, x)
    return None


def of_two_classes_or_none(x, y):
    o = _made_of(y - x, x)
    if o is None:
        return x * y
    return o.area() if isinstance(o, Box) else o.cost(y)


def made_or_there(x, y):
    a = Parabola(y, x)
    o = a or Parabola(5.0, 2.0)
    p = a and Parabola(7.0, 3.0)
    return o.a * x + p.b * y


def by_several_branches(x, y):
    if x > 1:
        o = Box(x, y)
    elif x > 0:
        o = Box(y, x)
    else:
        o = None
    return o.area() if o else x * y


def by_a_test_that_is_written(x, y):
    flag = np.array([x > y])
    a, b = Box(x, y), Box(y, x)
    o = a if flag[0] else b
    flag[0] = not flag[0]
    o.a = 7 * x
    return a.a + b.a * o.b


@pytest.mark.parametrize(
    "fn",
    [
        made_here, of_two_classes, found_outside, of_two_classes_outside, none_of_them,
        written_by_two_names, lists_in_them, the_same, as_a_field, asked_what_they_are,
        made_in_one_arm, by_a_test_that_is_written, fits_a_pattern,
        asked_what_they_have, of_two_classes_or_none, by_several_branches,
        made_or_there,
    ],
)  # fmt: skip
@pytest.mark.parametrize("at", [(0.7, 1.3), (1.7, 1.3), (-0.4, -0.9)])
def test_of_a_branch_it_is_the_object_that_was_chosen(fn, at):
    try:
        fn(*at)
    except AttributeError as error:
        with pytest.raises(AttributeError, match=str(error)):
            ya.grad(fn, *at)
    else:
        check(fn, *at)


def kept_of_two(v, x):
    o, total = FIRST, 0.0
    for t in v:
        total += o.cost(t)
        o = THIRD if t > x else SECOND
    return total


def stepped(v, x):
    a, b = Line(1.5, x), Parabola(0.5, x)
    total = 0.0
    for t in v:
        o = a if t > 0.4 else b
        o.step(t)
        total += o.a * t + a.b
    return total + a.a * b.a


def exchanged(v, x):
    a, b, k = Box(x, 2.0), Box(3.0, x), 0
    while k < len(v):
        a, b = b, a
        a.b = a.b + v[k]
        k += 1
    return a.area() + 2 * b.area()


def with_its_cost(v, x):
    best, a, b = (math.inf, None), Box(x, 1.0), Box(2.0, x)
    for t in v:
        for o in (a, b):
            cost = (o.area() - t) ** 2
            if cost < best[0]:
                best = (cost, o)
    return best[0] * best[1].a


def in_turn(v, x):
    a, b, c = Box(x, 1.0), Box(2.0, x), Box(x * x, x)
    current = a
    for t in v:
        current = b if current is a else c if current is b else a
        current.a = current.a + t * x
    return a.a + 2 * b.a + 3 * c.a + current.b


def assigned_within(v, x):
    for k in range(len(v)):
        o = FIRST if v[k] > x else SECOND
    return o.a * v[0] * x


def chain_outside(v, x):
    node, total = CHAIN, 0.0
    while node:
        total = total * x + node.value * v[0]
        node = node.after
    return total


def chain_made_here(v, x):
    node, total = Node(x, Node(v[1], Node(x * v[2]))), 0.0
    while node is not None:
        total += node.value * x
        node = node.after
    return total


def best_that_is_made(v, x):
    best = None
    for k in range(len(v)):
        box = Box(v[k], x + k)
        if best is None or box.area() < best.area():
            best = box
        box.a = box.a * 2
    return best.area() * best.a


def made_or_from_before(v, x):
    best = BOX
    for t in v:
        box = Box(t * x, t)
        if box.area() > best.area():
            best = box
    return best.area() * x


def none_is_made(v, x):
    best = None
    for t in v:
        box = Box(t, x)
        if t > 100:
            best = box
    return x * v[0] if best is None else best.area()


def _first_above(v, least, x):
    for t in v:
        if t > least:
            return Box(t, x)
    return None


def made_where_it_is_left(v, x):
    total, none = 0.0, _first_above(v, 50.0, x)
    for t in v:
        box = _first_above(v, t, x)
        if box is not None:
            total += box.area() * t
    return total + (x if none is None else none.a)


def found_where_it_is_left(v, x):
    def line(least):
        for k in range(len(v)):
            if v[k] > least:
                return FIRST
            if v[k] < -0.4:
                return SECOND
        return THIRD

    return line(1.0).cost(x) * v[0] + line(10.0).cost(v[1])


def best_of_the_best(v, x):
    top = None
    for t in v:
        best = None
        for u in v:
            box = Box(u * t, x)
            if best is None or box.a > best.a:
                best = box
        if top is None or best.area() > top.area():
            top = best
    return top.area() * top.a


def the_last_one(v, x):
    last, total = None, 0.0
    for t in v:
        box = Box(t, x)
        if last is not None:
            total += last.a * box.area()
        last = box
    return total


@pytest.mark.parametrize(
    "fn",
    [
        kept_of_two, stepped, exchanged, with_its_cost, in_turn, assigned_within,
        chain_outside, chain_made_here, best_that_is_made, made_or_from_before,
        none_is_made, the_last_one, best_of_the_best, made_where_it_is_left,
        found_where_it_is_left,
    ],
)  # fmt: skip
def test_a_loop_carries_which_it_is(fn):
    check(fn, V, 0.7)


def least(v, x):
    lines = [Line(x, 1.0), Parabola(v[1], x), Line(x * v[1], x)]
    best = min(lines, key=lambda line: line.cost(x))
    best.a = best.a * v[0]
    return sum(line.cost(x) for line in lines)


def least_outside(v, x):
    return min(LINES, key=lambda line: line.cost(x)).cost(v[0] * x)


def in_order(v, x):
    total = 0.0
    for k, line in enumerate(sorted(LINES, key=lambda line: line.a)):
        total += (k + 1) * line.cost(x) * v[0]
    return total


def by_index(v, x):
    boxes = [Box(x, 1.0), Box(2.0, x), Box(3.0, x)]
    total = 0.0
    for k in range(len(v)):
        box = boxes[k % 3 - 1]
        total += box.area() * v[k]
        box.a = box.a + v[k]
    return total


def by_name(v, x):
    name = "first" if x > v[0] else "third"
    return BY_NAME[name].cost(x) * v[0]


def past_the_end(v, x):
    return LINES[int(4 + v[0])].cost(x)


@pytest.mark.parametrize("fn", [least, least_outside, in_order, by_index, by_name])
def test_a_key_says_which_it_is(fn):
    check(fn, V, 0.7)


def test_an_index_past_the_end_raises():
    with pytest.raises(IndexError):
        ya.grad(past_the_end, V, 0.7)


def first_number(v, x):
    return next(t * x for t in (0.1, 0.5, 0.9) if t > x)


def first_pair(v, x):
    total = 0.0
    for t in v:
        low, high = next(((a, b) for a, b in zip(v, 2 * v) if a > t), (9.0, 1.0))
        total += low * t + high * x
    return total


def first_of_several(v, x):
    return next(a * b * x for a in v for b in (0.1, 0.5) if a * b > 0.5)


def no_further(v, x):
    return next(t for t in v if 1 / (t - 1.2) < 0) * x


def first_object(v, x):
    box = next((b for b in (Box(v[0], x), Box(v[1], x)) if b.a > x), None)
    return box.area() if box else x


def no_object(v, x):
    box = next((b for b in (Box(v[0], x), Box(v[1], x)) if b.a > 10), None)
    return box.area() if box is not None else x * v[0]


def nothing_left(v, x):
    return next(t for t in v if t > 10) * x


@pytest.mark.parametrize(
    "fn",
    [first_number, first_pair, first_of_several, no_further, first_object, no_object],
)
def test_next_takes_no_more_than_python(fn):
    check(fn, V, 0.7)


def test_next_of_nothing_raises():
    with pytest.raises(StopIteration):
        ya.grad(nothing_left, V, 0.7)


def written_after_the_loop(v, x):
    best = None
    for t in v:
        box = Box(t, x)
        if best is None or box.a > best.a:
            best = box
    best.a = 3 * x
    return best.area()


def of_objects_that_hold_lists(v, x):
    best = FIRST
    for t in v:
        line = Line(t * x, t)
        if line.cost(x) > best.cost(x):
            best = line
    return best.cost(x)


def test_what_holds_lists_has_no_stand_in():
    with pytest.raises(UnsupportedSyntax, match="this loop replaces"):
        ya.grad(of_objects_that_hold_lists, V, 0.7)


def the_two_best(v, x):
    best, second = None, None
    for t in v:
        box = Box(t, x)
        if best is None or box.a > best.a:
            second = best
            best = box
    return best.area() + second.area()


def test_what_stands_in_has_no_other_name():
    with pytest.raises(UnsupportedSyntax, match="this loop replaces"):
        ya.grad(the_two_best, V, 0.7)


def test_what_stands_in_does_not_change():
    with pytest.raises(UnsupportedSyntax, match="a branch or a loop has chosen"):
        ya.grad(written_after_the_loop, V, 0.7)


class Holder:
    def __init__(self, a, b, lines):
        self.a, self.b, self.lines = a, b, lines


def of_an_argument(h, x):
    o = h.a if x > 0.5 else h.b
    o.a = o.a * x
    best = min(h.lines, key=lambda line: line.cost(x))
    best.b = best.b + o.a
    return h.a.a + h.b.a * x + sum(line.cost(x) for line in h.lines)


def test_objects_of_an_argument():
    def made():
        return Holder(Line(1.0, 2.0), Line(2.0, 0.5), [Line(0.3, 0.1), Line(0.2, 1.4)])

    value, slopes = ya.grad(of_an_argument, made(), 0.7)
    assert value == of_an_argument(made(), 0.7)
    step = 1e-6
    slope = of_an_argument(made(), 0.7 + step) - of_an_argument(made(), 0.7 - step)
    assert slopes["x"] == pytest.approx(slope / (2 * step), rel=1e-6)
    one = Line(1.0, 2.0)
    shared = Holder(one, one, [Line(0.3, 0.1), Line(0.2, 1.4)])
    text = ya.simplegrad(of_an_argument, made(), 0.7, wrt=["x"])
    with pytest.raises(ValueError, match="two objects"):
        text(shared, 0.7)


def by_counters(x):
    lines = [Line(each, each * x[0]) for each in (x[0], x[1], x[2])]
    total = 0.0
    for i in range(len(lines)):
        for j in range(i + 1, 3):
            total = total + lines[i].a * lines[j].cost(x[3])
    return total


def by_counters_from_the_end(x):
    lines = [Line(each, each * x[0]) for each in (x[0], x[1], x[2])]
    total = 0.0
    for i in range(-1, 2):
        total = total + lines[i].a * lines[i + 1].cost(x[3]) * (i + 3)
    return total


@pytest.mark.parametrize("f", [by_counters, by_counters_from_the_end])
def test_by_counters(f):
    found = ya.gradcheck(f, V)
    assert found, str(found)
    looked_up = "(0, 1, 2)[" in ya.grad(f, V)[1].source
    assert looked_up == (f is by_counters_from_the_end)
