"""An op -> whether it may be complex where its operands are real, or hands that on.

Python's `(-2.0) ** 0.5` is complex; powers of NumPy's numbers and arrays are nan there.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> x, y = Var("x", FLOAT), Var("y", FLOAT)
>>> [is_fractional_power(Apply(y, operator.pow, (x, Const(p)))) for p in (0.5, 2.0, 2)]
[True, False, False]
>>> carries_complex(operator.mul), carries_complex(abs)
(True, False)
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Var  # noqa: F401  in the example
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.result_dtypes import info_of
from yota_ast.ops.record import COMPLEX

_POWERS: Final = (operator.pow, operator.ipow, pow)
"""Those that are complex: `math.pow` raises, NumPy's are nan."""
ABOUT_COMPLEX: Final = (np.iscomplexobj, np.isrealobj)
"""Functions that tell whether a number is complex."""


def is_fractional_power(op: Apply) -> bool:
    """Whether an op is a power of what may be one of Python's numbers, by what may be
    no whole number."""
    of_python = op.out.fact.kind not in ("scalar", "array")
    return op.fn in _POWERS and of_python and _is_fraction(op.args[1])


def carries_complex(fn: object) -> bool:
    """Whether a function gives complex numbers of complex ones."""
    known = info_of(fn)
    return known is not None and known.most == COMPLEX and known.of != ()


def _is_fraction(exponent: Atom) -> bool:
    """Whether an exponent may be something else than a whole number."""
    if isinstance(exponent, Const):
        value = exponent.value
        return isinstance(value, float) and not value.is_integer()
    return exponent.fact.kind in ("float", "real")
