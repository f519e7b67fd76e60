"""The adjoints of the largest of two and three numbers are conditional expressions."""

import itertools
import math

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(4)


def of_two(x: float, y: float):
    return max(x * y, y) * x


def of_three(x: float, y: float, z: float):
    return max(x * y, y, z) * x + min(x, y * z, z) ** 2


def of_four(x: float, y: float, z: float):
    return max(x * y, y, z, x) * x + min(0.1, x, y * z, z) ** 2


def of_cells(x):
    best = np.zeros((len(x), 3))
    for i in range(1, len(x)):
        last = best[i - 1, 1] if i > 1 else 0.0
        top = np.maximum(best[i - 1, 0], last)
        if i > 2:
            top = np.minimum(top, x[i] * x[i - 1])
        for k in range(1, i):
            top = np.maximum(top, x[k] + best[k, 1])
        best[i, 0], best[i, 1] = x[i] * top + x[i], top
    return np.sum(best * best)


def of_items(x, y):
    best = np.zeros_like(x)
    for i in range(1, len(x)):
        best[i] = max(min(x[i], best[i - 1], x[i - 1] * y[i]) * x[i], y[i])
    return np.sum(best * best)


def of_truth_values(x: float, y: float):
    return x * (x > y) + y * (not x > 0.0)


ROWS = tuple(rng.normal(size=(2, 5)))
PROGRAMS = [
    (of_two, (0.7, 2.0)), (of_two, (1.3, 2.0)), (of_three, (1.3, 0.7, 0.2)),
    (of_three, (0.3, 0.7, 2.2)), (of_three, (1.3, -0.7, -2.0)), (of_items, ROWS),
    (of_four, (1.3, 0.7, 0.2)), (of_four, (0.3, 0.7, 2.2)),
    (of_four, (1.3, -0.7, -2.0)), (of_cells, ROWS[:1]),
    (of_truth_values, (0.4, 0.1)), (of_truth_values, (-0.4, 0.1)),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none", "-tidy", "-numbers", "-single"])
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), PROGRAMS[:9])
def test_no_truth_value_is_a_factor(fn, args):
    source = ya.simplegrad(fn, *args).source
    back = source.partition("# reverse")[2]
    assert " if " in back
    assert "* (not" not in back
    assert "picked" not in source


def test_numbers_of_cells_are_chosen_by_conditions():
    """Of NumPy's numbers and halves of them, `np.where` took most of the time."""
    assert "np.where" not in ya.simplegrad(of_cells, ROWS[0]).source


VALUES = (1.0, 2.0, math.nan, math.inf)


@pytest.mark.parametrize("choice", [max, min])
def test_the_first_is_taken_as_python_does(choice):
    def f(a: float, b: float, c: float):
        return choice(a, b, c)

    df = ya.simplegrad(f, 1.0, 2.0, 3.0)
    for values in itertools.product(VALUES, repeat=3):
        boxes = [np.float64(v) for v in values]
        at = [v is choice(boxes) for v in boxes]
        assert list(df(*values)[1:]) == at
        assert list(df(*values, seed=math.inf)[1:]) == [
            math.inf if k else 0 for k in at
        ]


@pytest.mark.parametrize("choice", [max, min])
def test_the_first_of_four_is_taken_as_python_does(choice):
    def f(a: float, b: float, c: float, d: float):
        return choice(a, b, c, d)

    df = ya.simplegrad(f, 1.0, 2.0, 3.0, 4.0)
    for values in itertools.product(VALUES, repeat=4):
        boxes = [np.float64(v) for v in values]
        at = [v is choice(boxes) for v in boxes]
        assert list(df(*values)[1:]) == at


def test_second_order():
    for fn, args in PROGRAMS[:5] + PROGRAMS[-6:-3]:
        along = ya.hvp(fn)(args[0], 1.0, *args[1:])
        ends = [ya.grad(fn, args[0] + h, *args[1:])[1][0] for h in (1e-6, -1e-6)]
        assert along == pytest.approx((ends[0] - ends[1]) / 2e-6, 1e-4, 1e-6)


def chosen_sum(x, c):
    return np.where(c > 0.5, np.sum(np.where(x > 0, x, 0)), 0.0) * c


def test_what_is_not_chosen_has_floats_for_its_adjoint():
    """`t if c else 0` was a whole number, and an array made of it had whole numbers."""
    x = np.array([0.3, -0.4, 0.5])
    for c in (0.2, 0.9):
        slope = ya.simplegrad(chosen_sum, x, c)(x, c)[1]
        assert slope.dtype == np.float64
        assert ya.gradcheck(chosen_sum, x, c)


def root_of_larger(u):
    return np.sqrt(max(u, 0.0)) * 0.5


def roots_in_a_list(v):
    w = np.array([np.sqrt(max(u, 0.0)) for u in v])
    return np.sum(w * 0.5)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
def test_what_is_not_chosen_is_divided_by_nothing():
    """`0.0 / 0.0` is nan, and what is chosen after the quotient is 0."""
    assert ya.grad(root_of_larger, -0.3)[1]["u"] == 0.0
    v = np.array([-0.3, 0.25])
    assert list(ya.grad(roots_in_a_list, v)[1]["v"]) == [0.0, 0.5]
    assert "nan" not in str(ya.simplegrad(root_of_larger, 0.3)(-0.3))


def ramp(xs, low, high):
    total = 0.0
    for x in xs:
        if x < low:
            t = 0.0
        else:
            y = (x - low) / (high - low)
            t = 1.0 + 0.1 * y if x > high else y * y
        total += t
    return total


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
def test_a_slope_raises_no_error_that_the_function_does_not():
    """Of a sum that begins with a Python float the seed was taken for anything, and
    Python's quotient stood where the function has NumPy's."""
    df = ya.simplegrad(ramp, np.ones(3), 0.5, 0.7)
    x = np.array([2.0])
    assert ramp(x, 1.0, 1.0) == df(x, 1.0, 1.0)[0] == math.inf


def gates(x, W):
    n = W.shape[1] // 2
    total = 0.0
    for t in range(len(x)):
        a = x[t] @ W
        h = np.tanh(a[:, :n]) * np.sin(a[:, n:])
        total += np.sum(h * h)
    return total


def test_parts_are_put_together_where_a_sum_begins_with_a_python_float(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fused")
    args = rng.normal(size=(3, 2, 3)), rng.normal(size=(3, 4))
    check(gates, args)
    assert "da = np.concatenate(" in ya.simplegrad(gates, *args).source


def scaled(x, b):
    for _ in range(3):
        b += 0.3 * np.sum(np.cos(x))
    y = np.exp(-x * x)
    y *= math.exp(-1.0) * b
    return np.sum(y * y)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_what_is_summed_for_a_number_of_either_kind_may_be_numpys(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(scaled, (np.array([0.1, 0.2]), 0.3))
