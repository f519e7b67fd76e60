"""Rules of the helpers of `runtime.complexes` that write a part of an array."""

from __future__ import annotations

import numpy as np

from yota_ast import runtime as rt
from yota_ast.rules.inference.helperfacts import like_x
from yota_ast.rules.notation.rule import rule


@rule(jointly=["x", "part"], complex="written", fact=like_x)
def with_real(x, part, *, dy):
    y = rt.with_real(x, part)
    dx = 1j * np.imag(dy)
    dpart = np.real(dy)


@rule(jointly=["x", "part"], complex="written", fact=like_x)
def with_imag(x, part, *, dy):
    y = rt.with_imag(x, part)
    dx = np.real(dy)
    dpart = np.imag(dy)
