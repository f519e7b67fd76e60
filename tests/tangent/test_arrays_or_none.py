"""Names that are arrays in some cases and None in others, and what loops save."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.directional import tangent_source
from yota_ast.ir.abstract_values import fact_of

X = np.array([0.3, 0.5, -0.7])
WAYS = [np.array(c) for c in ([1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0])]


def pairs(x, a, c):
    total = 0.0
    for i in range(3):
        force = np.zeros(3)
        for j in range(3):
            if i != j:
                d = x * a + (i - j) * c[0]
                r2 = d @ d + 0.01
                force += c[1] * d / (r2 * np.sqrt(r2))
        total += force @ force
    return total


def last_of_two_loops(x, a, c):
    p, last = np.zeros(3), None
    for i in range(3):
        for j in range(3):
            if i != j and c[0] > 0:
                d = x * a + i - j
                p += d / (d @ d + 1)
                last = d
    return p.sum() if last is None else (p * last).sum()


def given_up_and_begun_again(x, a, c):
    m = None
    for q in c:
        n = np.outer(x, x) * a * q
        m = n if m is None else m @ n
        if q < 0:
            m = None
    return a if m is None else np.trace(m)


def before(x, a, c):
    previous, total = None, 0.0
    for k in range(4):
        current = np.sin(x * a + k * c[0])
        if previous is not None:
            total += ((current - previous) ** 2).sum() * a
        previous = current
    return total


def of_two_ranks(x, a, c):
    v = None
    if c[0] > 0:
        v = x
    if c[1] > 0:
        v = np.outer(x, x) * a
    return a if v is None else np.sum(v**2)


def slope_of_pairs(x, a, c):
    return ya.grad(pairs, wrt="x")(x, a, c)


EVERY = [pairs, last_of_two_loops, given_up_and_begun_again, before, of_two_ranks]


@pytest.mark.parametrize("f", EVERY)
@pytest.mark.parametrize("c", WAYS, ids=str)
def test_right_in_every_mode(f, c):
    slopes = ya.simplegrad(f, X, 1.3, c, wrt=["x", "a"]).fn(X, 1.3, c)[1:]
    ahead, behind = f(X, 1.3 + 1e-6, c), f(X, 1.3 - 1e-6, c)
    assert slopes[1] == pytest.approx((ahead - behind) / 2e-6, abs=1e-6)
    assert ya.jvp(f, wrt="a")(X, 1.3, c, 1.0)[1] == pytest.approx(slopes[1])
    slope = ya.grad(f, wrt="x")
    expected = (slope(X + 1e-5, 1.3, c) - slope(X - 1e-5, 1.3, c)) / 2e-5
    found = ya.hvp(f, wrt="x")(X, np.ones(3), 1.3, c)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_second_derivatives_of_saved_vectors_need_no_helpers():
    facts = {"x": fact_of(X), "a": fact_of(1.3), "c": fact_of(WAYS[0])}
    text = tangent_source(slope_of_pairs, wrt="x", facts=facts)
    assert "unbroadcast" not in text
    assert "conj" not in text


def test_what_is_an_array_where_it_is_something_is_taken_for_no_number():
    def f(x, a):
        v, w = None, x * a
        if a > 0:
            v = w[1:]
        if v is not None:
            v *= a
        return (w**2).sum()

    with pytest.raises(ya.UnsupportedSyntax, match="`w` may share memory"):
        ya.grad(f, wrt="x")(X, 1.3)
