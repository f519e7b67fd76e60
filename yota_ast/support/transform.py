"""A transform, a function and options -> the function that the transform gives.

`value_and_grad(f)` is a record of what was called, so that a function which calls it
can be differentiated in turn, and so that it pickles by what it was made of.

>>> def double(x):
...     return 2 * x
>>> def twice(f, wrt=None):
...     "f of f."
...     run = lambda *args: f(f(*args))
...     return Transform(twice, f, {"wrt": wrt}, run, inspect.signature(f))
>>> made = twice(double, wrt="x")
>>> made(1.5), made.__name__, str(inspect.signature(made)), made
(6.0, 'double_twice', '(x)', twice(double, wrt='x'))
>>> print(made.__doc__)
twice(double, wrt='x'): f of f.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

from yota_ast.support.tracebacks import trim

Fn = Callable[..., Any]


class Transform:
    """What a transform gives: `transform(f, **options)`, which runs `run`.

    options: what the transform was given beside the function; an option that is its
    default is left out.
    """

    def __init__(
        self,
        transform: Fn,
        f: Fn,
        options: Mapping[str, object],
        run: Fn,
        signature: inspect.Signature,
    ) -> None:
        self.transform: Final = transform
        self.f: Final = f
        self.options: Final = dict(_said(transform, options))
        self._run: Final = run
        self.__signature__ = signature.replace(
            return_annotation=inspect.Signature.empty
        )
        self.__name__ = f"{name_of(f)}_{transform.__name__}"
        self.__qualname__ = self.__name__
        self.__module__ = str(getattr(f, "__module__", None) or __name__)
        self.__doc__ = _doc(self)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call what the transform gives."""
        try:  # as `public` does, in the frame that is there
            return self._run(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise

    @property
    def source(self) -> NoReturn:
        """What it runs depends on the arguments: say where their source is."""
        raise AttributeError(
            f"{self!r} has no source of its own, for it compiles what each call needs. "
            f"The source of a gradient is `simplegrad({name_of(self.f)}, ...).source`, "
            "with the arguments of a call."
        )

    def __reduce__(self) -> tuple[Fn, tuple[object, ...]]:
        """Pickle by the transform and what it was given."""
        return again, (self.transform, self.f, self.options)

    def __repr__(self) -> str:
        """Show the call."""
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"{self.transform.__name__}({name_of(self.f)}{options})"


class OfLatestCall(Transform):
    """What a transform gives that keeps the code of its latest call: `run.latest` holds
    the sources."""

    @property
    def source(self) -> str:  # type: ignore[override]
        """The generated code of the latest call."""
        latest: list[str] = self._run.latest  # type: ignore[attr-defined]
        if not latest:
            raise AttributeError(
                f"{self!r} has no source yet: it is made for the arguments of a call"
            )
        return "\n\n".join(latest)


def again(transform: Fn, f: Fn, options: Mapping[str, object]) -> object:
    """Call a transform as it was called."""
    return transform(f, **options)


def _said(transform: Fn, options: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The options that are not as they are where nothing is said."""
    for name, value in options.items():
        default = inspect.signature(transform).parameters[name].default
        if value is not default and value is not getattr(default, "value", default):
            yield name, list(value) if isinstance(value, tuple) else value


def _doc(made: Transform) -> str:
    """The first sentences of the transform's docstring, then what f says of itself."""
    head = (inspect.getdoc(made.transform) or "").partition("\n\n")[0]
    own = inspect.getdoc(made.f) if hasattr(made.f, "__name__") else None
    return f"{made!r}: {head}" + (f"\n\n{own}" if own else "")


def name_of(f: Fn) -> str:
    """What a callable is called; of an object that is called its class."""
    return str(getattr(f, "__name__", type(f).__name__))
