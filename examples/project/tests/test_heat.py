"""The gradient of the rod against central differences."""

import numpy as np
import pytest

from shapes import heat, smooth
from shapes.heat_grad import cooling_grad

RNG = np.random.default_rng(2)
U0, TARGET = RNG.random(7), RNG.random(7)


def difference(direction, step):
    """The slope of the model along a direction of all that it starts from."""
    du, dr = direction
    ends = [
        heat.cooling(U0 + s * step * du, 0.2 + s * step * dr, 5, TARGET)
        for s in (1.0, -1.0)
    ]
    return (ends[0] - ends[1]) / (2 * step)


@pytest.mark.parametrize("softness", [0.25, 1.0])
def test_the_gradient(monkeypatch, softness):
    monkeypatch.setattr(smooth, "SOFTNESS", softness)  # read live
    val, du0, drate = cooling_grad(U0, 0.2, 5, TARGET)
    assert val == heat.cooling(U0, 0.2, 5, TARGET)
    direction = RNG.standard_normal(7), 0.7
    slope = np.vdot(du0, direction[0]) + drate * direction[1]
    assert np.isclose(difference(direction, 1e-6), slope, rtol=1e-6)
