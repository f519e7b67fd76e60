"""An op -> whether its result has memory of its own, or may share that of an argument.

Memory is "fresh", "view", "same" or "maybe", or one of the functions below,
where the arguments decide. The rule of a function states it as `alias`; here stands
what functions without rules have.

>>> x, y = Var("x", array_fact("f8", (None, None))), Var("y")
>>> sharing(Apply(y, np.exp, (x,)))
'fresh'
>>> sharing(Apply(y, np.swapaxes, (x, Const(0), Const(1))))
'view'
>>> sharing(Apply(y, lambda x: x, (x,)))
'maybe'
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import (
    CONTAINERS,
    FLOAT,
    UNKNOWN,
    Fact,
    array_fact,
    same_dtype,
)
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import builds
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import Apply, Outlined
from yota_ast.ops.record import Memory, Sharing
from yota_ast.ops.registry import info
from yota_ast.ops.subscript_memory import subscripted

__all__ = [
    "Var",
    "array_fact",
    "conjugated",
    "converted",
    "converted_number",
    "copying",
    "diagonal_of",
    "element",
    "imaginary",
    "of_axes",
    "of_order",
    "of_several",
    "part_of_array",
    "raised_to",
    "sharing",
    "started",
    "viewed",
]


def sharing(op: Apply) -> Sharing:
    """Whether the result may share memory with the arguments."""
    if op.form == "operator" and op.out.fact is FLOAT:  # what most are
        return "fresh"
    fn = op.fn
    if isinstance(fn, Outlined):
        return "fresh" if fn.fresh else "maybe"
    if op.out.fact.kind in CONTAINERS and info(fn).container == "deep":
        return "fresh"
    if builds(fn) or _hands_on(op):
        return "maybe"
    memory = memory_of(fn)
    if memory == "view":
        return _view(op)
    return memory if isinstance(memory, str) else memory(op)


def memory_of(fn: object) -> Memory:
    """The memory of a function's results; ufuncs and types of numbers are alike."""
    if isinstance(fn, type) and issubclass(fn, np.generic):
        return converted_number
    known = info(fn).memory
    return "fresh" if known == "maybe" and isinstance(fn, np.ufunc) else known


def _hands_on(op: Apply) -> bool:
    """Whether the result is a container that may hold what another one holds: `p + q`,
    `2 * p`, `p.copy()` of lists."""
    made = op.out.fact
    if made.kind not in CONTAINERS or _holds_numbers(made):
        return False
    atoms = (*op.args, *(a for _, a in op.kwargs))
    return any(fact_of_atom(a).kind in CONTAINERS for a in atoms)


def _holds_numbers(made: Fact) -> bool:
    return made.kind == "list" and element_of(made).is_number


# ---------------------------------------------------------------- by the call


def element(op: Apply) -> Sharing:
    """The memory of `owner[index]`."""
    return subscripted(op.args[0], op.args[1])


def _view(op: Apply) -> Sharing:
    """A view of an array: a number, or a list, is made an array first."""
    if _is_array(op.args[:1]):
        return "view"
    known = fact_of_atom(op.args[0]) if op.args else None
    numbers = known is not None and known.is_number and known.is_python
    return "fresh" if numbers else "maybe"


def part_of_array(op: Apply) -> Sharing:
    """A view of an array, and something else of numbers."""
    return "view" if _is_array(op.args[:1]) else "maybe"


def imaginary(op: Apply) -> Sharing:
    """A view of complex numbers; of real ones there is nothing to be viewed."""
    if not _is_array(op.args[:1]):
        return "maybe"
    dtype = fact_of_atom(op.args[0]).dtype
    return "view" if dtype is not None and dtype.kind == "c" else "maybe"


def conjugated(op: Apply) -> Sharing:
    """The method hands real numbers on; the function, a ufunc, makes a copy."""
    return "maybe" if op.form == "method" else "fresh"


def diagonal_of(op: Apply) -> Sharing:
    """np.diag: a view of a matrix's diagonal, or a new matrix."""
    rank = fact_of_atom(op.args[0]).rank
    return "maybe" if rank is None else "view" if rank == 2 else "fresh"


def of_several(op: Apply) -> Sharing:
    """np.einsum: a sum of products; of one operand it may make a view."""
    spelled = fact_of_atom(op.args[0]).kind == "str"
    return "fresh" if spelled and len(op.args) > 2 else "maybe"


def started(op: Apply) -> Sharing:
    """sum: what it begins with, where nothing is added to that."""
    starts = (*op.args[1:], *(a for _, a in op.kwargs))
    return "fresh" if all(fact_of_atom(a).is_number for a in starts) else "maybe"


def viewed(op: Apply) -> Sharing:
    """ndarray.view: of another type it may be refused, or none."""
    return "view" if len(op.args) == 1 and not op.kwargs else "maybe"


def of_order(op: Apply) -> Sharing:
    """A derivative of order 0 is the argument itself."""
    orders = [*op.args[1:2], *(v for k, v in op.kwargs if k in ("n", "m"))]
    values = [a.value if isinstance(a, Const) else 0 for a in orders]
    return "fresh" if all(isinstance(v, int) and v > 0 for v in values) else "maybe"


def of_axes(op: Apply) -> Sharing:
    """A transform along no axis is the argument itself."""
    return "maybe" if _may_lack_axes(op) else "fresh"


def _may_lack_axes(op: Apply) -> bool:
    given = [*op.args[1:3], *(a for k, a in op.kwargs if k in ("s", "axes"))]
    axes: list[Any] = [a for a in given if a != Const(None)]
    sizes = [
        np.asarray(a.value).size if isinstance(a, Const) else a.fact.items for a in axes
    ]
    if not all(sizes):
        return True
    known = fact_of_atom(op.args[0]) if op.args else UNKNOWN
    return known.kind != "array" or not known.rank


# ---------------------------------------------------------------- conversions


def converted(op: Apply) -> Sharing:
    """np.asarray of an array of that type is the array, of a number a new one."""
    return _conversion(op, None)


def converted_number(op: Apply) -> Sharing:
    """np.float64: of an array of that type it is the array, of a number a number."""
    return _conversion(op, op.fn)


@cache
def raised_to(rank: int) -> Callable[[Apply], Sharing]:
    """np.atleast_2d: an array that has the axes as it is, else a view of it."""

    def raised(op: Apply) -> Sharing:
        if len(op.args) != 1:
            return "maybe"
        fact = fact_of_atom(op.args[0])
        if not _is_array(op.args):
            return converted(op)
        enough = fact.rank is not None and fact.rank >= rank
        return "same" if enough else "view"

    return raised


@cache
def copying(place: int) -> Callable[[Apply], Sharing]:
    """ndarray.astype: a copy, unless `copy`, at that place, is False or None."""

    def copied(op: Apply) -> Sharing:
        flags = [*op.args[place:][:1], *(a for k, a in op.kwargs if k == "copy")]
        if not all(isinstance(a, Const) for a in flags):
            return "maybe"
        if all(isinstance(a, Const) and _is_set(a.value) for a in flags):
            return "fresh"
        if op.fn is np.array:
            return converted(op)
        plain = len(op.args) == 2 and all(k == "copy" for k, _ in op.kwargs)
        if op.fn is np.ndarray.astype and plain and _is_array(op.args[:1]):
            return _of_dtype(op.args[1], fact_of_atom(op.args[0]))
        return "maybe"

    return copied


def _conversion(op: Apply, to: object) -> Sharing:
    if len(op.args) == 1 and not op.kwargs and isinstance(op.args[0], Const):
        return "maybe" if isinstance(op.args[0].value, np.ndarray) else "fresh"
    given = {k: v for k, v in op.kwargs if k != "copy"}
    dtypes = [*op.args[1:], *(given.pop(k) for k in ("dtype",) if k in given)]
    if not op.args or given or len(dtypes) > 1:
        return "maybe"
    fact = fact_of_atom(op.args[0])
    if fact.is_number or fact.kind in ("list", "tuple"):
        return "fresh"
    if not _is_array(op.args[:1]):
        return "maybe"
    return _of_dtype(dtypes[0] if dtypes else Const(to), fact)


def _is_set(flag: Any) -> bool:
    """Whether `copy` is set: of NumPy's three modes one is, and none is a bool."""
    return flag.value is True if isinstance(flag, enum.Enum) else bool(flag)


def _of_dtype(wanted: Atom, fact: Fact) -> Sharing:
    """An array made one of a type that it may have already."""
    if isinstance(wanted, Const) and wanted.value is None:
        return "same"
    same = _is_dtype(wanted, fact)
    return "maybe" if same is None else "same" if same else "fresh"


def _is_dtype(atom: Atom, fact: Fact) -> bool | None:
    """Whether an atom is the type that an array has already; None: not known."""
    if not isinstance(atom, Const) or fact.dtype is None:
        return None
    wanted: object = atom.value
    if not isinstance(wanted, (type, np.dtype, str)):
        return None
    try:
        return same_dtype(np.dtype(wanted), fact.dtype)
    except TypeError:
        return None


def _is_array(atoms: tuple[Atom, ...]) -> bool:
    return bool(atoms) and fact_of_atom(atoms[0]).kind == "array"
