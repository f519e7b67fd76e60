"""Lengths that are the same for all arguments, and what they take for granted.

>>> from yota_ast.ir.abstract_values import int_fact
>>> from yota_ast.ir.axis_lengths import literal_dim
>>> fixed_length(int_fact(literal_dim(3))), fixed_length(int_fact(None))
(3, None)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.block_queries import made_of
from yota_ast.ir.nodes import Block


def fixed_length(fact: Fact) -> int | tuple[int, ...] | None:
    """The length that a whole number is, or the shape that a tuple is, whatever the
    arguments; None if unknown."""
    if fact.kind == "tuple" and fact.cls is tuple and fact.items:
        parts = [fixed_length(item) for item in fact.items]
        whole = tuple(p for p in parts if isinstance(p, int))
        return whole if len(whole) == len(parts) else None
    dim = fact.length
    return dim.offset if dim is not None and not dim.base else None


def with_fixed_lengths(
    operands: Sequence[Value],
    known: Sequence[Const | None],
    tell: Callable[[object], None],
) -> list[Const | None]:
    """The literals that operands are, where all others are lengths that are the same
    for all arguments: that of `np.atleast_1d(5)` is 1. tell: notes that a value has
    decided something."""
    dims = [fixed_length(v.fact) if isinstance(v, Var) else None for v in operands]
    if any(k is None and dim is None for k, dim in zip(known, dims, strict=True)):
        return [*known]
    for value, k in zip(operands, known, strict=True):
        if k is None:
            tell(value)
    return [k or Const(dim) for k, dim in zip(known, dims, strict=True)]


def whole_numbers_of(
    block: Block, told: Iterable[str], things: Mapping[str, Var]
) -> set[str]:
    """The whole numbers among some things that others are made of, or that they are;
    told: the names of the others."""
    names = {v.name for v in things.values() if v.fact.kind == "int"}
    return names & made_of(block, told) if names else set()
