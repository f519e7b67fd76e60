"""What is given as a tangent: of the kind and the shape of its argument, or refused."""

import re

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import ShapeError

X = np.array([0.5, 2.0])


class Inner:
    def __init__(self):
        self.c, self.n = np.array([1.0, -2.0]), 3


class Layer:
    """An object with parts within parts, which is called, too."""

    def __init__(self):
        self.w, self.inner, self.several = 2.0, Inner(), [1.5, X]
        self.by_key = {"a": 0.5}

    def __call__(self, x):
        scale = self.w * self.several[0] * self.by_key["a"]
        return scale * np.sum(self.inner.c * x) ** 2 + np.sum(self.several[1])


def applied(m, x):
    return m(x)


def of_several(layers, x):
    total = 0.0
    for layer in layers:
        total = total + layer(x)
    return total


def of_parts(parts, x):
    return parts["a"] * np.sum(parts["b"] * x)


def test_the_gradient_of_an_object_is_a_direction():
    _, g = ya.grad(applied, Layer(), X)
    _, along = ya.jvp(applied, wrt="m")(Layer(), X, g["m"])
    assert along == pytest.approx(sum(np.sum(d * d) for d in g["m"].values()))


def test_a_path_that_is_left_out_is_held_fixed():
    _, g = ya.grad(applied, Layer(), X)
    for path, d in g["m"].items():
        _, along = ya.jvp(applied, wrt="m")(Layer(), X, {path: d})
        assert along == pytest.approx(np.sum(d * d))
    assert ya.jvp(applied, wrt="m")(Layer(), X, {})[1] == 0.0


def test_objects_in_a_list():
    layers = [Layer(), Layer()]
    _, g = ya.grad(of_several, layers, X)
    for d in (g["layers"], [g["layers"][0], {}], [None, g["layers"][1]]):
        size = sum(np.sum(v * v) for one in d if one for v in one.values())
        assert ya.jvp(of_several, wrt=0)(layers, X, d)[1] == pytest.approx(size)


LIKE = "must be a dict like its gradient"
WITHIN = "which its gradient does not have"
PATHS = "Give it keys of its gradient, which are paths, as ('w',)."
KEYS = "Give it keys of its gradient; those of an object are paths, as ('w',)."
SHAPE = "Give it the shape of its argument, or None."
ITEMS = "Give a tangent for each item of the argument, None if it is fixed."
PARTS = {"a": 2.0, "b": X}
REFUSED = [
    (applied, Layer(), Layer(), f"'m', an object of Layer, {LIKE}\n{PATHS}"),
    (applied, Layer(), 1.0, f"'m', an object of Layer, {LIKE}\n{PATHS}"),
    (applied, Layer(), {"w": 1.0}, f"'m' has the key 'w', {WITHIN}\n{KEYS}"),
    (applied, Layer(), {("v",): 1.0}, f"'m' has the path ('v',), {WITHIN}\n{KEYS}"),
    (
        applied, Layer(), {("w",): X},
        f"\"m['w']\" has shape (2,), but \"m['w']\" has shape ()\n{SHAPE}",
    ),
    (
        of_several, [Layer()], [Layer()],
        f"'layers[0]', an object of Layer, {LIKE}\n{PATHS}",
    ),
    (of_parts, PARTS, {"c": 1.0}, f"'parts' has the key 'c', {WITHIN}\n{KEYS}"),
    (of_parts, PARTS, [1.0, X], f"'parts' must be a dict of 2 items\n{ITEMS}"),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "value", "d", "told"), REFUSED)
def test_what_does_not_fit(fn, value, d, told):
    told = f"^{re.escape(f'jvp: the tangent of {told}')}$"
    with pytest.raises(ShapeError, match=told):
        ya.jvp(fn, wrt=0)(value, X, d)
    with pytest.raises(ShapeError, match=told):
        ya.hvp(fn)(value, d, X)


def through_zeros(x):
    y = np.zeros(len(x))
    y[:] = x * 2
    return np.sum(y)


RECORDS = np.zeros(2, dtype=[("a", float)])
REAL = [
    lambda: ya.jvp(through_zeros)(X, 1j * X),
    lambda: ya.hvp(through_zeros)(X, 1j * X),
    lambda: ya.jvp(lambda x: x * 2)(3.0, 1j),
    lambda: ya.jvp(of_parts, wrt=0)(PARTS, X, {"a": 1j}),
    lambda: ya.grad(lambda x: np.abs(ya.jvp(through_zeros)(x, 1j * x)[1]))(X),
    lambda: ya.grad(lambda x: np.sum(np.abs(ya.vjp(through_zeros)(x)[1](1j) * x)))(X),
]


@pytest.mark.parametrize("call", REAL)
def test_real_numbers_have_real_tangents_and_seeds(call):
    """A tangent in memory for real numbers lost its imaginary part."""
    with pytest.raises(ya.YotaError, match="is complex"):
        call()


def test_no_texts_are_tangents_and_records_have_none():
    with pytest.raises(ya.YotaError, match="of type str32"):
        ya.jvp(lambda x: x * 2)(3.0, "1")
    held = [RECORDS, 2.0]
    with pytest.raises(ya.YotaError, match=r"'p\[0\]' is of type record"):
        ya.jvp(lambda p: np.sum(p[0]["a"]) * p[1])(held, held)


def test_a_whole_number_varies_where_a_gradient_does():
    assert ya.hessian(lambda n: n**3)(3) == 18.0
    assert ya.hvp(lambda n, y: n**3 * y)(3, 1, 2.0) == 36.0
    product = ya.hvp(lambda n: n**3)
    assert [product(n, 1.0) for n in (1, 2, 3)] == [6.0, 12.0, 18.0]


CASTS = {
    "astype": lambda x: np.sum(x.astype(int)) * 2.0,
    "asarray": lambda x: np.sum(np.asarray(x, np.int32)) * 2.0,
    "full_like": lambda x: np.sum(np.full_like(x, x[0])) * 2.0,
    "full": lambda x: np.sum(np.full(3, x[0], dtype=int)) * 2.0,
}


@pytest.mark.parametrize("name", CASTS)
def test_a_tangent_of_whole_numbers_is_never_cut_off(name):
    f, x = CASTS[name], np.array([1, 3, 2])
    assert not ya.grad(f, x, wrt=0)[1][0].any()
    for size in (0.5, 1.0, 1):
        assert ya.jvp(f)(x, np.full(3, size))[1] == 0.0


@pytest.mark.parametrize(
    "made",
    [lambda p: p * p, np.sin, lambda p: p, lambda p: 2.0 * p, lambda p: p**3 - p],
)
def test_numbers_in_a_tuple_are_spread_where_a_place_is_added_to(made):
    def f(parts, a):
        y = np.ones(3) + made(parts[0])
        np.add.at(y, 0, a)
        z = made(parts[0]) - np.ones(3)
        np.subtract.at(z, [2, 2], a)
        return y * z

    value, along = ya.jvp(f)((0.3, X), 0.7, (1.0, X), 2.0)
    ends = [f((0.3 + s, X), 0.7 + 2 * s) for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(along, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
    np.testing.assert_array_equal(value, f((0.3, X), 0.7))
