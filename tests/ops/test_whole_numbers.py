"""Generated code that is made with floats and called with whole numbers.

The memory of an adjoint has the type of an array of the forward sweep: that must be one
of floats also where the arguments are whole numbers, which some functions keep.
"""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def weighted(y):
    s = 0.0
    for k in range(len(y)):
        s = s + y[k] * (k + 0.5)
    return s


def shifted(a, b):
    return weighted(np.fft.fftshift(np.array([a, b, 2 * a])))


def shifted_back(a, b):
    return weighted(np.fft.ifftshift(np.array([a, b, a - b])))


def padded(a, b):
    return weighted(np.pad(np.array([a, b]), 1, constant_values=0.5))


def inserted(a, b):
    return weighted(np.insert(np.array([a, b]), 1, 0.75))


def lower_quantiles(a, b):
    y = np.percentile(np.array([[a, b], [b, b], [b, a]]), 50, axis=0, method="lower")
    return weighted(y)


def quantiles_at_the_ends(a, b):
    return weighted(np.quantile(np.array([[a, b], [b, a]]), 0, axis=1))


def taken_at_floats(a, b):
    return weighted(np.repeat(np.array([a, b]), np.array([1.0, 2.0]).astype(int)))


def of_the_type_of_another(a, b):
    x = np.array([a, b])
    y = np.zeros(2, dtype=x.dtype)
    return weighted(y + x) + weighted(y)


def halved_at_the_end(a, b):
    return weighted(np.fft.fftshift(np.array([a, 0.5 * b])))


PROGRAMS = [
    shifted,
    shifted_back,
    padded,
    inserted,
    lower_quantiles,
    quantiles_at_the_ends,
    taken_at_floats,
    of_the_type_of_another,
    halved_at_the_end,
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_the_gradient_is_that_of_floats(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    g = ya.simplegrad(fn, 3.0, 5.0)
    assert g(3, 5)[1:] == g(3.0, 5.0)[1:]  # NumPy's value is that of whole numbers
    assert g(7, 5)[1:] == g(7.0, 5.0)[1:]


def test_the_numbers_of_a_filter():
    ndimage = pytest.importorskip("scipy.ndimage")

    def smoothed(a, b):
        y = ndimage.correlate1d(np.array([a, b, a + b]), [0.5, 1.0, 0.5])
        return weighted(y)

    g = ya.simplegrad(smoothed, 3.0, 5.0)
    assert g(3, 5)[1:] == g(3.0, 5.0)[1:]


def test_floats_need_no_word():
    source = ya.simplegrad(halved_at_the_end, 3.0, 5.0).source
    assert "np.zeros_like(t1)" in source
    assert ", float)\n" not in source
    assert "np.zeros_like(t1, float)" in ya.simplegrad(shifted, 3.0, 5.0).source
