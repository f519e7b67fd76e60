"""The text of tangents: a function is computed once, what nobody reads is not there."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import same_bits

X, C = np.array([0.5, -1.2, 2.0]), np.array([1.0, -2.0, 3.0])


def waves(x):
    return np.sum(np.sin(x) * np.cos(x))


def named(x):
    s = np.sin(x)
    c = np.cos(x)
    return np.sum(s + c * c)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + np.sum(np.sin(k * x) + 2 * np.cos(k * x))
    return total


def growing(x):
    return np.sum(np.log(x * x) * np.exp(x) * np.exp(np.exp(x)))


def written_between(x):
    y = x * 1.0
    s = np.sin(y)
    y[0] = 2.0
    return np.sum(s * np.cos(y))


def written_after(x):
    s = np.sin(x)
    c = np.cos(x)
    c[0] = 2.0
    return np.sum(s * c) + np.sum(s)


PROGRAMS = (waves, named, in_a_loop, growing, written_between, written_after)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_the_numbers_are_right(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, h = np.abs(X), 1e-6
    val, d = ya.jvp(fn)(x, C)
    assert same_bits(val, fn(x))
    assert d == pytest.approx((fn(x + h * C) - fn(x - h * C)) / (2 * h), rel=1e-6)
    assert d == pytest.approx(float(C @ ya.grad(fn, x)[1][0]), rel=1e-12)


@pytest.mark.parametrize(
    ("fn", "count"),
    [(waves, 1), (named, 1), (in_a_loop, 1), (written_between, 2), (written_after, 2)],
)
def test_a_cosine_is_computed_once_unless_memory_is_written(fn, count):
    def along(x):
        return ya.jvp(fn)(x, C)[1] ** 2

    source = ya.simplegrad(along, X).source.partition("# reverse")[0]
    assert source.count("np.cos(") == count, source


# ---------------------------------------------------------------- what nobody reads


def kinks(x):
    return np.sum(np.abs(x * C) * 0.3 * x)


def powers(x):
    return np.sum((x * C) ** 2 + 1.0)


def never_runs(x):
    s, k = x, 5
    for _ in range(0):
        s = 3 * s
    for _ in range(3, 1):
        s = 2 * s
    while k < 5:
        s = 2 * s
        k += 1
    return np.sum(s * s)


def runs_twice(x):
    y = x
    for _ in range(2):
        y = 2 * y
    return np.sum(x * y)


def slopes(fn):
    return lambda x: np.sum(ya.grad(fn, x)[1][0] ** 2)


def changes(fn):
    return lambda x: ya.jvp(fn)(x, C)[1] ** 2


@pytest.mark.parametrize("fn", [kinks, powers, never_runs, runs_twice])
@pytest.mark.parametrize("outer", [slopes, changes])
def test_what_cannot_raise_and_is_not_read_is_not_there(fn, outer):
    made = ya.simplegrad(outer(fn), X)
    body = made.source.partition("# forward")[2].splitlines()
    code = [line.strip() for line in body if line.strip()]
    end = next(k for k, line in enumerate(code) if line.startswith("return "))
    starts = ("#", "if ", "for ", "while ", "raise ", "np.sum(", "return ")
    unread = [
        line
        for line in code[:end]
        if " = " not in line and "= " not in line and not line.startswith(starts)
    ]
    assert unread == []
    assert "range(0)" not in made.source
    assert "while" not in made.source
    val, dx = made(X)
    assert val == pytest.approx(outer(fn)(X), rel=1e-12)
    h = 1e-6
    steps = h * np.eye(3)
    wanted = [(outer(fn)(X + e) - outer(fn)(X - e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(dx, wanted, rtol=1e-5, atol=1e-5)


W = np.array([1.0, 2.0])


def unread_and_raising(x):
    x * W  # of three items and two: ValueError
    return np.sum(x * x)


def unread_and_out_of_place(x):
    (x * x) + np.ones(4)
    return np.sum(x * x)


def too_large(x):
    y = float(x[0])
    (1e200 + y) ** 2
    return np.sum(x * x)


@pytest.mark.parametrize(
    ("fn", "error"),
    [
        (unread_and_raising, ValueError),
        (unread_and_out_of_place, ValueError),
        (too_large, OverflowError),
    ],
)
@pytest.mark.parametrize("outer", [slopes, changes, lambda fn: fn])
def test_what_raises_and_is_not_read_raises(fn, error, outer):
    with pytest.raises(error):
        ya.grad(outer(fn), X)
    with pytest.raises(error):
        ya.jvp(fn)(X, C)


def stepped_by_nothing(x):
    for k in range(0, 3, 0):
        x = k * x
    return np.sum(x)


def test_a_range_without_a_step_raises_as_in_python():
    with pytest.raises(ValueError, match="must not be zero"):
        ya.grad(stepped_by_nothing, X)


def has_an_else(x):
    k = 5
    for _ in range(0):
        x = 2 * x
    else:
        x = 3 * x
    while k < 5:
        k += 1
    else:
        x = 5 * x
    return np.sum(x) * k


def changes_in_the_loop_around(x):
    k = 5
    for _ in range(3):
        while k < 5:
            x = 2 * x
            k += 1
        k -= 1
    return np.sum(x) * k


@pytest.mark.parametrize("fn", [has_an_else, changes_in_the_loop_around])
def test_loops_that_do_not_run_at_first(fn):
    val, g = ya.grad(fn, X)
    assert val == fn(X)
    assert g[0].tolist() == [fn(np.array([1.0, 0.0, 0.0]))] * 3


def test_a_refusal_in_generated_code_fits_its_lines():
    for fn in (kinks, lambda x: np.linalg.norm(x)):
        source = ya.simplegrad(slopes(fn), X).source
        assert max(map(len, source.splitlines())) <= 88
        assert source.count("no second derivative") <= 2
    assert "where abs is taken of 0" in ya.simplegrad(slopes(kinks), X).source


def of_a_difference(x):
    return np.sum(np.arccos(x) * np.sqrt(1 - x**2))


def test_a_value_whose_argument_the_tangent_computes_too():
    x = np.array([0.2, -0.5, 0.7])

    def slope(x):
        return ya.grad(of_a_difference, x)[1][0]

    h, v = 1e-6, np.array([1.0, -0.5, 2.0])
    want = (slope(x + h * v) - slope(x - h * v)) / (2 * h)
    np.testing.assert_allclose(ya.hvp(of_a_difference)(x, v), want, rtol=1e-6)
    np.testing.assert_allclose(ya.jvp(slope)(x, v)[1], want, rtol=1e-6)
