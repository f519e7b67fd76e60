"""Functions that change the memory of an argument.

>>> import numpy as np
>>> from .registry import info
>>> info(np.copyto).writes
(0,)
"""

from __future__ import annotations

from .registry import named, state

state(
    *named("numpy", "copyto put place putmask fill_diagonal put_along_axis"),
    writes=(0,),
)
