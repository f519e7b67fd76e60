"""The tables and the lists of functions -> cells: a case in one of the modes.

`CELLS` are all of them, `SLICE` those that every run of the tests tries: each operation
of the tables in one mode, and one in ten of the lists.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..operations import OPERATIONS, Op
from ..rules.coverage_lists import DIFFERENTIABLE, ZERO, Use
from ..rules.scipy_lists import CHECKS
from ..rules.scipy_operations import OPERATIONS as OF_SCIPY
from .case import Case, made, numbers
from .modes import MODES

NOT_REPEATABLE = ("np.empty", "'empty'")  # whatever the memory holds
OF_LISTS = ("forward", "second")
"""The modes of the lists; the reverse has tests of its own, with all promises."""


@dataclass(frozen=True)
class Cell:
    """A case in a mode."""

    case: Case
    mode: str

    def __str__(self) -> str:
        return f"{self.mode}: {self.case.name}"


def _cases(uses: Iterable[Op | Use]) -> Iterator[Case]:
    """The uses in which something varies, and what is a number."""
    for one in uses:
        if any(text in one.text for text in NOT_REPEATABLE):
            continue
        case = made(one)
        if case.asked and numbers("y", case.value):
            yield case


def _numbered(cases: Iterable[Case]) -> Iterator[Case]:
    """The same, with names apart: other values of the same kinds."""
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.name] += 1
        count = seen[case.name]
        yield case if count == 1 else replace(case, name=f"{case.name} ({count})")


TABLE = list(_numbered(_cases((*OPERATIONS, *OF_SCIPY))))
LISTS = {
    listing: {name: list(_cases(uses)) for name, uses in entries.items()}
    for listing, entries in
    {"numpy": DIFFERENTIABLE, "zero": ZERO, "scipy": CHECKS}.items()
}  # fmt: skip
LISTED = {
    case.name: case
    for entries in LISTS.values()
    for cases in entries.values()
    for case in cases
}
OF_TABLE = [Cell(case, mode) for case in TABLE for mode in MODES]
_THERE = {case.name for case in TABLE}
OF_LIST = [
    Cell(case, mode)
    for case in LISTED.values()
    if case.name not in _THERE
    for mode in OF_LISTS
]
CELLS = [*OF_TABLE, *OF_LIST]


def _slice() -> list[Cell]:
    drawn = random.Random(1)
    width = len(MODES)
    rows = [OF_TABLE[k : k + width] for k in range(0, len(OF_TABLE), width)]
    return [*map(drawn.choice, rows), *drawn.sample(OF_LIST, len(OF_LIST) // 10)]


SLICE = _slice()


def right_in(mode: str, listing: str, refused: Mapping[str, str]) -> int:
    """Of how many functions of a list all uses are right in a mode."""
    return sum(
        not any(str(Cell(case, mode)) in refused for case in cases)
        for cases in LISTS[listing].values()
    )
