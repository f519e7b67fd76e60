"""`np.select` and `np.choose` of known lists -> the adjoints of the choices, each with
its mask.

A choice gets `np.where(its condition and none before, dy, 0)`: `masks` then keeps what
is not chosen from making a nan.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

import numpy as np

from yota_ast.adjoint.nonsmooth.masked_cotangents import ZERO
from yota_ast.adjoint.reverse.contributions import fact_of_end, items_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.rules.notation.rule import may_be_complex
from yota_ast.runtime import unbroadcast

Adjoints = list[tuple[Var, Atom]]


def of_choices(
    builder: Builder, made: Mapping[str, Apply], op: Apply, dy: Atom
) -> Adjoints | None:
    """The adjoints of the choices and the default; None where lists are not known.

    dy: of the shape of the result.
    """
    if op.fn is np.choose:
        return _of_index(builder, made, op, dy)
    if op.fn is not np.select or len(op.args) < 2 or op.kwargs:
        return None
    conditions, choices = (_built(made, a) for a in op.args[:2])
    places = items_of(op.args[1])
    if conditions is None or choices is None or places is None:
        return None
    default = op.args[2] if len(op.args) > 2 else Const(0)
    mixed = any(fact_of_end(a).is_complex for a in (*choices, default))
    left: Atom | None = None  # what no condition before has chosen
    found: Adjoints = []
    for condition, choice, place in zip(conditions, choices, places, strict=True):
        here = condition
        if left is not None:
            here = builder.apply(np.logical_and, left, condition)
        if isinstance(choice, Var):
            d = builder.apply(np.where, here, dy, ZERO)
            found.append((place, _of_choice(builder, d, choice, mixed=mixed)))
        rest = builder.apply(np.logical_not, condition)
        left = rest if left is None else builder.apply(np.logical_and, left, rest)
    if isinstance(default, Var) and left is not None:
        d = builder.apply(np.where, left, dy, ZERO)
        found.append((default, _of_choice(builder, d, default, mixed=mixed)))
    return found


def _of_index(
    builder: Builder, made: Mapping[str, Apply], op: Apply, dy: Atom
) -> Adjoints | None:
    """The adjoints of the choices that an index chooses among."""
    if len(op.args) != 2 or op.kwargs:
        return None
    choices, places = _built(made, op.args[1]), items_of(op.args[1])
    if choices is None or places is None:
        return None
    found: Adjoints = []
    mixed = any(fact_of_end(a).is_complex for a in choices)
    index = op.args[0]
    for k, (choice, place) in enumerate(zip(choices, places, strict=True)):
        if isinstance(choice, Var):
            # a list is no array that `==` would look into
            equal = operator.eq if fact_of_end(index).kind == "array" else np.equal
            here = builder.apply(equal, index, Const(k))
            d = builder.apply(np.where, here, dy, ZERO)
            found.append((place, _of_choice(builder, d, choice, mixed=mixed)))
    return found


def _of_choice(builder: Builder, d: Atom, choice: Var, *, mixed: bool) -> Atom:
    """The adjoint of one choice: real where it is, and others are complex."""
    if mixed and not may_be_complex(fact_of_end(choice)):
        d = builder.apply(np.real, d)
    return builder.apply(unbroadcast, d, choice)


def _built(made: Mapping[str, Apply], atom: Atom) -> tuple[Atom, ...] | None:
    """What a list or tuple is built of, where the program builds it."""
    op = made.get(atom.name) if isinstance(atom, Var) else None
    known = op is not None and op.fn in (build_list, build_tuple)
    return op.args if op is not None and known else None
