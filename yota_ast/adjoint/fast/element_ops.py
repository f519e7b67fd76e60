"""An op -> whether it works on each element alone, or adds all elements up.

Such an op gives for some rows of its operands the same rows of its result, or a part of
its sum.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.atoms import Var
>>> x, y = (Var(n, array_fact("f8", (Dim("x.shape[0]", 0, 5),))) for n in "xy")
>>> [works_on_elements(Apply(y, fn, (x,))) for fn in (np.exp, np.sort)]
[True, False]
>>> sum_of_elements(Apply(Var("s", array_fact("f8", ())), np.sum, (x,))) is None
False
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply, Op
from yota_ast.ops import info, sharing

Sum = Callable[..., object]
_OF_THREE: Final = (np.where,)
_SUMS: Final[dict[object, Sum]] = {np.sum: np.sum, np.mean: np.sum, np.vdot: np.vdot}
_OF_VECTORS: Final = (np.dot, np.inner, operator.matmul, np.matmul)


def is_array(atom: Atom) -> bool:
    """Whether an atom is an array with axes, all of which are known by a name."""
    known = fact_of_atom(atom)
    shape = known.shape
    named = isinstance(shape, tuple) and shape != () and None not in shape
    return known.kind == "array" and named


def dims_of(atom: Atom) -> tuple[Dim, ...]:
    """The lengths of the axes of such an array; of all else none."""
    shape = fact_of_atom(atom).shape
    if not is_array(atom) or not isinstance(shape, tuple):
        return ()
    return tuple(d for d in shape if d)


def works_on_elements(op: Op) -> bool:
    """Whether an op makes a new array, each element of elements of its operands."""
    if not isinstance(op, Apply) or op.effect or op.kwargs or not is_array(op.out):
        return False
    known = info(op.fn)
    alone = known.elementwise or known.in_loops == "elements"
    if not alone and not (op.fn in _OF_THREE and len(op.args) == 3):
        return False
    if op.form not in ("call", "operator", "augmented") or isinstance(op.fn, type):
        return False
    fresh = op.form == "augmented" or sharing(op) == "fresh"
    return fresh and all(map(_is_operand, op.args))


def _is_operand(atom: Atom) -> bool:
    """Whether an atom is a number, or an array of known rank."""
    known = fact_of_atom(atom)
    if isinstance(atom, Const) and isinstance(atom.value, (list, tuple)):
        return False
    return (known.is_scalar and known.is_numeric) or is_array(atom)


def sum_of_elements(op: Op) -> Sum | None:
    """What adds up a part of what an op adds up: the function itself; of a mean, the
    sum."""
    if not isinstance(op, Apply) or op.kwargs or op.effect or op.form == "augmented":
        return None
    known = op.out.fact
    if not known.is_scalar or not known.is_floating:
        return None
    if not all(is_array(a) and fact_of_atom(a).is_floating for a in op.args):
        return None
    if op.fn in _SUMS:
        return _SUMS[op.fn]
    vectors = all(len(dims_of(a)) == 1 for a in op.args)
    return op.fn if op.fn in _OF_VECTORS and vectors and len(op.args) == 2 else None
