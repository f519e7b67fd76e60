"""Statistics of samples and densities of vectors, of `scipy.stats`."""

from __future__ import annotations

import numpy as np
from scipy import stats

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.inference.joins import same_shape
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import count, signed, unquantile, unsum
from yota_ast.runtime.scipy.sample_adjoints import (
    undirichlet,
    unentropy,
    unkurtosis,
    unlinregress,
    unnormal,
    unpearsonr,
    unskew,
    untest_of_mean,
    untest_of_means,
    unzscore,
)


@rule(
    zero=["axis", "ddof"],
    refused=settings("ddof"),
    only={"nan_policy": ("propagate",)},
    fact=same_shape,
)
def zscore(x, axis=0, ddof=0, nan_policy="propagate", *, dy):
    y = stats.zscore(x, axis, ddof, nan_policy)
    dx = unzscore(dy, x, y, axis, ddof)


@rule(
    zero=["axis", "rng", "scale", "keepdims"],
    only={
        "rng": ((25, 75),),
        "scale": (1.0,),
        "nan_policy": ("propagate",),
        "interpolation": ("linear",),
        "keepdims": (False,),
    },
)
def iqr(
    x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate",
    interpolation="linear", keepdims=False, *, dy,
):  # fmt: skip
    """Ties share the weight evenly."""
    y = stats.iqr(x, axis, rng, scale, nan_policy, interpolation, keepdims)
    upper = unquantile(dy, x, 0.75, axis=axis)
    dx = upper - unquantile(dy, x, 0.25, axis=axis)


@rule(zero=["axis"], only={"dtype": (None,), "weights": (None,)})
def gmean(x, axis=0, dtype=None, weights=None, *, dy):
    y = stats.gmean(x, axis, dtype, weights)
    dx = unsum(dy * y / count(x, axis), x, axis) / x


@rule(zero=["axis"], only={"dtype": (None,)})
def hmean(x, axis=0, dtype=None, *, dy):
    y = stats.hmean(x, axis, dtype)
    dx = unsum(dy * y * y / count(x, axis), x, axis) / (x * x)


@rule(zero=["axis"], refused=settings("p"), only={"dtype": (None,), "weights": (None,)})
def pmean(x, p, *, axis=0, dtype=None, weights=None, dy):
    y = stats.pmean(x, p, axis=axis, dtype=dtype, weights=weights)
    ratios = x / unsum(y, x, axis)
    dx = unsum(dy / count(x, axis), x, axis) * ratios ** (signed(p) - 1)


@rule(
    zero=["axis", "ddof"],
    refused=settings("ddof"),
    only={"nan_policy": ("propagate",)},
    root="y",
)
def sem(x, axis=0, ddof=1, nan_policy="propagate", *, dy):
    """Of equal numbers, where there is no slope, 0."""
    y = stats.sem(x, axis, ddof, nan_policy)
    n = count(x, axis) * count(x, axis, signed(ddof))
    deviations = x - np.mean(x, axis, keepdims=True)
    dx = unsum(dy / (n * (y + (y == 0))), x, axis) * deviations


@rule(
    zero=["axis", "ddof"],
    refused=settings("ddof"),
    only={"nan_policy": ("propagate",)},
    root="y",
)
def variation(x, axis=0, nan_policy="propagate", ddof=0, *, dy):
    """Of equal numbers, where there is no slope, 0."""
    y = stats.variation(x, axis, nan_policy, ddof)
    mean = np.mean(x, axis, keepdims=True)
    spread = unsum(dy / (count(x, axis, ddof) * (y + (y == 0))), x, axis)
    moved = unsum(dy * y / count(x, axis), x, axis)
    dx = (spread * (x - mean) / mean - moved) / mean


@rule(zero=["axis"], only={"bias": (True,)})
def skew(x, axis=0, bias=True, *, dy):
    y = stats.skew(x, axis, bias)
    dx = unskew(dy, x, y, axis)


@rule(zero=["axis"], only={"bias": (True,)})
def kurtosis(x, axis=0, fisher=True, bias=True, *, dy):
    y = stats.kurtosis(x, axis, fisher, bias)
    dx = unkurtosis(dy, x, axis)


@rule(zero=["axis"])
def entropy(p, q=None, base=None, axis=0, *, dy):
    y = stats.entropy(p, q, base, axis)
    both = unentropy(dy, p, q, y, base, axis)
    dp = both[0]
    dq = both[1]
    dbase = -np.sum(dy * y) / (base * np.log(base))


def _ranks() -> Fact:
    """Of any method, along any axis."""
    return Fact("array", None)


@rule(zero=["x", "axis"], only={"nan_policy": ("propagate",)}, fact=_ranks)
def rankdata(x, method="average", *, axis=None, nan_policy="propagate"):
    y = stats.rankdata(x, method, axis=axis, nan_policy=nan_policy)


@rule
def dirichlet_logpdf(x, alpha, *, dy):
    y = stats.dirichlet.logpdf(x, alpha)
    both = undirichlet(dy, x, alpha)
    dx = both[0]
    dalpha = both[1]


@rule
def dirichlet_pdf(x, alpha, *, dy):
    y = stats.dirichlet.pdf(x, alpha)
    both = undirichlet(dy * y, x, alpha)
    dx = both[0]
    dalpha = both[1]


def _densities(x: Atom, cov: Atom) -> Fact:
    """A number for one point; of several, axes of length 1 are left out."""
    one, matrix = as_array_fact(fact_of_atom(x)), as_array_fact(fact_of_atom(cov))
    lengths = matrix.shape if isinstance(matrix.shape, tuple) else ()
    several = len(lengths) == 2 and not any(d and d.is_unit for d in lengths)
    if one.rank == 1 and several:
        return Fact("scalar", np.dtype(np.float64), ())
    return Fact("real", np.dtype(np.float64))


@rule(fact=_densities)
def normal_logpdf(x, mean=None, cov=1, allow_singular=False, *, dy):
    """The adjoint of a matrix is that of its lower triangle, which alone is read."""
    y = stats.multivariate_normal.logpdf(x, mean, cov, allow_singular)
    parts = unnormal(dy, x, mean, cov)
    dx = parts[0]
    dmean = parts[1]
    dcov = parts[2]


@rule(fact=_densities)
def normal_pdf(x, mean=None, cov=1, allow_singular=False, *, dy):
    """The adjoint of a matrix is that of its lower triangle, which alone is read."""
    y = stats.multivariate_normal.pdf(x, mean, cov, allow_singular)
    parts = unnormal(dy * y, x, mean, cov)
    dx = parts[0]
    dmean = parts[1]
    dcov = parts[2]


def _line(x: Atom) -> Fact:
    """Slope, intercept, correlation, p-value and error: numbers."""
    number = Fact("scalar", np.dtype(np.float64), ())
    made = type(stats.linregress([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]))
    return Fact("tuple", items=(number,) * 5, cls=made)


@rule(only={"alternative": ("two-sided", "less", "greater")}, fact=_line)
def linregress(x, v, alternative="two-sided", *, dy):
    y = stats.linregress(x, v, alternative)
    both = unlinregress(dy, x, v, y, alternative)
    dx = both[0]
    dv = both[1]


SIDES = ("two-sided", "less", "greater")


def _correlation() -> Fact:
    return _tested(type(stats.pearsonr([0.0, 1.0, 2.0], [0.0, 1.0, 3.0])))


def _test_of_means() -> Fact:
    return _tested(type(stats.ttest_1samp([0.0, 1.0, 3.0], 0.0)))


def _tested(cls: type) -> Fact:
    """A statistic and its p-value: numbers, or arrays of them."""
    return Fact("tuple", items=(Fact("real"), Fact("real")), cls=cls)


@rule(
    zero=["axis"],
    only={"alternative": SIDES, "method": (None,), "axis": (0,)},
    fact=_correlation,
)
def pearsonr(x, v, *, alternative="two-sided", method=None, axis=0, dy):
    """Of two vectors."""
    y = stats.pearsonr(x, v, alternative=alternative, method=method, axis=axis)
    both = unpearsonr(dy, x, v, y, alternative)
    dx = both[0]
    dv = both[1]


@rule(
    zero=["axis"],
    only={"nan_policy": ("propagate",), "alternative": SIDES},
    fact=_test_of_means,
)
def ttest_1samp(
    x, mean, axis=0, nan_policy="propagate", alternative="two-sided", *, dy
):
    y = stats.ttest_1samp(x, mean, axis, nan_policy, alternative)
    both = untest_of_mean(dy, x, mean, y, axis, alternative)
    dx = both[0]
    dmean = both[1]


@rule(
    zero=["axis", "trim"],
    only={
        "equal_var": (True,),
        "nan_policy": ("propagate",),
        "alternative": SIDES,
        "trim": (0,),
        "method": (None,),
    },
    fact=_test_of_means,
)
def ttest_ind(
    x, v, *, axis=0, equal_var=True, nan_policy="propagate", alternative="two-sided",
    trim=0, method=None, dy,
):  # fmt: skip
    """Of samples of equal variance."""
    y = stats.ttest_ind(
        x, v, axis=axis, equal_var=equal_var, nan_policy=nan_policy,
        alternative=alternative, trim=trim, method=method,
    )  # fmt: skip
    both = untest_of_means(dy, x, v, y, axis, alternative)
    dx = both[0]
    dv = both[1]
