"""Functions that change the memory of an argument.

>>> writes(np.copyto), writes(np.add.at), writes(np.sort)
((0,), (0,), ())
"""

from __future__ import annotations

import numpy as np

from yota_ast.ops.registry import info, named, state


def writes(fn: object) -> tuple[int, ...]:
    """The positions of the arguments that a call of a function writes into."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc) and getattr(fn, "__name__", "") == "at":
        return (0,)
    return info(fn).writes


state(
    *named("numpy", "copyto put place putmask fill_diagonal put_along_axis"),
    *named("numpy.random", "shuffle"),
    *named(
        "numpy.ndarray",
        "byteswap fill itemset partition put resize setfield setflags sort",
    ),
    writes=(0,),
)
