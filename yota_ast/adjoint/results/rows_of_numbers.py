"""Zeros for rows of numbers, and rows of floats, as comprehensions.

    dparts = zeros_within(parts)     dparts = [{"w": 0.0, "h": 0.0} for _ in parts]
    in_form_of(edges, dedges)        [(float(row[0]), float(row[1])) for row in dedges]

Rows are tuples of as many numbers each, or dicts of the same keys.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Final

from yota_ast.ir.abstract_values import FLOAT, Fact, keys_of_items
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.facts.joined_facts import element_of, list_of
from yota_ast.ir.nodes import Block, Carry, For, Store
from yota_ast.ir.store_changes import APPEND

_MOST: Final = 6
"""How many numbers a row has that is written out."""


def row_of(known: Fact) -> Fact | None:
    """Return what is known of the rows of a list of rows of numbers.

    >>> row_of(list_of(Fact("tuple", items=(FLOAT, FLOAT)))).kind
    'tuple'
    >>> row_of(list_of(FLOAT)) is None
    True
    """
    row = element_of(known)
    items = row.items or ()
    told = row.kind != "dict" or row.keys is not None
    written = row.kind in ("tuple", "list", "dict") and told and len(items) <= _MOST
    numbers = bool(items) and all(f.kind in ("float", "int") for f in items)
    return row if known.kind == "list" and written and numbers else None


def zero_rows(builder: Builder, rows: Atom, out: Var) -> bool:
    """Make of a variable a list with a row of zeros for each row, and say whether that
    can be; a tuple has a list for its adjoint."""
    row = row_of(fact_of_atom(rows))
    if row is None:
        return False

    def zeros(inner: Builder, _: Var) -> Atom:
        values = (Const(0.0) for _ in row.items or ())
        return _built(inner, row, values, tuples=False)

    _listed(builder, rows, zeros, ("_", row), out.hint, out)
    return True


def rows_of_floats(builder: Builder, row: Fact, d: Atom, hint: str) -> Var:
    """Return the rows of adjoints with Python floats, each in the form of a row."""

    def floats(inner: Builder, each: Var) -> Atom:
        keys = map(Const, keys_of_items(row))
        items = (inner.apply(operator.getitem, each, k, fact=FLOAT) for k in keys)
        values = (inner.apply(float, item, fact=FLOAT) for item in items)
        return _built(inner, row, values, tuples=True)

    return _listed(builder, d, floats, ("row", element_of(fact_of_atom(d))), hint)


def _built(
    builder: Builder, row: Fact, values: Iterator[Atom], *, tuples: bool
) -> Atom:
    if row.kind != "dict":
        fn = build_tuple if row.kind == "tuple" and tuples else build_list
        return builder.apply(fn, *values, form="build")
    keys = keys_of_items(row)
    flat = [a for k, v in zip(keys, values, strict=True) for a in (Const(k), v)]
    return builder.apply(build_dict, *flat, form="build")


def _listed(
    builder: Builder,
    over: Atom,
    item: Callable[[Builder, Var], Atom],
    target: tuple[str, Fact],
    hint: str | None,
    out: Var | None = None,
) -> Var:
    """Return the list of what is made of each item of another; out: what it is then."""
    inner = builder.nested()
    name, known = target
    each = builder.var(known, name)
    value = item(inner, each)
    made = list_of(fact_of_atom(value))
    empty = builder.apply(build_list, form="build", fact=made, hint=hint)
    inside, longer = (builder.var(made, hint) for _ in range(2))
    out = out or builder.var(made, hint)
    inner.ops.append(Store(longer, inside, Const(None), value, APPEND, builder.origin))
    carry = Carry(out, empty, inside, longer)
    loop = For((each,), over, Block(tuple(inner.ops)), (carry,), origin=builder.origin)
    builder.ops.append(loop)
    return out
