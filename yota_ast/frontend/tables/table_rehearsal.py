"""A call on tables and its example arguments -> what it gives.

Tables are not looked into: what a method of one gives is learnt from the example. What
would write, draw or call a function of the user's is not evaluated here; its result is
`NOTHING_KNOWN`. So is what raises: the generated code raises it when it runs.

>>> rehearsed(len, ([1, 2],), {}), rehearsed(map, (lambda x: x, [1]), {})
(2, NOTHING_KNOWN)
"""

from __future__ import annotations

import functools
import inspect
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.support.proxies import items_within
from yota_ast.support.public_names import drawing
from yota_ast.support.value_classes import has_labels


class _NothingKnown:
    def __repr__(self) -> str:
        return "NOTHING_KNOWN"


NOTHING_KNOWN: Final = _NothingKnown()
_HARMLESS: Final = frozenset(
    """to_numpy to_list to_dict to_frame to_series to_pandas to_dataframe to_array
    to_dataset to_base_units to_root_units to_reduced_units to_compact to_value to_tuple
    to_timedelta to_datetime to_numeric to_timedelta64 to_datetime64 to_pydatetime
    to_pytimedelta to_period to_timestamp to_records to_julian_date to_index
    to_flat_index to_unstacked_array to_stacked_array""".split()
)
"""The methods beginning with `to_` that write no file."""
_WRITING: Final = (
    "to_", "read_", "open_", "scan_", "sink_", "write_", "save", "load", "plot", "hist",
    "boxplot", "info", "pop", "insert", "update", "setdefault", "append", "extend",
    "clear", "remove", "close", "ito", "sample", "set_option", "__setitem__",
)  # fmt: skip
"""The beginnings of names of what writes, draws, shows or changes something."""


def rehearsed(
    fn: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]
) -> object:
    """What a call gives, or NOTHING_KNOWN."""
    given = [*args, *kwargs.values()]
    if changes(fn, kwargs) or not all(map(_is_harmless, given)):
        return NOTHING_KNOWN
    call: Any = fn
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*args, **kwargs)
    except Exception:  # noqa: BLE001  the generated code raises it
        return NOTHING_KNOWN


def changes(fn: object, kwargs: Mapping[str, object]) -> bool:
    """Whether a function, or a method, may change what it is given or the world."""
    name = str(getattr(fn, "__name__", ""))
    writes = name.startswith(_WRITING) and name not in _HARMLESS
    return writes or kwargs.get("inplace", False) is not False or fn is next


def _is_harmless(value: object) -> bool:
    """Whether a value can be given to a call beside the run: it runs no function of the
    user's, draws nothing, and is used up by nobody."""
    if isinstance(value, (tuple, list, dict)):
        return all(_is_harmless(held) for _, held in items_within(value))
    if isinstance(value, (Iterator, *drawing())) or value is NOTHING_KNOWN:
        return False
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        return False
    known = isinstance(value, (type, np.ufunc, types.BuiltinFunctionType))
    return known or has_labels(type(value)) or not callable(value)


def is_method(owner: object, name: str) -> bool:
    """Whether an attribute of an example is one of its methods."""
    try:
        found = getattr(owner, name)
        return inspect.isroutine(found) or isinstance(found, type)
    except Exception:  # noqa: BLE001  the generated code raises it
        return True


def first_item(value: object) -> object:
    """The first item of an example that a loop goes over."""
    try:
        return next(iter(value), NOTHING_KNOWN)  # type: ignore[call-overload]
    except Exception:  # noqa: BLE001  the generated code raises it
        return NOTHING_KNOWN
