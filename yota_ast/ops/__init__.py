"""A function object -> what the compiler knows of it, apart from its derivative.

The only place where a property of a library function is written down. A property is
stated once: in the rule of the function where the rule says it (linear, elementwise,
alias), else in a file of this package that is about that property.

>>> import numpy as np
>>> info(np.transpose).memory, info(len).writes
('view', ())
"""

from yota_ast.ops import (
    algebra,
    argument_roles,
    argument_writes,
    arithmetic_costs,
    asked_values,
    domains,
    element_order,
    helper_memory,
    iterated_items,
    library_memory,
    never_raising,
    result_elements,
    result_kinds,
    shape_arguments,
    step_functions,
)
from yota_ast.ops.argument_writes import result_parameters, writes
from yota_ast.ops.back_ends import (
    batched_functions,
    explicit_loops,
    jax_functions,
    loop_definitions,
)
from yota_ast.ops.dtypes import numpy_dtypes, python_dtypes, scipy_dtypes
from yota_ast.ops.record import OpInfo, Sharing
from yota_ast.ops.registry import REGISTRY, Path, info, named, state
from yota_ast.ops.result_memory import sharing
from yota_ast.ops.subscript_memory import is_basic, takes_all

STATED = (
    algebra,
    argument_roles,
    arithmetic_costs,
    asked_values,
    domains,
    result_elements,
    result_kinds,
    helper_memory,
    iterated_items,
    library_memory,
    never_raising,
    step_functions,
    argument_writes,
    python_dtypes,
    numpy_dtypes,
    scipy_dtypes,
    element_order,
    shape_arguments,
    asked_values,
    iterated_items,
    explicit_loops,
    jax_functions,
    batched_functions,
    loop_definitions,
)
"""Each states one property of the functions of Python, NumPy and SciPy."""

__all__ = [
    "REGISTRY",
    "STATED",
    "OpInfo",
    "Path",
    "Sharing",
    "info",
    "is_basic",
    "named",
    "result_parameters",
    "sharing",
    "state",
    "takes_all",
    "writes",
]
