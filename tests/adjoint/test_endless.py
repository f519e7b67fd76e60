"""`repeat`, `count`, `cycle`, and chains that end in them, in `zip` and `map`."""

import itertools
from itertools import chain, count, cycle, repeat

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def repeated(x, a):
    return sum(v * k * k for v, k in zip([x, a, x * a], repeat(a)))


def counted(x, a):
    s = 0.0
    for v, k in zip([x, a, x * a], itertools.count(1)):
        s += v**k
    return s


def counted_in_steps(x, a):
    return sum(k * v for k, v in zip(count(0.5, 0.25), (x, a, x * a)))


def turned(x, a):
    s = 0.0
    for v, k in zip([x, a, x * a, a], cycle((1.0, x))):
        s += v * k
    return s


def flags(x, a):
    s = 0.0
    for v, wanted in zip((x, a, x * a), chain((True, False), repeat(True))):
        if not wanted:
            continue
        s += v * v
    return s


def mapped(x, a):
    return sum(map(pow, [x, a], repeat(2)))


def in_a_loop(x, a):
    s = 0.0
    for _ in range(3):
        for v, k in zip((x, a, s), chain((0.5,), cycle((x, -a)))):
            s += v * k
    return s


def within_pairs(x, a):
    return sum(p * q for (p, q) in zip((x, a), chain((a, x, 9.0), repeat(1.0))))


def of_another_name(x, a):
    def repeat(v):
        return v, a

    return sum(p * q for p, q in zip((x, a), repeat(x)))


def of_another_name_around(x, a):
    def repeat(v):
        return v * v, v

    def inner():
        return sum(p * q for p, q in zip((x, a), repeat(a)))

    return inner()


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn",
    [
        repeated, counted, counted_in_steps, turned, flags, mapped, in_a_loop,
        within_pairs, of_another_name, of_another_name_around,
    ],
)  # fmt: skip
def test_gradient_of_what_is_taken(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (0.7, 1.3))


def of_arguments(xs, a):
    return sum(p * q for p, q in zip(xs, repeat(a)))


@pytest.mark.parametrize("xs", [[1.0, 2.0], (1.0, 2.0)])
def test_items_of_an_argument(xs):
    value, grads = ya.grad(of_arguments, xs, 2.0)
    assert (value, list(grads["xs"]), grads["a"]) == (6.0, [2.0, 2.0], 3.0)


def strictly(x, a):
    return sum(p * q for p, q in zip((x, a), repeat(x), strict=True))


def loosely(x, a):
    return sum(p * q for p, q in zip((x, a), repeat(x), strict=False))


def test_zip_that_is_to_end_at_once_raises_as_python_does():
    with pytest.raises(ValueError, match="longer"):
        strictly(0.7, 1.3)
    with pytest.raises((ya.UnsupportedSyntax, ya.UnsupportedCall)):
        ya.grad(strictly, 0.7, 1.3)
    check(loosely, (0.7, 1.3))


class Talking:
    @property
    def pair(self):
        print("asked")
        return lambda v: (v, 2.0 * v)


TALKING = Talking()


def by_an_attribute(x, a):
    return sum(u * v for u, v in zip((x, a), TALKING.pair(x)))


def test_an_attribute_is_not_asked_for_by_the_way(capsys):
    """What an argument calls is told by names alone: a property may do anything."""
    _, grads = ya.grad(by_an_attribute, 0.7, 1.3)
    assert capsys.readouterr().out == "asked\n"
    assert (grads["x"], grads["a"]) == (2 * 0.7 + 2 * 1.3, 2 * 0.7)


def growing(x, a):
    xs, s = [x, a], 0.0
    for v, k in zip(xs, count(1)):
        s += v * k
        if k < 3:
            xs.append(x * k)
    return s


def held(x, a):
    twos, s = repeat(2.0), 0.0
    for v, k in zip((x, a), twos):
        s += v * k
    return s


@pytest.mark.parametrize("fn", [growing, held])
def test_what_has_a_state_is_refused(fn):
    with pytest.raises((ya.UnsupportedSyntax, ya.UnsupportedCall)):
        ya.grad(fn, 0.7, 1.3)


def test_an_array_has_as_many_items_as_it_has():
    assert ya.gradcheck(of_arguments, np.array([1.0, 2.0]), 2.0)


def taken_one_by_one(x, a):
    numbers, signs = count(1), cycle([1.0, -1.0, 0.5])
    s = next(numbers) * x
    for v in (x, a, x * a, s):
        if v > 0.5:
            s += next(signs) * v ** next(numbers)
        s = helped(s, signs)
    return s * next(numbers)


def helped(s, signs):
    return s * s + next(signs)


def cycled_list(x, a):
    return sum(v * k for v, k in zip((x, a, x * a), cycle([1.0, -a])))


@pytest.mark.parametrize("f", [taken_one_by_one, cycled_list])
def test_next_of_what_has_no_end(f):
    check(f, (0.8, 1.3))
    slope = ya.grad(f, 0.8, 1.3)[1][0]
    assert ya.jvp(f)(0.8, 1.3, 1.0, 0.0)[1] == pytest.approx(slope)
    there, back = (ya.grad(f, 0.8 + h, 1.3)[1][0] for h in (1e-6, -1e-6))
    assert ya.hvp(f)(0.8, 1.0, 1.3) == pytest.approx((there - back) / 2e-6, rel=1e-6)
