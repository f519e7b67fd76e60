"""Covariances, histograms and counts."""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.statistical import counts_fact, covariance, weighed
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import uncorrcoef, uncount, uncov


@rule(zero=["fweights"], fact=covariance)
def cov(
    m,
    other=None,
    rowvar=True,
    bias=False,
    ddof=None,
    fweights=None,
    aweights=None,
    *,
    dc,
):
    c = np.cov(m, other, rowvar, bias, ddof, fweights, aweights)
    parts = uncov(dc, m, other, rowvar, bias, ddof, fweights, aweights)
    dm = parts[0]
    dother = parts[1]
    daweights = parts[2]


@rule(fact=covariance)
def corrcoef(m, other=None, rowvar=True, *, dr):
    r = np.corrcoef(m, other, rowvar)
    parts = uncorrcoef(dr, r, m, other, rowvar)
    dm = parts[0]
    dother = parts[1]


@rule(alias="maybe", refused={"range": "the edges move with it"}, fact=counts_fact)
def histogram(x, bins=10, range=None, density=None, weights=None, *, dy):
    """Which bin an element is in has no slope; edges move with the extremes."""
    y = np.histogram(x, bins, range, density, weights)
    parts = uncount(dy, y, x, bins, range, weights, density)
    dx = parts[0]
    dbins = parts[1]
    dweights = parts[2]


@rule(zero=["x", "minlength"], linear=["weights"], fact=weighed)
def bincount(x, weights, minlength=0, *, dy):
    y = np.bincount(x, weights, minlength)
    dweights = dy[x]
