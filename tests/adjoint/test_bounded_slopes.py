"""Roots of sums of squares have slope 0 where they are 0; what else meets an infinite
slope with a zero of its own stays nan."""

import math

import numpy as np
import pytest

import yota_ast as ya

from ..rules.coverage_lists import use

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def by_all(f, x):
    """The gradient of f at x, by every way to it."""
    found = [
        ya.grad(f, x)[1][0],
        ya.simplegrad(f, x)(x)[1],
        ya.value_and_grad(f)(x)[1],
        ya.vjp(f)(x)[1](1.0),
        ya.jacobian(f)(x),
        ya.differentiable(f).grad(x)[1][0] if f.__name__ != "<lambda>" else None,
    ]
    found = [d[0] if isinstance(d, tuple) else d for d in found if d is not None]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    return found[0]


def cubed_in_a_loop(x):
    y = 1.0
    for _ in range(3):
        y = y * x
    return y


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (lambda x: np.sqrt(x) * np.sqrt(x), 0.0, 1.0),
        (lambda x: np.sqrt(x) ** 2, 0.0, 1.0),
        (lambda x: np.sin(np.sqrt(x)) ** 2, 0.0, 1.0),
        (lambda x: np.cos(np.sqrt(x)), 0.0, -0.5),
        (lambda x: np.arccos(x) ** 2, 1.0, -2.0),
        (lambda x: np.cos(np.arccos(x)), 1.0, 1.0),
        (lambda x: np.exp(np.log(x)), 0.0, 1.0),
        (lambda x: np.exp(0.5 * np.log(x)), 0.0, math.inf),
        (lambda x: 2 * np.sqrt(x) - np.sqrt(x), 0.0, math.inf),
        (lambda x: np.sqrt(x) - x**0.25, 0.0, -math.inf),
        (lambda x: sum(np.sqrt(x) * np.sqrt(k * x) for k in range(3)), 0.0, 2.41421356),
        (lambda x: 2 * np.arccos(x) + np.arccos(-x), 1.0, -math.inf),
        (lambda x: sum((s + 1.5) * np.arccos(s * x) for s in (1, -1)), 1.0, -math.inf),
        (lambda x: np.sqrt(1e-20 * x) ** 2 * 1e20 + 5 * x, 0.0, 6.0),
        (lambda x: np.sqrt(x**1.5), 0.0, math.inf),
        (lambda x: (x**3) ** (1 / 3), 0.0, 1.0),
        (lambda x: np.exp(np.log(x**3) / 3), 0.0, 1.0),
        (lambda x: (x * x * x) ** (1 / 3), 0.0, 1.0),
        (lambda x: np.cbrt(x * x * x), 0.0, 1.0),
        (lambda x: (np.sin(x) * x * x) ** (1 / 3), 0.0, 1.0),
        (lambda x: (x**2 * x) ** (1 / 3), 0.0, 1.0),
        (lambda x: cubed_in_a_loop(x) ** (1 / 3), 0.0, 1.0),
        (lambda x: np.nansum(x * np.log(x)), 0.0, -math.inf),
        (lambda x: np.sum((x > 0) * np.sqrt(x)), 0.0, math.inf),
        (lambda x: np.sum(np.sqrt(np.sqrt(x) ** 2)), 0.0, math.inf),
        (lambda x: np.sqrt(np.sum(np.sqrt(x) ** 2)), 0.0, math.inf),
        (lambda x: np.sum(np.sign(x) * np.sqrt(np.abs(x))), 0.0, math.inf),
        (lambda x: np.sum(np.floor(x + 1) * np.sqrt(x) * x), 0.0, 0.0),
        (lambda x: np.abs(2 * np.sqrt(x + 0j) + np.sqrt(-x + 0j)), 0.0, math.inf),
    ],
)
def test_zero_times_infinity_is_not_zero(f, at, slope):
    """What hangs on the infinite slopes is not told: 0 would be wrong."""
    _, g = ya.grad(f, at)
    assert np.isnan(g[0]) or g[0] == pytest.approx(slope)
    _, g = ya.grad(lambda x: np.sum(f(x)), np.array([at, at]))
    assert np.all(np.isnan(g[0]) | np.isclose(g[0], slope))


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (lambda x: math.sqrt(x) ** 2, 0.0, 1.0),
        (lambda x: math.sqrt(x) * math.sqrt(x), 0.0, 1.0),
        (lambda x: (x**0.25) ** 4, 0.0, 1.0),
        (lambda x: math.pow(math.pow(x, 0.5), 2), 0.0, 1.0),
        (lambda x: math.acos(x) ** 2, 1.0, -2.0),
        (lambda x: math.cos(math.acos(x)), 1.0, 1.0),
    ],
)
def test_zero_times_infinity_of_python_numbers(f, at, slope):
    val, g = ya.grad(f, at)
    assert val == f(at)
    assert np.isnan(g[0]) or g[0] == pytest.approx(slope)
    _, dx = ya.simplegrad(f, at)(at)
    assert np.isnan(dx) or dx == pytest.approx(slope)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: np.sqrt(np.sum(x * x)), [0.0, 0.0]),
        (lambda x: np.sqrt(np.sum((x * x)[:1] + x[1:] ** 2)) + x[0], [1.0, 0.0]),
        (lambda x: np.sum(np.abs(x) ** 3) ** (1 / 3), [0.0, 0.0]),
        (lambda x: np.sum(x**4) ** 0.25, [0.0, 0.0]),
        (lambda x: np.sum(np.sqrt(x**3)) + x[0], [1.0, 0.0]),
        (lambda x: np.sum((x * x * x * x) ** 0.25), [0.0, 0.0]),
        (lambda x: np.sqrt(x @ x) + np.sum(x**3 + 2 * x), [2.0, 2.0]),
        (lambda x: np.sqrt((x * x).mean()) + np.sum(x), [1.0, 1.0]),
        (lambda x: x.dot(x) ** 0.5 + np.sum(x), [1.0, 1.0]),
        (lambda x: np.sum(np.sqrt(x * x)) + x[0], [1.0, 0.0]),
        (lambda x: np.sum(np.sqrt(np.square(x) + x**2 * 3)) + x[0], [1.0, 0.0]),
        (lambda x: np.sqrt(np.linalg.norm(x) ** 2 + x[0] ** 2) + x[0], [1.0, 0.0]),
    ],
)
def test_what_stands_still(f, slope, dtype):
    x = np.zeros(2, dtype)
    found = by_all(f, x)
    assert found.dtype == dtype
    assert np.array_equal(found, slope)
    tangent = ya.jvp(f)(x, np.array([1.0, 0.0], dtype))[1]
    assert tangent == slope[0]


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    ("text", "limit"),
    [
        # a slope of 1 on the way up
        ("np.sum(np.prod(np.stack([x, x, x]), axis=0) ** (1 / 3))", 1.0),
        ("np.cbrt((x * x) @ x)", None),
        ("np.prod(x) ** (1 / 3)", None),
        ("np.einsum('i,i,i->', x, x, x) ** (1 / 3)", None),
        ("np.cbrt(np.dot(x, np.outer(x, x) @ np.ones(3)))", None),
        ("np.linalg.det(np.diag(x)) ** (1 / 3)", None),
        ("np.sum(np.cumprod(x) ** (1 / 3))", None),
        ("np.max(np.tensordot(x, x * x, 1)) ** (1 / 3)", None),
        ("np.inner(x, x * x) ** (1 / 3)", None),
        ("np.sum(np.convolve(x, x)[1:4:2] * x[:2]) ** (1 / 3)", None),
        ("np.linalg.norm(x ** 0.5) ** 2", 1.0),
        ("np.sum(np.hypot(x ** 0.5, 0.0) ** 2)", 1.0),
        ("np.sum(np.sqrt(np.trapezoid(np.stack([x, x]), axis=0)) ** 2)", 1.0),
        # terms that cancel have a slope of their own
        ("np.sqrt(np.sum(x**3))", None),
        ("np.sqrt(np.sum(x**2 - x**2 + x))", math.inf),
        # cusps
        ("(x @ x) ** (1 / 3)", math.inf),
        ("np.cbrt(x @ x)", math.inf),
        ("np.cbrt(np.linalg.norm(x) ** 2)", math.inf),
        ("(x[0] * x[1] + x[2] ** 2) ** (1 / 3)", math.inf),
        ("np.einsum('i,i', x, x) ** 0.3", math.inf),
        ("np.sum(np.var(np.stack([x, 2 * x]), axis=0) ** 0.25)", math.inf),
        ("np.linalg.norm(x) ** 0.5", math.inf),
        ("np.sqrt(np.std(np.concatenate([x, -x])))", math.inf),
    ],
)
def test_what_moves_is_not_told_to_stand_still(text, limit):
    one = use(text, x=np.zeros(3))
    for x in (np.zeros(3), np.array([0.0, 0.0, -0.0])):
        _, g = ya.grad(one.fn, x)
        told = np.isclose(g["x"], math.inf if limit is None else limit)
        assert np.all(np.isnan(g["x"]) | told)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "text",
    [
        "np.sqrt(np.prod(x) ** 2) + np.sum(x)",
        "np.sqrt(np.einsum('i,i->', x, x)) + np.sum(x)",
        "np.sqrt(np.sum((x - np.mean(x)) ** 2)) + np.sum(x)",
        "np.sqrt(np.var(x)) + np.sum(x)",
        "np.sqrt(np.max(x * x)) + np.sum(x)",
        "np.sqrt(np.sum(np.maximum(x - 1e-3, 0) ** 2)) + np.sum(x)",
        "np.cbrt((x @ x) ** 2) + np.sum(x)",
        "np.sum(np.sqrt(np.sum((x[:, None] - x) ** 2, axis=-1))) + np.sum(x)",
        "np.sqrt(np.linalg.det(np.outer(x, x)) ** 2) + np.sum(x)",
        "np.sqrt(np.where(x > 1, 3.0, x**2)).sum() + np.sum(x)",
    ],
)
def test_least_values_of_what_is_not_elementwise(text):
    one = use(text, x=np.zeros(3))
    _, g = ya.grad(one.fn, np.zeros(3))
    np.testing.assert_array_equal(g["x"], np.ones(3))


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "text",
    [
        "np.sqrt(x @ np.diag([1.0, -1.0, 0.5]) @ x) + np.sum(x)",
        "np.sqrt(np.sum(np.array([1.0, -1.0, 2.0]) * x**2)) + np.sum(x)",
        "np.sqrt(np.trapezoid(x * x)) + np.sum(x)",
    ],
)
def test_sums_that_may_be_negative(text):
    """They are not told to be squares: where they are 0, their slope need not be."""
    one = use(text, x=np.zeros(3))
    _, g = ya.grad(one.fn, np.zeros(3))
    assert np.all(np.isnan(g["x"]))
    _, g = ya.grad(one.fn, np.array([1.0, 1.0, 0.0]))
    assert np.all((g["x"] == 1.0) | ~np.isfinite(g["x"]) | (np.abs(g["x"]) > 1e-9))


def distances(points):
    total = 0.0
    for i in range(len(points)):
        for j in range(len(points)):
            squares = 0.0
            for k in range(2):
                squares += (points[i, k] - points[j, k]) ** 2
            total += (i + 2 * j) * math.sqrt(squares)
    return total


def by_cells(points):
    n = len(points)
    d2 = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d2[i, j] = np.sum((points[i] - points[j]) ** 2)
    return np.sum(np.sqrt(d2) * np.arange(n * n).reshape(n, n))


def at_once(points):
    gaps = points[:, None] - points[None]
    n = len(points)
    return np.sum(np.sqrt((gaps**2).sum(-1)) * np.arange(n * n).reshape(n, n))


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("f", [distances, by_cells, at_once])
def test_distances_of_points_from_themselves(f):
    points = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]])
    found, h = by_all(f, points), 1e-6
    for place in np.ndindex(points.shape):
        e = np.zeros_like(points)
        e[place] = h
        difference = (f(points + e) - f(points - e)) / (2 * h)
        assert found[place] == pytest.approx(difference, abs=1e-6)


def test_the_text_of_a_norm():
    source = ya.simplegrad(lambda x: np.sqrt(np.sum(x**2)), np.ones(2)).source
    assert "    dx = (seed / (val + (val == 0))) * x\n" in source
    source = ya.simplegrad(lambda x: np.sum(np.sqrt(x * x)), np.ones(2)).source
    assert "    dx = seed * np.sign(x)\n" in source
    source = ya.simplegrad(lambda x: np.sqrt(np.sum(x**2) + 1e-9), np.ones(2)).source
    assert "    dx = (seed / val) * x\n" in source


def filled(h, D):
    """The area of a circle up to a height: above the top, that of the whole."""
    R = 0.5 * D
    h = min(h, D)
    root = math.sqrt(2.0 * R * h - h * h)
    return R * R * math.acos((R - h) / R) - (R - h) * root


@pytest.mark.usefixtures("passes")
def test_infinite_parts_that_cancel_are_not_told():
    val, g = ya.grad(filled, 3.0, 2.0)
    assert val == filled(3.0, 2.0)
    assert math.isnan(g["D"])


def test_infinite_slopes_that_remain():
    """What has an infinite slope keeps it."""
    for f in (np.sqrt, np.log, lambda x: x**0.5, lambda x: -np.arccos(x + 1)):
        _, g = ya.grad(f, 0.0)
        assert g[0] == math.inf


def test_a_pole_does_not_end():
    """`1 / (1 / x)` goes through the pole of `1 / x`; 0 would be wrong."""
    _, g = ya.grad(lambda x: np.sum(1 / (1 / x)), np.array([0.0, 2.0]))
    assert np.isnan(g[0][0])
    _, g = ya.grad(lambda x: np.sum(1 / x**-1.0), np.array([0.0, 2.0]))
    assert np.isnan(g[0][0])


def test_an_overflow_does_not_end():
    _, g = ya.grad(lambda x: np.sum(np.exp(-np.exp(x * x))), np.array([40.0, 0.1]))
    assert not np.isfinite(g[0][0]) or g[0][0] == 0
    assert np.isfinite(g[0][1])


def test_the_function_runs_once(capsys):
    class Model:
        def __init__(self):
            self.calls = 0

        def loss(self, x):
            self.calls += 1
            print("called")
            return np.sum(np.sqrt(x) ** 2)

    model = Model()
    ya.grad(model.loss, np.zeros(2))
    assert (model.calls, capsys.readouterr().out) == (1, "called\n")

    def write(x):
        x += 1.0
        return np.sum(np.sqrt(x * 0.0) * x)

    x = np.ones(2)
    ya.grad(write, x)
    assert np.array_equal(x, [2.0, 2.0])


FACTORS = np.array([0.6, 0.3, 0.5])


def last_of_a_view(x):
    """The part of y is as long as the program knows y to be, or as its factors."""
    total = 0.0
    for _ in range(2):
        y = np.tan(x * 0.5)
        view = y[:]
        np.exp(-FACTORS * view[[2, 0, 1]], out=y)
        total += 0.3 * y[-1]
    return total


def test_the_last_place_of_an_array_of_known_length(monkeypatch):
    x, h = np.array([0.48, 0.07, -0.45]), 1e-6
    ahead, behind = (
        np.array([last_of_a_view(x + s * e) for e in np.eye(3)]) for s in (h, -h)
    )
    for passes in ("all", "none"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        found = ya.grad(last_of_a_view, x)[1][0]
        np.testing.assert_allclose(found, (ahead - behind) / (2 * h), atol=1e-8)
