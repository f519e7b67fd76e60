"""Short arrays written as a whole; memory for adjoints of what is made of numbers."""

import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check
from .test_once_and_together import reverse


def fitted(p, t):
    a, k, c = p
    return np.sum((a * np.exp(-k * t) + c) ** 2)


def one_not_used(p, t):
    a, _, c = p
    return np.sum(a * t + c)


def written_in_a_loop(p, n):
    a, b = p
    s = 0.0
    for i in range(n):
        s += a * i + b
    return s * a


def slopes(a, b, dt, n):
    y = np.array([a, b])
    for _ in range(n):
        k1 = np.array([y[1], -y[0] * a])
        z = y + dt * k1
        y = y + dt * np.array([z[1], -z[0] * b])
    return y[0] + 2.0 * y[1]


def halves(a, b):
    y = np.array([a, b])
    return 0.5 * y[0] * y[1]


def in_a_loop(a, b):
    y = np.array([a, b])
    s = 0.0
    for i in range(2):
        s = s + y[i] * 0.3
    return s


def matrix(a, b):
    y = np.array([[a, b], [b, a]])
    return 0.5 * y[0, 0] * y[1, 1]


def stacked(a, b):
    y = np.stack([np.array([a, b]), np.array([b, a])])[1]
    return 0.5 * np.max(y) + y[0] * 0.25


def carried(a, b):
    y = np.array([a, b])
    for _ in range(2):
        z = y * a
        y = np.array([z[0] * 0.5, z[1]])
    return y[0]


def filled(a, b):
    y = np.array([a, b])
    return np.sum(y * 0.5) + y[0] * 0.25


def of_a_branch(a, b):
    y = np.array([a, b]) if a > b else np.array([b, a]) * a
    return y[0] * 0.5 + y[1] * 0.25


def broadcast(a, b):
    y = np.broadcast_to(a, (3,)) * 1
    return 0.5 * y[0] * y[1] * b


def of_whole_ones(a, b):
    y = np.ones(3, int) * a
    return 0.5 * y[0] * y[1] * b


def contracted(a, b):
    y = np.einsum("ij,j->i", np.array([[1, 2], [0, 1]]), np.array([a, b]))
    return 0.5 * y[0] * y[1]


def unpacked(a, b):
    u, v, w = np.array([a, b, a * b])
    return 0.3 * u * v + 0.2 * w


def a_product(a, b):
    y = np.full(2, math.prod([a, b]))
    return 0.5 * y[0] * y[1]


def exchanged(a, b):
    p, q, c = np.array([a, 0.5]), np.array([b, 0.5]), np.array([a, b])
    s = 0.0
    for i in range(4):
        s = s + 0.5 * p[0] * p[1] + 0.25 * q[0]
        p, q = q * 1, (p if i % 2 == 0 else c)
    return s


T = np.linspace(0.1, 1.0, 4)
ALL = [
    (fitted, (np.array([1.2, 0.7, 0.3]), T)),
    (fitted, (np.array([1.2, 0.7, 0.3], np.float32), T.astype(np.float32))),
    (one_not_used, (np.array([1.2, 0.7, 0.3]), T)),
    (written_in_a_loop, (np.array([1.2, 0.7]), 3)),
    (slopes, (0.3, 0.7, 0.1, 3)),
]
OF_NUMBERS = (
    halves, in_a_loop, matrix, stacked, carried, filled, of_a_branch, broadcast,
    of_whole_ones, contracted, unpacked, a_product, exchanged,
)  # fmt: skip


@pytest.mark.parametrize(
    ("fn", "args"), ALL, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(ALL)]
)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_gradient(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(
    ("fn", "args", "line"),
    [
        (*ALL[0], "dp = np.array([np.vdot(t4, t2), -np.vdot(t5, t), np.sum(t4)])"),
        (*ALL[4], "dy = np.array([seed, 2 * seed], float)"),
        (*ALL[4], "dz = np.array([-(t3[1] * b), t3[0]], float)"),
    ],
)
def test_the_line(fn, args, line):
    lines = reverse(fn, *args)
    assert line in lines, "\n".join(lines)


def test_the_type_is_that_of_the_argument():
    g = ya.simplegrad(fitted, *ALL[0][1])
    p, t = ALL[1][1]
    assert g(p, t)[1].dtype == np.float32


def test_arrays_in_the_place_of_numbers_are_refused():
    g = ya.simplegrad(slopes, *ALL[4][1])
    two = np.array([1.0, 2.0])
    with pytest.raises(ValueError, match=r"^slopes_grad: made for numbers a, b, dt$"):
        g(two, two, 0.1, 3)


def test_two_lines_are_spared_where_numbers_are_asked_for_anyway():
    line = "dy = np.array([0.5 * seed * y[1], seed * t1])"
    assert line in reverse(halves, 1.0, 2.0)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", OF_NUMBERS, ids=lambda f: f.__name__)
def test_whole_numbers_for_floats(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    g = ya.simplegrad(fn, 1.0, 2.0)
    assert g(1, 2) == g(1.0, 2.0)
    assert g(1, 2, seed=0.5) == g(1.0, 2.0, seed=0.5)
    assert g(3, 2) == g(3.0, 2.0)


def test_arrays_that_are_arguments_are_copied_in_their_type():
    def product(x):
        return 0.5 * x[0] * x[1]

    lines = reverse(product, np.array([1.0, 2.0]))
    assert "dx = np.zeros_like(x)" in lines


def again(y, n):
    if n == 0:
        return 0.5 * y[0] * y[1] + 0.25 * y[0]
    return again(y * 2, n - 1)


def by_a_function_of_the_text(a, b, n):
    return again(np.array([a, b]), n)


def floats_by_a_function_of_the_text(a, b, n):
    return again(np.array([a, 0.5 * b]), n)


def test_arrays_of_numbers_that_functions_of_the_text_are_handed():
    g = ya.simplegrad(by_a_function_of_the_text, 1.0, 2.0, 2)
    assert "zeros_like(y, float)" in g.source
    assert g(1, 2, 2) == g(1.0, 2.0, 2)
    other = ya.simplegrad(floats_by_a_function_of_the_text, 1.0, 2.0, 2)
    assert "zeros_like(y)" in other.source
    assert other(1, 2, 2) == other(1.0, 2.0, 2)


def of_the_sorted(x):
    y = np.sort(x)
    return 0.5 * y[0] * y[1]


def of_the_turned(x):
    y = np.roll(np.max(x) * np.flip(x), 1)
    return 0.5 * y[0] * y[1]


def of_the_parted(x):
    y = np.partition(x, 1)
    z = np.zeros_like(y)
    z[0] = 0.5 * y[1]
    return z[0] * y[1]


@pytest.mark.parametrize("fn", [of_the_sorted, of_the_turned, of_the_parted])
def test_whole_numbers_in_arrays_are_refused_where_that_is_kept(fn):
    x = np.array([3.0, 1.0, 2.0])
    g = ya.simplegrad(fn, x).fn
    check(fn, (x,))
    with pytest.raises(ValueError, match=r"floats$"):
        g(x.astype(int))


def of_one_of_two(x, w, c):
    y = x if c > 0 else w
    return 0.5 * y[0] * y[1] * c


def of_the_last(x, w, n):
    y = x
    for _ in range(n):
        y = w * 2
    return 0.5 * y[0] * y[1]


@pytest.mark.parametrize(("fn", "last"), [(of_one_of_two, -1.0), (of_the_last, 2)])
def test_all_that_a_branch_or_a_loop_hands_on_holds_floats(fn, last):
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    g = ya.simplegrad(fn, x, w, abs(last)).fn
    check(fn, (x, w, last))
    for given in ((x.astype(int), w), (x, w.astype(int))):
        with pytest.raises(ValueError, match=r"floats(; a number c)?$"):
            g(*given, last)


def test_whole_numbers_in_arrays_that_become_floats():
    def f(x):
        y = np.exp(x)
        return 0.5 * y[0] * y[1]

    x = np.array([3.0, 1.0, 2.0])
    g = ya.simplegrad(f, x).fn
    with pytest.raises(ValueError, match=r"floats$"):
        g(x.astype(int))
