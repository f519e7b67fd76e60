"""A block that calls helpers without a rule -> the block with their sources in place.

A helper of `runtime` is NumPy, and what it does can be differentiated like anything
else: where a value on the path of a derivative reaches one of its arguments for which
no rule states an adjoint, the call is lowered in place. Others stay calls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.activity import Activity, Through, activity
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply, Block, Op, map_blocks, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape
from yota_ast.rules.notation.rule import BOOK, Bound
from yota_ast.support.helper_functions import is_helper

MOST: int = 8
"""How deep helpers that call helpers are followed."""

Follow = Callable[[Apply, Names], tuple[Block, Atom] | None]
"""The ops that stand for a call, and its result; the names are those taken."""


@dataclass(slots=True)
class Noted:
    """Follows calls, and notes whether it has: what is lowered in place rests on the
    ranks of what it is given."""

    follow: Follow
    used: bool = False

    def __call__(self, op: Apply, names: Names) -> tuple[Block, Atom] | None:
        """The ops that stand for a call, and its result."""
        found = self.follow(op, names)
        self.used = self.used or found is not None
        return found


def following(
    tape: Tape, leaves: Iterable[Var], through: Through, follow: Follow, names: Names
) -> Tape:
    """The tape with the helpers followed that the leaves reach without a rule."""
    leaves = tuple(leaves)
    for _ in range(MOST):
        if not any(
            isinstance(op, Apply) and is_helper(op.fn) for op in walk(tape.block)
        ):
            break
        active = activity(tape, leaves, through)
        worker = _Worker(active, follow, names)
        block = worker.block(tape.block)
        if not worker.made:
            break
        placed = _Placing(worker.made)
        tape = replace(tape, block=placed.block(block), result=placed.atom(tape.result))
    return tape


@dataclass(slots=True)
class _Worker:
    """Puts ops in the places of calls; made: what the results of these calls are."""

    active: Activity
    follow: Follow
    names: Names
    made: dict[str, Atom] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block:
            found = self._followed(op) if isinstance(op, Apply) else None
            if found is not None and isinstance(op, Apply):
                inner, self.made[op.out.name] = found
                ops += inner
            else:
                ops.append(map_blocks(op, self.block))
        return Block(tuple(ops))

    def _followed(self, op: Apply) -> tuple[Block, Atom] | None:
        if op.out not in self.active or not is_helper(op.fn):
            return None
        return self.follow(op, self.names) if self._lacks_rule(op) else None

    def _lacks_rule(self, op: Apply) -> bool:
        bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
        return bound is None or any(
            name not in bound.rule.adjoints and name not in bound.rule.zero
            for name in self._reached(bound)
        )

    def _reached(self, bound: Bound) -> list[str]:
        """The parameters that active values reach."""
        return [
            name
            for name, value in bound.arguments.items()
            if any(
                a in self.active
                for a in (value if isinstance(value, tuple) else (value,))
            )
        ]


class _Placing(Substitution):
    """Puts the results of what was followed in the places of those of the calls; items
    of containers that were built are what they were built of."""

    def __init__(self, made: dict[str, Atom]) -> None:
        super().__init__(made)
        self.built: dict[str, tuple[Atom, ...]] = {}

    def var(self, var: Var) -> Atom:
        """What stands for a variable."""
        at: Atom = var
        while isinstance(at, Var) and at.name in self.made:
            at = self.made[at.name]
        return at

    def block(self, block: Block) -> Block:
        """A block with the new atoms."""
        ops = []
        for op in block:
            placed = self.op(op)
            if isinstance(placed, Apply):
                item = self._item(placed)
                if item is not None:
                    self.made[placed.out.name] = item
                    continue
                if placed.fn in (build_tuple, build_list, build_slice):
                    self.built[placed.out.name] = placed.args
            ops.append(placed)
        return Block(tuple(ops))

    def _item(self, op: Apply) -> Atom | None:
        if op.fn is not operator.getitem or not isinstance(op.args[0], Var):
            return None
        items, key = self.built.get(op.args[0].name), op.args[1]
        if items is None:
            return None
        if isinstance(key, Var):
            ends = self.built.get(key.name, ())
            if not ends or not all(isinstance(e, Const) for e in ends):
                return None
            key = Const(slice(*(e.value for e in ends if isinstance(e, Const))))
        if isinstance(key.value, slice):
            self.built[op.out.name] = items[key.value]
        return items[key.value] if type(key.value) is int else None
