"""Blocks of short rows, which fast text computes as columns."""

import numpy as np
import pytest

from yota_ast.adjoint.fast import short_rows

from .test_fast import _short_blocks, compare  # noqa: F401  it is a fixture

X = np.sin(np.arange(11.0))
P = np.linspace(-0.7, 0.9, 3)


def mixture(x, mean, log_scale):
    z = (x[:, None] - mean) * np.exp(-log_scale)
    e = -log_scale - 0.5 * z * z
    top = np.max(e, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(e - top), axis=1)) + top[:, 0])


def kernels(x, p, w):
    d = x[:, np.newaxis] - p
    near = np.exp(-d * d)
    total = np.sum(near, axis=1)
    return np.sum((near @ w / total - np.sin(x)) ** 2) + np.sum(near)


def all_of_them(x, p, w):
    d = (x[:, None] - p) * (x * x)[:, None] + w
    return np.sum(np.sin(d)) + np.sum(np.mean(d * d, axis=1) ** 2)


def nearness(x, p):
    d = x[:, None] - p
    return np.sum(np.log(np.sum(np.exp(-d * d), axis=1)))


TURNED = [mixture, nearness, kernels, all_of_them]


def least(x, p, w):
    d = np.abs(x[:, None] * w - p) + 0.1 * x[:, None]
    low = np.min(d, axis=1)
    return np.sum(np.tanh(low) * x) + np.sum(np.where(d > 0.5, d, d * d) * w)


def of_a_matrix(x, p, w):
    d = (np.outer(x, p)[::2] - p) * w
    return np.sum(np.exp(d - np.max(d, axis=1, keepdims=True)) * w)


def as_value(x, p, w):
    d = np.exp((x[:, None] - p) * w)
    return d / np.sum(d, axis=1, keepdims=True)


def of_rows_and_columns(x, p, w):
    d = np.exp((x[:, None] - x) * 0.1)
    return np.sum(d * d / np.sum(d, axis=1, keepdims=True)) + np.sum(p * w)


def arguments(fn):
    return (X, P, P[::-1])[: fn.__code__.co_argcount]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("fn", TURNED)
def test_short_rows_are_columns(fn, dtype, monkeypatch):
    args = [a.astype(dtype) for a in arguments(fn)]
    made = compare(fn, args, {})
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-columns")
    plain = compare(fn, args, {})
    if dtype == "f4" and fn is nearness:
        return  # its type is known to nobody
    assert made.source != plain.source
    assert "axis=1" not in made.source.partition("for lo in")[2].partition("#")[0]
    long = np.linspace(-1.0, 1.0, 40, dtype=dtype)
    near = 1e-9 if dtype == "f8" else 2e-4
    few = (args[0][:1], args[0][::-2], np.concatenate(args * 3))
    for x in few:
        for p in (args[1][:1], args[-1], long):
            given = x, p, p[::-1]
            given = given[: len(args)]
            pairs = zip(made(*given), plain(*given), strict=True)
            for one, other in pairs:
                np.testing.assert_allclose(one, other, rtol=near, atol=near)
    for one, other in zip(made(args[0][:0], *args[1:]), plain(args[0][:0], *args[1:])):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("fn", [of_a_matrix, as_value, of_rows_and_columns, least])
def test_other_rows_stay(fn, monkeypatch):
    source = compare(fn, arguments(fn), {}).source
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-columns")
    assert compare(fn, arguments(fn), {}).source == source


def test_long_rows_stay(monkeypatch):
    args = X, np.linspace(-1, 1, short_rows.SHORT + 1), np.ones(short_rows.SHORT + 1)
    source = compare(kernels, args, {}).source
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-columns")
    assert compare(kernels, args, {}).source == source


@pytest.mark.parametrize("passes", ["-tidy", "-fast-sums", "fast-blocks,fast-columns"])
@pytest.mark.parametrize("fn", TURNED)
def test_with_other_passes(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    compare(fn, arguments(fn), {})
