"""Sums over rows and columns, in fast text products with vectors."""

import copy
import itertools

import numpy as np
import pytest

import yota_ast as ya

from .checking import leaves
from .test_fast import compare

X, M = np.linspace(-1.0, 1.0, 7), np.linspace(0.5, 1.5, 3)
TABLE = np.sin(np.arange(21.0)).reshape(7, 3)


def of_rows(x, m):
    t = np.exp(x[:, None] * m)
    total = np.sum(t, axis=1)
    return np.sum(np.log(total) * total)


def weighted(x, m):
    t = np.tanh(x[:, None] - m)
    return np.sum(np.sum(np.exp(x)[:, None] * t, axis=0) ** 2)


def scaled(x, m):
    t = np.tanh(x[:, None] - m)
    return np.sum(np.sum(t * m, axis=1) ** 3) + np.sum((t * m).sum(axis=0) * m)


def of_table(a, x, m):
    t = np.tanh(a) * m
    return np.sum((x[:, None] * t).sum(axis=0) * np.sum(a * m, axis=-1)[:3])


def square(a, x):
    return np.sum(np.sum(a * x, axis=0) * np.sum(a * x[:, None], axis=1))


def in_a_loop(a, x, n):
    total = 0.0
    for _ in range(n):
        t = np.sin(a) * x[:, None]
        total = total + np.sum(np.sum(t, axis=0) ** 2)
        a = a * 0.9
    return total


def written(a, x):
    t = np.tanh(a)
    p = x[:, None] * t
    t[0] = 5.0
    return np.sum(np.sum(p, axis=0) * np.sum(t, axis=0))


def written_vector(a, x):
    c = np.exp(x)
    p = c[:, None] * np.tanh(a)
    c[1:] *= 2.0
    return np.sum(np.sum(p, axis=0)) + np.sum(c * np.sum(np.cos(a), axis=1))


def written_argument(a, x):
    p = np.tanh(a) * x[:, None]
    x[0] = 0.0
    return np.sum(np.sum(p, axis=0) ** 2) + np.sum(x)


CASES = [
    (of_rows, (X, M)),
    (weighted, (X, M)),
    (scaled, (X, M)),
    (of_table, (TABLE, X, M)),
    (square, (TABLE[:3], M)),
    (in_a_loop, (TABLE, X, 3)),
    (written, (TABLE, X)),
    (written_vector, (TABLE, X)),
    (written_argument, (TABLE, X)),
]


@pytest.mark.parametrize("passes", ["all", "-fast-blocks", "-fast-sums", "none"])
@pytest.mark.parametrize(("fn", "args"), CASES)
def test_sums_are_right(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    compare(fn, args, {})


def in_types(args, dtypes):
    """The arrays in these types, one after the other."""
    types = itertools.cycle(dtypes)
    return tuple(
        a.astype(next(types)) if isinstance(a, np.ndarray) else a for a in args
    )


@pytest.mark.parametrize("passes", ["all", "-fast-blocks"])
@pytest.mark.parametrize("dtypes", [("f4",), ("f4", "f8"), ("f8", "f4"), (">f8",)])
@pytest.mark.parametrize(("fn", "args"), CASES)
def test_text_serves_other_types(fn, args, dtypes, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    given = in_types(args, dtypes)
    readable = ya.simplegrad(fn, *args)
    fast = ya.simplegrad(fn, *args, fast=True)
    try:
        wanted = leaves(readable(*copy.deepcopy(given)))
    except ValueError:  # what is written needs its precision
        with pytest.raises(ValueError, match="made for less precision"):
            fast(*copy.deepcopy(given))
        return
    found = leaves(fast(*copy.deepcopy(given)))
    for one, other in zip(wanted, found, strict=True):
        assert getattr(one, "dtype", float) == getattr(other, "dtype", float)
        np.testing.assert_allclose(other, one, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize(("fn", "args"), CASES[:3])
@pytest.mark.parametrize("rows", [slice(0), slice(1), slice(None, None, -2)])
def test_text_serves_other_lengths(fn, args, rows):
    given = (args[0][rows], *args[1:])
    texts = [ya.simplegrad(fn, *args, fast=fast) for fast in (False, True)]
    wanted, found = (leaves(f(*copy.deepcopy(given))) for f in texts)
    for one, other in zip(wanted, found, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(other, one, rtol=1e-9)


def code(source):
    """A text without its comments, which quote the function."""
    return "\n".join(line for line in source.split("\n") if "# " not in line)


@pytest.mark.parametrize(
    ("fn", "args", "there"),
    [
        (of_rows, (X, M), ("t @ ", "np.ones_like(m)")),
        (weighted, (X, M), (" @ t",)),
        (scaled, (X, M), (" @ m",)),
    ],
)
def test_products_are_printed(fn, args, there, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-blocks")
    text = code(compare(fn, args, {}).source)
    assert all(part in text for part in there), text


def kept_axes(x, m):
    t = np.exp(x[:, None] * m)
    return np.sum(t / np.sum(t, axis=1, keepdims=True) * m)


@pytest.mark.parametrize(
    ("fn", "args"),
    [(of_rows, (X, np.linspace(0.0, 1.0, 40))), (kept_axes, (X, M))],
)
def test_long_rows_are_summed(fn, args):
    assert "t.sum(axis=1" in code(compare(fn, args, {}).source)


def test_infinite_and_missing_numbers_stay_where_they_are():
    odd = X.copy()
    odd[2], odd[4] = np.inf, np.nan
    readable = ya.simplegrad(weighted, X, M, wrt="x")
    fast = ya.simplegrad(weighted, X, M, wrt="x", fast=True)
    with np.errstate(all="ignore"):
        np.testing.assert_equal(
            np.isnan(fast(odd, M)[1]), np.isnan(readable(odd, M)[1])
        )
