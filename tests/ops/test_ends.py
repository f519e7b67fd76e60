"""Densities that are not 0 where they end: what moves that end jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax
from yota_ast.solvers.moving_discontinuities import ENDING, GENTLE

stats = pytest.importorskip("scipy.stats")
from scipy import integrate  # noqa: E402

from ..rules.scipy_operations import SHAPES  # noqa: E402


@pytest.mark.parametrize("name", SHAPES)
def test_the_density_is_not_zero_where_it_ends(name):
    fixed = {"truncnorm": (-1.0, 1.0)}
    gentle = tuple(1.5 * v for v in GENTLE.get(name, {}).values())
    others = (1.3,) * (len(SHAPES[name][1]) - len(gentle))
    shapes = fixed.get(name, (*gentle, *others))
    made = getattr(stats, name)(*shapes)
    ends = [end for end in made.support() if math.isfinite(end)]
    found = any(made.pdf(end + s * 1e-12) > 1e-3 for end in ends for s in (-1, 1))
    assert found == (name in ENDING and name not in GENTLE) or name == "vonmises"
    if name in GENTLE:
        steep = getattr(stats, name)(*GENTLE[name].values(), *others)
        assert steep.pdf(1e-12) > 0.1


def of_gamma(mu):
    return integrate.quad(lambda x: stats.gamma.pdf(x, 1.0, mu), 0.0, 2.0)[0]


def of_chi2(mu):
    return integrate.quad(lambda x: stats.chi2.pdf(x, 2.0, mu), 0.0, 2.0)[0]


def of_beta(mu):
    return integrate.quad(lambda x: stats.beta.pdf(x, 1.0, 2.0, mu), 0.0, 2.0)[0]


def of_weibull(mu):
    return integrate.quad(lambda x: stats.weibull_min.pdf(x, 1.0, mu), 0.0, 2.0)[0]


def gently(mu):
    return integrate.quad(lambda x: stats.gamma.pdf(x, 3.0, mu), 0.0, 2.0)[0]


@pytest.mark.parametrize("fn", [of_gamma, of_chi2, of_beta, of_weibull])
def test_an_end_that_moves_is_refused(fn):
    with pytest.raises(UnsupportedSyntax, match="jumps at a place that depends"):
        ya.grad(fn, 0.5)


def test_a_density_that_ends_gently():
    slope = ya.grad(gently, 0.5)[1]["mu"]
    assert np.isclose(slope, -stats.gamma.pdf(1.5, 3.0), atol=1e-9)
