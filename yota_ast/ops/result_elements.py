"""What the elements of a result are made of: of those of the first operand, as a rule.

Functions that keep the order of elements, or turn it, are in `order`.

>>> from yota_ast.ops.registry import info
>>> info(np.take).items, info(np.tril).items, info(np.sum).items, info(max).items
('picked', 'placed', 'summed', 'picked of all')
>>> info(np.var).degree, info(np.cosh).positive, info(operator.neg).keeps_zero
(2.0, True, True)
"""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ops.registry import named, state
from yota_ast.ops.spellings import spelled

state(
    *spelled("pos"),
    *named("builtins", "float"),
    *named("numpy", "conj conjugate copy concatenate stack float64"),
    *named("numpy.ndarray", "copy flatten"),
    *named("runtime", "uncast uncast_array rooted bent bent_along valued"),
    items="kept",
)
state(*named("runtime", "untranspose unroll_axis"), items="moved")
state(
    *named("numpy", "append concatenate hstack vstack dstack column_stack"), joins=True
)
state(*named("runtime", "strided"), overlaps=True)
state(
    np.linalg.solve,
    *named("scipy.linalg", "solve_triangular cho_solve"),
    solves=True,
)
state(
    *named("numpy", "sum mean log log1p absolute"),
    *named("builtins", "sum abs"),
    spoiled=True,
)
state(
    *named("numpy", "flatnonzero nonzero tril_indices triu_indices diag_indices"),
    *named("numpy.ndarray", "nonzero"),
    once=True,
)
state(
    operator.getitem,
    *named("numpy", "max min amax amin diagonal broadcast_to take repeat tile"),
    *named(
        "runtime",
        "unsum expand unstack unconcatenate unsum_sequence unbroadcast_each unstore"
        " unpad unvstack unhstack undstack uncolumn_stack unappend unblock unjoin",
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
    *named("runtime", "unbroadcast unslide unrepeat unsort added_item untile uncumsum"),
    items="summed",
)
state(
    *named("numpy", "where select choose nan_to_num compress extract nansum nanprod"),
    selects=True,
)
state(
    *named(
        "runtime",
        """unsum unmax unsum_where unvar_where unprod_where unmax_where unnorm
        unvector_norm unlogsumexp""",
    ),
    spreads=True,
)
state(*named("runtime", "rooted bent bent_along"), marks=True)
state(
    *named(
        "yota_ast.runtime.scipy.sparse_entries",
        """product_with_vector product_with_columns solution_for_vector
        solution_for_columns solved_for_vector solved_for_columns sum_of_entries
        sums_of_entries dense_of_entries diagonal_of_entries""",
    ),
    of_entries=True,
)
state(*named("runtime", "unrooted_at unbent_at unbent_along"), vanishes=True)
state(*named("runtime", "unprod_where unmax_where unvar_where"), several=True)
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
        """real_like unpower divided rooted bent bent_along valued unrooted unbent
        quotient_or_zero product_or_zero""",
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
    extreme=True,
)
state(
    *named("builtins", "max min"),
    *named("numpy", "min amin minimum"),
    extreme=True,
)
