"""A function -> which of those that it calls are large, and called in several places.

Copies of such functions are not wanted in the text. Lowering finds it out as it goes,
and then begins again. What the code alone tells, it knows from the first, or, where the
size is not told by the code, when a function has been inlined for the first time; where
that was wrong, for a branch is never taken, lowering begins again as well.

>>> def small(x):
...     return x + 1
>>> foresight(small, lambda fn: False).large
frozenset()
"""

from __future__ import annotations

import dis
import types
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field

SMALLEST: Final = 12  # ops; what is smaller is inlined however often it is called
MOST_INLINED: Final = 400  # ops of all copies of a function together
OFTEN: Final = 4  # copies of a function that is not small
_SURE: Final = 100  # ops are only guessed here
_ASIDE: Final = ("numpy", "scipy")
_COMPUTING: Final = tuple(
    dis.opmap[name]
    for name in ("BINARY_OP", "COMPARE_OP", "UNARY_NEGATIVE")
    if name in dis.opmap
)


def is_too_much(times: int, size: int) -> bool:
    """Whether one more copy of a function of so many ops is too much."""
    return size >= SMALLEST and times + 1 >= copies_that_are_too_many(size)


def copies_that_are_too_many(size: int) -> int:
    """How many copies of a function of so many ops are too much of the text.

    >>> [copies_that_are_too_many(size) for size in (12, 100, 150, 300)]
    [4, 4, 3, 2]
    """
    return min(OFTEN, -(-MOST_INLINED // size))


@dataclass(frozen=True)
class Foresight:
    """What the code tells of the functions to which one leads.

    large: those that are large by their looks, and called in several places. callers:
    of each function, in how many places others call it.
    """

    large: frozenset[object] = frozenset()
    callers: Mapping[object, Mapping[object, int]] = field(default_factory=dict)

    def is_too_much(self, code: object, size: int, apart: Container[object]) -> bool:
        """Whether the copies of a function of so many ops will be too much, where the
        functions apart are not inlined."""
        if size < SMALLEST or code not in self.callers:
            return False
        wanted = copies_that_are_too_many(size)
        return wanted > 1 and self._copies(code, wanted, apart, ()) >= wanted

    def _copies(
        self,
        code: object,
        wanted: int,
        apart: Container[object],
        within: tuple[object, ...],
    ) -> int:
        """How many copies of a function there will be; no more than are wanted."""
        found, inner = 0, (*within, code)
        for caller, places in self.callers.get(code, {}).items():
            if found >= wanted:
                break
            if caller in inner:  # it calls itself
                continue
            times = 1
            if caller in self.callers and caller not in apart:
                times = self._copies(caller, wanted, apart, inner)
            found += places * times
        return min(found, wanted)


def foresight(
    fn: types.FunctionType, is_primitive: Callable[[object], bool]
) -> Foresight:
    """What the code of a function, and of those that it calls, tells."""
    finder = _Finder(is_primitive)
    size = finder.size_of(fn)
    callers: dict[object, Counter[object]] = {}
    for caller, names in finder.calls.items():
        for code, places in _places(caller, names).items():
            callers.setdefault(code, Counter())[caller] += places
    if size < _SURE:
        return Foresight(frozenset(), callers)
    sizes = finder.sizes.items()
    # What calls itself is not inlined, or is followed to its end.
    large = {c for c, n in sizes if n >= _SURE and c not in callers.get(c, ())}
    called = {c: callers[c].total() for c in large & callers.keys()}
    often = (c for c, places in called.items() if places > 1)
    return Foresight(
        frozenset(c for c in often if called[c] * finder.sizes[c] >= MOST_INLINED),
        callers,
    )


class _Finder:
    """What is found of the functions that one leads to, each looked into once.

    sizes: how many ops there may be, those of what is called included. calls: the names
    by which code may call other code; of a class what makes an object, and what calls
    it.
    """

    def __init__(self, is_primitive: Callable[[object], bool]) -> None:
        self.is_primitive = is_primitive
        self.sizes: dict[types.CodeType, int] = {}
        self.calls: dict[types.CodeType, dict[str, tuple[types.CodeType, ...]]] = {}

    def size_of(self, fn: types.FunctionType) -> int:
        """How much a function computes, with all that it calls."""
        code = fn.__code__
        if code in self.sizes:
            return self.sizes[code]
        self.sizes[code] = 0  # of a function that calls itself
        calls = self.calls[code] = {}
        size = 0
        for part in _parts(code):
            size += sum(map(part.co_code[::2].count, _COMPUTING))
            for name in part.co_names:
                inner = fn.__globals__.get(name)
                if type(inner) is types.FunctionType and self.is_followed(inner):
                    calls[name] = (inner.__code__,)
                    size += self.size_of(inner)
                elif isinstance(inner, type) and self.is_followed(inner):
                    calls[name] = self.methods_of(inner)
        self.sizes[code] = size
        return size

    def methods_of(self, cls: type) -> tuple[types.CodeType, ...]:
        """What is called, most likely once each, where an object is made."""
        found = [getattr(cls, name, None) for name in ("__init__", "__call__")]
        methods = [m for m in found if isinstance(m, types.FunctionType)]
        for method in methods:
            self.size_of(method)
        return tuple(m.__code__ for m in methods)

    def is_followed(self, fn: types.FunctionType | type) -> bool:
        """Whether a function may be lowered where it is called."""
        home = (fn.__module__ or "").partition(".")[0]
        return home not in _ASIDE and not self.is_primitive(fn)


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    """Code, and that of the functions and comprehensions written in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _parts(const)


def _places(
    caller: types.CodeType, names: Mapping[str, tuple[types.CodeType, ...]]
) -> Counter[types.CodeType]:
    """In how many places code calls other code."""
    found = Counter[types.CodeType]()
    parts = [p for p in _parts(caller) if not names.keys().isdisjoint(p.co_names)]
    for each in (i for part in parts for i in dis.get_instructions(part)):
        if each.opname == "LOAD_GLOBAL" and each.argval in names:
            # What is not called here is handed on, and may be called again and again.
            places = 1 if "NULL" in each.argrepr else 2
            found.update(dict.fromkeys(names[each.argval], places))
    return found
