"""The garbage collector, put off while a function is compiled, or modules are read.

A compile makes some hundred thousand small records that nearly all live to its end.
The collector would walk over them again and again, an eighth of all the time taken,
and find next to nothing: what is dropped holds no cycles and is freed at once. So what
was made counts as old afterwards: it is looked at with all the rest, when that is due.

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

_LOCK: Final = threading.Lock()


class _Holders:
    """How many compiles, of all threads, run at the moment; and what to go back to."""

    count = 0
    was_on = True


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
    be thawed."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
