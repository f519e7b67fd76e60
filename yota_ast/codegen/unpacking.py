"""Program -> the values that the text takes apart: `f, g = np.split(x, 2)`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from yota_ast.codegen.uses import Use, Uses, is_weak
from yota_ast.tape import Apply, Const, Outlined, Var

_SPLITS: Final = (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit)


def unpackings(uses: Uses) -> dict[str, tuple[Var, ...]]:
    """Return, for values printed as `f, g = ...`, the variables of their items.

    The items are there too, with no variables: they are not printed again.
    """
    found: dict[str, tuple[Var, ...]] = {}
    for block in uses.blocks:
        for place, op in enumerate(block.ops):
            if not isinstance(op, Apply) or op.out.name in found:
                continue  # an item of a value that is taken apart has a name already
            items = []
            if is_weak(op.out.hint):
                items = _items(op, uses.of(op.out), block.number)
            if items:
                found[op.out.name] = ()
            elif count_of(op) and uses.is_forward(block, place):
                items = _together(block.ops[place:])
            found.update((item.out.name, ()) for item in items)
            if items:
                found[op.out.name] = tuple(item.out for item in items)
    return found


def count_of(op: object) -> int:
    """Return how many targets there are where an op takes one of them; else 0."""
    if isinstance(op, Apply) and op.form == "unpack" and op.spelling:
        return int(op.spelling)
    return 0


def _together(ops: Sequence[object]) -> list[Apply]:
    """Return what the first op and those after it take apart, `_` for what none reads:
    the text then raises where there are more items, or fewer, as Python does."""
    first = ops[0]
    assert isinstance(first, Apply)
    taken: dict[int, Apply] = {}
    for op in ops:
        if not isinstance(op, Apply) or op.effect:
            break
        if count_of(op) == count_of(first) and op.args[0] == first.args[0]:
            at = _position(op)
            if at in taken:
                break
            taken[at] = op
    return _filled(first, count_of(first), taken)


def _position(op: Apply) -> int:
    assert isinstance(op.args[1], Const)
    place: Any = op.args[1].value
    return int(place)


def _items(op: Apply, uses: list[Use], block: int) -> list[Apply]:
    """Return the ops that take the items 0 to n - 1 of a value, if nothing else
    does."""
    taken: dict[int, Apply] = {}
    for use in uses:
        item = use.op
        if not (
            isinstance(item, Apply)
            and item.fn is operator.getitem
            and use.is_directly_in(block)
            and isinstance(item.args[1], Const)
            and type(item.args[1].value) is int
            and item.args[1].value not in taken
        ):
            return []
        taken[item.args[1].value] = item
    if isinstance(op.fn, Outlined) and taken:
        return _filled(op, len(op.out.fact.items or ()), taken)
    counts = {count_of(item) for item in taken.values()}
    if len(counts) == 1 and counts != {0}:
        return _filled(op, counts.pop(), taken)
    several = len(taken) > 1 and sorted(taken) == list(range(len(taken)))
    if not several or _count(op, taken) != len(taken):
        return []
    return [taken[i] for i in sorted(taken)]


def is_gap(var: Var) -> bool:
    """Say whether a target is one that nothing reads."""
    return var.hint == "_" and "@" in var.name


def _filled(op: Apply, count: int, taken: dict[int, Apply]) -> list[Apply]:
    """Return the items that are taken, `_` for what none reads."""
    found = []
    for k in range(count):
        gap = Var(f"{op.out.name}@{k}", hint="_")
        found.append(taken.get(k) or Apply(gap, operator.getitem, (op.out, Const(k))))
    return found


def _count(op: Apply, taken: dict[int, Apply]) -> int | None:
    """Return how many items a value has that the user takes apart, where it is said.

    Targets that nothing reads may be gone: it takes the user's line, or the function.
    """
    if op.out.fact.items is not None:
        return len(op.out.fact.items)
    if op.fn in _SPLITS and len(op.args) > 1 and isinstance(op.args[1], Const):
        sections = op.args[1].value
        return sections if isinstance(sections, int) else None
    targets, equals, _ = op.origin.text.partition(" = ")
    hints = [str(taken[i].out.hint) for i in sorted(taken)]
    return len(taken) if equals and targets == ", ".join(hints) else None
