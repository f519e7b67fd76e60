"""A function -> the same, under which calls of any depth lie in one piece of memory.

Python keeps frames in pieces of 16 KiB that it asks of the system, and gives back as
soon as they are empty. A compiler goes up and down through some hundred calls, and so
across the edges of such pieces again and again: thousands of times the system maps a
piece, and clears it. Under a frame that asks for much room there is room for all.

>>> def depth(n):
...     return n and 1 + depth(n - 1)
>>> roomy(depth)(500)
500
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_ROOM: Final = 70_000
"""Values on the stack of a frame: a little more than half of a mebibyte, so that it
gets a piece of one, and leaves the rest to the calls beneath. What nobody touches takes
no memory."""


def roomy(fn: F) -> F:
    """Run a function in a frame with much room."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    run.__code__ = run.__code__.replace(co_stacksize=_ROOM)
    return functools.wraps(fn)(run)  # type: ignore[return-value]
