"""Functions of the standard library that change a list, in Python: those of heapq are
its own, so that a heap has its items where Python has them.

>>> heap = [5, 1, 3]
>>> heapify(heap)
>>> heappop(heap), heap
(1, [3, 5])
"""

from __future__ import annotations

import bisect
import heapq
import random
from typing import Any, Final


def sift_down(heap: list[Any], start: int, place: int) -> None:
    """Move an item of a heap towards its root, as far as it is the smaller one."""
    item = heap[place]
    while place > start:
        above = (place - 1) // 2
        parent = heap[above]
        if not item < parent:
            break
        heap[place] = parent
        place = above
    heap[place] = item


def sift_up(heap: list[Any], start: int) -> None:
    """Move an item of a heap to a leaf, and from there to where it belongs."""
    place, item, child = start, heap[start], 2 * start + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    sift_down(heap, start, place)


def heappush(heap: list[Any], item: Any) -> None:
    """`heapq.heappush`."""
    heap.append(item)
    sift_down(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    """`heapq.heappop`."""
    last = heap.pop()
    return heapreplace(heap, last) if heap else last


def heapreplace(heap: list[Any], item: Any) -> Any:
    """`heapq.heapreplace`."""
    smallest = heap[0]
    heap[0] = item
    sift_up(heap, 0)
    return smallest


def heappushpop(heap: list[Any], item: Any) -> Any:
    """`heapq.heappushpop`."""
    return heapreplace(heap, item) if heap and heap[0] < item else item


def heapify(heap: list[Any]) -> None:
    """`heapq.heapify`."""
    for k in range(len(heap) // 2 - 1, -1, -1):
        sift_up(heap, k)


def nsmallest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    """`heapq.nsmallest`."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    """`heapq.nlargest`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def insort_right(a: list[Any], x: Any, *range_: Any) -> None:
    """`bisect.insort`."""
    a.insert(bisect.bisect_right(a, x, *range_), x)


def insort_left(a: list[Any], x: Any, *range_: Any) -> None:
    """`bisect.insort_left`."""
    a.insert(bisect.bisect_left(a, x, *range_), x)


def shuffle(x: list[Any]) -> None:
    """`random.shuffle`: `randrange` draws as it does."""
    for i in range(len(x) - 1, 0, -1):
        j = random.randrange(i + 1)  # noqa: S311
        x[i], x[j] = x[j], x[i]


CHANGING_LISTS: Final[dict[object, Any]] = {
    heapq.heappush: heappush,
    heapq.heappop: heappop,
    heapq.heapreplace: heapreplace,
    heapq.heappushpop: heappushpop,
    heapq.heapify: heapify,
    heapq.nsmallest: nsmallest,
    heapq.nlargest: nlargest,
    bisect.insort_right: insort_right,
    bisect.insort_left: insort_left,
    random.shuffle: shuffle,
}
"""The functions and their models."""
