"""Calls that say which type their results have."""

import numpy as np
import pytest
from scipy import ndimage

import yota_ast as ya

from .every_mode import check_every_mode

X = np.array([0.3, 1.7, -0.4, 2.2])
V = np.array([0.5, -0.2, 0.8, 0.1])


def bent(v):
    return 0 if v > 1 else v**3


class Waves:
    def __init__(self, scale):
        self.scale = scale

    def turned(self, v):
        return self.scale * v * np.exp(1j * v)


BENT, LETTERS = np.vectorize(bent, otypes=[float]), np.vectorize(bent, otypes="d")
WAVES = Waves(1.5)


def of_each(x):
    inside = np.vectorize(lambda v: 1 if v > 1 else v * v, otypes=[np.float64])
    waves = np.vectorize(WAVES.turned, otypes=[complex])(x) + 1.0
    return np.sum(inside(x) * BENT(x[::-1]) + LETTERS(x)) + np.sum(abs(waves) ** 2)


def of_a_filter(x):
    image = np.outer(x, x * x)
    blurred = ndimage.gaussian_filter1d(image, 1.0, output=np.float64)
    return np.sum(ndimage.convolve1d(blurred, [1.0, 2.0, 3.0], output=float) ** 2)


@pytest.mark.parametrize("fn", [of_each, of_a_filter])
def test_every_mode(fn):
    check_every_mode(fn, X, V)


def test_no_elements():
    assert ya.grad(lambda x: np.sum(BENT(x)), X[:0])[1]["x"].shape == (0,)


def test_other_types_are_refused():
    def single(x):
        return np.sum(np.vectorize(bent, otypes=[np.float32])(x))

    with pytest.raises(ya.UnsupportedCall):
        ya.grad(single, X)

    def rounded(x):
        return np.sum(ndimage.gaussian_filter1d(x, 1.0, output=np.float32))

    with pytest.raises(ya.UnsupportedCall, match="output"):
        ya.grad(rounded, X)
