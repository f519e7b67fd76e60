"""Subscripts, and functions that pick elements."""

from __future__ import annotations

from ..runtime import ungetitem
from .rule import rule
from .subscripts import getitem_fact


@rule(
    zero=["index"], linear=["x"], alias="view or copy", complex="written", fact=getitem_fact
)
def getitem(x, index, *, dy):
    y = x[index]
    dx = ungetitem(dy, x, index)
