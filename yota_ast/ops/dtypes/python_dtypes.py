"""Which numbers the functions of Python give.

Of operators that are ufuncs it is not stated: their loops say it (`result_dtypes.py`).

>>> from yota_ast.ops.registry import info
>>> info(math.floor).numbers == INTEGERS, info(cmath.exp).numbers == OF_COMPLEX
(True, True)
"""

from __future__ import annotations

import cmath
import copy
import math
import operator
from typing import Final

from yota_ast.ir.built_values import BUILDERS
from yota_ast.ops.record import COMPLEX, FLOAT, WHOLE, Numbers
from yota_ast.ops.registry import named, state

ANY: Final = Numbers()
FIRST: Final = Numbers((0,))
FLOATS: Final = Numbers((), FLOAT, FLOAT)
INEXACT: Final = Numbers(None, FLOAT)
OF_COMPLEX: Final = Numbers((), COMPLEX)
INTEGERS: Final = Numbers((), WHOLE, WHOLE)

OF_PYTHON: Final = {"f": float, "i": int, "u": int, "b": bool, "c": complex}
"""The type of `x.item()`, by the kind of the array."""

state(operator.pow, pow, numbers=Numbers(rises=True))  # 2 ** -1, (-8.0) ** 0.5
state(
    *named("operator", "is_ is_not not_ contains index"),
    *named("builtins", "len int bool isinstance callable hasattr any all ord range"),
    numbers=INTEGERS,
)
state(operator.getitem, copy.copy, copy.deepcopy, numbers=FIRST)
state(getattr, numbers=FIRST)  # `x.dtype` stands for what x holds
state(float, numbers=FLOATS)
state(complex, complex.conjugate, numbers=OF_COMPLEX)
state(min, max, numbers=Numbers(picks=True, unless=frozenset({"key", "default"})))
state(*BUILDERS[:2], tuple, list, sum, divmod, math.prod, numbers=ANY)
_TELLING = "isclose isfinite isinf isnan"
_WHOLE_OF_MATH = "ceil comb factorial floor gcd isqrt lcm perm trunc"
state(*named("math", f"{_TELLING} {_WHOLE_OF_MATH}"), numbers=INTEGERS)
state(
    *named(
        "math",
        """acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist
        erf erfc exp exp2 expm1 fabs fma fmod fsum gamma hypot ldexp lgamma log log10
        log1p log2 modf nextafter pow radians remainder sin sinh sqrt tan tanh ulp""",
    ),
    numbers=FLOATS,
)
state(*named("cmath", _TELLING), numbers=INTEGERS)
state(cmath.phase, cmath.polar, numbers=Numbers((0,), FLOAT, FLOAT))
state(
    *named(
        "cmath",
        """acos acosh asin asinh atan atanh cos cosh exp log log10 rect sin sinh sqrt
        tan tanh""",
    ),
    numbers=OF_COMPLEX,
)
state(
    *named("statistics", "mean pvariance variance"), numbers=Numbers((0,), rises=True)
)
state(*named("statistics", "fmean pstdev stdev"), numbers=FLOATS)
state(*named("bisect", "bisect bisect_left bisect_right"), numbers=INTEGERS)
