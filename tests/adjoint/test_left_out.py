"""An infinite slope of what is left out afterwards counts nothing, in every mode."""

import math

import numpy as np
import pytest
from scipy import special

import yota_ast as ya

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
V = np.array([0.0, 1.0, 4.0])
EDGE = np.array([1.0, 0.5, -1.0])
OFF = 1 - np.eye(3)
WEIGHTS = np.array([0.0, 1.0, 2.0])
POINTS = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0], [2.0, 2.0]])


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def lower_half(x):
    return np.sum(np.tril((np.sqrt(x) - 1) ** 2, -1))


def upper_half(x):
    return np.sum(np.triu(np.cbrt(x), 1) ** 2)


def half_of_logarithms(x):
    return np.sum(np.triu(x * np.log(x), 1))


def half_of_powers(x):
    return np.sum(np.tril(x**0.3, -1) * np.arange(9.0).reshape(3, 3))


def half_of_inverses(x):
    return np.sum(np.tril(1 / x, -1) ** 2)


def turned(x):
    return np.sum(np.tril(np.sqrt(x).T, -1) ** 3)


def flattened(x):
    return np.sum(np.sqrt(x).reshape(-1)[1:4] ** 3)


def diagonal_removed(x):
    d = np.sqrt(x)
    np.fill_diagonal(d, 0)
    return np.sum(d**3)


def diagonal_of_ones(x):
    d = np.sqrt(x)
    np.fill_diagonal(d, 1)
    return np.sum(1 / d)


def times_constants(x):
    return np.sum(OFF * np.sqrt(x))


def weighted_misfit(x):
    return np.sum(OFF * (np.sqrt(x) - 2) ** 2)


def chosen_cells(x):
    return np.sum(np.log(x)[OFF > 0] ** 2)


def triangle_of_indices(x):
    return np.sum(np.sqrt(x)[np.triu_indices(3, 1)] ** 3)


def summed_where(x):
    return np.sum(np.sqrt(x), where=OFF > 0) ** 2


def row_removed(x):
    return np.sum(np.sqrt(np.delete(np.sqrt(x), 0, axis=0)[0, [0, 2]]))


def column_weighted(x):
    return np.sum((np.sqrt(x)[:, 1] * np.array([1.0, 0.0, 1.0])) ** 3)


def sliced(x):
    return np.sum(1 / np.sqrt(x)[1:])


def one_item(x):
    return np.sqrt(x)[1] ** 3


def picked_twice(x):
    return np.sum(np.sqrt(x)[[1, 2, 1]] ** 3)


def taken(x):
    return np.sum(np.take(np.sqrt(x), [1, 2]) ** 3)


def two_slices(x):
    r = np.sqrt(x)
    return np.sum(r[1:]) + np.sum(r[1:] ** 3)


def item_overwritten(x):
    y = np.sqrt(x)
    y[0] = 0.0
    return np.sum(y**3)


def put_elsewhere(x):
    y = np.zeros(4)
    y[1:3] = np.sqrt(x)[1:]
    return np.sum(y**3)


def sorted_tail(x):
    return np.sum(np.sort(np.sqrt(x))[1:] ** 3)


def by_a_loop(x):
    r, s = np.sqrt(x), 0.0
    for i in range(1, 3):
        s = s + 2 * r[i]
    return s


def columns_cleared(x):
    slopes = 1 / x
    both = np.stack([x[::-1] * slopes, slopes])
    both[:, WEIGHTS == 0] = 0.0
    return np.sum(both)


def columns_cleared_after_a_loop(x):
    slopes = 1 / x
    parts = np.asarray([x[::-1] * slopes, slopes])
    both = np.concatenate([p[..., np.newaxis] for p in parts], axis=-1)
    both[WEIGHTS == 0] = 0.0
    return np.sum(both)


def inner_product(x):
    return np.sqrt(x) @ WEIGHTS


def constants_inside(x):
    return np.sum(np.sqrt(WEIGHTS * x))


def mask_inside(x):
    return np.sum(np.sqrt((WEIGHTS > 0) * (x + 1)))


def clamped(x):
    return np.sum(np.sqrt(np.maximum(x - 2, 0)))


def of_complex(x):
    return np.sum(np.abs(np.sqrt(x + 0j))[1:] ** 3)


def arcsine_of_some(x):
    return np.sum(np.arcsin(x)[1:2] ** 2)


def arctangent_of_some(x):
    return np.sum(np.where(np.abs(x) < 0.9, np.arctanh(x), 0) * 3)


def arccosine_weighted(x):
    return np.sum(np.arccos(x) * np.array([0.0, 1.0, 0.0]))


def largest(x):
    return np.sum(np.max(np.sqrt(x), axis=1) ** 3)


def pairs(x):
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    return np.sum(np.tril((d - 1) ** 2, -1))


def pairs_by_norm(x):
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    return np.sum(np.triu((d - 1) ** 2, 1))


def inverse_pairs(x):
    d = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    np.fill_diagonal(d, np.inf)
    return np.sum(1 / d)


def inverse_pairs_with_eye(x):
    d = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum(1 / (d + np.eye(4)))


def by_products(x):
    squares = np.sum(x * x, 1)
    d2 = squares[:, None] + squares[None] - 2 * x @ x.T
    np.fill_diagonal(d2, 0)
    return np.sum(np.triu(np.sqrt(d2), 1))


def causal_attention(s):
    z = np.where(np.tri(3, dtype=bool), s, -np.inf)
    e = np.exp(z - z.max(1, keepdims=True))
    return np.sum(e / e.sum(1, keepdims=True) * np.arange(9.0).reshape(3, 3))


def products_so_far(x):
    return np.sum(np.sqrt(np.cumprod(x[::-1]))[:1])


CASES = [
    *((f, X) for f in (
        lower_half, upper_half, half_of_logarithms, half_of_powers, half_of_inverses,
        turned, flattened, diagonal_removed, diagonal_of_ones, times_constants,
        weighted_misfit, chosen_cells, triangle_of_indices, summed_where, row_removed,
        column_weighted, causal_attention,
    )),
    *((f, V) for f in (
        sliced, one_item, picked_twice, taken, two_slices, item_overwritten,
        put_elsewhere, sorted_tail, by_a_loop, columns_cleared,
        columns_cleared_after_a_loop, inner_product, constants_inside,
        mask_inside, clamped, of_complex, products_so_far,
    )),
    *((f, EDGE) for f in (arcsine_of_some, arctangent_of_some, arccosine_weighted)),
    (largest, np.array([[0.0, 0.5, 0.2], [1.0, 2.0, 3.0]])),
    *((f, POINTS) for f in (
        pairs, pairs_by_norm, inverse_pairs, inverse_pairs_with_eye, by_products,
    )),
]  # fmt: skip


def difference(f, x):
    """The gradient by differences, from one side at the end of a domain."""
    found, h = np.zeros(x.shape), 1e-6
    for place in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[place] = h
        ahead, here, behind = f(x + e), f(x), f(x - e)
        ways = ((ahead - behind) / 2, ahead - here, here - behind)
        found[place] = next((d / h for d in ways if np.isfinite(d)), np.nan)
    if f is arccosine_weighted:  # it is nan beside the edges, which count nothing
        found[[0, 2]] = 0.0
    return found


def _single(d):
    return d[0] if isinstance(d, tuple) else d


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(("f", "x"), CASES, ids=lambda a: getattr(a, "__name__", "x"))
def test_left_out(f, x):
    expected = difference(f, x)
    made = ya.simplegrad(f, x)
    inside = dict(globals())
    exec(made.source, inside)
    for found in (
        ya.grad(f, x)[1][0],
        made(x)[1],
        inside[made.fn.__name__](x)[1],
        ya.value_and_grad(f)(x)[1],
        _single(ya.vjp(f)(x)[1](1.0)),
        ya.jacobian(f)(x),
        ya.differentiable(f).grad(x)[1][0],
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("f", "x"),
    [c for c in CASES if c[0] not in (by_products, diagonal_of_ones, inverse_pairs)],
    ids=lambda a: getattr(a, "__name__", "x"),
)
def test_left_out_without_facts(f, x):
    name = f.__code__.co_varnames[0]
    try:
        made = ya.simplegrad(f, wrt=name)
    except ya.UnsupportedCall:  # of a diagonal, whose rank is not known
        assert f is diagonal_removed
        return
    weights = f in (inner_product, column_weighted)  # of what may be matrices
    found, expected = made(x)[1], difference(f, x)
    if weights:
        found = np.where(x == 0, expected, found)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


SECOND = [
    f for f in (c for c in CASES)
    if f[0] not in (
        largest, of_complex, clamped, by_products, sorted_tail, constants_inside,
        mask_inside, inverse_pairs_with_eye,
    )
]  # fmt: skip


@pytest.mark.parametrize(("f", "x"), SECOND, ids=lambda a: getattr(a, "__name__", "x"))
def test_second_derivatives(f, x):
    v = np.cos(np.arange(x.size) + 1.0).reshape(x.shape)
    found = ya.hvp(f)(x, v)
    h = 1e-5
    ends = [ya.grad(f, x + step * v)[1][0] for step in (h, 0.0, -h)]
    both, ahead, behind = (
        (ends[0] - ends[2]) / (2 * h),
        (ends[0] - ends[1]) / h,
        (ends[1] - ends[2]) / h,
    )
    expected = np.where(
        np.isfinite(both), both, np.where(np.isfinite(ahead), ahead, behind)
    )
    known = np.isfinite(expected)
    np.testing.assert_allclose(found[known], expected[known], rtol=1e-3, atol=1e-4)
    assert known.sum() > 1


@pytest.mark.parametrize(
    ("f", "x"),
    [c for c in CASES if c[0] not in (inner_product, largest)],
    ids=lambda a: getattr(a, "__name__", "x"),
)
def test_tangents(f, x):
    expected = difference(f, x)
    for place in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[place] = 1.0
        tangent = ya.jvp(f)(x, e)[1]
        assert tangent == pytest.approx(expected[place], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_single_precision(dtype):
    for f in (lower_half, diagonal_removed, times_constants, flattened):
        found = ya.simplegrad(f, X.astype(dtype))(X.astype(dtype))[1]
        assert found.dtype == dtype
        np.testing.assert_allclose(found, difference(f, X), rtol=1e-2, atol=1e-2)


def weighted(x, w):
    return np.sum(w * (np.sqrt(x) - 3) ** 2)


@pytest.mark.usefixtures("passes")
def test_weights_that_vary_themselves():
    w = np.array([0.0, 1.0, 0.0])
    _, g = ya.grad(weighted, V, w)
    np.testing.assert_allclose(g["x"], [0.0, -2.0, 0.0])
    np.testing.assert_allclose(g["w"], [9.0, 4.0, 1.0])

    # The change of the slope in w does not vanish where w does.
    def slope(x, w):
        return np.sum(ya.grad(weighted, x, w, wrt="x")[1][0])

    _, g = ya.grad(slope, np.array([1.0, 4.0, 16.0]), w, wrt="w")
    np.testing.assert_allclose(g["w"], [-2.0, -0.5, 0.25])
    with pytest.raises(ValueError, match="no second derivative is known where a root"):
        ya.grad(slope, V, w, wrt="w")


@pytest.mark.usefixtures("passes")
def test_a_mask_of_what_it_masks():
    """A product is no selection: `(x > 0) * np.sqrt(x)` has an infinite slope at 0."""
    for f in (
        lambda x: np.sum((x > 0) * np.sqrt(x)),
        lambda x: np.sum(np.minimum(x, 1.0) ** 0.0 * (x > 0) * x**0.5),
    ):
        _, g = ya.grad(f, V)
        assert not np.isfinite(g[0][0])
        assert np.all(np.isfinite(g[0][1:]))


@pytest.mark.usefixtures("passes")
def test_seeds_with_zeros():
    """Rows of a Jacobian do not meet the infinite slopes of others."""
    expected = [[np.inf, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]]
    np.testing.assert_array_equal(ya.jacobian(lambda x: np.sqrt(x))(V), expected)
    _, pullback = ya.vjp(lambda x: np.sqrt(x))(V)
    np.testing.assert_array_equal(
        _single(pullback(np.array([0.0, 1.0, 0.0]))), [0, 0.5, 0]
    )
    np.testing.assert_array_equal(
        ya.grad(lambda x: x**0.5, V, seed=np.array([0.0, 1.0, 0.0]))[1][0], [0, 0.5, 0]
    )


class Layer:
    def __init__(self):
        self.w, self.mask = V.copy(), np.array([0.0, 1.0, 1.0])


@pytest.mark.usefixtures("passes")
def test_fields_of_an_object():
    def loss(layer):
        return np.sum(layer.mask * np.sqrt(layer.w)) + np.sum(np.sqrt(layer.w)[1:] ** 3)

    _, g = ya.grad(loss, Layer())
    np.testing.assert_allclose(g[0]["w",], [0.0, 2.0, 3.25])


@pytest.mark.usefixtures("passes")
def test_python_numbers():
    def loss(x, w, v):
        return w * math.sqrt(x) + v * x**0.25 + w * math.acos(1 - x)

    _, g = ya.grad(loss, 0.0, 0.0, 0.0)
    assert (g["x"], g["w"], g["v"]) == (0.0, 0.0, 0.0)
    _, g = ya.grad(loss, 0.0, 1.0, 0.0)
    assert g["x"] == math.inf


@pytest.mark.usefixtures("passes")
def test_random_weights_are_drawn_once():
    def loss(x, rng):
        return np.sum(rng.integers(0, 2, 3) * np.sqrt(x))

    for seed in range(4):
        w = np.random.default_rng(seed).integers(0, 2, 3)
        val, g = ya.grad(loss, V, np.random.default_rng(seed), wrt="x")
        assert val == np.sum(w * np.sqrt(V))
        expected = [np.inf if w[0] else 0.0, w[1] / 2, w[2] / 4]
        np.testing.assert_allclose(g["x"], expected)


@pytest.mark.usefixtures("passes")
def test_entropies_with_zeros():
    p, q = np.array([0.2, 0.0, 0.8]), np.array([0.3, 0.0, 0.7])

    def divergence(p, q):
        return np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p / q, 1)), 0))

    _, g = ya.grad(divergence, p, q)
    np.testing.assert_allclose(
        g["p"], [1 + np.log(0.2 / 0.3), 0, 1 + np.log(0.8 / 0.7)]
    )
    np.testing.assert_allclose(g["q"], [-0.2 / 0.3, 0, -0.8 / 0.7])
    _, g = ya.grad(lambda p: np.sum(special.entr(p)[p > 0]), p)
    np.testing.assert_allclose(g[0], [-np.log(0.2) - 1, 0, -np.log(0.8) - 1])


def test_the_texts():
    """A slice is reversed alone, a mask is in the divisor, weights are in the dividend;
    what nothing masks is as short as ever."""
    for f, x, line in (
        (sliced, V, "dx[1:] = -(seed * t2 * t2 / (2 * t1[1:]))"),
        (times_constants, X, "dx = t2 / np.where(t2 == 0, 1, 2 * t1)"),
        (lambda x: np.sum(np.sqrt(x) ** 3), V, "dx = (3 * seed) * t1**2 / (2 * t1)"),
        (lambda x: np.sum(2.5 * np.log(x)), V, "dx = 2.5 * seed / x"),
    ):
        source = ya.simplegrad(f, x).source
        assert f"    {line}\n" in source, source


def normalised(x, gamma, eps=1e-5):
    """Rows as a layer of a network normalises them."""
    var = x.var(axis=-1, keepdims=True)
    return gamma * ((x - x.mean(axis=-1, keepdims=True)) / np.sqrt(var + eps)) + 1.0


def test_weights_leave_out_nothing_where_the_value_is_infinite():
    """A weight of 0 is no mask before a quotient by what may be 0: there the value is
    nan. Before a root it is one."""
    x, gamma = np.sin(np.arange(12.0)).reshape(3, 4), np.array([0.0, 1.0, 2.0, -1.0])

    def squares(x, gamma, eps=1e-5):
        return np.sum(normalised(x, gamma, eps) ** 3)

    made = ya.simplegrad(squares, x, gamma, wrt=("x", "gamma"))
    assert "np.where" not in made.source
    for k, at in enumerate((x, gamma)):
        step = 1e-6 * np.cos(np.arange(at.size)).reshape(at.shape)
        ends = [
            squares(*[a + s * (a is at) * step for a in (x, gamma)]) for s in (1, -1)
        ]
        found = np.vdot(made.fn(x, gamma)[1 + k], step)
        np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2, rtol=1e-5)

    def roots(x, gamma):
        return np.sum((gamma * np.sqrt(x) + 1.0) ** 2)

    zeros = np.array([0.0, 1.0, 4.0, 1.0])
    dx = ya.simplegrad(roots, zeros, gamma, wrt="x").fn(zeros, gamma)[1]
    np.testing.assert_allclose(dx, [0.0, 2.0, 5.0, -0.0], atol=1e-12)

    def poles(x, gamma):  # infinite only beside a root
        return np.sum((gamma * np.sqrt(x) / (x + 1.0)) ** 2 + gamma * np.sqrt(x))

    dx = ya.simplegrad(poles, zeros, gamma, wrt="x").fn(zeros, gamma)[1]
    assert dx[0] == 0
