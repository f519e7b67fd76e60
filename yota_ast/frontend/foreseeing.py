"""A function -> which of those that it calls are large, and called in several places.

Copies of such functions are not wanted in the text. Lowering finds it out as it goes,
and then begins again. What the code alone tells, it knows from the first; where that
was wrong, for a branch is never taken, lowering begins again as well.

>>> def small(x):
...     return x + 1
>>> foreseen(small, lambda fn: False)
frozenset()
"""

from __future__ import annotations

import dis
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

SMALLEST: Final = 50  # ops; what is smaller is inlined however often it is called
MOST_INLINED: Final = 400  # ops of all copies of a function together
_SURE: Final = 2 * SMALLEST  # ops are only guessed here
_ASIDE: Final = ("numpy", "scipy")
_COMPUTING: Final = tuple(
    dis.opmap[name]
    for name in ("BINARY_OP", "COMPARE_OP", "UNARY_NEGATIVE")
    if name in dis.opmap
)


def is_too_much(times: int, size: int) -> bool:
    """Whether one more copy of a function of so many ops is too much."""
    return size >= SMALLEST and (times + 1) * size >= MOST_INLINED


def foreseen(
    fn: types.FunctionType, is_primitive: Callable[[object], bool]
) -> frozenset[object]:
    """The code of large functions that are called in several places."""
    finder = _Finder(is_primitive)
    if finder.size_of(fn) < _SURE:
        return frozenset()
    sizes = finder.sizes.items()
    # What calls itself is not inlined, or is followed to its end.
    large = {c for c, n in sizes if n >= _SURE and c not in finder.calls[c].values()}
    called = Counter[types.CodeType]()
    for caller, names in finder.calls.items():
        within = {name: code for name, code in names.items() if code in large}
        if within:
            called.update(_places(caller, within))
    often = (c for c in large if called[c] > 1)
    return frozenset(c for c in often if called[c] * finder.sizes[c] >= MOST_INLINED)


class _Finder:
    """What is found of the functions that one leads to, each looked into once.

    sizes: how many ops there may be, those of what is called included. calls: the names
    by which code may call other code.
    """

    def __init__(self, is_primitive: Callable[[object], bool]) -> None:
        self.is_primitive = is_primitive
        self.sizes: dict[types.CodeType, int] = {}
        self.calls: dict[types.CodeType, dict[str, types.CodeType]] = {}

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
                if isinstance(inner, types.FunctionType) and self.is_followed(inner):
                    calls[name] = inner.__code__
                    size += self.size_of(inner)
        self.sizes[code] = size
        return size

    def is_followed(self, fn: types.FunctionType) -> bool:
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
    caller: types.CodeType, names: Mapping[str, types.CodeType]
) -> Counter[types.CodeType]:
    """In how many places code calls other code."""
    found = Counter[types.CodeType]()
    parts = [p for p in _parts(caller) if not names.keys().isdisjoint(p.co_names)]
    for each in (i for part in parts for i in dis.get_instructions(part)):
        if each.opname == "LOAD_GLOBAL" and each.argval in names:
            # What is not called here is handed on, and may be called again and again.
            found[names[each.argval]] += 1 if "NULL" in each.argrepr else 2
    return found
