"""Tapes of nested calls -> the code that was made of them, kept for the next pass.

A loop is lowered several times until what is known of its variables stays the same, and
so is a call of a gradient in it: code is made once for each tape.

>>> kept = NestedCode()
>>> kept.get("tape", lambda: "code"), kept.get("tape", lambda: "other code")
('code', 'code')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NestedCode:
    """What was made so far, by what it was made of."""

    def __init__(self) -> None:
        self._made: list[tuple[object, Any]] = []

    def get(self, key: object, make: Callable[[], Any]) -> Any:
        """What was made of an equal key; else it is made."""
        for known, made in self._made:
            if _equal(known, key):
                return made
        made = make()
        self._made.append((key, made))
        return made


def _equal(a: object, b: object) -> bool:
    try:
        return bool(a == b)
    except ValueError:  # arrays among the constants, which have no one answer
        return False
