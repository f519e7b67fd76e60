"""`x.item()` of a number of NumPy -> `float(x)`, `int(x)`, `bool(x)`: what back ends
other than NumPy know.

>>> from yota_ast.ir.abstract_values import INT
>>> from yota_ast.ir.atoms import Var
>>> v = Var("v", Fact("scalar", np.dtype(int), ()))
>>> item = Apply(Var("k", INT), np.ndarray.item, (v,), form="method")
>>> with_numbers_for_items(item).fn
<class 'int'>
"""

from __future__ import annotations

from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.python_dtypes import OF_PYTHON

_ITEMS: Final = (np.ndarray.item, np.generic.item)


def with_numbers_for_items(op: Apply) -> Apply:
    """Return the op, or the call of `float`, `int` or `bool` that gives the same."""
    if op.fn not in _ITEMS or len(op.args) != 1 or op.kwargs:
        return op
    fact: Fact = fact_of_atom(op.args[0])
    number = OF_PYTHON.get(fact.dtype.kind) if fact.dtype is not None else None
    if not fact.is_scalar or number is None or number is complex:
        return op
    return replace(op, fn=number, form="call", spelling="")
