"""Results in fast text, written into operands that nothing reads later."""

import tracemalloc

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.fast import block_loops, fitting_operands

from .test_fast import body, compare

X, Y = np.linspace(-1.0, 1.0, 7), np.linspace(1.0, 2.0, 7)
A = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
W = np.linspace(0.0, 1.0, 6).reshape(3, 2)
B = np.array([0.5, -0.5])


@pytest.fixture(autouse=True)
def _few_elements(monkeypatch):
    monkeypatch.setattr(fitting_operands, "FEWEST", 1)


def layer(x, w, b):
    h = np.tanh(x @ w + b)
    return np.sum(h * h)


def test_results_are_written_into_operands():
    source = compare(layer, (A, W, B), {}).source
    assert (
        body(source)
        == """\
    # forward
    h = x @ w
    h += b
    np.tanh(h, out=h)
    t1 = h * h
    val = t1.sum()

    # reverse
    # h = np.tanh(x @ w + b)
    t2 = np.multiply(2.0, h, out=h)
    t2 *= 1 - t1
    db = t2.sum(axis=0)
    dx = t2 @ w.T
    dw = x.T @ t2

    return val, dx, dw, db
"""
    )
    assert "if not b.itemsize == w.itemsize == x.itemsize:" in source


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-memory")
    source = compare(layer, (A, W, B), {}).source
    assert "h = np.tanh(x @ w + b)" in source
    assert "itemsize" not in source


LOG = []


def logged(x, y):
    t = np.exp(x) * y
    LOG.append(t)
    return np.sum(np.tanh(t * y))


def test_what_a_list_holds_is_not_written():
    fast = ya.simplegrad(logged, X, Y, fast=True)
    LOG.clear()
    fast(X, Y)
    np.testing.assert_allclose(LOG, [np.exp(X) * Y])


def reuses(source):
    """Whether a text writes into what it has made."""
    return "out=" in source or " += " in source or " *= " in source


def test_small_arrays_of_the_example_are_made_anew(monkeypatch):
    monkeypatch.setattr(fitting_operands, "FEWEST", 1024)
    assert not reuses(compare(layer, (A, W, B), {}).source)
    large = np.ones((1024, 3))
    assert reuses(compare(layer, (large, W, B), {}).source)


def kept(x, y):
    t = np.exp(x) * y
    parts = [t]
    u = t * y
    return np.sum(u * parts[0])


def seen(x, y):
    t = np.exp(x) * y
    part = t[1:]
    u = t * y
    return np.sum(u) + np.sum(part * part)


def given_back(x, y):
    t = np.exp(x) * y
    return t * y, t


def saved(x, n):
    for _ in range(n):
        t = np.exp(-x)
        x = 0.1 * x * t + np.sin(t)
    return np.sum(x)


def handed_on(x, y, n):
    t = np.exp(x)
    for k in range(n):
        u = t * y
        if k % 2:
            t = u
        y = y + np.tanh(u) * t
    return np.sum(y * t)


def twice(x, y):
    t = x * y
    u = t * t
    return np.sum(u * np.exp(u))


def broadcast(x, y):
    t = np.exp(x)
    return np.sum(t * y[:, None] + t)


def widened(x, y):
    t = np.exp(x)
    return np.sum((t * 2.0) * y)


def raising(x, y):
    try:
        t = np.exp(x) * y
        u = t * y
    except FloatingPointError:
        u = x
    return np.sum(u)


def of_closures(x, y):
    t = np.exp(x) * y

    def f(z):
        return z * t

    return np.sum(f(x) + f(y))


def backwards(x, y):
    t = np.exp(x)
    return np.sum((1.0 / (t + 1.0)) - (y - t) / (2.0 - np.tanh(t * y)))


def masked(x, y):
    t = np.where(x > 0, x, 0.5 * y)
    t = np.maximum(t * y, x)
    return np.sum(np.sqrt(t * t + 1.0))


def bent(x, w, b):
    h = x @ w + b
    h = np.where(h > 0, h, 0.0)
    return np.sum(h * h * np.where(b > 0, 0.5, h))


def test_where_a_number_is_chosen_it_is_written_into_the_array():
    source = body(compare(bent, (A, W, B), {}).source)
    assert "    np.copyto(h, 0.0, where=~t1)\n" in source


def of_masks(x, y):
    t = np.exp(x)
    m = (x > 0) + 0.5 * (x == 0)
    k = (x > 0) * 2
    return np.sum(
        t * m + t * k + (t * y) * np.sum(x > 0) + np.where(x > 0, 1.0, 0.0) * t
    )


PROGRAMS = [
    (bent, (A, W, B)), (of_masks, (X, Y)),
    (kept, (X, Y)), (seen, (X, Y)), (given_back, (X, Y)), (saved, (X, 4)),
    (handed_on, (X, Y, 4)), (twice, (X, Y)), (broadcast, (X, Y)), (raising, (X, Y)),
    (of_closures, (X, Y)), (backwards, (X, Y)), (masked, (X, Y)), (layer, (A, W, B)),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "-fast-blocks"])
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_what_is_read_later_stays(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    monkeypatch.setattr(block_loops, "LENGTH", 2)
    monkeypatch.setattr(block_loops, "FEWEST", 2)
    compare(fn, args, {})


ODD = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, 5e-324])


def turned(value):
    """The same numbers, in another order of bytes."""
    return value.astype(value.dtype.newbyteorder())


@pytest.mark.parametrize("fn", [seen, twice, backwards, masked, of_masks])
@pytest.mark.parametrize("passes", ["all", "-fast-blocks"])
def test_other_arrays_than_those_of_the_example(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    monkeypatch.setattr(block_loops, "LENGTH", 2)
    monkeypatch.setattr(block_loops, "FEWEST", 2)
    readable, fast = (ya.simplegrad(fn, X, Y, fast=f) for f in (False, True))
    assert reuses(fast.source) == (fn is not of_masks)  # its types are not known
    long = np.repeat(X, 2)
    others = [
        (ODD, Y), (X[::-1], Y[::-1]), (long[::2], Y), (X[:1], Y[:1]), (X[:0], Y[:0]),
        (turned(X), turned(Y)), (turned(X), Y), (X, X),
        (X.astype("f4"), Y.astype("f4")), (np.float16(X), np.float16(Y)),
    ]  # fmt: skip
    for args in others:
        before = [a.copy() for a in args]
        near = {2: 2e-2, 4: 1e-5}.get(args[0].itemsize, 1e-10)
        with np.errstate(all="ignore"):
            wanted, found = readable(*args), fast(*args)
        for one, other in zip(wanted, found, strict=True):
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(other, one, rtol=near, atol=near)
        for arg, old in zip(args, before, strict=True):
            np.testing.assert_array_equal(arg, old)


def test_arrays_of_several_precisions_are_refused():
    fast = ya.simplegrad(backwards, X, Y, fast=True)
    with pytest.raises(ValueError, match="made for x, y of one precision"):
        fast(X, Y.astype("f4"))


def scaled(x, c):
    t = np.exp(x) * c
    return np.sum(np.tanh(t) * t)


@pytest.mark.parametrize("c", [2, 2.5, np.float64(2.5), np.int64(2)])
def test_numbers_widen_no_array(c):
    fast = ya.simplegrad(scaled, X, 2.5, wrt="x", fast=True)
    readable = ya.simplegrad(scaled, X, 2.5, wrt="x")
    for one, other in zip(readable(X, c), fast(X, c), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12)
    narrow = X.astype("f4")
    if isinstance(c, np.generic):
        with pytest.raises(ValueError, match="made for c of no more precision than x"):
            fast(narrow, c)
    else:
        assert fast(narrow, c)[1].dtype == readable(narrow, c)[1].dtype == "f4"


@pytest.mark.parametrize("of", [np.int64, np.int8, bool])
def test_arrays_of_whole_numbers_decide_no_type(of):
    whole = np.arange(7).astype(of)
    compare(widened, (X.astype("f4"), whole), {"wrt": "x"})
    compare(widened, (X, whole), {"wrt": "x"})


def deep(x, y):
    t = np.tanh(x * y + 1.0)
    u = np.sqrt(t * t + 2.0) - np.exp(-t)
    return np.sum(u * np.cos(u) * t)


def peak(fn, args):
    """The most memory that a call takes."""
    fn(*args)
    tracemalloc.start()
    try:
        fn(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("passes", ["-fast-blocks,-fast-functions", "-fast-blocks"])
def test_no_more_memory_is_taken(passes, monkeypatch):
    args = np.linspace(0, 1, 50_000), np.linspace(1, 2, 50_000)
    readable = ya.simplegrad(deep, *args)
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    fast = ya.simplegrad(deep, *args, fast=True)
    assert peak(fast.fn, args) <= 1.01 * peak(readable.fn, args)
