"""An index, an adjoint -> whether the index may be written in the adjoint as it stands.

The adjoint of a value of unknown rank may be a NumPy number, in which nothing can be
written. An index that takes an axis tells that it is an array; a mask of unknown rank,
`...` and `None` do not.

>>> takes_an_axis(Const(0)), takes_an_axis(Const((..., None)))
(True, False)
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

import numpy as np

from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.ir.abstract_values import CONTAINERS, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info

__all__ = ["copied_for", "is_surely_array", "takes_an_axis", "whole_of"]


def takes_an_axis(index: Atom) -> bool:
    """Whether an index can stand only where there is an axis."""
    if isinstance(index, Const):
        parts = index.value if isinstance(index.value, tuple) else (index.value,)
        return any(p is not None and p is not ... for p in parts)
    known = fact(index)
    if known.kind == "tuple":
        return any(map(_takes_one, known.items or ()))
    return _takes_one(known)


def _takes_one(known: Fact) -> bool:
    if known.kind == "array":
        may_be_mask = known.dtype is None or known.dtype == np.bool_
        return not may_be_mask or (isinstance(known.shape, tuple) and known.shape != ())
    if known.kind in ("bool", "none", "tuple", "real", "unknown"):
        return False
    if known.kind == "scalar":
        return known.dtype is not None and known.dtype != np.bool_
    return known.cls is not type(...)


def is_surely_array(target: Atom, made: Mapping[str, Apply]) -> bool:
    """Whether an adjoint is an array or a list, if only by what has made it."""
    shape = fact(target).shape
    if isinstance(shape, tuple) and shape:
        return True
    maker = made.get(target.name) if isinstance(target, Var) else None
    if maker is None:
        return False
    holds = fact(target).kind in CONTAINERS and info(maker.fn).container == "deep"
    return holds or info(maker.fn).always == "array"


def whole_of(made: Apply | None) -> Var | None:
    """The array of which an op makes a slice, if it does."""
    if made is None or made.fn is not operator.getitem:
        return None
    whole, index = made.args
    sliced = isinstance(index, Const) and isinstance(index.value, slice)
    if not sliced or not isinstance(whole, Var):
        return None
    arrays = whole.fact.kind == made.out.fact.kind == "array"
    return whole if arrays else None


def copied_for(op: Apply, target: Atom, builder: Builder) -> Var | None:
    """A copy of an array, for what an op with a name makes of it; of a number none."""
    if not (fact(target).rank and op.out.hint):
        return None
    return builder.apply(
        np.ndarray.copy, target, form="method", spelling="copy", fact=op.out.fact,
        hint=op.out.hint,
    )  # fmt: skip
