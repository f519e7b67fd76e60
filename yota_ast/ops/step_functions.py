"""Functions whose results are steps, those that jump, those that measure a size.

A step function is constant but where it jumps: its derivative is 0. A remainder jumps,
and changes between.

>>> from yota_ast.ops.registry import info
>>> import operator, math
>>> info(operator.gt).steps, info(math.floor).steps, info(operator.eq).steps
(True, True, False)
>>> info(abs).size
True
"""

from __future__ import annotations

from yota_ast.ops.registry import Path, named, state

state(
    *named("operator", "lt le gt ge floordiv"),
    *named("builtins", "int round"),
    *named("math", "floor ceil trunc"),
    *named("bisect", "bisect bisect_left bisect_right"),
    Path("scipy.optimize", "linear_sum_assignment"),
    *named(
        "numpy",
        "less less_equal greater greater_equal sign signbit heaviside floor "
        "ceil trunc rint fix round around floor_divide argmax argmin argsort "
        "nanargmax nanargmin argpartition searchsorted digitize lexsort "
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    ),
    *named("numpy.ndarray", "argmax argmin argsort argpartition searchsorted round"),
    steps=True,
)
state(
    *named("operator", "mod"),
    *named("builtins", "divmod"),
    *named("math", "copysign fmod modf remainder"),
    *named("numpy", "copysign divmod fmod mod modf remainder"),
    jumps=True,
)
state(
    *named("builtins", "abs"),
    *named("math", "fabs hypot dist"),
    *named("numpy", "abs fabs hypot"),
    *named("numpy.linalg", "norm"),
    Path("scipy.linalg", "norm"),
    size=True,
)
