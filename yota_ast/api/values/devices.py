"""Values <-> devices: arrays, and whatever objects and containers hold them.

>>> import numpy as np
>>> x = np.ones(3)
>>> to_device(x, "cpu") is x
True
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from yota_ast.errors import YotaError
from yota_ast.ir.abstract_values import fact_of, fields_of
from yota_ast.support.tracebacks import public

T = TypeVar("T")


@public
def to_cuda(x: T) -> T:
    """Return `x` with its arrays on the current CUDA device. See `to_device`."""
    return to_device(x, "cuda")


@public
def to_device(x: T, device: str) -> T:
    """Return `x` with its arrays on a device: "cpu", "cuda", "cuda:1".

    An array that is on the device already is not copied. Objects and containers that
    hold a moved array are copied; `x` itself is not changed. The others stay the same
    object, and what was shared stays shared. Numbers stay where they are.

    Raises YotaError if there is no such device.
    """
    found = re.fullmatch(r"(cpu)|cuda(?::(\d+))?", device)
    if found is None:
        raise YotaError(
            f"there is no device {device!r}", remedy='Devices are "cpu" and "cuda".'
        )
    move = _to_host if found[1] else _cuda_mover(found[2])
    return _Moving(move).of(x)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- arrays


def _is_device_array(value: object) -> bool:
    cupy = sys.modules.get("cupy")  # there is no array of CuPy's before it is imported
    return cupy is not None and isinstance(value, cupy.ndarray)


def _to_host(array: Any) -> Any:
    return array.get() if _is_device_array(array) else array


def _cuda_mover(number: str | None) -> Callable[[Any], Any]:
    cupy = _cupy()
    count = cupy.cuda.runtime.getDeviceCount()
    if number is not None and int(number) >= count:
        raise YotaError(f"there is no CUDA device {number}, only {count} in all")
    index = cupy.cuda.Device().id if number is None else int(number)

    def move(array: Any) -> Any:
        if _is_device_array(array) and array.device.id == index:
            return array
        if array.dtype.kind not in "biufc":
            return array  # strings and objects: there are none on a device
        with nullcontext() if number is None else cupy.cuda.Device(index):
            return cupy.asarray(array)

    return move


def _cupy() -> ModuleType:
    """Return CuPy where there is a device to use it with."""
    try:
        import cupy
    except ImportError:
        raise YotaError(
            "there is no CUDA device to use: CuPy is not installed",
            remedy="Install yota-ast[cuda12] or yota-ast[cuda13].",
        ) from None
    if not cupy.cuda.is_available():
        raise YotaError("there is no CUDA device: CuPy finds none")
    module: ModuleType = cupy
    return module


# ---------------------------------------------------------------- what holds arrays


class _Moving:
    """One move of a graph of values, by a function that moves an array."""

    def __init__(self, move: Callable[[Any], Any]) -> None:
        self._move = move
        self._arrays: dict[int, Any] = {}  # moved, by identity: shared stays shared
        self._values: dict[int, Any] = {}  # keeps all that was met alive, for the ids
        self._holders: dict[int, list[int]] = {}
        self._moving: set[int] = set()
        self._new: dict[int, Any] = {}

    def of(self, x: Any) -> Any:
        self._meet(x)
        return self._rebuilt(x)

    def _meet(self, x: Any) -> None:
        """Find all that holds, at any depth, an array that moves."""
        pending = [x]
        while pending:
            value = pending.pop()
            if id(value) in self._values:
                continue
            self._values[id(value)] = value
            if _is_array(value):
                self._arrays[id(value)] = self._move(value)
                if self._arrays[id(value)] is not value:
                    self._moving.add(id(value))
            for _, part in _parts(value):
                self._holders.setdefault(id(part), []).append(id(value))
                pending.append(part)
        pending_ids = list(self._moving)
        while pending_ids:
            for holder in self._holders.get(pending_ids.pop(), ()):
                if holder not in self._moving:
                    self._moving.add(holder)
                    pending_ids.append(holder)

    def _rebuilt(self, value: Any) -> Any:
        if id(value) not in self._moving:
            return value
        if id(value) in self._arrays:
            return self._arrays[id(value)]
        if id(value) not in self._new:
            self._rebuild(value)
        return self._new[id(value)]

    def _rebuild(self, value: Any) -> None:
        if isinstance(value, tuple):
            items = [self._rebuilt(v) for v in value]
            named = hasattr(value, "_fields")
            self._new[id(value)] = type(value)(*items) if named else tuple(items)
            return
        # Noted before its parts are made: a part may refer back to it.
        new = self._new[id(value)] = copy.copy(value)
        for step, part in _parts(value):
            moved = self._rebuilt(part)
            if moved is part:
                continue
            if isinstance(value, (list, dict)):
                new[step] = moved
            else:
                object.__setattr__(new, step, moved)  # frozen dataclasses too


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray) or _is_device_array(value)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give the steps and values that a value holds."""
    if isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from value.items()
    elif _is_plain_object(value):
        yield from fields_of(value).items()
        for cls in type(value).__mro__:
            slots = cls.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if not name.startswith("__") and hasattr(value, name):
                    yield name, getattr(value, name)


def _is_plain_object(value: object) -> bool:
    """Whether a value is a user's object, whose fields may hold arrays."""
    if _is_array(value) or isinstance(value, (type, ModuleType)) or callable(value):
        return _is_callable_object(value)
    return fact_of(value).kind == "object"


def _is_callable_object(value: object) -> bool:
    """A layer that can be called is an object; a function or a class is not."""
    builtin = ("builtins", "functools", "numpy")
    module = type(value).__module__.partition(".")[0]
    plain = callable(value) and not isinstance(value, type)
    return plain and module not in builtin
