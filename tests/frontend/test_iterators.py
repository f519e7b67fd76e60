"""Iterators under a name give their items once, and as they are when taken."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, 1.7, 2.6])


def _square(v):
    return v * v


def _is_large(v):
    return v > 1


def taken_within(x):
    total = 0.0
    items = iter(x)
    for v in items:
        total += 2 * v
        for w in items:
            total += v * w
            break
    return total


def listed_within(x):
    items = iter([x[0], x[1], x[2]])
    total = 0.0
    for v in items:
        total += 2 * v
        for w in items:
            total += v * w
    return total


def generated_within(x):
    items = (v for v in x)
    total = 0.0
    for v in items:
        total += v
        for w in items:
            total += v * w
    return total


def summed_within(x):
    items = (v * v for v in (x[0], x[1], x[2]))
    total = 0.0
    for v in items:
        total += v
        total += sum(items) * 3
    return total


def taken_by_next(x):
    items = iter(range(3))
    total = 0.0
    for i in items:
        total += x[i] * (next(items, 0) + 1)
    return total


def zipped_twice(x):
    pairs = zip(x, x, strict=True)
    total = 0.0
    for a, b in pairs:
        total += a * b
    for a, b in pairs:
        total += 10 * a * b
    return total


def zipped_in_a_loop(x):
    pairs = zip(x, x, strict=True)
    total = 0.0
    for k in range(len(x)):
        for a, b in pairs:
            total += a * b * (k + 1)
    return total


def mapped_twice(x):
    squares = map(_square, x)
    return sum(squares) + 5 * sum(squares)


def filtered_twice(x):
    large = filter(_is_large, x)
    return sum(large) + 10 * sum(large)


def largest_and_sum(x):
    items = (v for v in (x[0], x[1], x[2]))
    return max(items) + sum(items)


def unpacked_and_sum(x):
    items = (v for v in (x[0], x[1], x[2]))
    a, *rest = items
    return a * sum(rest) + sum(items)


def _twice(items):
    return sum(items) + 3 * sum(items)


def given_to_a_helper(x):
    return _twice(v * v for v in (x[0], x[1]))


def mapped_for_a_helper(x):
    return _twice(map(_square, x))


def asked(x):
    items = (v for v in x)
    return x[0] * (x[1] in items) + sum(items)


def list_changed(x):
    items = [x[0], x[1], x[2]]
    made = (v for v in items)
    items[0] = 5 * x[1]
    items.append(x[0])
    return sum(made) * len(items)


def number_changed(x):
    k = 2.0
    made = (v * k for v in x)
    k = 5.0
    return sum(made)


def float_changed(x):
    k = x[0]
    made = (v * k for v in [x[0], x[1]])
    k = x[2]
    return sum(made)


def array_changed(x):
    y = 1 * x
    made = (2 * v for v in y)
    y[0] = 9 * x[1]
    return sum(made)


def zip_before_a_write(x):
    y = 1 * x
    pairs = zip(y, y, strict=True)
    y[0] = 9 * x[1]
    return sum(a * b for a, b in pairs)


def view_of_a_dict(x):
    table = {"a": x[0]}
    values = table.values()
    table["b"] = x[1]
    return sum(values)


def view_read_twice(x):
    table = {"a": x[0], "b": x[1]}
    values = table.values()
    return sum(values) * max(values)


def generated_twice(x):
    items = (v * v for v in x)
    return sum(items) + 3 * sum(items)


def zipped_once(x):
    pairs = zip(x, x, strict=True)
    total = 0.0
    for a, b in pairs:
        total += a * b
    return total


PROGRAMS = [
    taken_within, listed_within, generated_within, summed_within, taken_by_next,
    zipped_twice, zipped_in_a_loop, mapped_twice, filtered_twice, largest_and_sum,
    unpacked_and_sum, given_to_a_helper, mapped_for_a_helper, asked, list_changed,
    number_changed, float_changed, array_changed, zip_before_a_write, view_of_a_dict,
]  # fmt: skip
FOLLOWED = [view_read_twice, generated_twice, zipped_once, zip_before_a_write]


def _check(f):
    val, g = ya.grad(f, X)
    assert abs(val - f(X)) < 1e-12
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        assert abs(g[0][k] - (f(X + step) - f(X - step)) / 2e-6) < 1e-6


@pytest.mark.parametrize("f", PROGRAMS)
def test_right_or_refused(f):
    try:
        _check(f)
    except (ya.UnsupportedSyntax, ya.UnsupportedCall, ya.NoRule):
        return


@pytest.mark.parametrize("f", FOLLOWED)
def test_what_is_run_through_once_is_followed(f):
    _check(f)


def left_by_an_arm(x):
    rest = iter([x, 2 * x, x * x])
    if x > 5:
        next(rest)
    return next(rest, 7.0)


def left_by_a_loop(x):
    rest = iter([x, 2 * x, x * x])
    while x > 5:
        x = x / 2
        next(rest)
    return next(rest, 7.0)


@pytest.mark.parametrize("fn", [left_by_an_arm, left_by_a_loop])
def test_how_many_items_are_left_must_be_known(fn):
    with pytest.raises(ya.UnsupportedCall, match="the number of items left for `next`"):
        ya.grad(fn, 2.0)


def run_over_under_its_name(x):
    pairs = zip(x, x * 2)
    return sum([a * b for a, b in pairs])


def test_a_comprehension_runs_over_an_iterator_once():
    assert ya.gradcheck(run_over_under_its_name, X)


def again_for_each_of_two(x):
    pairs = zip((x[0], x[1]), (x[0], 2.0))
    return sum([sum([a * b for a, b in pairs]) + k for k in (1, 2)])


def again_in_the_second_for(x):
    pairs = zip((x[0], x[1]), (x[0], 2.0))
    return sum([a * b * k for k in (1.0, 2.0) for a, b in pairs])


def again_for_each_of_an_array(x):
    pairs = zip(x, x * 2)
    return sum([sum([a * b for a, b in pairs]) + k for k in x])


@pytest.mark.parametrize(
    "f", [again_for_each_of_two, again_in_the_second_for, again_for_each_of_an_array]
)
def test_an_iterator_is_not_run_over_for_each_item_of_another(f):
    with pytest.raises(ya.UnsupportedSyntax, match="`pairs` is used more than"):
        ya.grad(f, X)
