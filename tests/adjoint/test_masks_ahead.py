"""What the reverse only compares is compared before it is overwritten."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(3)
A = rng.uniform(0.5, 9, size=(5, 5))
B = rng.normal(size=5)


def all_paths(A, b):
    A = A.copy()
    for k in range(len(A)):
        A[:] = np.minimum(A, np.add.outer(A[:, k], A[k, :]))
    return np.sum(A * A) + np.sum(b)


def row_by_row(A, b):
    A = A.copy()
    for k in range(len(A)):
        for i in range(len(A)):
            A[i, :] = np.maximum(A[i, :], A[k, :] - A[i, k])
    return np.sum(A * A) * b[0]


def while_it_grows(A, b):
    k, A = 0, A * b
    while k < 3:
        A[1:] = np.maximum(A[1:], 0.9 * A[:-1])
        k += 1
    return np.sum(A**2)


AHEAD = [all_paths, row_by_row, while_it_grows]


def read_as_well(A, b):
    A = A.copy()
    for k in range(len(A)):
        A[:] = np.minimum(A, b) * A
    return np.sum(A)


def written_before_it_is_compared(A, b):
    A = A.copy()
    for k in range(len(A) - 1):
        row = A[k]
        A[k + 1] = A[k + 1] * 0.5
        A[k] = A[k] + 1
        other = b * A[k + 1]
        A[k + 1] = np.minimum(row, other)
    return np.sum(A * A)


def on_one_way(A, b):
    A = A.copy()
    for k in range(len(A)):
        if b[k] > 0:
            A[:] = np.minimum(A, b)
        A[:] = A * 1.1
    return np.sum(A)


OTHERS = [read_as_well, written_before_it_is_compared, on_one_way]


@pytest.mark.parametrize("passes", ["all", "none", "-again", "-once"])
@pytest.mark.parametrize("fn", AHEAD + OTHERS)
def test_gradients(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (A, B))
    grad = ya.simplegrad(fn, A, B).fn
    ties = np.ones((4, 4)), np.ones(4)
    if fn is all_paths:
        endless = np.where(A > 6, np.inf, A)
        assert all(not np.isnan(d).any() for d in grad(endless, B)[1:])
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    plain = ya.simplegrad(fn, A, B).fn
    for got, expected in zip(grad(*ties), plain(*ties), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
    check(fn, (A.astype(np.float32), B.astype(np.float32)))


@pytest.mark.parametrize("fn", AHEAD)
def test_no_copy_is_saved(fn, monkeypatch):
    source = ya.simplegrad(fn, A, B).source
    ahead, _, back = source.partition("# reverse\n")
    assert "_old" not in source
    assert " < " in ahead or " > " in ahead
    assert " < " not in back
    assert " > " not in back
    monkeypatch.setenv("YOTA_AST_PASSES", "-again")
    assert "copy()" in ya.simplegrad(fn, A, B).source.split("saved.append")[0]


@pytest.mark.parametrize("fn", OTHERS)
def test_what_is_read_as_well_is_saved(fn):
    back = ya.simplegrad(fn, A, B).source.partition("# reverse\n")[2]
    assert " < " in back or " == " in back


def of_outer_sums(A, b):
    for _ in range(3):
        b = np.max(A + b[:, np.newaxis], axis=0)
    return np.sum(b * b)


def test_a_mask_is_not_larger_than_what_it_spares():
    source = ya.simplegrad(of_outer_sums, A, B).source
    assert " == " in source.partition("# reverse\n")[2]
    check(of_outer_sums, (A, B))
