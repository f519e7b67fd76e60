"""An array of another library, as far as NumPy's protocols show it.

Whatever mixes it with an ndarray, or converts it to one, is an error, as with arrays of
CuPy; `called` holds the functions that were dispatched.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np


class Mixed(TypeError):  # noqa: N818  its name in the tests
    """An ndarray beside an array of the other library."""


class Duck(np.lib.mixins.NDArrayOperatorsMixin):
    """Wraps an ndarray."""

    called: ClassVar[set[Any]] = set()  # of all together

    def __init__(self, inner: Any) -> None:
        self.inner = np.asarray(inner)

    def __array_ufunc__(
        self, ufunc: Any, method: str, *args: Any, **kwargs: Any
    ) -> Any:
        Duck.called.add(ufunc)
        return wrapped(getattr(ufunc, method)(*bare(args), **bare(kwargs)))

    def __array_function__(self, fn: Any, _types: Any, args: Any, kwargs: Any) -> Any:
        Duck.called.add(fn)
        return wrapped(fn(*bare(args), **bare(kwargs)))

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Mixed("an array of the other library is made an ndarray")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.inner, name)
        if not callable(found):
            return wrapped(found)
        return lambda *args, **kwargs: wrapped(found(*bare(args), **bare(kwargs)))

    def __getitem__(self, index: Any) -> Any:
        return wrapped(self.inner[bare(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.inner[bare(index)] = bare(value)

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Any:
        return (wrapped(row) for row in self.inner)

    def __float__(self) -> float:
        return float(self.inner)

    def __int__(self) -> int:
        return int(self.inner)

    def __bool__(self) -> bool:
        return bool(self.inner)


def wrapped(value: Any) -> Any:
    """Results: arrays, and numbers of NumPy's, which are arrays there too."""
    if isinstance(value, np.ndarray | np.generic):
        return Duck(value)
    return within(wrapped, value)


def within(f: Any, value: Any) -> Any:
    """f of what a container holds; another value itself."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(f, value))
    if isinstance(value, list | tuple):
        return type(value)(map(f, value))
    if isinstance(value, dict):
        return {k: f(v) for k, v in value.items()}
    return value


def bare(value: Any) -> Any:
    """Arguments; an ndarray among them is a mixture."""
    if isinstance(value, Duck):
        return value.inner
    if isinstance(value, np.ndarray):
        raise Mixed("an ndarray is mixed with arrays of the other library")
    return within(bare, value)


def given(value: Any) -> Any:
    """An argument of an operation, its arrays those of the other library."""
    return Duck(value.copy()) if isinstance(value, np.ndarray) else within(given, value)


def taken(value: Any) -> Any:
    """A result as NumPy's."""
    return value.inner if isinstance(value, Duck) else within(taken, value)
