"""An object of a library that is called -> the user's functions that it holds.

A dispatcher chooses one of them by the types of the arguments; a decorator that is a
class calls the one that it was given. It is looked for where a refusal is told, so that
the refusal can name the function to call instead.

>>> import functools
>>> functions_inside(functools.partial(max, 3))
[]
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Final, NoReturn

from yota_ast.errors import Location, SourceUnavailable, UnsupportedCall
from yota_ast.frontend.source.source_refusals import is_virtual, not_a_function
from yota_ast.support.file_owners import is_users
from yota_ast.support.proxies import is_a, poses_as_another

_DEPTH: Final = 5
_MOST: Final = 500
"""How many objects are looked at."""


def functions_inside(thing: object) -> list[FunctionType]:
    """Return the functions in a user's files that something of a library reaches."""
    found, seen = list[FunctionType](), {id(thing)}
    ahead = deque([(thing, 0)])
    while ahead and len(seen) < _MOST:
        one, depth = ahead.popleft()
        for part in _parts(one):
            if id(part) in seen or isinstance(part, (type, ModuleType)):
                continue
            seen.add(id(part))
            if is_written_by_user(part):
                found.append(part)  # type: ignore[arg-type]
            elif depth < _DEPTH:
                ahead.append((part, depth + 1))
    return found


def told_of_held(
    name: str, fn: object, at: Location | None, *, called: bool, why: str = ""
) -> SourceUnavailable | None:
    """Return the refusal of an object that holds functions of the user's, which names
    them; None of anything else. called: it is called in a function; else it is
    differentiated itself."""
    held = functions_inside(fn)
    if not held:
        return None
    does = "Call" if called else "Differentiate"
    places = ", ".join(
        f"`{f.__name__}` at {f.__code__.co_filename}:{f.__code__.co_firstlineno}"
        for f in held[:3]
    )
    if len(held) > 1:
        reason = f"`{name}` chooses one of {len(held)} functions"
        which = "the one for these arguments"
    else:
        reason = f"a decorator of `{held[0].__name__}` is not followed"
        which = "the function inside"
    return SourceUnavailable(
        f"{reason}{': ' if why else ''}{why}",
        at=at,
        remedy=f"{does} {which} by a name of its own: {places}.",
    )


def refuse_without_source(name: str, fn: object, at: Location) -> NoReturn:
    """Refuse the call of what is not written in Python and has no rule."""
    compiled = hasattr(fn, "py_func")  # by Numba, which computes otherwise
    told = None if compiled else told_of_held(name, fn, at, called=True)
    if told is not None:
        raise told
    raise UnsupportedCall(
        f"`{name}` has no rule, and no Python source",
        at=at,
        remedy=f"Register a rule for `{name}` with diffrule, or nodiff where it has "
        "no derivative.",
    )


def no_function(fn: object) -> SourceUnavailable:
    """Return the refusal of something without a Python function to differentiate."""
    name = getattr(fn, "__name__", type(fn).__name__)
    chosen = len(functions_inside(fn)) > 1
    told = told_of_held(name, fn, None, called=False) if chosen else None
    return told or not_a_function(fn)


def _parts(one: object) -> Iterable[object]:
    if poses_as_another(one):
        return
    if isinstance(one, FunctionType):
        yield from _cells(one)
        if is_virtual(one.__code__.co_filename):
            names = one.__code__.co_names
            yield from (one.__globals__[n] for n in names if n in one.__globals__)
    elif isinstance(one, Mapping):
        if "__builtins__" not in one:  # of a module
            yield from one.values()
    elif not _is_users_object(one):
        yield from gc.get_referents(one)


def _cells(fn: FunctionType) -> Iterable[object]:
    for cell in fn.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a name without a value yet
            continue


def _is_users_object(one: object) -> bool:
    init = getattr(type(one), "__init__", None)
    return is_written_by_user(init)


def is_written_by_user(fn: object) -> bool:
    """Whether something is a function that stands in a file of the user's."""
    if not is_a(fn, FunctionType):
        return False
    filename = fn.__code__.co_filename
    return is_users(filename) and not is_virtual(filename)
