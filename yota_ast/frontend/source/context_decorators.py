"""A function that a context decorates -> a plain function with the same `with`.

`np.errstate(...)(f)` and `manager(...)(f)` are closures of libraries, whose text sets
what no program should: here they are what their documentation says that they are.

>>> import numpy as np
>>> @np.errstate(all="ignore")
... def inverse(x):
...     return 1 / x
>>> made = undecorated(inverse)
>>> made is undecorated(inverse), made is inverse, made.__name__
(True, False, 'inverse')
>>> float(made(np.float64(0)))
inf
>>> undecorated(made) is made
True
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

Function = Callable[..., Any]

_NEW: Final[Any] = np.errstate()
SETTINGS: Final = ("all", "divide", "over", "under", "invalid")
_CODES: Final = (
    _NEW(lambda: None).__code__,
    contextlib.ContextDecorator()(lambda: None).__code__,
)
"""Of what np.errstate, and contexts of the standard library, make of any function."""
_MADE: Final = weakref.WeakKeyDictionary[Function, Function]()


def undecorated(fn: Function) -> Function:
    """The plain function, the same one every time; another function as it is."""
    if not isinstance(fn, types.FunctionType) or fn.__code__ not in _CODES:
        return fn
    if fn not in _MADE:
        made = _plain(fn)
        if made is None:
            return fn
        _MADE[fn] = made
    return _MADE[fn]


def own_signature(fn: Function) -> inspect.Signature:
    """What the text of a function takes: neither what it wraps, nor what an attribute
    `__signature__` says of it."""
    if isinstance(fn, types.FunctionType) and "__signature__" in vars(fn):
        bare = types.FunctionType(
            fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__
        )
        for kept in ("__kwdefaults__", "__annotations__"):
            setattr(bare, kept, getattr(fn, kept))
        fn = bare
    return inspect.signature(fn, follow_wrapped=False)


def _plain(fn: types.FunctionType) -> Function | None:
    names = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    cells: dict[str, Any] = {name: cell.cell_contents for name, cell in names}
    context, func = cells["self"], cells["func"]
    if isinstance(context, np.errstate):
        settings = settings_of(context)
        return None if settings is None else with_settings(func, settings)
    if isinstance(context, contextlib._GeneratorContextManager):  # noqa: SLF001
        manager: Any = context
        entered = contextlib.contextmanager(manager.func)
        return within(func, entered, manager.args, manager.kwds)
    return None


def settings_of(context: np.errstate) -> dict[str, str] | None:
    """What np.errstate was given; None where a function is among it."""
    given: Any = context
    if given._call is not _NEW._call:  # noqa: SLF001
        return None
    found = {name: getattr(given, f"_{name}") for name in SETTINGS}
    return {name: how for name, how in found.items() if how is not None}


def with_settings(func: Function, settings: Mapping[str, str]) -> Function:
    """`np.errstate(**settings)(func)`."""

    @functools.wraps(func)
    def inner(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(**settings):  # type: ignore[arg-type]
            return func(*args, **kwargs)

    return inner


def within(
    func: Function,
    manager: Function,
    given: Sequence[Any],
    named: Mapping[str, Any],
) -> Function:
    """`manager(*given, **named)(func)`."""

    @functools.wraps(func)  # the names of its parameters are those of contextlib
    def inner(*args: Any, **kwds: Any) -> Any:
        with manager(*given, **named):
            return func(*args, **kwds)

    return inner
