"""`sum` of a list that a loop makes -> each item has the adjoint of the sum."""

from collections.abc import Callable

import numpy as np
import pytest

import yota_ast as ya

A = np.array([1.0, 2.0, 3.0])
P = np.array([0.1, 0.2])


def by_generator(p):
    return sum((a - p[0]) ** 2 * p[1] for a in A)


def by_list(p):
    found = []
    for a in A:
        found.append(np.sin(a * p[0]) + p[1] ** 2)  # noqa: PERF401
    return sum(found)


def by_pairs(p):
    return sum(p[0] * a * p[1] + b**2 * p[1] for a, b in zip(A, A[::-1], strict=True))


def by_while(p):
    found, n = [], 0
    while n < 3:
        found.append(p[0] ** n * p[1])
        n += 1
    return sum(found) * p[0]


def by_rows(p):
    return sum(x * p[0] + y * p[1] ** 2 for x, y in np.stack([A, A]).T)


def with_some_before(p):
    found = [p[0] * 2]
    for a in A:
        found.append(a * p[1] ** 2)  # noqa: PERF401
    return sum(found)


def left_early(p):
    found = []
    for a in A:
        found.append(a * p[1] ** 2)
        if a > 1.5:
            break
    return sum(found, p[0])


def read_again(p):
    found = []
    for a in A:
        found.append(a * p[1] ** 2)  # noqa: PERF401
    return sum(found) * found[0]


def of_arrays(p):
    return np.sum(sum(a * p for a in A) ** 2)


ALL = (
    by_generator, by_list, by_pairs, by_while, by_rows, with_some_before, left_early,
    read_again, of_arrays,
)  # fmt: skip


REFUSED = (left_early, read_again, of_arrays)
"""Lists that are taken apart from their end: not followed once more."""


def slopes(f: Callable[[np.ndarray], float], p: np.ndarray) -> np.ndarray:
    """Return the gradient by central differences."""
    steps = 1e-6 * np.eye(len(p))
    return np.array([(f(p + s) - f(p - s)) / 2e-6 for s in steps])


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_the_gradient_is_that_of_the_sum(f):
    value, g = ya.grad(f, P)
    assert value == f(P)
    np.testing.assert_allclose(g[0], slopes(f, P), rtol=1e-6)
    np.testing.assert_allclose(ya.simplegrad(f)(P)[1], g[0], rtol=1e-12)


@pytest.mark.parametrize("f", [f for f in ALL if f not in REFUSED])
def test_second_derivatives(f):
    v = np.array([0.3, -0.7])
    moved = [ya.grad(f, P + s * v)[1][0] for s in (1e-6, -1e-6)]
    expected = (moved[0] - moved[1]) / 2e-6
    np.testing.assert_allclose(ya.hvp(f)(P, v), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [by_generator, by_list, by_pairs, by_while, by_rows])
def test_no_list_of_adjoints_is_made(f):
    assert "unsum_sequence" not in ya.grad(f, P)[1].source


def seasons(x, m):
    """Numbers that are appended and read by their places."""
    found = list(x[:m] * 2)
    total = 0.0
    for t in range(m, len(x)):
        found.append(found[t - m] * x[t])
        total += found[t] ** 2
    return total


def arrays_and_numbers(x):
    found = [x[0] * 2, x * x[1]] * 1
    for v in x:
        found.append(v * found[-1])
    return np.sum(found[1]) + found[0] + np.sum(found[-1])


def test_zeros_for_a_list_of_numbers(monkeypatch):
    x = np.array([0.3, 1.2, -0.5, 2.0, 0.7])
    for passes in ("all", "none"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        assert ya.gradcheck(seasons, x, 2)
        assert ya.gradcheck(seasons, x, 5)
        assert ya.gradcheck(seasons, np.float32(x), 1)
        assert ya.gradcheck(arrays_and_numbers, x)
    monkeypatch.undo()
    text = ya.simplegrad(seasons, x, 2).source
    assert "    dfound = [0.0] * len(found)\n" in text
    assert "zeros_of" not in text


def made_in_each_iteration(x, n):
    """A list that has no value before the loop."""
    for _ in range(n):
        x = np.tanh(x)
        y = list(x[::2])
    return y[0] * y[-1]


def squares_of_the_last(x, n):
    for k in range(n):
        y = [v * v for v in x]
        x = np.tanh(x) + y[k]
    return np.sum(x) + y[1]


@pytest.mark.parametrize("f", [made_in_each_iteration, squares_of_the_last])
def test_a_list_that_each_iteration_makes(f, monkeypatch):
    x = np.array([0.3, 1.2, -0.5, 2.0])
    for passes in ("all", "none"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        for n in (1, 2, 3):
            assert ya.gradcheck(f, x, n)
        with pytest.raises(UnboundLocalError):
            ya.grad(f, x, 0)


def run_over_what_loops_hand_on(x, a):
    for _ in range(2):
        for e in x[:2]:
            if a > 0.8:
                continue
            for k in range(2):
                if e > 0.1:
                    x = np.stack([x, x])[k]
                else:
                    x = np.cumsum(x)
                    continue
                x = np.tanh(x)
        list(x[::2])
    return np.sum(x * x)


@pytest.mark.filterwarnings("ignore::yota_ast.errors.DerivativeWarning")
def test_a_list_of_what_a_loop_hands_on():
    x = np.array([0.3, -0.2, 0.5])
    for a in (0.3, 0.9):
        assert ya.gradcheck(run_over_what_loops_hand_on, x, a)
