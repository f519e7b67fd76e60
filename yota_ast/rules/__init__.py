"""The rule book: one file a chapter of NumPy. Importing the package fills the `BOOK`."""

from __future__ import annotations

from . import (
    arithmetic,
    builtinrules,
    indexing,
    linalg,
    mathrules,
    reductions,
    shaping,
    ufuncs,
)
from .rule import BOOK, PRIMITIVES

__all__ = ["BOOK", "PRIMITIVES", "arithmetic", "ufuncs"]
