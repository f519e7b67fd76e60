"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

import numpy as np

from yota_ast.ops.result_memory import of_order
from yota_ast.rules.inference.coefficients import (
    coefficients,
    coefficients_of_both,
    evaluated,
    evaluated_rising,
    fitted_fact,
    powers_fact,
)
from yota_ast.rules.inference.factorings import unknown_fact
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    tail,
    unpoly,
    unpolyder,
    unpolydiv,
    unpolyfit,
    unpolyint,
    unpolymul,
    unpolyval,
    unroots,
    unvander,
)

# ---------------------------------------------------------------- values


@rule(linear=["p"], complex="holomorphic", fact=evaluated)
def polyval(p, x, *, dy):
    y = np.polyval(p, x)
    dp = unpolyval(dy, p, x)
    dx = dy * np.polyval(np.polyder(p), x)


@rule(linear=["c"], complex="holomorphic", fact=evaluated_rising)
def polyval_rising(x, c, *, dy):
    """The lowest power first."""
    y = np.polynomial.polynomial.polyval(x, c)
    dx = dy * np.polyval(np.polyder(c[::-1]), x)
    dc = unpolyval(dy, c, x)[::-1]


@rule(zero=["N"], fact=powers_fact)
def vander(x, N=None, increasing=False, *, dy):
    y = np.vander(x, N, increasing)
    dx = unvander(dy, x, increasing=increasing)


@rule(
    zero=["deg", "rcond"],
    linear=["v"],
    only={"full": (False,), "cov": (False,)},
    fact=fitted_fact,
)
def polyfit(x, v, deg, rcond=None, full=False, w=None, cov=False, *, dc):
    c = np.polyfit(x, v, deg, rcond, full, w, cov)
    parts = unpolyfit(dc, x, v, c, rcond, w)
    dx = parts[0]
    dv = parts[1]
    dw = parts[2]


# ---------------------------------------------------------------- arithmetic


@rule(complex="written", fact=coefficients_of_both)
def polyadd(u, v, *, dy):
    y = np.polyadd(u, v)
    du = tail(dy, u)
    dv = tail(dy, v)


@rule(complex="written", fact=coefficients_of_both)
def polysub(u, v, *, dy):
    y = np.polysub(u, v)
    du = tail(dy, u)
    dv = -tail(dy, v)


@rule(fact=coefficients_of_both)
def polymul(u, v, *, dy):
    y = np.polymul(u, v)
    du = unpolymul(dy, u, v)
    dv = unpolymul(dy, v, u)


@rule
def polydiv(u, v, *, dy):
    y = np.polydiv(u, v)
    both = unpolydiv(dy, u, v, y)
    du = both[0]
    dv = both[1]


@rule(alias=of_order, zero=["m"], linear=["p"], complex="written", fact=coefficients)
def polyder(p, m=1, *, dy):
    y = np.polyder(p, m)
    dp = unpolyder(dy, p, m)


@rule(alias=of_order, zero=["m"], jointly=["p", "k"], fact=coefficients)
def polyint(p, m=1, k=None, *, dy):
    y = np.polyint(p, m, k)
    both = unpolyint(dy, p, m, k)
    dp = both[0]
    dk = both[1]


# ---------------------------------------------------------------- roots


@rule
def poly(x, *, dy):
    """Of a matrix, with simple eigenvalues."""
    y = np.poly(x)
    dx = unpoly(dy, x)


@rule(complex="written", fact=unknown_fact)
def roots(p, *, dy):
    """Of simple roots."""
    y = np.roots(p)
    dp = unroots(dy, p, y)
