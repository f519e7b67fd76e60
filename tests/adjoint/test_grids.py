"""Gradients of functions on grids: slices that together leave nothing out need no
masks, and what they leave out adds nothing."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(3)
MASKS = ("np.where", "logical_", "ones_like", "unset", "!= 0", "== 0")


def fluxes(u, d):
    """Both cells that a flux is between."""
    f = (u[1:] - u[:-1]) / (d[1:] + d[:-1])
    out = u.copy()
    out[1:-1] = out[1:-1] - (f[1:] - f[:-1]) / d[1:-1]
    return np.sum(out[1:-1] ** 3)


def bounded(u, d):
    """Values at the ends that are those beside them."""
    q = np.zeros(u.size + 1)
    q[1:-1] = (u[1:] - u[:-1]) / d[1:]
    q[0] = q[1]
    q[-1] = q[-2]
    return np.sum(((q[1:] - q[:-1]) / d) ** 2)


def stepped(u, d):
    """In a loop, and in place."""
    u = u.copy()
    for _ in range(3):
        f = np.sqrt(u[1:] * u[:-1]) / d[1:]
        u[1:-1] += 0.1 * (f[1:] - f[:-1]) / d[1:-1]
        u[0] = u[1]
        u[-1] = u[-2]
    return np.sum(u**2)


def along_axes(u, d):
    """Two axes, of one sum."""
    u, d = np.outer(u, d), np.outer(d, d)
    fx = u[1:, :] / d[:-1, :]
    fy = u[:, 1:] / d[:, :-1]
    out = np.zeros_like(u)
    out[1:-1] = fx[1:] - fx[:-1]
    out[:, 1:-1] += fy[:, 1:] - fy[:, :-1]
    return np.sum(np.tanh(out) / d)


def weighted(u, d):
    """A product with constants, where the function is infinite beside it."""
    return np.sum(np.arange(6.0) * np.log(1 + u / d))


GRIDS = [fluxes, bounded, stepped, along_axes, weighted]


@pytest.mark.parametrize("fn", GRIDS)
def test_nothing_is_masked(fn):
    source = ya.simplegrad(fn, RNG.uniform(1, 2, 6), RNG.uniform(1, 2, 6)).source
    reverse = source[source.index("# reverse") :]
    assert not [word for word in MASKS if word in reverse]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", GRIDS)
def test_the_gradient_on_a_grid(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    u, d = RNG.uniform(1, 2, 6), RNG.uniform(1, 2, 6)
    check(fn, (u, d))
    single = ya.grad(fn, u.astype("f4"), d.astype("f4"))[1]["u"]
    np.testing.assert_allclose(single, ya.grad(fn, u, d)[1]["u"], rtol=1e-2, atol=1e-3)


def a_flux_too_many(u, d):
    f = u[1:] / d[1:]
    return np.sum(f[2:] - f[1:-1])


def overwritten(u, d):
    q = u / d
    q[0] = 1.0
    return np.sum(q**2)


def emptied_at_one_end(u, d):
    q = np.zeros(u.size + 1)
    q[1:] = u / d
    q[1] = q[2]
    return np.sum(q[1:] + q[:-1])


def not_in_the_corner(u, d):
    out = np.zeros((3, 2))
    out[1:] = (u / d).reshape(3, 2)[1:]
    out[:, 1] += (u / d).reshape(3, 2)[:, 1]
    return np.sum(out**2)


def constants_of_roots(u, d):
    return np.sum(np.array([0.0, 1, 1, 1, 1, 1]) * np.sqrt(d) * u)


LEAVING = [
    a_flux_too_many, overwritten, emptied_at_one_end, not_in_the_corner,
    constants_of_roots,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", LEAVING)
def test_what_slices_leave_out(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    at = 1 if fn is a_flux_too_many else 0
    u, d = np.arange(6.0), RNG.uniform(1, 2, 6)
    u[at] = d[at] = 0.0
    gradient = ya.grad(fn, u, d)[1]
    d[at] = 1.0
    finite = ya.grad(fn, u, d)[1]
    for name in ("u", "d"):
        got, wanted = gradient[name], finite[name].copy()
        wanted[at] = 0.0
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_product_with_constants_of_what_is_infinite():
    def logs(u, d):
        return np.sum(d * np.log(u))

    u, d = np.array([0.0, 4.0]), np.array([0.0, 1.0])
    value, gradient = ya.grad(logs, u, d, wrt="u")
    assert np.isnan(value)
    np.testing.assert_array_equal(gradient["u"], [np.nan, 0.25])


def all_but_the_last_and_one(u, d):
    q = u / d
    return np.sum(q[:-1] ** 3) + q[5]


def the_rest_and_one_from_behind(u, d):
    q = np.sqrt(u * d)
    return np.sum(q[2:] ** 3) + q[-5]


def first_ones_of_the_inner(u, d):
    q = u / d
    out = np.zeros(u.size)
    out[1:-1] = q[1:-1]
    out[:3] += q[:3]
    return np.sum(out[1:] * u[1:])


SHORT = [
    all_but_the_last_and_one,
    the_rest_and_one_from_behind,
    first_ones_of_the_inner,
]


@pytest.mark.parametrize("length", [9, 7, 6])
@pytest.mark.parametrize("fn", SHORT)
def test_places_that_fall_together_in_short_arrays(fn, length):
    made = ya.simplegrad(fn, RNG.uniform(1, 2, 9), RNG.uniform(1, 2, 9))
    u, d, h = RNG.uniform(1, 2, length), RNG.uniform(1, 2, length), 1e-6
    slope = [(fn(u + h * e, d) - fn(u - h * e, d)) / (2 * h) for e in np.eye(length)]
    np.testing.assert_allclose(made(u, d)[1], slope, rtol=1e-6, atol=1e-7)
    against = made(u, d)[2]
    slope = [(fn(u, d + h * e) - fn(u, d - h * e)) / (2 * h) for e in np.eye(length)]
    np.testing.assert_allclose(against, slope, rtol=1e-6, atol=1e-7)


def weighted_squares(a, d):
    return np.sum(WEIGHTS * (1.0 - a[0] * (a[1] / d)) ** 2)


def weighted_log(a, d):
    return np.sum(WEIGHTS * np.log(a[0] + a[1] / d))


def weighted_angle(a, d):
    return np.sum(WEIGHTS * np.arctan(a[0] + a[1] / d))


WEIGHTS = np.array([0.0, 1.0, 2.0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [weighted_squares, weighted_log, weighted_angle])
def test_weights_of_what_grows_and_of_what_does_not(fn, passes, monkeypatch):
    """A square grows with a quotient, and needs no mask; an angle is finite."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    a, d = np.array([0.5, 1.5]), np.array([0.0, 1.0, 2.0])
    gradient = ya.simplegrad(fn, a, d)
    value, _, of_d = gradient.fn(a, d)
    wanted = ya.grad(fn, a, np.array([1.0, 1.0, 2.0]))[1]["d"]
    np.testing.assert_allclose(of_d[1:], wanted[1:], rtol=1e-12)
    finite = fn is weighted_angle
    np.testing.assert_array_equal(np.isfinite([value, of_d[0]]), finite)
    assert ("np.where" in gradient.source) == finite


def assembled(nodes, areas, free):
    K = np.zeros((6, 6))
    for e, (i, j) in enumerate([(0, 1), (1, 2), (0, 2)]):
        d = nodes[j] - nodes[i]
        length = np.hypot(d[0], d[1])
        c, s = d / length
        k = areas[e] / length * np.array([[c * c, c * s], [c * s, s * s]])
        a, b = slice(2 * i, 2 * i + 2), slice(2 * j, 2 * j + 2)
        K[a, a] += k
        K[b, b] += k
        K[a, b] -= k
        K[b, a] -= k
    part = K[np.ix_(free, free)] + np.eye(3)
    return np.sum(np.linalg.solve(part, np.arange(3.0)) ** 2)


def test_places_that_a_long_formula_would_tell():
    """A stiffness matrix of which degrees of freedom are read: no mask of places."""
    nodes, free = np.array([[0.0, 0.0], [1.0, 0.2], [0.4, 1.0]]), np.array([2, 4, 5])
    areas = np.array([1.0, 2.0, 0.5])
    assert ya.gradcheck(assembled, nodes, areas, free)
    assert "logical_or" not in ya.simplegrad(assembled, nodes, areas, free).source
