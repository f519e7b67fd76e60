"""The op of a square of a root -> the op that it is differentiated as.

The square of `abs`, of a Euclidean norm, of `hypot`, of `std` and of `sqrt` is smooth
where the root is not: `norm(x) ** 2` has the gradient `2 * x`. The primal stays as it
is; its derivative is that of the function that the root's rule names for its square.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from ..records import replace
from ..rules.rule import BOOK
from ..tape import Apply, Atom, Const, Var, fact_of_atom
from .signs import Makers

POWERS: Final = (operator.pow, pow, np.power, np.float_power, math.pow)
PRODUCTS: Final = (operator.mul, np.multiply)
OF_NUMBERS: Final = (np.dot, np.inner, np.vdot)
"""Products of numbers, where they are given such."""


def without_root(op: Apply, made_by: Makers) -> Apply:
    """Return the op that an op is differentiated as: of a square of a root another."""
    root = _root_squared(op, made_by)
    if root is None or root.out.fact.kind in ("list", "tuple"):
        return op
    square = _square_of(root)
    if square is None:
        return op
    fn, args, kwargs = square
    if BOOK.choose(fn, args, kwargs, None) is None:
        return op
    return replace(op, fn=fn, args=args, kwargs=kwargs, form="call", spelling="")


def _root_squared(op: Apply, made_by: Makers) -> Apply | None:
    """Return the op of which an op gives the square."""
    if op.kwargs or not op.args or not isinstance(op.args[0], Var):
        return None
    root = made_by(op.args[0].name)
    if root is None:
        return None
    if op.fn is np.square and len(op.args) == 1:
        return root
    if len(op.args) != 2:
        return None
    if op.fn in POWERS:
        return root if _is_two(op.args[1]) else None
    both_numbers = all(fact_of_atom(a).is_scalar for a in op.args)
    if op.fn in PRODUCTS or (op.fn in OF_NUMBERS and both_numbers):
        return root if _is_same(root, op.args[1], made_by) else None
    return None


def _is_two(exponent: Atom) -> bool:
    if not isinstance(exponent, Const) or exponent.is_live:
        return False
    return type(exponent.value) in (int, float) and exponent.value == 2


def _is_same(root: Apply, other: Atom, made_by: Makers) -> bool:
    """Return whether an atom has the value of an op."""
    if other == root.out:
        return True
    made = made_by(other.name) if isinstance(other, Var) else None
    return made is not None and not root.effect and _call_of(made) == _call_of(root)


def _call_of(op: Apply) -> tuple[object, ...]:
    return op.fn, op.args, op.kwargs


Call = tuple[Callable[..., Any], tuple[Atom, ...], tuple[tuple[str, Atom], ...]]


def _square_of(root: Apply) -> Call | None:
    """Return the function that gives the square of a root, and what it is given."""
    bound = BOOK.choose(root.fn, root.args, root.kwargs, None)
    if bound is None:
        return None
    given = {k: a for k, a in bound.arguments.items() if not isinstance(a, tuple)}
    if given.get("metric") == Const("euclidean"):  # SciPy has one that is its square
        points = tuple(a for k, a in given.items() if k != "metric")
        return root.fn, (*points, Const("sqeuclidean")), ()
    if bound.rule.square is None:
        return None
    if "ord" in given:
        return _square_of_norm(bound.rule.square, bound.rule.name, given)
    return bound.rule.square, root.args, root.kwargs


def _square_of_norm(
    square: Callable[..., Any], name: str, given: Mapping[str, Atom]
) -> Call | None:
    """A norm that is the root of the sum of squares."""
    axis = given.get("axis", Const((-2, -1)))
    order, x = given["ord"], given["x"]
    if not isinstance(order, Const) or not isinstance(axis, Const):
        return None
    of_vectors = name == "vector_norm" or type(axis.value) is int
    of_vectors |= axis.value is None and fact_of_atom(x).rank == 1
    if order.value in (None, "fro") or (order.value == 2 and of_vectors):
        return square, (x, axis, given["keepdims"]), ()
    return None
