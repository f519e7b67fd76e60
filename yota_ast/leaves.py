"""What of a structured value is a leaf: the arrays and numbers that gradients are of.

>>> is_leaf(2.0), is_leaf([2.0]), is_object(object), is_named_tuple((1, 2))
(True, False, False, False)
"""

from __future__ import annotations

import copy
from typing import TypeVar

import numpy as np

from .facts import fact_of
from .frontend.reaching import all_within

T = TypeVar("T")


def is_array(value: object) -> bool:
    """Whether a value is an array: NumPy's, CuPy's, Dask's. Their scalars are not."""
    try:
        duck = hasattr(value, "dtype") and hasattr(value, "shape")
    except Exception:  # noqa: BLE001  of a user's `__getattr__`
        return False
    return duck and not isinstance(value, (np.generic, type))


def is_leaf(value: object) -> bool:
    """Whether a value is an array or a number."""
    return is_array(value) or isinstance(value, (bool, int, float, complex, np.generic))


def is_object(value: object) -> bool:
    """Whether a value has fields: an instance of a user's class."""
    return fact_of(value).kind == "object" and not isinstance(value, type)


def is_named_tuple(value: object) -> bool:
    """Whether a value is a tuple whose items have names."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def copied(value: T) -> T:
    """A copy of a value and of all that it holds, but for the keys of its dicts, which
    may be told by their identity.

    >>> key = object()
    >>> copied([{key: [1.0]}]) == [{key: [1.0]}]
    True
    """
    dicts = (one for one in all_within(value) if isinstance(one, dict))
    return copy.deepcopy(value, {id(key): key for one in dicts for key in one})
