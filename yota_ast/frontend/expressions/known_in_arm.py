"""Whether a dict has a key, where an arm of a branch has asked that before; and what
has been chosen there.

    if key not in d:
        d[key] = w  # a new key

In: the dict and the key, as operands of `in`.  Out: the answer that the arms around
tell, and None where they tell none. A dict that is written is another variable then.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeVar

from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.crossed_stores import RECENT, Lines
from yota_ast.frontend.heap.lowered_values import Either, Value, candidates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply

T = TypeVar("T")


def known_in_arm(lowering: Component, asked: Sequence[Atom]) -> bool | None:
    """Return what the arms around say of `key in d`; asked: d and the key."""
    made = _recent(lowering)
    for test, holds in reversed(Position.of(lowering).arms):
        op = made.get(test.name) if isinstance(test, Var) else None
        if op is not None and op.fn is operator.not_ and isinstance(op.args[0], Var):
            op, holds = made.get(op.args[0].name), not holds
        if op is None or op.fn is not operator.contains:
            continue
        if op.args[0] == asked[0] and Lines(made).alike(op.args[1], asked[1]):
            return holds
    return None


def may_be_here(lowering: Component, value: Value) -> tuple[Value, ...]:
    """Return which values a chosen one may be, as far as the arms around tell."""
    for test, holds in Position.of(lowering).arms:
        value = narrowed(lowering, value, test, holds=holds)
    return candidates(value) if isinstance(value, Either) else (value,)


def narrowed(lowering: Component, value: T, test: object, *, holds: bool) -> T | Value:
    """Return what a chosen value is in the arm where a test holds, or where not."""
    if not isinstance(value, Either):
        return value
    told = _told(_recent(lowering), value.test, test, holds=holds)
    if told is None:
        sides = (value.then, value.orelse)
        then, orelse = (narrowed(lowering, v, test, holds=holds) for v in sides)
        return Either(value.test, then, orelse)
    return narrowed(lowering, value.then if told else value.orelse, test, holds=holds)


def _told(
    made: dict[str, Apply], asked: Atom, test: object, *, holds: bool
) -> bool | None:
    """Return what one test tells of another, that it is negated of or the same."""
    asked, turned = _without_not(made, asked)
    test, other = _without_not(made, test)
    return holds ^ turned ^ other if asked == test else None


def _without_not(made: dict[str, Apply], test: Any) -> tuple[Any, bool]:
    """Return what a test negates, and whether it does."""
    op, turned = None, False
    while isinstance(test, Var):
        op = made.get(test.name)
        if op is None or op.fn is not operator.not_:
            break
        test, turned = op.args[0], not turned
    return test, turned


def _recent(lowering: Component) -> dict[str, Apply]:
    """The calls whose results can be read here, the last ones of each block."""
    blocks = Blocks.of(lowering)
    around = (*blocks.blocks_open, blocks.ops)
    return {
        op.out.name: op
        for ops in around
        for op in ops[-RECENT:]
        if isinstance(op, Apply)
    }
