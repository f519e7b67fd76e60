"""Names, and what follows each -> all that can be reached from some of them.

>>> made_of = {"z": ("y", "x"), "y": ("x",), "w": ("v",)}
>>> sorted(reach(["z"], made_of.get))
['x', 'y', 'z']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def reach(start: Iterable[T], following: Callable[[T], Iterable[T] | None]) -> set[T]:
    """Return what can be reached from some names or variables, these among them."""
    found = set(start)
    waiting = [*found]
    while waiting:
        for name in following(waiting.pop()) or ():
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
