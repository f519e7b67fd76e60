"""A `try` around branches, loops and tries: how far it came is known in every mode."""

import math

import numpy as np
import pytest

import yota_ast as ya

P = (
    np.array([0.3, 1.2, 0.7, 2.1]),
    np.array([0.3, -1.2, 0.7, 2.1]),
    np.array([0.9, 1.2, -0.7, 2.1]),
    np.array([0.03, 1.2, 0.7, -2.1]),
)
V = np.array([0.4, -0.3, 0.2, 0.7])


def branches(x, n):
    a = b = x[3]
    try:
        if x[0] > 0.1:
            b = a * 2
            b = math.sqrt(x[1]) * b
        else:
            b = a * x[n]
        a = b * math.sqrt(x[2])
    except ValueError:
        b = b * a + 1
    except IndexError:
        a = a * x[1]
    return a * b


def stores_in_a_loop(x, n):
    y = np.zeros(4)
    try:
        for i in range(4):
            y[i] = x[i] ** 2 * x[0]
            if i == n:
                raise ValueError  # noqa: TRY301
            y[i] += math.sqrt(x[i])
    except ValueError:
        y[3] = x[0]
    return np.sum(y * x)


def a_try_in_a_loop(x, n):
    s, a = 1.0, x[0]
    try:
        for i, q in enumerate(x):
            s = s * q + a
            try:
                s *= math.sqrt(q)
            except ValueError:
                s += x[i + n]
            a = a + s * 0.1
    except IndexError:
        s = s * a
    return s + a


def counts_up(x, n):
    s, a, k = x[0], 1.3, n
    try:
        while s < 5.0:
            s = s + abs(x[k]) * a
            k += 1
            a = a * 0.9
    except (IndexError, TypeError):
        s = s * 2
    else:
        s = s * a
    return s * a


def leaves_the_loop(x, n):
    a = x[3]
    for r in range(3):
        try:
            if x[r] > 0.5:
                a = a * x[1]
                if n == r:
                    continue
                a = a * math.sqrt(x[2])
            elif n > 2:
                break
        except ValueError:
            a = a * 3
            if r == 1:
                break
    return a * a


def part(x, k):
    total = x[k]
    try:
        for q in x:
            total = total + math.log(q) * total
            if total > 3.0:
                return total * x[0]
    except ValueError:
        total = total * x[1]
    finally:
        k = k + 1
    return total * k


def in_a_helper(x, n):
    y = x * 0.5
    y *= 1.5
    return part(y, 0) * part(x, min(n, 3))


def asks_an_array(x, n):
    a = x[0]
    try:
        if x[n:] > 0.5:  # of several elements: a ValueError
            a = a * x[1]
        a = a + x[2]
    except ValueError:
        a = a * x[3]
    return a * a


PROGRAMS = (
    branches, stores_in_a_loop, a_try_in_a_loop, counts_up, leaves_the_loop,
    in_a_helper, asks_an_array,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 3, 9])
@pytest.mark.parametrize("x", P, ids=str)
def test_every_mode(f, n, x):
    try:
        expected = f(x, n)
    except Exception as error:
        with pytest.raises(type(error)):
            ya.grad(f, x, n)
        return
    slope = (f(x + 1e-6 * V, n) - f(x - 1e-6 * V, n)) / 2e-6
    val, g = ya.grad(f, x, n)
    assert val == expected
    assert g["x"] @ V == pytest.approx(slope, rel=1e-5, abs=1e-6)
    assert ya.jvp(f)(x, n, V, None)[1] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    up, down = (ya.grad(f, x + h * V, n)[1]["x"] for h in (1e-6, -1e-6))
    assert ya.hvp(f)(x, V, n) == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("f", [branches, stores_in_a_loop, counts_up, leaves_the_loop])
def test_one_text_for_all(f):
    gradient = ya.simplegrad(f, wrt="x")
    for x in P:
        for n in (0, 1, 3):
            slope = (f(x + 1e-6 * V, n) - f(x - 1e-6 * V, n)) / 2e-6
            assert gradient(x, n)[1] @ V == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_each_handler_is_written_once():
    text = ya.grad(branches, P[0], 0)[1].source
    assert text.count("b_2 * a_2 + 1") == 1
    assert "not not" not in text


def test_the_error_is_read():
    def reads(x):
        y = x
        try:
            for k in range(3):
                y = y * math.log(x - k)
        except ValueError as error:
            y = y + len(str(error))
        return y

    with pytest.raises(ya.YotaError, match="after a `try` that may have raised"):
        ya.grad(reads, 2.5)


def of_those_with_items(*arrays):
    taken = []
    for a in arrays:
        try:
            if len(a) > 0:
                taken.append(a)
        except TypeError:
            taken.append(a)
    return np.sum(np.hypot(*taken))


def test_asking_for_a_length_never_fails():
    def fn(x):
        return of_those_with_items(x, x * x)

    for x in P:
        val, g = ya.grad(fn, x)
        assert val == fn(x)
        steps = 1e-6 * np.eye(4)
        slopes = [(fn(x + h) - fn(x - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(g[0], slopes, atol=1e-6)
        assert ya.jvp(fn)(x, V)[1] == pytest.approx(np.dot(slopes, V), abs=1e-5)
