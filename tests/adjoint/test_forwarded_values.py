"""What was put into a cell of an adjoint goes on by its name."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(11)
A, B = rng.uniform(0.5, 2, size=(2, 5, 5))
X = rng.uniform(0.5, 2, size=5)


def columns(A, B):
    d = np.empty(A.shape)
    d[:, 0] = A[:, 0]
    for k in range(1, A.shape[1]):
        d[:, k] = A[:, k] * B[:, k]
        s = 1 / (1 + d[:, k - 1] * B[:, k])
        d[:, k] = (d[:, k] - d[:, k - 1] * A[:, k]) * s
    x = np.zeros(A.shape[0])
    for k in range(A.shape[1] - 1, -1, -1):
        x = np.sin(d[:, k] - x)
    return np.sum(x * x)


def factorised(A, B):
    A = A @ A.T + 5 * np.eye(len(A))
    for i in range(len(A)):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
    return np.sum(np.tril(A) ** 3)


def one_number_in_a_row(A, x):
    y = A * 1.0
    for i in range(len(A)):
        y[i] = y[i] * y[i]
        y[i] = np.sum(x * y[i])
        y[i] = y[i] * A[i]
    return np.sum(y * y)


FORWARDED = [
    (columns, (A, B), "dd[:, k] = "),
    (factorised, (A, B), "= dA[i, j]\n"),
    (one_number_in_a_row, (A, X), "dy[i] = "),
]


def rows_that_meet(A, x):
    y = A * 1.0
    for i in range(len(A) - 1):
        y[i : i + 2] = np.sin(y[i : i + 2] * x)
        y[i + 1] = y[i + 1] * y[i]
        y[i] = y[i] ** 2
    return np.sum(y * y)


def read_in_between(A, x):
    y = x * A[0]
    for i in range(len(x)):
        y[i] = y[i] * x[i]
        y[:] = y * A[i, 0]
        y[i] = y[i] * np.sum(y)
    return np.sum(y)


def by_the_same_places(A, x):
    y = x * A[0]
    for i in (0, 1, 1, 2):
        y[i] = y[i] * y[2 - i]
        y[2 - i] = y[2 - i] * y[i] + x[i]
    return np.sum(y * y)


def on_one_way(A, x):
    y = x * A[0]
    for i in range(1, len(x)):
        y[i] = y[i] * x[i]
        if x[i] > 1:
            y[i] = y[i] * y[i - 1]
        y[i] = y[i] ** 2
    return np.sum(y * y)


OTHERS = [rows_that_meet, read_in_between, by_the_same_places,
          on_one_way]  # fmt: skip
CASES = [
    *((f, args) for f, args, _ in FORWARDED),
    *((f, (A, X)) for f in OTHERS),
]


@pytest.mark.parametrize("passes", ["all", "none", "-zeroing", "-inplace", "-joined"])
@pytest.mark.parametrize(("fn", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_right(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)
    check(fn, tuple(a[:3, :3] if a.ndim == 2 else a[:3] for a in args))
    if fn is not factorised:
        check(fn, tuple(a.astype(np.float32) for a in args))


@pytest.mark.parametrize(("fn", "args", "line"), FORWARDED)
def test_no_cell_is_written_to_be_read(fn, args, line, monkeypatch):
    back = ya.simplegrad(fn, *args).source.partition("# reverse\n")[2]
    monkeypatch.setenv("YOTA_AST_PASSES", "-zeroing")
    plain = ya.simplegrad(fn, *args).source.partition("# reverse\n")[2]
    assert back.count(line) < plain.count(line)
