"""A function of `__main__` -> what a pickle of it holds: its source, and what it reads.

Pickle writes functions by reference, and another process has another `__main__`.

>>> def double(x):
...     return 2 * x
>>> carried(double) is double
True
"""

from __future__ import annotations

import ast
import builtins
import copyreg
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, Final, TypeVar

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.compile import compile_text, find_value, is_generated, recipe_of
from yota_ast.errors import SourceUnavailable
from yota_ast.support.transform import OfLatestCall, Transform, again

Fn = Callable[..., Any]
_MAIN: Final = "__main__"


@dataclass(frozen=True, slots=True)
class Carried:
    """A function by its source: with those of the same module that it calls. recipes:
    how to find the other names that they read."""

    name: str
    source: str
    recipes: Mapping[str, Any]

    def function(self) -> Fn:
        """The function: that of `__main__` here, if it is the same."""
        own = vars(sys.modules[_MAIN]).get(self.name)
        if isinstance(own, FunctionType) and own.__module__ == _MAIN:
            if carried(own).source == self.source:
                return own
        namespace = {name: find_value(recipe) for name, recipe in self.recipes.items()}
        return compile_text(self.source, self.name, namespace).fn


def carried(f: Any) -> Any:
    """What stands for a function in a pickle."""
    if isinstance(f, functools.partial):
        return functools.partial(_Called(carried(f.func)), *f.args, **f.keywords)
    if not _is_of_main(f):
        return f
    texts, names = dict[str, str](), dict[str, Any]()
    _take(f, texts, names)
    recipes = {name: recipe_of(value) for name, value in names.items()}
    return Carried(f.__name__, "\n\n".join(reversed(texts.values())), recipes)


@dataclass(frozen=True, slots=True)
class _Called:
    """Stands for what a partial calls."""

    f: Any

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function: a partial wants something that can be called."""
        return back(self.f)(*args, **kwargs)


def back(f: Any) -> Any:
    """The function that something stands for in a pickle."""
    if isinstance(f, functools.partial) and isinstance(f.func, _Called):
        return functools.partial(back(f.func.f), *f.args, **f.keywords)
    return f.function() if isinstance(f, Carried) else f


def _is_of_main(f: Any) -> bool:
    """Whether pickle finds a function in this process alone."""
    if not isinstance(f, FunctionType) or f.__closure__:
        return False
    plain = f.__name__.isidentifier() and f.__qualname__ == f.__name__
    return plain and (f.__module__ == _MAIN or is_generated(f.__code__.co_filename))


def _take(f: Any, texts: dict[str, str], names: dict[str, Any]) -> None:
    """Note the source of a function, and what it reads."""
    try:
        source = textwrap.dedent(inspect.getsource(f))
    except (OSError, TypeError) as error:
        raise SourceUnavailable(
            f"{f.__name__} cannot be pickled: its source is not there",
            remedy="Define it at the top level of a module.",
        ) from error
    texts[f.__name__] = source
    for name in _reads(source):
        if name in texts or name in names or name not in f.__globals__:
            continue
        value = f.__globals__[name]
        if _is_of_main(value) and value.__name__ == name:
            _take(value, texts, names)
        else:
            names[name] = value


def _reads(source: str) -> Iterator[str]:
    """The names that a source reads, each once, but for Python's own."""
    found = (n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name))
    return (name for name in dict.fromkeys(found) if not hasattr(builtins, name))


def _reduced(made: Transform) -> tuple[Fn, tuple[object, ...]]:
    """Pickle a transform by what it was given."""
    return _made, (made.transform, carried(made.f), made.options)


def _made(transform: Fn, f: Any, options: Mapping[str, object]) -> object:
    """Call a transform as it was called."""
    return again(transform, back(f), options)


T = TypeVar("T", bound=type[Transform])


def pickled_so(cls: T) -> T:
    """Pickle what transforms give that is of this class, exactly."""
    copyreg.pickle(cls, _reduced)
    return cls


for _each in (Transform, OfLatestCall):
    pickled_so(_each)
