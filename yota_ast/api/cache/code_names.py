"""The code of a function -> the names that it looks up, and where.

>>> def scaled(x):
...     return SCALE * x.size
>>> read = reads_of(scaled.__code__)
>>> [*of_modules(read)], [*of_objects(read)], [*names_in(scaled.__code__)]
(['SCALE'], ['size'], ['SCALE', 'size'])
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
from collections.abc import Iterable, Iterator
from typing import Final

_OF_SCOPES: Final = frozenset(
    ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
)
"""The instructions that look a name up in a module, not in an object."""
_HAVE_NAMES: Final = frozenset(dis.hasname)


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names in code, and in the code of functions within."""
    yield from code.co_names
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from names_in(constant)


def of_modules(named: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The names that instructions look up in a module."""
    return (name for op, name in named if op in _OF_SCOPES)


def of_objects(named: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The names that instructions look up in objects."""
    return (name for op, name in named if op not in _OF_SCOPES)


@functools.lru_cache(1024)
def reads_of(code: types.CodeType) -> tuple[tuple[str, str], ...]:
    """The instructions of code that have a name, and it, each once. Kept: each compile
    asks it of all functions that it follows."""
    return tuple(dict.fromkeys(_named(code)))


def _named(code: types.CodeType) -> Iterator[tuple[str, str]]:
    """The same, in order."""
    ops = {dis.opname[op] for op in set(code.co_code[::2]) & _HAVE_NAMES}
    if ops <= _OF_SCOPES:  # as in most formulas: no need to ask which names
        yield from ((op, name) for op in sorted(ops) for name in code.co_names)
    else:
        for each in dis.get_instructions(code):
            if each.opcode in dis.hasname:
                yield each.opname, str(each.argval)
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _named(constant)


def asked_for(code: types.CodeType) -> Iterator[str]:
    """The attributes that code may ask whether they are there: those it names as
    strings, and all where it catches that there is none."""
    names = set(names_in(code))
    if "AttributeError" in names:
        yield from names
    if names & {"hasattr", "getattr"}:
        yield from _strings(code)


def _strings(code: types.CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _strings(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            yield constant
