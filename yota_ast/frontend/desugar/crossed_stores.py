"""`m[:, -1] = m[1]`: an array that is stored into itself along another line.

In goes a store; out comes whether NumPy reads all that it stores before it overwrites
it. Where a part with several axes is stored it takes a copy first. A part with one axis
is copied forwards or backwards: right where both lines have one step, and not where a
row is stored into a column or every other element into a row. There an element may be
overwritten before it is read, and the array is no longer what the statement says.

>>> import numpy as np
>>> m = np.arange(9.0).reshape(3, 3)
>>> m[:, -1] = m[1]
>>> m[:, -1]
array([3., 4., 4.])
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.components import Component
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_slice
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info

RECENT: Final = 40
"""So many ops back the parts of an index are looked for."""
FULL: Final = (Const(None), Const(None), Const(None))
UNKNOWN: Final = Var("%place")
"""A number that is not known: of two it is not known whether they are one."""
Slice = tuple[Atom, Atom, Atom]
Part = Atom | Slice


@dataclass(frozen=True, slots=True)
class Lines:
    """Whether two parts of one array, each along one axis, are safe to copy."""

    made: dict[str, Apply]

    def alike(self, one: Atom, other: Atom) -> bool:
        """Whether two atoms are surely one number."""
        if one == other:
            return one != UNKNOWN
        if not isinstance(one, Var) or not isinstance(other, Var):
            return False
        a, b = self.made.get(one.name), self.made.get(other.name)
        if a is None or b is None or a.fn is not b.fn or a.effect or a.kwargs:
            return False
        pairs = zip(a.args, b.args, strict=False)
        return len(a.args) == len(b.args) and all(self.alike(*p) for p in pairs)

    def are_safe(self, to: tuple[Part, ...], of: tuple[Part, ...]) -> bool:
        """Whether `x[to] = x[of]` stores what was there before."""
        longest = max(len(to), len(of))
        to, of = (p + (FULL,) * (longest - len(p)) for p in (to, of))
        place, source = _line_of(to), _line_of(of)
        if place is None or source is None:
            return True  # of several axes: NumPy copies it first
        numbers = (
            (p, q)
            for p, q in zip(to, of, strict=True)
            if not isinstance(p, tuple) and not isinstance(q, tuple)
        )
        if not all(self.alike(p, q) for p, q in numbers):
            return True  # of other rows
        if place == source:
            return self._along(to, of, place)
        return longest == 2 and self._across(to, of, place)

    def _along(self, to: tuple[Part, ...], of: tuple[Part, ...], axis: int) -> bool:
        """Along one axis: steps that are equal, or that go ahead of what is written."""
        a, b = _slice(to[axis]), _slice(of[axis])
        if self.alike(a[2], b[2]):
            return True
        one, two = _known(a[2]), _known(b[2])
        if one is None or two is None:
            return False
        if one * two < 0:
            return True  # of opposite ways: NumPy copies it first
        return 0 < one <= two and self.alike(a[0], b[0])

    def _across(self, to: tuple[Part, ...], of: tuple[Part, ...], axis: int) -> bool:
        """A row into a column, or a column into a row, of a matrix."""
        a, b = _slice(to[axis]), _slice(of[1 - axis])
        if not all(self.alike(p, q) for p, q in zip(a, b, strict=True)):
            return False
        mine, its = to[1 - axis], of[axis]
        assert isinstance(mine, (Var, Const))
        assert isinstance(its, (Var, Const))
        if self.alike(mine, its):
            return True
        row, column = (its, mine) if axis == 0 else (mine, its)
        if a != _slice(FULL):
            return False
        r, c = _known(row), _known(column)
        return r == 0 or (r is not None and c is not None and 0 <= c <= r)


def _slice(part: Part) -> Slice:
    assert isinstance(part, tuple)
    step = part[2] if part[2] != Const(None) else Const(1)
    start = part[0] if part[0] != Const(0) else Const(None)
    return (start, part[1], step)


def _known(atom: Atom) -> int | None:
    value: Any = atom.value if isinstance(atom, Const) else None
    return value if isinstance(value, int) else None


def _line_of(parts: tuple[Part, ...]) -> int | None:
    """The axis along which a part of an array runs, if that is one."""
    lines = [k for k, part in enumerate(parts) if isinstance(part, tuple)]
    return lines[0] if len(lines) == 1 else None


def check_crossing(lowering: Component, target: Var, index: Atom, value: Atom) -> None:
    """Refuse a store of a part of an array into itself that NumPy gets wrong."""
    if not isinstance(value, Var) or value.fact.rank not in (1, None):
        return
    for way in _ways(lowering, value):
        if shares_root(lowering, target, way) and not _is_read_first(
            lowering, target, index, way
        ):
            refuse_crossing(lowering)


def _ways(lowering: Component, value: Var) -> list[Var]:
    """The arrays of which one is stored: those that a branch may have chosen."""
    ends = Notes.of(lowering).ways.get(value.name)
    if ends is None:
        return [value]
    arrays = [e for e in ends if isinstance(e, Var)]
    return [way for end in arrays for way in _ways(lowering, end)]


def shares_root(lowering: Component, target: Var, value: Atom) -> bool:
    """Whether two may lie in the same memory."""
    language = Language.of(lowering)
    mine, its = (
        language.memory_of(target).roots,
        language.memory_of(value).roots,
    )
    return not set(mine).isdisjoint(its)


def refuse_crossing(lowering: Component) -> None:
    """Refuse what NumPy may overwrite before it has read it."""
    Position.of(lowering).refuse(
        "a row or column is stored into another one of the same array: NumPy "
        "may overwrite values before it has read them",
        "Store a copy: .copy().",
    )


def _is_read_first(lowering: Component, target: Var, index: Atom, value: Var) -> bool:
    given = _parts(lowering, index, target.fact.rank)
    of = _placed(lowering, value, ())
    if given is None:
        element = of is not None and of[1] and _line_of(of[1]) is None
        return not _holds_mask(lowering, index) or bool(element)
    to = _placed(lowering, target, given)
    if to is None or of is None:
        return False
    if to[0] != of[0] and not _are_one(lowering, to[0], of[0]):
        return False  # it may be any part
    rank = to[0].fact.rank
    made = {
        op.out.name: op
        for op in Blocks.of(lowering).ops[-RECENT:]
        if isinstance(op, Apply)
    }
    return Lines(made).are_safe(_padded(to[1], rank), _padded(of[1], rank))


def _holds_mask(lowering: Component, index: Atom) -> bool:
    """Whether truth values choose the elements, of which NumPy copies one by one."""
    parts = (
        (ViewWrites.of(lowering).index_parts(index) or ())
        if isinstance(index, Var)
        else ()
    )
    facts = [Operations.of(lowering).fact(part) for part in (index, *parts)]
    return any(fact.dtype == bool and not fact.is_scalar for fact in facts)


def _padded(parts: tuple[Part, ...], rank: int | None) -> tuple[Part, ...]:
    return parts + (FULL,) * ((rank or 0) - len(parts))


def _placed(
    lowering: Component, var: Var, parts: tuple[Part, ...]
) -> tuple[Var, tuple[Part, ...]] | None:
    """A part of a view as one of the array that it is a view of."""
    language = Language.of(lowering)
    var = language.fresh(var)
    view = Notes.of(lowering).views.get(var.name) or _item(lowering, var)
    if view is None or not isinstance(view.args[0], Var):
        return var, parts
    base = language.fresh(view.args[0])
    if view.fn is operator.getitem:
        outer = _parts(lowering, view.args[1], base.fact.rank)
        inner = None if outer is None else _within(outer, parts)
        return None if inner is None else _placed(lowering, base, inner)
    if info(view.fn).order == "kept" and _is_as_long(base.fact, var.fact):
        return _placed(lowering, base, parts)
    turned = view.fn in (np.transpose, np.ndarray.transpose) and len(view.args) == 1
    if turned and base.fact.rank == 2 and not view.kwargs:
        return _placed(lowering, base, _padded(parts, 2)[::-1])
    return None


def _item(lowering: Component, var: Var) -> Apply | None:
    """The op that took an item of an array of unknown rank: a number or a row."""
    blocks = Blocks.of(lowering)
    for ops in (blocks.ops, *reversed(blocks.blocks_open)):
        for op in reversed(ops):
            if isinstance(op, Apply) and op.out == var:
                return op if op.fn is operator.getitem else None
    return None


def _are_one(lowering: Component, one: Var, other: Var) -> bool:
    """Whether two arrays that may share memory are then one array, and no part."""
    alike = one.fact.rank is not None and one.fact.rank == other.fact.rank
    memory_of = Language.of(lowering).memory_of
    return alike and memory_of(one).whole and memory_of(other).whole


def _is_as_long(base: Fact, view: Fact) -> bool:
    """Whether a view of elements in their order has the axes of its base."""
    if base.rank == view.rank == 1:
        return True
    return base.shape is not None and base.shape == view.shape


def _within(
    outer: tuple[Part, ...], parts: tuple[Part, ...]
) -> tuple[Part, ...] | None:
    """The part that is a part of a part."""
    lines = [k for k, part in enumerate(outer) if isinstance(part, tuple)]
    if not lines or not parts:
        return outer + parts
    if len(lines) > 1 or len(parts) > 1:
        return None
    at, part = lines[0], parts[0]
    if isinstance(part, tuple):
        whole, inner = _slice(outer[at]), _slice(part)
        one, two = _known(whole[2]), _known(inner[2])
        if inner == _slice(FULL):
            part = whole
        elif whole != _slice(FULL):
            if one is None or two is None:
                return None
            part = (UNKNOWN, UNKNOWN, Const(one * two))
    elif _slice(outer[at]) != _slice(FULL):
        part = UNKNOWN
    return (*outer[:at], part, *outer[at + 1 :])


def _parts(
    lowering: Component, index: Atom, rank: int | None
) -> tuple[Part, ...] | None:
    """The numbers and slices of an index; None where there is something else."""
    notes = Notes.of(lowering)
    given = ViewWrites.of(lowering).index_parts(index)
    if given is None:
        return None
    found: list[Part] = []
    for atom in given:
        if isinstance(atom, Const) and atom.value is ...:
            if rank is None:
                return None
            found += [FULL] * (rank - len(given) + 1)
        elif isinstance(atom, Const) and isinstance(atom.value, slice):
            s = atom.value
            found.append((Const(s.start), Const(s.stop), Const(s.step)))
        elif isinstance(atom, Const) and type(atom.value) is not int:
            return None
        elif isinstance(atom, Var) and atom.name in notes.built:
            op = notes.built[atom.name]
            if op.fn is not build_slice:
                return None
            found.append((op.args[0], op.args[1], op.args[2]))
        elif isinstance(atom, Var) and atom.fact.kind != "int":
            return None
        else:
            found.append(atom)
    return tuple(found)
