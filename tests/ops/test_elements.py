"""What is stated of the elements of results, against the functions themselves."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ops import info
from yota_ast.rules.notation.display_names import display_name

from .calls import Called, by_function, holds, to_type
from .test_algebra import stating

CALLS = by_function()
OF_TABLE = [call for calls in CALLS.values() for call in calls]


def calls_of(name: str, unknown: Any) -> list[Called]:
    """The calls of the table of functions of which something is stated."""
    return [c for c in OF_TABLE if getattr(info(c.fn), name) not in (unknown, None)]


def ravelled(value: Any) -> list[Any]:
    """The numbers that a value is or holds."""
    if isinstance(value, list | tuple):
        return [x for item in value for x in ravelled(item)]
    return [] if value is None else np.ravel(value).tolist()


def changed_first(call: Called, fn: Any) -> Called:
    """The call with other numbers in its first operand."""

    def each(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(map(each, value))
        is_array = isinstance(value, np.ndarray) and value.dtype.kind in "fc"
        return fn(value) if is_array or isinstance(value, float | complex) else value

    return call.given((each(call.args[0]), *call.args[1:]))


def has_whole_numbers(value: Any) -> bool:
    """Whether a list holds numbers that stay as they are."""
    return isinstance(value, list) and any(isinstance(v, int) for v in value)


def is_whole(value: Any) -> bool:
    """Whether a value holds no floats."""
    return not any(isinstance(v, float | complex) for v in ravelled(value))


def is_of_several(call: Called) -> bool:
    """Whether a call is of several arrays, and gives a tuple of as many."""
    return "atleast" in call.text and len(call.args) > 1


def ids(call: Called) -> str:
    return call.text


ITEMS = [c for c in calls_of("items", "unknown") if c.run() is not None]
SHAPES = ((), (4,), (2, 3))
LINEAR = ("moved", "kept", "placed", "summed")


@pytest.mark.parametrize("call", ITEMS, ids=ids)
def test_items(call):
    said = info(call.fn).items
    for dtype in ("f8", "f4", "c16"):
        given = call if dtype == "f8" else call.given(
            (to_type(call.args[0], dtype), *call.args[1:])
        )  # fmt: skip
        result = given.run()
        if result is None:
            continue
        if is_of_several(given) or is_whole(result):
            continue
        made, of = Counter(ravelled(result)), Counter(ravelled(given.args[0]))
        if said == "moved":
            assert made == of
            assert np.result_type(result) == np.result_type(given.args[0])
        elif said == "kept" and not any(isinstance(v, complex) for v in of):
            assert sorted(made.elements()) == pytest.approx(sorted(of.elements()))
        elif said == "picked" and not dict(call.kwargs):
            assert made.keys() <= {*of, 0.0} if call.fn.__name__ == "unsum" else of
        elif said == "picked of all":
            every = {x for a in call.args for x in ravelled(a)}
            assert dtype != "f8" or made.keys() <= every


@pytest.mark.parametrize("call", ITEMS, ids=ids)
def test_zeros_are_handed_on(call):
    """Of zeros each function gives zeros."""
    if info(call.fn).items == "picked of all":
        return
    kwargs = dict(call.kwargs)
    if has_whole_numbers(call.args[0]) or is_of_several(call):
        return
    result = changed_first(call, lambda x: x * 0).run()
    if result is not None and not kwargs.keys() & {"initial", "start", "out"}:
        start = call.args[1:] if call.fn is sum else ()
        assert start or not any(ravelled(result)), call.text


PLACED = [
    c
    for c in ITEMS
    if info(c.fn).items in LINEAR
    and not dict(c.kwargs)
    and not has_whole_numbers(c.args[0])
]


@pytest.mark.parametrize("call", PLACED, ids=ids)
def test_there_is_no_other_term(call):
    """What is placed or summed is linear in the first operand."""
    twice = changed_first(call, lambda x: x * 2.0).run()
    start = call.args[1:] if call.fn is sum else ()
    if not start and not is_whole(call.run()) and not is_of_several(call):
        wanted = [2.0 * x for x in ravelled(call.run())]
        assert ravelled(twice) == pytest.approx(wanted, nan_ok=True)


KEEPING = [c for c in OF_TABLE if info(c.fn).keeps_zero and holds(c.args[0]) - {0}]


@pytest.mark.parametrize("call", KEEPING, ids=ids)
def test_zero_is_kept(call):
    assert not any(ravelled(changed_first(call, lambda x: x * 0).run()))


@pytest.mark.parametrize("fn", stating("degree"), ids=display_name)
def test_degree(fn):
    degree = info(fn).degree
    rng = np.random.default_rng(2)
    of_numbers = fn.__module__ in ("math", "builtins")
    for shape in ((1,),) if fn is math.dist else ((),) if of_numbers else SHAPES:
        x, y = rng.normal(size=(2, *shape))
        given = (x, y) if fn in (np.hypot, math.hypot, math.dist) else (x,)
        one = fn(*given)
        for t in (2.0, -3.0):
            many = fn(*(t * np.asarray(a) if np.ndim(a) else t * a for a in given))
            np.testing.assert_allclose(many, abs(t) ** degree * one, atol=1e-12)


@pytest.mark.parametrize("name", ["positive", "underflows"])
def test_positive(name):
    for fn in stating(name):
        for x in (-700.0, -1.0, 0.0, 1.0, 700.0):
            assert fn(x) > 0
        if name == "underflows":
            assert fn(-2000.0) == 0


def test_largest():
    rng = np.random.default_rng(3)
    for fn in stating("largest"):
        for shape in ((4,), (2, 3)):
            x, y = rng.normal(size=(2, *shape))
            result = fn(x, y) if isinstance(fn, np.ufunc) else fn(x)
            assert np.all(result >= x)


@pytest.mark.parametrize("fn", stating("fill"), ids=display_name)
def test_fill(fn):
    said = info(fn).fill
    for shape in ((), (3,), (0, 2)):
        for dtype in ("f4", "i8", "c16", "?"):
            of = np.full(shape, 3, dtype) if "like" in fn.__name__ else shape
            made = fn(of, 7) if said == "given" else fn(of)
            assert isinstance(made, np.ndarray)
            assert made.shape == shape
            number = {"zeros": 0, "ones": 1, "given": 7}.get(said)
            wanted = np.asarray(number).astype(made.dtype) if number else number
            assert said == "nothing" or np.all(made == wanted)


@pytest.mark.parametrize("fn", stating("refuses_zero"), ids=display_name)
def test_zero_is_refused(fn):
    place = info(fn).refuses_zero
    for zero in (0, 0.0):
        args = [2.0, 2.0] if place else [2.0]
        fn(*args)
        args[place] = zero
        with pytest.raises((ZeroDivisionError, ValueError)):
            fn(*args)


def test_the_tables_are_read():
    assert len(ITEMS) > 60
    assert len(KEEPING) > 10
    assert {info(c.fn).items for c in ITEMS} > {"moved", "kept", "picked", "placed"}


def root_of_exponential(x):
    return np.sum(np.sqrt(np.exp(x)))


def root_of_triangle(x):
    return np.sum(np.sqrt(np.tril(np.cosh(x))))


def root_of_selected(x):
    none = np.zeros(x.shape, bool)
    return np.sqrt(np.sum(np.cosh(x), where=none))


@pytest.mark.parametrize(
    ("fn", "x", "wanted"),
    [
        (root_of_exponential, np.array([0.0, -2000.0]), [0.5, 0.0]),
        (root_of_triangle, np.zeros((2, 2)), np.zeros((2, 2))),
        (root_of_selected, np.ones(2), [0.0, 0.0]),
    ],
)
def test_a_root_of_what_may_be_zero_for_rounding(fn, x, wanted):
    np.testing.assert_array_equal(ya.grad(fn, x)[1]["x"], wanted)
