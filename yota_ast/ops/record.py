"""One frozen record an operation: all that is known of a function of a library.

>>> OpInfo().memory
'maybe'

To add a property: a field here with the value that stands for "unknown", and a file
beside this one that states it. A field that rules state is in `RULED`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from ..records import dataclass
from ..tape import Apply

Sharing = Literal["fresh", "view", "same", "maybe"]
"""Memory of a result. fresh: its own. view: that of the first argument, certainly.
same: the first argument itself, certainly. maybe: that of any argument, or its own."""

Memory = Sharing | Callable[[Apply], Sharing]
"""The same, or a function of the call, where the arguments decide (`ops/memory.py`)."""


@dataclass(frozen=True, slots=True)
class OpInfo:
    """What is known of a function; each default stands for "unknown".

    memory: whether the result shares memory with the arguments.
    writes: the positions of the arguments whose memory a call changes.
    elementwise: it broadcasts its arguments, and works on each element alone.
    linear: the parameters in each of which it is linear, the others fixed.
    effect: a call must happen once and in its place.
    """

    memory: Memory = "maybe"
    writes: tuple[int, ...] = ()
    elementwise: bool = False
    linear: frozenset[str] = frozenset()
    effect: bool = False


UNKNOWN: Final = OpInfo()
