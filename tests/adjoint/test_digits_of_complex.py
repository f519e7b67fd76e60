"""What is stored in an array of complex numbers with fewer digits stays complex."""

import warnings

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 0.8, 0.5, 1.1])


def stored(x):
    y = np.zeros(4, "c8")
    y[:] = x * (1 + 2j)
    return np.sum(np.abs(y) ** 2)


def part(x):
    y = np.zeros(4, "c8")
    z = x * (1 + 2j)
    y[1:] = z[1:]
    return np.sum(np.abs(y) ** 2) + np.sum((z * 1j).real)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [stored, part])
def test_no_imaginary_part_is_dropped(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, g = ya.grad(f, X)
    expected = 10 * X if f is stored else 10 * X * [0, 1, 1, 1] - 2
    np.testing.assert_allclose(g["x"], expected, rtol=1e-5)
    assert g["x"].dtype == np.float64
