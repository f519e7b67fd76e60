"""Adjoints of log(1 + exp(z)) and its kind: right where exp(z) overflows."""

import warnings

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def log1p_exp(x):
    return np.sum(np.log1p(np.exp(x)))


def log_one_more(x):
    return np.sum(np.log(1 + np.exp(x)))


def log_one_more_turned(x):
    w = np.exp(2 * x) + 1.0
    return np.sum(np.log(w)) + np.sum(w) * 0.0


def sigmoid(x):
    return np.sum(1 / (1 + np.exp(-x)))


def helper(z):
    return 1.0 + np.exp(z)


def by_helper(x):
    total = 0.0
    for i in range(len(x)):
        total += np.log(helper(x[i])) * x[0]
    return total


def logsumexp(x):
    return np.log(np.sum(np.exp(x)))


def logsumexp_rows(x):
    return np.sum(np.log(np.sum(np.exp(x), axis=1)) ** 2)


def logsumexp_kept(x):
    return np.sum(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))


def shifted(x):
    m = x.max()
    return m + np.log(np.sum(np.exp(x - m)))


def read_again(x):
    e = np.exp(x)
    return np.log(np.sum(e)) + np.sum(e * e) + np.sum(np.log1p(e))


FLAT = [log1p_exp, log_one_more, log_one_more_turned, sigmoid, by_helper, logsumexp]
FLAT += [shifted, read_again]
ROWS = [logsumexp_rows, logsumexp_kept]
x = np.array([0.3, -0.7, 1.2, 0.1])
X = np.array([[0.3, -0.7, 1.2], [0.1, 0.4, -0.2]])


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", FLAT + ROWS)
def test_agrees_with_differences(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, [X if f in ROWS else x])
    check(f, [X if f in ROWS else x], general=True)
    check(f, [(X if f in ROWS else x).astype(np.float32)])


def gradient(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return ya.grad(f, x)[1][0]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_where_exp_overflows(passes, dtype, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    far = np.array([1000.0, -1000.0, 0.0], dtype)
    for f in (log1p_exp, log_one_more):
        g = gradient(f, far)
        assert g.dtype == dtype
        assert g.tolist() == pytest.approx([1.0, 0.0, 0.5], rel=1e-6)
    assert gradient(sigmoid, far).tolist() == [0.0, 0.0, 0.25]
    assert gradient(logsumexp, far).tolist() == [1.0, 0.0, 0.0]
    rows = np.array([[1000.0, 1000.0], [-1000.0, -1000.0]], dtype)
    kept = gradient(logsumexp_kept, rows)
    assert kept.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_empty():
    assert gradient(logsumexp, np.array([])).shape == (0,)


def test_what_was_shifted_is_left_as_it_is():
    source = ya.simplegrad(shifted, x).source
    assert "initial" not in source
