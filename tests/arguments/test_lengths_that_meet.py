"""Arrays that meet, and are not of the lengths of the example: what goes back to one of
length 1 would have to be summed: generated code is right, or says what it is for."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.directional import tangent_source
from yota_ast.ir.abstract_values import fact_of

CURVE = np.array([0.5, 2.0, 3.0])
ROW = [0.5, 2.0, 3.0]
ONES, ONE, LONG = np.ones(3), np.array([0.5]), np.array([1.0, 2.0, 3.0])


def squares(x, y):
    z = x + y
    return np.sum(z * z)


def of_choice(x, y):
    z = np.where(y > 0.1, x, y)
    return np.sum(z * z)


def of_clip(x, y):
    return np.sum(np.clip(x, -y, 4 * y) ** 2)


def after_another(x, y):
    t = y * CURVE
    return np.sum((x * t) ** 2)


def of_products(x, y):
    return np.sum(np.einsum("i,i->i", x, y) ** 2)


def of_filtered(x, y):
    z = x[x > 0.0] * y
    return np.sum(z * z)


def with_array(x, y):
    return np.sum(x + CURVE)


def with_list(x, y):
    return np.sum(np.exp(x + ROW))


def in_a_loop(x, y):
    z = x
    for _ in range(3):
        z = z * y + x
    return np.sum(z * z)


EVERY = [squares, of_choice, of_clip, after_another, of_products, of_filtered,
         with_array, with_list, in_a_loop]  # fmt: skip
OTHERS = [(ONE, LONG), (LONG, ONE), (ONE, ONE), (LONG[:2], LONG[:2])]


def slopes(f, x, y):
    steps = 1e-6 * np.eye(x.size)
    return np.array([(f(x + s, y) - f(x - s, y)) / 2e-6 for s in steps])


@pytest.mark.parametrize("example", [(ONES, ONES), (LONG, ONES)])
@pytest.mark.parametrize("f", EVERY)
def test_gradients_are_right_or_refused(f, example):
    made = ya.simplegrad(f, *example, wrt="x").fn
    assert np.allclose(made(*example)[1], slopes(f, *example), 1e-5)
    for x, y in OTHERS:
        try:
            expected = slopes(f, x, y)
            found = made(x, y)[1]
        except ValueError:
            continue
        assert found.shape == x.shape
        assert np.allclose(found, expected, 1e-5)


@pytest.mark.parametrize("f", EVERY)
def test_tangents_are_right_or_refused(f):
    facts = {name: fact_of(ONES, name) for name in "xy"}
    scope = {"CURVE": CURVE, "ROW": ROW}
    exec(tangent_source(f, wrt="x", facts=facts), scope)
    made = scope[f"{f.__name__}_jvp"]
    for x, y in OTHERS:
        try:
            expected = slopes(f, x, y)
            found = made(x, y, np.ones_like(x))[1]
        except ValueError:
            continue
        assert np.allclose(found, expected.sum(), 1e-5)


def test_what_is_said():
    made = ya.simplegrad(squares, ONES, ONES, wrt="x").fn
    with pytest.raises(
        ValueError, match=r"^squares_grad: made for x \(n,\), y \(n,\), floats$"
    ):
        made(ONE, LONG)
    made = ya.simplegrad(with_array, ONES, ONES, wrt="x").fn
    with pytest.raises(
        ValueError, match=r"^with_array_grad: made for x \(3,\), floats$"
    ):
        made(ONE, LONG)


def of_parts(x):
    return sum(p.sum() ** (k + 1) for k, p in enumerate(np.array_split(x, 3)))


@pytest.mark.parametrize("n", range(1, 9))
def test_parts_of_another_array_may_be_of_several_lengths(n):
    x = np.linspace(0.5, 1.5, n)
    found = ya.simplegrad(of_parts, np.ones(6)).fn(x)[1]
    parts = [np.full(p.size, p.sum()) for p in np.array_split(x, 3)]
    slopes_of_parts = [(k + 1) * p**k for k, p in enumerate(parts)]
    assert np.allclose(found, np.concatenate(slopes_of_parts))


def without_units(x):
    b = np.squeeze(x)
    return np.sum(b * b[:, None])


def test_an_axis_that_the_example_does_not_squeeze_is_of_another_length():
    said = r"_grad: made for x \(n, 1\), n > 1, floats$"
    with pytest.raises(ValueError, match=said):
        ya.simplegrad(without_units, np.ones((4, 1))).fn(np.ones((1, 1)))
    with pytest.raises(ValueError, match=r"_grad: made for x \(n,\), n > 1, floats$"):
        ya.simplegrad(without_units, np.ones(4)).fn(np.ones(1))
    dx = ya.hvp(without_units)(np.ones((4, 1)), np.ones((4, 1)))
    assert np.allclose(dx, 8.0)


def halves(h):
    k = h.shape[1] // 2
    return np.sum(np.exp(h[:, :k]) * h[:, k:] + h[:, :k] ** 2)


def halves_of_another(h, x):
    k = x.shape[0] // 2
    return np.sum((np.tanh(h[:k]) * x[k:] + h[k:]) ** 2 * x[:k])


@pytest.mark.parametrize("passes", ["all", "none"])
def test_halves_of_an_axis_are_equal(passes, monkeypatch):
    """The entry asks for an even length, and no cotangent has to be summed."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    made = ya.simplegrad(halves, np.ones((2, 6)))
    of_two = ya.simplegrad(halves_of_another, np.ones(6), np.ones(6))
    if passes == "all":
        assert "unbroadcast" not in made.source + of_two.source
        assert "!= h.shape\n        or h.shape[0] % 2 != 0" in of_two.source
        with pytest.raises(ValueError, match=r"h.shape\[1\] % 2 == 0, floats$"):
            made.fn(np.ones((2, 3)))
    for n in range(1, 7):
        h = np.sin(np.arange(2.0 * n)).reshape(2, n)
        try:
            value = halves(h)
            found = made.fn(h)[1]
        except ValueError:
            assert n % 2
            continue
        steps = 1e-6 * np.eye(2 * n).reshape(-1, 2, n)
        slopes = [(halves(h + s) - halves(h - s)) / 2e-6 for s in steps]
        assert np.isfinite(value)
        assert np.allclose(found.ravel(), slopes, 1e-5)
    for n, m in [(4, 4), (6, 6), (3, 3), (4, 6), (6, 4), (2, 2), (5, 4)]:
        h, x = np.sin(np.arange(float(n))), np.cos(np.arange(float(m)))
        try:
            wanted = slopes_of(halves_of_another, h, x)
            found = of_two.fn(h, x)[1]
        except ValueError:
            continue
        assert np.allclose(found, wanted, 1e-5)
    assert np.shape(of_two.fn(np.ones(4), np.ones(4))[1]) == (4,)


def slopes_of(f, h, x):
    return [(f(h + s, x) - f(h - s, x)) / 2e-6 for s in 1e-6 * np.eye(h.size)]
