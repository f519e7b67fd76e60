"""The cotangent of a size, or a part, of a number -> the same, for real numbers alone.

Python's `(-2.0) ** 0.5` is complex. Where that is seen nothing is to be done: what
follows is complex too, or raises. But `abs(z)` and `z.real` are real again, with other
slopes than those of a real number, and beside what is known for complex `z` is taken
for real, as in `z * 1j`: the text raises there.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from yota_ast.adjoint.nonsmooth.nonzero_values import Makers, never_negative
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.complex_powers import (
    carries_complex,
    is_fractional_power,
)
from yota_ast.ops.dtypes.result_dtypes import info_of
from yota_ast.ops.record import COMPLEX
from yota_ast.runtime import of_real

_KINDS: Final = ("float", "real", "scalar", "array", "list", "tuple")
_DEEPEST: Final = 12


def for_real_powers(builder: Builder, op: Apply, dy: Atom, made_by: Makers) -> Atom:
    """The cotangent of an op, by way of a check where its operand may be complex."""
    if _takes_complex(op.fn) or op.out.fact.is_complex:
        for given in op.args:
            if may_be_complex(given, made_by):
                dy = builder.apply(of_real, dy, given, fact=_fact(dy))
    return dy


def _fact(dy: Atom) -> Fact | None:
    return dy.fact if isinstance(dy, Var) else None


def may_be_complex(atom: Atom, made_by: Makers) -> bool:
    """Whether a value may be a power of one of Python's negative numbers, or computed
    from such."""
    seen: set[str] = set()
    level: list[Atom] = [atom]
    for _ in range(_DEEPEST):
        operands: list[Atom] = []
        for a in level:
            if not isinstance(a, Var) or a.fact.kind not in _KINDS or a.name in seen:
                continue
            seen.add(a.name)
            op = made_by(a.name)
            if op is None or a.fact.is_complex or not carries_complex(op.fn):
                continue
            if is_fractional_power(op) and not never_negative(op.args[0], made_by):
                return True
            operands += op.args
        level = operands
    return False


def _takes_complex(fn: object) -> bool:
    """Whether a function takes complex numbers for what they are, and gives real ones;
    or they are its subject."""
    known = info_of(fn)
    sizes = known is not None and known.most < COMPLEX and known.of != ()
    return sizes or fn in (np.conjugate, complex)
