"""A value -> whether it is an array, of whatever library.

>>> import numpy as np
>>> is_array(np.ones(2)), is_array(np.float64(1.0)), is_array(np.ndarray)
(True, False, False)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_PROTOCOLS: Final = (
    "__array__", "__array_function__", "__array_ufunc__", "__array_namespace__",
)  # fmt: skip


def is_array(value: object) -> bool:
    """Return whether a value has a dtype and a shape, and its class is one of arrays:
    it has both, or it follows one of NumPy's protocols.

    The class decides: a record of settings may have fields of both names, and a
    `__getattr__` may answer to all.
    """
    cls = type(value)
    if cls is np.ndarray:
        return True
    if isinstance(value, (np.generic, type)):
        return False
    if hasattr(cls, "dtype") and hasattr(cls, "shape"):
        return True
    if not any(hasattr(cls, name) for name in _PROTOCOLS):
        return False
    try:
        return hasattr(value, "dtype") and hasattr(value, "shape")
    except Exception:  # noqa: BLE001  of the user's `__getattr__`
        return False


def spelled_dtype(dtype: Any) -> str | None:
    """Return what tells a dtype from others and from None, which equals float64."""
    if dtype is None:
        return None
    spelled: str = dtype.str if dtype.names is None else str(dtype)
    return spelled
