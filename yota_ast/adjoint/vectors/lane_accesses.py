"""What a loop reads and writes -> whether its iterations may run side by side.

All that one statement does is done before the next. So no iteration may read or write
what another writes; sums that nothing else touches may be added to in any order. And no
part of an array may be read once more after it has been written.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Literal, NamedTuple

from yota_ast.adjoint.vectors.index_regions import Lanes, Region, lane_of


class Access(NamedTuple):
    """What an op reads or writes of an array that the loop writes; at: the place of the
    op; value: what it reads, by its name."""

    root: str
    region: Region
    how: Literal["read", "put", "sum"]
    at: int
    value: str = ""


def are_independent(
    accesses: Sequence[Access], lanes: Lanes, uses: Sequence[Container[str]]
) -> bool:
    """Return whether statements may do for all iterations what the loop does; uses: for
    each of its ops, the values whose memory it reads."""
    for n, one in enumerate(accesses):
        for other in accesses[: n + 1]:
            if one.root == other.root and _may_meet(one, other, lanes):
                return False
    return all(_is_current(a, accesses, lanes, uses) for a in accesses)


def _may_meet(one: Access, other: Access, lanes: Lanes) -> bool:
    """Return whether two iterations may be in the way of each other."""
    if one.how == other.how and one.how in ("read", "sum"):
        return False
    first, second = lane_of(one.region), lane_of(other.region)
    if first is not None and first == second:
        return False
    return not lanes.are_apart(one.region, other.region)


def _is_current(
    read: Access,
    accesses: Sequence[Access],
    lanes: Lanes,
    uses: Sequence[Container[str]],
) -> bool:
    """Return whether what was read is written only after it is used last."""
    if read.how != "read":
        return True
    last = max((k for k, names in enumerate(uses) if read.value in names), default=0)
    return not any(
        write.how != "read"
        and write.root == read.root
        and read.at < write.at < last
        and not lanes.are_apart(read.region, write.region)
        for write in accesses
    )
