"""`np.ravel(v, order="K")` of a vector or a number -> `np.ravel(v)`: it has one order.

In: what such a call is given.  Out: its value; None where the order matters.

>>> sorted(fn.__name__ for fn in FLAT_ORDERS)
['flatten', 'ravel', 'ravel']
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import MethodOf, Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.atoms import Const

_BY_MEMORY: Final = ("K", "A")
"""The orders that follow how an array lies in memory."""


def _with_one_order(name: str, *, method: bool) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """np.ravel(v, "K"), v.ravel(order="A")."""
        assumptions, language = ValueAssumptions.of(lowering), Language.of(lowering)
        given = (*(a for k, a in kwargs if k == "order"), *args[1:])
        if len(args) + len(kwargs) != 2 or len(given) != 1:
            return None
        order = assumptions.known_value(given[0])
        rank = Operations.of(lowering).fact(args[0]).rank
        if order is None or order.value not in _BY_MEMORY or rank is None or rank > 1:
            return None
        assumptions.depend_on_ranks()
        if method:
            return language.call(MethodOf(args[0], name), ())
        return language.call(Const(np.ravel, "np.ravel", "numpy"), args[:1])

    return handler


FLAT_ORDERS: Final[dict[Any, Handler]] = {
    np.ravel: _with_one_order("ravel", method=False),
    np.ndarray.ravel: _with_one_order("ravel", method=True),
    np.ndarray.flatten: _with_one_order("flatten", method=True),
}
"""What is done in place of a call of a function."""
