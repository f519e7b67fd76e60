"""A function that a decorator of a library wraps -> the refusal that can be followed.

What stands in the decorator's own code is nobody's to change. Where it is refused, the
error names the line at which the user defines the function, or calls it, and says how
to reach the function inside.

>>> def plain(x):
...     return x
>>> inner_of(plain)
>>> path_to(plain, plain)
'plain'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType

from yota_ast.errors import InternalError, Location, SourceUnavailable, YotaError
from yota_ast.frontend.source.functions_inside import is_written_by_user, told_of_held
from yota_ast.frontend.source.source_refusals import first_line
from yota_ast.support.file_owners import is_users


def inner_of(fn: object) -> FunctionType | None:
    """Return the user's function inside a wrapper that a library, or `exec`, has made,
    a function or an object that is called; None of any other function."""
    called = called_of(fn)
    if called is None or is_written_by_user(called):
        return None
    inner: object = fn
    while isinstance(getattr(inner, "__wrapped__", None), FunctionType):
        inner = inner.__wrapped__  # type: ignore[attr-defined]
    found = is_written_by_user(inner)
    return inner if found and isinstance(inner, FunctionType) else None


def is_of_library(fn: object) -> bool:
    """Whether what runs where `fn` is called was not written by the user."""
    called = called_of(fn)
    return called is not None and not is_written_by_user(called)


def called_of(fn: object) -> FunctionType | None:
    """Return the function that runs where a function or an object is called."""
    if isinstance(fn, FunctionType):
        return fn
    cls = type(None) if isinstance(fn, type) else type(fn)
    method = getattr(cls, "__call__", None)  # noqa: B004  it is to be had
    return method if isinstance(method, FunctionType) else None


def object_or(fn: object, examples: Mapping[str, object] | None) -> object:
    """Return what the user calls: the object, where `fn` is its `__call__`, and else
    the function."""
    first = next(iter((examples or {}).values()), None)
    return first if called_of(first) is fn else fn


def path_to(inner: FunctionType, fn: object) -> str:
    """Return how the function inside is reached: `f.__wrapped__.__wrapped__`."""
    path = inner.__qualname__.rpartition("<locals>.")[2]
    while fn is not inner:
        path, fn = f"{path}.__wrapped__", getattr(fn, "__wrapped__", inner)
    return path


@contextmanager
def refused_at_user(
    fn: object, called_at: Callable[[], Location] | None = None
) -> Iterator[None]:
    """While a function is lowered: say of a refusal in its wrapper what can be done.

    called_at: gives the place of the call; None: the function is differentiated itself.
    """
    try:
        yield
    except InternalError:
        raise
    except YotaError as error:
        told = told_of_wrapper(fn, called_at, error)
        if told is error:
            raise
        raise told from None


def told_of_wrapper(
    fn: object, called_at: Callable[[], Location] | None, error: YotaError
) -> YotaError:
    """Return what to say of a refusal in a wrapper; another refusal as it is."""
    inner = inner_of(fn)
    if not _is_of_wrapper(error):
        return error
    if inner is None:
        return _told_without_inner(fn, called_at, error)
    does = "Differentiate" if called_at is None else "Call"
    path = path_to(inner, fn)
    return type(error)(
        f"a decorator of `{inner.__name__}` is not followed: {error.reason}",
        at=first_line(inner) if called_at is None else called_at(),
        remedy=f"{does} `{path}`, the function inside.",
    )


def _told_without_inner(
    fn: object, called_at: Callable[[], Location] | None, error: YotaError
) -> YotaError:
    """What to say where nothing leads from a wrapper to the function inside."""
    called = called_of(fn)
    if called is not None and not is_written_by_user(called):
        name = getattr(fn, "__name__", type(fn).__name__)
        at = None if called_at is None else called_at()
        told = told_of_held(
            name, fn, at, called=called_at is not None, why=error.reason
        )
        if told is not None:
            return told
    return _told_of_library(fn, error) if called_at is None else error


def _told_of_library(fn: object, error: YotaError) -> YotaError:
    """What to say where a function of a library is differentiated itself: nobody is to
    change its text. Another refusal as it is."""
    if error.at is None or is_users(error.at.filename):
        return error
    if error.at.caller is not None and not error.at.called:  # a model of ours
        return error
    name = getattr(fn, "__name__", type(fn).__name__)
    return type(error)(
        error.reason,
        at=error.at,
        remedy=f"`{name}` belongs to a library. Write a function that computes the "
        "same, or state its derivative with `diffrule`.",
    )


def _is_of_wrapper(error: YotaError) -> bool:
    """Say whether an error is of the wrapper, not of the function inside."""
    if error.at is None or isinstance(error, SourceUnavailable):
        return True
    return not is_users(error.at.filename)
