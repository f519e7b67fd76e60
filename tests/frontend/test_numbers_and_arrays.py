"""Numbers where arrays without axes may be, and the reverse: `s += e` is one thing for
the one, and another for the other."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

STEP = 1e-6


def alias(a, e):
    b = a
    b += e
    return a * b


def of_a_helper(a, e):
    return added(a, e) * a


def added(t, e):
    t += e
    return t


def in_a_loop(a, e):
    s = a
    for _ in range(3):
        s += e * a
    return s * a


def kept_before(a, e):
    s = np.asarray(a)
    t = s
    s += e
    return s * t + a


def in_a_list(a, e):
    t = [a, a, e]
    for i in range(3):
        t[i] += a * i
    return t[0] * t[1] * t[2]


def in_a_dict(a, e):
    d = {"a": a, "e": e}
    d["a"] += e
    return d["a"] * a + d["e"]


def in_an_attribute(a, e):
    total = Total(a)
    total.add(e)
    return total.value * a


class Total:
    def __init__(self, value):
        self.value = value

    def add(self, e):
        self.value += e


def in_one_arm(a, e):
    b = a if a > 0.5 else a * 1.0
    b += e
    return a * b


def in_a_function_that_calls_itself(a, e):
    def down(t, k):
        if k == 0:
            return t
        t += e
        return down(t, k - 1)

    return down(a, 3) * a


CHANGING = [
    alias, of_a_helper, in_a_loop, kept_before, in_a_list, in_a_dict, in_an_attribute,
    in_one_arm, in_a_function_that_calls_itself,
]  # fmt: skip


def slopes(f, make):
    """Central differences, every call with arguments of its own."""
    point = (0.7, 1.3)
    found = []
    for k in range(2):
        ends = [[p + s * STEP * (i == k) for i, p in enumerate(point)] for s in (1, -1)]
        up, down = (f(*map(make, end)) for end in ends)
        found.append(float(up - down) / (2 * STEP))
    return found


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", CHANGING, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "make", [float, np.float64, np.array], ids=lambda m: m.__name__
)
def test_of_its_own_kind(f, make, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    try:
        _, g = ya.grad(f, make(0.7), make(1.3))
    except UnsupportedSyntax as error:
        assert make is np.array
        assert "array" in str(error)  # noqa: PT017
        return
    assert [g[0], g[1]] == pytest.approx(slopes(f, make), rel=1e-7)
    made = ya.simplegrad(f, make(0.7), make(1.3))
    assert made(make(0.7), make(1.3))[1:] == pytest.approx(slopes(f, make), rel=1e-7)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", CHANGING, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [float, np.float64], ids=lambda m: m.__name__)
def test_a_text_for_numbers_refuses_arrays(f, make, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    made = ya.simplegrad(f, make(0.7), make(1.3))
    for shape in ((), (2,)):
        a, e = np.full(shape, 0.7), np.full(shape, 1.3)
        with pytest.raises(ValueError, match="made for"):
            made(a, e, seed=np.ones(shape))
        assert np.all(a == 0.7)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [alias, of_a_helper, in_a_loop], ids=lambda f: f.__name__)
def test_a_text_for_arrays_refuses_numbers(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    made = ya.simplegrad(f, np.array(0.7), np.array(1.3))
    with pytest.raises(ValueError, match="made for"):
        made(np.float64(0.7), np.float64(1.3))


def test_numbers_are_no_arrays_without_axes():
    def total(a, e):
        s = 0.0
        for k in range(3):
            if e > 0:
                s += a * e**k
            s *= 1.5
        return s

    made = ya.simplegrad(total, 0.7, 1.3)
    assert made(0.7, 1.3)[0] == total(0.7, 1.3)
    with pytest.raises(ValueError, match=r"^total_grad: made for numbers a, e$"):
        made(np.array(0.7), np.array(1.3))


def of_a_list_kept_as_one(a, e):
    s = np.asarray(a * 1.0)
    t = [s, s * 1.0]
    for _ in range(2):
        t[0] *= e
        t.append(t[0])
    return t[0] * s + t[-1]


@pytest.mark.parametrize("passes", ["all", "none"])
def test_an_item_that_may_be_an_array(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f = of_a_list_kept_as_one
    val, da, de = ya.simplegrad(f, 0.7, 1.3)(0.7, 1.3)
    assert val == f(0.7, 1.3)
    assert [da, de] == pytest.approx(slopes(f, float), rel=1e-7)


def test_a_tangent_that_is_stored_in():
    def square(a):
        return np.piecewise(a, [a > 0], [lambda t: t * t, 0.0])

    for x in (0.7, np.array(0.7)):
        assert ya.jvp(square)(x, np.ones_like(x)) == (0.7 * 0.7, 1.4)


GIVING = {
    "squeeze": np.squeeze,
    "reshape": lambda b: np.reshape(b, ()),
    "transpose": np.transpose,
    "T": lambda b: b.T,
    "copy": lambda b: b.copy(),
    "conj": lambda b: b.conj(),
    "conjugate": lambda b: b.conjugate(),
    "at an index": lambda b: np.array([b, b])[np.array(1)],
    "at a tuple": lambda b: np.array([b, b])[(np.array(1),)],
    "with dots": lambda b: np.array([b, b])[np.array(1), ...],
    "item": lambda b: np.array([b, b])[..., 0],
}


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("name", GIVING)
@pytest.mark.parametrize(
    "make", [float, np.float64, np.array], ids=lambda m: m.__name__
)
def test_what_functions_give(name, make, passes, monkeypatch):
    """Right, or refused: squeeze of NumPy's number is one, of Python's an array."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    box = GIVING[name]
    if make is float and name in ("T", "copy", "conj", "conjugate"):
        return
    ways = (ya.grad,) if name == "copy" else (ya.grad, ya.simplegrad)

    def f(a, e):
        s = box(a)
        t = s
        s += e * a
        return s * t + a

    for wanted in ways:
        try:
            if wanted is ya.grad:
                val, g = ya.grad(f, make(0.7), make(1.3))
                found = [g[0], g[1]]
            else:
                val, *found = ya.simplegrad(f)(make(0.7), make(1.3))
        except (UnsupportedSyntax, ValueError) as error:
            assert "view" in str(error) or "may share memory" in str(error)  # noqa: PT017
            continue
        assert val == f(make(0.7), make(1.3))
        assert found == pytest.approx(slopes(f, make), rel=1e-7)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_tangent_that_gains_items(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def grown(a, n):
        k = np.sum(a, keepdims=True)
        for i in range(n):
            k = k + a * i
        return np.sum(k * k)

    a = np.array([0.7, 1.3])
    val, slope = ya.jvp(grown)(a, 3, np.array([1.0, 2.0]), None)
    assert val == grown(a, 3)
    assert slope == pytest.approx(ya.grad(grown, a, 3)[1][0] @ [1.0, 2.0])
