"""Kernel estimates of densities, of `scipy.stats`."""

from __future__ import annotations

import numpy as np
from scipy import stats

from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime.scipy.kernel_adjoints import undensity, unlog_density


def _made() -> Fact:
    return Fact("model", cls=stats.gaussian_kde)


def _values() -> Fact:
    return array_fact(np.float64, (None,))


@rule(
    alias="maybe",
    only={"bw_method": (None, "scott", "silverman"), "weights": (None,)},
    fact=_made,
)
def kernel_estimate(samples, bw_method=None, weights=None, *, df):
    f = stats.gaussian_kde(samples, bw_method, weights)
    dsamples = np.reshape(df, np.shape(samples))


@rule(
    alias="maybe",
    refused={"width": "the width of the kernels depends on it"},
    only={"weights": (None,)},
    fact=_made,
)
def estimate_of_width(samples, width, weights=None, *, df):
    f = stats.gaussian_kde(samples, width, weights)
    dsamples = np.reshape(df, np.shape(samples))


@rule(sequences=["f"], also=[stats.gaussian_kde.pdf], fact=_values)
def density(f, x, *, dy):
    y = stats.gaussian_kde.evaluate(f, x)
    both = undensity(dy, f, x)
    df = both[0]
    dx = both[1]


@rule(sequences=["f"], fact=_values)
def log_density(f, x, *, dy):
    y = stats.gaussian_kde.logpdf(f, x)
    both = unlog_density(dy, f, x)
    df = both[0]
    dx = both[1]
