"""Sums of all elements in fast text: inner products, and methods of arrays."""

import contextlib

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.fast import block_loops

from .test_fast import body, compare

X, Y = np.linspace(-1.0, 1.0, 7), np.linspace(1.0, 2.0, 7)
M = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


def squares(x, y):
    e = x * y - 1.0
    return np.mean(e**2) + np.sum(e * y)


def test_sums_of_products_are_inner_products():
    source = compare(squares, (X, Y), {}).source
    assert "    val = np.vdot(e, e) / e.size + np.vdot(e, y)\n" in body(source)
    assert "if max(x.itemsize, y.itemsize) <= 2:" in source


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-totals")
    source = compare(squares, (X, Y), {}).source
    assert "np.mean(e**2) + np.sum(e * y)" in source
    assert "itemsize" not in source


def largest(x, y):
    return np.sum(np.max(x[:, None] * y, axis=1)) + np.mean(np.exp(x))


def test_sums_are_methods_of_arrays():
    source = compare(largest, (X, Y), {}).source
    assert ".max(axis=1)" in source
    assert ".sum() / " in source


def read_twice(x, y):
    p = x * y
    return np.sum(p) * np.sum(p * p)


def written_between(x, y):
    x = x * 1.0
    p = x * y
    x[0] = 5.0
    return np.sum(p) + np.sum(x)


def spread_out(m, y):
    return np.sum(m * y[:3]) + np.mean(m * m.T.reshape(4, 3))


def whole(x, k):
    return np.sum(x * k) + np.mean(k * 1.0) + np.mean(k > 2)


def of_axes(m, y):
    return np.sum(np.mean(m * m, axis=0) * np.sum(m**2, axis=0)) + y[0]


def of_numbers(x, y):
    return np.sum(x[0] * y[0]) + np.mean(x[1] ** 2)


def of_cubes(x, y):
    return np.sum(x**3) + np.sum(x**2.0 * y)


def in_a_loop(x, n):
    total = 0.0
    for _ in range(n):
        x = np.sin(x)
        total = total + np.sum(x * x) + np.mean(x)
    return total


PROGRAMS = [
    (read_twice, (X, Y)), (written_between, (X, Y)), (spread_out, (M, Y)),
    (of_axes, (M, Y)), (of_numbers, (X, Y)), (of_cubes, (X, Y)), (in_a_loop, (X, 3)),
    (squares, (M.T, M.T[::-1])), (squares, (M[:, ::2], M[:, 1:])),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "-fast-blocks", "-fast-memory"])
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_others_are_as_they_were(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    monkeypatch.setattr(block_loops, "LENGTH", 2)
    monkeypatch.setattr(block_loops, "FEWEST", 2)
    compare(fn, args, {})


@pytest.mark.parametrize("of", [np.int64, np.int8])
def test_whole_numbers_are_added_up_as_they_were(of):
    k = np.arange(7).astype(of)
    source = compare(whole, (X.astype("f4"), k), {"wrt": "x"}).source
    assert "np.mean(" in source


ODD = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e200, 5e-324])


@pytest.mark.parametrize(
    "args",
    [
        (ODD, Y), (X[::-1], Y), (X[:1], Y[:1]), (X.astype("f4"), Y.astype("f4")),
        (X.astype(">f8"), Y.astype(">f8")), (X.astype("f4"), Y), (X.astype("f2"), Y),
        (X[:0], Y[:0]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("passes", ["-fast-memory", "-fast-blocks,-fast-memory"])
def test_other_arrays_than_those_of_the_example(args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    monkeypatch.setattr(block_loops, "LENGTH", 2)
    monkeypatch.setattr(block_loops, "FEWEST", 2)
    readable, fast = (ya.simplegrad(squares, X, Y, fast=f) for f in (False, True))
    with (
        np.errstate(all="ignore"),
        contextlib.nullcontext() if len(args[0]) else pytest.warns(RuntimeWarning),
    ):
        wanted, found = readable(*args), fast(*args)
    near = 1e-5 if args[0].itemsize < 8 else 1e-12
    for one, other in zip(wanted, found, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(other, one, rtol=near, atol=near)


def test_half_precision_has_a_text_of_its_own():
    x = np.full(7, 20.0)
    fast = ya.simplegrad(squares, x, Y, fast=True)
    with pytest.raises(ValueError, match="made for x, y of more than half precision"):
        fast(x.astype("f2"), Y.astype("f2"))
    halves = x.astype("f2"), Y.astype("f2")
    readable, own = (ya.simplegrad(squares, *halves, fast=f) for f in (False, True))
    assert "np.vdot" not in own.source.partition("# reverse")[0]
    assert np.isfinite(own(*halves)[0])
    assert own(*halves)[0] == readable(*halves)[0]
