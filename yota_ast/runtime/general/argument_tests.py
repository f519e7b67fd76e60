"""Arguments of generated code -> whether they are what it is for.

>>> x = np.ones(3)
>>> are_floats(x, x * x[:, None], 2), are_floats(x, [1.0, 2.0])
(True, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def are_floats(*values: Any) -> bool:
    """Whether each value is a number, or an array of floats.

    A number is real, and computes as Python's do: of NumPy's whole ones those of fewer
    digits do not. An array of CuPy or Dask is one; a matrix and a masked array, which
    compute otherwise, are none.

    >>> are_floats(np.float32(2), True), are_floats(np.uint8(2)), are_floats(1j)
    (True, False, False)
    >>> are_floats(np.arange(3)), are_floats(np.ma.ones(2)), are_floats(None)
    (False, False, False)
    """
    for v in values:
        if isinstance(v, np.ndarray):
            fits = type(v) in (np.ndarray, np.memmap) and v.dtype.kind == "f"
        elif isinstance(v, np.integer):
            fits = v.dtype == int
        elif hasattr(v, "__array_function__"):
            fits = v.dtype.kind == "f"
        else:
            fits = hasattr(v, "__round__")
        if not fits:
            return False
    return True
