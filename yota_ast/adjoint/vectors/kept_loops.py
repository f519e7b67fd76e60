"""Whether loops stay that are better loops where a back end makes loops of all.

>>> are_kept()
False
>>> with loops_kept():
...     are_kept()
True
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_KEPT: Final = ContextVar("kept", default=False)


def are_kept() -> bool:
    """Return whether they stay in what is made now."""
    return _KEPT.get()


@contextmanager
def loops_kept() -> Iterator[None]:
    """Let them stay in what is made meanwhile."""
    before = _KEPT.set(True)
    try:
        yield
    finally:
        _KEPT.reset(before)
