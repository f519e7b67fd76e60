"""What is asked of an iterator itself, and not of its items: right, or refused."""

import collections.abc
import heapq
import itertools
import math
import statistics
from collections.abc import Iterator

import pytest

import yota_ast as ya

from .checking import check


def length(v):
    try:
        return len(v)
    except TypeError:
        return 10


def first(v):
    try:
        return v[0]
    except TypeError:
        return 7.0


def two(x):
    yield x
    yield x * x


def of_map(x):
    return length(map(math.sin, [x, 2.0])) * x


def of_iter(x):
    return length(iter([x, 2.0])) * x


def of_generator(x):
    return length(two(x)) * x


def of_zip(x):
    return length(zip([x], [2.0], strict=True)) * x


def of_filter(x):
    return length(filter(None, [x])) * x


def of_expression(x):
    return length(v for v in [x, 2.0]) * x


def first_of_map(x):
    return first(map(math.sin, [x, 2.0])) * x


def first_of_iter(x):
    return first(iter([x, 2.0])) * x


def first_of_values(x):
    return first({"a": x}.values()) * x


def equal(x):
    return (3.0 if map(math.sin, [x]) == map(math.sin, [x]) else 5.0) * x


def equal_keys(x):
    return (3.0 if {}.keys() == set() else 5.0) * x


def has_length(x):
    return (3.0 if hasattr(map(math.sin, [x]), "__len__") else 5.0) * x


def has_next(x):
    return (3.0 if hasattr(iter([x]), "__next__") else 5.0) * x


def of_its_class(x):
    return (3.0 if type(map(math.sin, [x])) is list else 5.0) * x


def of_islice(x):
    cut = itertools.islice([x], 1)
    return (3.0 if isinstance(cut, itertools.islice) else 5.0) * x


def of_zip_or_list(x):
    return (3.0 if isinstance(zip([x], strict=True), (list, zip)) else 5.0) * x


def mean_of_iterator(x):
    return statistics.geometric_mean([x, 2.0])


REFUSED = [
    of_map, of_iter, of_generator, of_zip, of_filter, of_expression, first_of_map,
    first_of_iter, first_of_values, equal, equal_keys, has_length, has_next,
    of_its_class, of_islice, of_zip_or_list,
]  # fmt: skip


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_refused(fn):
    for ask in (lambda: ya.grad(fn, 1.2), lambda: ya.jvp(fn)(1.2, 1.0)):
        with pytest.raises(ya.YotaError, match="is used as a list"):
            ask()


def test_what_the_standard_library_gives_an_iterator_to():
    """It does so up to Python 3.12, and then by an own generator, which is refused."""
    try:
        value, slopes = ya.grad(mean_of_iterator, 1.2)
    except ya.YotaError as error:
        assert "a generator does" in str(error)  # noqa: PT017  of some versions alone
    else:
        assert value == mean_of_iterator(1.2)
        assert slopes["x"] == pytest.approx(math.sqrt(2.0 / 1.2) / 2)


def of_range(x):
    return length(range(3)) * first(range(4, 9)) * x


def of_items(x):
    return length({"a": x}.items()) * x


def empty_ones(x):
    first, second = 3.0 if zip() else 5.0, 3.0 if enumerate([]) else 5.0
    return first * second * (3.0 if reversed([]) else 5.0) * x


def empty_containers(x):
    return (3.0 if {}.items() or range(0) else 5.0) * x


def sized(x):
    it = iter([x, 3.0])
    if isinstance(it, collections.abc.Sized | list | float):
        return x
    return sum(it) * x


def iterating(x):
    if isinstance(zip([x], [2.0], strict=True), collections.abc.Iterator):
        return x * x
    return x


def of_many_classes(x):
    it = iter([x])
    first = 3.0 if isinstance(it, int | float) else 5.0
    second = 7.0 if isinstance(it, (list | tuple, (str,))) else 11.0
    return first * second * (1.0 if isinstance(it, list | Iterator) else 2.0) * x


def twice(x):
    kept = filter(lambda v: v > 1, [x, 0.5, 3.0])
    return sum(kept) + sum(kept)


def listed_twice(x):
    kept = filter(lambda v: v > 1, [x, 0.5, 3.0])
    items = list(kept)
    return items[0] * len(items) * (3.0 if list(kept) else 5.0)


def by_another_name(x):
    kept = filter(lambda v: v > 1, [x, 0.5, 3.0])
    other = kept
    return sum(kept) * 2 + sum(other)


def sorted_first(x):
    low = sorted(filter(lambda v: v > 1, [x, 0.5, 3.0]))
    high = sorted(filter(lambda v: v > 1, [x, 0.5, 3.0]), reverse=True)
    return low[0] * high[0] * len(low)


def least_kept(x):
    return max(filter(lambda v: v > 1, [x, 0.5, 3.0]), key=lambda v: -v) * x


RIGHT = [
    of_range, of_items, empty_ones, empty_containers, sized, iterating,
    of_many_classes, twice, listed_twice, by_another_name, sorted_first, least_kept,
]  # fmt: skip


@pytest.mark.parametrize("fn", RIGHT, ids=lambda fn: fn.__name__)
def test_right(fn):
    check(fn, 1.2)
    assert ya.jvp(fn)(1.2, 1.0)[1] == pytest.approx(ya.grad(fn, 1.2)[1]["x"])


# ---------------------------------------------------------------- extremes by key


def largest(x):
    return heapq.nlargest(1, [x, 0.5])[0] * 2


def smallest(x):
    return heapq.nsmallest(1, [x, 3.5])[0] * 2


def with_default(x):
    return max([(x, 1.0), (0.5, 2.0)], key=lambda t: -t[1], default=None)[0] * 2


def by_nothing(x):
    return max([x, 0.5], key=None) * min([x, 4.0], key=None, default=1.0)


def of_nothing(x):
    return max([], key=abs, default=x) * min([], default=x * 3)


def of_generated(x):
    return max((i * x for i in range(3)), key=abs, default=0.0) * 2


EXTREMES = [largest, smallest, with_default, by_nothing, of_nothing, of_generated]


@pytest.mark.parametrize("fn", EXTREMES, ids=lambda fn: fn.__name__)
def test_extremes_by_key(fn):
    check(fn, 1.2)
    assert ya.jvp(fn)(1.2, 1.0)[1] == pytest.approx(ya.grad(fn, 1.2)[1]["x"])


def of_unknown_length(x):
    return max([x * i for i in range(int(x) + 1)], key=abs, default=0.0) * 2


def test_an_extreme_by_key_of_unknown_length_is_refused():
    with pytest.raises(ya.YotaError, match="the argument `key` is not supported"):
        ya.grad(of_unknown_length, 1.2)
