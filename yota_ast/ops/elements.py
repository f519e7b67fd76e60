"""What the elements of a result are made of: of those of the first operand, as a rule.

Functions that keep the order of elements, or turn it, are in `order`.

>>> from .registry import info
>>> info(np.take).items, info(np.tril).items, info(np.sum).items, info(max).items
('picked', 'placed', 'summed', 'picked of all')
>>> info(np.var).degree, info(np.cosh).positive, info(operator.neg).keeps_zero
(2.0, True, True)
"""

from __future__ import annotations

import operator

import numpy as np

from ..tape import build_list, build_tuple
from .registry import named, state
from .spelling import spelled

state(
    *spelled("pos"),
    *named("builtins", "float"),
    *named("numpy", "conj conjugate copy concatenate stack float64"),
    *named("numpy.ndarray", "copy flatten"),
    *named("runtime", "uncast uncast_array rooted bent"),
    items="kept",
)
state(*named("runtime", "untranspose"), items="moved")
state(
    operator.getitem,
    *named("numpy", "max min amax amin diagonal broadcast_to take repeat tile"),
    *named(
        "runtime",
        "unsum expand unstack unconcatenate unsum_sequence unbroadcast_each unstore"
        " unpad",
    ),
    items="picked",
)
state(
    *named("numpy", "maximum minimum fmax fmin"),
    *named("builtins", "max min"),
    build_list,
    build_tuple,
    items="picked of all",
)
state(
    *named("numpy", "tril triu diag"),
    *named(
        "runtime",
        """ungetitem untake untake_along_axis unset unmax unmax_where undiagonal
        undiag untrace held unsum_where unmedian unquantile unpicked unreduceat
        undelete untrim""",
    ),
    items="placed",
)
state(
    *named("builtins", "sum"),
    *named("numpy", "sum mean trace cumsum"),
    *named("runtime", "unbroadcast unrepeat unsort added_item"),
    items="summed",
)
state(
    *named("runtime", "unsum unmax unsum_where unvar_where unprod_where unmax_where"),
    spreads=True,
)
state(
    *named("runtime", "unmatmul_left undot_left uninner_left"),
    factor=2,
)
state(
    *named("runtime", "unmatmul_right undot_right uninner_right"),
    factor=1,
)
state(
    *spelled("neg pos truediv"),
    *named("builtins", "abs float"),
    *named("math", "sqrt"),
    *named("numpy", "abs sqrt conj conjugate real"),
    *named(
        "runtime",
        "real_like unpower divided rooted bent quotient_or_zero product_or_zero",
    ),
    keeps_zero=True,
)
state(
    *named("builtins", "abs"),
    *named("math", "fabs hypot dist"),
    *named("numpy", "abs fabs hypot std"),
    *named("numpy.linalg", "norm"),
    degree=1.0,
)
state(np.var, degree=2.0)
state(*named("numpy", "cosh"), *named("math", "cosh"), positive=True)
state(*named("numpy", "exp exp2"), *named("math", "exp exp2"), underflows=True)
state(
    *named("numpy", "max amax maximum"),
    largest=True,
)
