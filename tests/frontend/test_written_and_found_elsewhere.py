"""Objects, lists and arrays of the caller's that are written and found elsewhere."""

import functools
import types
from collections import UserDict, deque

import numpy as np
import pytest

import yota_ast as ya


class Node:
    def __init__(self, v):
        self.v = v
        self.kids = []
        self.parent = None

    def add(self, kid):
        self.kids.append(kid)
        kid.parent = self
        return self

    def times(self, x):
        return self.v * x

    def grow(self, x):
        self.v += x
        return self.v


class Slotted:
    __slots__ = ("p", "q")

    def __init__(self, p, q):
        self.p = p
        self.q = q


def space(**fields):
    return types.SimpleNamespace(**fields)


def tree():
    return Node(1.0).add(Node(2.0)).add(Node(3.0))


def twice():
    node = Node(2.0)
    return space(p=node, q=node, row=(1, [node]), slots=Slotted(node, node))


def hooked():
    node = Node(2.0)
    node.hooks = [node.grow, node.times]
    return node


def calling():
    node = Node(2.0)
    node.part = functools.partial(node.times, 3.0)
    node.of_class = functools.partial(Node.times, node)
    return node


def by_the_child(t, x):
    t.kids[0].parent.v = x
    return t.v * 3


def by_the_parent(t, x):
    t.v = x
    return t.kids[0].parent.v * 3


def in_a_loop(t, x):
    for kid in t.kids:
        kid.parent.v += kid.v * x
    return t.v


def of_a_sibling(t, x):
    a, b = t.kids
    a.v = x
    return b.parent.kids[0].v * 2


def at_two_places(t, x):
    t.p.v = x
    t.row[1][0].v *= 2
    return t.q.v * x + t.slots.p.v


def of_slots(t, x):
    t.slots.p.v = x
    return t.slots.q.v * 3 + t.p.v


def by_methods_held(t, x):
    t.v = x
    return t.hooks[0](3.0) + t.hooks[1](2.0) * t.v


def by_partials_held(t, x):
    t.v = x
    return t.part() + t.of_class(2.0)


def slope(fn, made, x, h=1e-6):
    return (fn(made(), x + h) - fn(made(), x - h)) / (2 * h)


def holds(fn, made, x=0.7):
    """Value, slope and what the object is afterwards, in each way."""
    kept = made()
    wanted, d = fn(kept, x), slope(fn, made, x)
    given = made()
    value, g = ya.grad(fn, given, x)
    assert value == wanted
    assert g["x"] == pytest.approx(d)
    assert vars(given).keys() == vars(kept).keys()
    assert getattr(given, "v", 0) == getattr(kept, "v", 0)
    tape = ya.trace(fn, made(), x)[1]
    if fn is by_partials_held:  # a tape is of the partial itself
        with pytest.raises(ValueError, match=r"made for t\.part = partial"):
            ya.play(tape, made(), x)
    else:
        assert ya.play(tape, made(), x) == wanted
    value, tangent = ya.jvp(fn)(made(), x, None, 1.0)
    assert (value, tangent) == (wanted, pytest.approx(d))


@pytest.mark.parametrize(
    "fn",
    [by_the_child, by_the_parent, in_a_loop, of_a_sibling],
    ids=lambda f: f.__name__,
)
def test_a_parent_pointer_leads_to_the_object(fn):
    holds(fn, tree)
    text = ya.simplegrad(fn, tree(), 0.7, wrt=["x"])
    assert text(tree(), 0.7)[0] == fn(tree(), 0.7)


@pytest.mark.parametrize("fn", [at_two_places, of_slots], ids=lambda f: f.__name__)
def test_one_object_at_several_places(fn):
    holds(fn, twice)


@pytest.mark.parametrize(
    ("fn", "made"),
    [(by_methods_held, hooked), (by_partials_held, calling)],
    ids=["methods", "partials"],
)
def test_methods_and_partials_that_the_object_holds(fn, made):
    holds(fn, made)


def test_an_object_given_by_name():
    def named(x, **kw):
        kw["t"].v = x
        return kw["t"].kids[0].parent.v * 3

    given = tree()
    value, g = ya.grad(named, 0.7, t=given)
    assert (value, g["x"], given.v) == (pytest.approx(2.1), 3.0, 0.7)


def test_the_text_checks_that_it_is_one_object():
    text = ya.simplegrad(by_the_parent, tree(), 0.7, wrt=["x"])
    other = tree()
    other.kids[0].parent = Node(9.0)
    with pytest.raises(ValueError, match=r"made for t\.kids\[0\]\.parent that is t"):
        text(other, 0.7)


def test_the_text_checks_that_slots_hold_two_objects():
    def written(t, x):
        t.p.v = x
        return t.q.v * 3

    apart, one = Slotted(Node(1.0), Node(2.0)), Node(2.0)
    text = ya.simplegrad(written, apart, 0.7, wrt=["x"])
    with pytest.raises(ValueError, match="two objects"):
        text(Slotted(one, one), 0.7)
    assert ya.grad(written, Slotted(one, one), 0.7)[0] == pytest.approx(2.1)


def test_the_text_checks_whose_methods_are_held():
    text = ya.simplegrad(by_methods_held, hooked(), 0.7, wrt=["x"])
    assert text(hooked(), 0.7)[0] == by_methods_held(hooked(), 0.7)
    other = hooked()
    other.hooks[0] = Node(5.0).grow
    with pytest.raises(ValueError, match=r"made for t\.hooks\[0\]\.__self__ that is t"):
        text(other, 0.7)


WHOLE = Node(2.0)
WHOLE.kids = [Node(5.0)]
ROWS = [WHOLE]
TABLE = {"a": WHOLE}
GROUP = {WHOLE}
QUEUE = deque([WHOLE])
BOUND = WHOLE.times
PART = functools.partial(Node.times, WHOLE)
WEIGHTS = np.array([1.0, 2.0])
BACKWARDS = WEIGHTS[::-1]
NUMBERS = [1.0, 2.0]
NAMES = {"k": 1.0}


class Registered:
    known = (WHOLE,)
    weights = WEIGHTS


def by_default(x, node=WHOLE, weights=WEIGHTS):
    return node.v * x + float(np.sum(weights))


def of_a_global(t, x):
    t.v = x
    return WHOLE.v * 3


def of_a_list(t, x):
    t.v = x
    return sum(node.v for node in ROWS)


def of_a_dict(t, x):
    t.v = x
    return TABLE["a"].v * 3


def of_a_set(t, x):
    t.v = x
    return sum(node.v for node in GROUP)


def of_a_deque(t, x):
    t.v = x
    return QUEUE[0].v * 3


def of_a_class(t, x):
    t.v = x
    return Registered.known[0].v * 3


def of_a_default(t, x):
    t.v = x
    return by_default(x)


def of_a_method(t, x):
    t.v = x
    return BOUND(3.0)


def of_a_partial(t, x):
    t.v = x
    return PART(3.0)


def of_a_function_around(node):
    def around(t, x):
        t.v = x
        return node.v * 3

    return around


OBJECTS = [
    of_a_global, of_a_list, of_a_dict, of_a_set, of_a_deque, of_a_class, of_a_default,
    of_a_method, of_a_partial, of_a_function_around(WHOLE),
]  # fmt: skip


@pytest.mark.parametrize("fn", OBJECTS, ids=lambda f: f.__name__)
def test_an_object_that_is_found_outside_is_refused(fn):
    with pytest.raises(ya.UnsupportedSyntax, match=r"the function (writes|sets)"):
        ya.grad(fn, WHOLE, 0.7)
    with pytest.raises(ya.UnsupportedSyntax, match=r"the function (writes|sets)"):
        ya.simplegrad(fn, WHOLE, 0.7, wrt=["x"])
    with pytest.raises(ya.UnsupportedSyntax, match=r"the function (writes|sets)"):
        ya.jvp(fn)(WHOLE, 0.7, None, 1.0)


@pytest.mark.parametrize("fn", OBJECTS, ids=lambda f: f.__name__)
def test_the_text_checks_that_another_is_not(fn):
    if fn in (of_a_set, of_a_deque):  # of what is in these a text has no names
        with pytest.raises(ya.UnsupportedSyntax, match="may be in"):
            ya.grad(fn, Node(1.0), 0.7)
        return
    value, _ = ya.grad(fn, Node(1.0), 0.7)
    assert value == fn(Node(1.0), 0.7)
    with pytest.raises((ValueError, ya.UnsupportedSyntax)):
        ya.grad(fn, WHOLE, 0.7)
    text = ya.simplegrad(fn, Node(1.0), 0.7, wrt=["x"])
    with pytest.raises(ValueError, match=r"made for two objects, t and "):
        text(WHOLE, 0.7)


def test_a_field_of_a_global():
    def written(t, x):
        t.v = x
        return sum(kid.v for kid in WHOLE.kids) * 3

    value, _ = ya.grad(written, Node(1.0), 0.7)
    assert value == 15.0
    with pytest.raises((ValueError, ya.UnsupportedSyntax)):
        ya.grad(written, WHOLE.kids[0], 0.7)


def the_array(v, x):
    v[0] = x
    return float(np.sum(WEIGHTS) * 3)


def a_view(v, x):
    v *= x
    return float(np.sum(BACKWARDS) * 3)


def of_the_class(v, x):
    v[1] = x
    return float(np.sum(Registered.weights) * x)


def the_default(v, x):
    v[1] = x
    return by_default(x)


@pytest.mark.parametrize(
    "fn", [the_array, a_view, of_the_class, the_default], ids=lambda f: f.__name__
)
def test_an_array_that_is_found_outside(fn):
    value, _ = ya.grad(fn, np.ones(2), 0.7)
    assert value == fn(np.ones(2), 0.7)
    with pytest.raises(ValueError, match="share no memory"):
        ya.grad(fn, WEIGHTS, 0.7)
    with pytest.raises(ValueError, match="share no memory"):
        ya.simplegrad(fn)(WEIGHTS, 0.7)
    with pytest.raises(ValueError, match="share no memory"):
        ya.jvp(fn)(WEIGHTS, 0.7, np.zeros(2), 1.0)
    assert WEIGHTS.tolist() == [1.0, 2.0]


def the_list(o, x):
    o[0] = x
    return NUMBERS[0] * 3


def the_dict(o, x):
    o["k"] = x
    return NAMES["k"] * 3


@pytest.mark.parametrize(
    ("fn", "outside"), [(the_list, NUMBERS), (the_dict, NAMES)], ids=["list", "dict"]
)
def test_a_list_or_a_dict_that_is_found_outside(fn, outside):
    value, _ = ya.grad(fn, outside.copy(), 0.7)
    assert value == 3.0
    with pytest.raises((ValueError, ya.UnsupportedSyntax)):
        ya.grad(fn, outside, 0.7)
    with pytest.raises(ValueError, match="made for"):
        ya.simplegrad(fn, wrt=["x"])(outside, 0.7)


def in_a_set(node):
    return space(node=node, held={node})


def in_a_deque(node):
    return space(node=node, held=deque([node]))


def in_a_view(node):
    return space(node=node, held=types.MappingProxyType({0: node}))


def in_an_array(node):
    return space(node=node, held=np.array([node, node], dtype=object))


def all_of(held):
    return sum(node.v for node in held)


def first_of(held):
    return held[0].v


@pytest.mark.parametrize(
    ("made", "read"),
    [
        (in_a_set, all_of),
        (in_a_deque, first_of),
        (in_a_view, first_of),
        (in_an_array, first_of),
    ],
    ids=["set", "deque", "view", "array"],
)
def test_an_object_in_what_has_no_names(made, read):
    def written(t, x):
        t.node.v = x
        return read(t.held) * 3

    with pytest.raises(ya.UnsupportedSyntax, match="may be in"):
        ya.grad(written, made(Node(2.0)), 0.7)


def test_an_item_of_a_deque_of_which_nothing_is_known():
    def written(t, x):
        t.held[0].v = x
        return t.node.v * 3

    with pytest.raises(
        ya.UnsupportedSyntax, match="sets the attribute `v` of an object from outside"
    ):
        ya.simplegrad(written, wrt=["x"])


def test_the_fields_as_a_dict():
    def written(o, x):
        vars(o)["a"] = x
        return o.a * 3

    def read(o, x):
        o.node.v = x
        return o.fields["v"] * 3

    with pytest.raises(ya.UnsupportedSyntax, match="`__dict__` of an object"):
        ya.simplegrad(written, wrt=["x"])
    node = Node(1.0)
    with pytest.raises(ya.UnsupportedSyntax, match="`__dict__` of an object"):
        ya.grad(read, space(node=node, fields=vars(node)), 0.7)


def test_items_of_a_dict_of_the_users():
    node = Node(2.0)

    def written(t, x):
        t.node.v = x
        return t.held["a"].v * 3

    value, g = ya.grad(written, space(node=node, held=UserDict(a=node)), 0.7)
    assert (value, g["x"]) == (pytest.approx(2.1), 3.0)


MANY = [[float(k), 1.0] for k in range(100)]
NAMED = {str(k): [float(k), 1.0] for k in range(50)}


def of_many(o, x):
    o.append(x)
    return MANY[2][0] * o[-1] + NAMED["3"][1]


def test_an_item_of_a_long_table():
    value, g = ya.grad(of_many, [], 0.7)
    assert (value, g["x"]) == (2.4, 2.0)
    text = ya.simplegrad(of_many, [1.0, 2.0], 0.7, wrt=["x"])
    assert text([1.0, 2.0], 0.7) == (2.4, 2.0)
    with pytest.raises(ValueError, match="made for o that is not in MANY"):
        text(MANY[5], 0.7)
    with pytest.raises(ValueError, match="made for o that is not in NAMED"):
        text(NAMED["7"], 0.7)
