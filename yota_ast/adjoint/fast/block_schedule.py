"""Ops in order -> ops in an order in which those on elements stand together.

    t = np.sin(x)          t = np.sin(x)
    c = 2 * seed           u = t * y
    u = t * y              c = 2 * seed
    val = np.sum(u)        val = np.sum(u)

An op on elements belongs to the axis that its result is long of. Ops of one axis and of
one stage may run block by block: none of them needs a sum of the same stage, nor
anything else that needs one of them. An op stays behind each op before it that raises,
writes or prints; it may be put off until after a later one, if that writes nothing that
it reads.

In: ops.  Out: `Step`s, by stage. Even stages are single ops, odd ones are runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.fast.element_ops import (
    dims_of,
    is_array,
    sum_of_elements,
    works_on_elements,
)
from yota_ast.adjoint.rewrites.rewrite_engine import _may_equal as may_equal
from yota_ast.analysis.points_to import PointsTo, is_augmented, written_by
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import ends_of, has_effect
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Outlined,
    Simple,
    atoms_of,
    defined_by,
    walk,
)
from yota_ast.ops import info

Pair = tuple[Dim, Dim]


@dataclass(frozen=True, slots=True)
class Step:
    """An op and where it may stand. axis: that of its operands and how many axes they
    have, None of an op that does not work on elements. adds: it adds elements up.
    equal: lengths that are one."""

    op: Op
    place: int
    axis: tuple[Dim, int] | None = None
    adds: bool = False
    equal: tuple[Pair, ...] = ()
    stage: int = 0

    @property
    def is_run(self) -> bool:
        """Whether it may be part of a run."""
        return self.axis is not None


class Axes:
    """First axes that are equally long."""

    def __init__(self) -> None:
        self.first: dict[Dim, Dim] = {}

    def of(self, dim: Dim) -> Dim:
        """The axis that stands for one."""
        while dim in self.first:
            dim = self.first[dim]
        return dim

    def join(self, pairs: Iterable[Pair]) -> None:
        """These lengths are equal."""
        for p, q in pairs:
            one, other = self.of(p), self.of(q)
            if one != other:
                self.first[other] = one


def _is_checked(dim: Dim) -> bool:
    """Whether the entry of a function can compute a length."""
    return not dim.base.startswith("@")


def _paired(p: Dim, q: Dim) -> Pair | None:
    """Two lengths that differ by their names and are one; a test at the entry holds
    it."""
    able = _is_checked(p) and _is_checked(q) and may_equal(p, q)
    return (p, q) if able else None


def _lengths(op: Apply, axis: Dim, rank: int) -> tuple[Pair, ...] | None:
    """The lengths that must be one, that the operands of an op may be cut alike."""
    found: list[Pair] = []
    for atom in op.args:
        dims = dims_of(atom)
        if len(dims) < rank or dims[0] == axis:
            continue
        if dims[0].is_unit and isinstance(atom, Var):
            continue
        pair = _paired(axis, dims[0])
        if pair is None:
            return None
        found.append(pair)
    return tuple(found)


def _of_elements(op: Op) -> tuple[Dim, int, tuple[Pair, ...]] | None:
    """The axis of an op on elements or of a sum, the number of axes, and what is as
    long."""
    if not isinstance(op, Apply):
        return None
    adds = sum_of_elements(op) is not None
    if not adds and not works_on_elements(op):
        return None
    arrays = [a for a in op.args if is_array(a)]
    if not all(isinstance(a, Var) for a in arrays) or not arrays:
        return None
    longest = max(arrays, key=lambda a: len(dims_of(a))) if adds else op.out
    axis, rank = dims_of(longest)[0], len(dims_of(longest))
    if axis.is_unit or (adds and any(len(dims_of(a)) != rank for a in arrays)):
        return None
    equal = _lengths(op, axis, rank)
    if equal is None or (adds and any(dims_of(a)[0].is_unit for a in arrays)):
        return None
    if is_augmented(op) and dims_of(op.args[0]) != dims_of(op.out):
        return None
    return axis, rank, equal


@dataclass(slots=True)
class _Memory:
    """Which steps touched some memory since it was last written."""

    points: PointsTo
    touched: dict[str, list[Step]] = field(default_factory=dict)
    written: dict[str, Step] = field(default_factory=dict)

    def before(self, reads: set[str], writes: set[str]) -> list[Step]:
        """The steps that must stand before one that reads and writes these."""
        found = [self.written[r] for r in reads | writes if r in self.written]
        return found + [s for root in writes for s in self.touched.get(root, ())]

    def note(self, step: Step, reads: set[str], writes: set[str]) -> None:
        """A step has read and written these."""
        for root in writes:
            self.written[root], self.touched[root] = step, []
        for root in reads:
            self.touched.setdefault(root, []).append(step)

    def of(self, atoms: Iterable[Atom | Undefined]) -> set[str]:
        """The memory of some atoms."""
        arrays = (a for a in atoms if isinstance(a, Var) and not a.fact.is_immutable)
        return {root for a in arrays for root in self.points.memory(a)}


def _reads(op: Op) -> list[Atom | Undefined]:
    """What an op and the ops within it read."""
    inner = [op] if isinstance(op, Simple) else [*walk(Block((op,)))]
    return [a for each in inner for a in (*atoms_of(each), *ends_of(each))]


def _writes(op: Op) -> list[Atom | Undefined]:
    """What an op and the ops within it write, or may write."""
    found: list[Atom | Undefined] = []
    for each in [op] if isinstance(op, Simple) else walk(Block((op,))):
        target = written_by(each)
        found += [] if target is None else [target]
        if isinstance(each, Apply) and (each.effect or _may_write(each)):
            found += atoms_of(each)
    return found


def _may_write(op: Apply) -> bool:
    """Whether a call writes into arguments, or may."""
    return isinstance(op.fn, Outlined) or bool(info(op.fn).writes)


def _stays(op: Op) -> bool:
    """Whether an op keeps its place among those that do."""
    return not isinstance(op, Apply) or has_effect(op) or _may_write(op)


def scheduled(ops: Sequence[Op], points: PointsTo) -> list[Step]:
    """The steps of some ops, in order of their stages."""
    planner = _Planner(ops, points)
    steps = [planner.step(k, op) for k, op in enumerate(ops)]
    return sorted(steps, key=lambda s: (s.stage, s.place))


class _Planner:
    """Finds the stage of each op, in order."""

    def __init__(self, ops: Sequence[Op], points: PointsTo) -> None:
        found = {k: known for k, op in enumerate(ops) if (known := _of_elements(op))}
        self.axes, self.found = Axes(), found
        for known in found.values():
            self.axes.join(known[2])
        self.memory, self.made, self.barrier = _Memory(points), dict[str, Step](), 0

    def step(self, k: int, op: Op) -> Step:
        """The step of an op."""
        step = self._staged(self._of(k, op))
        if step.is_run and is_augmented(op) and not self._is_own(step):
            step = self._staged(Step(op, k))
        if not step.is_run and (_stays(op) or is_augmented(op)):
            self.barrier = step.stage
        self.memory.note(step, *self._touched(op))
        self.made.update((v.name, step) for v in _defined(op))
        return step

    def _of(self, k: int, op: Op) -> Step:
        if k not in self.found:
            return Step(op, k)
        axis, rank, equal = self.found[k]
        adds = isinstance(op, Apply) and not is_array(op.out)
        return Step(op, k, (self.axes.of(axis), rank), adds, equal)

    def _is_own(self, step: Step) -> bool:
        """Whether what an op adds to is made in the same run."""
        target = written_by(step.op)
        made = self.made.get(target.name) if isinstance(target, Var) else None
        return made is not None and (made.axis, made.stage) == (step.axis, step.stage)

    def _touched(self, op: Op) -> tuple[set[str], set[str]]:
        return self.memory.of(_reads(op)), self.memory.of(_writes(op))

    def _staged(self, step: Step) -> Step:
        atoms = (a for a in _reads(step.op) if isinstance(a, Var))
        needed = [self.made[a.name] for a in atoms if a.name in self.made]
        others = self.memory.before(*self._touched(step.op))
        stages = [_after(step, s, of_value=True) for s in needed]
        stages += [_after(step, s, of_value=False) for s in others]
        return replace(step, stage=max(self.barrier + step.is_run, *stages, 0))


def _defined(op: Op) -> list[Var]:
    if isinstance(op, Simple):
        return [*defined_by(op)]
    return [v for each in walk(Block((op,))) for v in defined_by(each)]


def _after(step: Step, other: Step, *, of_value: bool) -> int:
    """The first stage of a step that stands behind another."""
    if step.is_run and other.is_run and step.axis == other.axis:
        return other.stage + (2 if other.adds and of_value else 0)
    if step.is_run == other.is_run:
        return other.stage + (2 if step.is_run else 0)
    return other.stage + 1
