"""Masked arrays and matrices are refused where they are computed with: what they leave
out, and their products, are not those of arrays."""

import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import NoRule, UnsupportedCall, YotaError

MASKED = np.ma.array([1.0, 2.0], mask=[False, True])
with warnings.catch_warnings():
    warnings.simplefilter("ignore", PendingDeprecationWarning)
    MATRIX = np.matrix([[1.0, 2.0], [0.0, 3.0]])
X = np.array([1.0, 3.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.mean(x * MASKED),
        lambda x: np.sum(x + MASKED),
        lambda x: np.sum(np.sqrt(MASKED) + x),
        lambda x: MASKED.mean() * x[0],
        lambda x: np.sum(np.ma.masked_invalid(X) * x),
        lambda x: np.sum(np.ma.array(X, mask=[0, 1]) * x),
        lambda x: np.sum(np.ma.masked_less(x, 2.0)),
        lambda x: np.sum(np.where(MASKED > 1, x, 0.0)),
        lambda x: np.linalg.norm(-x * MASKED),
    ],
)
@pytest.mark.parametrize("make", [lambda f: ya.grad(f, X), ya.simplegrad])
def test_masked_arrays(f, make):
    with pytest.raises((UnsupportedCall, NoRule), match="masked") as told:
        make(f)
    assert told.value.lineno is not None


def test_matrices():
    with pytest.raises(UnsupportedCall, match=r"np\.matrix"):
        ya.grad(lambda x: np.sum(MATRIX * x), X[:, None])
    with pytest.raises(UnsupportedCall, match=r"np\.matrix"):
        ya.grad(lambda x: np.sum(np.asmatrix(X) * x), X[:, None])


class Shifted(np.ndarray):
    """An array of which `*` is a sum."""

    def __mul__(self, other):
        return np.asarray(self) + other


class Named(np.ndarray):
    """An array with a name, which computes as others do."""

    name = "n"


class Backwards(np.ndarray):
    """An array of which `>` is `<`."""

    def __gt__(self, other):
        return np.asarray(self) < other


class Parted(np.ndarray):
    """An array that says itself what a quotient and a remainder are."""

    def __divmod__(self, other):
        return np.asarray(self), np.asarray(self)


def test_arrays_that_compare_in_their_own_way():
    f = lambda x, w: np.sum(np.where(w > 2.0, x, 0.0))
    _, g = ya.grad(f, X, X.view(Backwards), wrt="x")
    assert np.array_equal(g["x"], [1.0, 0.0])


def test_arrays_that_multiply_in_their_own_way():
    with pytest.raises(UnsupportedCall, match="with its own operators"):
        ya.grad(lambda v, x: np.sum(np.asarray(v * x)), X.view(Shifted), 0.7)
    with pytest.raises(UnsupportedCall, match="with its own operators"):
        ya.jvp(lambda v, x: np.sum(np.asarray(v * x)))(X.view(Shifted), 0.7, None, 1.0)
    with pytest.raises(UnsupportedCall, match="with its own operators"):
        ya.grad(lambda v, x: np.sum(divmod(v, 2.0)[1] * x), X.view(Parted), 0.7)
    assert ya.grad(lambda v, x: np.sum(v * x), X.view(Named), 0.7)[1]["x"] == 4.0


def test_a_masked_argument():
    with pytest.raises(YotaError):
        ya.grad(lambda x, m: np.sum(x * m), X, MASKED)
    with pytest.raises(YotaError):
        ya.grad(lambda m: np.sum(m * m), MASKED)


def test_what_they_are_is_asked():
    """Of the mask and of the array beneath weights are made."""

    def weighted(x):
        w = np.where(np.ma.getmaskarray(MASKED), 0.0, np.ma.getdata(MASKED))
        return np.sum(w * x) / len(MASKED)

    val, g = ya.grad(weighted, X)
    assert val == 0.5
    assert np.array_equal(g["x"], [0.5, 0.0])
    _, g = ya.grad(lambda x: np.sum(MASKED.filled(0.0) * x + MASKED.mask * x), X)
    assert np.array_equal(g["x"], [1.0, 1.0])
    _, g = ya.grad(lambda x: np.sum(np.asarray(MATRIX) * x), X)
    assert np.array_equal(g["x"], [1.0, 5.0])
