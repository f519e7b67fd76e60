"""A reverse sweep -> the same, where new memory for adjoints holds floats in any case.

`np.zeros_like(y)` holds whole numbers where y does; and y does where it is made of
numbers alone, `y = np.array([a, b])`, and the text is called with whole ones, as
`f(1, 2)`. Then it is `np.zeros_like(y, float)`. Of arrays that are arguments the text
asks that they hold floats.

In: both sweeps, and whether they are those of a function that others call, who may hand
it any array.  Out: the reverse sweep.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

import numpy as np

from ..records import dataclass, field, replace
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    For,
    If,
    Op,
    Store,
    Undefined,
    Var,
    While,
    With,
    build_list,
    build_tuple,
    walk,
)
from ..walking import handed_on
from .scope import fact_of_end

FLOAT: Final = Const(float, "float", "builtins")
_OF_ANY: Final = frozenset({
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.pow,
    operator.floordiv, operator.mod, operator.matmul, abs, pow, build_list, build_tuple,
    np.add, np.subtract, np.multiply, np.negative, np.positive, np.power, np.absolute,
    np.square, np.maximum, np.minimum, np.fmax, np.fmin, np.floor_divide, np.remainder,
    np.stack, np.concatenate, np.vstack, np.hstack, np.column_stack, np.append, np.dot,
    np.outer, np.inner, np.vdot, np.matmul, np.kron, np.cross, np.where, max, min,
})  # fmt: skip
"""What gives whole numbers if all that it is given is whole."""
_OF_THE_FIRST: Final = frozenset({
    operator.getitem, np.array, np.asarray, np.copy, np.ndarray.copy, np.reshape,
    np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ndarray.flatten, np.transpose,
    np.ndarray.transpose, np.zeros_like, np.ones_like, np.empty_like, np.full_like,
    np.sum, np.ndarray.sum, np.cumsum, np.ndarray.cumsum, np.prod, np.ndarray.prod,
    np.max, np.min, np.ndarray.max, np.ndarray.min, np.sort, np.flip, np.roll, np.diff,
    np.repeat, np.tile, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d,
    np.diag, np.triu, np.tril, np.clip, np.ascontiguousarray, np.broadcast_to, np.trace,
    np.fliplr, np.flipud, np.rot90, np.swapaxes, np.moveaxis, np.take, np.round, sum,
})  # fmt: skip
"""What gives whole numbers if its first argument is whole, and no dtype is asked."""
_LIKE: Final = {np.zeros_like: 1, np.full_like: 2, np.array: 1}
Sources = Apply | tuple[Atom | Undefined, ...]


def with_floats(ahead: Block, back: Block, *, function: bool) -> Block:
    """The reverse sweep; function: whether it is one of a function that others call."""
    likes = [op for op in walk(back) if isinstance(op, Apply) and _is_like(op)]
    if not likes:
        return back
    known = _Known(makers_in(ahead, back), arrays=not function)
    whole = {op.out.name for op in likes if not known.is_floating(op.args[0])}
    return _with_floats(back, whole) if whole else back


def _is_like(op: Apply) -> bool:
    """Whether an op makes memory for an adjoint, of the type of its argument."""
    if op.kwargs or len(op.args) != _LIKE.get(op.fn):
        return False
    known = fact_of_end(op.out)
    return known.kind == "array" and known.dtype is not None and known.dtype.kind == "f"


def _with_floats(block: Block, whole: set[str]) -> Block:
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Apply) and op.out.name in whole:
            op = replace(op, args=(*op.args, FLOAT))
        elif isinstance(op, If):
            then, orelse = (_with_floats(arm, whole) for arm in (op.then, op.orelse))
            op = replace(op, then=then, orelse=orelse)
        elif isinstance(op, (For, While, With)):
            op = replace(op, body=_with_floats(op.body, whole))
        ops.append(op)
    return Block(tuple(ops))


@dataclass(slots=True)
class _Known:
    """What holds floats whatever numbers the arguments are.

    arrays: whether arrays of which nothing is known do, as the text asks that.
    """

    makers: dict[str, list[Sources]]
    arrays: bool
    floating: dict[str, bool] = field(default_factory=dict)

    def is_floating(self, atom: Atom | Undefined) -> bool:
        """Whether a value is a float, or holds floats."""
        if isinstance(atom, Undefined):
            return True
        if isinstance(atom, Const):
            return not isinstance(atom.value, (int, np.integer, np.bool_))
        name = atom.name
        if name not in self.floating:
            self.floating[name] = True  # of a loop: what it begins with decides
            self.floating[name] = self._is_made_of_floats(atom)
        return self.floating[name]

    def _is_made_of_floats(self, var: Var) -> bool:
        if var.fact.kind in ("int", "bool"):
            return False
        sources = self.makers.get(var.name)
        if sources is None:
            return self.arrays and var.fact.kind == "array"
        return all(map(self._gives_floats, sources))

    def _gives_floats(self, source: Sources) -> bool:
        if not isinstance(source, Apply):
            return all(map(self.is_floating, source))
        args = source.args
        if source.fn in _OF_ANY:
            return self._any(args[source.fn is np.where :])
        if source.fn not in _OF_THE_FIRST or len(args) > _LIKE.get(
            source.fn, len(args)
        ):
            return True
        if any(name == "dtype" for name, _ in source.kwargs):
            return True
        return self._all_items(args[0]) if source.fn is operator.getitem else (
            self.is_floating(args[0])
        )  # fmt: skip

    def _any(self, atoms: Sequence[Atom]) -> bool:
        return any(map(self.is_floating, atoms))

    def _all_items(self, whole: Atom) -> bool:
        """Whether each item of a value is a float: of a list one may be whole."""
        for source in self.makers.get(getattr(whole, "name", ""), ()):
            if isinstance(source, Apply) and source.fn in (build_list, build_tuple):
                return all(map(self.is_floating, source.args))
        return self.is_floating(whole)


def makers_in(ahead: Block, back: Block) -> dict[str, list[Sources]]:
    """What the variables of both sweeps are made by: those that a loop of the reverse
    goes over, by what a loop has kept."""
    found: dict[str, list[Sources]] = {}
    kept: dict[str, tuple[Var, ...]] = {}
    for block in (ahead, back):
        for op in walk(block):
            if isinstance(op, Apply):
                found.setdefault(op.out.name, []).append(op)
            elif isinstance(op, Store):
                found.setdefault(op.out.name, []).append((op.target,))
            for ends, outs in handed_on(op):
                for out in outs:
                    found.setdefault(out.name, []).append(ends)
            if isinstance(op, (For, While)) and op.stack is not None:
                kept[op.stack.name] = op.saved
            elif isinstance(op, For):
                _hand_over(op, kept, found)
    return found


def _hand_over(
    loop: For, kept: dict[str, tuple[Var, ...]], found: dict[str, list[Sources]]
) -> None:
    """Note what a loop takes out of what another has kept."""
    if not isinstance(loop.iterable, Var):
        return
    for source in found.get(loop.iterable.name, ()):
        stack = source.args[0] if isinstance(source, Apply) and source.args else None
        saved = kept.get(stack.name, ()) if isinstance(stack, Var) else ()
        if len(saved) == len(loop.targets):
            for target, var in zip(loop.targets, saved, strict=True):
                found.setdefault(target.name, []).append((var,))
