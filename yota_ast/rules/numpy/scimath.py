"""`np.emath`: functions whose value is complex where that of a real argument is.

The slopes are conjugated for complex values; a real argument gets the real part."""

from __future__ import annotations

import math

import numpy as np

from yota_ast.rules.inference.joins import real_or_complex
from yota_ast.rules.notation.rule import elementwise
from yota_ast.runtime import real_like


@elementwise(complex="written", fact=real_or_complex)
def sqrt(x, *, dy):
    y = np.emath.sqrt(x)
    dx = real_like(dy / np.conj(2 * y), x)


@elementwise(complex="written", fact=real_or_complex)
def log(x, *, dy):
    y = np.emath.log(x)
    dx = real_like(dy / np.conj(x), x)


@elementwise(complex="written", fact=real_or_complex)
def log2(x, *, dy):
    y = np.emath.log2(x)
    dx = real_like(dy / np.conj(x * math.log(2)), x)


@elementwise(complex="written", fact=real_or_complex)
def log10(x, *, dy):
    y = np.emath.log10(x)
    dx = real_like(dy / np.conj(x * math.log(10)), x)


@elementwise(complex="written", fact=real_or_complex)
def arcsin(x, *, dy):
    y = np.emath.arcsin(x)
    dx = real_like(dy / np.conj(np.cos(y)), x)


@elementwise(complex="written", fact=real_or_complex)
def arccos(x, *, dy):
    y = np.emath.arccos(x)
    dx = real_like(-dy / np.conj(np.sin(y)), x)


@elementwise(complex="written", fact=real_or_complex)
def arctanh(x, *, dy):
    y = np.emath.arctanh(x)
    dx = real_like(dy / np.conj((1 - x) * (1 + x)), x)
