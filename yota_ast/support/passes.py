"""Which optional passes run: all of them, unless `YOTA_AST_PASSES` says otherwise.

The passes make the text shorter and faster; the gradient is right without any of them,
and the tests run with all of them, with none, and with each one left out.

>>> wanted("all") == frozenset(_EVERY), wanted("none"), "tidy" in wanted("-tidy")
(True, frozenset(), False)
>>> sorted(wanted("tidy,again"))
['again', 'tidy']
"""

from __future__ import annotations

import functools
import os
from typing import Any, Final

from yota_ast.errors import YotaError

PASSES: Final = (
    "tidy", "copies", "again", "once", "guards", "collect", "inplace", "zeroing",
    "indices", "joined", "numbers", "single", "exits", "masks", "vectors",
    "rebound", "fused", "branches",
)  # fmt: skip
"""tidy: plain expressions. copies: a copy has the adjoint of what it is a copy of, and
what is added to a part of an array leaves the adjoint of that part. again: of a loop
the fewest values are saved from which the others are computed again, of what is only
compared the truth values, and none for its shape where an adjoint has it. once: what
still stands in an array that is written cell by cell is not saved, and what stood in
one before it was written is read in one copy. guards: clauses at the top of a function
return their own gradients. collect: the products of a loop that are only
added up are one product after it. inplace: adjoints add up in memory that the
reverse sweep owns. zeroing: of the adjoints of what is stored none is set to 0 that
nothing reads again, nor one before it has been read, and what was put into a cell goes
on by its name. indices: an index is written where it is used.
joined: what a variable takes one after another is one sum, and numbers are
put side by side at once. numbers: a
number that two names make is computed again rather than named. single: a short
adjoint is written where it is read, if that is once. exits: what a loop computes on its
way out is reversed before the loop. masks: a finite cotangent is multiplied by the
truth values that say where it goes. vectors: a loop of which no iteration depends on
another is done by statements on whole arrays. rebound: an array that is written as a
whole, and that has no other name, is a new value. fused: a loop that only adds up is
reversed within itself. branches: what one way of a choice adds stands in a branch."""


FAST_PASSES: Final = (
    "fast-seed", "fast-joins", "fast-saves", "fast-functions", "fast-totals",
    "fast-sums", "fast-blocks", "fast-columns", "fast-views", "fast-memory",
)  # fmt: skip
"""Those of `fast=True` alone. fast-seed: the cotangent of a number is 1, and no
parameter. fast-joins: what stands between the ends of an array is written into a copy
of it. fast-saves: loops save what is computed last, of as many elements.
fast-functions: functions that NumPy computes slowly are written in others. fast-sums:
sums over rows or columns of products are products of matrices. fast-totals: sums of all
products are inner products, other sums methods of arrays. fast-blocks: elements
are computed in blocks that fit a cache. fast-columns: short rows
are columns there. fast-views: parts of arrays that loops read are
named before them. fast-memory: results are written into operands that are read no
more."""


_EVERY: Final = (*PASSES, *FAST_PASSES)
SETTING: Final = "YOTA_AST_PASSES"


@functools.cache
def wanted(text: str) -> frozenset[str]:
    """The passes that a setting names: `all`, `none`, some, or some left out."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names in ([], ["all"]):
        return frozenset(_EVERY)
    if names == ["none"]:
        return frozenset()
    for name in names:
        if name.removeprefix("-") not in _EVERY:
            raise YotaError(
                f"{SETTING}: no pass {name!r}", remedy=f"The passes: {_EVERY}."
            )
    left_out = {name[1:] for name in names if name.startswith("-")}
    named = {name for name in names if not name.startswith("-")}
    return frozenset((named or set(_EVERY)) - left_out)


def running() -> frozenset[str]:
    """The passes that run."""
    return wanted(os.environ.get(SETTING, "all"))


def setting_test(prefix: str) -> tuple[str, dict[str, object]]:
    """Return the test that the setting is what it is now, and what the names in it
    stand for, which begin with the prefix.

    `os.environ` keeps bytes in a dict of its own: to ask itself for a name that is not
    set costs as much as all the rest of a fast call.
    """
    stored: Any = getattr(os.environ, "_data", os.environ)
    key: Any = getattr(os.environ, "encodekey", str)(SETTING)
    things = {"os": os, "env": os.environ, "get": stored.get, "key": key}
    things["set"] = stored.get(key)
    test = "{0}os.environ is {0}env and {0}get({0}key) == {0}set"
    return test.format(prefix), {f"{prefix}{k}": v for k, v in things.items()}


def enabled(name: str) -> bool:
    """Whether a pass runs."""
    return name in running()
