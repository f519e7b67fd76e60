"""Every operation, its whole numbers of NumPy's types: axes, shifts, orders, counts.

Of those `-n`, `n - 1` and `n + 1` wrap around, and bools have no minus. The gradient is
that for Python's integers in every mode, or refused.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.rules import BOOK

from ..operations import OPERATIONS
from . import scipy_operations as of_scipy
from .check import leaves, random_like
from .whole_settings import cast, whole_number, with_settings

TYPES = (np.uint8, np.int8, np.uint64, np.int64, np.bool_)
RAISING = ("norm", "lu_solve", "ndimage.")
"""What may raise in the gradient alone: for a bool as the axis of a norm, for unsigned
pivots, for an array without axes as that of a filter."""
LEFT_OUT = ("rt.", "empty", "rollaxis")
"""Helpers are given what rules give them, empty memory is anything, and `rollaxis`
counts down in an array of the caller's."""
TABLE = [
    pytest.param(one, name, id=f"{one}-{name}")
    for each in (*OPERATIONS, *of_scipy.OPERATIONS)
    if not any(t in each.text for t in LEFT_OUT)
    for one, name in with_settings(each)
]


def same(got: Any, wanted: Any) -> bool:
    pairs = zip(leaves(got), leaves(wanted), strict=True)
    return all(
        np.shape(p) == np.shape(q) and np.allclose(p, q, 1e-5, 1e-7, equal_nan=True)
        for p, q in pairs
    )


def modes(f: Any, values: dict[str, Any], wanted: list[str], seed: Any) -> Any:
    """The ways to a derivative, by name: code for the example, for any, and forward."""
    rng = np.random.default_rng(2)
    along = {k: random_like(values[k], rng) for k in wanted}
    general = ya.simplegrad(f, wrt=wanted)
    return {
        "general": lambda v: general.fn(*v.values(), seed=seed)[1:],
        "example": lambda v: [
            ya.grad(f, *v.values(), seed=seed, wrt=wanted)[1][k] for k in wanted
        ],
        "forward": lambda v: ya.jvp(f)(*v.values(), *map(along.get, v))[1],
    }


def casts(f: Any, values: dict[str, Any], name: str, y: Any) -> Any:
    """The arguments with the setting of another type, where NumPy takes it for the
    same."""
    for dtype in TYPES:
        for array in (False, True):
            value = cast(values[name], dtype, array=array)
            if value is None:
                continue
            given = {**values, name: value}
            try:
                if same(f(*given.values()), y):
                    yield {**values, name: cast(values[name], dtype, array=array)}
            except Exception:  # noqa: S112  NumPy refuses it
                continue


@pytest.mark.filterwarnings("ignore")
@pytest.mark.part(12)
@pytest.mark.parametrize(("one", "name"), TABLE)
def test_the_derivative_is_that_for_an_int_of_python(one, name):
    f, values = one.fn, one.sample(3)
    y = f(**values)
    wanted = [k for k, v in values.items() if leaves(v)]
    if not wanted or not leaves(y):
        pytest.skip("no derivative")
    seed = random_like(y, np.random.default_rng(1))
    try:
        ways = modes(f, values, wanted, seed)
    except ya.YotaError as why:
        pytest.skip(why.reason)
    given = list(casts(f, values, name, y))
    # Code for an example is made anew for each type: of these one, by the seed.
    some = np.random.default_rng(len(one.text)).permutation(len(given))[:1]
    for way, derivative in ways.items():
        try:
            expected = derivative(values)
        except (ya.YotaError, ValueError):
            continue
        for k, v in enumerate(given):
            if way == "general" or k in some:
                check(one.text, derivative, v, expected)


def check(text, derivative, values, expected):
    try:
        got = derivative(values)
    except ya.YotaError:
        return
    except (TypeError, IndexError):
        if any(t in text for t in RAISING):
            return
        raise
    assert same(got, expected), values


# ---------------------------------------------------------------- the notation


def bare(expression):
    """The settings that an expression negates, or counts on or back from.

    Of a sum of two settings nothing wraps around that NumPy itself does not count.
    """
    for node in ast.walk(expression):
        match node:
            case ast.UnaryOp(ast.USub(), ast.Name(name)):
                yield name
            case ast.BinOp(ast.Name(name), ast.Sub(), _):
                yield name
            case ast.BinOp(ast.Name(name), ast.Add(), right):
                if whole_number(right) is not None:
                    yield name


def test_rules_count_with_signed_settings():
    BOOK.open_chapters()
    found = []
    for rule in BOOK:
        settings = set(rule.parameters) - set(rule.adjoints)
        for statement in rule.statements if rule.chapter else ():
            names = set(bare(ast.parse(statement.text))) & settings
            found += [(rule.name, statement.text, name) for name in sorted(names)]
    assert found == []


def test_bare_settings_are_found():
    text = "f(-k, n - 1, a + 1, b + c, signed(d) - 1, 1 - e)"
    assert list(bare(ast.parse(text))) == ["k", "n", "a"]


# ---------------------------------------------------------------- what is written


def rolled(x, k):
    return np.sum(np.roll(x, k) * np.array([1.0, 2.0, 4.0]))


def line_of(g, word):
    (line,) = (s for s in g.source.splitlines() if word in s and "dx = " in s)
    return line.strip()


X = np.array([1.0, 2.0, 3.0])


def test_only_what_may_wrap_around_is_converted():
    def at(k):
        return line_of(ya.simplegrad(rolled, X, k, wrt=["x"]), "np.roll")

    assert at(1) == "dx = np.roll(seed * t1, -k)"
    assert at(np.int64(1)) == "dx = np.roll(seed * t1, -k)"
    assert at(np.uint8(1)) == "dx = np.roll(seed * t1, -int(k))"
    assert at(np.array(1, np.int8)) == "dx = np.roll(seed * t1, -int(k))"
    shifts = np.array([1, 1], np.uint8)
    assert at(shifts) == "dx = np.roll(seed * t1, -k.astype(int))"
    general = ya.simplegrad(rolled, wrt=["x"])
    assert "-signed(k)" in line_of(general, "np.roll")


@pytest.mark.parametrize("shift", [10**30, -(10**25), np.int8(-128), np.uint64(2**63)])
def test_shifts_of_many_digits(shift):
    expected = rolled(np.eye(3)[0], shift)
    assert ya.grad(rolled, X, shift)[1]["x"][0] == expected
    assert ya.simplegrad(rolled, wrt=["x"]).fn(X, shift)[1][0] == expected


@pytest.mark.parametrize("shifts", [[1, 2], (np.uint8(1), 2), [np.True_, np.uint8(2)]])
def test_several_shifts(shifts):
    expected = ya.grad(rolled, X, 3)[1]["x"]
    np.testing.assert_array_equal(ya.grad(rolled, X, shifts)[1]["x"], expected)


@pytest.mark.parametrize(
    "take",
    [
        lambda x, i: np.take(x, i) ** 2 @ np.array([1.0, 3.0]),
        lambda x, i: x.take(i, axis=0) ** 2 @ np.array([1.0, 3.0]),
        lambda x, i: np.take(x, i, mode="wrap") ** 2 @ np.array([1.0, 3.0]),
        lambda x, i: np.take(x, i, mode="clip") ** 2 @ np.array([1.0, 3.0]),
    ],
)
@pytest.mark.parametrize("mask", [[True, True], [True, False], [False, False]])
def test_take_reads_bools_as_numbers(take, mask):
    x = np.array([2.0, 5.0])
    expected = ya.grad(take, x, np.array(mask, int))[1][0]
    for places in (mask, np.array(mask)):
        np.testing.assert_array_equal(ya.grad(take, x, places)[1][0], expected)
        general = ya.simplegrad(take, wrt=[0]).fn(x, places)[1]
        np.testing.assert_array_equal(general, expected)


def powers(x, flag):
    return np.sum(x**flag * X)


@pytest.mark.parametrize("flag", [np.True_, np.False_, np.array([True, False, True])])
def test_powers_of_bools(flag):
    expected = X * flag
    np.testing.assert_array_equal(ya.grad(powers, X, flag)[1]["x"], expected)
    general = ya.simplegrad(powers, wrt=["x"]).fn(X, flag)[1]
    np.testing.assert_array_equal(general, expected)


def test_a_number_of_few_digits_that_is_asked_for():
    def slope(x):
        return np.arctan(x)

    g = ya.grad(slope, np.uint8(20), wrt=["x"])[1]["x"]
    assert g == pytest.approx(1 / 401, rel=1e-12)
