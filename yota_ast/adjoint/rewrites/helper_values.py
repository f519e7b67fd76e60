"""Facts of what the reverse sweep calls: the helpers, whose results are shaped like
one of their arguments.

In: how the rules infer facts.  Out: the same, with the helpers known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from yota_ast.adjoint.reverse.contributions import adjoint_fact, fact_of_end
from yota_ast.ir.abstract_values import (
    CONTAINERS,
    FLOAT,
    INT,
    UNKNOWN,
    Fact,
    array_fact,
    fact_of,
)
from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.builder import Infer, Kwargs
from yota_ast.ops import info
from yota_ast.ops.algebra import KEEPING, operated
from yota_ast.runtime import (
    count,
    like,
    unbroadcast,
    unstore,
)
from yota_ast.support.helper_functions import is_helper


def _shaped_like(fn: Callable[..., object], args: Sequence[Atom]) -> Fact:
    model = args[place_of_shape(fn)]
    if isinstance(model, Var) and model.fact.kind in CONTAINERS:
        return UNKNOWN
    known = adjoint_fact(model) if isinstance(model, Var) else fact_of(model.value)
    if fact_of_end(args[0]).is_complex and fn is not like and known.is_numeric:
        kind = "scalar" if known.is_scalar else known.kind
        return Fact(kind, np.dtype(complex), known.shape)
    if known == FLOAT and fn is not like:
        python = fact_of_end(model).is_python  # of a number of either kind it is either
        if not (python and _gives_float(fn, args[0])):
            return Fact("scalar", None, ())
    narrow = _narrow(fn, args)
    if known.kind == "array" and narrow is not None:
        return array_fact(narrow, known.shape)
    return known


def _narrow(fn: Callable[..., object], args: Sequence[Atom]) -> np.dtype | None:
    """The type of a product of floats of few digits with numbers that have no type: it
    is no wider than theirs."""
    numbers = info(fn).numbers
    if numbers is None or place_of_shape(fn) in (numbers.of or (place_of_shape(fn),)):
        return None
    facts = [fact_of_end(a) for k, a in enumerate(args) if k in (numbers.of or ())]
    types = [f.dtype for f in facts if not f.is_python]
    if all(t is not None and t.kind == "f" and t.itemsize < 8 for t in types):
        return np.result_type(*types) if types else None
    return None


def place_of_shape(fn: Callable[..., object]) -> int:
    """The position of the argument whose shape the result has; -1 where none is
    known."""
    return info(fn).shaped_like if is_helper(fn) else -1


def _gives_float(fn: Callable[..., object], d: Atom) -> bool:
    """Whether undoing broadcasting to a Python float gives one: NumPy scalars stay."""
    known = fact_of_atom(d)
    if fn is not unbroadcast:
        return False
    return known.is_python or (known.kind == "array" and not known.is_scalar)


def _is_float(atom: Atom) -> bool:
    if isinstance(atom, Var):
        return atom.fact is FLOAT
    return type(atom.value) is float


def with_helpers(infer: Infer) -> Infer:
    """Facts of ops, of those on helpers too."""

    def inferred(
        fn: Callable[..., object], args: Sequence[Atom], kwargs: Kwargs
    ) -> Fact:
        if operated(fn) in KEEPING and all(map(_is_float, args)):
            return FLOAT  # what the rules say, too, of most of what a sweep computes
        if place_of_shape(fn) >= 0:
            return _shaped_like(fn, args)
        if fn is unstore:
            return infer(operator.getitem, args, kwargs)
        if fn is count:
            return INT
        if fn is float:
            return FLOAT
        known = infer(fn, args, kwargs)
        if known.kind == "unknown" and is_helper(fn):
            if any(fact_of_end(a).is_complex for a in args):
                return Fact("real", np.dtype(complex))
        if known.kind == "unknown" and fn in (np.size, np.ndim, len):
            return INT
        return known

    return inferred
