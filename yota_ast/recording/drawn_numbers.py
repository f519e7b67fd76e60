"""A run of a function -> whether it has drawn random numbers.

What is drawn while a function is recorded would be the same in every call.

>>> with Draws() as draws:
...     _ = np.random.default_rng().normal()
>>> draws.found
True
"""

from __future__ import annotations

import gc
import pickle
import random
import sys
from types import FrameType
from typing import Any, Final, Self

import numpy as np  # noqa: F401  in the example

_FRESH: Final = frozenset(
    [random.SystemRandom.getrandbits.__code__, random.SystemRandom.random.__code__]
)
"""What asks the system for a seed that is another each time."""


class Draws:
    """While this is open, it watches what draws."""

    found = False

    def __enter__(self) -> Self:
        self._states = [(bits, _state_of(bits)) for bits in _sources()]
        self._outer = sys.getprofile()
        sys.setprofile(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        outer: Any = self._outer
        if outer is None or callable(outer):
            sys.setprofile(outer)
        else:  # one of C, as cProfile is
            outer.enable()
        if any(_state_of(bits) != before for bits, before in self._states):
            self.found = True

    def _watch(self, frame: FrameType, event: str, arg: Any) -> None:
        """See Python's own generators, and seeds of the system's."""
        if event == "c_call":
            owner = getattr(arg, "__self__", None)
            if type(owner) in (random.Random, random.SystemRandom):
                self.found = True
        elif event == "call" and frame.f_code in _FRESH:
            self.found = True


def _sources() -> list[Any]:
    """All that NumPy draws from."""
    numpys: Any = sys.modules.get("numpy.random.bit_generator")
    if numpys is None:
        return []
    return [
        one for one in gc.get_objects() if issubclass(type(one), numpys.BitGenerator)
    ]


def _state_of(bits: Any) -> bytes:
    return pickle.dumps(bits.state)
