"""A forward sweep -> which reads of an array still hold where the reverse sweep runs.

`s[t] = f(s[t - 1])` writes each cell once: what the loop has read of `s` stands in it
still when the loop is done, and nothing need be saved. In: the places and the stores of
a sweep.  Out: for such values, the op that reads them in the last version of the array.

A read is held against each store that may come after it: the stores of later
iterations of each loop around both, and those further down. It holds where all of them
certainly go to other cells. An index is known by its bounds relative to loop variables:
`i + 1:` is `[i + 1, ...)`, and for `i` in `range(k + 1, n)` also `[k + 2, ...)`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.block_places import Places
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.same_objects import Objects, last_version
from yota_ast.ir.abstract_values import Shape, same_dtype
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim, is_natural
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Simple,
    Store,
    While,
    only,
    walk,
)
from yota_ast.ir.store_changes import Put, changes_length
from yota_ast.ops import info

Bounds = tuple[int | None, int | None]
"""The least and the greatest cell, both included; None: not known."""
Spans = Mapping[str, Bounds]
"""Bounds relative to loop variables, and to lengths, by name, and absolute ones under
""."""

Range = tuple[Atom, Atom, int]
"""start, stop and step."""

Stack = tuple[str | int, ...]
"""A list that a loop fills: its name, and where in the tuples of that a list within."""
Kept = Mapping[Stack, tuple[int, Range]]
"""By such lists: where in their tuples the number of the loop is that has filled them,
and its range."""

_ANYWHERE: Spans = {}
_LENGTH = "length "
"""What the name of a length of an axis begins with, among those of loop variables."""


@dataclass(slots=True)
class Indices:
    """What is known of the integers that index arrays."""

    places: Places
    kept: Kept = field(default_factory=dict)
    known: dict[str, Spans] = field(default_factory=dict)

    def axes(self, index: Atom, shape: Shape = None) -> list[Spans]:
        """The bounds on each leading axis, as far as the index is understood. shape:
        that of what is indexed."""
        parts: list[object] = [index]
        op = self.places.apply_of(index.name) if isinstance(index, Var) else None
        if isinstance(index, Const) and isinstance(index.value, tuple):
            parts = [Const(v) for v in index.value]
        elif op is not None and op.fn is build_tuple:
            parts = list(op.args)
        axes: list[Spans] = []
        for part in parts:
            assert isinstance(part, (Var, Const))
            if not self._takes_one_axis(part):
                break
            known = isinstance(shape, tuple) and len(axes) < len(shape)
            length = shape[len(axes)] if known and isinstance(shape, tuple) else None
            last = self._from_end(part, length)
            axes.append(self._part(part, length) if last is None else last)
            maker = self.places.apply_of(part.name) if isinstance(part, Var) else None
            if not axes[-1] and maker is not None and maker.fn is build_list:
                break  # a list of booleans may take several axes
        return axes

    def _from_end(self, part: Atom, length: Dim | None) -> Spans | None:
        """The bounds of an item that a literal counts from the end of an axis."""
        number = part.value if isinstance(part, Const) else None
        if type(number) is not int or number >= 0 or length is None or not length.base:
            return None
        return _of_length(length.shifted(number))

    def apart(self, one: Atom, other: Atom) -> bool:
        """Whether two indices certainly name other cells of one array, both read in the
        same iteration of all loops around."""
        pairs = zip(self.axes(one), self.axes(other), strict=False)
        return any(apart(p[base], q[base]) for p, q in pairs for base in {*p} & {*q})

    def _takes_one_axis(self, part: Atom) -> bool:
        if isinstance(part, Const):
            return type(part.value) in (int, slice)
        op = self.places.apply_of(part.name)
        if op is not None and op.fn in (build_slice, build_list):
            return True
        return part.fact.kind in ("int", "scalar") and part.fact.is_whole

    def _part(self, part: Atom, length: Dim | None) -> Spans:
        if isinstance(part, Const) and isinstance(part.value, slice):
            cut = part.value
            return self._slice(Const(cut.start), Const(cut.stop), Const(cut.step))
        op = self.places.apply_of(part.name) if isinstance(part, Var) else None
        if op is not None and op.fn is build_slice:
            return self._slice(*op.args)
        if op is not None and op.fn is build_list:
            return self._list(op.args)
        spans = self.spans(part)
        plain = _from_the_front(spans) or _is_last(spans, length)
        return spans if plain else _ANYWHERE

    def _slice(self, start: Atom, stop: Atom, step: Atom) -> Spans:
        if not isinstance(step, Const) or step.value not in (None, 1):
            return _ANYWHERE
        first = self.spans(start) if start != Const(None) else {"": (0, None)}
        last = self.spans(stop) if stop != Const(None) else {"": (0, None)}
        if not _from_the_front(first) or not _from_the_front(last):
            return _ANYWHERE
        found = {}
        for base in sorted({*first, *last}):
            low, _ = first.get(base, (None, None))
            _, high = last.get(base, (None, None))
            found[base] = (low, None if high is None else high - 1)
        return found

    def _list(self, items: tuple[Atom, ...]) -> Spans:
        """The bounds that hold of every item."""
        each = [self.spans(a) for a in items]
        if not each or not all(map(_from_the_front, each)):
            return _ANYWHERE
        found = {}
        for base in sorted(set.intersection(*(set(s) for s in each))):
            lows = [s[base][0] for s in each]
            highs = [s[base][1] for s in each]
            low = None if None in lows else min(v for v in lows if v is not None)
            high = None if None in highs else max(v for v in highs if v is not None)
            found[base] = (low, high)
        return found

    def spans(self, atom: Atom) -> Spans:
        """The bounds of one integer."""
        if isinstance(atom, Const):
            plain = type(atom.value) is int
            return {"": (atom.value, atom.value)} if plain else _ANYWHERE  # type: ignore[dict-item]
        if atom.name not in self.known:
            self.known[atom.name] = _ANYWHERE
            found = self._of(atom)
            length = atom.fact.length
            if length is not None and length.base and "@" not in length.base:
                least = {"": (length.offset, None)} if _is_from_0(length) else {}
                found = {**least, **_of_length(length), **found}
            self.known[atom.name] = found
        return self.known[atom.name]

    def _of(self, var: Var) -> Spans:
        match maker := self.places.maker.get(var.name):
            case Apply():
                return self._computed(maker)
            case For():
                return self._target(maker, var)
            case Simple() | Compound() | None:
                return _ANYWHERE
            case _:
                assert_never(maker)

    def _computed(self, maker: Apply) -> Spans:
        if info(maker.fn).counts:
            return {"": (0, None)}
        if maker.fn is operator.add:
            a, b = (self.spans(x) for x in maker.args)
            return {**_shifted(b, a), **_shifted(a, b)}
        if maker.fn is operator.sub:
            a, b = (self.spans(x) for x in maker.args)
            low, high = b.get("", (None, None))
            turned = (None if high is None else -high, None if low is None else -low)
            return _shifted(a, {"": turned})
        return _ANYWHERE

    def _target(self, loop: For, var: Var) -> Spans:
        """The bounds of a loop variable by those of its range."""
        counter = self.counter(loop)
        if counter is None or counter[0] != var:
            return {var.name: (0, 0)}
        start, stop, step = counter[1]
        first, last = self.spans(start), self.spans(stop)
        found = {}
        for base in sorted({*first, *last}):
            low, high = first.get(base, (None, None))
            least, most = last.get(base, (None, None))
            if step > 0:
                found[base] = (low, None if most is None else most - 1)
            else:
                found[base] = (None if least is None else least + 1, high)
        return {**found, var.name: (0, 0)}

    def counter(self, loop: For | While) -> tuple[Var, Range, int] | None:
        """The variable that runs over a range, the range, and by how much it goes on
        from turn to turn: backwards, where a loop goes over what another has kept."""
        if not isinstance(loop, For):
            return None
        given = self.range_of(loop)
        if given is not None:
            alone = len(loop.targets) == 1
            return (loop.targets[0], given, given[2]) if alone else None
        over = loop.iterable.name if isinstance(loop.iterable, Var) else ""
        maker = self.places.apply_of(over)
        if maker is None or maker.fn is not operator.getitem:
            return None
        stack, index = maker.args
        kept = self.kept.get(self._stack(stack))
        if kept is None or index != Const(slice(None, None, -1)):
            return None
        at, given = kept
        return (loop.targets[at], given, -given[2]) if at < len(loop.targets) else None

    def _stack(self, atom: Atom) -> Stack:
        """The list that a loop has filled: that of a loop within another is an item of
        what the other has kept."""
        name = atom.name if isinstance(atom, Var) else ""
        loop = self.places.maker.get(name)
        if (name,) in self.kept or not isinstance(loop, For):
            return (name,)
        over = loop.iterable.name if isinstance(loop.iterable, Var) else ""
        maker = self.places.apply_of(over)
        targets = [target.name for target in loop.targets]
        if maker is None or maker.fn is not operator.getitem or name not in targets:
            return (name,)  # such as what the loop hands on
        return (*self._stack(maker.args[0]), targets.index(name))

    def range_of(self, loop: For | While) -> Range | None:
        """The range that a loop runs over."""
        if not isinstance(loop, For) or not isinstance(loop.iterable, Var):
            return None
        return range_made(self.places.apply_of(loop.iterable.name))


def range_made(maker: Apply | None) -> Range | None:
    """start, stop and step of the range that an op makes."""
    if maker is None or maker.fn is not range:
        return None
    args = maker.args
    step = args[2] if len(args) == 3 else Const(1)
    if not isinstance(step, Const) or not isinstance(step.value, int):
        return None
    if len(args) == 1:
        return Const(0), args[0], step.value
    return args[0], args[1], step.value


def kept_ranges(ahead: Block) -> Kept:
    """The loops over ranges that keep the number of each turn: see `Indices`."""
    made: dict[str, Apply] = {}
    found: dict[Stack, tuple[int, Range]] = {}
    for op in walk(ahead):
        match op:
            case Apply():
                if op.fn is range:
                    made[op.out.name] = op
            case For():
                given = range_made(made.get(getattr(op.iterable, "name", "")))
                if op.stack is None or op.targets[0] not in op.saved:
                    continue
                if given is not None:
                    found[op.stack.name,] = op.saved.index(op.targets[0]), given
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)
    for op in reversed([*only(walk(ahead), For)]):  # those within others first
        for k, v in enumerate(op.saved if op.stack is not None else ()):
            stack = op.stack.name if op.stack is not None else ""
            inner = [list_ for list_ in found if list_[0] == v.name]
            found |= {(stack, k, *list_[1:]): found[list_] for list_ in inner}
    return found


def _is_int(part: Atom) -> bool:
    if isinstance(part, Const):
        return type(part.value) is int
    return part.fact.kind == "int"


def _from_the_front(spans: Spans) -> bool:
    """Whether a number is certainly not negative: such an index counts from the end."""
    low = spans.get("", (None, None))[0]
    return low is not None and low >= 0


def _is_last(spans: Spans, length: Dim | None) -> bool:
    """Whether a number is at least that of the last item of an axis: where there is
    such an item, it is that, and the axis has one."""
    if length is None or not length.base:
        return False
    low = spans.get(f"{_LENGTH}{length.base}", (None, None))[0]
    return low is not None and low >= length.offset - 1


def _is_from_0(length: Dim) -> bool:
    """Whether a number is the length of an axis, or that and a literal."""
    return is_natural(length.shifted(-length.offset))


def _of_length(length: Dim) -> Spans:
    """The bounds of a number relative to the length that it is, but for a literal."""
    return {f"{_LENGTH}{length.base}": (length.offset, length.offset)}


def _shifted(spans: Spans, by: Spans) -> dict[str, Bounds]:
    """The bounds of a sum, of which the second is known absolutely."""
    least, most = by.get("", (None, None))
    if (least, most) == (None, None):
        return {}
    return {
        base: (
            None if low is None or least is None else low + least,
            None if high is None or most is None else high + most,
        )
        for base, (low, high) in spans.items()
    }


def apart(p: Bounds, q: Bounds) -> bool:
    """Whether two intervals have nothing in common."""
    below = p[1] is not None and q[0] is not None and p[1] < q[0]
    return below or (q[1] is not None and p[0] is not None and q[1] < p[0])


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of an array: the loops around it, when, and where."""

    loops: tuple[str, ...]
    order: int
    axes: tuple[Spans, ...]


@dataclass(slots=True)
class Once:
    """Finds the reads that still hold when the sweep is done."""

    places: Places
    memory: Memory
    objects: Objects
    indices: Indices = field(init=False)
    stores: list[Store] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.indices = Indices(self.places)
        self.stores = [op for op in self.places.maker.values() if isinstance(op, Store)]

    def values(self) -> dict[str, Apply]:
        """For each value that still stands in an array, the op that reads it there."""
        found: dict[str, Apply] = {}
        for name, op in self.places.maker.items():
            match op:
                case Store():
                    value = self.stored(op) if isinstance(op.change, Put) else None
                    if value is not None and value.name not in found:
                        read = self._read(value, op.target, op.index, op.out.name)
                        found |= {} if read is None else {value.name: read}
                case Apply():
                    read = self._item(op, name)
                    if read is not None:
                        found.setdefault(name, read)
                case Simple() | Compound():
                    pass
                case _:
                    assert_never(op)
        return found

    def _item(self, op: Apply, name: str) -> Apply | None:
        """The op that reads an item again, of what is overwritten."""
        if op.fn is not operator.getitem:
            return None
        source, index = op.args
        if not isinstance(source, Var) or not self.memory.overwritten(source):
            return None
        return self._read(op.out, source, index, name)

    def _rest(self, index: Atom, shape: Shape) -> Shape:
        """The shape of a part of an array, of numbers and whole axes; None: unknown."""
        if not isinstance(shape, tuple):
            return None
        op = self.places.apply_of(index.name) if isinstance(index, Var) else None
        parts: list[object] = [index]
        if isinstance(index, Const) and isinstance(index.value, tuple):
            parts = [Const(part) for part in index.value]
        elif op is not None and op.fn is build_tuple:
            parts = list(op.args)
        if len(parts) > len(shape):
            return None
        kept = []
        for part, length in zip(parts, shape, strict=False):
            if part == Const(slice(None)):
                kept.append(length)
            elif not isinstance(part, (Var, Const)) or not _is_int(part):
                return None
        return (*kept, *shape[len(parts) :])

    def stored(self, op: Store) -> Var | None:
        """The value that a store leaves in the array just as it is."""
        value, target = op.value, op.target.fact
        if not isinstance(value, Var) or value.name not in self.places.of:
            return None
        if self.places.of[value.name] != self.places.of[op.out.name]:
            return None
        known = value.fact
        if known.kind not in ("array", "scalar") or target.kind != "array":
            return None
        if not same_dtype(known.dtype, target.dtype):
            return None
        if not isinstance(target.shape, tuple) or not isinstance(known.shape, tuple):
            return None
        rest = self._rest(op.index, target.shape)
        if rest is None or rest != known.shape or None in rest:
            return None
        return value if self.indices.axes(op.index) else None

    def _read(self, out: Var, source: Var, index: Atom, at: str) -> Apply | None:
        """The op that reads a part in an array's last version, where that holds."""
        if source.name not in self.places.of:
            return None
        last = last_version(source.name, self.places, self.objects)
        if last is None or self.memory.overwritten(last):
            return None
        around = self.places.of[at].loops
        depth = len(self.places.of[last.name].loops)
        if self.memory.depth(last.name) != depth:
            return None
        axes = tuple(self.indices.axes(index))
        read = Access(around, self.places.order[at], axes)
        for op in self.stores:
            store = self.access(op)
            if self.memory.shares(op.target, source) and not is_apart(
                read, store, depth, self.indices
            ):
                return None
        fact = replace(out, hint=None)
        return Apply(fact, operator.getitem, (last, index), form="subscript")

    def access(self, op: Store) -> Access:
        """When a store writes, and where."""
        place, order = self.places.of[op.out.name], self.places.order[op.out.name]
        axes = () if changes_length(op.change) else tuple(self.indices.axes(op.index))
        return Access(place.loops, order, axes)


def is_apart(first: Access, second: Access, depth: int, indices: Indices) -> bool:
    """Whether a second access, as often as it comes after the first, certainly is to
    other cells of an array made anew in each iteration of the outermost loops."""
    common = 0
    for p, q in zip(first.loops, second.loops, strict=False):
        if p != q:
            break
        common += 1
    if second.order > first.order:
        if not _goes_elsewhere(first, second, common, None, indices):
            return False
    return all(
        _goes_elsewhere(first, second, k, first.loops[k], indices)
        for k in range(depth, common)
    )


def _goes_elsewhere(
    first: Access, second: Access, equal: int, ahead: str | None, indices: Indices
) -> bool:
    """Whether the second is to other cells where the outermost `equal` loops are in the
    same iteration for both, and the loop `ahead` is further on for the second."""
    steps = {}
    for key in (*first.loops[:equal], *([] if ahead is None else [ahead])):
        counter = indices.counter(indices.places.loops[key])
        if counter is not None:
            steps[counter[0].name] = counter[2] if key == ahead else 0
    for p, q in zip(first.axes, second.axes, strict=False):
        for base in sorted(set(p) & set(q)):
            fixed = not base or base.startswith(_LENGTH)
            if fixed and apart(p[base], q[base]):
                return True
            if base in steps and _apart_after(p[base], q[base], steps[base]):
                return True
    return False


def _apart_after(p: Bounds, q: Bounds, step: int) -> bool:
    """Whether intervals are apart, the second at least `step` further on."""
    if not step:
        return apart(p, q)
    if step > 0:
        return p[1] is not None and q[0] is not None and p[1] < q[0] + step
    return p[0] is not None and q[1] is not None and p[0] > q[1] + step
