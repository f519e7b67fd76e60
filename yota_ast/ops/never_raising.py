"""Functions that never raise for numbers of the kinds that they take.

"never": whatever it is given. "numbers": for what is no number, or has no such axis.
"shapes": for arrays whose shapes do not fit. "zero": numbers of Python divided by 0.
"power": for such shapes, for numbers of Python, and for integers to powers below 0.
"filled": for a value that is no number. "ends": for ends that are no integers, or for
steps of 0. "product": for matrices that do not fit. "square": for a matrix that is not
square.
Of all other functions it is unknown, and they may raise.

>>> import math
>>> from yota_ast.ops.registry import info
>>> info(math.tanh).raises, info(math.sqrt).raises, info(abs).raises
('numbers', 'maybe', 'numbers')
"""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.ir.built_values import BUILDERS
from yota_ast.ops.registry import named, state

state(*BUILDERS, raises="never")
state(
    *named(
        "operator",
        "add sub mul neg pos lt le gt ge eq ne and_ or_ xor iadd isub imul",
    ),
    raises="shapes",
)
state(operator.pow, np.power, raises="power")
state(np.full_like, raises="filled")
state(np.where, raises="shapes")
state(range, raises="ends")
state(operator.matmul, np.matmul, np.dot, raises="product")
state(np.linalg.det, np.linalg.slogdet, raises="square")
state(operator.truediv, operator.floordiv, operator.mod, raises="zero", refuses_zero=1)
state(*named("math", "log log2 log10"), refuses_zero=0)
state(
    *named("operator", "is_ is_not"),
    *named("builtins", "str repr id"),
    raises="never",
)
state(
    *named("operator", "not_ truth"),
    *named("builtins", "abs bool float"),
    *named(
        "math",
        "asinh atan atan2 cbrt copysign degrees erf erfc fabs hypot isclose "
        "isfinite isinf isnan radians tanh",
    ),
    *named(
        "numpy",
        "zeros_like ones_like empty_like copy ravel atleast_1d asarray array float64 "
        "float32 count_nonzero any all nansum cumsum cumprod sum prod mean",
    ),
    *named("numpy.ndarray", "copy ravel flatten tolist sum mean cumsum"),
    raises="numbers",
)
