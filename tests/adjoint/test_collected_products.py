"""Products that a loop adds up, which are one product after it."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import PASSES, check

rng = np.random.default_rng(7)
W, V = rng.normal(0, 0.4, (2, 3, 3))
X = rng.normal(size=(5, 3))
BATCH = rng.normal(size=(4, 2, 3))


def of_vectors(W, X):
    h = X[0]
    for t in range(1, len(X)):
        h = np.tanh(W @ h + X[t])
    return np.sum(h)


def of_matrices(W, V, B):
    h = B[0]
    for t in range(len(B)):
        h = np.tanh(h @ W + B[t] @ V)
    return np.sum(h * h)


def of_both(W, B):
    h, v = B[0], B[0, 0]
    for t in range(len(B)):
        h = np.tanh(h @ W)
        v = np.tanh(W @ v - W @ h[0])
    return np.sum(h) + np.sum(v)


def several_in_one_iteration(A, b, n):
    x = np.zeros(A.shape[1])
    for _ in range(n):
        x = x - 0.1 * (A.T @ (A @ x - b))
    return np.sum(x * x)


def into_slices(A):
    n = A.shape[1]
    C = np.zeros((n, n))
    for i in range(n):
        C[i, i:] = A[:, i] @ A[:, i:]
    return np.sum(C**3)


def in_nested_loops(W, X):
    h = X[0]
    for t in range(len(X)):
        for _ in range(t % 3):
            h = np.tanh(W @ h)
        h = h + W @ X[t]
    return np.sum(h)


def carried_and_written(W, X):
    h = np.zeros(3)
    for t in range(len(X)):
        h = h + np.sin(W @ h)
        h[0] *= X[t, 1]
    return np.sum(h * h)


def items_are_written(W, X):
    X = X.copy()
    for t in range(len(X) - 1):
        X[t + 1] = np.tanh(W @ X[t]) + X[t + 1] * X[t]
        X[t, 0] = 2.0
    return np.sum(X)


def until_found(W, X):
    h = X[0]
    for x in X:
        if x[0] > 1e9:
            break
        h = np.tanh(W @ h + x)
    return np.sum(h)


def while_small(W, X):
    h, n = X[0], 0
    while n < 4:
        h = np.tanh(W @ h)
        n += 1
    return np.sum(h)


def items(x, h, W, U):
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ W - x[t] @ U.T + h @ U)
    return np.sum(h)


def items_but_the_first(x, h, W, U):
    for t in range(1, len(x)):
        h = np.tanh(x[t] @ W + h @ U)
    return np.sum(h)


def items_of_another(x, h, W, U):
    for t in range(len(h)):
        h = np.tanh(x[t] @ W + h @ U)
    return np.sum(h)


def items_again(x, h, W, U):
    for _ in range(2):
        for t in range(len(x)):
            h = np.tanh(x[t] @ W + h @ U)
    return np.sum(h)


def items_from_the_last(x, h, W, U):
    for t in range(len(x) - 1, -1, -1):
        h = np.tanh(x[t] @ W + h @ U)
    return np.sum(h)


def items_up_to_a_break(x, h, W, U):
    for t in range(len(x)):
        if h[0, 0] > 0.5:
            break
        h = np.tanh(x[t] @ W + h @ U)
    return np.sum(h)


ITEMS = [
    (f, (BATCH, BATCH[0], W, V))
    for f in (
        items,
        items_but_the_first,
        items_of_another,
        items_again,
        items_from_the_last,
        items_up_to_a_break,
    )
]
GATHERED = [
    (of_vectors, (W, X)),
    (of_matrices, (W, V, BATCH)),
    (of_both, (W, BATCH)),
    (several_in_one_iteration, (rng.normal(size=(4, 3)), rng.normal(size=4), 3)),
    (into_slices, (rng.normal(size=(4, 3)),)),
    (in_nested_loops, (W, X)),
    (carried_and_written, (W, X)),
    (items_are_written, (W, X)),
    (until_found, (W, X)),
    (while_small, (W, X)),
]


def ids(cases):
    return [case[0].__name__ for case in cases]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(("fn", "args"), GATHERED + ITEMS, ids=ids(GATHERED + ITEMS))
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


def loop_of(source):
    """The lines of the loop of a reverse sweep, or of that over the steps of a block,
    and those after it."""
    reverse = source.partition("# reverse")[2]
    margin = "        " if "backwards" in reverse else "    "
    lines = reverse.partition(f"\n{margin}for ")[2].splitlines()[1:]
    inside = next(k for k, line in enumerate(lines) if line[: len(margin) + 1].strip())
    return lines[:inside], lines[inside:]


@pytest.mark.parametrize(("fn", "args"), GATHERED[:8], ids=ids(GATHERED[:8]))
def test_no_product_is_added_up_in_the_loop(fn, args):
    inside, after = loop_of(ya.simplegrad(fn, *args, fast=True).source)
    assert not any("np.outer" in line or "dW +=" in line for line in inside)
    assert any(".T @ " in line for line in after)


STAY = [(of_matrices, (W, V, BATCH)), (of_both, (W, BATCH)), (items, ITEMS[0][1])]


@pytest.mark.parametrize(("fn", "args"), STAY, ids=ids(STAY))
def test_products_of_matrices_stay_but_in_fast_code(fn, args):
    inside, after = loop_of(ya.simplegrad(fn, *args).source)
    assert any("dW" in line and ".T @ " in line for line in inside)
    assert not any("rows" in line for line in [*inside, *after])


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(("fn", "args"), ITEMS, ids=ids(ITEMS))
def test_items_of_matrices_are_added_one_by_one(fn, args, fast):
    inside, _ = loop_of(ya.simplegrad(fn, *args, fast=fast).source)
    assert any(line.strip().startswith("dx[t] ") for line in inside)


MADE_IN_BLOCKS = [
    (of_matrices, (W, V, BATCH)),
    (of_both, (W, BATCH)),
    *(case for case in ITEMS if case[0] is not items_up_to_a_break),
]


@pytest.mark.parametrize("steps", [2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize(("fn", "args"), MADE_IN_BLOCKS, ids=ids(MADE_IN_BLOCKS))
def test_blocks_of_steps(fn, args, steps):
    given = [rng.normal(size=(steps, 2, 3)) if a is BATCH else a for a in args]
    fast = ya.simplegrad(fn, *args, fast=True)
    assert "in backwards[k : k + 4]:" in fast.source
    expected = ya.simplegrad(fn, *args)(*given)
    for one, other in zip(fast(*given), expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-10)


def test_no_step():
    dW, dh = ya.simplegrad(items_but_the_first, *ITEMS[0][1], fast=True)(
        BATCH[:1], BATCH[0], W, V
    )[1:3]
    assert not dW.any()
    np.testing.assert_array_equal(dh, np.ones((2, 3)))


def powers(A, v):
    """Products of matrices with one column, which are less than their factors."""
    for _ in range(3):
        v = np.tanh(A * np.sum(v) @ v)
    return np.sum(v)


def test_products_that_are_less_than_their_factors_stay():
    args = W, X[:3, :1]
    check(powers, args)
    assert "rows" not in ya.simplegrad(powers, *args, fast=True).source


def test_lists_only_grow():
    """No list is copied in an iteration."""
    for fn, args in GATHERED:
        assert "with_item" not in ya.simplegrad(fn, *args).source, fn.__name__


def test_one_list_for_two_products():
    """What two products share is appended once."""
    source = ya.simplegrad(of_matrices, W, V, BATCH, fast=True).source
    assert source.count(".append(t") == source.count("np.concatenate(rows)") == 1


@pytest.mark.parametrize("n", [0, 1])
def test_few_iterations(n):
    check(of_matrices, (W, V, BATCH[: n or 1]))
    check(several_in_one_iteration, (X, np.ones(5), n))


@pytest.mark.parametrize("n", [0, 2])
def test_no_length(n):
    """Axes of length 0."""
    W, B = np.ones((n, n)), np.ones((3, 0, n))
    _, dW, _, _ = ya.simplegrad(of_matrices, np.ones((2, 2)), V, BATCH)(W, W, B)
    assert dW.shape == (n, n)
    assert not dW.any()


def test_float32():
    check(of_matrices, [a.astype(np.float32) for a in (W, V, BATCH)])


def read_in_the_loop(A):
    A = A.copy()
    for k in range(len(A) - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(A)


def with_one_that_stays(W, X, b):
    total = 0.0
    for t in range(len(X)):
        total += np.sum(np.tanh(W @ b) * X[t])
    return total


def not_in_a_loop(W, b):
    return np.sum(np.tanh(W @ np.tanh(W @ b)))


OTHERS = [
    (read_in_the_loop, (W + 3 * np.eye(3),)),
    (with_one_that_stays, (W, X, X[0])),
]


@pytest.mark.parametrize(("fn", "args"), OTHERS, ids=ids(OTHERS))
def test_others_stay(fn, args):
    check(fn, args)
    source = ya.simplegrad(fn, *args).source
    assert "np.outer" in source
    assert "rows" not in source.partition("# reverse")[2]


def test_outside_loops_nothing_is_collected():
    check(not_in_a_loop, (W, X[0]))
    source = ya.simplegrad(not_in_a_loop, W, X[0]).source
    assert "dW = np.stack((t3, t4), axis=1) @ np.stack((t1, b))" in source
    assert "rows" not in source.partition("# reverse")[2]


def test_switched_off(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-collect")
    assert "np.outer" in ya.simplegrad(of_vectors, W, X).source


def biased(x, h, W, b):
    for t in range(len(x)):
        h = np.tanh(h @ W + x[t] - b)
    return np.sum(h)


@pytest.mark.parametrize("args", [(X, X[0], W, X[1]), (BATCH, BATCH[0], W, X[1])])
def test_the_sum_of_rows_that_are_put_together(args):
    check(biased, args)
    inside, after = loop_of(ya.simplegrad(biased, *args, fast=True).source)
    assert not any("db" in line for line in inside)
    assert any(".sum(axis=0)" in line for line in after)


def test_the_sum_of_other_rows_stays(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fused")

    def f(x, b):
        total = 0.0
        for t in range(len(x)):
            total += np.sum(np.sin(x[t] * b))
        return total

    check(f, (X, X[1]))
    inside, _ = loop_of(ya.simplegrad(f, X, X[1]).source)
    assert any("db +=" in line for line in inside)


def in_two_ways(A, W, v):
    """Rows of matrices that are put together, and stacked."""
    for _ in range(2):
        d = np.tanh(A @ v)
        v = np.sin(np.sum(d @ W, axis=0))[: len(v)]
    return np.sum(v)


def test_rows_in_two_ways():
    check(in_two_ways, (rng.normal(size=(4, 3, 2)), rng.normal(size=(3, 3)), X[0, :2]))


# ------------------------------------------------------------ all rows of a matrix


def over_all(A, B, h, xs):
    for x in xs:
        h = np.tanh(A @ h + B @ x)
    return np.sum(h**2)


def over_a_part(A, B, h, xs):
    for k in range(len(xs) - 1):
        h = np.tanh(A @ h + B @ xs[k])
    return np.sum(h**2)


def of_some(A, B, h, xs):
    for k, x in enumerate(xs):
        if k != 1:
            h = np.tanh(A @ h + B @ x)
    return np.sum(h**2)


def with_bias(A, B, h, xs):
    total = 0.0
    for k in range(len(xs)):
        z = A @ h - B @ xs[k] + h
        h = np.sin(z) + xs[k, 0]
        total = total + h @ h
    return total


ROWS = np.linspace(-1.0, 1.2, 8).reshape(4, 2)
MATRICES = (np.linspace(0.2, 0.9, 9).reshape(3, 3), ROWS[:3] * 0.7, np.ones(3))


@pytest.mark.parametrize("f", [over_all, over_a_part, of_some, with_bias])
@pytest.mark.parametrize("passes", ["all", "none", "-collect"])
def test_all_rows(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for n in (4, 2, 1, 0):
        check(f, (*MATRICES, ROWS[:n]))
    check(f, (*MATRICES, np.asfortranarray(ROWS)))


def test_a_matrix_stands_for_all_its_rows():
    made = ya.simplegrad(over_all, *MATRICES, ROWS).source
    assert ".T @ xs\n" in made
    assert "xs[" not in made.partition("# reverse")[2]
    for f in (over_a_part, of_some):
        assert ".T @ xs\n" not in ya.simplegrad(f, *MATRICES, ROWS).source


def rows_overwritten(A, B):
    """Parts of what the reverse reads of C are overwritten after that."""
    n = A.shape[1]
    C = np.zeros((n, n))
    for i in range(n):
        C[i, :] += A[:, i] @ B
        C[i:, i] = A[0, i] * 2.0
    return np.sum(C * C)


@pytest.mark.parametrize("passes", PASSES)
def test_rows_that_are_written_after_they_are_appended(monkeypatch, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(rows_overwritten, tuple(rng.normal(size=(2, 3, 4))))
