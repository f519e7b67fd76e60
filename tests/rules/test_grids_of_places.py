"""Grids of places, as `np.mgrid` makes them: the lengths of their axes are known, and
what varies in their bounds is refused."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

RNG = np.random.default_rng(5)


def spot(xx, yy, img, s):
    g = np.exp(-((xx - s[0]) ** 2 + (yy - s[1]) ** 2) / s[2])
    return np.sum((img - s[3] * g) ** 2)


def mgrid(img, s):
    h, w = img.shape
    yy, xx = np.mgrid[0:h, 0:w]
    return spot(xx, yy, img, s)


def mgrid_behind_the_first(img, s):
    h, w = img.shape
    yy, xx = np.mgrid[1 : h + 1, :w]
    return spot(xx, yy, img, s)


def ogrid(img, s):
    h, w = img.shape
    yy, xx = np.ogrid[0:h, 0:w]
    return spot(xx, yy, img, s)


def meshgrid(img, s):
    h, w = img.shape
    xx, yy = np.meshgrid(np.arange(w), np.arange(h))
    return spot(xx, yy, img, s)


def meshgrid_ij(img, s):
    h, w = img.shape
    yy, xx = np.meshgrid(np.arange(h), np.arange(w), indexing="ij")
    return spot(xx, yy, img, s)


def meshgrid_sparse(img, s):
    h, w = img.shape
    xx, yy = np.meshgrid(np.arange(w), np.arange(h), sparse=True)
    return spot(xx, yy, img, s)


def indices(img, s):
    yy, xx = np.indices(img.shape)
    return spot(xx, yy, img, s)


PLACES = [
    mgrid, mgrid_behind_the_first, ogrid, meshgrid, meshgrid_ij, meshgrid_sparse,
    indices,
]  # fmt: skip
ARGS = (RNG.normal(size=(3, 4)), np.array([1.0, 1.2, 2.0, 0.7]))


@pytest.mark.parametrize("fn", PLACES)
def test_the_gradient_needs_no_helper(fn):
    df = ya.simplegrad(fn, *ARGS)
    assert "def " not in df.source.split("# forward")[1]
    wide = RNG.normal(size=(5, 2))
    np.testing.assert_allclose(df(wide, ARGS[1])[1], ya.grad(fn, wide, ARGS[1])[1][0])
    check(fn, ARGS)


def written(x, a):
    u, v = np.ogrid[0:3, 0:1:4j]
    (w,) = np.mgrid[0:4:1,]
    return np.sum(a * u * v * w * x)


def test_bounds_that_are_written():
    check(written, (RNG.normal(size=(3, 4)), 1.5))


def steps(a):
    return np.sum(np.mgrid[0:a:5j] ** 2)


def stop(a):
    return np.sum(np.ogrid[0:a] ** 2)


def of_axes(a):
    return np.sum(np.mgrid[0:2, 0:a:3j] ** 2)


@pytest.mark.parametrize("fn", [steps, stop, of_axes])
@pytest.mark.parametrize("mode", [ya.grad, lambda f, a: ya.jvp(f)(a, 1.0)])
def test_bounds_that_vary_are_refused(fn, mode):
    with pytest.raises(ya.NoRule, match="which has a rule"):
        mode(fn, 2.0)


def free_ones(k, load, fixed):
    free = np.setdiff1d(np.arange(len(load)), fixed)
    u = np.linalg.solve(k[np.ix_(free, free)], load[free])
    return load[free] @ u


def test_places_that_are_free():
    k = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
    fixed = np.array([0, 2])
    assert "unmatmul" not in ya.simplegrad(free_ones, k, k[0], fixed).source
    check(free_ones, (k, k[0], fixed))


def values_that_differ(x, y):
    return np.sum(np.setdiff1d(x, y)[:2] ** 2 * np.arange(1.0, 3.0))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_different_values(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, y = np.array([[3.0, 1.0], [2.0, 5.0]]), np.array([1.0, 2.0])
    check(values_that_differ, (x, y + 9))
    alike = ya.grad(values_that_differ, np.array([3.0, 1.0, 3.0, 5.0]), y)[1]["x"]
    np.testing.assert_allclose(alike, [3.0, 0.0, 3.0, 20.0])
    twice = ya.hvp(values_that_differ)(x, np.ones_like(x), y)
    np.testing.assert_allclose(twice, [[2.0, 0.0], [0.0, 4.0]])
