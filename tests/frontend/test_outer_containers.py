"""Containers from outside that are changed: once, or refused."""

import bisect
import collections
import heapq
import io

import numpy as np
import pytest

import yota_ast as ya

ITEMS = [1.0]
NAMES = {"a"}
COUNTS = collections.Counter()
RECENT = collections.deque([1.0], maxlen=3)
WEIGHTS = np.array([3.0, 1.0])
FILE = io.StringIO()
PUSH = ITEMS.append


class Box:
    shared: list[float] = []


BOX = Box()


def appends(x):
    ITEMS.append(x)
    return sum(ITEMS)


def appends_no_float(x):
    ITEMS.append(1.0)
    return x * len(ITEMS)


def _appending(x, seen=[]):  # noqa: B006
    seen.append(x)
    return sum(seen)


def helper_appends(x):
    return _appending(x) * _appending(2 * x)


def appends_by_function(x):
    list.append(ITEMS, 1.0)
    return x * len(ITEMS)


def appends_by_name(x):
    PUSH(1.0)
    return x * len(ITEMS)


def appends_to_attribute(x):
    BOX.shared.append(1.0)
    return x * len(BOX.shared)


def adds_in_place(x):
    items = ITEMS
    items += [1.0]
    return x * len(ITEMS)


def adds_to_an_array(x):
    w = WEIGHTS
    w += 1.0
    return x * w[0]


def adds_to_a_set(x):
    NAMES.add("b")
    return x * len(NAMES)


def adds_to_a_deque(x):
    RECENT.append(1.0)
    return x * len(RECENT)


def sorts(x):
    ITEMS.sort()
    return x * ITEMS[0]


def counts(x):
    COUNTS.update(["a"])
    return x * COUNTS["a"]


WRITING = [
    helper_appends, appends_by_name, adds_to_a_set, adds_to_a_deque, sorts, counts,
]  # fmt: skip
FOLLOWED = [
    appends, appends_no_float, appends_by_function, appends_to_attribute, adds_in_place,
    adds_to_an_array,
]  # fmt: skip


@pytest.mark.parametrize("f", FOLLOWED)
def test_what_is_changed_from_outside_is_changed_once(f):
    def first():
        ITEMS[:], WEIGHTS[:] = [1.0], [3.0, 1.0]
        BOX.shared.clear()

    first()
    expected, left = f(2.0), repr((ITEMS, WEIGHTS, BOX.shared))
    first()
    assert ya.grad(f, 2.0)[0] == expected
    assert repr((ITEMS, WEIGHTS, BOX.shared)) == left
    first()


@pytest.mark.parametrize("f", WRITING)
def test_what_is_changed_from_outside_is_refused(f):
    with pytest.raises((ya.UnsupportedCall, ya.UnsupportedSyntax)):
        ya.simplegrad(f, 2.0)


def heap_of_numbers(x):
    ranks = [3, 1, 2]
    heapq.heapify(ranks)
    return x * ranks[0]


def sorted_by_function(x):
    ranks = [3, 1, 2]
    list.sort(ranks)
    return x * ranks[0]


def inserted(x):
    ranks = [1, 3]
    bisect.insort(ranks, 2)
    return x * ranks[1]


def updated_by_function(x):
    table = {"a": 1}
    dict.update(table, b=2)
    return x * len(table)


def set_by_function(x):
    table = {"a": 1}
    dict.__setitem__(table, "a", 5)
    return x * table["a"]


def recent(x):
    steps = collections.deque([3, 1, 2])
    steps.append(4)
    return x * steps[-1] * len(steps)


def appended_by_function(x):
    items = [x, 1.0]
    list.append(items, x * x)
    return items[0] * items[-1] * len(items)


@pytest.mark.parametrize(
    "f",
    [
        heap_of_numbers, sorted_by_function, inserted, updated_by_function,
        set_by_function, recent, appended_by_function,
    ],
)  # fmt: skip
def test_what_is_changed_inside_is_followed_or_refused(f):
    try:
        df = ya.simplegrad(f, 2.0)
    except (ya.UnsupportedCall, ya.UnsupportedSyntax):
        return
    for x in (2.0, 3.0):
        val, dx = df(x)
        assert val == f(x)
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        assert abs(dx - slope) < 1e-4


def writes_to_a_file(x):
    FILE.write("ab")
    return x * len(FILE.getvalue())


def pushes(x):
    heapq.heappush(ITEMS, 0.0)
    return x * ITEMS[0] * len(ITEMS)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [writes_to_a_file, pushes])
def test_what_is_done_outside_is_done_once(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    df = ya.simplegrad(f, 2.0)
    first, slope = df(2.0)
    second, _ = df(2.0)
    assert slope == first / 2
    assert f(2.0) - second == second - first or f is pushes
    assert f(2.0) != first or f is pushes
