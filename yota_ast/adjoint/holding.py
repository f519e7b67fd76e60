"""Stores of a block -> which may cut floats to whole numbers.

An array of whole numbers or truth values keeps the whole part of what is put into it,
which has no slope.  Where facts say what an array holds they decide; of one of which
they do not, its makers may: what is made of floats by arithmetic holds floats.

>>> from ..facts import FLOAT, UNKNOWN
>>> x, c, y = Var("x", FLOAT), Var("c", UNKNOWN), Var("y", UNKNOWN)
>>> made = Apply(c, np.random.permutation, (Const(4),))
>>> store = Store(y, c, Const(0), x)
>>> Holding(Block((made, store))).may_cut(store)
True
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from ..build import Builder
from ..records import dataclass, field
from ..runtime import held
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    Store,
    Undefined,
    Var,
    build_list,
    build_tuple,
    walk,
)
from ..walking import handed_on
from .scope import fact_of_end

_AS_UFUNCS: Final[dict[object, np.ufunc]] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.true_divide, operator.floordiv: np.floor_divide,
    operator.mod: np.remainder, operator.pow: np.power, pow: np.power,
    operator.neg: np.negative, operator.pos: np.positive, abs: np.absolute,
    operator.matmul: np.matmul,
}  # fmt: skip
_OF_THE_FIRST: Final = frozenset({
    operator.getitem, np.copy, np.ndarray.copy, np.reshape, np.ndarray.reshape,
    np.ravel, np.ndarray.ravel, np.ndarray.flatten, np.transpose, np.ndarray.transpose,
    np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.sum, np.ndarray.sum,
    np.cumsum, np.prod, np.max, np.min, np.sort, np.flip, np.roll, np.diff, np.repeat,
    np.tile, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.diag, np.real,
    np.imag, np.array, np.asarray, np.ascontiguousarray, np.broadcast_to, np.clip,
})  # fmt: skip
"""What gives what its first argument holds, but where a dtype is asked for."""
_TYPE_AT: Final = {
    np.zeros_like: 1, np.ones_like: 1, np.empty_like: 1, np.array: 1, np.asarray: 1,
    np.ascontiguousarray: 1, np.full_like: 2, np.sum: 2, np.ndarray.sum: 2,
    np.cumsum: 2, np.prod: 2,
}  # fmt: skip
"""Which argument of these is a dtype, if it is there."""
_OF_ANY: Final = frozenset({
    build_list, build_tuple, np.stack, np.concatenate, np.where, np.dot, np.outer,
    np.vstack, np.hstack, np.append, np.inner, np.kron,
})  # fmt: skip
"""What holds floats where one of its arguments does."""
_Sources = Apply | tuple[Atom | Undefined, ...]


@dataclass(slots=True)
class Holding:
    """What the arrays of a block hold."""

    block: Block
    makers: dict[str, list[_Sources]] | None = None
    """What variables are made by, an array that is written by the one before; found out
    where it is asked for."""
    floats: dict[str, bool] = field(default_factory=dict)

    def cut(self, builder: Builder, op: Store, d: Atom) -> Atom:
        """The adjoint, or the tangent, of what a store puts into an array, or 0 where
        the array cuts that to a whole number."""
        if isinstance(d, Const) or not self.may_cut(op):
            return d
        given = () if _surely(op.value) else (op.value,)
        return builder.apply(held, d, op.target, *given)

    def may_cut(self, op: Store) -> bool:
        """Whether an array may be one of whole numbers, and gets floats."""
        known = op.target.fact
        if known.kind not in ("array", "real", "unknown") or known.dtype is not None:
            return False
        return not self.holds_floats(op.target)

    def holds_floats(self, atom: Atom | Undefined) -> bool:
        """Whether a value is, or holds, floats for sure."""
        if isinstance(atom, Undefined) or _surely(atom):
            return True
        if not isinstance(atom, Var) or _surely_not(atom):
            return False
        if self.makers is None:
            self.makers = _makers_in(self.block)
        name = atom.name
        if name not in self.floats:
            self.floats[name] = True  # of a loop: what it begins with decides
            sources = self.makers.get(name, ())
            found = bool(sources) and all(map(self._made_of_floats, sources))
            self.floats[name] = found
        return self.floats[name]

    def _made_of_floats(self, source: _Sources) -> bool:
        if not isinstance(source, Apply):
            return all(map(self.holds_floats, source))
        typed = len(source.args) > _TYPE_AT.get(source.fn, len(source.args))
        if typed or any(name == "dtype" for name, _ in source.kwargs):
            return False
        if source.fn in _OF_ANY:
            return self._any(source.args[source.fn is np.where :])
        if source.fn in _OF_THE_FIRST:
            return self._any(source.args[:1])
        ufunc = _AS_UFUNCS.get(source.fn, source.fn)
        if not isinstance(ufunc, np.ufunc):
            return False
        return _gives_floats(ufunc, "") or (
            _gives_floats(ufunc, "fdFD") and self._any(source.args)
        )

    def _any(self, atoms: Sequence[Atom]) -> bool:
        return any(map(self.holds_floats, atoms))


def _gives_floats(ufunc: np.ufunc, given: str) -> bool:
    """Whether all loops of a ufunc, or those of which an operand is of one of the types
    given, give floats; those of objects and of times are none of numbers."""
    numbers = (t for t in ufunc.types if {"O", "m", "M"}.isdisjoint(t))
    loops = [t.partition("->")[::2] for t in numbers]
    if given:
        loops = [(a, b) for a, b in loops if not set(given).isdisjoint(a)]
    return all(set(out) <= set("efdgFDG") for _, out in loops)


def _surely(atom: Atom) -> bool:
    """Whether facts say that a value is, or holds, floats."""
    known = fact_of_end(atom)
    if known.kind in ("float", "complex"):
        return True
    if known.kind in ("list", "tuple") and known.items:
        return any(f.kind in ("float", "complex") for f in known.items)
    return known.dtype is not None and known.dtype.kind in "fc"


def _surely_not(var: Var) -> bool:
    known = var.fact
    return known.kind in ("int", "bool") or known.dtype is not None


def _makers_in(block: Block) -> dict[str, list[_Sources]]:
    found: dict[str, list[_Sources]] = {}

    def note(outs: Iterable[Var], source: _Sources) -> None:
        for out in outs:
            found.setdefault(out.name, []).append(source)

    for op in walk(block):
        if isinstance(op, Apply):
            note((op.out,), op)
        elif isinstance(op, Store):
            note((op.out,), (op.target,))
        for ends, outs in handed_on(op):
            note(outs, ends)
    return found
