"""Whole numbers that the caller gives, made such that they can be counted with.

>>> signed(np.uint8(3)), signed(np.True_), signed((np.uint8(1), 2)), signed(0.5)
(3, 1, [1, 2], 0.5)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def signed(n: Any) -> Any:
    """`n`, with Python's integers for NumPy's, of which `-n` and `n - 1` wrap around,
    and for bools, which are a mask in an index."""
    if isinstance(n, (list, tuple)):
        return [signed(k) for k in n]
    if not hasattr(n, "dtype"):
        return int(n) if isinstance(n, bool) else n
    if n.dtype.kind not in "iub":
        return n
    return n.astype(int) if np.ndim(n) else int(n)
