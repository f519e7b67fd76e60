"""An argument and a tangent -> the tangent of its kind and shape, or a refusal.

>>> fitting("p", (1.0, np.ones(2)), (None, [1.0, 0.0]))
[0.0, array([1., 0.])]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from yota_ast.errors import ShapeError, YotaError
from yota_ast.syntax.value_paths import item_text


def does_not_vary(name: str, kind: str) -> YotaError:
    """Why an argument has no tangent: what is whole, or no number."""
    return YotaError(
        f"jvp: {name!r} is of type {kind}, which has no tangent",
        remedy="Give None in the place of its tangent.",
    )


def of_other_shape(name: str, given: object, wanted: object) -> ShapeError:
    """Why a tangent is not that of its argument: the shapes differ."""
    return ShapeError(
        f"jvp: the tangent of {name!r} has shape {given}, but {name!r} has "
        f"shape {wanted}",
        remedy="Give it the shape of its argument, or None.",
    )


def of_other_structure(name: str, kind: str, count: int) -> ShapeError:
    """Why a tangent is not that of its argument, a container."""
    return ShapeError(
        f"jvp: the tangent of {name!r} must be a {kind} of {count} items",
        remedy="Give a tangent for each item of the argument, None if it is fixed.",
    )


def fitting(name: str, x: Any, d: Any) -> Any:
    """A tangent of the kind and shape of its argument; None within a container holds
    the item fixed."""
    if isinstance(x, (bool, int, str)) or x is None or callable(x):
        raise does_not_vary(name, type(x).__name__)
    if isinstance(x, (float, np.ndarray, np.number)):
        if np.shape(d) != np.shape(x):
            raise of_other_shape(name, np.shape(d), np.shape(x))
        return float(d) if type(x) is float else np.asarray(d)
    if isinstance(x, (tuple, list)):
        return _of_items(name, x, d)
    if isinstance(x, dict) and isinstance(d, dict):
        return {k: _of_item(item_text(name, k), v, d.get(k)) for k, v in x.items()}
    return d


def _of_items(name: str, x: Sequence[Any], d: Any) -> Any:
    if not isinstance(d, (tuple, list)) or len(d) != len(x):
        raise of_other_structure(name, type(x).__name__, len(x))
    return [
        _of_item(item_text(name, k), *both)
        for k, both in enumerate(zip(x, d, strict=True))
    ]


def _of_item(name: str, x: Any, d: Any) -> Any:
    """The tangent of an item: of one that does not vary as it is given. Whole numbers
    within a container vary."""
    if type(x) is int:
        x = float(x)
    if isinstance(x, (float, np.ndarray, np.number)) and d is None:
        return 0.0 if isinstance(x, float) else np.zeros_like(x)
    if isinstance(x, (bool, int, str)) or x is None or callable(x):
        return d
    if d is None and isinstance(x, (tuple, list, dict)):
        d = {} if isinstance(x, dict) else [None] * len(x)
    return None if d is None else fitting(name, x, d)
