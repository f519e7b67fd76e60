"""An operator or function of numbers -> what Numba is given, so that its result is that
of NumPy, or that of Python.

    x**-1, flags + others, x**0.5          # elements of arrays
    1.0 / x, flags | others, np.sqrt(x)    # what Numba is given

    int(x), p * k                          # numbers of Python
    int(in_64_bits(x)), product_in_64_bits(p, k)

Integers of fewer than 64 bits are refused, for Numba computes with 64.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.loops.draft import Draft
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops.algebra import COMPUTING, TERMS, operated
from yota_ast.ops.registry import info
from yota_ast.runtime.general.number_errors import (
    in_64_bits,
    no_fraction,
    product_in_64_bits,
    sum_in_64_bits,
)

Fn = Callable[..., Any]


def as_numpy(draft: Draft, op: Apply, args: Sequence[Atom]) -> tuple[Fn, list[Atom]]:
    """Return the function and the operands that stand for an op on elements."""
    dtype = op.out.fact.dtype
    arithmetic = info(op.fn).arithmetic
    if operated(op.fn) in COMPUTING or isinstance(op.fn, np.ufunc) or op.fn is abs:
        refuse_narrow(draft, dtype)
    refuse_unsigned(draft, dtype, args)
    if dtype == np.bool_ and arithmetic in ("sum", "product"):
        return (operator.or_ if arithmetic == "sum" else operator.and_), [*args]
    if operated(op.fn) == "power" or op.fn is np.power:
        return _power(draft, op, *args)
    return op.fn, [*args]


def refuse_unsigned(
    draft: Draft, dtype: np.dtype[Any] | None, args: Sequence[Atom]
) -> None:
    """Refuse integers without a sign that do not become floats: a literal has a sign
    for Numba, which computes with both as floats, or takes the large ones for
    negative. dtype: that of the result."""
    dtypes = [fact_of_atom(a).dtype for a in args]
    kinds = {dtype.kind for dtype in dtypes if dtype is not None}
    if {"u", "i"} <= kinds:
        draft.refuse("numbers of which some have a sign and some have none")
    if "u" in kinds and (dtype is None or dtype.kind != "f"):
        draft.refuse("integers without a sign that do not become floats")


def refuse_unsigned_sum(draft: Draft, dtype: np.dtype[Any] | None) -> None:
    """Refuse to add up integers without a sign: a sum starts at a 0 that has one."""
    if dtype is not None and dtype.kind == "u":
        draft.refuse("sums of integers without a sign")


def refuse_narrow(draft: Draft, dtype: np.dtype[Any] | None) -> None:
    """Refuse arithmetic with numbers of fewer bits than Numba computes with."""
    if dtype is not None and dtype.kind in "iuf":
        if dtype.itemsize < (4 if dtype.kind == "f" else 8):
            draft.refuse(f"arithmetic with numbers of {dtype}")


def _power(
    draft: Draft, op: Apply, base: Atom, exponent: Atom
) -> tuple[Fn, list[Atom]]:
    """Return a power, of floats or of integers: Numba raises for `0.0 ** -1`."""
    fact = op.out.fact
    kind = "" if fact.dtype is None else fact.dtype.kind
    value = exponent.value if isinstance(exponent, Const) else None
    if kind and kind in "iu" and value is None:
        plain = draft.call(no_fraction, exponent, fact=fact_of_atom(exponent))
        return operator.pow, [base, plain]
    if kind != "f":
        return op.fn, [base, exponent]
    if value == 0.5:
        return np.sqrt, [base]
    if type(value) is int and value < 0:
        inner = base
        if value < -1:
            inner = draft.operate(operator.pow, base, Const(-value), fact=fact)
        return operator.truediv, [Const(1.0), inner]
    if value is None and fact_of_atom(base).dtype not in (None, fact.dtype):
        return operator.pow, [draft.call(float, base, fact=fact), exponent]
    return op.fn, [base, exponent]


def in_python(
    draft: Draft, op: Apply, args: Sequence[Atom], wide: frozenset[str]
) -> Var | None:
    """Return what raises where numbers of Python are none of 64 bits; None: the op is
    another. wide: the variables that may be none."""
    if op.out.fact.kind != "int":
        return None
    facts = [fact_of_atom(a) for a in args]
    if len(facts) == 1 and facts[0].is_scalar and facts[0].kind not in ("int", "bool"):
        given = draft.call(in_64_bits, args[0], fact=facts[0])
        return draft.again(replace(op, args=(given,)))
    if op.out.name not in wide:
        return None
    arithmetic = operated(op.fn)
    if arithmetic == "product":
        return draft.call(product_in_64_bits, *args, fact=op.out.fact)
    if arithmetic == "power":
        base, exponent = args
        made = draft.call(product_in_64_bits, base, base, fact=op.out.fact)
        if exponent == Const(2):
            return made
        return draft.call(product_in_64_bits, made, base, fact=op.out.fact)
    if arithmetic in TERMS:
        first, last = args
        if arithmetic == "difference":
            last = draft.operate(operator.neg, last, fact=fact_of_atom(last))
        return draft.call(sum_in_64_bits, first, last, fact=op.out.fact)
    return None
