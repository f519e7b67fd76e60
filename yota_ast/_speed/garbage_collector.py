"""The garbage collector, put off while a function is compiled, or modules are read.

A compile makes some hundred thousand small records that nearly all live to its end.
The collector would walk over them again and again, an eighth of all the time taken,
and find next to nothing: most of what is dropped is freed at once. So what was made
counts as old afterwards. All that is old is looked at when as much again has come:
Python itself does not count what grew old in this way.

>>> with kept_off():
...     gc.isenabled()
False
>>> gc.isenabled()
True
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LOCK: Final = threading.RLock()  # what a collection finalises may compile
_LEAST: Final = 500_000
"""Objects that are not worth a look: what the import and some
hundred compiles leave."""


_OF_PYTHON: Final = 2_000
"""Objects that Python itself may keep frozen: 3.12 begins with some hundred. Who calls
`gc.freeze` freezes all that there are, ten thousand and more."""


class _Holders:
    """How many compiles, of all threads, run at the moment; what to go back to."""

    count = 0
    was_on = True
    grown = 0
    """How many objects have come since the last collection of all."""
    kept = 0
    """How many objects it has left."""


@contextmanager
def kept_off() -> Iterator[None]:
    """No collection meanwhile, in any thread; afterwards as before."""
    with _LOCK:
        if not _Holders.count:
            _Holders.was_on = gc.isenabled()
            gc.disable()
        _Holders.count += 1
    try:
        yield
    finally:
        with _LOCK:
            _Holders.count -= 1
            if not _Holders.count and _Holders.was_on:
                _grow_old()
                gc.enable()


def _grow_old() -> None:
    """Have what is new counted as old, unless someone keeps objects frozen: those would
    be thawed. Collect if much has come since the last time."""
    if gc.get_freeze_count() > _OF_PYTHON:
        return
    _Holders.grown += gc.get_count()[0]
    if _Holders.grown > max(_LEAST, _Holders.kept):
        gc.collect()
        _Holders.grown, _Holders.kept = 0, len(gc.get_objects())
    gc.freeze()
    gc.unfreeze()
