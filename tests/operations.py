"""The table of operations: one line a use of each rule, with the values to try it on.

`Op("np.sum(x, axis=0)", x=real(3, 4))`: an expression over its arguments, of which
`Op.fn` is a function with source.  Arguments that are no `Domain` are settings (indices,
shapes): they reach the rule as variables of which only facts are known; literals in the
expression reach it as constants.
"""

from __future__ import annotations

import bisect
import cmath
import linecache
import math
import operator
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import yota_ast.runtime as rt

from .numpy_operations import numpy_ops


@dataclass(frozen=True)
class Domain:
    """Values between bounds, some of them negated, in an array or (no shape) a float."""

    low: float
    high: float
    signed: bool = False
    shape: tuple[int, ...] | None = None
    complex: bool = False

    def __call__(self, *shape: int) -> Domain:
        return Domain(self.low, self.high, self.signed, shape, self.complex)

    def sample(self, rng: np.random.Generator, shape: Any = "own") -> Any:
        """An array of the shape, of None a Python float."""
        shape = self.shape if isinstance(shape, str) else shape
        x = rng.uniform(self.low, self.high, shape or ())
        if self.signed:
            x = x * rng.choice([-1.0, 1.0], shape or ())
        if self.complex:
            x = x + 1j * rng.uniform(self.low, self.high, shape or ())
        x = np.asarray(x)
        return x.item() if shape is None else x


real = Domain(0.2, 2.0, signed=True)  # away from 0
number = real  # without a shape: a Python float
positive = Domain(0.5, 2.0)
unit = Domain(0.1, 0.9, signed=True)
above_one = Domain(1.2, 3.0)
complex_ = Domain(0.3, 1.5, signed=True, complex=True)
complex_unit = Domain(0.1, 0.7, complex=True)


@dataclass(frozen=True)
class Matrix:
    """A square matrix, or a stack of them: well-conditioned, or definite."""

    shape: tuple[int, ...]
    definite: bool = False
    complex: bool = False

    def sample(self, rng: np.random.Generator, shape: Any = "own") -> Any:
        shape = self.shape if isinstance(shape, str) else shape
        x = rng.normal(size=shape) + 2 * np.eye(shape[-1])
        if self.complex:
            x = x + 1j * rng.normal(size=shape)
        return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1]) if self.definite else x


@dataclass(frozen=True)
class Op:
    """One use of an operation."""

    text: str
    arguments: tuple[tuple[str, Any], ...]
    symmetric: bool = False  # directions must be symmetric matrices

    @property
    def fn(self) -> Callable[..., Any]:
        """The function `def op(x, ...): return <text>`, with source."""
        names = ", ".join(k for k, _ in self.arguments)
        source = f"def op({names}):\n    return {self.text}\n"
        filename = f"<operation {self.text}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        namespace = dict(NAMES)
        exec(compile(source, filename, "exec"), namespace)
        return namespace["op"]

    def sample(self, seed: int = 0) -> dict[str, Any]:
        """Values for the arguments."""
        rng = np.random.default_rng(seed)
        return {k: sample(v, rng) for k, v in self.arguments}

    def __str__(self) -> str:
        return self.text


def sample(spec: Any, rng: np.random.Generator) -> Any:
    """Values for a specification; settings stand for themselves."""
    if isinstance(spec, Domain | Matrix):
        return spec.sample(rng)
    if isinstance(spec, list | tuple) and any(
        isinstance(s, Domain | Matrix | list | tuple) for s in spec
    ):
        return type(spec)(sample(s, rng) for s in spec)
    return spec


def op(text: str, *, symmetric: bool = False, **arguments: Any) -> Op:
    return Op(text, tuple(arguments.items()), symmetric)


NAMES = {
    "np": np, "math": math, "cmath": cmath, "operator": operator, "rt": rt,
    "statistics": statistics,
    "bisect": bisect,
}  # fmt: skip
INDEX = np.array([2, 0, 2])
MASK = np.array([True, False, True])
RNG = np.random.default_rng(0)
NAN = np.array([[1.0, np.nan, 3.0], [2.0, 0.5, np.nan]])


# ---------------------------------------------------------------- elementwise

UNARY = {
    real: """-x|+x|np.negative(x)|np.positive(x)|np.exp(x)|np.exp2(x)|np.expm1(x)
        np.cbrt(x)|np.square(x)|np.reciprocal(x)|np.sin(x)|np.cos(x)|np.arctan(x)
        np.deg2rad(x)|np.rad2deg(x)|np.degrees(x)|np.radians(x)|np.sinc(x)|np.sinh(x)
        np.cosh(x)|np.tanh(x)|np.arcsinh(x)|np.absolute(x)|np.fabs(x)|abs(x)|np.real(x)
        np.imag(x)|np.conjugate(x)|np.angle(x)|np.real_if_close(x)|np.modf(x)|np.frexp(x)
        np.nan_to_num(x)|np.ldexp(x, 3)|np.float64(x)|np.clip(x, -0.9, 0.9)
        np.clip(x, None, 0.9)|np.clip(x, -0.9, None)|x ** 2|x ** 3|x ** -1|x ** 0|x ** 1
        np.power(x, 2)|2 * x|x * 2|x / 3|3 / x|1 - x|x - 1|1 + x|x % 0.75|np.maximum(x, 0)
        np.minimum(0.5, x)|np.where(x > 0, x, 2 * 1.0)|np.fmax(x, 0.1)|np.copysign(x, -1.0)
        np.floor(x)|np.ceil(x)|np.trunc(x)|np.rint(x)|np.fix(x)|np.round(x)|np.around(x, 1)
        np.sign(x)|np.signbit(x)|np.spacing(x)|np.isfinite(x)|np.isinf(x)|np.isnan(x)
        np.isposinf(x)|np.isneginf(x)|np.isreal(x)|np.iscomplex(x)|np.logical_not(x)
        x // 0.5|x < 0.5|x <= 0.5|x > 0.5|x >= 0.5|x == 0.5|x != 0.5""",
    positive: """np.emath.sqrt(x)|np.emath.log(x)|np.emath.log2(x)
        np.emath.log10(x)|np.log(x)|np.log2(x)|np.log10(x)|np.log1p(x)|np.sqrt(x)|2 ** x
        x ** 0.5|x ** -0.5|x ** 2.5|np.float_power(x, 1.5)|pow(x, 1.5)""",
    unit: """np.tan(x)|np.arcsin(x)|np.arccos(x)|np.arctanh(x)|np.sinc(x)
        np.emath.arcsin(x)|np.emath.arccos(x)|np.emath.arctanh(x)""",
    above_one: "np.arccosh(x)",
}
BINARY = {
    (real, real): """u + v|u - v|u * v|u / v|np.add(u, v)|np.subtract(u, v)
        np.multiply(u, v)|np.divide(u, v)|np.arctan2(u, v)|np.hypot(u, v)
        np.logaddexp(u, v)|np.logaddexp2(u, v)|np.maximum(u, v)|np.minimum(u, v)
        np.fmax(u, v)|np.fmin(u, v)|np.clip(u, v, None)|np.copysign(u, v)|u // v|u < v
        np.heaviside(u, v)|np.nextafter(u, v)|np.logical_and(u, v)|np.logical_or(u, v)
        np.logical_xor(u, v)|np.isclose(u, v)|np.floor_divide(u, v)|np.less(u, v)
        np.equal(u, v)|np.where(u > v, u, v)|np.fmod(u, v)""",
    (positive, real): "u ** v|np.power(u, v)|np.float_power(u, v)|pow(u, v)",
    (real, positive): "u % v|np.remainder(u, v)|np.fmod(u, v)|np.divmod(u, v)",
}
SCALAR = {
    real: """math.exp(x)|math.exp2(x)|math.expm1(x)|math.cbrt(x)|math.sin(x)|math.cos(x)
        math.atan(x)|math.degrees(x)|math.radians(x)|math.sinh(x)|math.cosh(x)
        math.tanh(x)|math.asinh(x)|math.erf(x)|math.erfc(x)|math.fabs(x)|math.modf(x)
        math.frexp(x)|math.ldexp(x, 3)|math.copysign(x, -1.0)|math.fmod(x, 0.7)
        math.remainder(x, 0.7)|math.floor(x)|math.ceil(x)|math.trunc(x)|math.isnan(x)
        math.isinf(x)|math.isfinite(x)|math.isclose(x, 1.0)|math.ulp(x)|float(x)|int(x)
        bool(x)|round(x)|round(x, 1)|complex(x)|not x|math.hypot(x, 2.0)|math.atan2(x, 2.0)
        math.pow(x, 2)|max(x, 0.5)|min(x, 0.5)|x ** 2|math.nextafter(x, 3.0)
'%.1f' % x|bisect.bisect_left([0.0, 1.0], x)|bisect.bisect([0.0, 1.0], x, 1)
        cmath.isnan(x)|cmath.isinf(x)|cmath.isfinite(x)|cmath.rect(x, 0.3)
        cmath.rect(0.3, x)
        x is None|x is not None|np.float32(x)|np.int64(x)|np.int32(x)|np.bool(x)""",
    positive: """math.log(x)|math.log(x, 3.0)|math.log2(x)|math.log10(x)|math.log1p(x)
        math.sqrt(x)|math.gamma(x)|math.lgamma(x)|math.pow(x, 1.5)|x ** 0.5""",
    unit: "math.tan(x)|math.asin(x)|math.acos(x)|math.atanh(x)",
    above_one: "math.acosh(x)",
    complex_: """cmath.sqrt(x)|cmath.exp(x)|cmath.log(x)|cmath.log10(x)|cmath.sin(x)
        cmath.cos(x)|cmath.tan(x)|cmath.sinh(x)|cmath.cosh(x)|cmath.tanh(x)
        cmath.asin(x)|cmath.acos(x)|cmath.atan(x)|cmath.asinh(x)|cmath.acosh(x)
        cmath.atanh(x)|cmath.log(x, 3.0)|cmath.log(3.0, x)|cmath.phase(x)
        cmath.polar(x)|complex.conjugate(x)""",
}
SCALARS = {
    (real, real): """u + v|u * v|u / v|u - v|math.hypot(u, v)|math.atan2(u, v)|max(u, v)
        min(u, v)|math.copysign(u, v)|complex(u, v)|math.nextafter(u, v)""",
    (positive, positive): "u ** v|math.pow(u, v)|math.fmod(u, v)|math.remainder(u, v)"
    "|divmod(u, v)|u % v|u // v",
    (positive, above_one): "math.log(u, v)",
}
COMPLEX = {
    complex_: """-x|x + 1|2 * x|x * 1j|1 / x|x ** 2|x ** 3|np.exp(x)|np.exp2(x)
        np.log(x)|np.log2(x)|np.log10(x)|np.sqrt(x)|np.square(x)|np.reciprocal(x)
        np.sin(x)|np.cos(x)|np.tan(x)|np.sinh(x)|np.cosh(x)|np.tanh(x)|np.absolute(x)
        np.conjugate(x)|np.real(x)|np.imag(x)|np.angle(x)|abs(x)|np.angle(x, True)
        np.arctan(x)|np.arcsinh(x)|np.expm1(x)|np.log1p(x)""",
    complex_unit: "np.arcsin(x)|np.arccos(x)|np.arctanh(x)|np.arccosh(x)",
}


def _texts(block: str) -> list[str]:
    return [
        t.strip() for line in block.split("\n") for t in line.split("|") if t.strip()
    ]


def elementwise_ops() -> list[Op]:
    ops = [op(t, x=d(3, 2)) for d, block in UNARY.items() for t in _texts(block)]
    for (a, b), block in BINARY.items():
        ops += [op(t, u=a(3, 2), v=b(2)) for t in _texts(block)]
    return ops


def scalar_ops() -> list[Op]:
    ops = [op(t, x=d) for d, block in SCALAR.items() for t in _texts(block)]
    for (a, b), block in SCALARS.items():
        ops += [op(t, u=a, v=b) for t in _texts(block)]
    return ops


def complex_ops() -> list[Op]:
    ops = [op(t, x=d(3, 2)) for d, block in COMPLEX.items() for t in _texts(block)]
    return [
        *ops,
        op("u * v", u=complex_(3), v=real(3)),
        op("u / v", u=real(3), v=complex_(3)),
        op("u ** v", u=complex_(3), v=complex_(3)),
        op("u @ v", u=complex_(2, 3), v=real(3, 2)),
        op("np.vdot(u, v)", u=complex_(3), v=complex_(3)),
        op("np.var(x)", x=complex_(4)),
        op("np.std(x)", x=complex_(4)),
        op("np.prod(x)", x=complex_(4)),
        op("np.sum(x, 0)", x=complex_(4, 2)),
        op("np.linalg.norm(x)", x=complex_(4)),
        op("np.linalg.inv(x)", x=Matrix((3, 3), complex=True)),
        op("np.linalg.det(x)", x=Matrix((3, 3), complex=True)),
        op("np.linalg.solve(a, b)", a=Matrix((3, 3), complex=True), b=complex_(3)),
        op("np.einsum('ij,jk->ik', u, v)", u=complex_(2, 3), v=complex_(3, 2)),
        op("np.cumprod(x)", x=complex_(4)),
        op("x[::2]", x=complex_(4)),
        op("complex(x)", x=real),
        op("np.complex128(x)", x=real(3)),
        op("np.complex128(x)", x=complex_(3)),
        op("np.complex64(x)", x=complex_(3)),
        op("np.logical_not(x)", x=complex_(3)),
        op("np.sign(x)", x=complex_(3)),
    ]


# ---------------------------------------------------------------- reductions

_REDUCED = """{f}(x)|{f}(x, axis=0)|{f}(x, axis=-1)|{f}(x, 1, keepdims=True)
    {f}(x, axis=(0, 2))|{f}(x, axis=(-1, 0), keepdims=True)|{f}(x, keepdims=True)"""
_REDUCERS = (
    "np.sum np.mean np.prod np.max np.min np.amax np.amin np.ptp np.var np.std np.nansum "
    "np.nanmean np.nanprod np.nanmax np.nanmin np.nanvar np.nanstd np.linalg.norm np.average np.all np.any"
)


def reduction_ops() -> list[Op]:
    ops = []
    for f in _REDUCERS.split():
        for t in _texts(_REDUCED.replace("{f}", f)):
            if f == "np.linalg.norm" and "keepdims" in t and "axis" not in t:
                t = t.replace("(x, 1", "(x, None, 1")
            ops.append(op(t, x=real(2, 3, 4)))
    for f in ("np.var", "np.std"):
        ops += [
            op(f"{f}(x, axis=0, ddof=1)", x=real(4, 2)),
            op(f"{f}(x, ddof=1)", x=real(5)),
        ]
    for f in _REDUCERS.split():
        if not f.startswith("np.nan"):
            continue
        ops += [op(f"{f}(x)", x=NAN), op(f"{f}(x, axis=1)", x=NAN)]
    return [
        *ops,
        op("np.sum(x)", x=real(4)),
        op("np.sum(x)", x=real()),
        op("np.sum(x)", x=real),
        op("np.mean(x)", x=[real, real, real]),
        op("np.max(x)", x=[real, real, real]),
        op("np.average(x, weights=w)", x=real(4), w=positive(4)),
        op("np.average(x, 1, w)", x=real(2, 3), w=positive(3)),
        op("np.average(x, 0, w)", x=real(2, 3), w=positive(2, 3)),
        op("np.cumsum(x)", x=real(2, 3)),
        op("np.cumsum(x, axis=1)", x=real(2, 3)),
        op("np.cumsum(x, 0)", x=real(4)),
        op("np.nancumsum(x, 0)", x=real(4)),
        op("np.nancumprod(x, 0)", x=NAN),
        op("np.unwrap(x)", x=real(2, 4)),
        op("np.nanstd(x, 1, ddof=1)", x=NAN),
        op("np.cumprod(x)", x=real(2, 3)),
        op("np.cumprod(x, axis=-1)", x=real(2, 3)),
        op("np.diff(x)", x=real(2, 5)),
        op("np.diff(x, 2, axis=0)", x=real(4, 2)),
        op("np.trapezoid(u)", u=real(5)),
        op("np.trapezoid(u, dx=h)", u=real(5), h=positive),
        op("np.trapezoid(u, x)", u=real(5), x=real(5)),
        op("np.trapezoid(u, x, axis=0)", u=real(5, 2), x=real(5)),
        op("np.trapezoid(u, x, axis=0)", u=real(5, 2), x=real(5, 2)),
        op("np.trace(x)", x=real(3, 4)),
        op("np.trace(x, 1)", x=real(3, 4)),
        op("np.trace(x, -1, 1, 2)", x=real(2, 3, 4)),
    ]


# ---------------------------------------------------------------- products

_PRODUCT_SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((6, 1, 2, 3), (5, 3, 1)),
]
_DOT_SHAPES = [
    *_PRODUCT_SHAPES[:4],
    ((), (3,)),
    ((2, 3), ()),
    ((), ()),
    ((4, 2, 3), (3, 5)),
    ((2, 3), (4, 3, 5)),
    ((4, 2, 3), (5, 3, 2)),
    ((4, 2, 3), (3,)),
    ((3,), (4, 3, 2)),
]
_INNER_SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 3), (4, 3)),
    ((), (3,)),
]
_NORMS = """np.linalg.norm(x, 2)|np.linalg.norm(x, 1)|np.linalg.norm(x, np.inf)
    np.linalg.norm(x, -np.inf)|np.linalg.norm(x, -1)|np.linalg.norm(x, -2)
    np.linalg.norm(x, 'fro')|np.linalg.norm(x, 'nuc')|np.linalg.norm(x, 2, axis=0)
    np.linalg.norm(x, 1, axis=1, keepdims=True)|np.linalg.norm(x, np.inf, axis=-1)
    np.linalg.norm(x, 3, axis=1)|np.linalg.norm(x, 0, axis=1)|np.linalg.norm(x, axis=(0, 1))"""


def product_ops() -> list[Op]:
    ops = [
        op(t, u=real(*a), v=real(*b))
        for t in ("u @ v", "np.linalg.matmul(u, v)")
        for a, b in _PRODUCT_SHAPES
    ]
    ops += [op("np.dot(u, v)", u=real(*a), v=real(*b)) for a, b in _DOT_SHAPES]
    ops += [op("np.inner(u, v)", u=real(*a), v=real(*b)) for a, b in _INNER_SHAPES]
    einsums = [
        ("ij,jk->ik", (2, 3), (3, 4)),
        ("ij,jk", (2, 3), (3, 4)),
        ("i,i", (3,), (3,)),
        ("i,j->ij", (3,), (2,)),
        ("ii->i", (3, 3)),
        ("ii", (3, 3)),
        ("ij->ji", (2, 3)),
        ("ij->j", (2, 3)),
        ("ij->", (2, 3)),
        ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
        ("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
        ("...i,i", (5, 2, 3), (3,)),
        ("ij,ij", (2, 3), (1, 3)),
        ("i,i->", (3,), (1,)),
        ("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
        ("iij,j->i", (2, 2, 3), (3,)),
    ]
    for text, *shapes in einsums:
        names = "uvw"[: len(shapes)]
        call = f"np.einsum({text!r}, {', '.join(names)})"
        ops.append(
            op(call, **{n: real(*s) for n, s in zip(names, shapes, strict=True)})
        )
    square = real(3, 4)
    ops += [op(t, x=square) for t in _texts(_NORMS)]
    return [
        *ops,
        op("u.dot(v)", u=real(2, 3), v=real(3)),
        op("np.vdot(u, v)", u=real(2, 3), v=real(6)),
        op("np.vdot(u, v)", u=real(), v=real()),
        op("np.outer(u, v)", u=real(3), v=real(2)),
        op("np.linalg.outer(u, v)", u=real(3), v=real(2)),
        op("np.linalg.tensordot(u, v, axes=1)", u=real(2, 3), v=real(3, 2)),
        op("np.outer(u, v)", u=real(3, 2), v=real(2)),
        op("np.tensordot(u, v)", u=real(2, 3, 4), v=real(3, 4, 5)),
        op("np.tensordot(u, v, 1)", u=real(2, 3), v=real(3, 5)),
        op("np.tensordot(u, v, 0)", u=real(2, 3), v=real(3)),
        op("np.tensordot(u, v, ([0, 2], [1, 0]))", u=real(2, 3, 4), v=real(4, 2, 5)),
        op("np.tensordot(u, v, (0, -1))", u=real(2, 3), v=real(5, 2)),
        op("np.kron(u, v)", u=real(2, 3), v=real(3, 2)),
        op("np.kron(u, v)", u=real(3), v=real(2)),
        op("np.kron(u, v)", u=real(3), v=real(2, 2)),
        op("np.kron(u, v)", u=real(2, 1, 2), v=real(2, 2)),
        op("np.cross(u, v)", u=real(3), v=real(3)),
        op("np.cross(u, v)", u=real(4, 3), v=real(3)),
        op("np.linalg.inv(x)", x=Matrix((3, 3))),
        op("np.linalg.inv(x)", x=Matrix((2, 3, 3))),
        op("np.linalg.solve(a, b)", a=Matrix((3, 3)), b=real(3)),
        op("np.linalg.solve(a, b)", a=Matrix((3, 3)), b=real(3, 2)),
        op("np.linalg.solve(a, b)", a=Matrix((3, 3, 3)), b=real(3)),
        op("np.linalg.solve(a, b)", a=Matrix((2, 3, 3)), b=real(3, 2)),
        op("np.linalg.solve(a, b)", a=Matrix((3, 3)), b=real(2, 3, 2)),
        op("np.linalg.det(x)", x=Matrix((3, 3))),
        op("np.linalg.det(x)", x=Matrix((2, 3, 3))),
        op("np.linalg.slogdet(x)", x=Matrix((3, 3))),
        op("np.linalg.slogdet(x)", x=Matrix((2, 3, 3))),
        op("np.linalg.pinv(x)", x=real(4, 2)),
        op("np.linalg.pinv(x)", x=real(2, 4)),
        op("np.linalg.pinv(x, hermitian=True)", x=Matrix((2, 3, 3), definite=True)),
        op("np.linalg.cholesky(x)", x=Matrix((3, 3), definite=True), symmetric=True),
        op("np.linalg.cholesky(x)", x=Matrix((2, 3, 3), definite=True), symmetric=True),
        op("np.linalg.matrix_rank(x)", x=real(3, 3)),
    ]


# ---------------------------------------------------------------- shapes, indices, joins

_SHAPED = """np.reshape(x, (4, 6))|np.reshape(x, -1)|x.reshape(4, 6)|x.reshape((4, -1))
    x.reshape(-1)|x.copy('F')|np.copy(x, 'K')|np.ravel(x)|x.flatten()|np.expand_dims(x, 1)|np.expand_dims(x, (0, -1))
    np.transpose(x)|np.transpose(x, (2, 0, 1))|np.transpose(x, (-1, 0, 1))|x.transpose()
    x.transpose(1, 0, 2)|x.transpose((1, 2, 0))|np.swapaxes(x, 0, 2)|np.matrix_transpose(x)
    np.moveaxis(x, 0, -1)|np.moveaxis(x, (0, 1), (1, 2))|np.rollaxis(x, 2)
    np.rollaxis(x, 0, 3)|np.rollaxis(x, 1, -1)|np.copy(x)|x.copy()|x.astype(np.float32)
    x.astype(float)|x.astype(int)|np.astype(x, np.float32)|np.atleast_1d(x)
    np.atleast_2d(x)|np.atleast_3d(x)|np.squeeze(x)|np.permute_dims(x, (1, 0, 2))
    np.array(x)|np.asarray(x)|np.asarray(x, dtype=float)|np.ascontiguousarray(x)
    np.array(x, dtype=int)|np.zeros_like(x)|np.ones_like(x)|np.empty_like(x)|np.shape(x)
    np.ndim(x)|np.size(x)|len(x)|np.result_type(x)|np.isscalar(x)|np.iscomplexobj(x)
    np.isrealobj(x)|np.flip(x)|np.flip(x, 0)|np.flip(x, (0, -1))|np.fliplr(x)|np.flipud(x)
    np.rot90(x)|np.rot90(x, 2)|np.rot90(x, 3, (1, 2))|np.roll(x, 1)|np.roll(x, -2, axis=1)
    np.roll(x, (1, 2), (0, 1))|np.tril(x)|np.triu(x, 1)|np.tile(x, 2)|np.tile(x, (2, 1, 3))
    np.tile(x, (2, 1, 1, 2))|np.repeat(x, 2)|np.repeat(x, 3, axis=1)
    np.repeat(x, [1, 0, 2], axis=1)|np.pad(x, 1)|np.pad(x, ((1, 0), (0, 2), (1, 1)))
    np.pad(x, 1, constant_values=2.0)|np.split(x, 2)|np.split(x, [1], axis=1)
    np.array_split(x, 3, axis=2)|np.vsplit(x, 2)|np.hsplit(x, 3)|np.dsplit(x, 2)
    np.take(x, 3)|np.take(x, [0, 2, 0], axis=1)|np.take(x, 1, axis=-1)
    np.compress([True, False, True], x, axis=1)|np.diagonal(x)|np.diagonal(x, 1, 1, 2)
    np.lib.stride_tricks.sliding_window_view(x, 2, 1)
    x[1]|x[-1]|x[0, 1]|x[0, 1, 2]|x[1:]|x[:, 1:-1]|x[..., 0]|x[None]|x[:, None, 1]
    x[::-1]|x[:, ::2]|x[[0, 1, 0]]|x[:, [0, 0, 2]]|x[[0, 1], :, [1, 1]]|x[0, :, [1, 1]]
    x[..., None]|x[()]|x[1:, ..., :-1]|x[-1:]|x[:0]|x[..., 0, 1, 2]|x[0, 1, 2, ...]
    np.argmax(x)|np.argmax(x, 1)|np.argmin(x, axis=0, keepdims=True)|np.nanargmax(x)
    np.nanargmin(x, 0)|np.argsort(x)|np.argpartition(x, 1)|np.argwhere(x)|np.nonzero(x)
    np.flatnonzero(x)|np.count_nonzero(x)|np.count_nonzero(x, 0)|np.where(x)
    np.isin(x, [0.5, 1.0])|np.allclose(x, 0)|np.array_equal(x, x)|np.array_equiv(x, 0)
    np.histogram(x)|np.digitize(x, [0.0, 1.0])|np.searchsorted([0.0, 1.0], x)
    np.full_like(x, 2.0)|np.swapaxes(x, -1, 0)|np.atleast_2d(x)|np.diagflat(x)|sum(x)"""


def shape_ops() -> list[Op]:
    ops = [op(t, x=real(2, 3, 4)) for t in _texts(_SHAPED)]
    pair = (real(2, 3), real(2, 3))
    return [
        *ops,
        op("np.squeeze(x)", x=real(2, 1, 3)),
        op("np.squeeze(x, 1)", x=real(2, 1, 3)),
        op("np.squeeze(x, (0, -1))", x=real(1, 3, 1)),
        op("x.reshape(n, 6)", x=real(2, 3, 4), n=4),
        op("x.reshape(s)", x=real(2, 3, 4), s=(4, 6)),
        op("np.atleast_2d(x)", x=real(3)),
        op("np.atleast_3d(x)", x=real(3)),
        op("np.atleast_3d(x)", x=real(3, 2)),
        op("np.atleast_1d(x)", x=real),
        op("np.expand_dims(x, 0)", x=real),
        op("np.broadcast_to(x, (4, 3))", x=real(3)),
        op("np.broadcast_to(x, (2, 3))", x=real(2, 1)),
        op("np.broadcast_to(x, (2,))", x=real),
        op("x.item()", x=real(1)),
        op("x.item()", x=real()),
        op("x.item(1)", x=real(2, 3)),
        op("x.item(-2)", x=real(2, 3)),
        op("float(x)", x=real()),
        op("np.float32(x)", x=real(3)),
        op("np.int64(x)", x=real(3)),
        op("np.int32(x)", x=real(3)),
        op("np.bool(x)", x=real(3)),
        op("x[i]", x=real(4, 3), i=2),
        op("x[i]", x=real(4, 3), i=INDEX),
        op("x[i, j]", x=real(4, 3), i=INDEX, j=1),
        op("x[m]", x=real(3, 2), m=MASK),
        op(
            "x[m]", x=real(2, 3), m=np.array([[True, False, True], [False, True, True]])
        ),
        op("x[:, m]", x=real(2, 3), m=MASK),
        op("x[a:b]", x=real(5, 2), a=1, b=4),
        op("x[i, 1:]", x=real(4, 3), i=2),
        op("x[i, :, j]", x=real(4, 3, 4), i=INDEX, j=INDEX),
        op("x[i, None, j]", x=real(4, 3, 4), i=INDEX, j=INDEX),
        op("x[1]", x=(real, real, real)),
        op("x[i]", x=[real, real, real], i=1),
        op("x[1:]", x=[real, real, real]),
        op("x[np.array([[0, 1], [2, 2]])]", x=real(3)),
        op("np.take(x, i)", x=real(5), i=INDEX),
        op("np.take_along_axis(x, i, 1)", x=real(2, 3), i=np.array([[2, 0], [1, 1]])),
        op("np.take_along_axis(x, i, None)", x=real(2, 3), i=INDEX),
        op("np.extract(c, x)", c=MASK, x=real(3)),
        op("np.compress(c, x)", c=MASK, x=real(3)),
        op("np.select(c, (u, v), d)", c=[MASK, ~MASK], u=real(3), v=real(3), d=real),
        op(
            "np.select([c, e], [u, v])",
            c=MASK,
            e=np.array([True, True, False]),
            u=real(3),
            v=real,
        ),
        op("np.where(c, u, v)", c=MASK, u=real(3), v=real(2, 3)),
        op("np.diag(x)", x=real(3)),
        op("np.diag(x, -1)", x=real(3)),
        op("np.diag(x)", x=real(3, 3)),
        op("np.diag(x, 1)", x=real(3, 4)),
        op("np.diagflat(x, 1)", x=real(2, 2)),
        op("np.concatenate(x)", x=pair),
        op("np.concatenate(x, axis=1)", x=(real(2, 3), real(2, 1), real(2, 2))),
        op("np.concatenate((u, v), -1)", u=real(2, 3), v=real(2, 1)),
        op("np.concatenate([u, v], axis=None)", u=real(2, 3), v=real(2, 1)),
        op("np.concatenate(x, 1)", x=real(2, 3, 4)),
        op("np.stack(x)", x=pair),
        op("np.stack([u, v], axis=-1)", u=real(2, 3), v=real(2, 3)),
        op("np.stack([u, v])", u=real, v=real),
        op("np.vstack(x)", x=(real(3), real(2, 3))),
        op("np.vstack((u, v))", u=real(3), v=real(3)),
        op("np.hstack(x)", x=(real(3), real(2))),
        op("np.hstack(x)", x=pair),
        op("np.hstack([u, v])", u=real, v=real(2)),
        op("np.dstack(x)", x=pair),
        op("np.dstack(x)", x=(real(3), real(3))),
        op("np.column_stack(x)", x=(real(3), real(3, 2))),
        op("np.append(x, v)", x=real(2, 3), v=real(2)),
        op("np.append(x, v, axis=0)", x=real(2, 3), v=real(1, 3)),
        op("np.append(x, v)", x=real(2), v=real),
        op("np.array([u, v])", u=real, v=real),
        op("np.array([[u, v], [v, u]])", u=real, v=real),
        op("np.array([u, v])", u=real(3), v=real(3)),
        op("np.array([u, 1.0, 2])", u=real),
        op("np.asarray((u, v), dtype=float)", u=real, v=real),
        op("np.exp([u, v])", u=real, v=real),
        op("np.full((2, 3), v)", v=real),
        op("np.full((2, 3), v)", v=real(3)),
        op("np.full(n, v)", n=3, v=real),
        op("np.full(n, v, float)", n=3, v=real),
        op("np.full_like(x, v)", x=real(2, 3), v=real),
        op("np.linspace(a, b, 5)", a=real, b=real),
        op("np.linspace(a, 3.0, 5, endpoint=False)", a=real),
        op("np.linspace(a, b, 4)", a=real(2), b=real(2)),
        op("np.arange(a, 5.0)", a=positive),
        op("np.arange(a, 5.0, h)", a=positive, h=positive),
        op("np.arange(a)", a=above_one),
        op("np.nonzero(x)", x=real(3)),
        op("np.roll(x, k)", x=real(5), k=2),
        op("np.repeat(x, n)", x=real(3), n=np.array([1, 2, 0])),
        op("np.unravel_index(i, (2, 3))", i=INDEX),
        op("np.bincount(i)", i=INDEX),
        op("np.lexsort((i, i))", i=INDEX),
    ]


def python_ops() -> list[Op]:
    three = [real, real, real]
    return [
        op("max(u, v, w)", u=real, v=real, w=real),
        op("max(u, v, w, z)", u=real, v=real, w=real, z=real),
        op("max(u, v, w, z, 0.3)", u=real, v=real, w=real, z=real),
        op("min(u, v, w, z, 0.3)", u=real, v=real, w=real, z=real),
        op("min(u, v, w)", u=real, v=real, w=real),
        op("min(u, v, w, z)", u=real, v=real, w=real, z=real),
        op("max(x)", x=three),
        op("min(x)", x=tuple(three)),
        op("max([u, v])", u=real, v=real),
        op("max(x)", x=real(4)),
        op("min(x)", x=real(4)),
        op("tuple(x)", x=three),
        op("sum(x)", x=three),
        op("sum(x)", x=real(4)),
        op("sum(x)", x=real(4, 2)),
        op("sum(x, s)", x=real(4), s=real),
        op("sum(x, s)", x=real(4), s=real(2)),
        op("sum(x, s)", x=real(4, 2), s=real(3, 2)),
        op("sum(x, s)", x=real(4, 2), s=real),
        op("sum([u, v], w)", u=real, v=real, w=real),
        op("sum([u, v], w)", u=real(3), v=real, w=real),
        op("math.fsum(x)", x=three),
        op("math.fsum(x)", x=real(4)),
        op("math.prod(x)", x=real(4)),
        op("math.prod(x)", x=three),
        op("math.prod(x, start=s)", x=three, s=real),
        op("math.hypot(u, v, w)", u=real, v=real, w=real),
        op("math.dist(p, q)", p=[real, real], q=(real, real)),
        *(
            op(f"statistics.{name}(x)", x=x)
            for name in (
                "mean",
                "fmean",
                "variance",
                "pvariance",
                "stdev",
                "pstdev",
            )
            for x in (three, real(4))
        ),
        op("u + v", u=[real, real], v=[real]),
        op("u * 2", u=[real, real]),
        op("u == v", u="a", v="b"),
        op("u != v", u="a", v="b"),
        op("v in u", u="ab", v="b"),
        op("any(x)", x=[True, False]),
        op("all(x)", x=[True, False]),
        op("isinstance(x, float)", x=real),
        op("print(x)", x=real),
        op("len(x)", x=three),
        op("math.factorial(n)", n=4),
        op("math.isqrt(n)", n=5),
        op("math.comb(n, 2)", n=5),
        op("math.perm(n, 2)", n=5),
        op("math.gcd(n, 4)", n=6),
        op("math.lcm(n, 4)", n=6),
        op("i & 3", i=6),
        op("i | 3", i=6),
        op("i ^ 3", i=6),
        op("i << 3", i=6),
        op("i >> 1", i=6),
        op("~i", i=6),
        op("m & n", m=MASK, n=~MASK),
        op("~m", m=MASK),
        op("2 ** i", i=3),
        op("2 ** i", i=-3),
        op("i / 2", i=3),
        op("i // 2", i=3),
    ]


def creation_ops() -> list[Op]:
    texts = """np.zeros(3)|np.zeros((2, n))|np.ones((2, 3), dtype=int)|np.empty(n)|np.eye(3)
        np.eye(3, 4)|np.identity(n)|np.tri(3)|np.arange(4)|np.arange(n)|np.arange(1, n)
        np.arange(0.0, 1.0, 0.25)|np.linspace(0, 1, n)|np.indices((2, 3))
        np.tril_indices(n)|np.triu_indices(3)|np.diag_indices(n)|np.hamming(n)
        np.hanning(n)|np.kaiser(n, 2.0)|np.blackman(n)|np.bartlett(n)|np.fft.fftfreq(n)|np.fft.rfftfreq(n)
        np.seterr()|np.geterr()|np.ix_([0, 1], [n, 0])|np.broadcast_shapes((2, 1), (n,))|np.zeros(3, np.float32)"""
    return [op(t, n=4) for t in _texts(texts)]


def draw_ops() -> list[Op]:
    texts = """np.random.rand(2, 3)|np.random.rand()|np.random.randn(n)|np.random.random(3)
        np.random.standard_normal((2, 3))|np.random.randint(n)|np.random.permutation(n)
        rng.random(3)|rng.standard_normal()|rng.integers(n)|rng.permutation(n)
        np.random.seed(0)|np.random.default_rng(n)|rng.normal(size=(2, n))|rng.uniform(0.0, 1.0)
        np.random.normal(0.0, 1.0, n)|np.random.uniform(size=3)
        np.random.multivariate_normal([0.0, 1.0], [[2.0, 1.0], [1.0, 3.0]], n)
        rng.multivariate_normal([0.0, 1.0], [[2.0, 1.0], [1.0, 3.0]], n)"""
    older = """np.random.RandomState(n)|rng.rand(2, 3)|rng.randn(n)|rng.random_sample(3)
        rng.standard_normal((2, 3))|rng.randint(n)|rng.permutation(n)
        rng.normal(0.0, 1.0, n)|rng.uniform(0.0, 1.0)
        rng.multivariate_normal([0.0, 1.0], [[2.0, 1.0], [1.0, 3.0]], n)"""
    return [
        *(op(t, n=4, rng=np.random.default_rng(1)) for t in _texts(texts)),
        *(op(t, n=4, rng=np.random.RandomState(1)) for t in _texts(older)),
    ]


def helper_ops() -> list[Op]:
    """The helpers, differentiated in their turn."""
    d, x, pair = real(2, 3), real(2, 3), (real(2, 2), real(2, 1))
    return [
        op("rt.stop_gradient(i)", i=INDEX),
        op("rt.replace_grad(x, np.positive)", x=x),
        op("rt.unbroadcast(d, x)", d=real(4, 2, 3), x=real(2, 1)),
        op("rt.unbroadcast(d, x)", d=real(4), x=real),
        op('rt.checked(d, x, "a rule")', d=real(2, 3), x=x),
        op("rt.unsum(d, x)", d=real(), x=x),
        op("rt.unsum(d, x, 1)", d=real(2), x=x),
        op("rt.unsum(d, x, axis=(0, 1), keepdims=True)", d=real(1, 1), x=x),
        op("rt.with_real(x, part)", x=complex_(2, 3), part=real(2, 3)),
        op("rt.with_imag(x, part)", x=complex_(2, 3), part=real(2, 3)),
        op("rt.count(x, 0)", x=x),
        op("rt.count_valid(x, 0)", x=x),
        op("rt.numbers(x, 2)", x=x),
        op("rt.unmatmul_left(d, u, v)", d=real(2, 4), u=real(2, 3), v=real(3, 4)),
        op("rt.unmatmul_right(d, u, v)", d=real(2, 4), u=real(2, 3), v=real(3, 4)),
        op("rt.unmatmul_left(d, u, v)", d=real(5, 2, 2), u=real(2, 3), v=real(5, 3, 2)),
        op("rt.undot_left(d, u, v)", d=real(2, 4, 5), u=real(2, 3), v=real(4, 3, 5)),
        op("rt.undot_right(d, u, v)", d=real(2, 4, 5), u=real(2, 3), v=real(4, 3, 5)),
        op("rt.uninner_left(d, u, v)", d=real(2, 4), u=real(2, 3), v=real(4, 3)),
        op("rt.uninner_right(d, u, v)", d=real(2, 4), u=real(2, 3), v=real(4, 3)),
        op("rt.untensordot_left(d, u, v, 1)", d=real(2, 5), u=x, v=real(3, 5)),
        op("rt.untensordot_right(d, u, v, 1)", d=real(2, 5), u=x, v=real(3, 5)),
        op("rt.unkron_left(d, u, v)", d=real(4, 6), u=x, v=real(2, 2)),
        op("rt.unkron_right(d, u, v)", d=real(4, 6), u=x, v=real(2, 2)),
        op("rt.ungetitem(d, x, i)", d=real(3, 3), x=real(4, 3), i=INDEX),
        op("rt.untake(d, x, i, 0)", d=real(3, 3), x=real(4, 3), i=INDEX),
        op("rt.untake(d, x, i)", d=real(3), x=real(4, 3), i=INDEX),
        op(
            "rt.untake_along_axis(d, x, i, 1)",
            d=real(2, 1),
            x=x,
            i=np.array([[2], [1]]),
        ),
        op("rt.undiagonal(d, x, 1)", d=real(2), x=x),
        op("rt.unslide(d, x, 2, 1)", d=real(2, 2, 2), x=x),
        op("rt.strided(x, x.strides, (2, 2), x.strides)", x=x),
        op("rt.unstride(d, x, x.strides, x.strides)", d=real(2, 2), x=x),
        op("rt.along_strided(x, x.strides, (2, 2), x.strides, d)", d=x, x=x),
        op("rt.undiag(d, x)", d=real(2), x=x),
        op("rt.undiag(d, x)", d=real(3, 3), x=real(3)),
        op("rt.untrace(d, x)", d=real, x=x),
        op("rt.one_triangle(x)", x=real(3, 3)),
        op("rt.cofactors(x)", x=real(3, 3)),
        op("rt.cofactors_along(d, x)", d=real(3, 3), x=real(3, 3)),
        op("rt.one_triangle(x, 'U')", x=complex_(2, 3, 3)),
        op("rt.both_triangles(x)", x=complex_(3, 3)),
        op("rt.both_triangles(x, 'U')", x=real(2, 3, 3)),
        op("rt.untranspose(d)", d=d),
        op("rt.untranspose(d, (1, 2, 0))", d=real(2, 3, 4)),
        op("rt.unroll_axis(d, 2)", d=real(2, 3, 4)),
        op("rt.uncast(d, x, float)", d=d, x=x),
        op("rt.uncumsum(d, x, 1)", d=d, x=x),
        op("rt.uncumsum(d, x)", d=real(6), x=x),
        op("rt.undiff(d, x)", d=real(2, 2), x=x),
        op("rt.untile(d, x, 2)", d=real(2, 6), x=x),
        op("rt.unrepeat(d, x, 2, 1)", d=real(2, 6), x=x),
        op("rt.unpad(d, x, 1)", d=real(4, 5), x=x),
        op("rt.unstack(d, a)", d=d, a=(real(3), real(3))),
        op("rt.unconcatenate(d, a, 1)", d=d, a=pair),
        op("rt.unmax(d, x, y, 1)", d=real(2), x=ROWS, y=np.array([2, 1])),
        op("rt.ties(x, y, 1)", x=ROWS, y=np.array([2, 1])),
        op("rt.beside(x, y, 1)", x=ROWS, y=np.array([1, 0])),
        op("rt.power_slope(u, v)", u=positive(3), v=real(3)),
        op("rt.power_slope(u, v)", u=positive, v=real),
        op("rt.unpower(d, u, v)", d=real(3), u=positive(3), v=real(3)),
        op("rt.unpower(d, u, v)", d=real, u=positive, v=real),
        op("rt.divided(d, u)", d=real(3), u=positive(3)),
        op("rt.divided(d, u)", d=real, u=positive),
        op("rt.quotient_or_zero(d, u)", d=real(3), u=positive(3)),
        op("rt.quotient_or_zero(d, u)", d=real, u=positive),
        op("rt.product_or_zero(d, x)", d=real(3), x=real(3)),
        op("rt.product_or_zero(d, x)", d=real, x=real),
        op("rt.log_or_zero(u)", u=positive(3)),
        op("rt.sinc_slope(x)", x=real(3)),
        op("rt.sinc_slope(x)", x=unit(3)),
        op("rt.polygamma(0, x)", x=positive),
        op("rt.polygamma(2, x)", x=positive),
        op("rt.signed(k)", k=3),
        op("rt.real_like(d, x)", d=complex_(3), x=real(3)),
    ]


# ---------------------------------------------------------------- order

SPREAD = Domain(0.1, 40.0, signed=True)
WEIGHTS = np.array([1.0, 2.0, 1.0, 0.5, 1.5])


def order_ops() -> list[Op]:
    texts = """np.sort(x)|np.sort(x, axis=0)|np.sort(x, axis=None)|np.partition(x, 2)
        np.partition(x, 1, axis=0)|np.partition(x, 3, axis=None)|np.median(x)
        np.median(x, axis=0)|np.median(x, 1, keepdims=True)|np.nanmedian(x, axis=-1)
        np.unique(x)|np.unique(x, axis=0)|np.unique(x, return_counts=True)
        np.setdiff1d(x, [9.0, -9.0])
        np.unique(x, True, True, True)|np.quantile(x, 0.3)|np.quantile(x, [0.1, 0.5], axis=0)
        np.quantile(x, 0.3, axis=1, keepdims=True, method='weibull')
        np.nanquantile(x, 0.3)|np.percentile(x, 30)|np.percentile(x, [10, 55.0], axis=1)
        np.nanpercentile(x, 25.0, axis=0)"""
    d, x = real(5, 4), SPREAD(5, 4)
    return [
        *(op(t, x=SPREAD(5, 4)) for t in _texts(texts)),
        *(op(f"np.nan{t}", x=NAN) for t in ("median(x)", "quantile(x, 0.4, axis=1)")),
        op("np.quantile(x, q)", x=SPREAD(6), q=Domain(0.2, 0.9)),
        op("np.percentile(x, q, axis=0)", x=SPREAD(6, 2), q=Domain(20, 90)(3)),
        op("np.quantile(x, 0.4, 0, weights=w, method='inverted_cdf')", x=x, w=WEIGHTS),
        op("np.percentile(x, 4, 0, weights=w, method='inverted_cdf')", x=x, w=WEIGHTS),
        op("rt.unsort(d, x)", d=d, x=x),
        op("rt.unsort(d, x, None)", d=real(20), x=x),
        op("rt.unsort(d, x, 0)", d=d, x=RNG.integers(0, 3, (5, 4), np.int8)),
        op("rt.resort(d, x, 0)", d=d, x=x),
        op(
            "rt.unpartition(d, x, y)",
            d=real(4),
            x=np.arange(4.0),
            y=np.array([1.0, 0.0, 3.0, 2.0]),
        ),
        op("rt.unmedian(d, x, y, 0)", d=real(4), x=x, y=np.zeros(4)),
        op("rt.unquantile(d, x, 0.3, 0)", d=real(4), x=x),
        op("rt.unquantile(d, x, [0.3, 0.5], 1)", d=real(2, 5), x=x),
        op("rt.ununique(d, x)", d=real(3), x=np.array([2, 1, 2, 5], np.int8)),
    ]


ROWS = np.array([[1, 2, 2], [0, -1, 1]], np.int8)
OPERATIONS = [
    *numpy_ops(),
    *order_ops(),
    *elementwise_ops(),
    *scalar_ops(),
    *complex_ops(),
    *reduction_ops(),
    *product_ops(),
    *shape_ops(),
    *python_ops(),
    *creation_ops(),
    *helper_ops(),
]
DRAWS = draw_ops()
PAIRS = [
    ((), ()),
    ((3,), ()),
    ((), (3,)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (3,)),
    ((1, 3), (2, 1)),
    ((1,), (1, 1)),
    ((1,), (3,)),
    ((2, 3), (2, 3)),
    ((4, 1, 3), (2, 1)),
    ((0,), ()),
    ((0,), (1,)),
    ((2, 0), (1, 0)),
    ((0, 3), (3,)),
]
"""Shapes that broadcast, unit axes on either side, 0-d and empty ones among them."""
