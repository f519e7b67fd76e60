"""The index of an array -> whether it takes a view of the array, or makes a copy.

>>> x = Var("x", array_fact("f8", (None, None)))
>>> subscripted(x, Const(0)), subscripted(x, Const([0, 1]))
('view', 'fresh')
"""

from __future__ import annotations

from typing import Final

import numpy as np

from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.ops.record import Sharing

__all__ = ["Var", "array_fact", "is_basic", "subscripted", "takes_all"]

_BASIC: Final = ("int", "none")


def subscripted(owner: Atom, index: Atom) -> Sharing:
    """The memory of `owner[index]`."""
    owner_fact = fact_of_atom(owner)
    if owner_fact.kind not in ("array", "real", "unknown"):
        return "maybe"
    fact = fact_of_atom(index)
    parts = fact.items if fact.kind == "tuple" and fact.items is not None else (fact,)
    if any(p.kind == "list" or _is_index_array(p) for p in parts):
        return "maybe" if owner_fact.kind == "unknown" else "fresh"
    if not all(is_basic(p) for p in parts) or owner_fact.kind == "unknown":
        return "maybe"
    # Of unknown rank, an element may be a number, which is no view.
    ranked = owner_fact.rank is not None or any(
        p.kind not in ("int", "scalar") for p in parts
    )
    return "view" if ranked else "maybe"


def _is_index_array(fact: Fact) -> bool:
    """Whether a part of an index takes a copy: an array, or what is true or false."""
    if fact.kind == "array":
        return fact.dtype is not None and fact.dtype.kind in "iub"
    return fact.kind == "bool" or fact.dtype == np.bool_


def is_basic(fact: Fact) -> bool:
    """Whether a part of an index takes a view: a number, a slice, None, an ellipsis."""
    if fact.kind == "scalar":
        return fact.is_whole
    return fact.kind in _BASIC or fact.cls in (slice, type(...))


def takes_all(index: Atom, owner: Atom) -> bool:
    """Whether an index takes all of an array: `y[...]`, `y[:]` of one with axes.

    >>> x = Var("x", array_fact("f8", (None, None)))
    >>> takes_all(Const(slice(None)), x), takes_all(Const(slice(None)), Var("y"))
    (True, False)
    """
    if not isinstance(index, Const):
        return False
    if index.value is Ellipsis:
        return True
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    if not all(type(p) is slice and p == slice(None) for p in parts):
        return False
    known = fact_of_atom(owner)
    rank = known.rank if known.kind == "array" else None
    return rank is not None and 0 < len(parts) <= rank


def makes_index(fn: object) -> bool:
    """Whether a function makes an index of numbers and of other indices.

    >>> import operator
    >>> makes_index(build_slice), makes_index(operator.add), makes_index(operator.mul)
    (True, True, False)
    """
    return fn in (build_tuple, build_slice) or operated(fn) in TERMS
