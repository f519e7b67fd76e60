"""Which optional passes run: all of them, unless `YOTA_AST_PASSES` says otherwise.

The passes make the text shorter and faster; the gradient is right without any of them,
and the tests run with all of them, with none, and with each one left out.

>>> wanted("all") == frozenset(PASSES), wanted("none"), "tidy" in wanted("-tidy")
(True, frozenset(), False)
>>> sorted(wanted("tidy,again"))
['again', 'tidy']
"""

from __future__ import annotations

import functools
import os
from typing import Final

from .errors import YotaError

PASSES: Final = (
    "tidy", "copies", "again", "once", "guards", "inplace", "zeroing", "indices"
)  # fmt: skip
"""tidy: plain expressions. copies: a copy has the adjoint of what it is a copy of, and
what is added to a part of an array leaves the adjoint of that part. again: of a loop
the fewest values are saved from which the others are computed again. once: what still
stands in an array that is written cell by cell is not saved. guards: clauses at the top
of a function return their own gradients. inplace: adjoints add up in memory that the
reverse sweep owns. zeroing: of the adjoints of what is stored none is set to 0 that
nothing reads again. indices: an index is written where it is used."""


@functools.cache
def wanted(text: str) -> frozenset[str]:
    """The passes that a setting names: `all`, `none`, some, or some left out."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names in ([], ["all"]):
        return frozenset(PASSES)
    if names == ["none"]:
        return frozenset()
    for name in names:
        if name.removeprefix("-") not in PASSES:
            raise YotaError(
                f"YOTA_AST_PASSES: no pass {name!r}", remedy=f"The passes: {PASSES}."
            )
    left_out = {name[1:] for name in names if name.startswith("-")}
    named = {name for name in names if not name.startswith("-")}
    return frozenset((named or set(PASSES)) - left_out)


def running() -> frozenset[str]:
    """The passes that run."""
    return wanted(os.environ.get("YOTA_AST_PASSES", "all"))


def enabled(name: str) -> bool:
    """Whether a pass runs."""
    return name in running()
