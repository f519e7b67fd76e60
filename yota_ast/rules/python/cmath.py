"""The functions of `cmath`, on Python numbers.

Their values are complex where the argument is real, too: the slopes are conjugated, and
a real argument gets the real part.
"""

from __future__ import annotations

import cmath
import math
import operator

import numpy as np

from yota_ast.ir.abstract_values import BOOL, COMPLEX, FLOAT, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import real_like


def _complex(x: Atom) -> Fact:
    return COMPLEX


def _float(x: Atom) -> Fact:
    return FLOAT


def _bool(x: Atom) -> Fact:
    return BOOL


def _polar(x: Atom) -> Fact:
    return Fact("tuple", items=(FLOAT, FLOAT), cls=tuple)


def _rect(r: Atom) -> Fact:
    return COMPLEX


@rule(complex="written", fact=_complex, root="y", square=operator.pos)
def sqrt(x, *, dy):
    y = cmath.sqrt(x)
    dx = real_like(dy / np.conj(2 * y), x)


@rule(complex="written", fact=_complex)
def exp(x, *, dy):
    y = cmath.exp(x)
    dx = real_like(dy * np.conj(y), x)


@rule(complex="written", fact=_complex)
def log(x, *, dy):
    y = cmath.log(x)
    dx = real_like(dy / np.conj(x), x)


@rule(complex="written", fact=_complex)
def log10(x, *, dy):
    y = cmath.log10(x)
    dx = real_like(dy / np.conj(x * math.log(10)), x)


@rule(complex="written", fact=_complex)
def sin(x, *, dy):
    y = cmath.sin(x)
    dx = real_like(dy * np.conj(cmath.cos(x)), x)


@rule(complex="written", fact=_complex)
def cos(x, *, dy):
    y = cmath.cos(x)
    dx = real_like(-dy * np.conj(cmath.sin(x)), x)


@rule(complex="written", fact=_complex)
def tan(x, *, dy):
    y = cmath.tan(x)
    dx = real_like(dy * np.conj(1 + y * y), x)


@rule(complex="written", fact=_complex)
def asin(x, *, dy):
    y = cmath.asin(x)
    dx = real_like(dy / np.conj(cmath.cos(y)), x)


@rule(complex="written", fact=_complex)
def acos(x, *, dy):
    y = cmath.acos(x)
    dx = real_like(-dy / np.conj(cmath.sin(y)), x)


@rule(complex="written", fact=_complex)
def atan(x, *, dy):
    y = cmath.atan(x)
    dx = real_like(dy / np.conj(1 + x * x), x)


@rule(complex="written", fact=_complex)
def sinh(x, *, dy):
    y = cmath.sinh(x)
    dx = real_like(dy * np.conj(cmath.cosh(x)), x)


@rule(complex="written", fact=_complex)
def cosh(x, *, dy):
    y = cmath.cosh(x)
    dx = real_like(dy * np.conj(cmath.sinh(x)), x)


@rule(complex="written", fact=_complex)
def tanh(x, *, dy):
    y = cmath.tanh(x)
    dx = real_like(dy * np.conj(1 - y * y), x)


@rule(complex="written", fact=_complex)
def asinh(x, *, dy):
    y = cmath.asinh(x)
    dx = real_like(dy / np.conj(cmath.cosh(y)), x)


@rule(complex="written", fact=_complex)
def acosh(x, *, dy):
    y = cmath.acosh(x)
    dx = real_like(dy / np.conj(cmath.sinh(y)), x)


@rule(complex="written", fact=_complex)
def atanh(x, *, dy):
    y = cmath.atanh(x)
    dx = real_like(dy / np.conj((1 - x) * (1 + x)), x)


@rule(complex="written", fact=_complex)
def log_to_base(x, b, *, dy):
    y = cmath.log(x, b)
    dx = real_like(dy / np.conj(x * cmath.log(b)), x)
    db = real_like(-dy * np.conj(y / (b * cmath.log(b))), b)


@rule(complex="written", fact=_float, root="x")
def phase(x, *, dy):
    """0 at the origin."""
    y = cmath.phase(x)
    dx = real_like(dy * 1j * x / (abs(x) ** 2 + (x == 0)), x)


@rule(complex="written", fact=_polar)
def polar(x, *, dy):
    """0 at the origin."""
    y = cmath.polar(x)
    unit = x / (abs(x) + (x == 0))
    dx = real_like(dy[0] * unit + dy[1] * 1j * unit / (abs(x) + (x == 0)), x)


@rule(complex="written", fact=_rect)
def rect(r, phi, *, dy):
    y = cmath.rect(r, phi)
    dr = np.real(dy * cmath.exp(-1j * phi))
    dphi = np.real(dy * np.conj(1j * y))


@rule(zero=["x"], complex="written", fact=_bool)
def isnan(x):
    y = cmath.isnan(x)


@rule(zero=["x"], complex="written", fact=_bool)
def isinf(x):
    y = cmath.isinf(x)


@rule(zero=["x"], complex="written", fact=_bool)
def isfinite(x):
    y = cmath.isfinite(x)


@rule(complex="written", fact=_complex)
def conjugate(x: complex, *, dy):
    y = x.conjugate()
    dx = np.conj(dy)
