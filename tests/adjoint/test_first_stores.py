"""What is added to cells of new zeros once is put there."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(5)
A, B = rng.normal(size=(2, 5, 5))
L = np.tril(A) + 5 * np.eye(5)
X = rng.normal(size=5)


def solved(L, b):
    x = np.zeros(b.shape[0])
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x * x)


def saved_rows(A, x):
    for i in range(A.shape[0]):
        x = np.tanh(A[i] * x + A[i, 0])
    return np.sum(x)


def of_two_numbers(A, x):
    s = x[0]
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s = np.sin(s * A[i, j])
    return s


def taken_off(A, x):
    s = 1.0
    for i in range(A.shape[0]):
        s = np.sin(s - np.sum(A[i] * A[i]) * x[i] - A[i] @ B[i])
    return s


def by_rows(A, x):
    s = x
    for i in range(A.shape[0]):
        s = np.sin(s - A[i])
    return np.sum(s)


def of_neighbours(A, x):
    s = 1.0
    for i in range(x.shape[0] - 1):
        s = np.sin(s * x[i] + x[i + 1])
    return s


def in_two_loops(A, x):
    s = 1.0
    for i in range(A.shape[0]):
        for j in range(3):
            s = np.sin(s * A[i, j])
        s = s * A[i, 1]
    return s


def in_loops_in_turn(A, x):
    n = x.shape[0]
    s = 1.0
    for i in range(n - 1, n - 2, -1):
        s = np.sin(s * x[i])
    for i in range(n - 2, -1, -1):
        s = np.sin(s + x[i])
    return s * A[0, 0]


def over_again(A, x):
    s = 1.0
    for i in range(3):
        s = np.sin(s * x[i])
    for i in range(2, 4):
        s = np.sin(s * x[i])
    return s


PUT = [
    (solved, (L, X), "db[i] = "),
    (solved, (L, X), "dL[i, : i + 1] = -t1 * x[: i + 1]"),
    (of_two_numbers, (A, X), "dA[i, j] = "),
    (taken_off, (A, X), "dx[i] = -"),
    (of_neighbours, (A, X), "dx[i] = "),
    (in_two_loops, (A, X), "dA[i, 1] = "),
    (in_loops_in_turn, (A, X), "dx[i] = "),
    (over_again, (A, X), "dx[i] = "),
    (by_rows, (A, X), "dA[i] = -"),
]


def again_and_again(A, x):
    s = 1.0
    for _ in range(3):
        for i in range(x.shape[0]):
            s = np.sin(s * x[i])
    return s


def counted_from_the_end(A, x):
    s = 1.0
    for i in range(-2, 4):
        s = np.sin(s * x[i])
    return s


def by_places(A, x):
    s = 1.0
    for i in range(4):
        s = np.sin(s * x[(0, 1, 1, 2)[i]])
    return s


ADDED = [again_and_again, counted_from_the_end, by_places]


@pytest.mark.parametrize("passes", ["all", "none", "-zeroing", "-inplace", "-fused"])
@pytest.mark.parametrize(
    ("fn", "args"),
    [*((f, a) for f, a, _ in PUT), (saved_rows, (A, X)), *((f, (A, X)) for f in ADDED)],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)
    check(fn, tuple(a.astype(np.float32) for a in args))


@pytest.mark.parametrize(("fn", "args", "line"), PUT, ids=[c[0].__name__ for c in PUT])
def test_put(monkeypatch, fn, args, line):
    assert line in ya.simplegrad(fn, *args).source
    monkeypatch.setenv("YOTA_AST_PASSES", "-zeroing")
    assert line not in ya.simplegrad(fn, *args).source


@pytest.mark.parametrize("fn", ADDED, ids=lambda f: f.__name__)
def test_added(monkeypatch, fn):
    source = ya.simplegrad(fn, A, X).source
    monkeypatch.setenv("YOTA_AST_PASSES", "-zeroing")
    assert source == ya.simplegrad(fn, A, X).source


def test_the_function_keeps_its_own_sums():
    def f(x):
        y = np.zeros(x.shape[0])
        for i in range(x.shape[0]):
            y[i] += x[i] * x[i]
        return np.sum(y)

    assert "y[i] += x[i] * x[i]" in ya.simplegrad(f, X).source


def test_a_sum_goes_to_what_an_earlier_loop_has_put():
    back = ya.simplegrad(over_again, A, X).source.partition("# reverse")[2]
    assert back.count("dx[i] = ") == back.count("dx[i] += ") == 1


def test_loops_in_turn_go_to_cells_of_their_own():
    assert "dx[i] +=" not in ya.simplegrad(in_loops_in_turn, A, X).source
