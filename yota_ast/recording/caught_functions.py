"""Functions with rules -> the same, whose calls with recorded values are recorded.

Functions of NumPy's own ask their arguments who computes them. Those that are written
in Python do not, whoever holds them and calls them: while a function is recorded, their
code is one that asks. Other threads that call them get the same values as ever.

>>> def twice(x):
...     return 2 * x
>>> def record(fn, original, args, kwargs):
...     return fn.__name__, original(*args)
>>> with caught([twice], record, lambda args: args[0] == (1.0,)):
...     twice(0.0), twice(1.0)
(0.0, ('twice', 2.0))
>>> twice(1.0)
2.0
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import RLock
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any, Final

Fn = Callable[..., Any]
Record = Callable[[Fn, Fn, tuple[Any, ...], Mapping[str, Any]], Any]
"""What is called in place of a function: with it, and with what does what it does."""
_LOCK: Final = RLock()
_MARK: Final = "what is called"
_MODULES: Final = (math, cmath)
_SIGNED: Final = "__wrapped__"
CAUGHT: Final = "_caught"
"""The attribute of what stands in the place of a function: the function."""


def _stub(*args: Any, **kwargs: Any) -> Any:
    called: Any = "what is called"
    return called(args, kwargs)


@contextmanager
def caught(
    fns: Iterable[Any], record: Record, is_recorded: Callable[[Any], bool]
) -> Iterator[None]:
    """While this is open, call `record` in place of functions of which an argument is
    recorded."""
    fns = tuple(fns)
    with _LOCK:
        undo: list[Callable[[], None]] = []
        try:
            for plain, owned in _by_code(fns).items():
                original = _copy_of(plain)
                undo.append(partial(_restore, plain, original))
                asks = _asking(plain, original, owned, record, is_recorded)
                plain.__code__ = _code_of(asks, plain.__code__)
                plain.__dict__[_SIGNED] = original  # `inspect.signature` reads it
            for fn in fns:
                if isinstance(fn, BuiltinFunctionType) and fn.__self__ in _MODULES:
                    undo.append(partial(setattr, fn.__self__, fn.__name__, fn))
                    setattr(fn.__self__, fn.__name__, _around(fn, record, is_recorded))
            yield
        finally:
            for each in undo:
                each()


def _restore(plain: FunctionType, original: FunctionType) -> None:
    plain.__code__ = original.__code__
    if _SIGNED in original.__dict__:
        plain.__dict__[_SIGNED] = original.__dict__[_SIGNED]
    else:
        del plain.__dict__[_SIGNED]


def _by_code(fns: Iterable[Any]) -> dict[FunctionType, list[tuple[Any, Fn]]]:
    """The plain functions, each with the objects whose method it is, and what is called
    of these."""
    found: dict[FunctionType, list[tuple[Any, Fn]]] = {}
    for fn in fns:
        if isinstance(fn, FunctionType):
            found.setdefault(fn, [])
            continue
        method = fn if isinstance(fn, MethodType) else getattr(fn, "__call__", None)  # noqa: B004
        plain = getattr(method, "__func__", None)
        if isinstance(plain, FunctionType) and method is not None:
            found.setdefault(plain, []).append((method.__self__, fn))
    return found


def _around(
    fn: Any, record: Record, is_recorded: Callable[[Any], bool]
) -> Callable[..., Any]:
    """A function of C: its module holds another in its place."""

    def asks(*args: Any, **kwargs: Any) -> Any:
        if not is_recorded((args, kwargs)):
            return fn(*args, **kwargs)
        return record(fn, fn, args, kwargs)

    setattr(asks, CAUGHT, fn)
    return asks


def _asking(
    plain: FunctionType, original: FunctionType, owned: list[tuple[Any, Fn]],
    record: Record, is_recorded: Callable[[Any], bool],
) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:  # fmt: skip
    def asks(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not is_recorded((args, kwargs)):
            return original(*args, **kwargs)
        for owner, fn in owned:
            if args and args[0] is owner:
                bound = MethodType(original, owner)
                return record(fn, bound, args[1:], kwargs)
        if owned:
            return original(*args, **kwargs)
        return record(plain, original, args, kwargs)

    return asks


def _copy_of(fn: FunctionType) -> FunctionType:
    made = FunctionType(
        fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__
    )
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__dict__.update(fn.__dict__)
    return made


def _code_of(asks: Fn, code: CodeType) -> CodeType:
    """Code that calls `asks`, for a function with the closure of some code."""
    own = _stub.__code__
    consts = tuple(asks if const == _MARK else const for const in own.co_consts)
    return own.replace(
        co_consts=consts, co_freevars=code.co_freevars, co_name=code.co_name
    )
