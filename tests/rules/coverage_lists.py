"""The differentiable functions of NumPy, and those without a slope, each with its uses.

`DIFFERENTIABLE["median"]` are programs over named arguments: expressions, or bodies
with `return`. The names are those of the lists by which tools are compared.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..operations import (
    INDEX,
    MASK,
    Domain,
    Matrix,
    above_one,
    number,
    positive,
    real,
    sample,
    unit,
)

SPREAD = Domain(0.1, 40.0, signed=True)  # elements far apart: no ties near
NAN = np.array([[1.0, np.nan, 3.0, 0.3], [2.0, 0.5, np.nan, -1.2]])
SQUARE = Matrix((3, 3))
STACK = Matrix((2, 3, 3))
DEFINITE = Matrix((3, 3), definite=True)
DEFINITES = Matrix((2, 3, 3), definite=True)


@dataclass(frozen=True)
class Use:
    """One program that uses an entry, and what to try it on.

    step, tolerance: of the central differences that its gradient is compared with.
    """

    text: str
    arguments: tuple[tuple[str, Any], ...]
    modules: tuple[tuple[str, Any], ...] = ()
    step: float = 1e-4
    tolerance: float = 2e-6

    @property
    def fn(self) -> Any:
        """The function, with source."""
        names = ", ".join(k for k, _ in self.arguments)
        body = self.text if "return " in self.text else f"return {self.text}"
        lines = "".join(f"    {line.strip('|')}\n" for line in body.split("\n"))
        source = f"def use({names}):\n{lines}"
        filename = f"<use {self.text}>"
        cached = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, cached, filename)
        namespace: dict[str, Any] = {"np": np, **dict(self.modules)}
        exec(compile(source, filename, "exec"), namespace)
        return namespace["use"]

    def sample(self, seed: int = 0) -> dict[str, Any]:
        """Values for the arguments."""
        rng = np.random.default_rng(seed)
        return {k: sample(v, rng) for k, v in self.arguments}

    def differentiated(self, name: str) -> bool:
        """Whether an argument is a domain to sample, not a constant of the use."""
        spec = dict(self.arguments)[name]
        return isinstance(spec, Domain | Matrix) or name == "x"


def use(text: str, **arguments: Any) -> Use:
    return Use(text, tuple(arguments.items()))


def each(texts: str, **arguments: Any) -> list[Use]:
    """A use for each expression of a text, separated by `|`."""
    found = [t.strip() for line in texts.split("\n") for t in line.split("|")]
    return [use(t, **arguments) for t in found if t]


def _unary() -> dict[str, list[Use]]:
    domains: dict[Any, str] = {
        real: """abs absolute fabs negative positive conj conjugate real exp exp2 expm1
            cbrt square reciprocal sin cos arctan atan sinh cosh tanh arcsinh asinh
            deg2rad rad2deg degrees radians sinc i0 nan_to_num real_if_close""",
        positive: "log log2 log10 log1p sqrt",
        unit: "tan arcsin asin arccos acos arctanh atanh",
        above_one: "arccosh acosh",
    }
    found = {}
    for domain, names in domains.items():
        for name in names.split():
            f = f"np.{name}"
            found[name] = [
                use(f"{f}(x)", x=domain(3, 2)),
                use(f"{f}(x)", x=domain),
                use(f"y * {f}(x)", x=domain(3), y=real(2, 3)),
            ]
            if name not in (
                "real",
                "conj",
                "real_if_close",
                "i0",
                "sinc",
                "nan_to_num",
            ):
                found[name].append(
                    use(f"{f}(x, where=m, out=np.ones(3))", x=domain(3), m=MASK)
                )
    found["conj"] += each("np.real(np.conj(x * 1j) * (1 + 2j))", x=real(3))
    found["real"] += each("np.real(x * (1 + 2j))|(x * (1 + 2j)).real", x=real(3))
    found["abs"] += each("np.abs(x * (1 + 2j) + 1)|abs(x)", x=real(3))
    found["nan_to_num"] += each(
        "np.nan_to_num(x, nan=0.5)|np.nan_to_num(x, copy=True, posinf=1.0)", x=NAN
    )
    found["real_if_close"] += each("np.real_if_close(x * (1 + 0j))", x=real(3))
    found["imag"] = each("np.imag(x * (1 + 2j))|(np.exp(1j * x)).imag", x=real(3))
    found["angle"] = each(
        "np.angle(x + 1j * x**2)|np.angle(np.exp(1j * x), deg=True)", x=real(3)
    )
    found["unwrap"] = each(
        "np.unwrap(x)|np.unwrap(x, axis=0)|np.unwrap(x, period=3.0)|np.unwrap(x, 2.0)",
        x=Domain(0.1, 6.0)(4, 3),
    )
    found["modf"] = each("np.modf(x)[0] + 2 * np.modf(x)[1]", x=real(3))
    found["frexp"] = each("np.frexp(x)[0] * 2.0 ** np.frexp(x)[1]", x=real(3))
    return found


def _binary() -> dict[str, list[Use]]:
    found = {}
    names = """add subtract multiply maximum minimum fmax fmin hypot arctan2 atan2 logaddexp
        logaddexp2 copysign divide true_divide"""
    for name in names.split():
        f = f"np.{name}"
        found[name] = [
            use(f"{f}(u, v)", u=real(3, 2), v=real(2)),
            use(f"{f}(u, v)", u=number, v=real(2)),
            use(f"{f}(u, v, where=m, out=np.zeros(3))", u=real(3), v=real(3), m=MASK),
        ]
    for name in ("power", "pow", "float_power"):
        found[name] = each(f"np.{name}(u, v)", u=positive(3), v=real(2, 3))
        found[name] += each(f"np.{name}(u, 2)|np.{name}(u, 3)", u=real(3))
    for name in ("mod", "remainder", "fmod"):
        found[name] = each(f"np.{name}(u, v)", u=real(3), v=positive(3))
    found["divmod"] = each("np.divmod(u, v)[1]|divmod(u, v)[1]", u=real(3), v=positive)
    found["ldexp"] = each("np.ldexp(x, 3)|np.ldexp(x, [1, 2, 3])", x=real(3))
    found["clip"] = each(
        """np.clip(x, -0.9, 0.9)|np.clip(x, a_min=-0.9, a_max=0.9)|x.clip(-0.9, 0.9)
        np.clip(x, None, 0.9)|np.clip(x, -0.9, None)|x.clip(min=0.1)|x.clip(max=0.1)
        np.clip(x, min=-0.5, max=0.5)""",
        x=real(4),
    )
    found["clip"] += each("np.clip(x, lo, hi)", x=real(3), lo=positive, hi=real(3))
    found["where"] = each("np.where(x > 0, x**2, np.sin(x))", x=real(3, 2))
    found["where"] += each("np.where(c, u, v)", c=MASK, u=real(3), v=real)
    return found


def _reductions() -> dict[str, list[Use]]:
    shaped = """{f}(x)|{f}(x, axis=0)|{f}(x, axis=-1)|{f}(x, 1, keepdims=True)
        {f}(x, axis=(0, 2))|{f}(x, keepdims=True)"""
    masked = """{f}(x, where=x > 0.1)|{f}(x, axis=1, where=x > -30.0)
        {f}(x, axis=0, keepdims=True, where=c)"""
    started = "{f}(x, initial=1.5)|{f}(x, axis=0, initial=0.5)"
    both = "{f}(x, axis=1, initial=1.5, where=x > 0.1)"
    typed = "{f}(x, dtype=float)|{f}(x, axis=0, dtype=np.float64)"
    spread = "{f}(x, ddof=1)|{f}(x, axis=1, ddof=1)|{f}(x, axis=0, mean=m)"
    outed = "out = np.zeros(4)\n{f}(x, axis=(0, 1), out=out)\nreturn out * 2"
    kinds = {
        "sum nansum prod nanprod": [shaped, masked, started, both, typed],
        "mean nanmean": [shaped, masked, typed],
        "std var nanstd nanvar": [shaped, masked, typed, spread],
        "max min amax amin nanmax nanmin": [shaped, started, both],
        "ptp": [shaped],
        "median nanmedian": [shaped, "{f}(x, axis=1, overwrite_input=False)"],
    }
    found: dict[str, list[Use]] = {}
    x, c = SPREAD(3, 3, 4), np.array([True, False, True])[:, None, None]
    for names, blocks in kinds.items():
        for name in names.split():
            uses = []
            domain = positive(3, 3, 4) if "prod" in name else x
            for block in blocks:
                for one in each(block.replace("{f}", f"np.{name}"), x=domain):
                    extra: dict[str, Any] = {}
                    if "where=c" in one.text:
                        extra["c"] = c
                    if "mean=m" in one.text:
                        one = use(
                            one.text.replace("=m", "=np.mean(x, 0, keepdims=True)")
                        )
                    uses.append(use(one.text, x=domain, **extra))
            if name.startswith("nan"):
                uses += each(f"np.{name}(x)|np.{name}(x, axis=1)", x=NAN)
            if name not in ("ptp", "median", "nanmedian"):
                uses.append(use(outed.replace("{f}", f"np.{name}"), x=domain))
            found[name] = uses
    methods = each(
        """x.sum()|x.sum(0)|x.mean(axis=1)|x.prod()|x.std()|x.var(ddof=1)|x.max(axis=0)
        x.min()|x.cumsum()|x.cumprod(axis=1)|x.trace()""",
        x=SPREAD(3, 4),
    )
    found["sum"] += methods
    return {**found, **_quantiles(), **_averages(), **_running()}


def _quantiles() -> dict[str, list[Use]]:
    methods = """inverted_cdf averaged_inverted_cdf closest_observation hazen weibull
        interpolated_inverted_cdf linear median_unbiased normal_unbiased lower higher
        midpoint nearest"""
    found = {}
    for name, q, several in (
        ("quantile", "0.3", "[0.1, 0.55, 1.0]"),
        ("percentile", "30", "[10, 55.0, 100]"),
    ):
        for prefix in ("", "nan"):
            f = f"np.{prefix}{name}"
            uses = each(
                f"""{f}(x, {q})|{f}(x, {q}, axis=0)|{f}(x, {several}, axis=1)
                {f}(x, {several})|{f}(x, {q}, axis=(0, 2), keepdims=True)
                {f}(x, {q}, axis=-1, keepdims=True)""",
                x=SPREAD(3, 3, 4),
            )
            uses += [
                use(f"{f}(x, {p}, axis=0, method='{m}')", x=SPREAD(5, 2))
                for m in methods.split()
                for p in (q, several)
            ]
            if not prefix:
                uses += each(f"{f}(x, q)", x=SPREAD(6), q=Domain(0.2, 0.9))
                uses += each(
                    f"{f}(x, q, axis=0)", x=SPREAD(6, 2), q=Domain(0.2, 0.9)(3)
                )
                uses.append(
                    use(
                        f"{f}(x, {q}, axis=0, weights=w, method='inverted_cdf')",
                        x=SPREAD(5, 2),
                        w=np.array([1.0, 2.0, 1.0, 0.5, 1.5]),
                    )
                )
            else:
                uses += each(f"{f}(x, {q})|{f}(x, {several}, axis=1)", x=NAN)
            found[prefix + name] = uses
    return found


def _averages() -> dict[str, list[Use]]:
    return {
        "average": [
            use("np.average(x)", x=real(3, 2)),
            use("np.average(x, axis=0)", x=real(3, 2)),
            use("np.average(x, weights=w)", x=real(4), w=positive(4)),
            use("np.average(x, 1, w)", x=real(2, 3), w=positive(3)),
            use("np.average(x, axis=(0, 1))", x=real(2, 3, 2)),
            use("np.average(x, axis=0, weights=w)", x=real(2, 3), w=positive(2, 3)),
            use("np.average(x, 0, w, keepdims=True)", x=real(3, 2), w=positive(3)),
            use(
                "m, s = np.average(x, axis=0, weights=w, returned=True)\nreturn m * s",
                x=real(3, 2),
                w=positive(3),
            ),
        ]
    }


def _running() -> dict[str, list[Use]]:
    found = {}
    for name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
        f = f"np.{name}"
        found[name] = each(
            f"{f}(x)|{f}(x, axis=0)|{f}(x, axis=-1)|{f}(x, 1, dtype=float)",
            x=real(3, 2),
        )
        found[name].append(
            use(f"y = np.zeros((3, 2))\n{f}(x, axis=0, out=y)\nreturn y", x=real(3, 2))
        )
        if name.startswith("nan"):
            found[name] += each(f"{f}(x)|{f}(x, axis=1)", x=NAN)
    for name in ("cumulative_sum", "cumulative_prod"):
        f = f"np.{name}"
        found[name] = each(
            f"{f}(x, axis=0)|{f}(x, axis=-1)|{f}(x, axis=1, include_initial=True)",
            x=real(3, 2),
        ) + each(f"{f}(x)|{f}(x, include_initial=True)|{f}(x, dtype=float)", x=real(4))
    found["trapezoid"] = [
        *each(
            "np.trapezoid(u)|np.trapezoid(u, dx=0.5)|np.trapezoid(u, axis=0)",
            u=real(4, 3),
        ),
        use("np.trapezoid(u, x)", u=real(5), x=real(5)),
        use("np.trapezoid(u, x=x, axis=0)", u=real(5, 2), x=real(5)),
        use("np.trapezoid(u, dx=h)", u=real(5), h=positive),
    ]
    found["trace"] = each(
        "np.trace(x)|np.trace(x, 1)|np.trace(x, offset=-1, axis1=1, axis2=0)|x.trace()",
        x=real(3, 4),
    )
    return found


def _ufuncs() -> dict[str, list[Use]]:
    reduce = """np.add.reduce(x)|np.add.reduce(x, axis=None)|np.add.reduce(x, axis=1)
        np.multiply.reduce(x)|np.multiply.reduce(x, axis=-1, keepdims=True)
        np.maximum.reduce(x)|np.minimum.reduce(x, axis=1)|np.add.reduce(x, axis=(0, 1))
        np.logaddexp.reduce(x)|np.logaddexp.reduce(x, axis=1)|np.hypot.reduce(x, axis=1)
        np.fmax.reduce(x)|np.fmin.reduce(x, axis=1)|np.subtract.reduce(x)
        np.add.reduce(x, initial=2.0)|np.maximum.reduce(x, axis=0, initial=0.5)
        np.add.reduce(x, axis=0, where=x > 0.1)|np.divide.reduce(x, axis=1)
        np.maximum.reduce([x, 2 * x, x**2])|np.logaddexp2.reduce(x)"""
    accumulate = """np.add.accumulate(x)|np.add.accumulate(x, axis=1)
        np.multiply.accumulate(x)|np.maximum.accumulate(x)|np.minimum.accumulate(x, axis=1)
        np.multiply.accumulate(x, 1)|np.logaddexp.accumulate(x)
        np.subtract.accumulate(x, axis=1)|np.fmax.accumulate(x)"""
    outer = """np.multiply.outer(u, v)|np.add.outer(u, v)|np.subtract.outer(u, v)
        np.divide.outer(u, v)|np.maximum.outer(u, v)|np.hypot.outer(u, v)
        np.power.outer(u, v)|np.arctan2.outer(u, v)"""
    reduceat = """np.add.reduceat(x, [0, 2, 3])|np.add.reduceat(x, [0, 2], axis=1)
        np.add.reduceat(x, [0, 3, 1])|np.multiply.reduceat(x, [0, 2])
        np.maximum.reduceat(x, [0, 2, 1])|np.minimum.reduceat(x, [0, 2], axis=1)"""
    at = "y = x.copy()\n{0}\nreturn y * y"
    return {
        "ufunc.reduce": each(reduce, x=SPREAD(3, 4)),
        "ufunc.accumulate": each(accumulate, x=positive(3, 4)),
        "ufunc.outer": each(outer, u=positive(3), v=positive(2, 2)),
        "ufunc.reduceat": each(reduceat, x=real(4, 3)),
        "ufunc.at": [
            use(at.format("np.add.at(y, [0, 2, 0], v)"), x=real(4), v=real(3)),
            use(at.format("np.subtract.at(y, [0, 2, 0], v)"), x=real(4), v=real(3)),
            use(at.format("np.multiply.at(y, [0, 2], v)"), x=real(4), v=real(2)),
            use(at.format("np.add.at(y, ([0, 1], [1, 1]), v)"), x=real(2, 2), v=real),
            use(at.format("np.negative.at(y, [0, 1])"), x=real(4)),
            use(at.format("np.maximum.at(y, [0, 2], v)"), x=real(4), v=real(2)),
        ],
        "ufunc(out=)": [
            use(
                "y = np.empty(3)\nnp.multiply(x, v, out=y)\nreturn y * y",
                x=real(3),
                v=real(3),
            ),
            use("y = np.empty(3)\nnp.exp(x, y)\nreturn y", x=real(3)),
            use(
                "y = x.copy()\nnp.add(y, v, out=y)\nreturn np.sin(y)", x=real(3), v=real
            ),
        ],
        "ufunc(where=)": [
            use(
                "y = np.zeros(3)\nnp.log(x, out=y, where=x > 1)\nreturn y",
                x=positive(3),
            ),
            use(
                "np.divide(u, v, out=np.zeros(3), where=v > 1)",
                u=real(3),
                v=positive(3),
            ),
            use("np.sqrt(x, out=np.zeros(3), where=x > 0)", x=real(3)),
        ],
    }


def _shapes() -> dict[str, list[Use]]:
    x = real(2, 3, 4)
    found = {
        name: each(texts, x=x)
        for name, texts in {
            "reshape": """np.reshape(x, (4, 6))|np.reshape(x, -1)|x.reshape(4, -1)
                np.reshape(x, (4, 6), order='F')|x.reshape((6, 4), order='F')
                np.reshape(x, shape=(4, 6))|x.reshape(x.shape[0], -1)
                np.reshape(x, (4, 6), order='C')""",
            "ravel": "np.ravel(x)|x.ravel()|np.ravel(x, order='F')|x.ravel('F')|x.flatten('F')",
            "transpose": "np.transpose(x)|x.T|np.transpose(x, (2, 0, 1))|x.transpose(1, 0, 2)",
            "permute_dims": "np.permute_dims(x, (1, 0, 2))|np.permute_dims(x)",
            "swapaxes": "np.swapaxes(x, 0, 2)|x.swapaxes(-1, 0)",
            "moveaxis": "np.moveaxis(x, 0, -1)|np.moveaxis(x, (0, 1), (1, 2))|np.moveaxis(x, [0, 1], [-1, -2])",
            "rollaxis": "np.rollaxis(x, 2)|np.rollaxis(x, 0, 3)",
            "squeeze": "np.squeeze(x[:1])|np.squeeze(x[:1], axis=0)|x[:1].squeeze()|x[:1].squeeze(0)",
            "expand_dims": "np.expand_dims(x, 1)|np.expand_dims(x, axis=(0, -1))",
            "broadcast_to": "np.broadcast_to(x, (2, 2, 3, 4))|np.broadcast_to(x[:, :1], shape=(2, 3, 4))",
            "broadcast_arrays": """np.broadcast_arrays(x, x[0])[1]
                a, b = np.broadcast_arrays(x, x[:1])\nreturn a * b""",
            "split": "np.split(x, 2)[1]|np.split(x, [1, 2], axis=1)[0]",
            "array_split": "np.array_split(x, 3, axis=2)[0]|np.array_split(x, [1, 3], -1)[1]",
            "vsplit": "np.vsplit(x, 2)[0]",
            "hsplit": "np.hsplit(x, 3)[1]",
            "dsplit": "np.dsplit(x, 2)[0]",
            "unstack": "np.unstack(x)[1]|np.unstack(x, axis=1)[0]",
            "tile": "np.tile(x, 2)|np.tile(x, (2, 1, 3))|np.tile(x, reps=(2, 1, 1, 2))",
            "repeat": """np.repeat(x, 2)|np.repeat(x, 3, axis=1)|x.repeat(2, axis=0)
                np.repeat(x, [1, 0, 2], axis=1)|np.repeat(x, repeats=2, axis=-1)""",
            "flip": "np.flip(x)|np.flip(x, 0)|np.flip(x, axis=(0, -1))",
            "fliplr": "np.fliplr(x)",
            "flipud": "np.flipud(x)",
            "rot90": "np.rot90(x)|np.rot90(x, 2)|np.rot90(x, k=3, axes=(1, 2))",
            "roll": """np.roll(x, 1)|np.roll(x, -2, axis=1)|np.roll(x, (1, 2), (0, 1))
                np.roll(x, shift=1, axis=-1)|np.roll(x, 1, axis=(0, 1))""",
            "matrix_transpose": "np.matrix_transpose(x)|x.mT",
            "sliding_window_view": """
                np.lib.stride_tricks.sliding_window_view(x, 2, 1)
                np.lib.stride_tricks.sliding_window_view(x, (2, 1, 2))
                np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(2, 2))""",
            "diagonal": "np.diagonal(x)|np.diagonal(x, 1, 1, 2)|x.diagonal(offset=-1)",
            "tril": "np.tril(x)|np.tril(x, -1)|np.tril(x, k=1)|np.tril(x[0, 0]) ** 2",
            "triu": "np.triu(x)|np.triu(x, k=1)|np.triu(x[0, 0], -1) ** 2",
            "resize": "np.resize(x, (5, 6))|np.resize(x, 7)|np.resize(x, (3, 2))",
            "insert": """np.insert(x, 1, 5.0)
                np.insert(x, [0, 2], 1.0, axis=1)|np.insert(x, 1, x[:, 0] ** 2, axis=1)
                np.insert(x, slice(0, 2), 1.0, axis=1)""",
            "delete": """np.delete(x, 1)|np.delete(x, 1, axis=1)|np.delete(x, [0, 2], axis=-1)
                np.delete(x, slice(0, 2), axis=1)|np.delete(x, -1, 0)
                np.delete(x, np.array([True, False, True]), axis=1)""",
            "fill_diagonal": "y = x[:, :, 0] * 1.0\nnp.fill_diagonal(y, 2.0)\nreturn y",
            "apply_along_axis": """np.apply_along_axis(np.sum, 1, x)
                np.apply_along_axis(lambda r: r * r, 0, x)
                np.apply_along_axis(lambda r: np.sum(r**2) / r[0], axis=-1, arr=x)
                np.apply_along_axis(np.cumsum, 1, x)""",
            "apply_over_axes": "np.apply_over_axes(np.sum, x, [0, 2])|np.apply_over_axes(np.sum, x, 1)",
        }.items()
    }
    found["broadcast_arrays"] = [
        use("np.broadcast_arrays(x, x[0])[1]", x=x),
        use("a, b = np.broadcast_arrays(x, v)\nreturn a * b", x=x, v=real(4)),
    ]
    found["fill_diagonal"] = [
        use("y = x * 1.0\nnp.fill_diagonal(y, 2.0)\nreturn y * y", x=real(3, 3)),
        use("y = x * 1.0\nnp.fill_diagonal(y, v)\nreturn y * y", x=real(3, 3), v=real),
        use(
            "y = x * 1.0\nnp.fill_diagonal(y, v)\nreturn y * y", x=real(3, 3), v=real(3)
        ),
        use("y = np.zeros((3, 3))\nnp.fill_diagonal(y, v)\nreturn y", v=real(3)),
    ]
    found["insert"] += [
        use("np.insert(x, 1, v, axis=0)", x=real(3, 2), v=real(2)),
        use("np.insert(x, [0, 3], v)", x=real(4), v=real(2)),
        use("np.insert(x, 0, v)", x=real(4), v=real),
        use("np.insert(x, -1, v)", x=real(4), v=real),
    ]
    framed = (
        "z = np.concatenate([np.zeros(2), x, np.zeros(1)])\nreturn np.trim_zeros(z{})"
    )
    found["trim_zeros"] = [
        use(framed.format(more), x=real(3)) for more in ("", ", 'f'", ", trim='b'")
    ]
    for k in (1, 2, 3):
        f = f"atleast_{k}d"
        found[f] = [
            use(f"np.{f}(x)", x=d) for d in (real, real(3), real(2, 3), real(2, 3, 2))
        ]
        found[f].append(use(f"u, v = np.{f}(x, y)\nreturn u * v", x=real(3), y=real))
    return {**found, **_joins()}


def _joins() -> dict[str, list[Use]]:
    two = {"u": real(2, 3), "v": real(2, 3)}
    found = {
        "concatenate": each(
            """np.concatenate([u, v])|np.concatenate((u, v), axis=1)
            np.concatenate([u, v], axis=None)|np.concatenate([u, 2 * v, u], -1)
            np.concatenate([u, v], dtype=float)|np.concatenate(np.array([u, v]))
            np.concatenate([a * a for a in (u, v)])""",
            **two,
        ),
        "concat": each("np.concat([u, v])|np.concat((u, v), axis=1)", **two),
        "stack": each(
            "np.stack([u, v])|np.stack((u, v), axis=-1)|np.stack([u, v], 1)", **two
        ),
        "vstack": each(
            "np.vstack([u, v])|np.vstack((u, v[0]))|np.vstack([u, v], dtype=float)",
            **two,
        ),
        "hstack": each(
            "np.hstack([u, v])|np.hstack((u[0], v[1]))|np.hstack([u[0], 1.0])", **two
        ),
        "dstack": each("np.dstack([u, v])|np.dstack((u[0], v[1]))", **two),
        "column_stack": each(
            "np.column_stack([u, v])|np.column_stack((u[:, 0], v))", **two
        ),
        "row_stack": each("np.vstack([u, v])", **two),
        "block": each(
            """np.block([u, v])|np.block([[u], [v]])|np.block([[u, v], [v, u]])
            np.block([[u, np.zeros((2, 3))], [np.ones((2, 3)), v]])|np.block(u)
            np.block([u[0], 1.0])""",
            **two,
        ),
        "append": each(
            "np.append(u, v)|np.append(u, v, axis=0)|np.append(u, values=v, axis=1)|np.append(u, 2.0)",
            **two,
        ),
        "diag": each("np.diag(x)|np.diag(x, -1)|np.diag(x, k=1)", x=real(3))
        + each("np.diag(x)|np.diag(x, 1)", x=real(3, 4)),
        "diagflat": each(
            "np.diagflat(x)|np.diagflat(x, 1)|np.diagflat(x, k=-1)", x=real(2, 2)
        ),
        "vander": each(
            "np.vander(x)|np.vander(x, 3)|np.vander(x, N=5)|np.vander(x, 3, increasing=True)|np.vander(x, 1)",
            x=real(4),
        ),
        "meshgrid": [
            use("a, b = np.meshgrid(u, v)\nreturn a * b", u=real(3), v=real(2)),
            use(
                "a, b = np.meshgrid(u, v, indexing='ij')\nreturn a * b",
                u=real(3),
                v=real(2),
            ),
            use(
                "a, b = np.meshgrid(u, v, sparse=True)\nreturn a * b",
                u=real(3),
                v=real(2),
            ),
            use(
                "a, b, c = np.meshgrid(u, v, u)\nreturn a * b + c", u=real(3), v=real(2)
            ),
            use("np.meshgrid(u, v)[0] ** 2", u=real(3), v=real(2)),
            use(
                "g = np.meshgrid(u, u, copy=False)\nreturn g[0] + g[1] ** 2", u=real(3)
            ),
        ],
        "pad": _pads(),
        "r_": [
            use("np.r_[u, v]", u=real(3), v=real(2)),
            use("np.r_[0.0, u, 1.0]", u=real(3)),
            use("np.r_[u, u[::-1], v]", u=real(3), v=real),
            use("np.r_[u, 0:3]", u=real(3)),
            use("np.r_['-1', u, v]", u=real(2, 2), v=real(2, 1)),
        ],
        "c_": [
            use("np.c_[u, v]", u=real(3), v=real(3)),
            use("np.c_[u, v]", u=real(3, 2), v=real(3)),
            use("np.c_[np.ones(3), v]", v=real(3)),
        ],
        "vectorize": [
            use("np.vectorize(lambda t: t * t + 1.0)(x)", x=real(3, 2)),
            use(
                "f = np.vectorize(lambda a, b: a * b if a > 0 else b)\nreturn f(u, v)",
                u=real(3),
                v=real,
            ),
        ],
        "piecewise": [
            use("np.piecewise(x, [x < 0, x >= 0], [-1.0, 1.0]) * x", x=real(4)),
            use(
                "np.piecewise(x, [x < 0, x >= 0], [lambda t: t**2, lambda t: t**3])",
                x=real(4),
            ),
            use("np.piecewise(x, [x < 0], [np.sin, np.cos])", x=real(4)),
            use(
                "np.piecewise(x, [x < 0, x > 1], [lambda t: -t, 2.0, lambda t: np.exp(t)])",
                x=real(2, 3),
            ),
            use(
                "np.piecewise(x, [x < 0], [lambda t, a: a * t, lambda t, a: t], 2.5)",
                x=real(4),
            ),
            use("np.piecewise(x, [x < 0], [lambda t: a * t, 0.0])", x=real(4), a=real),
        ],
    }
    return found


def _pads() -> list[Use]:
    modes = "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap empty"
    uses = []
    for mode in modes.split():
        if mode == "empty":
            uses.append(use("np.pad(x, 2, mode='empty')[2:-2, 2:-2]", x=SPREAD(4, 3)))
            continue
        for width in ("1", "(2, 1)", "((1, 2), (2, 0))"):
            uses.append(use(f"np.pad(x, {width}, mode='{mode}')", x=SPREAD(4, 3)))
        uses.append(use(f"np.pad(x, (5, 3), '{mode}')", x=SPREAD(4)))
    return [
        *uses,
        *each(
            """np.pad(x, 1, constant_values=2.0)|np.pad(x, 1, constant_values=(1.0, 2.0))
            np.pad(x, 1, 'constant', constant_values=((1, 2), (3, 4)))|np.pad(x, 2)
            np.pad(x, 2, 'linear_ramp', end_values=3.0)
            np.pad(x, 2, 'linear_ramp', end_values=(3.0, -1.0))
            np.pad(x, 2, 'mean', stat_length=2)|np.pad(x, 2, 'maximum', stat_length=(1, 2))
            np.pad(x, 2, 'median', stat_length=3)|np.pad(x, 2, 'minimum', stat_length=2)
            np.pad(x, 2, 'reflect', reflect_type='odd')
            np.pad(x, 2, 'symmetric', reflect_type='odd')|np.pad(x, {0: 1}, 'edge')
            np.pad(x, {-1: (1, 2)})""",
            x=SPREAD(4, 3),
        ),
        use("np.pad(x, 1, constant_values=v)", x=real(3), v=real),
        use("np.pad(x, 2, 'linear_ramp', end_values=v)", x=real(3), v=real),
    ]


def _indexing() -> dict[str, list[Use]]:
    stores = "y = x * 1.0\n{0}\nreturn y * y"
    i2 = np.array([[2, 0], [1, 1]])
    return {
        "x[int,slice]": each(
            "x[1]|x[0, 1:]|x[::-1, ::2]|x[..., 0]|x[:, None]|x[-1, -1]", x=real(3, 4)
        ),
        "x[fancy]": [
            *each(
                "x[[0, 2, 0]]|x[[0, 1], [1, 1]]|x[:, [0, 0, 2]]|x[np.ix_([0, 1], [2, 0])]",
                x=real(3, 4),
            ),
            use("x[i]", x=real(4), i=INDEX),
        ],
        "x[bool]": [
            *each("x[x > 0]|x[x[:, 0] > 0]|x[~(x > 0.3)]", x=real(3, 4)),
            use("x[m]", x=real(3, 2), m=MASK),
        ],
        "y[i]=v": [
            use(stores.format("y[1] = v"), x=real(3), v=real),
            use(stores.format("y[1:] = v"), x=real(3), v=real(2)),
            use(stores.format("y[[0, 0]] = v"), x=real(3), v=real(2)),
            use(stores.format("y[y > 0] = v"), x=real(3), v=real),
        ],
        "y[i]+=v": [
            use(stores.format("y[1] += v"), x=real(3), v=real),
            use(stores.format("y[[0, 0]] += v"), x=real(3), v=real(2)),
            use(stores.format("y[:2] *= v"), x=real(3), v=real(2)),
        ],
        "take": [
            *each(
                "np.take(x, 3)|np.take(x, [0, 2, 0], axis=1)|np.take(x, 1, axis=-1)|x.take([0, 5])|x.take(1, axis=0)",
                x=real(3, 4),
            ),
            *each(
                "np.take(x, [0, 5, 20], mode='wrap')|np.take(x, [-3, 5, 20], mode='clip')|np.take(x, [[0, 1], [3, 9]], axis=1, mode='wrap')",
                x=real(3, 4),
            ),
            use("np.take(x, indices=i, axis=0)", x=real(4, 2), i=INDEX),
        ],
        "take_along_axis": [
            use("np.take_along_axis(x, i, 1)", x=real(2, 3), i=i2),
            use("np.take_along_axis(x, i, axis=-1)", x=real(2, 3), i=i2),
            use("np.take_along_axis(x, np.argsort(x, axis=0), axis=0)", x=real(4, 3)),
            use("np.take_along_axis(x, i, None)", x=real(2, 3), i=INDEX),
        ],
        "choose": [
            use("np.choose([0, 1, 1], [u, v])", u=real(3), v=real(3)),
            use("np.choose(i, (u, v, 1.0))", i=INDEX, u=real(3), v=real(2, 3)),
            use(
                "np.choose(i, [u, v], mode='wrap')",
                i=np.array([0, 3, 5]),
                u=real(3),
                v=real,
            ),
            use(
                "np.choose(i, [u, v], mode='clip')",
                i=np.array([0, 3, 5]),
                u=real(3),
                v=real,
            ),
        ],
        "compress": [
            use("np.compress(c, x)", c=MASK, x=real(3)),
            use("np.compress([True, False, True], x, axis=1)", x=real(2, 3)),
            use("np.compress(x > 0, x)", x=real(5)),
            use("x.compress([True, True, False])", x=real(3)),
        ],
        "extract": [
            use("np.extract(c, x)", c=MASK, x=real(3)),
            use("np.extract(x > 0, x)", x=real(3, 2)),
        ],
        "select": [
            use("np.select([x < 0, x < 1], [x**2, np.sin(x)], 2.0 * x)", x=real(5)),
            use("np.select([x < 0, x < 1], [x**2, v])", x=real(5), v=real),
            use(
                "np.select(condlist=[x < 0], choicelist=[x**2], default=v)",
                x=real(5),
                v=real,
            ),
        ],
        "put": [
            use(stores.format("np.put(y, [0, 2], v)"), x=real(4), v=real(2)),
            use(stores.format("np.put(y, [0, 2], 3.0)"), x=real(2, 2)),
            use(stores.format("y.put([0, 3], v)"), x=real(2, 2), v=real(2)),
            use(stores.format("np.put(y, [0, 1, 2], v)"), x=real(4), v=real(2)),
            use(
                stores.format("np.put(y, [0, 9], v, mode='clip')"), x=real(4), v=real(2)
            ),
        ],
        "put_along_axis": [
            use(
                stores.format("np.put_along_axis(y, i, v, 1)"),
                x=real(2, 3),
                i=np.array([[2], [1]]),
                v=real(2, 1),
            ),
            use(
                stores.format("np.put_along_axis(y, i, v, axis=0)"),
                x=real(2, 3),
                i=np.array([[1, 0, 1]]),
                v=real,
            ),
        ],
        "place": [
            use(stores.format("np.place(y, y > 0, v)"), x=real(4), v=real(4)),
            use(stores.format("np.place(y, m, [v, 2.0])"), x=real(3), m=MASK, v=real),
        ],
        "putmask": [
            use(stores.format("np.putmask(y, y > 0, v)"), x=real(4), v=real(4)),
            use(stores.format("np.putmask(y, y > 0, 2.0)"), x=real(4)),
        ],
        "copyto": [
            use(stores.format("np.copyto(y, v)"), x=real(4), v=real(4)),
            use(stores.format("np.copyto(y, v, where=y > 0)"), x=real(4), v=real(4)),
            use("y = np.zeros(3)\nnp.copyto(y, v)\nreturn y * y", v=real),
        ],
        "sort": [
            *each(
                "np.sort(x)|np.sort(x, axis=0)|np.sort(x, axis=None)|np.sort(x, kind='stable')|np.sort(x)[::-1]|np.sort(x, -1, stable=True)",
                x=SPREAD(4, 3),
            ),
            use("y = x * 1.0\ny.sort()\nreturn y * np.arange(4)", x=SPREAD(4)),
            use("y = x * 1.0\ny.sort(axis=0)\nreturn y[0]", x=SPREAD(4, 2)),
        ],
        "partition": [
            *each(
                "np.sort(np.partition(x, 2)[..., :2])|np.partition(x, 2, axis=0)[2]|np.partition(x, 3, axis=None)[3]|np.partition(x, (1, 2), axis=-1)",
                x=SPREAD(4, 4),
            ),
            use("y = x * 1.0\ny.partition(2)\nreturn y[2]", x=SPREAD(5)),
        ],
        "unique": [
            use("np.unique(x)", x=SPREAD(5)),
            use("np.unique(x)", x=SPREAD(2, 3)),
            use(
                "u, i = np.unique(x, return_inverse=True)\nreturn u[i] * 2", x=SPREAD(5)
            ),
            use("u, i = np.unique(x, return_index=True)\nreturn u * x[i]", x=SPREAD(5)),
            use("u, c = np.unique(x, return_counts=True)\nreturn u * c", x=SPREAD(5)),
            use(
                "u, i, j, c = np.unique(x, True, True, True)\nreturn u * c", x=SPREAD(5)
            ),
            use("np.unique(x, axis=0)", x=SPREAD(4, 2)),
        ],
    }


def _algebra() -> dict[str, list[Use]]:
    uv = {"u": real(2, 3), "v": real(3, 4)}
    return {
        "dot": [
            *each("np.dot(u, v)|u.dot(v)|np.dot(u[0], v)|np.dot(2.0, u)", **uv),
            use("np.dot(u, v)", u=real(3), v=real(3)),
            use("y = np.zeros((2, 4))\nnp.dot(u, v, out=y)\nreturn y", **uv),
        ],
        "vdot": each(
            "np.vdot(u, v)|np.real(np.vdot(u * 1j, v * (1 + 2j)))", u=real(3), v=real(3)
        ),
        "inner": [
            use("np.inner(u, v)", u=real(2, 3), v=real(3)),
            use("np.inner(u, v)", u=real(2, 3), v=real(4, 3)),
        ],
        "outer": each("np.outer(u, v)|np.outer(a=u, b=v)", u=real(3), v=real(2)),
        "matmul": each(
            "np.matmul(u, v)|np.matmul(u[0], v)|np.matmul(u, v, out=np.zeros((2, 4)))",
            **uv,
        )
        + [use("np.matmul(u, v, axes=[(0, 1), (0, 1), (0, 1)])", **uv)],
        "x @ y": [
            *each("u @ v|u[0] @ v|u @ v[:, 0]", **uv),
            use("u @ v", u=real(5, 2, 3), v=real(3, 2)),
        ],
        "matvec": [
            use("np.matvec(u, v)", u=real(2, 3), v=real(3)),
            use("np.matvec(u, v)", u=real(4, 2, 3), v=real(4, 3)),
            use("np.matvec(u, v)", u=real(2, 3), v=real(5, 3)),
        ],
        "vecmat": [
            use("np.vecmat(u, v)", u=real(2), v=real(2, 3)),
            use("np.vecmat(u, v)", u=real(4, 2), v=real(4, 2, 3)),
            use("np.vecmat(u, v)", u=real(5, 2), v=real(2, 3)),
        ],
        "vecdot": [
            use("np.vecdot(u, v)", u=real(2, 3), v=real(3)),
            use("np.vecdot(u, v, axis=0)", u=real(3, 2), v=real(3, 2)),
            use("np.vecdot(u, v)", u=real(3), v=real(4, 3)),
        ],
        "tensordot": [
            use("np.tensordot(u, v)", u=real(2, 3, 4), v=real(3, 4, 5)),
            use("np.tensordot(u, v, 1)", **uv),
            use(
                "np.tensordot(u, v, axes=([0, 2], [1, 0]))",
                u=real(2, 3, 4),
                v=real(4, 2, 5),
            ),
            use("np.tensordot(u, v, axes=0)", u=real(2), v=real(3)),
        ],
        "einsum": [
            *each(
                "np.einsum('ij,jk->ik', u, v)|np.einsum('ij,jk', u, v)|np.einsum('ij,jk->', u, v)|np.einsum('ij,jk->ki', u, v, optimize=True)",
                **uv,
            ),
            *each(
                "np.einsum(u, [0, 1], v, [1, 2], [0, 2])|np.einsum(u, [0, 1], v, [1, 2])",
                **uv,
            ),
            *each(
                "np.einsum('ii', x)|np.einsum('ii->i', x)|np.einsum('ij->ji', x)|np.einsum('...j->...', x)|np.einsum('ij,ij->i', x, x)",
                x=real(3, 3),
            ),
            use("np.einsum('...ij,...jk->...ik', u, v)", u=real(5, 2, 3), v=real(3, 4)),
            use("np.einsum('i,j,k->ijk', u, v, w)", u=real(2), v=real(3), w=real(2)),
            use("np.einsum('ij,jk->ik', u, v, out=np.zeros((2, 4)))", **uv),
            use("np.einsum('ij,jk->ik', u, v, dtype=float)", **uv),
        ],
        "cross": [
            *each("np.cross(u, v)|np.cross(u, v[0])", u=real(4, 3), v=real(4, 3)),
            *each(
                "np.cross(u, v, axis=0)|np.cross(u, v, axisa=0, axisb=0, axisc=-1)|np.cross(u, v, 0, 0, 0)",
                u=real(3, 4),
                v=real(3, 4),
            ),
        ],
        "kron": [
            use("np.kron(u, v)", u=real(2, 3), v=real(3, 2)),
            use("np.kron(u, v)", u=real(3), v=real(2, 2)),
        ],
        **_linalg(),
    }


def _linalg() -> dict[str, list[Use]]:
    def both(texts: str) -> list[Use]:
        return [*each(texts, x=SQUARE), *each(texts, x=STACK)]

    symmetric = "(x + np.swapaxes(x, -1, -2)) / 2"
    tall, wide, talls = real(5, 3), real(3, 5), real(2, 5, 3)
    norms = """np.linalg.norm(x)|np.linalg.norm(x, 1)|np.linalg.norm(x, 2)|np.linalg.norm(x, -1)
        np.linalg.norm(x, -2)|np.linalg.norm(x, np.inf)|np.linalg.norm(x, -np.inf)
        np.linalg.norm(x, 'fro')|np.linalg.norm(x, 'nuc')|np.linalg.norm(x, axis=0)
        np.linalg.norm(x, ord=1, axis=1)|np.linalg.norm(x, np.inf, axis=1, keepdims=True)
        np.linalg.norm(x, 3, axis=0)|np.linalg.norm(x, -np.inf, axis=1)
        np.linalg.norm(x, 2.5, 0)|np.linalg.norm(x, -1, axis=1)|np.linalg.norm(x, -2.0, axis=1)
        np.linalg.norm(x, axis=(0, 1))|np.linalg.norm(x, 'nuc', axis=(1, 0))
        np.linalg.norm(x, 2, axis=(0, 1), keepdims=True)|np.linalg.norm(x, 0, axis=0) * x[0]"""
    return {
        "linalg.cholesky": [
            *each(
                "np.linalg.cholesky(x @ np.swapaxes(x, -1, -2) + np.eye(3))|np.linalg.cholesky(x @ np.swapaxes(x, -1, -2) + np.eye(3), upper=True)",
                x=SQUARE,
            ),
            *each(
                "np.linalg.cholesky(x @ np.swapaxes(x, -1, -2) + np.eye(3))", x=STACK
            ),
        ],
        "linalg.cond": both(
            "np.linalg.cond(x)|np.linalg.cond(x, 1)|np.linalg.cond(x, 'fro')|np.linalg.cond(x, -2)|np.linalg.cond(x, np.inf)|np.linalg.cond(x, 2)|np.linalg.cond(x, 'nuc')"
        )
        + each("np.linalg.cond(x)", x=tall),
        "linalg.cross": each(
            "np.linalg.cross(u, v)|np.linalg.cross(u, v, axis=-1)",
            u=real(4, 3),
            v=real(4, 3),
        )
        + each("np.linalg.cross(u, v, axis=0)", u=real(3, 4), v=real(3, 4)),
        "linalg.det": both("np.linalg.det(x)"),
        "linalg.diagonal": each(
            "np.linalg.diagonal(x)|np.linalg.diagonal(x, offset=1)", x=real(2, 3, 3)
        ),
        "linalg.eig": [
            use(
                "w, v = np.linalg.eig("
                + symmetric
                + ")\nreturn np.sum(w**2 * np.sum(v**4, axis=0))",
                x=SQUARE,
            ),
            use(
                "w, v = np.linalg.eig(x)\nreturn np.sum(np.abs(w) ** 2) + np.sum(np.abs(v) ** 4)",
                x=SQUARE,
            ),
            use(
                "w, v = np.linalg.eig(x)\nreturn np.sum(np.abs(w) ** 2) + np.sum(np.abs(v) ** 4)",
                x=STACK,
            ),
            use(
                "r = np.linalg.eig(x)\nreturn np.sum(np.real(r.eigenvalues ** 3))",
                x=SQUARE,
            ),
        ],
        "linalg.eigh": [
            use(
                "w, v = np.linalg.eigh("
                + symmetric
                + ")\nreturn w * np.sum(v**4, axis=-2)",
                x=SQUARE,
            ),
            use(
                "w, v = np.linalg.eigh("
                + symmetric
                + ")\nreturn w * np.sum(v**4, axis=-2)",
                x=STACK,
            ),
            use("w, v = np.linalg.eigh(x)\nreturn w * np.sum(v**4, axis=-2)", x=SQUARE),
            use(
                "w, v = np.linalg.eigh(x, UPLO='U')\nreturn w * np.sum(v**4, axis=-2)",
                x=SQUARE,
            ),
            use(
                "r = np.linalg.eigh("
                + symmetric
                + ")\nreturn r.eigenvalues * np.abs(r.eigenvectors[0])",
                x=SQUARE,
            ),
            use("np.linalg.eigh(x)[0]", x=SQUARE),
            use(
                "w, v = np.linalg.eigh(x @ x.T + 1j * (x - x.T))\nreturn w * np.sum(np.abs(v)**4, axis=-2)",
                x=SQUARE,
            ),
        ],
        "linalg.eigvals": both(
            "np.sum(np.abs(np.linalg.eigvals(x)) ** 2)|np.sum(np.real(np.linalg.eigvals(x) ** 3))"
        ),
        "linalg.eigvalsh": both(
            f"np.linalg.eigvalsh({symmetric})|np.linalg.eigvalsh(x)|np.linalg.eigvalsh(x, UPLO='U')"
        ),
        "linalg.inv": both("np.linalg.inv(x)"),
        "linalg.lstsq": [
            use("np.linalg.lstsq(a, b)[0]", a=tall, b=real(5)),
            use("np.linalg.lstsq(a, b, rcond=None)[0]", a=tall, b=real(5, 2)),
            use(
                "x, res, rank, s = np.linalg.lstsq(a, b, rcond=None)\nreturn np.sum(x**2) + np.sum(res) + np.sum(s)",
                a=tall,
                b=real(5),
            ),
            use(
                "x, res, rank, s = np.linalg.lstsq(a, b)\nreturn np.sum(x**2) + np.sum(res**2)",
                a=tall,
                b=real(5, 2),
            ),
            use("np.linalg.lstsq(a, b)[0]", a=wide, b=real(3)),
            use("np.linalg.lstsq(a, b, rcond=1e-10)[0]", a=SQUARE, b=real(3)),
        ],
        "linalg.matmul": each("np.linalg.matmul(u, v)", u=real(2, 3), v=real(3, 4)),
        "linalg.matrix_norm": each(
            "np.linalg.matrix_norm(x)|np.linalg.matrix_norm(x, ord=1)|np.linalg.matrix_norm(x, ord='nuc')|np.linalg.matrix_norm(x, keepdims=True)|np.linalg.matrix_norm(x, ord=2)",
            x=real(2, 3, 4),
        ),
        "linalg.matrix_power": both(
            "np.linalg.matrix_power(x, 3)|np.linalg.matrix_power(x, 2)|np.linalg.matrix_power(x, -2)|np.linalg.matrix_power(x, 1)|np.linalg.matrix_power(x, 0) * x|np.linalg.matrix_power(x, n=5)"
        ),
        "linalg.matrix_transpose": both("np.linalg.matrix_transpose(x)"),
        "linalg.multi_dot": [
            use(
                "np.linalg.multi_dot([u, v, w])",
                u=real(2, 3),
                v=real(3, 4),
                w=real(4, 2),
            ),
            use("np.linalg.multi_dot((u, v))", u=real(2, 3), v=real(3, 4)),
            use(
                "np.linalg.multi_dot([u, v, w, z])",
                u=real(3),
                v=real(3, 4),
                w=real(4, 2),
                z=real(2),
            ),
        ],
        "linalg.norm": each(norms, x=SPREAD(3, 4))
        + each(
            "np.linalg.norm(x)|np.linalg.norm(x, 1)|np.linalg.norm(x, np.inf)|np.linalg.norm(x, 3)",
            x=SPREAD(4),
        )
        + each(
            "np.linalg.norm(x, axis=(1, 2))|np.linalg.norm(x, 'nuc', (0, 2))|np.linalg.norm(x)",
            x=SPREAD(2, 3, 4),
        ),
        "linalg.outer": each("np.linalg.outer(u, v)", u=real(3), v=real(2)),
        "linalg.pinv": [
            *each("np.linalg.pinv(x)|np.linalg.pinv(x, rcond=1e-12)", x=tall),
            use("np.linalg.pinv(x)", x=wide),
            use("np.linalg.pinv(x)", x=talls),
            use("np.linalg.pinv(x + x.T, hermitian=True)", x=SQUARE),
        ],
        "linalg.qr": [
            use(
                "q, r = np.linalg.qr(x)\nreturn np.sum(np.sin(q)) + np.sum(r**3)",
                x=SQUARE,
            ),
            use(
                "q, r = np.linalg.qr(x)\nreturn np.sum(np.sin(q)) + np.sum(r**3)",
                x=tall,
            ),
            use(
                "q, r = np.linalg.qr(x)\nreturn np.sum(np.sin(q)) + np.sum(r**3)",
                x=wide,
            ),
            use(
                "q, r = np.linalg.qr(x)\nreturn np.sum(np.sin(q)) + np.sum(r**3)",
                x=talls,
            ),
            use("np.linalg.qr(x, mode='r')", x=tall),
            use("r = np.linalg.qr(x, 'reduced')\nreturn r.Q @ r.R**2", x=tall),
            use(
                "q, r = np.linalg.qr(x, 'complete')\nreturn np.sum(r**2) + np.sum(q**4)",
                x=SQUARE,
            ),
            use(
                "q, r = np.linalg.qr(x, 'complete')\nreturn np.sum(r**2) + np.sum(q**3)",
                x=talls,
            ),
        ],
        "linalg.slogdet": both(
            "np.linalg.slogdet(x)[1]|np.linalg.slogdet(x).logabsdet"
        ),
        "linalg.solve": [
            use("np.linalg.solve(a, b)", a=SQUARE, b=real(3)),
            use("np.linalg.solve(a, b)", a=SQUARE, b=real(3, 2)),
            use("np.linalg.solve(a, b)", a=STACK, b=real(2, 3, 2)),
            use("np.linalg.solve(a, b)", a=STACK, b=real(3)),
        ],
        "linalg.svd": [
            *[
                use(
                    "u, s, vh = np.linalg.svd(x, full_matrices=False)\nreturn np.sum(s**3) + np.sum(u**4) + np.sum(np.sum(vh**4, axis=-1) * s)",
                    x=a,
                )
                for a in (SQUARE, tall, wide, talls)
            ],
            use(
                "u, s, vh = np.linalg.svd(x)\nreturn np.sum(s**3) + np.sum(u**4) + np.sum(vh**4)",
                x=SQUARE,
            ),
            use(
                "u, s, vh = np.linalg.svd(x, full_matrices=True)\nreturn np.sum(u[:, :3]**4) + np.sum(s)",
                x=tall,
            ),
            use("np.linalg.svd(x, compute_uv=False)", x=tall),
            use("np.linalg.svd(x)[1]", x=tall),
            use(
                "r = np.linalg.svd(x, full_matrices=False)\nreturn (r.U * r.S**2) @ r.Vh",
                x=tall,
            ),
        ],
        "linalg.svdvals": [
            *both("np.linalg.svdvals(x)"),
            use("np.linalg.svdvals(x)", x=tall),
        ],
        "linalg.tensordot": each(
            "np.linalg.tensordot(u, v, axes=1)", u=real(2, 3), v=real(3, 4)
        ),
        "linalg.tensorinv": [
            use("np.linalg.tensorinv(x)", x=real(2, 3, 6)),
            use("np.linalg.tensorinv(x, ind=1)", x=real(6, 2, 3)),
        ],
        "linalg.tensorsolve": [
            use("np.linalg.tensorsolve(a, b)", a=real(2, 3, 6), b=real(2, 3)),
            use(
                "np.linalg.tensorsolve(a, b, axes=(1,))", a=real(2, 6, 3), b=real(2, 3)
            ),
        ],
        "linalg.trace": each(
            "np.linalg.trace(x)|np.linalg.trace(x, offset=1)", x=real(2, 3, 3)
        ),
        "linalg.vecdot": each(
            "np.linalg.vecdot(u, v)|np.linalg.vecdot(u, v, axis=-1)",
            u=real(2, 3),
            v=real(3),
        )
        + each("np.linalg.vecdot(u, v, axis=0)", u=real(3, 2), v=real(3, 2)),
        "linalg.vector_norm": each(
            "np.linalg.vector_norm(x)|np.linalg.vector_norm(x, axis=0)|np.linalg.vector_norm(x, axis=1, ord=1)|np.linalg.vector_norm(x, ord=3)|np.linalg.vector_norm(x, axis=(0, 1), keepdims=True)|np.linalg.vector_norm(x, ord=np.inf)",
            x=SPREAD(3, 4),
        ),
    }


def _fft() -> dict[str, list[Use]]:
    found = {}
    power = "np.sum(np.abs({0}) ** 2 * np.arange(1, {0}.size + 1).reshape({0}.shape))"
    parts = (
        "y = {0}\nw = np.arange(y.size).reshape(y.shape)\nreturn y.real * w + y.imag"
    )
    for name in ("fft", "ifft", "rfft"):
        f = f"np.fft.{name}"
        texts = [
            f"{f}(x)",
            f"{f}(x, n=4)",
            f"{f}(x, n=9)",
            f"{f}(x, axis=0)",
            f"{f}(x, norm='ortho')",
            f"{f}(x, norm='forward')",
            f"{f}(x, 5, 0, 'backward')",
        ]
        found[f"fft.{name}"] = [use(parts.format(t), x=real(4, 6)) for t in texts] + [
            use(parts.format(f"{f}(x)"), x=real(5))
        ]
        if name != "rfft":
            found[f"fft.{name}"] += [use(parts.format(f"{f}(x * (1 + 2j))"), x=real(5))]
    for name in ("fft2", "ifft2", "rfft2"):
        f = f"np.fft.{name}"
        texts = [
            f"{f}(x)",
            f"{f}(x, s=(3, 5))",
            f"{f}(x, axes=(0, 1))",
            f"{f}(x, norm='ortho')",
        ]
        found[f"fft.{name}"] = [use(parts.format(t), x=real(2, 4, 6)) for t in texts]
    for name in ("fftn", "ifftn", "rfftn"):
        f = f"np.fft.{name}"
        texts = [
            f"{f}(x)",
            f"{f}(x, s=(3, 5), axes=(0, 1))",
            f"{f}(x, axes=(1, 2))",
            f"{f}(x, norm='forward')",
            f"{f}(x, axes=(2,))",
        ]
        found[f"fft.{name}"] = [use(parts.format(t), x=real(2, 4, 6)) for t in texts]
    z = "(x + 1j * x**2)"
    for name in ("irfft", "hfft"):
        f = f"np.fft.{name}"
        found[f"fft.{name}"] = each(
            f"{f}({z})|{f}({z}, n=5)|{f}({z}, n=8, axis=0)|{f}({z}, norm='ortho')|{f}({z}, 12)|{f}({z}, norm='forward')",
            x=real(4, 6),
        )
    found["fft.irfft"] += each(
        "np.fft.irfft(np.fft.rfft(x) * np.array([1.0, 0.5, 0.25, 0.0]))|np.fft.irfft(np.fft.rfft(x), n=len(x))|np.fft.irfft(x)",
        x=real(6),
    )
    found["fft.ihfft"] = [
        use(parts.format(t), x=real(4, 6))
        for t in (
            "np.fft.ihfft(x)",
            "np.fft.ihfft(x, n=5)",
            "np.fft.ihfft(x, 4, axis=0, norm='ortho')",
        )
    ]
    found["fft.irfft2"] = each(
        f"np.fft.irfft2({z})|np.fft.irfft2({z}, s=(3, 5))|np.fft.irfft2({z}, norm='ortho')",
        x=real(2, 3, 4),
    )
    found["fft.irfftn"] = each(
        f"np.fft.irfftn({z})|np.fft.irfftn({z}, s=(3, 5), axes=(0, 1))|np.fft.irfftn({z}, norm='forward')",
        x=real(2, 3, 4),
    )
    for name in ("fftshift", "ifftshift"):
        f = f"np.fft.{name}"
        found[f"fft.{name}"] = each(
            f"{f}(x)|{f}(x, axes=0)|{f}(x, axes=(0, 1))", x=real(3, 4)
        )
    found["fft.fft"].append(use(power.format("np.fft.fft(x)"), x=real(6)))
    return found


def _signals() -> dict[str, list[Use]]:
    found: dict[str, list[Use]] = {}
    for name in ("convolve", "correlate"):
        f = f"np.{name}"
        texts = f"{f}(u, v)|{f}(u, v, 'full')|{f}(u, v, mode='same')|{f}(u, v, mode='valid')|{f}(v, u, 'same')|{f}(v, u, 'valid')|{f}(v, u)"
        found[name] = each(texts, u=real(6), v=real(3)) + each(
            texts, u=real(5), v=real(4)
        )
    found["correlate"] += each(
        "np.abs(np.correlate(u + 1j * v, v * 1j + u, 'full'))", u=real(4), v=real(4)
    )
    x = real(3, 6)
    found["cov"] = [
        *each(
            "np.cov(x)|np.cov(x, rowvar=False)|np.cov(x, bias=True)|np.cov(x, ddof=0)|np.cov(x[0])|np.cov(x, fweights=[1, 2, 1, 1, 3, 1])",
            x=x,
        ),
        use("np.cov(u, v)", u=real(6), v=real(6)),
        use("np.cov(u, v, rowvar=False)", u=real(6, 2), v=real(6)),
        use("np.cov(x, aweights=w)", x=x, w=positive(6)),
        use("np.cov(x, aweights=w, bias=True)", x=x, w=positive(6)),
        use("np.cov(u, v)[0, 1]", u=real(6), v=real(6)),
    ]
    found["corrcoef"] = [
        *each("np.corrcoef(x)|np.corrcoef(x, rowvar=False)", x=real(3, 7)),
        use("np.corrcoef(u, v)", u=real(6), v=real(6)),
        use("np.corrcoef(u, v)[0, 1]", u=real(6), v=real(6)),
    ]
    found["diff"] = [
        *each(
            "np.diff(x)|np.diff(x, 2, axis=0)|np.diff(x, n=1, axis=0)|np.diff(x, prepend=0.0)|np.diff(x, append=1.0)|np.diff(x, axis=0, prepend=2.0, append=1.0)",
            x=real(4, 3),
        ),
        use("np.diff(x, prepend=a, append=b)", x=real(4), a=real, b=real(2)),
        use("np.diff(x, n=2, prepend=a)", x=real(4, 3), a=real(4, 1)),
    ]
    found["ediff1d"] = [
        *each(
            "np.ediff1d(x)|np.ediff1d(x, to_end=1.0)|np.ediff1d(x, to_begin=[1.0, 2.0])",
            x=real(4),
        ),
        use("np.ediff1d(x)", x=real(2, 3)),
        use("np.ediff1d(x, to_end=a, to_begin=b)", x=real(4), a=real, b=real(2)),
    ]
    found["gradient"] = [
        *each(
            "np.gradient(x)|np.gradient(x, 0.5)|np.gradient(x, edge_order=2)|np.gradient(x, [0.0, 1.0, 3.0, 3.5, 5.0])",
            x=real(5),
        ),
        *each(
            "np.gradient(x, axis=0)|np.gradient(x, axis=1, edge_order=2)|np.gradient(x)[0]|np.gradient(x, 0.5, 2.0)[1]|np.gradient(x, 2.0, axis=-1)|np.gradient(x, axis=(0, 1))[1]",
            x=real(4, 5),
        ),
        use("np.gradient(u, x)", u=real(5), x=Domain(0.2, 3.0)(5)),
        use("np.gradient(u, x, edge_order=2)", u=real(5), x=Domain(0.2, 3.0)(5)),
        use("np.gradient(u, h)", u=real(5), h=positive),
        use(
            "a, b = np.gradient(u, h, x)\nreturn a * b",
            u=real(4, 5),
            h=positive,
            x=Domain(0.2, 3.0)(5),
        ),
    ]
    knots = np.array([0.0, 0.5, 1.2, 2.0])
    found["interp"] = [
        use("np.interp(x, p, f)", x=Domain(0.1, 1.9)(5), p=knots, f=real(4)),
        use("np.interp(x, p, f)", x=Domain(0.1, 1.9), p=knots, f=real(4)),
        use("np.interp(x, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0])", x=Domain(-0.4, 2.4)(5)),
        use(
            "np.interp(x, p, f, left=l, right=r)",
            x=Domain(-1.4, 3.4)(7),
            p=knots,
            f=real(4),
            l=real,
            r=real,
        ),
        use(
            "np.interp(x, p, f, period=3.0)", x=Domain(-1.4, 6.4)(7), p=knots, f=real(4)
        ),
        use("np.interp(x, p, f)", x=Domain(-1.4, 3.4)(2, 3), p=knots, f=real(4)),
        use(
            "np.interp(x, p, f, left=-1.0)", x=Domain(-1.4, 3.4)(6), p=knots, f=real(4)
        ),
    ]
    found["histogram(weights)"] = [
        use("np.histogram(x, bins=4, weights=w)[0]", x=SPREAD(8), w=real(8)),
        use(
            "h, e = np.histogram(x, 4, (-50.0, 50.0), weights=w)\nreturn h * np.diff(e)",
            x=SPREAD(8),
            w=real(8),
        ),
        use(
            "np.histogram(x, bins=[-50.0, -10.0, 5.0, 50.0], weights=w)[0]",
            x=SPREAD(8),
            w=real(8),
        ),
        use(
            "np.histogram(x, bins=4, weights=w, density=True)[0]",
            x=SPREAD(8),
            w=positive(8),
        ),
        use(
            "np.histogram(x, bins=4, range=(-50.0, 50.0), weights=w, density=True)[0]",
            x=SPREAD(8),
            w=positive(8),
        ),
    ]
    found["bincount(weights)"] = [
        use("np.bincount(i, weights=w)", i=np.array([0, 2, 2, 1]), w=real(4)),
        use("np.bincount(i, w, minlength=6)", i=np.array([0, 2, 2, 1]), w=real(4)),
        use("np.bincount([0, 1, 1, 3], w)", w=real(4)),
    ]
    return found


def _polynomials() -> dict[str, list[Use]]:
    return {
        "polyval": [
            use("np.polyval(p, x)", p=real(4), x=real(5)),
            use("np.polyval(p, x)", p=real(4), x=real),
            use("np.polyval([1.0, 2.0, a], x)", a=real, x=real(2, 2)),
            use("np.poly1d(p)(x)", p=real(4), x=real(5)),
            use("np.polynomial.polynomial.polyval(x, p)", p=real(4), x=real(5)),
            use("np.polynomial.Polynomial(p)(x)", p=real(4), x=real(5)),
        ],
        "polyfit": [
            use("np.polyfit(x, y, 2)", x=real(6), y=real(6)),
            use("np.polyfit(x, y, 1)", x=np.linspace(0, 1, 5), y=real(5, 2)),
            use("np.polyfit(x, y, deg=2, w=w)", x=real(6), y=real(6), w=positive(6)),
            use(
                "c, v = np.polyfit(x, y, 1, cov=True)\nreturn np.sum(c) + np.sum(v**2)",
                x=real(6),
                y=real(6),
            ),
        ],
        "polyadd": each(
            "np.polyadd(u, v)|np.polyadd(v, u)|np.polyadd(u, u**2)|np.polyadd([1.0, 2.0], u)",
            u=real(4),
            v=real(2),
        ),
        "polysub": each(
            "np.polysub(u, v)|np.polysub(v, u)|np.polysub(u, 2.0)", u=real(4), v=real(2)
        ),
        "polymul": each(
            "np.polymul(u, v)|np.polymul(v, u)|np.polymul(u, [1.0, 2.0])",
            u=real(4),
            v=real(2),
        ),
        "polydiv": [
            use(
                "q, r = np.polydiv(u, v)\nreturn np.sum(q**2) + np.sum(r**3)",
                u=real(5),
                v=positive(3),
            ),
            use("np.polydiv(u, v)[0]", u=real(5), v=positive(2)),
        ],
        "polyder": each("np.polyder(p)|np.polyder(p, 2)|np.polyder(p, m=3)", p=real(5)),
        "polyint": each(
            "np.polyint(p)|np.polyint(p, 2)|np.polyint(p, m=2, k=[1.0, 2.0])|np.polyint(p, k=3.0)",
            p=real(4),
        ),
        "poly": [
            use("np.poly(x)", x=real(4)),
            use("np.poly(x)", x=SQUARE),
            use("np.poly([1.0, a])", a=real),
        ],
        "roots": [
            use("np.sum(np.real(np.roots(p) ** 2))", p=real(4)),
            use("np.sum(np.abs(np.roots(p)) ** 2)", p=real(5)),
            use("np.sort(np.real(np.roots([1.0, a, -2.0])))", a=real),
        ],
    }


def _creations() -> dict[str, list[Use]]:
    found = {}
    for name in (
        "array",
        "asarray",
        "asanyarray",
        "ascontiguousarray",
        "asfortranarray",
        "asarray_chkfinite",
        "require",
    ):
        f = f"np.{name}"
        found[name] = [
            use(f"{f}(x) * 2", x=real(3, 2)),
            use(f"{f}([a, b, 1.0]) ** 2", a=real, b=real),
            use(f"{f}([[a, b], [b, 2.0]])", a=real, b=real),
            use(f"{f}(x, dtype=float)", x=real(3)),
            use(f"{f}([x, x**2])", x=real(3)),
        ]
    found["array"] += each(
        "np.array(x, copy=True)|np.array([xi**2 for xi in x])|np.array((x[0], x[1]))|np.array(x, ndmin=2)|np.array(x, float, copy=None)|np.array(x, order='F')",
        x=real(3),
    )
    found["asarray"] += each(
        "np.asarray(x, float)|np.asarray(x, order='C')|np.asarray(x, np.float64)",
        x=real(3),
    )
    found["copy"] = each(
        "np.copy(x) * 2|x.copy() ** 2|np.copy(x, order='K')|x.copy(order='C')",
        x=real(3, 2),
    )
    found["astype"] = each(
        "x.astype(float)|x.astype(np.float64, copy=False) ** 2|np.astype(x, np.float64)|x.astype('float64')|x.astype('f8')",
        x=real(3),
    )
    found["full"] = [
        use("np.full((2, 3), v)", v=real),
        use("np.full(3, v, dtype=float)", v=real),
        use("np.full((2, 3), fill_value=v)", v=real(3)),
        use("np.full(x.shape, v) * x", x=real(3), v=real),
    ]
    found["full_like"] = [
        use("np.full_like(x, v)", x=real(2, 3), v=real),
        use("np.full_like(x, v, dtype=float) * x", x=real(2, 3), v=real(3)),
        use("np.full_like(x, fill_value=v, shape=(4,))", x=real(2), v=real),
    ]
    found["linspace"] = [
        *each(
            "np.linspace(a, b, 5)|np.linspace(a, b, num=4, endpoint=False)|np.linspace(a, b)|np.linspace(0.0, b, 3)|np.linspace(a, b, 5, dtype=float)|np.linspace(a, b, 1)",
            a=real,
            b=real,
        ),
        use("x, h = np.linspace(a, b, 5, retstep=True)\nreturn x * h", a=real, b=real),
        use("np.linspace(a, b, 4, axis=-1)", a=real(2), b=real(2)),
        use("np.linspace(a, b, 4)", a=real(2), b=real),
    ]
    found["logspace"] = [
        *each(
            "np.logspace(a, b, 5)|np.logspace(a, b, num=4, endpoint=False)|np.logspace(a, b, 4, base=2.0)|np.logspace(a, 1.0)",
            a=real,
            b=real,
        ),
        use("np.logspace(a, b, 4, base=c)", a=real, b=real, c=positive),
        use("np.logspace(a, b, 4)", a=real(2), b=real),
    ]
    found["geomspace"] = [
        *each(
            "np.geomspace(a, b, 5)|np.geomspace(a, b, num=4, endpoint=False)|np.geomspace(a, 10.0)|np.geomspace(a, b, 2)",
            a=positive,
            b=above_one,
        ),
        use("np.geomspace(a, b, 4)", a=positive(2), b=above_one(2)),
    ]
    found["arange"] = [
        use("np.arange(a, 5.0)", a=positive),
        use("np.arange(a, 5.0, h)", a=positive, h=positive),
        use("np.arange(4) * a", a=positive),
        use("np.arange(0.0, 4.0, step=h)", h=positive),
        use("np.arange(a, a + 3.5, 1.0)", a=positive),
    ]
    found["fromfunction"] = [
        use("np.fromfunction(lambda i, j: a * i + j * a**2, (2, 3))", a=real),
        use("np.fromfunction(lambda i: np.exp(a * i), (4,), dtype=float)", a=real),
    ]
    found["fromiter"] = [
        use("np.fromiter((a * i for i in range(4)), dtype=float)", a=real),
        use("np.fromiter([t * t for t in x], float, count=3)", x=real(3)),
        use("np.fromiter(x, float)", x=real(3)),
    ]
    return found


DIFFERENTIABLE: dict[str, list[Use]] = {
    **_unary(),
    **_binary(),
    **_reductions(),
    **_ufuncs(),
    **_shapes(),
    **_indexing(),
    **_algebra(),
    **_fft(),
    **_signals(),
    **_polynomials(),
    **_creations(),
}


def _zeros() -> dict[str, list[Use]]:
    x = SPREAD(4)
    found = {}
    for name in "floor ceil round around rint trunc sign spacing nan_to_num".split():
        if name != "nan_to_num":
            found[name] = each(f"x * np.{name}(x)|np.{name}(x) + x", x=x)
    found["fix"] = each("x * np.fix(x)", x=x)
    found["round"] += each(
        "x * np.round(x, 1)|x * x.round(2)|x * np.round(x, decimals=-1)|x * round(x[0], 1)",
        x=x,
    )
    tests = (
        "signbit isfinite isinf isnan isneginf isposinf iscomplex isreal logical_not"
    )
    for name in tests.split():
        found[name] = each(
            f"np.where(np.{name}(x), x**2, np.sin(x))|x * np.{name}(x)", x=real(4)
        )
    pairs = """greater greater_equal less less_equal equal not_equal logical_and logical_or
        logical_xor isclose"""
    for name in pairs.split():
        found[name] = each(
            f"np.where(np.{name}(x, y), x**2, y)|x * np.{name}(x, 0.5)",
            x=real(4),
            y=real(4),
        )
    found["floor_divide"] = each(
        "x * np.floor_divide(x, y)|x * (x // y)", x=real(4), y=positive
    )
    found["heaviside"] = each(
        "x * np.heaviside(x, 0.5)|x * np.heaviside(x, y)", x=real(4), y=real
    )
    found["nextafter"] = each(
        "y * np.round(np.nextafter(x, 100.0))|np.nextafter(x, y) ** 2|np.nextafter(0.5, y) * y",
        x=real(4),
        y=real,
    )
    for name in ("all", "any"):
        found[name] = each(
            f"x * np.{name}(x > 0)|x if np.{name}(x > -50) else x**2|x * np.{name}(x > 0, axis=0)|x * np.{name}(x > 0, where=x < 5)|x * (x > 0).{name}()",
            x=x,
        )
    for name in ("allclose", "array_equal", "array_equiv"):
        found[name] = each(f"x**2 if np.{name}(x, y) else x * y", x=real(3), y=real(3))
    for name in ("argmax", "argmin", "nanargmax", "nanargmin"):
        found[name] = each(f"x[np.{name}(x)] ** 2|np.{name}(x) * x", x=x) + each(
            f"np.take_along_axis(x, np.{name}(x, axis=0, keepdims=True), axis=0)|x[np.{name}(x, axis=0), np.arange(3)]",
            x=SPREAD(4, 3),
        )
    found["argmax"] += each("x[x.argmax()]", x=x)
    found["argsort"] = each(
        "x[np.argsort(x)] * np.arange(4)|x[np.argsort(-x)][:2]|x[x.argsort()[::-1]][0]|x[np.argsort(x, kind='stable')] ** 2",
        x=x,
    )
    found["argpartition"] = each(
        "np.sum(x[np.argpartition(x, 2)[:2]] ** 2)|x[np.argpartition(x, 1)[1]]", x=x
    )
    found["lexsort"] = each(
        "x[np.lexsort((x,))] * np.arange(4)|x[np.lexsort((x, x))][0]", x=x
    )
    found["argwhere"] = each(
        "x[np.argwhere(x > 0)[:, 0]] ** 2|x[np.argwhere(x > -100)[0, 0]]", x=x
    )
    found["nonzero"] = each(
        "x[np.nonzero(x > 0)] ** 2|x[np.nonzero(x)[0]]|x[(x > 0).nonzero()]", x=x
    )
    found["flatnonzero"] = each("x[np.flatnonzero(x > 0)] ** 2", x=x)
    found["count_nonzero"] = each(
        "x * np.count_nonzero(x > 0)|x * np.count_nonzero(x, axis=0)", x=x
    )
    found["searchsorted"] = each(
        "x * np.searchsorted([-10.0, 0.0, 5.0], x)|x[np.searchsorted(np.sort(x), 0.0, side='right') % 4]",
        x=x,
    )
    found["digitize"] = each(
        "x * np.digitize(x, [-10.0, 0.0, 5.0])|x * np.digitize(x, bins=[-10.0, 0.0], right=True)",
        x=x,
    )
    found["histogram"] = each(
        "x * np.histogram(x, bins=4)[0]|x * np.histogram(x, 4, range=(-50, 50))[0]|x * np.histogram(x, bins=4, range=(-50.0, 50.0), density=True)[0]",
        x=x,
    )
    found["bincount"] = each(
        "x * np.bincount([0, 1, 1, 3])|x * np.bincount(np.array([0, 1, 3]), minlength=4)",
        x=x,
    )
    found["unravel_index"] = each(
        "x[np.unravel_index(np.argmax(x), x.shape)]|x[np.unravel_index([0, 3], (4,))]",
        x=x,
    )
    found["isin"] = each(
        "x * np.isin(x, [1.0, 2.0])|np.where(np.isin([1, 2, 3, 4], [2, 4]), x, x**2)|x * np.isin(x, [1.0], invert=True)",
        x=x,
    )
    found["ndim"] = each("x * np.ndim(x)|x * x.ndim", x=x)
    found["size"] = each("x * np.size(x)|x / x.size|x * np.size(x, 0)", x=x)
    found["shape"] = each("x * np.shape(x)[0]|x * x.shape[0]|x * len(x)", x=x)
    for name in ("iscomplexobj", "isrealobj", "isscalar"):
        found[name] = each(f"x**2 if np.{name}(x) else np.sin(x)", x=real(4))
    found["result_type"] = each(
        "x.astype(np.result_type(x, float))|np.zeros(4, np.result_type(x)) + x", x=x
    )
    for name in ("zeros_like", "ones_like"):
        found[name] = each(f"x * np.{name}(x) + x|x + np.{name}(x, dtype=int)", x=x)
    found["empty_like"] = [use("y = np.empty_like(x)\ny[:] = x**2\nreturn y", x=x)]
    for name in ("zeros", "ones"):
        found[name] = each(
            f"x + np.{name}(4)|np.{name}((2, 4)) * x|np.{name}(x.shape, dtype=float) + x",
            x=x,
        )
    found["empty"] = [
        use("y = np.empty(4)\ny[:] = x**2\nreturn y", x=x),
        use("y = np.empty(x.shape, dtype=x.dtype)\ny[...] = x\nreturn y", x=x),
    ]
    for name, call in {
        "eye": "eye(4)",
        "identity": "identity(4)",
        "tri": "tri(4)",
        "arange": "arange(4)",
        "linspace(const)": "linspace(0, 1, 4)",
        "hamming": "hamming(4)",
        "hanning": "hanning(4)",
        "blackman": "blackman(4)",
        "bartlett": "bartlett(4)",
        "kaiser": "kaiser(4, 2.0)",
        "fft.fftfreq": "fft.fftfreq(4)",
        "fft.rfftfreq": "fft.rfftfreq(6)",
    }.items():
        found[name] = each(f"np.{call} * x", x=x)
    found["eye"] += each(
        "np.eye(4, k=1) * x|np.eye(2, 4) * x|np.eye(4, dtype=float) * x", x=x
    )
    found["arange"] += each(
        "np.arange(0, 4) * x|np.arange(0, 8, 2) * x|np.arange(4, dtype=float) * x|np.arange(len(x)) * x",
        x=x,
    )
    found["fft.fftfreq"] += each(
        "np.fft.fftfreq(len(x), d=0.5) * x|np.fft.fftfreq(4, 0.1) * x", x=x
    )
    found["fft.rfftfreq"] += each("np.fft.rfftfreq(6, d=0.5) * x", x=x)
    found["indices"] = each("np.indices((2, 4))[1] * x|np.indices((4,))[0] * x", x=x)
    found["tril_indices"] = each(
        "x[np.tril_indices(3)] ** 2|x[np.tril_indices(3, -1)]|x[np.tril_indices(3, k=1)]",
        x=real(3, 3),
    )
    found["triu_indices"] = each(
        "x[np.triu_indices(3)] ** 2|x[np.triu_indices(3, 1)]|x[np.triu_indices(3, k=1, m=3)]",
        x=real(3, 3),
    )
    found["diag_indices"] = each("x[np.diag_indices(3)] ** 2", x=real(3, 3))
    found["diag_indices"] += [
        use("y = x * 1.0\ny[np.diag_indices(3)] = 2.0\nreturn y * y", x=real(3, 3))
    ]
    found["ix_"] = each(
        "x[np.ix_([0, 2], [1, 0])] ** 2|x[np.ix_([True, False, True], [1])]",
        x=real(3, 3),
    )
    found["linalg.matrix_rank"] = each(
        "x * np.linalg.matrix_rank(x)|x * np.linalg.matrix_rank(x, tol=1e-3)", x=SQUARE
    )
    return found


ZERO = _zeros()
