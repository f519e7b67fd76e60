"""Both sweeps -> the same, statements on elements run for some thousand at a time.

    t = np.sin(x)                      val = 0.0
    u = t * y                          dx = np.empty(x.shape, np.result_type(x, y))
    val = np.sum(u * u)                for lo in range(0, max(len(x), 1), 8192):
    du = 2 * u                             part = slice(lo, lo + 8192)
    dx = du * y * np.cos(x)                x_part = x[part]
                                           u = np.sin(x_part) * y[part]
                                           val += np.sum(u * u)
                                           dx[part] = 2 * u * y[part] * np.cos(x_part)

What is computed in between stays in the cache of the processor. In: both sweeps, what
is read behind them.  Out: both sweeps; what ops of both need stands in the reverse
sweep. There are no blocks where the arrays of the example are small, nor where the
type or the shape of a result is not known.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.fast.block_operands import reads_unset, with_operands
from yota_ast.adjoint.fast.block_schedule import Step, is_long, scheduled
from yota_ast.adjoint.fast.element_ops import (
    bytes_of_element,
    cut_operands,
    dims_of,
    example_count,
    sum_of_elements,
    type_sources,
)
from yota_ast.adjoint.fast.short_rows import with_columns
from yota_ast.analysis.points_to import PointsTo, is_augmented
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    Origin,
    Store,
    atoms_of,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ops import sharing
from yota_ast.support.passes import enabled

LENGTH: Final = 8192
"""How many elements of 8 bytes are computed at a time, twice as many of 4 bytes: the
few arrays of a run fit a cache."""
FEWEST: Final = 4
"""How many ops a run has at least."""
SHORT: Final = 8
"""How many elements the last of three axes has at least."""
Ends = Iterable[Atom | Undefined]


def in_blocks(
    ahead: Block,
    back: Block,
    ends: Sequence[Atom],
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> tuple[Block, Block]:
    """Both sweeps, runs of ops on elements as loops over blocks."""
    given = ahead, back
    if reads_unset(ahead, ends):
        return given  # what tests it stands in the forward sweep
    ahead, back = with_operands(ahead, back, ends, infer, names)
    ops = (*ahead, *back)
    steps = scheduled(ops, PointsTo(ahead, back), 2 * LENGTH)
    read = _readers(steps, ends)
    scalars = _scalars(ops)
    parts: list[list[Op]] = [[], []]
    fired = False
    for (stage, _), group in groupby(_by_run(steps), key=lambda s: (s.stage, s.axis)):
        run = [*group]
        worker = _Run(run, read, scalars, Builder(infer, names))
        made = worker.loop() if stage % 2 else None
        behind = any(s.place >= len(ahead) for s in run) or bool(parts[1])
        parts[behind] += [s.op for s in run] if made is None else made
        if made is not None:
            fired = True
            _note(run, assumed)
    return (Block(tuple(parts[0])), Block(tuple(parts[1]))) if fired else given


def _note(run: Sequence[Step], assumed: Assumptions) -> None:
    """Note what a run takes for granted."""
    assumed.shapes = True
    for step in run:
        for p, q in step.equal:
            assumed.add(p, q)


def _by_run(steps: Sequence[Step]) -> list[Step]:
    """The steps, those of one run together."""
    first: dict[object, int] = {}
    for k, step in enumerate(steps):
        first.setdefault((step.stage, step.axis), k)
    return sorted(
        steps,
        key=lambda s: (s.stage, first[s.stage, s.axis] if s.is_run else 0, s.place),
    )


def _readers(steps: Sequence[Step], ends: Ends) -> dict[str, set[int]]:
    """The places of the ops that read each variable; -1 is the end."""
    found: dict[str, set[int]] = {a.name: {-1} for a in ends if isinstance(a, Var)}
    for step in steps:
        for op in walk(Block((step.op,))):
            for atom in (*atoms_of(op), *ends_of(op)):
                if isinstance(atom, Var):
                    found.setdefault(atom.name, set()).add(step.place)
    return found


class _NoBlocksError(Exception):
    """A run stays as it is."""


@dataclass(slots=True)
class _Run:
    """Makes a loop of a run."""

    steps: list[Step]
    read: dict[str, set[int]]
    scalars: dict[str, Apply]
    builder: Builder
    body: Builder = field(init=False)
    inside: Substitution = field(init=False)
    carries: list[Carry] = field(default_factory=list)
    after: list[Op] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.body = self.builder.nested()
        self.inside = Substitution({})
        origin = Origin(reverse=True)
        self.builder.origin = self.body.origin = origin

    # ------------------------------------------------------------ what is in the run

    @property
    def elements(self) -> list[Apply]:
        """The ops that make arrays."""
        return [s.op for s in self.steps if not s.adds and isinstance(s.op, Apply)]

    @property
    def sums(self) -> list[Apply]:
        """The ops that add up."""
        return [s.op for s in self.steps if s.adds and isinstance(s.op, Apply)]

    def outside(self) -> list[Var]:
        """The arrays of which parts are read."""
        own = {op.out for op in self.elements}
        ops = [s.op for s in self.steps if isinstance(s.op, Apply)]
        read = (a for op in ops for a in cut_operands(op))
        cut = (a for a in read if a not in own)
        return [*dict.fromkeys(a for a in cut if isinstance(a, Var))]

    def leaving(self) -> list[Var]:
        """The arrays that are read behind the run."""
        own, changed = {s.place for s in self.steps}, self._changed()
        outs = [op.out for op in self.elements if op.out not in changed]
        return [v for v in outs if self.read.get(v.name, set()) - own]

    def _changed(self) -> set[Atom]:
        return {op.args[0] for op in self.elements if is_augmented(op)}

    def is_worth_it(self) -> bool:
        """Whether enough is computed whose results are not read behind the run, for
        those that are are written twice; and one of its arrays is large."""
        left = self.leaving()
        new = [op.out for op in self.elements if not _is_view(op)]
        sizes = [example_count(v) or 0 for v in new]
        largest = max(sizes, default=0)
        written = sum(
            size * (-1 if v in left else 1) for v, size in zip(new, sizes, strict=True)
        )
        if written < (FEWEST - 1) * largest or len(new) - len(left) < FEWEST - 1:
            return False
        if any(map(_has_short_rows, new)):
            return False
        return any(map(is_long(2 * LENGTH), (*self.outside(), *self._outs())))

    def _outs(self) -> list[Var]:
        return [op.out for op in self.elements]

    # ------------------------------------------------------------ the loop

    def loop(self) -> list[Op] | None:
        """The loop and what stands before and behind it; None where there is none."""
        try:
            return self._loop() if self.is_worth_it() else None
        except _NoBlocksError:
            return None

    def _loop(self) -> list[Op]:
        outside, leaving = self.outside(), self.leaving()
        if not outside:
            raise _NoBlocksError
        views = [op for op in self.elements if op.out in leaving and _is_view(op)]
        if any(op.args[0] not in outside for op in views):
            raise _NoBlocksError
        self.builder.ops += views  # what is read behind the loop is a view, as it was
        leaving = [v for v in leaving if all(op.out != v for op in views)]
        made = [(v, self._new(v, outside)) for v in leaving]
        twins = {op.out: self._twin(op.args[0], outside) for op in self._means()}
        low = self.body.var(Fact("int", shape=()), "lo")
        rows = self._rows(outside)
        part = self._part(low, rows)
        self._cut(outside, part)
        self._compute(leaving, part)
        for var, new in made:
            self._put(var, new, part)
        for op in self.sums:
            self._add(op, twins.get(op.out))
        body = self._body()
        count = self.builder.apply(len, outside[0])
        count = self.builder.apply(max, count, Const(1))  # once, if it is empty
        ends = self.builder.apply(range, Const(0), count, rows)
        loop = For(
            (low,), ends, body, tuple(self.carries), origin=self.builder.origin,
        )  # fmt: skip
        return [*self.builder.ops, loop, *self.after]

    def _body(self) -> Block:
        """The ops of the loop; of short rows they are computed as columns."""
        given = [carry.inside for carry in self.carries]
        turned = None
        if enabled("fast-columns"):
            turned = with_columns(self.body.ops, given, self.builder)
        return self.body.block() if turned is None else Block(tuple(turned))

    def _means(self) -> list[Apply]:
        return [op for op in self.sums if op.fn is np.mean]

    def _rows(self, outside: Sequence[Var]) -> Atom:
        """How many rows are computed at a time."""
        arrays = [*(op.out for op in self.elements), *outside]
        widest = max(arrays, key=lambda v: (len(dims_of(v)), example_count(v) or 0))
        add = self.builder.apply
        count: Atom | None = None
        for dim in dims_of(widest)[1:]:
            length = self._length(dim)
            count = length if count is None else add(operator.mul, count, length)
        length = Const(LENGTH * 8 // max(map(bytes_of_element, arrays)))
        if count is None:
            return length
        each = add(operator.floordiv, length, add(max, count, Const(1)))
        return add(max, each, Const(1), hint="rows")

    def _length(self, dim: Dim) -> Atom:
        """The length of an axis, by what has it outside of the run."""
        if not dim.base:
            return Const(dim.offset)
        own = {op.out for op in self.elements}
        for step in self.steps:
            for atom in atoms_of(step.op):
                if isinstance(atom, Var) and atom not in own and dim in dims_of(atom):
                    at = Const(dims_of(atom).index(dim))
                    shape = self.builder.attribute("shape", atom)
                    return self.builder.apply(operator.getitem, shape, at)
        raise _NoBlocksError

    def _part(self, low: Var, rows: Atom) -> Var:
        high = self.body.apply(operator.add, low, rows)
        known = Fact("other", cls=slice)
        return self.body.apply(slice, low, high, fact=known, hint="part", form="call")

    def _cut(self, outside: Sequence[Var], part: Var) -> None:
        for var in outside:
            hint = None if var.hint is None else f"{var.hint}_part"
            fact = _shorter(var.fact, part)
            self.inside.made[var.name] = self.body.apply(
                operator.getitem, var, part, fact=fact, hint=hint
            )

    def _compute(self, leaving: Sequence[Var], part: Var) -> None:
        """The ops, on parts."""
        taken = {v.hint for v in leaving}
        whole = self.inside
        read = {a for s in self.steps for a in atoms_of(s.op)}
        for op in self.elements:
            hint = op.out.hint
            if hint in taken and hint is not None:
                hint = f"{hint}_part" if self._is_named(op, read) else None
            fact = _shorter(op.out.fact, part)
            new = self.body.var(fact, hint)
            cut = cut_operands(op)
            args = tuple(whole.atom(a) if a in cut else a for a in op.args)
            self.body.ops.append(replace(op, out=new, args=args))
            whole.made[op.out.name] = new

    def _is_named(self, op: Apply, read: set[Atom]) -> bool:
        """Whether more is done with a result than to write it, or to add to it."""
        return op.out in read or is_augmented(op)

    def _put(self, var: Var, new: Var, part: Var) -> None:
        """Write what is read behind the loop."""
        target = self.body.var(var.fact, var.hint)
        done = self.body.var(var.fact, var.hint)
        value = self.inside.atom(var)
        origin = self._origin_of(var)
        self.body.ops.append(Store(done, target, part, value, origin=origin))
        self.carries.append(Carry(var, new, target, done))

    def _origin_of(self, var: Var) -> Origin:
        return next(op.origin for op in self.elements if op.out == var)

    def _add(self, op: Apply, twin: Var | None) -> None:
        """Add up a part of a sum."""
        fn = sum_of_elements(op)
        assert fn is not None
        hint = op.out.hint or "total"
        total = replace(op.out, hint=hint)
        if twin is not None:
            total = self.body.var(op.out.fact, hint)
        inside = self.body.var(op.out.fact, hint)
        cut = cut_operands(op)
        args = tuple(self.inside.atom(a) if a in cut else a for a in op.args)
        some = self.body.var(op.out.fact)
        self.body.ops.append(replace(op, out=some, fn=fn, args=args))
        done = self.body.var(op.out.fact, hint)
        self.body.ops.append(
            Apply(done, operator.add, (inside, some), form="augmented",
                  origin=op.origin)
        )  # fmt: skip
        self.carries.append(Carry(total, Const(0.0), inside, done))
        if twin is not None:
            size = self.builder.attribute("size", twin)
            self.after.append(
                Apply(op.out, operator.truediv, (total, size), form="operator",
                      origin=op.origin)
            )  # fmt: skip

    # ------------------------------------------------------------ new arrays

    def _twin(self, atom: Atom, outside: Sequence[Var]) -> Var:
        """An array from outside that has the shape of one."""
        found = next((v for v in outside if self._same(v, atom)), None)
        if found is None:
            raise _NoBlocksError
        return found

    def _same(self, one: Atom, other: Atom) -> bool:
        p, q = dims_of(one), dims_of(other)
        return len(p) == len(q) and p[1:] == q[1:]

    def _shape(self, var: Var, outside: Sequence[Var]) -> Var:
        """The shape of what is read behind the loop."""
        if len(dims_of(var)) == 1:
            alike = (v for v in outside if len(dims_of(v)) == 1)
            like = next(alike, None)
            if like is None:
                return self.builder.apply(len, outside[0])
        else:
            like = self._twin(var, outside)
        return self.builder.attribute("shape", like)

    def _new(self, var: Var, outside: Sequence[Var]) -> Var:
        """Memory for what is read behind the loop."""
        made = {**self.scalars, **{op.out.name: op for op in self.elements}}
        sources = type_sources(var, made)
        if sources is None:
            raise _NoBlocksError
        shape = self._shape(var, outside)
        dtype = self.builder.apply(np.result_type, *sources)
        return self.builder.apply(np.empty, shape, dtype, fact=var.fact, hint=var.hint)


def _scalars(ops: Iterable[Op]) -> dict[str, Apply]:
    """What makes numbers of numbers."""
    applied = (op for op in ops if isinstance(op, Apply) and op.out.fact.is_scalar)
    return {
        op.out.name: op
        for op in applied
        if all(fact_of_atom(a).is_number for a in op.args)
    }


def _has_short_rows(var: Var) -> bool:
    """Whether NumPy's innermost loop goes through a few elements of an array of three
    axes or more: then each block costs more than it spares."""
    dims = dims_of(var)
    return len(dims) > 2 and (dims[-1].example or SHORT) < SHORT


def _is_view(op: Apply) -> bool:
    return op.form != "augmented" and sharing(op) != "fresh"


def _shorter(fact: Fact, of: Var) -> Fact:
    """What is known of a part of an array."""
    assert isinstance(fact.shape, tuple)
    return fact.with_shape((Dim(f"@{of.name}"), *fact.shape[1:]))
