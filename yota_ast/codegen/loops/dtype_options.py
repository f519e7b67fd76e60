"""The `dtype` and `order` of a call that makes an array -> the argument for Numba.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import Fact
>>> from yota_ast.ir.atoms import Var
>>> y = Var("y", Fact("array", np.dtype("f4"), (None,)))
>>> op = Apply(y, np.zeros, (Var("n"),), (("dtype", Const("f4")),))
>>> dtype_argument(Draft({}), op, 1) == (Const(np.float32),)
True
"""

from __future__ import annotations

from typing import Final

from yota_ast.codegen.loops.draft import Draft
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply

_ORDERS: Final = (Const("C"), Const("K"))


def dtype_argument(draft: Draft, op: Apply, place: int) -> tuple[Atom, ...]:
    """Return the dtype that a call names, at a place or by its keyword, if it does."""
    named = dict(op.kwargs)
    given = (
        *op.args[place:],
        *(named.pop(k) for k in ("dtype", "order") if k in named),
    )
    stated, orders = given[:1], given[1:]
    if "dtype" not in dict(op.kwargs) and len(op.args) == place:
        stated, orders = (), given
    if named or len(orders) > 1 or any(a not in _ORDERS for a in orders):
        draft.refuse(f"`np.{op.fn.__name__}` with options")
    dtype = op.out.fact.dtype
    if not stated or stated == (Const(None),):
        return ()
    if dtype is None or dtype.kind not in "fbiuc" or not dtype.isnative:
        draft.refuse(f"`np.{op.fn.__name__}` of such numbers")
    return (Const(dtype.type),)
