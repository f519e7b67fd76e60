"""The value of a gradient within a function has the bits of the direct call where it
has kinks, too: what marks them for the second derivative keeps no products apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

import yota_ast as ya

C = np.cos(np.arange(6.0))
X = np.linspace(-0.71, 1.73, 6)
SCALES = (1.0, 0.37, 1.21)


def size(x):
    return np.sum(C * 0.9 * np.abs(0.7 * x * C)) * 0.3


def size_by_itself(x):
    return np.sum(np.abs(x * C) * 0.3 * x)


def root_of_square(x):
    return np.sum(3.1 * np.sqrt(x * x) * C * 0.7 * x)


def power(x):
    return np.sum(np.abs(x * C) ** 1.5 * C * 0.21 * x) / 3


def norm(x):
    return np.sum(np.linalg.norm(x * C) * 0.7 * C * x * 0.3)


def larger(x):
    return np.sum(np.maximum(np.abs(x * C) * 0.3, 0.3 * x) * C * 0.7) / 3


def hypotenuse(x):
    return np.sum(np.hypot(x * C, 0.3 * x) * 0.3 * x * C)


def between(x):
    return np.sum(np.clip(np.abs(x) * C * 0.7, -0.3, 0.4) * 0.3 * x)


def chosen(x):
    return np.sum(np.where(x > 0.1, np.abs(x * C) * 0.3, 0.3 * x) * x * 0.7)


def deviation(x):
    return np.std(x * C) * 0.3 * np.sum(C * x) * 0.7


def below(x):
    return np.sum(1 / (1.7 + np.abs(C * 0.63 * x * C))) * 0.3


def in_a_loop(x):
    s = x * 0.3
    for _ in range(3):
        s = np.abs(s * C) * 0.7 * x + s * 0.1
    return np.sum(s * C * 0.7) / 3


def in_a_branch(x):
    s = np.abs(x * C)
    if x[0] > -1:
        s = np.sqrt(s * s * C * C * 0.7) * x * 0.3
    return np.sum(s * 0.3 * x)


def in_a_part(x):
    s = x.copy()
    s[1:] += np.abs(x[:-1] * C[1:]) * 0.3 * x[1:]
    return np.sum(s * 0.3 * x)


KINKS = [
    size, size_by_itself, root_of_square, power, norm, larger, hypotenuse, between,
    chosen, deviation, below, in_a_loop, in_a_branch, in_a_part,
]  # fmt: skip


def are_of_the_direct_call(outer, inner):
    """Whether the values of an inner derivative are those of the direct call."""
    for scale in SCALES:
        value = inner(scale * X)
        np.testing.assert_array_equal(outer(inner, scale * X, value), value)


def forward(inner, x, value):
    return ya.jvp(inner)(x, C)[0]


def reverse(inner, x, value):
    found, (slope,) = ya.grad(inner, x, seed=np.ones_like(value))
    h = 1e-6
    change = np.sum(inner(x + h * C) - inner(x - h * C)) / (2 * h)
    assert np.sum(slope * C) == pytest.approx(change, rel=1e-6)
    return found


@pytest.mark.parametrize("f", KINKS)
def test_bits_of_a_gradient(f):
    are_of_the_direct_call(forward, lambda x: ya.value_and_grad(f)(x)[1])


@pytest.mark.parametrize("f", [size, power, in_a_loop, in_a_part])
def test_bits_of_a_tangent(f):
    are_of_the_direct_call(reverse, lambda x: ya.jvp(f)(x, 0.3 * x * C)[1] * C)


@pytest.mark.parametrize("f", [size, root_of_square, power, in_a_branch])
def test_bits_of_a_pullback(f):
    are_of_the_direct_call(reverse, lambda x: ya.vjp(f)(x)[1](0.7))


@pytest.mark.parametrize("f", [power, below])
def test_bits_of_second_order(f):
    are_of_the_direct_call(forward, lambda x: ya.hvp(f)(x, 0.3 * x * C))


def test_kinks_are_met():
    """The value of a slope is that of the direct call, its own slope is marked."""

    def slope(f):
        return lambda x: np.sum(ya.value_and_grad(f)(x)[1])

    x = np.where(X > 0.5, 0, X)
    assert np.all(ya.value_and_grad(slope(size))(x)[1] == 0)
    with pytest.raises(ValueError, match="no second derivative is known"):
        ya.value_and_grad(slope(root_of_square))(x)
    with pytest.raises(ValueError, match="no second derivative is known"):
        ya.jvp(slope(root_of_square))(x, C)


def test_the_text_has_one_product():
    """What is marked alone is computed beside the value only where it is read."""
    source = ya.simplegrad(lambda x: ya.value_and_grad(size)(x)[1], X).source
    lines = [line for line in source.splitlines() if "#" not in line]
    assert sum("np.sign(" in line for line in lines) == 1
    assert not any("valued(" in line for line in lines)


def once(s):
    return 0.7 * np.abs(s * C) * 0.3 + s


def fourfold(s):
    return once(once(once(once(s))))


def sixteenfold(x):
    return np.sum(fourfold(fourfold(fourfold(fourfold(x)))) * C) / 3


def test_what_is_read_twice_is_made_once():
    """Each of sixteen sums reads the one before twice, and doubled the text."""

    def slope(x):
        return ya.value_and_grad(sixteenfold)(x)[1]

    made = ya.simplegrad(slope, X)
    assert len(made.source.splitlines()) < 250
    np.testing.assert_array_equal(made(X, seed=C)[0], slope(X))


def roots_taken_twice(x):
    return 1 / math.sqrt(2.0 - x) * math.sin(math.sqrt(2.0 - x))


def wetted(d, a, h):
    r2, part = d * d / 4, 1.0 / a
    slope = a * a * d / math.sqrt(a * a - r2)
    angle = math.asin((a - h) * math.sqrt(a * a - r2) * part * part)
    return slope * (math.acos(d / 2 * part) - angle)


@pytest.mark.parametrize(
    ("f", "args"), [(roots_taken_twice, (0.7,)), (wetted, (72.0, 48.0, 24.0))]
)
def test_terms_of_sums_in_another_order(f, args):
    x, *rest = args
    slope, h = ya.value_and_grad(f), 1e-4
    change = (slope(x + h, *rest)[1] - slope(x - h, *rest)[1]) / (2 * h)
    assert ya.hvp(f)(x, 1.0, *rest) == pytest.approx(change, rel=1e-7)
