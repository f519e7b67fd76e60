"""What of a structured value is a leaf: the arrays and numbers that gradients are of.

>>> is_leaf(2.0), is_leaf([2.0]), is_object(object), is_named_tuple((1, 2))
(True, False, False, False)
"""

from __future__ import annotations

import copy
from typing import TypeVar

import numpy as np

from yota_ast.errors import YotaError
from yota_ast.frontend.heap.reachable_objects import all_within
from yota_ast.ir.abstract_values import fact_of
from yota_ast.support.array_classes import is_array
from yota_ast.support.value_classes import has_labels

T = TypeVar("T")


def is_leaf(value: object) -> bool:
    """Whether a value is an array or a number."""
    return is_array(value) or isinstance(value, (bool, int, float, complex, np.generic))


def refuse_other_array(value: object) -> None:
    """Refuse an array of another library, where the result is one of NumPy.

    Raises YotaError: a copy to the host is made by the user alone.
    """
    known = isinstance(value, np.ndarray) or has_labels(type(value))  # a table is fixed
    if is_array(value) and not known:
        cls = type(value)
        home = cls.__module__.partition(".")[0].removesuffix("lib")  # jaxlib
        raise YotaError(
            f"the result is a NumPy array, but an argument or the value is of {home}",
            remedy="Copy it yourself, by np.asarray(x), or x.get() of CuPy. `grad`, "
            "`vjp`, `jvp` and `hvp` take it as it is.",
        )


def refuse_other_arrays(value: object) -> None:
    """Refuse what is or holds such an array."""
    for one in all_within(value):
        refuse_other_array(one)


def is_object(value: object) -> bool:
    """Whether a value has fields: an instance of a user's class."""
    return fact_of(value).kind == "object" and not isinstance(value, type)


def is_named_tuple(value: object) -> bool:
    """Whether a value is a tuple whose items have names, and is made of them alone: a
    result of SciPy may have more."""
    return (
        isinstance(value, tuple)
        and hasattr(value, "_fields")
        and hasattr(value, "_make")
    )


def copied(value: T) -> T:
    """A copy of a value and of all that it holds, but for the keys of its dicts, which
    may be told by their identity.

    >>> key = object()
    >>> copied([{key: [1.0]}]) == [{key: [1.0]}]
    True
    """
    dicts = (one for one in all_within(value) if isinstance(one, dict))
    return copy.deepcopy(value, {id(key): key for one in dicts for key in one})
