"""What is computed from what, and the cost of keeping each -> the cheapest to keep.

In: a graph of values, edges from operands to results; which values nothing gives again
(`sources`), which are wanted, and what each costs to keep. Out: the values of least
total cost that give all that is wanted: a minimal vertex cut, the one nearest to the
sources where several cost the same, or the one nearest to what is wanted.

>>> cheapest({"x": (), "t": ("x",), "u": ("x",)}, {"x"}, ["t", "u"], lambda v: 5)
['x']
>>> cheapest({"x": (), "t": ("x",)}, {"x"}, ["t"], {"x": 9, "t": 5}.__getitem__)
['t']
>>> cheapest({"x": (), "t": ("x",)}, {"x"}, ["t"], lambda v: 5, late=True)
['t']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

_Node = tuple[str, int]  # a value as it is made (0), and as it is read (1)
_ENDLESS = 1 << 60
_START: _Node = ("", 0)
_END: _Node = ("", 1)


def cheapest(
    operands: Mapping[str, tuple[str, ...]],
    sources: AbstractSet[str],
    wanted: Iterable[str],
    cost: Callable[[str], int],
    *,
    late: bool = False,
) -> list[str]:
    """The values to keep, in the order of `operands`; late: those nearest to what is
    wanted, so that little is computed again."""
    room: dict[_Node, dict[_Node, int]] = {_START: {}, _END: {}}

    def edge(a: _Node, b: _Node, capacity: int) -> None:
        room.setdefault(a, {})[b] = capacity
        room.setdefault(b, {}).setdefault(a, 0)

    for name, reads in operands.items():
        edge((name, 0), (name, 1), cost(name))
        for read in reads:
            edge((read, 1), (name, 0), _ENDLESS)
        if name in sources:
            edge(_START, (name, 0), _ENDLESS)
    for name in wanted:
        edge((name, 1), _END, _ENDLESS)
    while (path := _path(room)) is not None:
        flow = min(room[a][b] for a, b in path)
        for a, b in path:
            room[a][b] -= flow
            room[b][a] += flow
    if late:
        far = _leading_to_end(room)
        return [n for n in operands if (n, 0) not in far and (n, 1) in far]
    near = set(_reached(room))
    return [n for n in operands if (n, 0) in near and (n, 1) not in near]


def _reached(room: dict[_Node, dict[_Node, int]]) -> dict[_Node, _Node]:
    """The nodes with room on the way from the start, and where each is reached from."""
    came: dict[_Node, _Node] = {_START: _START}
    queue = [_START]
    for node in queue:
        for following, capacity in room[node].items():
            if capacity > 0 and following not in came:
                came[following] = node
                queue.append(following)
    return came


def _leading_to_end(room: dict[_Node, dict[_Node, int]]) -> set[_Node]:
    """The nodes with room on the way to the end."""
    before: dict[_Node, list[_Node]] = {node: [] for node in room}
    for node, following in room.items():
        for other, capacity in following.items():
            if capacity > 0:
                before[other].append(node)
    found, waiting = {_END}, [_END]
    while waiting:
        new = [n for n in before[waiting.pop()] if n not in found]
        found.update(new)
        waiting += new
    return found


def _path(room: dict[_Node, dict[_Node, int]]) -> list[tuple[_Node, _Node]] | None:
    came = _reached(room)
    if _END not in came:
        return None
    path, at = [], _END
    while at != _START:
        path.append((came[at], at))
        at = came[at]
    return path
