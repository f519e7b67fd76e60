"""A value of a block -> whether some of its elements may be infinite, or nan.

A logarithm, a quotient, a power below 0 and all that is computed of them may be. A mask
ends that: what `np.where`, `np.nan_to_num` and an index of truth values give is finite,
as far as is known.

>>> from yota_ast.ir.abstract_values import array_fact
>>> x, y, z = (Var(name, array_fact("f8", (None,))) for name in "xyz")
>>> log, square = Apply(y, np.log, (x,)), Apply(z, np.square, (y,))
>>> found = Infinite({"y": log, "z": square}, Vanishing(Block((log, square)), bool))
>>> found.of(x), found.of(z)
(False, True)
"""

from __future__ import annotations

import operator
from collections.abc import Container, Mapping
from functools import cached_property
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.nonsmooth.vanishing_slopes import Vanishing
from yota_ast.analysis.provenance import Leaf, Leaves, Sources
from yota_ast.ir.abstract_values import CONTAINERS, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply, Block, For, Read, walk
from yota_ast.ops import info
from yota_ast.ops.algebra import is_quotient

__all__ = [
    "Block", "Infinite", "absent_in", "looks_for_nan", "may_mask", "read_for_numbers",
    "selects",
]  # fmt: skip

_DEEPEST: Final = 60


@dataclass(slots=True)
class Infinite:
    """Looks at values; most arguments count as finite. made: the ops of the forward
    sweep. vanishing: which values are never 0. quotients: whether quotients are looked
    at, too."""

    made: Mapping[str, Apply]
    vanishing: Vanishing
    quotients: bool = True
    absent: Container[object] = ()
    """What may be nan, for the function asks whether it is: see `absent_in`."""
    _known: dict[str, bool] = field(default_factory=dict)

    def of(
        self, atom: Atom, also: Mapping[str, Apply] | None = None, depth: int = _DEEPEST
    ) -> bool:
        """Return whether a value may be infinite.

        also: the ops of the reverse sweep.
        """
        if not isinstance(atom, Var):
            return id(atom.value) in self.absent
        if depth == 0 or _is_finite(atom.fact):
            return False
        found = self._known.get(atom.name)
        if found is None:
            op = self.made.get(atom.name) or (also or {}).get(atom.name)
            self._known[atom.name] = False
            if op is None:
                found = atom.name in self.absent
            else:
                found = self._of_op(op, also, depth - 1)
            self._known[atom.name] = found
        return found

    def _of_op(self, op: Apply, also: Mapping[str, Apply] | None, depth: int) -> bool:
        return self.is_pole(op) or any(self.of(a, also, depth) for a in _passing(op))

    def is_pole(self, op: Apply) -> bool:
        """Return whether an op is infinite on an edge that it may meet."""
        if info(op.fn).arithmetic == "power":
            return len(op.args) > 1 and self._is_pole_of_power(*op.args[:2])
        if not info(op.fn).pole:
            return False
        quotient = is_quotient(op.fn)
        if quotient and not self.quotients:
            return False
        at = op.args[-1] if quotient else op.args[0]
        return isinstance(at, Var) and not self.vanishing.of(at).positive

    def _is_pole_of_power(self, base: Atom, exponent: Atom) -> bool:
        value = exponent.value if isinstance(exponent, Const) else None
        if isinstance(value, (int, float)) and value >= 0:
            return False
        return isinstance(base, Var) and not self.vanishing.of(base).positive


class _Data(Sources):
    """What the values of a block are made of, arrays that are constants among it, and
    of containers and objects the arrays that are read."""

    @cached_property
    def fields(self) -> dict[Leaf, frozenset[str]]:
        """The names of the arrays that are read of fields of arguments."""
        found: dict[Leaf, frozenset[str]] = {}
        for op in self.block:
            if isinstance(op, Read):
                way = (op.root.name, *op.path)
                found[way] = found.get(way, frozenset()) | {op.out.name}
        return found

    def of_outside(self, var: Var) -> Leaves:
        """Return an argument, or an item of one."""
        return frozenset({(var.name,)})

    def arrays(self, atom: Atom) -> frozenset[object]:
        """Return the names of the arrays, and of constants the identities, that a value
        is made of."""
        names: set[object] = set()
        for leaf in self.of(atom):
            names |= self.fields.get(leaf, {leaf[0]} if len(leaf) == 1 else frozenset())
        return frozenset(names)

    def of_const(self, const: Const) -> Leaves:
        """Return a constant, if it is an array."""
        return frozenset({(id(const.value),)} if _is_array(const) else ())


def absent_in(block: Block) -> frozenset[object]:
    """Return the arrays in which the function looks for nan: what `np.isnan(x - y)` and
    `np.nansum(x * y)` are made of. Arguments and items of loops by name, constants by
    identity."""
    ops = [op for op in walk(block) if isinstance(op, Apply)]
    asking = [a for op in ops if looks_for_nan(op) for a in op.args]
    if not asking:
        return frozenset()
    data = _Data(block)
    leaves = {name for a in asking for name in data.arrays(a)}
    loops = _loops(block)
    read = (*(a for op in ops for a in op.args), *(loop.iterable for loop in loops))
    arrays = {_identity(a) for a in read if _may_hold_floats(a)} & leaves
    items = {
        target.name
        for loop in loops
        if not arrays.isdisjoint(data.arrays(loop.iterable))
        for target in loop.targets
    }
    return frozenset(arrays | items)


def _loops(block: Block) -> list[For]:
    return [op for op in walk(block) if isinstance(op, For)]


def _may_hold_floats(atom: Atom) -> bool:
    """Return whether a value may be an array of floats, or a container of such."""
    if isinstance(atom, Var):
        return atom.fact.may_be_array or atom.fact.kind in CONTAINERS
    return _is_array(atom)


def _is_array(atom: Const) -> bool:
    return isinstance(atom.value, np.ndarray) and atom.value.dtype.kind in "fc"


def _identity(atom: Atom) -> object:
    """A variable by its name, a constant by its value: what `absent` holds."""
    return atom.name if isinstance(atom, Var) else id(atom.value)


def looks_for_nan(op: Apply) -> bool:
    """Return whether a call tells where nan is, as `x != x` does, or leaves it out."""
    compares = op.fn in (operator.eq, operator.ne)
    return (compares and op.args[0] == op.args[1]) or info(op.fn).missing


def _is_finite(fact: Fact) -> bool:
    return fact.kind in ("bool", "int", "str", "none") or fact.dtype == np.bool_


def _passing(op: Apply) -> tuple[Atom, ...]:
    """The arguments whose infinite elements may be in the result."""
    if info(op.fn).selects or "where" in dict(op.kwargs):
        return ()
    if op.fn is operator.getitem and selects(op.args[1]):
        return ()
    return (*read_for_numbers(op), *(a for name, a in op.kwargs if name != "out"))


def read_for_numbers(op: Apply) -> tuple[Atom, ...]:
    """Return the arguments that are not read for their shape alone."""
    shapes = info(op.fn).shape_only
    return tuple(a for k, a in enumerate(op.args) if k not in shapes)


def selects(index: Atom) -> bool:
    """Return whether an index holds an array, as masks and `np.nonzero` do."""
    return any(p.kind in ("array", "unknown") for p in _parts_of(index))


def may_mask(index: Atom) -> bool:
    """Return whether an index may hold truth values."""
    return any(
        p.dtype == np.bool_ or (p.dtype is None and p.kind in ("array", "unknown"))
        for p in _parts_of(index)
    )


def _parts_of(index: Atom) -> tuple[Fact, ...]:
    """Return what is known of each part of an index."""
    known = fact_of_atom(index)
    if known.kind != "tuple":
        return (known,)
    return (UNKNOWN,) if known.items is None else known.items
