"""Program -> the values that the text takes apart: `f, g = np.split(x, 2)`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.analysis.points_to import is_augmented
from yota_ast.codegen.plan.uses import Use, Uses
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Outlined
from yota_ast.ops import info
from yota_ast.syntax.names import is_weak


@dataclass(frozen=True, slots=True)
class Unpackings:
    """The values that are taken apart: the targets of each by the name of the op that
    is printed so, none of those of which nothing is printed; and the rows of arrays,
    `x[i]`, that are printed in the place of their first items, `x[i, 0]`."""

    targets: dict[str, tuple[Var, ...]]
    rows: dict[str, Apply]


def unpackings(uses: Uses) -> Unpackings:
    """Return what is printed as `f, g = ...`.

    The items are there too, with no variables: they are not printed again.
    """
    found: dict[str, tuple[Var, ...]] = {}
    rows: dict[str, Apply] = {}
    built: dict[str, Apply] = {}
    indexed = _indexed(uses)
    for block in uses.blocks:
        for place, op in enumerate(block.ops):
            if not isinstance(op, Apply) or op.out.name in found:
                continue  # an item of a value that is taken apart has a name already
            if op.fn is build_tuple:
                built[op.out.name] = op
            items = []
            inner = count_of(op) > 1  # what it is an item of is taken apart itself
            if op.out.name in indexed and is_weak(op.out.hint) and not inner:
                items = _items(op, uses.of(op.out), block.number)
            forward = uses.is_forward(block, place)
            if not items and count_of(op) and (forward or count_of(op) > 1):
                items = _together(block.ops[place:], built)
                items = items if forward or _are_all(items) else []
                row = _row(op, built) if items else None
                if row is not None:
                    rows[op.out.name] = row
            found.update((item.out.name, ()) for item in items)
            if items:
                found[op.out.name] = tuple(item.out for item in items)
    for name, index in built.items():
        taken = uses.of(index.out)
        if taken and all(_is_hidden(use, found) for use in taken):
            found[name] = ()
    return Unpackings(found, rows)


def _indexed(uses: Uses) -> set[str]:
    """The variables of which items are taken: no others are taken apart."""
    return {
        op.args[0].name
        for block in uses.blocks
        for op in block.ops
        if isinstance(op, Apply)
        and op.fn is operator.getitem
        and isinstance(op.args[0], Var)
    }


def _is_hidden(use: Use, found: dict[str, tuple[Var, ...]]) -> bool:
    """Say whether an index is that of an item which is printed as a target."""
    return bool(count_of(use.op)) and use.op.out.name in found  # type: ignore[union-attr]


def _row(op: Apply, built: dict[str, Apply]) -> Apply | None:
    """Return the op that takes `x[i]`, of one that takes an item of it."""
    (whole, *steps), _ = _source(op, built)
    if not steps:
        return None
    assert len(steps) == 1
    return replace(op, args=(whole, steps[0]), form="subscript", spelling="")


def count_of(op: object) -> int:
    """Return how many targets there are where an op takes one of them; else 0."""
    if isinstance(op, Apply) and op.form == "unpack" and op.spelling:
        return int(op.spelling)
    return 0


def _together(ops: Sequence[object], built: dict[str, Apply]) -> list[Apply]:
    """Return what the first op and those after it take apart, `_` for what none reads:
    the text then raises where there are more items, or fewer, as Python does."""
    first, count = ops[0], count_of(ops[0])
    assert isinstance(first, Apply)
    whole, _ = _source(first, built)
    taken: dict[int, Apply] = {}
    for op in ops:
        if not isinstance(op, Apply) or op.effect or is_augmented(op):
            break
        if op.fn is build_tuple:
            built = {**built, op.out.name: op}
        elif count_of(op) == count and _source(op, built)[0] == whole:
            at = _source(op, built)[1]
            if at in taken:
                break
            taken[at] = op
    return _filled(first, count, taken)


def _are_all(items: Sequence[Apply]) -> bool:
    """Say whether a sweep that takes items anew takes all that the function does."""
    places = {item.origin.location for item in items}
    return len(places) == 1 and not any(is_gap(item.out) for item in items)


def _source(op: Apply, built: dict[str, Apply]) -> tuple[tuple[Atom, ...], int]:
    """Return what an op takes an item of, `x` or `x[i]`, and which one."""
    index: Any = op.args[1]
    if isinstance(index, Var):
        steps = built[index.name].args
    else:
        value = index.value if isinstance(index.value, tuple) else (index.value,)
        steps = tuple(map(Const, value))
    last: Any = steps[-1]
    return (op.args[0], *steps[:-1]), int(last.value)


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
    if counts == {1}:
        return []  # `(a,) = x` is no `a = x`
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
    if info(op.fn).splits and len(op.args) > 1 and isinstance(op.args[1], Const):
        sections = op.args[1].value
        return sections if isinstance(sections, int) else None
    targets, equals, _ = op.origin.text.partition(" = ")
    hints = [str(taken[i].out.hint) for i in sorted(taken)]
    return len(taken) if equals and targets == ", ".join(hints) else None
