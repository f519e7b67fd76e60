"""Arguments of functions: how many there are, and what single ones are.

>>> from yota_ast.ops.registry import info
>>> from yota_ast.runtime import unsvd
>>> info(unsvd).vectors, info(np.sum).zero_for_zeros
((0, 2), True)
>>> info(np.polyval).coefficients, info(getattr).takes
(0, (2, 3))
"""

from __future__ import annotations

import copy
import functools
import operator
from math import inf

import numpy as np

from yota_ast.ops.registry import named, state

state(
    *named("builtins", "all any callable len"),
    *named("operator", "neg pos invert"),
    *named("copy", "copy"),
    *named("dataclasses", "asdict astuple replace"),
    *named("itertools", "pairwise"),
    takes=(1, 1),
)
state(
    *named("builtins", "iter next sum"),
    *named("itertools", "accumulate combinations combinations_with_replacement"),
    *named("itertools", "permutations"),
    takes=(1, 2),
)
state(slice, copy.deepcopy, takes=(1, 3))
state(
    *named("builtins", "filter hasattr isinstance"),
    *named("operator", "contains getitem"),
    *named("itertools", "starmap"),
    takes=(2, 2),
)
state(getattr, functools.reduce, takes=(2, 3))
state(*named("itertools", "islice"), takes=(2, 4))
state(setattr, takes=(3, 3))
state(map, takes=(2, inf))
state(*named("numpy", "polyval polyder polyint"), coefficients=0)
state(*named("numpy.polynomial.polynomial", "polyval"), coefficients=1)
if isinstance(np.atleast_1d(0, 0), tuple):  # NumPy 1 gives a list
    state(*named("numpy", "atleast_1d atleast_2d atleast_3d"), of_each=True)
state(
    *named("numpy", "broadcast_arrays meshgrid"),
    *named("scipy.linalg", "block_diag"),
    arrays=True,
)
state(*named("runtime", "uneigh uneig"), vectors=(1,))
state(*named("runtime", "unsvd"), vectors=(0, 2))
state(operator.getitem, np.sum, np.mean, zero_for_zeros=True)
