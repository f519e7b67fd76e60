"""An argument and a tangent -> the tangent of its kind and shape, or a refusal.

>>> fitting("p", (1.0, np.ones(2)), (None, [1.0, 0.0]))
[0.0, array([1., 0.])]
"""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.api.values.updating import Path, walk_path
from yota_ast.errors import YotaError
from yota_ast.support.tangent_refusals import (
    does_not_vary,
    of_no_paths,
    of_other_keys,
    of_other_numbers,
    of_other_shape,
    of_other_structure,
)
from yota_ast.support.value_classes import NUMBER_KINDS, REAL_KINDS
from yota_ast.syntax.value_literals import shown_key
from yota_ast.syntax.value_paths import item_text

_FIXED: Final[tuple[type, ...]] = (
    bool, int, str, type(None), type, types.FunctionType, types.BuiltinFunctionType,
    types.MethodType, functools.partial, np.ufunc,
)  # fmt: skip
"""What has no tangent; an object that is called has, by its fields."""


class _OfFields(dict[Path, Any]):
    """The tangents of an object's parts, by path; what is left out is held fixed."""

    def __init__(self, x: object) -> None:
        super().__init__()
        self._x = x

    def __missing__(self, path: Path) -> Any:
        part = walk_path(self._x, path)[-1]
        return _still(part)


def fitting(name: str, x: Any, d: Any) -> Any:
    """A tangent of the kind and shape of its argument; None within a container holds
    the item fixed, and so does a path that the tangent of an object leaves out."""
    if isinstance(x, _FIXED):
        raise does_not_vary(name, type(x).__name__)
    if isinstance(x, (float, complex, np.ndarray, np.number)):
        if np.shape(d) != np.shape(x):
            raise of_other_shape(name, np.shape(d), np.shape(x))
        _check_numbers(name, np.asarray(x).dtype, np.asarray(d).dtype)
        return type(x)(d) if type(x) in (float, complex) else np.asarray(d)
    if isinstance(x, (tuple, list)):
        return _of_items(name, x, d)
    if isinstance(x, dict):
        return _of_keys(name, x, d)
    return d if hasattr(x, "__array__") else _of_paths(name, x, d)


def _check_numbers(name: str, own: np.dtype[Any], given: np.dtype[Any]) -> None:
    """Refuse a tangent of records or texts, and one that is complex or no number where
    its argument is real."""
    if own.kind not in NUMBER_KINDS:
        raise does_not_vary(name, "record" if own.names else own.name)
    if given.kind not in NUMBER_KINDS:
        raise of_other_numbers(name, f"of type {given.name}")
    if given.kind == "c" and own.kind in REAL_KINDS:
        raise of_other_numbers(name, "complex")


def varying(name: str, x: Any, d: Any) -> Any:
    """The same of an argument or an item that varies though it is a whole number."""
    return fitting(name, float(x) if type(x) is int else x, d)


def _of_items(name: str, x: Sequence[Any], d: Any) -> Any:
    if not isinstance(d, (tuple, list)) or len(d) != len(x):
        raise of_other_structure(name, type(x).__name__, len(x))
    return [
        _of_item(item_text(name, k), *both)
        for k, both in enumerate(zip(x, d, strict=True))
    ]


def _of_keys(name: str, x: dict[Any, Any], d: Any) -> Any:
    if not isinstance(d, Mapping):
        raise of_other_structure(name, "dict", len(x))
    for key in d:
        if key not in x:
            raise of_other_keys(name, f"the key {shown_key(key)}")
    return {k: _of_item(item_text(name, k), v, d.get(k)) for k, v in x.items()}


def _of_paths(name: str, x: object, d: Any) -> _OfFields:
    if not isinstance(d, Mapping):
        raise of_no_paths(name, type(x).__name__)
    found = _OfFields(x)
    for path, part in d.items():
        if not isinstance(path, tuple):
            raise of_other_keys(name, f"the key {shown_key(path)}")
        try:
            own = walk_path(x, path)[-1]
        except YotaError:
            raise of_other_keys(name, f"the path {shown_key(path)}") from None
        found[path] = _of_item(f"{name}{list(path)}", own, part)
    return found


def _of_item(name: str, x: Any, d: Any) -> Any:
    """The tangent of an item: of one that does not vary as it is given. Whole numbers
    within a container vary."""
    if type(x) is int:
        x = float(x)
    if isinstance(x, (float, np.ndarray, np.number)) and d is None:
        return _still(x)
    if isinstance(x, _FIXED):
        return d
    if d is None and not hasattr(x, "__array__"):
        d = [None] * len(x) if isinstance(x, (tuple, list)) else {}
    return None if d is None else fitting(name, x, d)


def _still(x: Any) -> Any:
    """The tangent of a number or an array that is held fixed."""
    return np.zeros_like(x) if isinstance(x, (np.ndarray, np.number)) else 0.0
