"""Iterators within iterators: Python takes each item when the loop comes to it."""

import itertools

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def an_iterator_under_a_name(b, c):
    xs = [b]
    pairs = zip(iter(xs), [1.0, 2.0], strict=False)
    xs.append(c)
    return sum(x * y for x, y in pairs)


def a_generator_under_a_name(b, c):
    k = b

    def both():
        yield k
        yield c

    pairs = enumerate(both(), 1)
    k = c * c
    return sum(x * y for x, y in pairs)


def an_expression_under_a_name(b, c):
    xs = [b]
    pairs = enumerate((x * b for x in xs), 1)
    xs[0] = c
    return sum(x * y for x, y in pairs)


def a_map_under_a_name(b, c):
    xs = [b]
    pairs = enumerate(map(lambda x: x * c, xs), 1)
    xs[0] = c
    return sum(x * y for x, y in pairs)


def nested_under_a_name(b, c):
    xs = [b, c]
    pairs = enumerate(zip((x * b for x in xs), xs, strict=True))
    xs[0] = c
    return sum(x * y for _, (x, y) in pairs)


def a_list_in_the_loop(b, c):
    xs = [b, c, 0.3]
    total = 0.0
    for v, w in zip((x * c for x in xs), [1.0, 2.0, 3.0], strict=True):
        xs[-1] = v * w
        total += v * w
    return total


def a_name_in_the_loop(b, c):
    xs = [b, c, 0.3]
    total = 0.0
    for v, w in zip((x * c for x in xs), [1.0, 2.0, 3.0], strict=True):
        total += v * w
        c = c * 1.5
    return total


def a_chain_in_the_loop(b, c):
    xs = [b, c, 0.3]
    total = 0.0
    for v in itertools.chain((x * b for x in xs), [c]):
        total += v
        xs[2] = c
    return total


def a_loop_in_a_generator(b, c):
    k = b

    def thrice():
        for _ in range(3):
            yield k

    total = 0.0
    for i, v in enumerate(thrice()):
        total += v * i
        k = k * c
    return total


def a_name_beside_an_array(x, b):
    total = 0.0
    for v in (q * b for q in x):
        total += v
        b = b * 2.0
    return total


def an_array_in_the_loop(x, b):
    x = x * 2.0
    total = 0.0
    for v in (q * b for q in x):
        total += v
        x[1] += v
    return total


X = np.array([0.9, 2.0, 0.5])
CHANGED = [
    (an_iterator_under_a_name, (0.9, 2.0)),
    (a_generator_under_a_name, (0.9, 2.0)),
    (an_expression_under_a_name, (0.9, 2.0)),
    (a_map_under_a_name, (0.9, 2.0)),
    (nested_under_a_name, (0.9, 2.0)),
    (a_list_in_the_loop, (0.9, 2.0)),
    (a_name_in_the_loop, (0.9, 2.0)),
    (a_chain_in_the_loop, (0.9, 2.0)),
    (a_loop_in_a_generator, (0.9, 2.0)),
    (a_name_beside_an_array, (X, 0.9)),
    (an_array_in_the_loop, (X, 0.9)),
]


@pytest.mark.parametrize(("fn", "args"), CHANGED)
def test_what_gives_items_may_not_change_before_they_are_taken(fn, args):
    with pytest.raises(ya.UnsupportedSyntax, match="has changed since it was made"):
        ya.grad(fn, *args)


def other_names_in_the_loop(x, b):
    k = b * b

    def thrice():
        for _ in range(3):
            yield k

    total, rows = 0.0, np.zeros(3)
    for i, v in enumerate(thrice()):
        total += v * i * b
    for i, v in enumerate(q * b for q in x):
        rows[i] = v * total
        last = rows * 2.0
    return total * k + last.sum()


def taken_before_the_change(b, c):
    xs = [b, c, b * c]
    pairs = list(zip(map(lambda q: q * c, xs), xs, strict=True))
    ordered = sorted(enumerate(q * b for q in xs))
    xs[0] = c
    c = 1.0
    return sum(p * q for p, q in pairs) + ordered[1][1] * c


def a_view_of_a_list(b, c):
    xs = [b, c]
    pairs = zip(xs, [1.0, 2.0, 3.0], strict=False)
    xs.append(b * c)
    return sum(x * y for x, y in pairs)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (other_names_in_the_loop, (X, 0.9)),
        (taken_before_the_change, (0.9, 2.0)),
        (a_view_of_a_list, (0.9, 2.0)),
    ],
)
def test_what_does_not_change_is_right(fn, args):
    check(fn, *args)


def added(b, c):
    items = iter([b, c])
    held = [1.0]
    held += items
    return sum(held) + sum(items)


def added_by_a_map(b, c):
    items = map(lambda q: q * b, [b, c])
    held = [1.0]
    held += items
    return sum(held) + sum(items)


def put_into_a_slice(b, c):
    items = iter([b, c])
    held = [0.0]
    held[1:] = items
    return sum(held) * b + sum(items)


def added_after_the_first(b, c):
    items = iter([b, c])
    held = [next(items)]
    held += items
    return held[0] * b + held[1]


@pytest.mark.parametrize(
    "fn", [added, added_by_a_map, put_into_a_slice, added_after_the_first]
)
def test_an_iterator_is_empty_when_a_list_has_taken_its_items(fn):
    check(fn, 0.9, 2.0)
