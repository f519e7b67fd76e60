"""The adjoint of a matrix in its eigenvalues or singular values, of which the vectors
are not read: they are handed on as None.

In: the adjoint that a rule has built, `uneigh(dw, zeros, w, v)`. Out: `uneigh(dw, None,
w, v)`. What is read is told from what is 0: vectors of equal values have no derivative,
and what is read of them may be 0 all the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.reverse.rule_statements import Value
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.runtime import (
    expand,
    uneig,
    uneigh,
    uneigvals,
    uneigvalsh,
    unsvdvals,
)


def without_vectors(builder: Builder, given: Mapping[str, Value]) -> None:
    """Hand None to the op that was just added, for vectors that are not read.

    given: what a rule is given. In what is differentiated again the matrix itself is
    handed on: the vectors of equal values have no tangent.
    """
    op = builder.ops[-1] if builder.ops else None
    places = info(op.fn).vectors if isinstance(op, Apply) else ()
    if not isinstance(op, Apply) or not places:
        return
    if not all(_is_unread(builder, op.args[k]) for k in places):
        return
    args = tuple(Const(None) if k in places else a for k, a in enumerate(op.args))
    changed = replace(op, args=args)
    if marking():
        x = given["x"]
        assert not isinstance(x, tuple)
        fn, args = _of_values(op, x)
        changed = replace(op, fn=fn, args=args)
    builder.ops[-1] = builder.made[op.out.name] = changed


def _of_values(op: Apply, x: Atom) -> tuple[Callable[..., object], tuple[Atom, ...]]:
    """The adjoint of a matrix in its values, computed from the matrix."""
    if op.fn is uneigh:
        return uneigvalsh, (op.args[0], x, *op.args[4:])
    if op.fn is uneig:
        return uneigvals, (op.args[0], x, op.args[3])
    return unsvdvals, (op.args[1], x)


def _is_unread(builder: Builder, d: Atom) -> bool:
    """Whether an adjoint is zeros to which nothing has been added."""
    op = _made(builder, d)
    if op is not None and op.fn is operator.getitem:
        whole, index = op.args
        parts = _made(builder, whole)
        if parts is None or parts.fn is not build_tuple or not isinstance(index, Const):
            return False
        return _is_unread(builder, parts.args[index.value])  # type: ignore[call-overload]
    return is_zeros(d, op)


def is_zeros(d: Atom, made: Apply | None) -> bool:
    """Whether an adjoint, made by an op, is zeros that nothing has reached."""
    if isinstance(d, Const):
        return d == Const(0.0)
    if made is None:
        return False
    zeros = made.fn is expand and made.args[0] == Const(0.0)
    return made.fn is np.zeros_like or zeros


def _made(builder: Builder, atom: Atom) -> Apply | None:
    return builder.made.get(atom.name) if isinstance(atom, Var) else None
