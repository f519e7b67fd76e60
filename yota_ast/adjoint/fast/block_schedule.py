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

from collections.abc import Callable, Iterable, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import may_equal
from yota_ast.adjoint.fast.element_ops import (
    bytes_of_element,
    cut_operands,
    dims_of,
    example_count,
    is_array,
    is_matrix_product,
    matrix_of,
    sum_of_elements,
    works_on_elements,
    works_on_rows,
)
from yota_ast.adjoint.fast.written_roots import may_write, writes_of
from yota_ast.analysis.points_to import PointsTo, is_augmented, written_by
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import ends_of, has_effect
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Simple,
    atoms_of,
    defined_by,
    walk,
)

Pair = tuple[Dim, Dim]


@dataclass(frozen=True, slots=True)
class Step:
    """An op and where it may stand. axis: the first one of its operands, None of an op
    that works neither on elements nor on rows. adds: it adds elements up. equal:
    lengths that are one."""

    op: Op
    place: int
    axis: Dim | None = None
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


def paired(p: Dim, q: Dim) -> Pair | None:
    """Two lengths that differ by their names and are one; a test at the entry holds
    it."""
    able = _is_checked(p) and _is_checked(q) and may_equal(p, q)
    return (p, q) if able else None


def _lengths(cut: Sequence[Atom], axis: Dim) -> tuple[Pair, ...] | None:
    """The lengths that must be one, that the operands of an op may be cut alike."""
    found: list[Pair] = []
    for atom in cut:
        first = dims_of(atom)[0]
        if first == axis:
            continue
        pair = paired(axis, first)
        if pair is None:
            return None
        found.append(pair)
    return tuple(found)


def _of_elements(op: Op) -> tuple[Dim, tuple[Pair, ...]] | None:
    """The first axis of what an op on elements, on rows, or a sum is given, and what is
    as long."""
    if not isinstance(op, Apply) or not _is_of_elements(op):
        return None
    cut = cut_operands(op)
    if not cut or not all(isinstance(a, Var) for a in op.args if is_array(a)):
        return None
    axis = dims_of(cut[0])[0]
    if works_on_elements(op):
        axis = dims_of(op.out)[0]
    ranks = {len(dims_of(a)) for a in cut}
    alike = len(ranks) == 1 or is_matrix_product(op)
    if axis.is_unit or not alike or any(dims_of(a)[0].is_unit for a in cut):
        return None
    equal = _lengths(cut, axis)
    if equal is None or (is_augmented(op) and dims_of(op.args[0]) != dims_of(op.out)):
        return None
    return axis, equal


def cut_operands_of(op: Op) -> tuple[Atom, ...]:
    """The arrays that are cut: the result of an op on elements, too."""
    if not isinstance(op, Apply):
        return ()
    made = (op.out,) if works_on_elements(op) else ()
    return (*cut_operands(op), *made)


def is_long(enough: int) -> Callable[[Atom], bool]:
    """Whether an array has enough elements of 8 bytes in the example, as far as is
    known, or as many bytes."""

    def holds(atom: Atom) -> bool:
        count = example_count(atom)
        return count is None or count * bytes_of_element(atom) >= enough * 8

    return holds


def _is_of_elements(op: Apply) -> bool:
    adds = sum_of_elements(op) is not None
    return adds or works_on_elements(op) or works_on_rows(op)


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


def _stays(op: Op) -> bool:
    """Whether an op keeps its place among those that do."""
    return not isinstance(op, Apply) or has_effect(op) or may_write(op)


def scheduled(ops: Sequence[Op], points: PointsTo, enough: int) -> list[Step]:
    """The steps of some ops, in order of their stages; enough: how many elements the
    arrays of an axis have in the example, one of them at least."""
    planner = _Planner(ops, points, enough)
    steps = [planner.step(k, op) for k, op in enumerate(ops)]
    return sorted(steps, key=lambda s: (s.stage, s.place))


Found = dict[int, tuple[Dim, tuple[Pair, ...]]]


def _without_given_matrices(ops: Sequence[Op], found: Found) -> Found:
    """Those of the ops in which no matrix is multiplied but one that they make: rows of
    others are long, and their products few."""
    apart = ((k, op) for k, op in enumerate(ops) if isinstance(op, Apply))
    made = {op.out for k, op in apart if k in found and works_on_elements(op)}
    given = {k for k in found if (m := matrix_of(ops[k])) is not None and m not in made}
    return {k: known for k, known in found.items() if k not in given}


class _Planner:
    """Finds the stage of each op, in order."""

    def __init__(self, ops: Sequence[Op], points: PointsTo, enough: int) -> None:
        found = {k: known for k, op in enumerate(ops) if (known := _of_elements(op))}
        found = _without_given_matrices(ops, found)
        self.axes, self.found = Axes(), found
        for known in found.values():
            self.axes.join(known[1])
        long = {
            self.axes.of(axis)
            for k, (axis, _) in found.items()
            if any(map(is_long(enough), cut_operands_of(ops[k])))
        }
        self.found = {k: v for k, v in found.items() if self.axes.of(v[0]) in long}
        self.memory, self.made, self.barrier = _Memory(points), dict[str, Step](), 0

    def step(self, k: int, op: Op) -> Step:
        """The step of an op."""
        step = self._staged(self._of(k, op))
        if step.is_run and self._is_apart(step):
            step = self._staged(Step(op, k))
        if not step.is_run and _stays(op):
            self.barrier = step.stage
        self.memory.note(step, *self._touched(op))
        self.made.update((v.name, step) for v in _defined(op))
        return step

    def _of(self, k: int, op: Op) -> Step:
        if k not in self.found:
            return Step(op, k)
        axis, equal = self.found[k]
        adds = sum_of_elements(op) is not None
        return Step(op, k, self.axes.of(axis), adds, equal)

    def _is_apart(self, step: Step) -> bool:
        """Whether an op adds to what is not made in the same run, or is a view."""
        target = written_by(step.op)
        if target is None:
            return False
        made = self.made.get(target.name) if isinstance(target, Var) else None
        own = made is not None and (made.axis, made.stage) == (step.axis, step.stage)
        return made is None or not own or not works_on_elements(made.op)

    def _touched(self, op: Op) -> tuple[set[str], set[str]]:
        return self.memory.of(_reads(op)), self.memory.of(writes_of(op))

    def _staged(self, step: Step) -> Step:
        op = step.op
        cut = cut_operands(op) if step.is_run and isinstance(op, Apply) else ()
        atoms = [a for a in _reads(op) if isinstance(a, Var) and a.name in self.made]
        stages = [_after(step, self.made[a.name], whole=a not in cut) for a in atoms]
        others = self.memory.before(*self._touched(op))
        stages += [_after(step, s, whole=False, of_value=False) for s in others]
        return replace(step, stage=max(self.barrier + step.is_run, *stages, 0))


def _defined(op: Op) -> list[Var]:
    if isinstance(op, Simple):
        return [*defined_by(op)]
    return [v for each in walk(Block((op,))) for v in defined_by(each)]


def _after(step: Step, other: Step, *, whole: bool, of_value: bool = True) -> int:
    """The first stage of a step that stands behind another; whole: it reads all rows of
    what that makes."""
    if step.is_run and other.is_run and step.axis == other.axis:
        return other.stage + (2 if whole or (other.adds and of_value) else 0)
    if step.is_run == other.is_run:
        return other.stage + (2 if step.is_run else 0)
    return other.stage + 1
