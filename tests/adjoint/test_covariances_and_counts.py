"""The adjoints of covariances and of weighed histograms are written out where the
example tells the settings, and called by their helpers otherwise."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def of_rows(x):
    return np.sum(np.cov(x) ** 2)


def of_transposed(x):
    return np.sum(np.cov(np.transpose(x)) ** 2)


def of_columns(x):
    return np.sum(np.cov(x, rowvar=False, bias=True) ** 2)


def of_fewer(x):
    return np.sum(np.sin(np.cov(x, ddof=0)))


def weighed(w, x, n):
    counts = np.histogram(x, n)[0]
    return np.sum(np.histogram(x, n, weights=w)[0] ** 2 / (1 + counts))


def weighed_by_ten(w, x):
    return np.sum(np.sin(np.histogram(x, weights=w)[0]))


def normal(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


X = normal(3, 6)
W, PLACES = normal(9), np.array([0.0, 0.1, 0.12, 0.35, 0.5, 0.55, 0.8, 0.99, 1.0])
COVARIANCES = [of_rows, of_transposed, of_columns, of_fewer]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", COVARIANCES, ids=lambda f: f.__name__)
def test_a_covariance(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X,))


@pytest.mark.parametrize("fn", COVARIANCES, ids=lambda f: f.__name__)
def test_a_covariance_is_written_out(fn):
    made = ya.simplegrad(fn, X)
    assert made.source.count("def ") == 1, made.source
    other = normal(4, 3)
    assert np.allclose(made(other)[1], ya.simplegrad(fn, other)(other)[1])


def test_of_one_variable_a_covariance_is_a_number():
    one = normal(1, 5)
    check(of_rows, (one,))
    with pytest.raises(ValueError, match="made for x"):
        ya.simplegrad(of_rows, X)(one)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [1, 4])
def test_the_weights_of_a_histogram(n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(weighed, (W, PLACES, n), wrt=(0,))
    check(weighed_by_ten, (W, PLACES), wrt=(0,))


def test_the_weights_of_a_histogram_are_written_out():
    made = ya.simplegrad(weighed, W, PLACES, 4)
    assert made.source.count("def ") == 1, made.source
    w, x = normal(14), normal(14) ** 2
    value, dw, dx = made(w, x, 3)
    assert value == weighed(w, x, 3)
    assert not dx.any()
    step = np.eye(14)[5] * 1e-6
    slope = (weighed(w + step, x, 3) - weighed(w - step, x, 3)) / 2e-6
    assert np.isclose(dw[5], slope)


def of_edges(w, x):
    counts, edges = np.histogram(x, 4, weights=w)
    return np.sum(counts * edges[1:])


def within(w, x):
    return np.sum(np.histogram(x, 4, (0.1, 0.9), weights=w)[0] ** 2)


@pytest.mark.parametrize("fn", [of_edges, within], ids=lambda f: f.__name__)
def test_edges_that_are_read_and_elements_outside(fn):
    check(fn, (W, PLACES), wrt=(0,))


@pytest.mark.parametrize("bins", [5, (-2.0, 0.0, 1.0, 3.0)], ids=["number", "edges"])
@pytest.mark.parametrize("kind", ["f4", ">f4", ">f8"])
def test_weights_of_other_floats(kind, bins):
    def f(w, x):
        edges = bins if isinstance(bins, int) else np.array(bins)
        return np.sum(np.histogram(x, edges, weights=w * w)[0] ** 2)

    w, x = normal(6).astype(kind), normal(6)
    found = ya.simplegrad(f, w, x)(w, x)[1]
    wanted = ya.simplegrad(f, w.astype(float), x)(w.astype(float), x)[1]
    assert found.dtype == w.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
