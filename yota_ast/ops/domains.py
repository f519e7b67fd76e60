"""Where functions are not smooth, or warn: the edges of their domains.

>>> import math
>>> from yota_ast.ops.registry import info
>>> info(np.log).safe, info(np.log).pole, info(np.sqrt).steep, info(math.sqrt).steep
(1, True, True, True)
>>> info(np.arctanh).warns, info(np.divide).warns
((0,), (1,))
"""

from __future__ import annotations

import numpy as np

from yota_ast.ops.registry import named, state
from yota_ast.ops.spellings import operators

state(*operators("truediv"), np.divide, safe=1, pole=True)
state(*operators("pow"), *named("numpy", "power float_power"), safe=1, steep=True)
state(
    *named("numpy", "log log2 log10 log1p"), safe=1, pole=True, steep=True, warns=(0,)
)
state(*named("numpy", "sqrt cbrt"), safe=1, steep=True)
state(*named("numpy", "arcsin arccos"), safe=0, steep=True, warns=(0,))
state(np.arccosh, safe=2, steep=True, warns=(0,))
state(np.arctanh, safe=0, pole=True, steep=True, warns=(0,))
state(np.reciprocal, safe=1, pole=True, warns=(0,))
state(*named("numpy", "hypot arctan2"), safe=1)
state(np.tan, safe=0, pole=True, warns=(0,))
state(
    pow,
    *named("math", "acos acosh asin atanh cbrt lgamma log log10 log1p log2 pow sqrt"),
    *named(
        "scipy.special",
        """cbrt gammaln loggamma betaln xlogy xlog1py entr rel_entr kl_div logit ndtri
        erfinv erfcinv ellipk ellipkm1""",
    ),
    steep=True,
)
state(
    *named(
        "numpy",
        """isnan isinf isfinite nan_to_num fmax fmin nansum nanmean nanvar nanstd nanmax
        nanmin nanprod nancumsum nancumprod nanmedian nanpercentile nanquantile
        nanargmax nanargmin""",
    ),
    *named("math", "isnan isinf isfinite"),
    missing=True,
)
state(np.divide, warns=(1,))
state(*named("numpy", "floor_divide fmod power float_power remainder"), warns=(0, 1))
state(
    *named("numpy", "cos cosh exp exp2 expm1 sin sinh sqrt"),
    warns=(0,),
)
state(
    *named("numpy", "sqrt square exp exp2 cosh var std"),
    *named("math", "sqrt exp cosh"),
    never_negative=True,
)
