"""A forward sweep -> lengths that its facts leave open, as they are in the example.

`x[:n]` has no length in symbols, for n may be longer than x; but where `--like` or the
arguments say how long x is and what n is, it has one in numbers. Facts call such an
axis after the variable that it is of ("@5[0]"), and all that has the same shape does.

>>> from yota_ast.ir.abstract_values import array_fact, int_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 9),)))
>>> n = Var("n", int_fact(Dim("n", 0, 4)))
>>> at, y = Var("at"), Var("y", array_fact("f8", (Dim("@y[0]"),)))
>>> cut = Apply(at, build_slice, (n, Const(None), Const(2)))
>>> lengths(Block((cut, Apply(y, operator.getitem, (x, at)))), (n,))
{'n': 4, '@y[0]': 3}
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_slice
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.ops import info
from yota_ast.ops.algebra import COMPUTING, operated
from yota_ast.ops.subscript_memory import makes_index

_LARGEST: Final = 1 << 40
_INDICES: Final = (int, slice, type(None), type(Ellipsis))


def length_of(dim: Dim | None, known: Mapping[str, int]) -> int | None:
    """How long an axis is in the example: `known` counts more than what the dim
    says, which may stem from an earlier example with equal facts."""
    if dim is None:
        return None
    if dim.base in known:
        return max(known[dim.base] + dim.offset, 0)
    return dim.example


def lengths(block: Block, params: Iterable[Var]) -> dict[str, int]:
    """The lengths of the axes of parameters, and of axes called after variables."""
    found: dict[str, int] = {}
    values: dict[str, Any] = {}
    for var in params:
        dims = var.fact.shape if isinstance(var.fact.shape, tuple) else ()
        for dim in (*dims, var.fact.length):
            if dim is not None and dim.base and dim.example is not None:
                found[dim.base] = dim.example - dim.offset
        if var.fact.length is not None and var.fact.length.example is not None:
            values[var.name] = var.fact.length.example
    for op in walk(block):
        if isinstance(op, Apply) and not op.kwargs:
            _visit(op, values, found)
    return found


def _visit(op: Apply, values: dict[str, Any], found: dict[str, int]) -> None:
    """Note the value of an op that computes with numbers, the shape of one that takes a
    part of an array."""
    fact = op.args[0].fact if op.args and isinstance(op.args[0], Var) else None
    shape = None if fact is None else _shape(fact, found)
    if op.fn is np.shape and shape is not None:
        values[op.out.name] = shape
    elif op.fn is len and shape:
        values[op.out.name] = shape[0]
    elif op.fn is operator.getitem and shape is not None:
        index = _value(op.args[1], values)
        if _is_plain(index):
            _part(op.out.fact, shape, index, found)
    elif _is_of_numbers(op.fn):
        given = [_value(arg, values) for arg in op.args]
        if all(v is not _UNKNOWN for v in given):
            _compute(op, given, values)


_UNKNOWN: Final = object()


def _is_of_numbers(fn: object) -> bool:
    """Whether a function computes with lengths, or makes indices of them."""
    known = info(fn)
    return (
        operated(fn) in COMPUTING
        or makes_index(fn)
        or known.counts
        or known.bounded
        or fn is operator.getitem
    )


def _value(atom: object, values: Mapping[str, Any]) -> Any:
    if isinstance(atom, Var):
        return values.get(atom.name, _UNKNOWN)
    assert isinstance(atom, Const)
    plain = isinstance(atom.value, (*_INDICES, tuple))
    return atom.value if plain else _UNKNOWN


def _is_plain(index: object) -> bool:
    """Whether an index is of numbers and slices alone."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(part, _INDICES) for part in parts)


def _shape(fact: Fact, found: Mapping[str, int]) -> tuple[int, ...] | None:
    if fact.kind != "array" or not isinstance(fact.shape, tuple):
        return None
    sizes = [length_of(dim, found) for dim in fact.shape]
    return None if None in sizes else tuple(n for n in sizes if n is not None)


def _compute(op: Apply, given: list[Any], values: dict[str, Any]) -> None:
    try:
        value = op.fn(*given)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return  # the program raises too, or computes with something else
    if op.fn is build_slice or isinstance(value, (int, tuple)):
        if not isinstance(value, int) or abs(value) < _LARGEST:
            values[op.out.name] = value


def _part(
    fact: Fact, shape: tuple[int, ...], index: Any, found: dict[str, int]
) -> None:
    """Note the lengths of a part of an array, which is never made."""
    try:
        part = np.broadcast_to(0.0, shape)[index].shape
    except (IndexError, ValueError):
        return
    if isinstance(fact.shape, tuple) and len(fact.shape) == len(part):
        for dim, size in zip(fact.shape, part, strict=True):
            if dim is not None and dim.base.startswith("@") and dim.example is None:
                found.setdefault(dim.base, size - dim.offset)
