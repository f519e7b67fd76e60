"""A value of the forward sweep -> whether it may hold whole numbers in another call.

A text that was made with floats is given arrays of bytes as well, and there `-u` is not
the number with the other sign: that of 3 is 253.

>>> import operator
>>> from yota_ast.ir.abstract_values import FLOAT as NUMBER
>>> from yota_ast.ir.atoms import Var
>>> u, half, more = Var("u", NUMBER), Var("h", NUMBER), Var("m", NUMBER)
>>> made = {
...     "h": Apply(half, operator.truediv, (u, Const(2))),
...     "m": Apply(more, operator.add, (u, Const(2))),
... }
>>> may_be_whole(half, made.get), may_be_whole(more, made.get)
(False, True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.result_dtypes import of_value, surely
from yota_ast.ops.record import FLOAT

Makers = Callable[[str], Apply | None]
_DEEPEST: Final = 12


def may_be_whole(atom: Atom, made_by: Makers) -> bool:
    """Whether a value may be made of arguments that hold whole numbers by what keeps
    them such."""
    known: dict[str, bool] = {}

    def may_be(atom: Atom, deepest: int) -> bool:
        if isinstance(atom, Const):
            return of_value(atom.value)[0] < FLOAT
        if atom.name not in known:
            op = made_by(atom.name)
            known[atom.name] = True  # where it goes round
            if op is not None and deepest:
                of_floats = surely(op, FLOAT, lambda a: not may_be(a, deepest - 1))
                known[atom.name] = not of_floats
        return known[atom.name]

    return may_be(atom, _DEEPEST)
