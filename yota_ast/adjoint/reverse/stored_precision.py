"""Adjoints of what is stored with fewer digits than it has, or cut to whole numbers.

In `y[:] = x`, where y holds float32 and x float64, the adjoint of x is float64: what is
added to it later keeps its digits.

>>> narrows(np.dtype("f4"), np.dtype("f8")), narrows(np.dtype("f8"), np.dtype("f4"))
(True, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.analysis.dtypes import FloatsByFacts
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Store
from yota_ast.runtime import held


def narrows(dtype: np.dtype[Any] | None, given: np.dtype[Any] | None) -> bool:
    """Whether floats of one dtype have fewer digits than those given."""
    if (
        dtype is None
        or given is None
        or dtype.kind not in "fc"
        or given.kind not in "fc"
    ):
        return False
    return bool(np.finfo(dtype).eps > np.finfo(given).eps)


def is_cut(value: Atom, target: Var) -> bool:
    """Whether an array has more digits than the target that it is stored in keeps."""
    if not isinstance(value, Var) or value.fact.kind != "array":
        return False
    return narrows(target.fact.dtype, value.fact.dtype)


def widened(builder: Builder, d: Atom, value: Atom, target: Var) -> Atom:
    """The adjoint of what was stored in a target, with the digits of the value."""
    if not is_cut(value, target) or not isinstance(d, Var):
        return d
    if d.fact.is_scalar or d.fact.kind == "list":
        return d
    wide = complex if target.fact.is_complex else float
    return builder.method("astype", d, Const(wide, wide.__name__))


def cut(builder: Builder, floats: FloatsByFacts, op: Store, d: Atom) -> Atom:
    """The adjoint, or the tangent, of what a store puts into an array, or 0 where the
    array cuts that to a whole number."""
    if isinstance(d, Const) or not floats.may_cut(op):
        return d
    value = () if floats.of(op.value) else (op.value,)
    return builder.apply(held, d, op.target, *value)
