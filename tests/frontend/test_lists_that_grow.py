"""How long a list is to which each iteration of a loop appends, and so the array that
is made of it: no helper undoes a broadcast that there is not, and other arguments are
checked at the entry."""

from contextlib import suppress

import numpy as np
import pytest

import yota_ast as ya


def of_each_item(r, t, data):
    out = []
    for i in range(len(t)):
        out.append(np.exp(r * t[i]))  # noqa: PERF401
    return np.sum((np.array(out) - data) ** 2)


def of_each_element(r, t, data):
    return np.sum((np.array([np.exp(r * each) for each in t]) - data) ** 2)


def two_of_each(r, t, data):
    out = []
    for each in t:
        out.append(r * each)
        out.append(r * r * each)
    return np.sum((np.array(out) - data) ** 2)


def begun_with_one(r, t, data):
    out = [r]
    for k in range(len(t) - 1):
        out.append(out[k] * t[k + 1])
    return np.sum((np.array(out) - data) ** 2)


def in_two_loops(r, t, data):
    out = []
    for each in t:
        out.append(r * each)  # noqa: PERF401
    for k, each in enumerate(t):
        out.append(r * each + k)
    return np.sum((np.array(out) - data) ** 2)


def all_but_one(r, t, data):
    out = []
    for each in t:
        out.append(r * each)  # noqa: PERF401
    return np.sum((np.array(out[1:]) - data[1:]) ** 2)


GROWN = {
    of_each_item: 1,
    of_each_element: 1,
    two_of_each: 2,
    begun_with_one: 1,
    in_two_loops: 2,
    all_but_one: 1,
}


def some_of_them(r, t, data):
    out = []
    for each in t:
        if each < 0:
            continue
        out.append(r * each)
    return np.sum((np.array(out) - data) ** 2)


def until_one_is_large(r, t, data):
    out = []
    for each in t:
        out.append(r * each)
        if each > 0.8:
            break
    return np.sum((np.array(out) - data) ** 2)


def without_the_last(r, t, data):
    out = []
    for each in t:
        out.append(r * each)  # noqa: PERF401
    out.pop()
    out.append(r)
    out.append(r)
    return np.sum((np.array(out) - data) ** 2)


def every_second(r, t, data):
    out = []
    for k in range(0, len(t), 2):
        out.append(r * t[k])  # noqa: PERF401
    return np.sum((np.array(out) - data) ** 2)


NOT_SO = (some_of_them, until_one_is_large, without_the_last, every_second)


def slope(f, r, *rest):
    return (f(r + 1e-6, *rest) - f(r - 1e-6, *rest)) / 2e-6


def numbers(n):
    return np.random.default_rng(n).uniform(-1, 1, n)


@pytest.mark.parametrize("f", GROWN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_length_is_that_of_the_loop(f, n):
    often = GROWN[f]
    df = ya.simplegrad(f, 0.4, numbers(4), numbers(4 * often), wrt=["r"])
    assert "unbroadcast" not in df.source
    t, data = numbers(n), numbers(n * often)
    try:
        value, dr = df(0.4, t, data)
    except ValueError:
        assert n == 1  # it is not 1 where the example tells that it is not
        return
    assert value == f(0.4, t, data)
    assert dr == pytest.approx(slope(f, 0.4, t, data), abs=1e-6)


@pytest.mark.parametrize("f", [*GROWN, *NOT_SO], ids=lambda f: f.__name__)
def test_other_lengths_are_right_or_raise(f):
    for example in (4, 6):
        given = numbers(example), data_of(f, example)
        df = ya.simplegrad(f, 0.4, *given, wrt=["r"])
        for n in range(6):
            for m in range(8):
                check(f, df, numbers(n), numbers(m))


def data_of(f, n):
    """Data as long as what a function makes of `n` numbers."""
    t, made = numbers(n), []
    for m in range(2, 2 * n + 1):
        with suppress(ValueError):
            f(0.4, t, numbers(m))
            made.append(m)
    return numbers(made[0])


def check(f, df, t, data):
    """Compare where the gradient raises nothing."""
    try:
        value, dr = df(0.4, t, data)
    except (ValueError, IndexError):
        return
    assert value == f(0.4, t, data)
    assert dr == pytest.approx(slope(f, 0.4, t, data), abs=1e-6)


def steps(z, r, n, data):
    out = [z]
    for _ in range(n):
        z = z + 0.1 * r * z * (1 - z)
        out.append(z)
    return np.mean((np.array(out) - data) ** 2)


def stacked(z, r, n, data):
    out = []
    for k in range(n):
        z = z + 0.1 * r * z * (1 - z) * k
        out.append(z)
    return np.mean((np.stack(out) - data) ** 2)


def columns(z, r, n, data):
    out = []
    for _ in range(n):
        z = z + 0.1 * r * z * (1 - z)
        out.append(z)
    return np.mean((np.stack(out, axis=-1).T - data) ** 2)


def one_below_another(z, r, n, data):
    out = []
    for _ in range(n):
        z = z + 0.1 * r * z * (1 - z)
        out.append(z)
    return np.mean((np.vstack(out) - data) ** 2)


@pytest.mark.parametrize("f", [steps, stacked, columns, one_below_another])
def test_rows(f):
    z, more = numbers(3), f is steps
    data = np.random.default_rng(1).normal(size=(6, 3))
    df = ya.simplegrad(f, z, 0.5, 5 + (not more), data, wrt=["z"])
    assert "unbroadcast" not in df.source
    for n in range(-2, 4):
        for m in range(4):
            for width in (3, 1):
                given = 0.5, n, data[:m, :width]
                try:
                    value, dz = df(z, *given)
                except (ValueError, IndexError):
                    assert n < 1 or m != n + more or width == 1 or m < 2
                    continue
                assert value == f(z, *given)
                h = 1e-6 * np.eye(3)
                wanted = [(f(z + e, *given) - f(z - e, *given)) / 2e-6 for e in h]
                np.testing.assert_allclose(dz, wanted, atol=1e-6)


def test_a_part_of_a_list_may_be_empty():
    def f(x):
        out = [x]
        for _ in range(2):
            out.append(out[-1] * x)
        rest = out[3:]
        return np.sum(np.array(rest)) + np.sum(np.array(out))

    x = numbers(2)
    value, g = ya.grad(f, x)
    assert value == f(x)
    np.testing.assert_allclose(g[0], 1 + 2 * x + 3 * x**2)
