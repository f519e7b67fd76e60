"""`collections.deque`, and the order of the keys of dicts."""

import operator
from collections import OrderedDict, deque

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .every_mode import check_every_mode, slopes

X = np.array([0.7, 1.3, 2.1])
V = np.array([0.3, -0.5, 0.8])


def both_ends(x):
    d = deque()
    d.appendleft(x[0])
    d.append(x[1])
    d.appendleft(x[2])
    d.rotate(1)
    d[0] = d[0] * x[1]
    return d[0] * 2 + d[1] ** 2 + d[-1] ** 3 + len(d)


def last(d):
    return d.pop() * d.popleft()


def in_a_helper(x):
    d = deque([x[0], x[1], x[2] ** 2])
    return last(d) * d[0]


def in_an_arm(x):
    d = deque([x[0], x[1]], maxlen=2)
    if x[0] > 0:
        d.append(x[2])
    else:
        d.appendleft(x[2])
    return d[0] * d[1] ** 2


def after_an_overwrite(x):
    y = x * 2
    d = deque([y])
    y[0] = x[1] * x[2]
    return np.sum(d.pop() ** 2)


def asked(x):
    d = deque([x[0], x[1], x[2]], maxlen=2)
    s = 2.0 if isinstance(d, deque) and type(d) is deque else 3.0
    t = 5.0 if hasattr(d, "popleft") and not hasattr(d, "items") else 7.0
    return sum(d) * s * t * d.maxlen


def moved(x):
    d = OrderedDict([("a", x[0]), ("b", x[1]), ("c", x[2])])
    d.move_to_end("a")
    d.move_to_end("c", last=False)
    t = 1.0
    for k, v in d.items():
        t = t * v + v if k != "b" else t * v * v
    return t


def taken_from_the_end(x):
    d = {"a": x[0], "b": x[1]}
    key, value = d.popitem()
    d["c"] = value * x[2]
    return d["a"] * d["c"] if key == "b" else value


def emptied(x):
    d = {"a": x[0], "b": x[1]}
    kept = d["a"]
    d.clear()
    d["a"] = kept * x[2]
    return d["a"] ** 2 + len(d)


ORDERED = [moved, taken_from_the_end, emptied]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f", [both_ends, in_a_helper, in_an_arm, after_an_overwrite, asked, *ORDERED]
)
@pytest.mark.parametrize("x", [X, -X])
def test_every_mode(f, x, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, x, V)


def window(x):
    d = deque(maxlen=2)
    t = 0.0
    for v in x:
        d.append(v)
        t += sum(d) ** 2
    return t


def queue(x):
    d = deque([x[0], x[1]])
    t = 0.0
    while d:
        t += d.popleft() ** 2
    return t


def searched(x):
    d = deque([(0, x[0])])
    t = 0.0
    while d:
        k, v = d.popleft()
        t += v**2
        if k < 2:
            d.append((k + 1, v * x[k + 1]))
    return t


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [window, queue, searched])
def test_in_a_loop(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    made = ya.simplegrad(f, X)
    for x in (X, 2 * X):
        val, dx = made(x)
        assert val == f(x)
        np.testing.assert_allclose(dx, slopes(f, x), rtol=1e-6)
    assert ya.jvp(f)(X, V)[1] == pytest.approx(slopes(f, X) @ V, rel=1e-6)


def handed_to_numpy(x):
    d = deque([x[0], x[1]])
    return np.mean(d)


def handed_as_a_list(x):
    d = deque([x[0], x[1]])
    return np.mean(list(d)) ** 2


def test_what_is_handed_on():
    with pytest.raises(UnsupportedSyntax, match=r"(?s)class deque.*list\(x\)") as told:
        ya.grad(handed_to_numpy, X)
    assert told.value.lineno is not None
    check_every_mode(handed_as_a_list, X, V)


def item_by_assignment(x):
    d = deque([1.0, 2.0])
    d[0] = x
    return d[0] * 2


def item_by_the_operator(x):
    d = deque([1.0, 2.0])
    operator.setitem(d, 0, x)
    return d[0] * 2


def item_in_place(x):
    d = deque([1.0, 2.0])
    d[0] += x
    return d[0] * 2


def row_within_one(x):
    row = [1.0]
    d = deque([row])
    d[0][0] = x
    return row[0] * 2


@pytest.mark.parametrize(
    "f", [item_by_assignment, item_by_the_operator, item_in_place, row_within_one]
)
def test_items_that_are_written(f):
    value, g = ya.grad(f, 0.7)
    assert (value, g["x"]) == (f(0.7), 2.0)
    assert ya.jvp(f)(0.7, 1.5) == (f(0.7), 3.0)


def a_method_that_is_there(x):
    d = deque(x)
    d.remove(x[1])
    d.insert(0, 2.0 * x[0])
    return d[0] * d[2]


def asked_for_its_methods(x):
    d = deque(x)
    return x[0] * 2 if hasattr(d, "remove") and not hasattr(d, "items") else x[0]


@pytest.mark.parametrize("f", [a_method_that_is_there, asked_for_its_methods])
def test_it_has_what_a_deque_has(f):
    value, g = ya.grad(f, X)
    assert value == f(X)
    np.testing.assert_allclose(g[0], slopes(f, X), atol=1e-6)
    assert ya.jvp(f)(X, V) == pytest.approx((f(X), g[0] @ V))


def compared(x):
    return x[0] * (2.0 if deque(x) == deque(x) else 3.0)


def added(x):
    return (deque([x[0]]) + deque([x[1]]))[1]


def by_its_own_field(x):
    return deque(x).items[0]


def with_another_field(x):
    d = deque(x)
    d.more = x[0]
    return d.more


@pytest.mark.parametrize(
    ("f", "told"),
    [
        (compared, "`__eq__` of a deque is not supported"),
        (added, "`__add__` of a deque is not supported"),
        (by_its_own_field, "the object of class deque has no attribute `items` here"),
        (with_another_field, "the class deque has no slot for `more`"),
    ],
)
def test_what_is_not_followed(f, told):
    with pytest.raises(ya.YotaError, match=told):
        ya.grad(f, X)
    with pytest.raises(ya.YotaError, match=told):
        ya.jvp(f)(X, V)


def a_slice(x):
    return np.sum(x) * (len(deque(x)[1:]) if len(x) > 3 else 1.0)


def test_a_slice_raises_as_it_does():
    check_every_mode(a_slice, X, V)
    with pytest.raises(TypeError, match="must be integer, not 'slice'"):
        ya.grad(a_slice, np.ones(4))
