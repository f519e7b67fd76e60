"""The fit, by a gradient that is a file: NumPy is all it takes."""

import numpy as np

from shapes import curve
from shapes.curve_grad import misfit_grad

T = np.linspace(0.0, 4.0, 60)
TRUE = np.array([1.5, 0.4, 3.0, 0.3])


def measured():
    """Measurements, one of them far off."""
    y = curve.oscillation(TRUE, T) + np.random.default_rng(1).normal(0, 0.01, T.size)
    y[20] += 5.0
    return y


def test_the_fit():
    found = curve.fit(np.array([1.0, 0.2, 2.8, 0.0]), T, measured())
    _, dp = misfit_grad(found, T, measured())
    assert np.max(np.abs(dp)) < 1e-8
    assert np.allclose(found, TRUE, atol=0.15)  # the one far off pulls a little


def test_the_value_is_that_of_the_model():
    val, dp = misfit_grad(TRUE, T, measured())
    assert val == curve.misfit(TRUE, T, measured())
    assert dp.shape == TRUE.shape
