"""Densities and distribution functions of `scipy.stats`, written out from a table.

A family of densities f((x - loc) / scale) / scale is stated by the slopes of log f in
z = (x - loc) / scale and in the shape parameters; `logpdf`, `pdf`, `cdf`, `logcdf`,
`sf`, `logsf`, `ppf` and `isf` follow from those.
"""

from __future__ import annotations

import linecache
import math  # noqa: F401  the rules
import re
from typing import Final

import numpy as np  # noqa: F401  the rules
from scipy import special, stats  # noqa: F401  the rules

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.rules.notation.rule import elementwise  # noqa: F401  the rules
from yota_ast.runtime import signed  # noqa: F401  the rules
from yota_ast.runtime.scipy.special_slopes import (  # noqa: F401  the rules
    betainc_order_slope,
    gammainc_order_slope,
    t_cdf_slope,
)

WHOLE = "it is a whole number"
SHAPE = "there is no accurate formula for the derivative in this parameter"


@dataclass(frozen=True, slots=True)
class Family:
    """Distributions with a location and a scale.

    slope: of the log-density in z. shapes: the same in the shape parameters, by name.
    cdf: of the distribution function in the shape parameters. inside: a z with a
    density, where not all have one.
    """

    slope: str
    shapes: dict[str, str]
    cdf: dict[str, str]
    inside: str = ""


FAMILIES: Final = {
    "norm": Family("-z", {}, {}),
    "cauchy": Family("-2 * z / (1 + z * z)", {}, {}),
    "laplace": Family("-np.sign(z)", {}, {}),
    "logistic": Family("-np.tanh(z / 2)", {}, {}),
    "gumbel_r": Family("np.expm1(-z)", {}, {}),
    "gumbel_l": Family("-np.expm1(z)", {}, {}),
    "uniform": Family("0 * z", {}, {}, "0.5"),
    "expon": Family("0 * z - 1", {}, {}, "0.5"),
    "halfnorm": Family("-z", {}, {}, "0.5"),
    "halfcauchy": Family("-2 * z / (1 + z * z)", {}, {}, "0.5"),
    "rayleigh": Family("1 / z - z", {}, {}, "0.5"),
    "maxwell": Family("2 / z - z", {}, {}, "0.5"),
    "t": Family(
        "-(df + 1) * z / (df + z * z)",
        {
            "df": "(special.digamma((df + 1) / 2) - special.digamma(df / 2) - 1 / df"
            " - np.log1p(z * z / df) + (df + 1) * z * z / (df * (df + z * z))) / 2"
        },
        {"df": "t_cdf_slope(z, df)"},
    ),
    "vonmises": Family(
        "-kappa * np.sin(z)",
        {"kappa": "np.cos(z) - special.i1e(kappa) / special.i0e(kappa)"},
        {},
    ),
    "truncnorm": Family(
        "-z",
        {
            "a": "np.exp(-a * a / 2) / math.sqrt(2 * math.pi)"
            " / (special.ndtr(b) - special.ndtr(a))",
            "b": "-np.exp(-b * b / 2) / math.sqrt(2 * math.pi)"
            " / (special.ndtr(b) - special.ndtr(a))",
        },
        {},
        "(a + b) / 2",
    ),
    "gamma": Family(
        "(a - 1) / z - 1",
        {"a": "np.log(z) - special.digamma(a)"},
        {"a": "gammainc_order_slope(a, z)"},
        "0.5",
    ),
    "invgamma": Family(
        "(1 / z - a - 1) / z",
        {"a": "-np.log(z) - special.digamma(a)"},
        {"a": "-gammainc_order_slope(a, 1 / z)"},
        "0.5",
    ),
    "chi2": Family(
        "(df / 2 - 1) / z - 0.5",
        {"df": "(np.log(z / 2) - special.digamma(df / 2)) / 2"},
        {"df": "gammainc_order_slope(df / 2, z / 2) / 2"},
        "0.5",
    ),
    "beta": Family(
        "(a - 1) / z - (b - 1) / (1 - z)",
        {
            "a": "np.log(z) - special.digamma(a) + special.digamma(a + b)",
            "b": "np.log1p(-z) - special.digamma(b) + special.digamma(a + b)",
        },
        {
            "a": "betainc_order_slope(a, b, z)[0]",
            "b": "betainc_order_slope(a, b, z)[1]",
        },
        "0.5",
    ),
    "f": Family(
        "(dfn / 2 - 1) / z - (dfn + dfd) / 2 * dfn / (dfd + dfn * z)",
        {
            "dfn": "(1 + np.log(dfn * z / (dfd + dfn * z)) - special.digamma(dfn / 2)"
            " + special.digamma((dfn + dfd) / 2)"
            " - (dfn + dfd) * z / (dfd + dfn * z)) / 2",
            "dfd": "(1 + np.log(dfd / (dfd + dfn * z)) - special.digamma(dfd / 2)"
            " + special.digamma((dfn + dfd) / 2) - (dfn + dfd) / (dfd + dfn * z)) / 2",
        },
        {
            "dfn": "stats.f.pdf(z, dfn, dfd) * z / dfn + betainc_order_slope(dfn / 2,"
            " dfd / 2, dfn * z / (dfd + dfn * z))[0] / 2",
            "dfd": "betainc_order_slope(dfn / 2, dfd / 2, dfn * z / (dfd + dfn * z))[1]"
            " / 2 - stats.f.pdf(z, dfn, dfd) * z / dfd",
        },
        "0.5",
    ),
    "invgauss": Family(
        "-1.5 / z - (1 / mu**2 - 1 / z**2) / 2",
        {"mu": "(z - mu) / mu ** 3"},
        {
            "mu": "-2 / mu**2 * np.exp(2 / mu + special.log_ndtr(-(z / mu + 1)"
            " / np.sqrt(z)))"
        },
        "0.5",
    ),
    "pareto": Family(
        "-(b + 1) / z",
        {"b": "1 / b - np.log(z)"},
        {"b": "z ** -b * np.log(z)"},
        "1.5",
    ),
    "lognorm": Family(
        "-(1 + np.log(z) / (s * s)) / z",
        {"s": "((np.log(z) / s) ** 2 - 1) / s"},
        {
            "s": "-np.log(z) / (s * s) * np.exp(-((np.log(z) / s) ** 2) / 2)"
            " / math.sqrt(2 * math.pi)"
        },
        "0.5",
    ),
    "weibull_min": Family(
        "(c - 1 - c * z ** c) / z",
        {"c": "1 / c + np.log(z) * (1 - z ** c)"},
        {"c": "np.exp(-(z ** c)) * z ** c * np.log(z)"},
        "0.5",
    ),
}

# The probabilities of whole numbers k: the slopes of their logarithms.
DISCRETE: Final[dict[str, dict[str, str | None]]] = {
    "poisson": {"mu": "k / (mu + ((k == 0) & (mu == 0))) - 1"},
    "bernoulli": {"p": "np.where(k == 0, -1 / (1 - p * (k == 0)), 1 / (p + (k == 0)))"},
    "geom": {"p": "1 / p - (k - 1) / (1 - p * (k != 1))"},
    "binom": {
        "n": None,
        "p": "k / (p + ((k == 0) & (p == 0))) - (signed(n) - k) / (1 - p * (n != k))",
    },
    "nbinom": {
        "n": "special.digamma(k + n) - special.digamma(n) + np.log(p)",
        "p": "n / p - k / (1 - p * (k != 0))",
    },
}

# ---------------------------------------------------------------- writing them out

_EXCEPT: Final = {
    # Methods that SciPy computes in ways of which the slopes are not these.
    ("vonmises", "ppf"),
    ("vonmises", "isf"),
}


def _density(name: str, family: Family, method: str) -> str:
    """The rule of `logpdf` or `pdf`."""
    shapes = ", ".join(family.shapes)
    given = f"x, {shapes}, loc, scale" if shapes else "x, loc, scale"
    weight = "dy" if method == "logpdf" else "dy * y"
    lines = [
        f"y = stats.{name}.{method}({given})",
        "z = (x - loc) / scale",
        f"w = {weight}",
    ]
    if family.inside:
        none = "-np.inf" if method == "logpdf" else "0"
        lines[1:] = [
            f"inside = y > {none}",
            f"z = np.where(inside, (x - loc) / scale, {family.inside})",
            f"w = {weight} * inside",
        ]
    lines += [
        f"t = w * ({family.slope}) / scale",
        "dx = t",
        *(f"d{s} = w * ({slope})" for s, slope in family.shapes.items()),
        "dloc = -t",
        "dscale = -t * z - w / scale",
    ]
    return _rule(name, method, given, lines, {})


def _distribution(name: str, family: Family, method: str) -> str:
    """The rule of `cdf`, `logcdf`, `sf` or `logsf`."""
    shapes = ", ".join(family.shapes)
    given = f"x, {shapes}, loc, scale" if shapes else "x, loc, scale"
    sign = "-" if method.endswith("sf") else ""
    lines = [f"y = stats.{name}.{method}({given})", "z = (x - loc) / scale"]
    if method.startswith("log"):
        lines += [
            "empty = y == -np.inf",
            f"p = stats.{name}.logpdf({given})",
            f"t = {sign}dy * np.exp(p - np.where(empty, 0, y))",
            f"w = {sign}dy * np.exp(-np.where(empty, np.inf, y))",
        ]
    else:
        lines += [f"t = {sign}dy * stats.{name}.pdf({given})", f"w = {sign}dy"]
    if family.inside and family.cdf:
        lines += [
            f"inside = stats.{name}.logpdf({given}) > -np.inf",
            f"r = np.where(inside, z, {family.inside})",
        ]
    lines += ["dx = t", "dloc = -t", "dscale = -t * z"]
    for s, slope in family.cdf.items():
        if family.inside:
            slope = _with_r(slope)
            lines.append(f"d{s} = w * inside * ({slope})")
        else:
            lines.append(f"d{s} = w * ({slope})")
    return _rule(name, method, given, _used(lines), _refused(family))


def _quantile(name: str, family: Family, method: str) -> str:
    """The rule of `ppf` or `isf`."""
    shapes = ", ".join(family.shapes)
    given = f"{shapes}, loc, scale" if shapes else "loc, scale"
    sign = "-" if method == "isf" else ""
    lines = [
        f"y = stats.{name}.{method}(q, {given})",
        "z = (y - loc) / scale",
        f"t = dy / stats.{name}.pdf(y, {given})",
        f"dq = {sign}t",
        "dloc = dy",
        "dscale = dy * z",
        *(f"d{s} = -t * ({slope})" for s, slope in family.cdf.items()),
    ]
    return _rule(name, method, f"q, {given}", lines, _refused(family))


def _probability(name: str, slopes: dict[str, str | None], method: str) -> str:
    """The rule of `logpmf` or `pmf`; those of impossible numbers have slope 0."""
    given = f"k, {', '.join(slopes)}, loc"
    weight, none = ("dy", "-np.inf") if method == "logpmf" else ("dy * y", "-1")
    lines = [f"y = stats.{name}.{method}({given})", f"w = {weight} * (y > {none})"]
    lines += [f"d{s} = w * ({_shifted(e)})" for s, e in slopes.items() if e is not None]
    refused = dict.fromkeys(["k", "loc", *(s for s in slopes if slopes[s] is None)])
    return _rule(name, method, given, lines, dict.fromkeys(refused, WHOLE))


def _cumulated(method: str) -> str:
    """The rule of `cdf` or `sf` of the Poisson distribution."""
    sign = "-" if method == "cdf" else ""
    lines = [
        f"y = stats.poisson.{method}(k, mu, loc)",
        f"dmu = {sign}dy * stats.poisson.pmf(np.floor(signed(k) - loc), mu)",
    ]
    return _rule("poisson", method, "k, mu, loc", lines, {"k": WHOLE, "loc": WHOLE})


def _standard() -> list[str]:
    """The rules of the methods of `norm` that others call past its checks."""
    root = "math.sqrt(2 * math.pi)"
    slopes = {
        "_pdf": "-x * y",
        "_logpdf": "-x",
        "_cdf": f"np.exp(-x * x / 2) / {root}",
        "_sf": f"-np.exp(-x * x / 2) / {root}",
        "_logcdf": f"np.exp(-x * x / 2 - y) / {root}",
        "_logsf": f"-np.exp(-x * x / 2 - y) / {root}",
        "_ppf": f"{root} * np.exp(y * y / 2)",
        "_isf": f"-{root} * np.exp(y * y / 2)",
    }
    return [
        _rule("norm", m, "x", [f"y = stats.norm.{m}(x)", f"dx = dy * ({slope})"], {})
        for m, slope in slopes.items()
    ]


def _shifted(slope: str) -> str:
    return re.sub(r"\bk\b", "(signed(k) - loc)", slope)


def _with_r(slope: str) -> str:
    return re.sub(r"\bz\b", "r", slope)


def _used(lines: list[str]) -> list[str]:
    """The statements without `w` where nothing reads it."""
    if any(" = w" in line for line in lines):
        return lines
    return [line for line in lines if not line.startswith("w =")]


def _refused(family: Family) -> dict[str, str]:
    return {s: SHAPE for s in family.shapes if s not in family.cdf}


def _rule(
    name: str, method: str, given: str, lines: list[str], refused: dict[str, str]
) -> str:
    parameters = given.replace("loc", "loc=0").replace("scale", "scale=1")
    head = f"@elementwise(refused={refused!r})\n" if refused else "@elementwise\n"
    body = "".join(f"    {line}\n" for line in lines)
    return f"{head}def {name}_{method}({parameters}, *, dy):\n{body}\n\n"


def text() -> str:
    """All rules of the tables, as a module would state them."""
    parts = []
    for name, family in FAMILIES.items():
        parts += [_density(name, family, m) for m in ("logpdf", "pdf")]
        methods = ("cdf", "logcdf", "sf", "logsf")
        parts += [_distribution(name, family, m) for m in methods]
        quantiles = [m for m in ("ppf", "isf") if (name, m) not in _EXCEPT]
        parts += [_quantile(name, family, m) for m in quantiles]
    for name, slopes in DISCRETE.items():
        parts += [_probability(name, slopes, m) for m in ("logpmf", "pmf")]
    return "".join([*parts, *map(_cumulated, ("cdf", "sf")), *_standard()])


def _state() -> None:
    source, filename = text(), "<rules of scipy.stats>"
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)
    exec(compile(source, filename, "exec"), globals())


_state()
