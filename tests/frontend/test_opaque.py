"""Objects of which only the run tells which they are: no arrays, and no numbers."""

from __future__ import annotations

import contextvars
import weakref

import numpy as np
import pytest
import scipy.sparse

import yota_ast as ya
from yota_ast.ir.abstract_values import FLOAT, NONE, OPAQUE, fact_of
from yota_ast.ir.facts.joined_facts import join

from .checking import check


class Signal:
    def __init__(self, slope):
        self.slope = slope

    def __getitem__(self, x):
        return self.slope * x

    def __add__(self, x):
        return self.slope + x * x


SIGNAL = Signal(2.0)
CACHE = {hash("a"): SIGNAL}
CURRENT = contextvars.ContextVar("current", default=SIGNAL)
WEAK = weakref.ref(SIGNAL)
OBJECTS = np.array([SIGNAL], dtype=object)


def of_an_item(x):
    return CACHE[hash("a")][x]


def of_a_sum(x):
    return CACHE[hash("a")] + x


def of_get(x):
    return CACHE.get(hash("a"))[x]


def of_a_context(x):
    return CURRENT.get()[x]


def of_a_weak_reference(x):
    return WEAK()[x]


def of_objects(x):
    return OBJECTS[0][x]


def of_objects_at_an_index(x):
    return OBJECTS[int(x) - 3] + x


def of_all_objects(x):
    return np.add(OBJECTS, x)[0]


def of_an_object_or_none(x):
    return (CACHE[hash("a")] if x > 1 else None) + x


def at_floats(x):
    return np.sum(CACHE.get(hash("a"))[x * np.ones(3)])


@pytest.mark.parametrize(
    "f",
    [
        of_get, of_a_context, of_a_weak_reference, of_objects, of_objects_at_an_index,
        of_all_objects, at_floats,
    ],
)  # fmt: skip
def test_what_an_unknown_object_gives_is_refused(f):
    """Each had the derivative of an array: 0 of an item, and 1 of a sum."""
    with pytest.raises((ya.UnsupportedCall, ya.NoRule)):
        ya.grad(f, 3.0)


@pytest.mark.parametrize("f", [of_an_item, of_a_sum, of_an_object_or_none])
def test_what_a_table_of_objects_holds_is_known(f):
    check(f, 3.0)


def test_facts_of_what_may_be_an_object():
    assert join(fact_of(SIGNAL), NONE) == join(FLOAT, fact_of(SIGNAL)) == OPAQUE
    assert join(OPAQUE, FLOAT) == OPAQUE == fact_of(OBJECTS)
    assert fact_of(np.array([1.0, None], dtype=object)).kind == "array"


LENGTHS = {"a": 2.0, "b": 3.0}
TABLE = np.array([1.0, 2.0, 3.0])


def of_known_tables(x, name, k):
    return LENGTHS[name] * x + TABLE[k] * LENGTHS.get(name, 1.0)


def test_numbers_from_tables():
    assert ya.grad(of_known_tables, 3.0, "b", 1, wrt=["x"])[1]["x"] == 3.0


class Labelled:
    """What stands for a Series of pandas, by its name."""

    __module__ = "pandas"

    def __init__(self, values):
        self.values = np.asarray(values)
        self.dtype, self.shape = self.values.dtype, self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values


Labelled.__name__ = "Series"


def of_its_numbers(s, x):
    return np.sum(np.asarray(s) * x)


def test_labels_are_no_places():
    """`s[0] * s[2]` by labels had the gradient of other places."""
    series, x = Labelled([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 2.0])
    assert fact_of(series).kind == "other"
    assert ya.grad(of_its_numbers, series, x, wrt=["x"])[1]["x"].tolist() == [1, 2, 4]
    said = "'s' is a Series, which is not differentiated"
    with pytest.raises(ya.YotaError, match=said):
        ya.grad(of_its_numbers, series, x, wrt=["s"])


def averaged(x):
    graph = scipy.sparse.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1.0, 0]]))
    ends, places = graph.indptr, graph.indices
    out = np.zeros(3)
    for i in range(len(ends) - 1):
        out[i] = np.mean(x[places[ends[i] : ends[i + 1]]])
    return np.sum(out**2)


def test_a_field_of_what_is_not_followed_is_subscripted():
    check(averaged, np.array([0.3, 0.8, -0.2]))
