"""`a, b, c = p`: the text takes apart what the program takes apart, as Python does."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.7, 1.3, 0.4])
M = np.array([[0.7, 1.3, 0.4], [2.0, 0.5, 1.0]])


def model(p, t):
    a, b, c = p
    return np.sum(a * np.exp(-b * t) + c)


def product(A, x):
    q, r = A @ x
    return q * r


def exchanged(x):
    a, b, c = x
    a, b = b, a
    for _ in range(3):
        a = a * b
        b = b + c
    return a + b


def rows(m):
    y = m.copy()
    r, s = y
    r[0] = s[1] * 3
    return np.sum(y * m)


def one(x):
    [a] = x[:1]
    (b,) = x[1:2]
    return a * b


def in_arms(x):
    if x[0] > 0:
        a, b, _ = x
    else:
        b, a, _ = x * 2
    return a * b


def in_a_loop(x):
    s = 0.0
    for k in range(3):
        a, b, _ = x * k
        s = s * a + b
    return s


def nested(m):
    (a, _, c), (_, e, _) = m
    return a * e * c


def in_a_helper(x):
    def product_of(v):
        p, q, _ = v
        return p * q

    a, b, c = x
    return product_of(x) * product_of([a, b, c]) + c


def into_items(x):
    out = np.zeros(3)
    out[0], out[1], out[2] = x
    return np.sum(out * x)


def caught(x):
    try:
        a, b = x
    except ValueError:
        a, b, _ = x
    return a * b


def overwritten(x):
    y = x.copy()
    a, b, c = y
    y[0] = b * c
    return a * y[0]


def of_rows(m):
    s = 0.0
    for q, r in m.T:
        s += q * r
    return s


def of_first_items(m):
    s = 0.0
    for q, _ in m.T:
        s += q * q
    return s + sum(q * r for q, r in m.T)


def of_rows_and_weights(m, w):
    s = 0.0
    for (q, r), v in zip(m.T, w, strict=True):
        s += q * r * v
    return s


def of_single_items(m):
    s = 0.0
    for (q,) in m[0][:, np.newaxis]:
        s += q * q
    for [q] in m[1][:, np.newaxis]:
        s += q * q
    return s


def of_rows_of_data(m, x):
    (a, _), (_, d) = m
    return a * x + d * x * x


def test_as_many_rows_as_the_program_takes():
    g = ya.simplegrad(of_rows_of_data, np.ones((2, 2)), 2.0, wrt=["x"])
    assert g(np.ones((2, 2)), 2.0) == (6.0, 5.0)
    with pytest.raises(ValueError, match="too many values to unpack"):
        g(np.ones((3, 2)), 2.0)


EVERY = (
    (of_rows, M), (of_first_items, M), (of_rows_and_weights, M, V),
    (of_single_items, M),
    (model, V, np.linspace(0, 1, 4)), (product, M, V), (exchanged, V), (rows, M),
    (one, V), (in_arms, V), (in_arms, -V), (in_a_loop, V), (nested, M),
    (in_a_helper, V), (into_items, V), (caught, V), (overwritten, V),
)  # fmt: skip


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in EVERY])
def test_it_is_right(f, args):
    assert ya.gradcheck(f, *args)
    assert ya.grad(f, *args)[0] == f(*args)


@pytest.mark.parametrize(
    ("f", "args", "line"),
    [
        (model, (V, V), "    a, b, c = p\n"),
        (product, (M, V), "    q, r = A @ x\n"),
        (rows, (M,), "    _, s = y\n"),
        (one, (V,), "    (a,) = x[:1]\n"),
        (in_a_loop, (V,), "        a, b, _ = x * k\n"),
        (of_rows, (M,), "        q, r = m.T[i]\n        s += q * r\n"),
        (nested, (M,), "    t1, t2 = m\n    a, _, c = t1\n    _, e, _ = t2\n"),
    ],
)
def test_the_line_is_that_of_the_program(f, args, line):
    assert line in ya.simplegrad(f, *args).source


def pair(x):
    a, b = x
    return a * b


def first(x):
    a, b = x * 1.0  # noqa: RUF059  how many there are is checked
    return a * a


def columns(m):
    n, k = m.shape  # noqa: RUF059
    return np.sum(m) * n


def of_zeros(x):
    a, b = np.zeros(6) + x  # noqa: RUF059
    return a


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (of_rows, M.T),
        (of_first_items, M.T),
        (pair, V),
        (pair, V[:1]),
        (first, V),
        (columns, V),
        (of_zeros, 0.5),
    ],
)
def test_other_numbers_of_items_raise_as_in_python(f, x):
    with pytest.raises(ValueError, match="values to unpack") as told:
        f(x)
    with pytest.raises(ValueError, match="values to unpack") as raised:
        ya.grad(f, x)
    assert str(raised.value) == str(told.value)


def test_tangents_take_it_apart_once():
    text = ya.jvp(model)
    value, change = text(V, V, np.ones(3), None)
    assert value == model(V, V)
    g = ya.grad(model, V, V)[1]["p"]
    assert np.isclose(change, g.sum())
