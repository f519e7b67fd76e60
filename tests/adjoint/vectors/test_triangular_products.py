"""Products of the rows of triangles that are one product behind their loop."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(11)
X, Y = rng.normal(size=(2, 4, 5))


def covariance(x):
    """Both halves of a symmetric matrix are stored at once."""
    n, m = x.shape
    x = x - np.mean(x, axis=0)
    c = np.zeros((m, m))
    for i in range(m):
        c[i:m, i] = c[i, i:m] = x[:, i] @ x[:, i:m] / (n - 1.0)
    return np.sum(c * c)


def correlation(x):
    """The diagonal is not computed, and one half is copied from the other."""
    n, m = x.shape
    x = x - np.mean(x, axis=0)
    x /= np.sqrt(n * 1.0) * np.std(x, axis=0)
    c = np.eye(m)
    for i in range(m - 1):
        c[i, i + 1 : m] = x[:, i] @ x[:, i + 1 : m]
        c[i + 1 : m, i] = c[i, i + 1 : m]
    return np.sum(c**3)


def of_rows(x):
    """Rows for columns, and the lower half."""
    c = np.zeros((x.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        c[i, : i + 1] = x[: i + 1] @ x[i]
    return np.sum(np.sin(c))


def strictly_lower(x):
    c = np.zeros((x.shape[1], x.shape[1]))
    for i in range(1, x.shape[1]):
        c[i, :i] -= 2 * (x[:, i] @ x[:, :i])
    return np.sum(c * c)


WRITTEN = [covariance, correlation, of_rows, strictly_lower]


def of_a_band(x):
    """A matrix for the rows would be much larger than they are."""
    c = np.zeros((x.shape[1], x.shape[1]))
    for i in range(x.shape[1] - 1):
        c[i, i : i + 2] = x[:, i] @ x[:, i : i + 2]
    return np.sum(c * c)


def some_columns(x):
    """Columns 0 and 1 are read by no iteration."""
    c = np.zeros((x.shape[1], x.shape[1]))
    for i in range(2, x.shape[1]):
        c[i, i:] = x[:, i] @ x[:, i:]
    return np.sum(c * c)


def read_again(x):
    """What the loop adds to is read by the next iteration."""
    x = x.copy()
    for i in range(x.shape[1]):
        x[0, i:] += 0.1 * (x[:, i] @ x[:, i:])
    return np.sum(x * x)


STAYING = [of_a_band, some_columns, read_again]


def back_of(fn):
    return ya.simplegrad(fn, X).source.partition("# reverse")[2]


@pytest.mark.parametrize("passes", ["all", "-vectors", "-tidy", "-inplace", "-zeroing"])
@pytest.mark.parametrize("fn", [*WRITTEN, *STAYING], ids=lambda f: f.__name__)
def test_right(monkeypatch, fn, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x in (X, Y[:, :2], X.astype(np.float32)):
        check(fn, (x,))


@pytest.mark.parametrize("fn", WRITTEN, ids=lambda f: f.__name__)
def test_one_product(monkeypatch, fn):
    assert "rows + rows.T" in back_of(fn)
    assert "np.outer" not in back_of(fn)
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert "rows + rows.T" not in back_of(fn)


@pytest.mark.parametrize("fn", STAYING, ids=lambda f: f.__name__)
def test_stays(monkeypatch, fn):
    source = back_of(fn)
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert back_of(fn) == source


@pytest.mark.parametrize("fn", WRITTEN, ids=lambda f: f.__name__)
def test_other_lengths(fn):
    made = ya.simplegrad(fn, X).fn
    for shape in ((3, 7), (2, 2), (6, 3)):
        x = rng.normal(size=shape)
        expected = ya.grad(fn, x)[1]["x"]
        np.testing.assert_allclose(made(x)[1], expected, rtol=1e-10)
    assert made(np.ones((3, 0)))[1].shape == (3, 0)


def test_what_no_iteration_reads_may_be_nan():
    x = X.copy()
    x[:, :2] = np.nan
    assert np.all(ya.simplegrad(some_columns, X).fn(x)[1][:, :2] == 0)


def test_of_second_order():
    def slope(x):
        return ya.grad(covariance, x)[1]["x"]

    v = rng.normal(size=X.shape)
    found = ya.hvp(covariance)(X, v)
    expected = (slope(X + 1e-6 * v) - slope(X - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(found, expected, 1e-6, 1e-6)


@pytest.mark.parametrize("fn", [correlation, of_rows], ids=lambda f: f.__name__)
def test_of_a_batch(fn):
    """The shapes of what is written are known in what is made for a batch."""
    batch = np.stack([X, Y])
    found = ya.vmap(ya.grad(fn))(batch)
    np.testing.assert_allclose(found, [ya.grad(fn)(x) for x in batch], rtol=1e-10)


def test_text():
    assert "dc[i, i + 1 : m] = 0.0" not in back_of(correlation)  # m: x.shape[1]
    assert "    dx = x @ (rows + rows.T)\n" in back_of(strictly_lower).replace(
        "-x", "x"
    )
    assert "        rows[i, : i + 1] = dc[i, : i + 1]\n" in back_of(of_rows)
    assert "    dx = (rows + rows.T) @ x\n" in back_of(of_rows)
