"""Ways to a derivative beside `grad` -> whether each is right for a random program.

`MODES` names them; each is given a drawn program and a number, and gives an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..program import Drawn
from ..trial import Outcome, try_program
from .batched import try_batched
from .elsewhere import try_elsewhere
from .fast import try_fast
from .forward import try_jvp
from .nested import try_nested
from .second import try_hvp

MODES: Final[dict[str, Callable[[Drawn, int], Outcome]]] = {
    "grad": try_program,
    "elsewhere": try_elsewhere,
    "fast": try_fast,
    "jvp": try_jvp,
    "hvp": try_hvp,
    "nested": try_nested,
    "batch": try_batched,
}
"""Beside these, `files` are tried many at once: see `files.py`."""
