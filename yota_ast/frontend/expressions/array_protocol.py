"""A class, and the fields of an object -> whether NumPy reads such an object as the
array that its method `__array__` returns.

NumPy may ask an object for more: for its memory, for a function of its own, and in
`np.sum(x)` for a method `sum`. An object that has any of these is not read so.

>>> class Cell:
...     def __array__(self, dtype=None, copy=None):
...         return np.eye(3)
>>> class Heap(Cell):
...     def sum(self, axis=None, dtype=None, out=None):
...         return 7.0
>>> [has_array_method(c) for c in (Cell, Heap, dict)]
[True, True, False]
>>> [is_read_as_array(np.sum, c, ("a",)) for c in (Cell, Heap)]
[True, False]
>>> is_read_as_array(np.asarray, Heap, ("a",))  # which asks for the array alone
True
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable
from typing import Final

import numpy as np

from yota_ast.frontend.heap.has_attribute import ABSENT, found_on
from yota_ast.ops import info

_BEFORE: Final = (
    "__array_interface__",
    "__array_struct__",
    "__buffer__",
    "__getattr__",
)
"""What NumPy asks for before `__array__`, and what answers to any name."""
_BESIDE: Final = ("__array_function__", "__array_ufunc__", "__array_wrap__")
"""What all functions but the converting ones ask for."""
_OF_ARRAYS: Final = frozenset(n for n in dir(np.ndarray) if not n.startswith("_"))


def is_of_numpy(fn: object) -> bool:
    """Whether this is a function of NumPy's."""
    home = "numpy" if isinstance(fn, np.ufunc) else getattr(fn, "__module__", None)
    return (home or "").partition(".")[0] == "numpy"


def has_array_method(cls: type) -> bool:
    """Whether a class says in Python what array its objects are."""
    method = found_on(cls, "__array__")
    return isinstance(method, types.FunctionType) and not is_of_numpy(cls)


def is_read_as_array(
    fn: object, cls: type, fields: Iterable[str], named: Collection[str] = ()
) -> bool:
    """Whether a function of NumPy's takes an object of such a class for its array.
    named: the arguments that it is given by name; some it hands on."""
    if found_on(cls, "__getattribute__") is not object.__getattribute__:
        return False
    if fn is np.iterable or _has_any(cls, _BEFORE):
        return False
    if info(fn).converts:
        return not {"copy", "like"} & {*named}
    if _has_any(cls, _BESIDE):
        return False
    names = () if isinstance(fn, np.ufunc) else _OF_ARRAYS
    return not _has_any(cls, names) and set(fields).isdisjoint(names)


def _has_any(cls: type, names: Iterable[str]) -> bool:
    return any(found_on(cls, name) is not ABSENT for name in names)
