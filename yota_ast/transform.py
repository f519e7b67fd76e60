"""A transform, a function and options -> the function that the transform gives.

`value_and_grad(f)` is a record of what was called, so that a function which calls it
can be differentiated in turn, and so that it pickles by what it was made of.

>>> def double(x):
...     return 2 * x
>>> def twice(f, wrt=None):
...     run = lambda *args: f(f(*args))
...     return Transform(twice, f, wrt, run, inspect.signature(f))
>>> made = twice(double)
>>> made(1.5), made.__name__, str(inspect.signature(made)), made
(6.0, 'double_twice', '(x)', twice(double))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

Fn = Callable[..., Any]


class Transform:
    """What a transform gives: `transform(f, wrt)`, which runs `run`."""

    def __init__(
        self, transform: Fn, f: Fn, wrt: object, run: Fn, signature: inspect.Signature
    ) -> None:
        self.transform: Final = transform
        self.f: Final = f
        self.wrt: Final = list(wrt) if isinstance(wrt, (list, tuple)) else wrt
        self._run: Final = run
        self.__signature__ = signature.replace(
            return_annotation=inspect.Signature.empty
        )
        self.__name__ = f"{name_of(f)}_{transform.__name__}"
        self.__qualname__ = self.__name__
        self.__module__ = str(getattr(f, "__module__", None) or __name__)
        self.__doc__ = getattr(f, "__doc__", None)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call what the transform gives."""
        return self._run(*args, **kwargs)

    def __reduce__(self) -> tuple[Fn, tuple[object, ...]]:
        """Pickle by the transform and what it was given."""
        return self.transform, (self.f, *self.options)

    @property
    def options(self) -> tuple[object, ...]:
        """What the transform was given beside the function."""
        return () if self.wrt is None else (self.wrt,)

    def __repr__(self) -> str:
        """Show the call."""
        options = "" if self.wrt is None else f", wrt={self.wrt!r}"
        return f"{self.transform.__name__}({name_of(self.f)}{options})"


def name_of(f: Fn) -> str:
    """What a callable is called; of an object that is called its class."""
    return str(getattr(f, "__name__", type(f).__name__))
