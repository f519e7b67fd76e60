"""Lengths that are the same for all arguments, and what they take for granted.

>>> from yota_ast.ir.abstract_values import int_fact
>>> from yota_ast.ir.axis_lengths import literal_dim
>>> fixed_length(int_fact(literal_dim(3))), fixed_length(int_fact(None))
(3, None)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Protocol

from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import made_of
from yota_ast.ir.nodes import Block


class Assumptions(Protocol):
    """What lowering takes for granted of values."""

    def length_shown(self, dim: Dim, most: float) -> int | None:
        """A length, as it is in the example."""

    def tell(self, value: object) -> None:
        """Note that the kind or rank of a value has decided something."""


def _unknown(_: Dim) -> None:
    """The length of an argument, which may have another one."""


def fixed_length(
    fact: Fact, shown: Callable[[Dim], int | None] = _unknown
) -> int | tuple[int, ...] | None:
    """The length that a whole number is, or the shape that a tuple is; None if unknown.
    shown: the length that an argument has in the example."""
    if fact.kind == "tuple" and fact.cls is tuple and fact.items:
        parts = [fixed_length(item, shown) for item in fact.items]
        whole = tuple(p for p in parts if isinstance(p, int))
        return whole if len(whole) == len(parts) else None
    dim = fact.length
    if dim is None:
        return None
    return shown(dim) if dim.base else dim.offset


def with_fixed_lengths(
    assumptions: Assumptions,
    operands: Sequence[Value],
    known: Sequence[Const | None],
    *,
    sized: bool,
) -> list[Const | None]:
    """The literals that operands are, where all others are lengths that are the same
    for all arguments: that of `np.atleast_1d(5)` is 1. sized: lengths of arguments are
    as in the example, too."""
    facts = [
        v.fact if isinstance(v, Var) and k is None else None
        for v, k in zip(operands, known, strict=True)
    ]
    if any(f is None and k is None for f, k in zip(facts, known, strict=True)):
        return [*known]
    shown = partial(assumptions.length_shown, most=inf) if sized else _unknown
    dims = [None if f is None else fixed_length(f, shown) for f in facts]
    if any(k is None and dim is None for k, dim in zip(known, dims, strict=True)):
        return [*known]
    for value, k in zip(operands, known, strict=True):
        if k is None:
            assumptions.tell(value)
    return [k or Const(dim) for k, dim in zip(known, dims, strict=True)]


def whole_numbers_of(
    block: Block, told: Iterable[str], things: Mapping[str, Var]
) -> set[str]:
    """The whole numbers among some things that others are made of, or that they are;
    told: the names of the others."""
    names = {v.name for v in things.values() if v.fact.kind == "int"}
    return names & made_of(block, told) if names else set()
