"""A store that multiplies or divides a part of an array -> the tangent of the part.

    A[k, :] /= s      ->      dA[k, :] = (dA[k, :] - A[k, :] * ds) / s

The tangent of a quotient by a number stands behind the store, for it reads what stands
there now. What an array divides stands before it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from yota_ast.adjoint.reverse.contributions import adjoint_fact, fact_of_end
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Store
from yota_ast.ir.store_changes import Update
from yota_ast.ops import takes_all
from yota_ast.runtime import stored


def divides_by_number(op: Store) -> bool:
    """Say whether a store divides what stands at a place by a number, once."""
    change = op.change
    if not isinstance(change, Update) or change.repeats:
        return False
    return change.fn is operator.truediv and fact_of_end(op.value).is_number


def quotient(builder: Builder, op: Store, target: Var, d: Atom | None) -> Var:
    """The tangent of an array of which a store has divided a part by a number. target:
    its tangent before; d: that of the number; None: it has none."""
    known, apply = adjoint_fact(op.out), builder.apply
    whole = takes_all(op.index, op.out)
    part: Var = target if whole else apply(operator.getitem, target, op.index)
    if d is not None:
        y = op.out if whole else apply(operator.getitem, op.out, op.index)
        part = apply(operator.sub, part, apply(operator.mul, y, d))
    new = apply(operator.truediv, part, op.value)
    if whole:
        return builder.refine(new, new.fact.with_shape(known.shape))
    return apply(stored, target, op.index, new, fact=known)


def multiplied(
    builder: Builder,
    fn: Callable[..., Any],
    tangents: tuple[Atom, Atom],
    values: tuple[Atom, Atom],
) -> Var:
    """The tangent of a product of two values, or a quotient."""
    (part, d), (old, value), apply = tangents, values, builder.apply
    if isinstance(value, Var) and value.fact.kind in ("list", "tuple"):
        value = apply(np.asarray, value)
    slope, rest = apply(operator.mul, part, value), apply(operator.mul, old, d)
    if fn is operator.mul:
        return apply(operator.add, slope, rest)
    square = apply(operator.mul, value, value)
    return apply(operator.truediv, apply(operator.sub, slope, rest), square)
