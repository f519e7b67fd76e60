"""Arguments of generated code -> how many axes those have which are what it is for.

>>> x = np.ones(3)
>>> ranks_of(x, x * x[:, None])
[1, 2]
>>> ranks_of([1.0, 2.0], 2.0, None, x + 1j)
[None, None, None, None]
"""

from __future__ import annotations

from typing import Any

import numpy as np


def ranks_of(*values: Any, of: str = "f") -> list[int | None]:
    """Count the axes of each array of floats; None of any other value.

    of: the kinds of numbers that the arrays hold. An array of CuPy or Dask is one; a
    matrix and a masked array, which compute otherwise, are none.

    >>> index = np.arange(3)
    >>> ranks_of(index), ranks_of(index, of="iu"), ranks_of(np.ma.ones(2))
    ([None], [1], [None])
    """
    ranks: list[int | None] = []
    for a in values:
        known = type(a) is np.ndarray or isinstance(a, np.memmap)
        if not known:
            known = hasattr(a, "__array_function__") and not isinstance(a, np.ndarray)
        ranks.append(a.ndim if known and a.dtype.kind in of else None)
    return ranks
