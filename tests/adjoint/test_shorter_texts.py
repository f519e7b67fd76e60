"""What a careful person writes once, the text has once; and the gradient is right."""

import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.3, 0.7, -0.4])


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def text(fn, *args, **kwargs):
    return ya.simplegrad(fn, *args, **kwargs).source


def sweeps(fn):
    """The lines of the forward and of the reverse sweep, without what they quote."""
    source = text(fn, *dict(ALL)[fn])
    lines = [s for s in source.splitlines() if s.strip()[:2] != "# " or "reverse" in s]
    return "\n".join(lines).split("# reverse")


def pipe(d, v):
    area = 0.25 * math.pi * d * d
    return v / area


def two_shares(x, y):
    return (1.0 - x) * (1.0 - x) + y * x


def of_arrays(x, c):
    return np.sum(np.sin(c * x * x))


def to_the_tenth(x, c):
    return (c / x) ** 10 + 2.0 * c


def to_the_tenth_and_back(x, c):
    return (5.0 / x) ** 10 + c


def to_the_tenth_of_arrays(x, c):
    return np.sum((x * c) ** 10)


def twice_computed(x, c):
    return (1.0 - math.exp(-x)) / (1.0 - c * math.exp(-x))


def twice_in_a_loop(x, n):
    total = 0.0
    for _ in range(n):
        total = total + math.exp(-x) * total + math.exp(-x)
        x = x * 0.9
    return total


def called_later(x):
    y = math.exp(x) * 2.0
    e = math.exp(x)
    return y * e * math.sin(e)


def overwritten(x):
    a = np.exp(x)
    b = np.exp(x)
    a[0] = 2.0
    return np.sum(a * b * x)


def in_an_arm(x, c):
    y = math.sin(x) * c
    if x > 0:
        y = y * math.sin(x)
    return y


def negatives(x, c):
    return c * math.exp(-x * c) / -x


def below_zero(x):
    return -3.5 / x + x


def distances(x, s):
    return np.exp(-0.5 * np.sum((x[:, None] - x[None, :]) ** 2 / s))


def scaled(x, mu):
    y = np.ones(len(x))
    for k in range(len(mu)):
        d = x - mu[k]
        y = y * (3.0 + 0.5 * np.sum(d**2, axis=1))
    return np.sum(y)


def turned(a, x, y):
    b = a.T
    return x @ np.linalg.solve(b @ a, -y)


def rates(x, c):
    eta = np.exp(c) * x
    return np.mean(np.exp(eta) - c * eta)


def ridge(x, lam):
    return 0.5 * lam * np.dot(x, x)


def half_of_squares(x, c):
    return np.sum(x**2) / 2 + c


ALL = [
    (rates, (X, X + 2)),
    (ridge, (X, 0.3)),
    (half_of_squares, (X, 0.3)),
    (pipe, (0.3, 2.0)),
    (two_shares, (0.3, 2.0)),
    (of_arrays, (X, 1.5)),
    (of_arrays, (X, X + 2)),
    (to_the_tenth, (0.8, 0.5)),
    (to_the_tenth_of_arrays, (X + 1, 0.8)),
    (twice_computed, (0.3, 0.4)),
    (twice_in_a_loop, (0.3, 4)),
    (called_later, (0.3,)),
    (overwritten, (X,)),
    (in_an_arm, (0.3, 0.4)),
    (in_an_arm, (-0.3, 0.4)),
    (negatives, (0.3, 0.4)),
    (below_zero, (0.3,)),
    (distances, (X, 0.4)),
    (scaled, (np.outer(X, X), np.outer(X, X))),
    (turned, (np.outer(X, X) + np.eye(3), X, X[::-1].copy())),
]


@pytest.mark.parametrize(("fn", "args"), ALL)
def test_the_gradient(fn, args, passes):
    check(fn, args)


@pytest.mark.parametrize(
    ("fn", "args", "line"),
    [
        (pipe, (0.3, 2.0), "dd = -2 * dv * val * (0.25 * math.pi * d)"),
        (two_shares, (0.3, 2.0), "- 2 * seed * (1.0 - x)"),
        (of_arrays, (X, X + 2), "dx = 2 * t3 * t1"),
        (to_the_tenth_and_back, (0.8, 0.5), "dx = -10 * seed * (5.0 / x) ** 10 / x"),
        (below_zero, (0.3,), "3.5 * seed / x / x"),
        (
            scaled,
            (np.outer(X, X), np.outer(X, X)),
            "dd = (dy * y_in)[:, np.newaxis] * d_2",
        ),
        (turned, (np.outer(X, X) + np.eye(3), X, X[::-1].copy()), "np.outer("),
        (rates, (X, X + 2), "deta = t3 * (t2 - c)"),
        (ridge, (X, 0.3), "dx = (seed * lam) * x"),
        (half_of_squares, (X, 0.3), "dx = seed * x"),
    ],
)
def test_the_line(fn, args, line):
    print(text(fn, *args))
    assert line in text(fn, *args)


def test_powers_of_arrays_are_no_slower():
    def cube(x):
        return np.sum(x**2 * x)

    assert "**3" not in text(cube, X)


@pytest.mark.parametrize("fn", [twice_computed, called_later])
def test_one_name_for_both(fn):
    forward, reverse = sweeps(fn)
    assert "math.exp" not in reverse
    named = [s for s in forward.splitlines() if s.endswith("= math.exp(x)")]
    assert len(named) <= 1


def test_a_negative_has_no_name():
    forward, reverse = sweeps(negatives)
    assert "= -x" not in forward + reverse


def test_what_is_divided_and_multiplied_by_the_same():
    def ratio(x, y):
        return math.exp(x * y / 3.0) / y

    source = text(ratio, 0.3, 0.4)
    assert "* y / y" not in source
    check(ratio, (0.3, 0.4))


def test_new_memory_is_not_copied():
    special = pytest.importorskip("scipy.special")

    def total(x):
        y = np.zeros((3, 2))
        for k in range(2):
            y[:, k] = x * (k + 1.0)
        return np.sum(special.logsumexp(y, axis=1))

    assert "dy = dy.copy()" not in text(total, X)
    check(total, (X,))


def not_below(x, a, b):
    return np.maximum(x * (a * b), 0)


def of_columns(w, B, at):
    a = w * B[:, at[0]]
    return np.sum(a * B[:, at[1]])


def of_columns_that_move(w, B, at):
    at = at.copy()
    s = np.sum(np.sin(B[:, at[0]]) * w)
    for _ in range(2):
        at[0] = at[0] + 1
        s = s + np.sum(np.sin(B[:, at[0]]) * B[:, at[0]])
    return s


def of_a_column_that_has_moved(w, B, at):
    at = at.copy()
    k = (slice(None), at[0])
    s = 0.0
    for i in range(2):
        s = s + np.sum(np.sin(B[k]) * w) * (i + 1.0)
        at[0] = at[0] + i
        s = s + np.sum(B[:, at[0]])
    return s


AT, B = np.array([0, 1]), np.outer(X, X) + np.eye(3)


@pytest.mark.parametrize(
    "fn", [of_columns, of_columns_that_move, of_a_column_that_has_moved]
)
def test_columns(fn, passes):
    check(fn, (X, B, AT))


def test_an_index_is_written_where_it_is_used():
    source = text(of_columns, X, B, AT)
    assert "slice(" not in source
    assert source.count("B[:, at[0]]") == 4  # once in what is quoted


def test_a_choice_is_made_once():
    assert text(not_below, 2.0, 3.0, 4.0).count("if t1 == 0") == 1
    check(not_below, (2.0, 3.0, 4.0))


def swept(A, times):
    A = A.copy()
    n = A.shape[0]
    for _ in range(times):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
    return np.sum(A**2)


def test_an_inner_loop_runs_backwards_from_the_same_number(passes):
    check(swept, (B + 0.1, 2))


def test_a_loop_within_runs_backwards_as_the_one_around():
    source = text(swept, B, 2)
    assert source.count("in range(n - 2, 0, -1):") == 2
