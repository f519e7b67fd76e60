"""Integers of Python in explicit loops: those of 64 bits are right, others raise."""

import numpy as np
import pytest

import yota_ast as ya

numba = pytest.importorskip("numba", reason="no Numba: that its integers are right")
X = np.array([0.9, -0.2, 0.55, 0.4])
RADIUS = 6_371_000
LARGE = 2**40


def cubed(x, n):
    return np.sum(x) * n**3 / RADIUS**2


def product(x, n):
    return np.sum(x) * (n * (n + 1) * (n + 2))


def in_a_loop(x, n):
    s = 0.0
    for i in range(3):
        s += x[i] * (n * n * i * n)
    return s


def signs(x, n):
    return np.sum(x) * (abs(n) - n // -1)


def added_up(x, n):
    total, k = 0, 0
    while k < 3:
        total += n * n
        k += 1
    return np.sum(x) * total * (total * total)


def of_a_module(x, n):
    return np.sum(x) * (LARGE * n)


def times(n, m):
    return n * m


def by_a_helper(x, n):
    s = 0.0
    for i in range(2):
        s += x[i] * times(n * n, n)
    return s


def over_a_range(x, n):
    s = 0.0
    for i in range(n, n + 2):
        s += x[0] * (i * i * i)
    return s


def from_a_product(x, n):
    s = 0.0
    for i in range(n * n, n * n + 2):
        s += x[0] * (i * i)
    return s


def by_leaps(x, n):
    s = 0.0
    for i in range(0, n, 4294967296):
        s += x[0] * (i * i)
    return s


def of_a_part(x, n):
    return np.sum(x[: n * n * n * n + 1])


def of_a_remainder(x, n):
    return x[(n * n * n * n) % 3] * x[0]


def converted(x, n):
    k = int(x[0] * n)
    return np.sum(x) * (k * k * k)


FUNCTIONS = [
    over_a_range,
    from_a_product,
    by_leaps,
    of_a_part,
    of_a_remainder,
    converted,
    cubed,
    product,
    in_a_loop,
    signs,
    added_up,
    of_a_module,
    by_a_helper,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_they_are_right_or_refused(f):
    loops = ya.simplegrad(f, X, 3, wrt=["x"], backend="numba")
    readable = ya.simplegrad(f, X, 3, wrt=["x"])
    right = refused = 0
    for n in (3, 6_371_000, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, -(2**63)):
        try:
            got = loops(X, n)
        except (ValueError, OverflowError):
            refused += 1
            continue
        right += 1
        for one, other in zip(got, readable(X, n), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    assert refused >= 3
    assert right >= 1


def test_both_messages():
    loops = ya.simplegrad(cubed, X, 3, wrt=["x"], backend="numba")
    with pytest.raises(ValueError, match="below") as e:
        loops(X, 2**31)
    assert str(e.value) == "cubed_grad: made for n, RADIUS below 2**31"
    with pytest.raises(OverflowError) as caught:
        loops(X, 6_371_000)
    assert str(caught.value) == "cubed_grad: an integer of more than 64 bits"


def stored(x, n, m):
    y = np.zeros(8)
    for i in range(2):
        for j in range(2):
            for k in range(2):
                y[(i * n + j) * m + k] = x[k] ** 2 * x[n * m * k - 4 * k]
    return np.sum(y)


def test_indices_are_not_checked():
    loops = ya.simplegrad(stored, X, 2, 2, wrt=["x"], backend="numba")
    assert "in_64_bits" not in loops.source
    assert "if max(abs(n), abs(m)) >= 2**31:" in loops.source


def rounded(x, k):
    return np.sum(x * np.round(k))


def test_what_numba_does_not_implement_is_refused():
    with pytest.raises(ya.YotaError, match="Numba cannot compile the loops: float16"):
        ya.simplegrad(rounded, X, X > 0, wrt=["x"], backend="numba")
