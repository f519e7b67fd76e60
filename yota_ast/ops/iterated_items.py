"""Whose items functions of Python take, and when.

>>> from yota_ast.ops.registry import info
>>> info(sum).taking, info(any).taking, info(zip).taking, info(len).taking
('all', 'some', 'later', 'nothing')
>>> places_of_items(zip, 2), places_of_items(map, 2), places_of_items(max, 2)
(range(0, 2), range(1, 2), range(0, 0))
"""

from __future__ import annotations

import functools
import itertools
from typing import Final

from yota_ast.ops.registry import info, named, state

_FIRST: Final = (0, 1)
_ALL: Final = (0, None)
_BEHIND: Final = (1, None)
"""Those behind a function, which is the first argument."""

state(
    *named("builtins", "bool callable getattr hasattr hash id isinstance len repr str"),
    type,
    taking="nothing",
)
_WHOLE = (
    *named("builtins", "frozenset list max min set sorted sum tuple"),
    *named("math", "fsum prod"),
    *named("numpy", "fromiter"),
)
_SOME = named("builtins", "all any")
_LATER_FIRST = (
    *named("builtins", "enumerate iter"),
    *named("itertools", "accumulate groupby islice pairwise"),
)
_LATER_ALL = (zip, *named("itertools", "compress zip_longest"))
_LATER_BEHIND = (
    *named("builtins", "filter map"),
    *named("itertools", "dropwhile filterfalse starmap takewhile"),
)
state(*_WHOLE, dict, taking="all")  # a mapping is read by its keys
state(*_SOME, taking="some")
state(functools.reduce, taking="in turn", iterated=(1, 2))
_CHAINED = itertools.chain.from_iterable
state(
    *_LATER_FIRST, *_LATER_ALL, *_LATER_BEHIND, itertools.chain, _CHAINED,
    taking="later",
)  # fmt: skip
state(*_WHOLE, *_SOME, *_LATER_FIRST, _CHAINED, iterated=_FIRST)
state(*_LATER_ALL, itertools.chain, iterated=_ALL)
state(*_LATER_BEHIND, iterated=_BEHIND)
state(
    *_WHOLE, *_SOME, *_LATER_FIRST, *_LATER_ALL, *_LATER_BEHIND, _CHAINED,
    fails_at_once=True,
)  # fmt: skip
state(max, min, chooses=True)


def places_of_items(fn: object, count: int) -> range:
    """Which of so many arguments a function takes the items of."""
    known = info(fn)
    if known.chooses and count > 1:
        return range(0)
    first, last = known.iterated
    return range(first, count if last is None else min(last, count))
