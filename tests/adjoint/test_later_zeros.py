"""Zeros in adjoints of what is stored: set after the last read of what stood there."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import PASSES, check

rng = np.random.default_rng(11)
GRID = rng.normal(size=(5, 6))
X = rng.normal(size=6)
AT = np.array([2, 0, 1, 1])


def stencil(A):
    A, B = A.copy(), A * 2.0
    for _ in range(2):
        B[1:-1] = 0.5 * (A[1:-1] + A[:-2] + A[2:])
        A[1:-1] = B[1:-1] * B[:-2] - B[2:]
    return np.sum(A * A)


def backwards(x, p):
    x, p = x.copy(), p.copy()
    for _ in range(2):
        for j in range(len(x) - 2, 0, -1):
            x[j] = p[j] - p[j] * x[j + 1] * x[j + 1]
        p[0] = x[2]
    return np.sum(x * x) + p[0]


def rows(x, p):
    x = np.outer(x, p)
    for j in range(1, len(p)):
        x[j] = p[j] - p[j] * x[j - 1] * x[j - 1]
    return np.sum(x * x)


def less_what_was_there(A):
    A = A.copy()
    A[1:-1] = 0.5 * A[1:-1] - A[2:] - A[:-2]
    A[1:-1] = A[2:] - 3.0 * A[1:-1]
    return np.sum(A * A)


def in_another_loop(x, p):
    x = np.outer(x, p)
    for i in range(2, len(p)):
        x[i] = np.sin(x[i - 1])
        for k in range(i):
            x[k] = x[k] * x[i]
    return np.sum(x * x)


def swept(A):
    A = A.copy()
    for i in range(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 1):
            A[i, j] = 0.2 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j] ** 2)
    return np.sum(A * A)


APART = [
    (stencil, (GRID,)),
    (backwards, (X, X + 1.0)),
    (rows, (X, X + 1.0)),
    (less_what_was_there, (GRID,)),
    (in_another_loop, (X, X)),
    (swept, (GRID,)),
]


def cells_that_may_meet(x, at):
    x = np.outer(x, x)
    for k in range(len(at)):
        x[k] = x[at[k]] * x[at[k]]
    return np.sum(x * x)


def cells_that_meet(x):
    x = np.outer(x, x)
    for k in range(len(x) - 1):
        x[k : k + 2] = x[k] * x[k + 1]
    return np.sum(x * x)


MEETING = [(cells_that_may_meet, (X, AT)), (cells_that_meet, (X,))]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(
    ("fn", "args"), APART + MEETING, ids=lambda v: getattr(v, "__name__", "")
)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


def reverse_of(fn, args):
    """The reverse sweep, without its comments."""
    lines = ya.simplegrad(fn, *args).source.partition("# reverse")[2].splitlines()
    return "\n".join(line for line in lines if not line.strip().startswith("#"))


@pytest.mark.parametrize(
    ("fn", "args"), APART[:3], ids=lambda v: getattr(v, "__name__", "")
)
def test_nothing_is_copied(fn, args):
    assert ".copy()" not in reverse_of(fn, args)


def test_what_may_meet_stays_in_order():
    for fn, args in MEETING:
        source = reverse_of(fn, args)
        assert source.index("] = 0.0") < source.index("] +="), fn.__name__


def test_what_is_read_after_a_sum_into_it_is_copied():
    assert reverse_of(less_what_was_there, (GRID,)).count(".copy()") == 2


def test_a_sum_is_put_first():
    """What is added to the zeros, among other sums, is assigned before them."""
    source = reverse_of(stencil, (GRID,))
    assert "dA[1:-1] = t" in source
    assert source.index("dA[1:-1] = t") < source.index("dA[:-2] += ")
    assert "dA[1:-1] += " not in source


def test_a_sum_is_put_first_where_its_index_is_built_again():
    source = reverse_of(swept, (GRID,))
    assert source.index("dA[i, j] = ") < source.index("dA[i, j - 1] += ")
    assert "dA[i, j] += " not in source


def test_one_product_for_two_signs():
    """What is added here and taken off there is computed once."""

    def f(a, b):
        a, b = a.copy(), b.copy()
        a[1:] -= 0.7 * (b[1:] - b[:-1])
        return np.sum(a * b)

    assert reverse_of(f, (X, X)).count("0.7 *") == 1


def test_switched_off(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-zeroing")
    assert ".copy()" in reverse_of(stencil, (GRID,))
