"""Facts of what is done with lists, tuples, dicts and objects."""

from __future__ import annotations

import operator
from functools import reduce

import numpy as np

from yota_ast.ir.abstract_values import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    UNKNOWN,
    Fact,
    int_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.facts.joined_facts import element_of, join
from yota_ast.rules.inference.infer import elementwise_fact
from yota_ast.rules.notation.rule_records import Fn


def always_str() -> Fact:
    """A string whatever the operands."""
    return STR


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
    if a.kind != b.kind:
        return UNKNOWN
    if a.items is None or b.items is None:
        return Fact(a.kind, cls=a.cls, element=join(element_of(a), element_of(b)))
    return Fact(a.kind, items=a.items + b.items, cls=a.cls)


def repeated(u: Atom, v: Atom) -> Fact:
    """`u * n` of a list or tuple."""
    a = fact_of_atom(u)
    # A number of a module may be another when the text runs.
    times = v.value if isinstance(v, Const) and not v.is_live else None
    if a.items is None or not isinstance(times, int):
        return Fact(a.kind, cls=a.cls, element=element_of(a))
    return Fact(a.kind, items=a.items * times, cls=a.cls)


def tuple_of(x: Atom) -> Fact:
    """`tuple(x)` of a list or tuple."""
    a = fact_of_atom(x)
    if a.items is not None:
        return Fact("tuple", items=a.items, cls=tuple)
    return Fact("tuple", cls=tuple, element=element_of(a), least=a.least)


def always_complex() -> Fact:
    """A complex number whatever the operands."""
    return COMPLEX


def always_int() -> Fact:
    """An int whatever the operands."""
    return INT


def length_of(x: Atom) -> Fact:
    """`len(x)`: of an array the length of its first axis."""
    known = fact_of_atom(x)
    if known.kind == "list":
        return int_fact(known.length)
    shape = known.shape
    return int_fact(shape[0]) if isinstance(shape, tuple) and shape else INT


def always_none() -> Fact:
    """None whatever the operands."""
    return NONE


def joined(u: Atom, v: Atom) -> Fact:
    """One of two values."""
    a, b = fact_of_atom(u), fact_of_atom(v)
    return join(a, b) if a.is_numeric and b.is_numeric else UNKNOWN


def joined_of_three(u: Atom, v: Atom, w: Atom) -> Fact:
    """One of three values."""
    return joined_of_many(u, v, w, ())


def joined_of_four(u: Atom, v: Atom, w: Atom, x: Atom) -> Fact:
    """One of four values."""
    return joined_of_many(u, v, w, (x,))


def joined_of_many(u: Atom, v: Atom, w: Atom, rest: tuple[Atom, ...]) -> Fact:
    """One of several values."""
    facts = [fact_of_atom(a) for a in (u, v, w, *rest)]
    return reduce(join, facts) if all(f.is_numeric for f in facts) else UNKNOWN


def item_fact(x: Atom) -> Fact:
    """One of the items of a sequence, or a sum of them."""
    fact = fact_of_atom(x)
    if fact.kind in ("list", "tuple"):
        known = element_of(fact)
        return UNKNOWN if known.kind == "nothing" else known
    if fact.kind != "array" or fact.rank is None:
        return UNKNOWN
    if fact.rank == 1:
        return Fact("scalar", fact.dtype, ())
    return fact.with_shape(fact.shape[1:] if isinstance(fact.shape, tuple) else None)


def item_along(dx: Atom) -> Fact:
    """The tangent of one of the items."""
    return item_fact(dx)


def summed(x: Atom, start: Atom) -> Fact:
    """`sum(x, start)` of a list or tuple."""
    return _accumulated(operator.add, x, start)


def as_items(x: Atom) -> Fact:
    """What `statistics.mean(x)` gives: a number as the items are."""
    fact = fact_of_atom(x)
    if fact.kind == "array":
        known = fact.dtype is not None and fact.dtype.kind == "f"
        return Fact("scalar", fact.dtype, ()) if known else Fact("real", shape=())
    each = element_of(fact)
    return each if each in (FLOAT, Fact("scalar", np.dtype(float), ())) else NUMBER


def multiplied(x: Atom, start: Atom) -> Fact:
    """`math.prod(x, start=start)` of a list or tuple."""
    return _accumulated(operator.mul, x, start)


def _accumulated(step: Fn, x: Atom, start: Atom) -> Fact:
    items = fact_of_atom(x).items
    if items is None:
        element = element_of(fact_of_atom(x))
        if element.kind in ("unknown", "nothing"):
            return UNKNOWN
        once = elementwise_fact(step, [start, Var("item", element)])
        more = elementwise_fact(step, [Var("total", once), Var("item", element)])
        return join(fact_of_atom(start), join(once, more))
    total = start
    for item in items:
        total = Var("total", elementwise_fact(step, [total, Var("item", item)]))
    return fact_of_atom(total)
