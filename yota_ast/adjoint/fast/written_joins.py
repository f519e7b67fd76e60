"""A tape -> the same, joins of an array's ends as writes into a copy of it.

    u = np.concatenate((u[:1], inner, u[-1:]))    u = u.copy()
                                                  u[1:-1] = inner

The adjoint of the copy is that of the array, which is added to in place; the adjoint of
the join would be a new array of zeros each time. The array must be long enough for both
ends, and hold floats of no less precision than what is put between them: the entry
tests it of the arguments. A loop that hands the array on leaves its length and its type
as they are.

In: the tape. Out: the tape, the tests at the entry, and for what loops hand on the
argument that has its shape and type.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.fast.element_ops import dims_of, passes_types_on, type_sources
from yota_ast.adjoint.fast.written_roots import WrittenRoots
from yota_ast.adjoint.rewrites.shape_assumptions import arguments_of
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by, carries_of, is_loop
from yota_ast.ir.builder import Names
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import Apply, Block, Carry, Op, Store, map_blocks, of_ops, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape


@dataclass(frozen=True, slots=True)
class _Join:
    """A join of the first `head` rows of an array, others, and its last `tail` rows."""

    op: Apply
    array: Var
    between: Var
    head: int
    tail: int


Written = tuple[Tape, tuple[Check, ...], Mapping[str, Var]]


def with_written_joins(tape: Tape, names: Names) -> Written:
    """The tape, what is then taken for granted of the arguments, and their likes."""
    finder = _Finder(tape)
    tests = {join.op.out.name: checks for join, checks in finder.found()}
    if not tests:
        return tape, (), {}
    joins = {j.op.out.name: j for j in finder.joins if j.op.out.name in tests}
    block = _written(tape.block, joins, names)
    found = _renamed(block, finder.lengths([*joins.values()]))
    for between in (j.between for j in joins.values()):
        if between.hint is None:  # so that it stands above the copy
            known = found.get(between.name, between)
            found[between.name] = replace(known, hint="between")
    renamed = Substitution(found)
    block = renamed.block(block)
    checks = dict.fromkeys(check for each in tests.values() for check in each)
    tape = replace(tape, block=block, result=renamed.atom(tape.result))
    return tape, tuple(checks), finder.likes([*joins.values()])


def _renamed(block: Block, lengths: Mapping[str, Dim]) -> dict[str, Var]:
    """The variables of a block whose axes have other names for their lengths."""
    found: dict[str, Var] = {}
    for var in (v for op in walk(block) for v in bound_by(op)):
        dims = dims_of(var)
        if any(d.base in lengths for d in dims):
            known = (_called(d, lengths) for d in dims)
            found[var.name] = replace(var, fact=var.fact.with_shape(tuple(known)))
    return found


def _called(dim: Dim, lengths: Mapping[str, Dim]) -> Dim:
    whole = lengths.get(dim.base)
    return dim if whole is None else whole.shifted(dim.offset)


def _written(block: Block, joins: Mapping[str, _Join], names: Names) -> Block:
    """A block with its joins written into copies."""

    def changed(inner: Block) -> Block:
        return _written(inner, joins, names)

    ops: list[Op] = []
    for op in block:
        join = joins.get(op.out.name) if isinstance(op, Apply) else None
        if join is None:
            ops.append(map_blocks(op, changed))
            continue
        ops += _copy_and_write(join, names)
    return of_ops(block, tuple(ops))


def _copy_and_write(join: _Join, names: Names) -> tuple[Op, Op]:
    origin, out = join.op.origin, join.op.out
    copy = Var(names.fresh("%"), join.array.fact, out.hint)
    rows = slice(join.head or None, -join.tail or None)
    return (
        Apply(
            copy, np.ndarray.copy, (join.array,), form="method", spelling="copy",
            origin=origin,
        ),
        Store(out, copy, Const(rows), join.between, origin=origin),
    )  # fmt: skip


class _Finder:
    """Finds the joins that may be written."""

    def __init__(self, tape: Tape) -> None:
        ops = [*walk(tape.block)]
        self.made = {op.out.name: op for op in ops if isinstance(op, Apply)}
        self.carries: dict[str, Carry] = {
            c.inside.name: c for op in ops if is_loop(op) for c in carries_of(op)
        }
        self.outs = {c.out.name: c for c in self.carries.values()}
        self.passing = {n: op for n, op in self.made.items() if passes_types_on(op)}
        self.texts = {v.name: text for text, v in arguments_of(tape)}
        self.written = WrittenRoots(tape.block, PointsTo(tape.block))
        self.joins = [j for op in self.made.values() if (j := self._join(op))]

    def found(self) -> Iterator[tuple[_Join, tuple[Check, ...]]]:
        """The joins, and what is to be tested."""
        for join in self.joins:
            start = self._start(join.array)
            checks = None if start is None else self._checks(join, start)
            if checks is not None:
                yield join, checks

    # ------------------------------------------------------------ what a join is

    def _join(self, op: Apply) -> _Join | None:
        """The join that an op is."""
        if op.fn is not np.concatenate or len(op.args) != 1 or op.kwargs:
            return None
        held = self._maker(op.args[0])
        if held is None or held.fn not in (build_tuple, build_list):
            return None
        for k, between in enumerate(held.args):
            ends = self._ends(held.args[:k], held.args[k + 1 :])
            if ends is not None and isinstance(between, Var):
                join = _Join(op, ends[0], between, ends[1], ends[2])
                return join if self._fits(join) else None
        return None

    def _ends(
        self, before: Sequence[Atom], behind: Sequence[Atom]
    ) -> tuple[Var, int, int] | None:
        """The array whose ends stand before and behind something, and how long these
        are."""
        parts = [self._end(a, first=True) for a in before]
        parts += [self._end(a, first=False) for a in behind]
        known = [p for p in parts if p is not None]
        alike = len({p[0].name for p in known}) == 1
        if len(before) > 1 or len(behind) > 1 or len(known) < len(parts) or not alike:
            return None
        lengths = [n for _, n in known]
        head = lengths[0] if before else 0
        return known[0][0], head, lengths[-1] if behind else 0

    def _end(self, atom: Atom, *, first: bool) -> tuple[Var, int] | None:
        """The array of which something is `u[:n]` or `u[-n:]`, and n."""
        op = self._maker(atom)
        if op is None or op.fn is not operator.getitem or len(op.args) != 2:
            return None
        array, index = op.args
        rows = index.value if isinstance(index, Const) else None
        if not isinstance(array, Var) or not isinstance(rows, slice):
            return None
        n = rows.stop if first else rows.start
        if type(n) is not int or rows != (slice(n) if first else slice(n, None)):
            return None
        n = n if first else -n
        return (array, n) if n > 0 else None

    def _fits(self, join: _Join) -> bool:
        """Whether what is put between the ends is as long as what was there."""
        u, between = dims_of(join.array), dims_of(join.between)
        if not u or not between:
            return False
        left = u[0].shifted(-join.head - join.tail)
        types = {v.fact.dtype for v in (join.array, join.op.out)}
        plain = join.array.fact.is_floating and len(types) == 1
        same = (left, *u[1:]) == between and not self.written.may_hold(join.array)
        return plain and same and join.between.fact.is_floating

    def _maker(self, atom: Atom) -> Apply | None:
        return self.made.get(atom.name) if isinstance(atom, Var) else None

    # ------------------------------------------------------------ where it comes from

    def _start(self, array: Var) -> Var | None:
        """What an array is before all loops that hand it on as long as it is."""
        while (carry := self.carries.get(array.name)) is not None:
            if not isinstance(carry.init, Var) or not self._is_steady(carry):
                return None
            array = carry.init
        return array

    def likes(self, joins: Sequence[_Join]) -> dict[str, Var]:
        """For what loops hand on the argument that it begins as."""
        found: dict[str, Var] = {}
        for join in joins:
            array, start = join.array, self._start(join.array)
            if start is None or start.name not in self.texts:
                continue
            while array != start:
                found[array.name] = start
                array = self.carries[array.name].init  # type: ignore[assignment]
        return found

    def lengths(self, joins: Sequence[_Join]) -> dict[str, Dim]:
        """What the lengths of arrays are that loops hand on, by their names."""
        found: dict[str, Dim] = {}
        for join in joins:
            start, array = self._start(join.array), join.array
            same = [join.op.out, array]
            while (carry := self.carries.get(array.name)) is not None:
                assert isinstance(carry.init, Var)
                same += [carry.out, carry.inside]
                array = carry.init
            for var in same if start is not None else ():
                pairs = zip(dims_of(var), dims_of(array), strict=False)
                found |= {p.base: q for p, q in pairs if p.base[:1] == "@" and p != q}
        return found

    def _is_steady(self, carry: Carry) -> bool:
        """Whether each iteration hands on what is as long as before it, of its type."""
        given = carry.next
        if not isinstance(given, Var):
            return False
        inner = self.outs.get(given.name)
        if inner is not None and inner.init == carry.inside:
            return self._is_steady(inner)
        joined = (j.array.name for j in self.joins if j.op.out == given)
        return given == carry.inside or carry.inside.name in joined

    # ------------------------------------------------------------ what is tested

    def _checks(self, join: _Join, start: Var) -> tuple[Check, ...] | None:
        """The tests; None where there are none that an entry can make."""
        enough = self._length_check(dims_of(start), join.head + join.tail)
        own = type_sources(start, self.passing) or []
        given = type_sources(join.between, self.passing)
        if enough is None or given is None or not own:
            return None
        given += self._whole_numbers(join.between)
        others = [a for a in given if a not in (join.array, start, *own)]
        if not others:
            return enough
        owner = self._text(own[0]) if len(own) == 1 and dims_of(own[0]) else None
        texts = [self._text(a) for a in others]
        if owner is None or None in texts:
            return None
        return (*enough, *(_precision(t, owner) for t in texts if t))

    def _whole_numbers(self, between: Var) -> list[Atom]:
        """The whole numbers among the arguments that something is computed of: NumPy's
        make double precision of single."""
        found: dict[Atom, None] = {}
        waiting, seen = [between.name], set[str]()
        while waiting:
            name = waiting.pop()
            op = None if name in seen else self.passing.get(name)
            seen.add(name)
            for atom in () if op is None else op.args:
                if isinstance(atom, Var):
                    waiting.append(atom.name)
                    if atom.fact.kind == "int" and atom.name in self.texts:
                        found[atom] = None
        return [*found]

    def _length_check(
        self, dims: tuple[Dim, ...], least: int
    ) -> tuple[Check, ...] | None:
        """That the rows are enough for both ends."""
        if not dims or dims[0].base.startswith("@"):
            return None
        rows = dims[0]
        if not rows.base:
            return () if rows.offset >= least else None
        least -= rows.offset
        return (Check(f"{rows.base} < {least}", f"made for {rows.base} >= {least}"),)

    def _text(self, atom: Atom) -> str | None:
        return self.texts.get(atom.name) if isinstance(atom, Var) else None


def _precision(text: str, owner: str) -> Check:
    """That an argument does not have more digits than the array that is copied."""
    own = f"{owner}.dtype"
    return Check(
        f"({text} + {own}.type(0)).dtype.itemsize > {own}.itemsize",
        f"made for {text} of no more precision than {owner}",
    )
