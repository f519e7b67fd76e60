"""Facts of what is done with lists, tuples, dicts and objects."""

from __future__ import annotations

import operator

from ..facts import BOOL, UNKNOWN, Fact
from ..tape import Atom, Const
from .bind import fact_of_atom
from .infer import elementwise_fact


def always_bool() -> Fact:
    """A bool whatever the operands."""
    return BOOL


def compared(u: Atom, v: Atom) -> Fact:
    """`u == v` and `u != v` of any two values."""
    a, b = fact_of_atom(u), fact_of_atom(v)
    if a.is_numeric and b.is_numeric:
        return elementwise_fact(operator.eq, [u, v])
    if any(f.may_be_array or f.kind in ("object", "other") for f in (a, b)):
        return UNKNOWN
    return BOOL


def added(u: Atom, v: Atom) -> Fact:
    """`u + v` of two lists or two tuples."""
    a, b = fact_of_atom(u), fact_of_atom(v)
    if a.kind != b.kind or a.items is None or b.items is None:
        return Fact(a.kind, cls=a.cls) if a.kind == b.kind else UNKNOWN
    return Fact(a.kind, items=a.items + b.items, cls=a.cls)


def repeated(u: Atom, v: Atom) -> Fact:
    """`u * n` of a list or tuple."""
    a = fact_of_atom(u)
    if a.items is None or not isinstance(v, Const) or not isinstance(v.value, int):
        return Fact(a.kind, cls=a.cls)
    return Fact(a.kind, items=a.items * v.value, cls=a.cls)
