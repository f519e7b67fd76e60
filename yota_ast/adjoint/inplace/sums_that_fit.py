"""What is known of two arrays -> whether one may hold the sum of both.

>>> from yota_ast.ir.abstract_values import array_fact
>>> half = Var("a", array_fact("f4", (None,)))
>>> double = Var("b", array_fact("f8", (None,)))
>>> is_less(half, double), is_less(double, half), are_alike(half, double)
(True, False, True)
"""

from __future__ import annotations

from yota_ast.adjoint.rewrites.rewrite_engine import fact, is_narrower
from yota_ast.ir.atoms import Atom, Const, Var


def are_alike(one: object, other: object) -> bool:
    """Whether neither of two values is repeated along an axis of the other."""
    units = []
    for atom in (one, other):
        shape = fact(atom).shape if isinstance(atom, (Var, Const)) else None
        if not isinstance(shape, tuple):
            return True
        units.append([d is not None and d.is_unit for d in shape])
    return units[0] == units[1]


def is_less(one: Atom, other: Atom) -> bool:
    """Whether an array may not hold what another does: of fewer bits, or real."""
    beyond = fact(other).is_complex and not fact(one).is_complex
    return beyond or is_narrower(one, other)


def may_grow(atom: Atom, total: Var) -> bool:
    """Whether an array may be repeated along an axis of a sum that it is a part of."""
    known = fact(atom)
    if known.kind != "array" or isinstance(known.shape, str):
        return False
    return known.shape != total.fact.shape or None in (known.shape or (None,))
