"""A root of what is computed from a sum: its slope stands behind the sum, for what the
sum is spread over has other elements for each term."""

import numpy as np
import pytest
from scipy import stats

import yota_ast as ya

B = np.array([0.65, 0.14, 1.1])
X, V = np.array([0.7, 0.3, 0.5]), np.array([0.3, -0.2, 0.4])


def energy(v):
    return np.sum(v * v * v) + 0.5 * v[0] * v[-1]


def energy_slope(v):
    d = 3.0 * v * v
    d[0] += 0.5 * v[-1]
    d[-1] += 0.5 * v[0]
    return d


@ya.diffrule
def _(v, *, dy):
    y = energy(v)
    dv = energy_slope(v) * dy


def skewness(v):
    return stats.skew(v**2)


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("total", [energy, skewness, np.prod, np.linalg.norm])
@pytest.mark.parametrize(
    "spread",
    [
        lambda e: np.sqrt(B * e + 3.0),
        lambda e: np.sqrt(np.exp(B * e)) * B,
        lambda e: (B * e + 3.0) ** 1.5,
        lambda e: B / np.sqrt(e * e * B + 1.0),
        lambda e: np.sqrt(np.outer(B, B) * e + 3.0),
    ],
)
def test_a_tangent_behind_a_sum(total, spread):
    def f(x):
        return np.sum(spread(total(x * B + 0.1)))

    h = 1e-6
    slope = (f(X + h * V) - f(X - h * V)) / (2 * h)
    _, g = ya.grad(f, X)
    assert g["x"] @ V == pytest.approx(slope, rel=1e-6)
    assert ya.jvp(f)(X, V)[1] == pytest.approx(slope, rel=1e-6)
    changes = [ya.grad(f, X + s * h * V)[1]["x"] for s in (1, -1)]
    np.testing.assert_allclose(
        ya.hvp(f)(X, V), (changes[0] - changes[1]) / (2 * h), rtol=1e-4, atol=1e-6
    )
