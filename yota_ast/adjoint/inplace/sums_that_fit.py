"""Two arrays -> whether one may hold the sum or product of both, and what is added.

>>> from yota_ast.ir.abstract_values import array_fact
>>> half = Var("a", array_fact("f4", (None,)))
>>> double = Var("b", array_fact("f8", (None,)))
>>> is_less(half, double), is_less(double, half), are_alike(half, double)
(True, False, True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import number
from yota_ast.adjoint.rewrites.rewrite_engine import fact, is_narrower
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Op
from yota_ast.ops.algebra import SCALED, operated


def are_alike(one: object, other: object) -> bool:
    """Whether neither of two values is repeated along an axis of the other."""
    units = []
    for atom in (one, other):
        shape = fact(atom).shape if isinstance(atom, (Var, Const)) else None
        if not isinstance(shape, tuple):
            return True
        units.append([d is not None and d.is_unit for d in shape])
    return units[0] == units[1]


def have_one_rank(one: Atom, other: Atom) -> bool:
    """Whether two values surely have as many axes, and the same ones of length 1."""
    a, b = fact(one).shape, fact(other).shape
    if not (isinstance(a, tuple) and isinstance(b, tuple)):
        return False
    return len(a) == len(b) and are_alike(one, other)


def is_less(one: Atom, other: Atom) -> bool:
    """Whether an array may not hold what another does: of fewer bits, or real."""
    beyond = fact(other).is_complex and not fact(one).is_complex
    return beyond or is_narrower(one, other)


def has_dtype(atom: Atom) -> bool:
    """Whether it is known of what dtype an array is; of a number of Python's it is."""
    known = fact(atom)
    return known.is_python or (known.is_numeric and known.dtype is not None)


def may_grow(atom: Atom, total: Var) -> bool:
    """Whether an array may be repeated along an axis of a sum that it is a part of."""
    known = fact(atom)
    if known.kind != "array" or isinstance(known.shape, str):
        return False
    return known.shape != total.fact.shape or None in (known.shape or (None,))


def goes_on(op: Apply, builder: Builder) -> bool:
    """Whether a product goes on under the name of its first factor, and fits it: an
    adjoint that has been added to has the shape of its value, and is multiplied by what
    this was a factor of."""
    if operated(op.fn) not in SCALED or not isinstance(op.args[0], Var):
        return False
    start, factor = op.args
    if op.out.hint is None or start.hint != op.out.hint or not has_dtype(factor):
        return False
    array: Atom = start
    while (made := builder.maker(array)) and made.form == "augmented":
        array = made.args[0]
    whole = array != start and have_one_rank(start, op.out)
    fits = has_dtype(array) and not is_less(array, factor)
    return fits and (whole or not may_grow(start, op.out))


def filling_number(value: Atom, made: Mapping[str, Apply]) -> Atom:
    """The number that fills an array: a store spreads it by itself."""
    full = made.get(value.name) if isinstance(value, Var) else None
    if full is None or full.fn is not np.full_like or full.kwargs:
        return value
    filled = full.args[1]
    return filled if fact(filled).is_scalar else value


def positive_of(
    value: Atom,
    builder: Builder,
    uses: Mapping[str, int],
    changed: Callable[[Atom, Apply], bool],
) -> Atom | None:
    """The negative of a value that was made with a minus sign in this block, where it
    has not changed since."""
    made = builder.maker(value)
    if made is None or made.out.hint or any(changed(a, made) for a in made.args):
        return None
    if made.fn is operator.neg:
        return made.args[0]
    factor = made.args[0]
    if made.fn is not operator.mul or not isinstance(factor, Const):
        return None
    known = number(factor)
    if known is not None and known < 0 and uses[made.out.name] < 2:
        return builder.apply(operator.mul, Const(-known), made.args[1])
    return None


def positive_just_made(value: Atom, ops: Sequence[Op]) -> Atom | None:
    """What a value is the negative of, where nothing has been written since."""
    for op in reversed(ops):
        if not isinstance(op, Apply) or op.effect or op.form == "augmented":
            return None
        if op.out == value:
            negative = op.fn is operator.neg and op.out.hint is None
            return op.args[0] if negative else None
    return None


def has_floats(atom: Atom) -> bool:
    """Whether a value is surely an array of floats or complex numbers."""
    known = fact(atom)
    return (
        known.kind == "array" and known.dtype is not None and known.dtype.kind in "fc"
    )


def has_memory(var: Var) -> bool:
    """Whether a variable may be more than a number."""
    return not var.fact.is_scalar or var.fact.kind in ("array", "real")
