"""What single arguments of functions are: coefficients, adjoints of vectors, zeros.

>>> from yota_ast.ops.registry import info
>>> from yota_ast.runtime import unsvd
>>> info(unsvd).vectors, info(np.sum).zero_for_zeros
((0, 2), True)
"""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.ops.registry import named, state

state(*named("runtime", "uneigh uneig"), vectors=(1,))
state(*named("runtime", "unsvd"), vectors=(0, 2))
state(operator.getitem, np.sum, np.mean, zero_for_zeros=True)
