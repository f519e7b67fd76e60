"""Seconds -> a block that raises where it computes for longer.

>>> with at_most(60):
...     print("done")
done
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 60  # seconds of computing: a program that takes more counts as a failure


class TooLongError(BaseException):
    """What is computed does not come to an end."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TooLongError in what computes for longer, in the main thread; time in which
    other processes run does not count."""

    def stop(*_: object) -> None:
        raise TooLongError(f"more than {seconds} s")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
