"""What is known of one of two values, of the items of a container, and of a container
of such items.

>>> join(FLOAT, INT), element_of(list_of(FLOAT))
(real, float)
"""

from __future__ import annotations

import functools

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import (  # noqa: F401  in the examples
    CONTAINERS,
    FLOAT,
    INT,
    MIXED,
    NONE,
    NOTHING,
    NUMBER,
    OPAQUE,
    PERHAPS_SEQUENCE,
    UNKNOWN,
    Fact,
    Shape,
    anonymous,
    array_fact,
    fact_of,
    same_dtype,
)


def join(a: Fact, b: Fact) -> Fact:
    """What is known of a value that is one of two: the merge of branches and loops.

    >>> from yota_ast.ir.axis_lengths import UNIT
    >>> (
    ...     join(FLOAT, INT),
    ...     join(array_fact("f8", (UNIT,)), array_fact("f8", (None, None))),
    ... )
    (real, ndarray[float64, ?])
    >>> join(FLOAT, fact_of((1.0, 2.0))) == MIXED
    True
    >>> (
    ...     join(NONE, FLOAT),
    ...     join(join(NONE, FLOAT), INT),
    ...     join(NONE, array_fact("f8", ())),
    ...     join(NONE, array_fact("f8", (None,))),
    ... )
    (float | None, real | None, ?, ndarray[float64, 1] | None)
    """
    if a == b or b.kind == "nothing":
        return a
    if a.kind == "nothing":
        return b
    if NONE in (a, b) or a.present is not None or b.present is not None:
        found = _join_present(a, b)
        if found is not None:
            return found
    if a.kind == b.kind and a.is_python:
        return Fact(a.kind, b.dtype if a.dtype is None else a.dtype, ())
    if a.kind == b.kind and a.kind in ("array", "scalar"):
        dtype = a.dtype if same_dtype(a.dtype, b.dtype) else None
        if a.is_complex or b.is_complex:
            dtype = dtype or np.dtype(complex)
        return Fact(a.kind, dtype, _join_shape(a, b))
    if a.is_numeric and b.is_numeric:
        if a.is_complex or b.is_complex:  # one that may be complex is taken for such
            return Fact("real", np.dtype(complex), _join_shape(a, b))
        if a.is_number and b.is_number:
            return NUMBER
        if same_dtype(a.dtype, b.dtype) and a.shape == b.shape == ():
            return Fact("real", a.dtype, ())
        return Fact("real", None, _join_shape(a, b))
    if a.kind == b.kind == "model" and a.cls is b.cls:
        return Fact("model", cls=a.cls)
    if a.kind in CONTAINERS and (a.kind, a.stands_for) == (b.kind, b.stands_for):
        if a.items is not None and b.items is not None:
            if len(a.items) == len(b.items) and a.keys == b.keys:
                pairs = zip(a.items, b.items, strict=True)
                return replace(a, items=tuple(join(p, q) for p, q in pairs))
        cls = a.cls if a.cls is b.cls else None
        each = join(element_of(a), element_of(b))
        if a.kind == "dict":
            return Fact(a.kind, cls=cls, element=each, stands_for=a.stands_for)
        least = min(least_of(a), least_of(b))
        return Fact(a.kind, cls=cls, element=each, least=least)
    return _join_unlike(a, b)


def _join_unlike(a: Fact, b: Fact) -> Fact:
    if OPAQUE in (a, b) or "object" in (a.kind, b.kind):
        return OPAQUE
    if _may_mix(a, b) or _may_mix(b, a):
        return MIXED
    kinds = {f.kind for f in (a, b) if f not in (NONE, PERHAPS_SEQUENCE)}
    return PERHAPS_SEQUENCE if kinds <= {"tuple", "list"} else UNKNOWN


def where_present(fact: Fact) -> Fact:
    """What is known of a value where it is not None: where an operator has worked.

    >>> where_present(join(NONE, FLOAT)), where_present(FLOAT), where_present(NONE)
    (float, float, NoneType)
    """
    return fact if fact.present is None else fact.present


def _join_present(a: Fact, b: Fact) -> Fact | None:
    """What is a number, an array or a string in one case and None in another; None
    where it is no such."""
    found = [where_present(f) for f in (a, b) if f.kind != "none"]
    if not all(map(_is_simple, found)):
        return None
    known = replace(functools.reduce(join, found), length=None)
    return Fact("unknown", present=known) if _is_simple(known) else None


def _is_simple(fact: Fact) -> bool:
    """Whether a value is a number, a string, or an array of numbers with axes."""
    if fact.kind == "array":
        return bool(fact.rank) and fact.dtype is not None and fact.dtype.kind in "fc"
    return fact.is_number or fact.kind == "str"


def _may_mix(a: Fact, b: Fact) -> bool:
    """Whether what is one of two is perhaps a container, and perhaps none.

    A tuple of numbers that is None where nothing has been found is read as an array
    is; what it holds otherwise is no part of one.
    """
    if a.kind == "none" and b.kind in ("tuple", "list"):
        return not element_of(b).is_scalar
    mixes = a == MIXED or a.kind in (*CONTAINERS, "none") or a.is_numeric
    return mixes and (b == MIXED or b.kind in CONTAINERS)


def element_of(fact: Fact) -> Fact:
    """What is known of each item of a list or tuple.

    >>> element_of(fact_of([1.0, 2.0])), element_of(fact_of([])), element_of(UNKNOWN)
    (float, nothing, ?)
    """
    if fact.items is None:
        return fact.element or UNKNOWN
    return functools.reduce(join, fact.items, NOTHING)


def makes_complex(fact: Fact) -> bool:
    """Whether a value is complex, or the array that NumPy makes of it, or may be: that
    of a list is complex where any of its items is.

    >>> makes_complex(fact_of([1.0, (2.0, 1j)])), makes_complex(fact_of((1.0, 2)))
    (True, False)
    """
    if fact.kind in ("list", "tuple"):
        inner = fact.items if fact.items is not None else (fact.element or UNKNOWN,)
        return any(map(makes_complex, inner))
    return fact.is_complex


def least_of(fact: Fact) -> int:
    """How many items a list or tuple has at least."""
    return fact.least if fact.items is None else len(fact.items)


def within(fact: Fact, depth: int) -> Fact:
    """What is known of the items of a list of lists: `rows[i][j]` is at depth 2.

    >>> within(list_of(list_of(FLOAT)), 1), within(list_of(list_of(FLOAT)), 2)
    (list[float, ...], float)
    """
    for _ in range(depth):
        fact = element_of(fact)
    return fact


def list_of(element: Fact, cls: type | None = list, least: int = 0) -> Fact:
    """The fact of a list of unknown length.

    >>> list_of(FLOAT)
    list[float, ...]
    """
    return Fact("list", cls=cls, element=anonymous(element), least=least)


def is_plain(fact: Fact) -> bool:
    """Whether values are numbers, texts or tuples of such, which nothing changes.

    >>> is_plain(FLOAT), is_plain(list_of(FLOAT))
    (True, False)
    """
    if fact.kind == "tuple" and fact.items is not None:
        return all(map(is_plain, fact.items))
    return fact.is_number or fact.kind in ("nothing", "str", "none")


def is_nested(fact: Fact) -> bool:
    """Whether a value is a list of lists.

    >>> is_nested(list_of(list_of(FLOAT))), is_nested(list_of(FLOAT))
    (True, False)
    """
    return fact.kind == "list" and element_of(fact).kind == "list"


def with_item(fact: Fact, depth: int, item: Fact) -> Fact:
    """What is known of a list of lists, one item of which has changed.

    >>> with_item(list_of(list_of(INT, least=2), least=3), 2, FLOAT)
    list[list[real, ...], ...]
    """
    each = element_of(fact)
    each = join(each, item) if depth == 1 else with_item(each, depth - 1, item)
    return list_of(each, fact.cls, least_of(fact))


def _join_shape(a: Fact, b: Fact) -> Shape:
    if a.shape == b.shape:
        return a.shape
    if isinstance(a.shape, tuple) and isinstance(b.shape, tuple):
        if len(a.shape) == len(b.shape):
            pairs = zip(a.shape, b.shape, strict=True)
            return tuple(p if p == q else None for p, q in pairs)
    return None
