"""Loops over segments of arrays, as over the rows of a sparse matrix -> statements on
whole arrays, in a raw reverse sweep.

    for i in range(len(starts) - 1):
        here = slice(starts[i], starts[i + 1])
        y[i] = values[here] @ x[columns[here]]

    each = np.repeat(dy, np.diff(starts))
    here = slice(starts[0], starts[-1])
    np.add.at(dx, columns[here], each * values[here])
    dvalues[here] += each * x[columns[here]]

The segments lie one after another, if the numbers where they start do not fall, and do
not reach beyond the arrays: the entry asks that of the argument that holds them. The
loop then saves nothing. Its reverse does nothing but add up what it does not read, as
far as anything reads what comes of it.

In: the forward sweep and the raw reverse sweep.  Out: the reverse sweep.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.reverse.mirrored_blocks import Backwards, loop_key
from yota_ast.adjoint.rewrites.shape_assumptions import arguments_of
from yota_ast.adjoint.vectors.kept_loops import are_kept
from yota_ast.adjoint.windows.loop_nests import with_loops_replaced
from yota_ast.adjoint.windows.window_regions import StaysError
from yota_ast.adjoint.windows.window_values import is_broadcast, is_real
from yota_ast.analysis.unmodified_reads import range_made
from yota_ast.ir.abstract_values import slice_fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by, read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    only,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.ops.algebra import KEEPING, TERMS, operated
from yota_ast.runtime import unbroadcast, ungetitem, unset


@dataclass(frozen=True, slots=True)
class _Same:
    """What is the same in all iterations."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class _Numbers:
    """A number an iteration: a vector of them."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class _Items:
    """A segment an iteration: a vector of the items of all."""

    atom: Atom
    starts: Var


@dataclass(frozen=True, slots=True)
class _Total:
    """A number an iteration, of which the sum is asked."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class _Counter:
    """The number of the iteration, and so much more."""

    more: int = 0


@dataclass(frozen=True, slots=True)
class _End:
    """Where the segment of an iteration, or the next, starts."""

    starts: Var
    more: int


@dataclass(frozen=True, slots=True)
class _Segment:
    """The slice of an iteration."""

    starts: Var


_Value = _Same | _Numbers | _Items | _Total | _Counter | _End | _Segment


def with_segments(
    tape: Tape,
    back: Block,
    adjoints: Mapping[str, Atom],
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> Block:
    """Return the reverse sweep with statements in the place of such loops; notes what
    that takes for granted."""
    if are_kept():
        return back
    reads = read_counts(back, adjoints.values())
    forward = {loop_key(op): op for op in only(walk(tape.block), For) if op.carries}
    made = {op.out.name: op for op in only(walk(tape.block), Apply)}
    loops = _Loops(forward, made, _arguments(tape), reads, infer, names, assumed)
    return with_loops_replaced(back, loops.written_out)


def _arguments(tape: Tape) -> dict[str, str]:
    """Return how an argument is written, by its variable."""
    return {var.name: text for text, var in arguments_of(tape)}


@dataclass(frozen=True, slots=True)
class _Loops:
    forward: Mapping[str, For]
    made: Mapping[str, Apply]
    arguments: Mapping[str, str]
    reads: Mapping[str, int]
    infer: Infer
    names: Names
    assumed: Assumptions

    def written_out(self, back: For) -> list[Op] | None:
        """Return the ops in the place of a loop; None of one that stays."""
        iterable = back.iterable.value if isinstance(back.iterable, Const) else None
        key = iterable.loop if isinstance(iterable, Backwards) else ""
        forward = self.forward.get(key)
        if forward is None or len(forward.targets) != 1 or forward.stop is not None:
            return None
        builder = Builder(self.infer, self.names, back.origin)
        loop = _Loop(self, forward, back, builder)
        try:
            ops = loop.ops()
        except StaysError:
            return None
        for starts, ends in loop.ends.items():
            self.assumed.rising.setdefault(self.arguments[starts], {}).update(ends)
        self.assumed.shapes = self.assumed.spread = True
        return ops


@dataclass(slots=True)
class _Loop:
    """A loop, and what its values are. ends: by the array of the starts of segments,
    the lengths of the arrays that have them."""

    given: _Loops
    forward: For
    back: For
    builder: Builder
    values: dict[str, _Value] = field(default_factory=dict)
    made: dict[str, Apply] = field(default_factory=dict)
    carried: dict[str, Carry] = field(default_factory=dict)
    ends: dict[str, dict[Dim, None]] = field(default_factory=dict)
    inner: frozenset[str] = frozenset()
    whole: dict[str, Var] = field(default_factory=dict)
    """The slices of all segments together, by the array of their starts."""
    each: dict[tuple[str, Atom], Var] = field(default_factory=dict)
    """The numbers of iterations, each as often as its segment has items."""

    def ops(self) -> list[Op]:
        """Return the statements."""
        bodies = self.forward.body, self.back.body
        if any(not isinstance(op, Apply) for op in bodies[1]):
            raise StaysError
        self.made = {op.out.name: op for body in bodies for op in only(body, Apply)}
        names = [v.name for body in bodies for op in body for v in bound_by(op)]
        carries = (*self.forward.carries, *self.back.carries)
        names += [v.name for c in carries for v in (c.inside, c.out)]
        self.inner = frozenset(names)
        self.carried = {c.inside.name: c for c in self.back.carries}
        self.values[self.forward.targets[0].name] = _Counter()
        for carry in self.back.carries:
            if carry.next == carry.inside and not isinstance(carry.init, Undefined):
                self.values[carry.inside.name] = _Same(carry.init)
        for carry in self.back.carries:
            self._carry(carry)
        if not self.whole:
            raise StaysError
        return self.builder.ops

    # ------------------------------------------------------------ what is carried

    def _carry(self, carry: Carry) -> None:
        name = carry.next.name if isinstance(carry.next, Var) else ""
        if isinstance(carry.init, Undefined) or not name:
            raise StaysError
        chain: list[Apply] = []
        while name != carry.inside.name:
            op = self.made.get(name)
            if op is None or not isinstance(op.args[0], Var):
                raise StaysError
            chain.append(op)
            name = op.args[0].name
        if all(op.fn is unset for op in chain):
            if any(self.of(op.args[1]) != _Counter() for op in chain):
                raise StaysError
            if self.given.reads.get(carry.out.name):
                raise StaysError
            return
        now: Atom = carry.init
        for k, op in enumerate(reversed(chain)):
            if operated(op.fn) not in ("sum", "difference"):
                raise StaysError
            if self._reads(op.args[0]) != 1:
                raise StaysError
            self.builder.origin = op.origin
            out = carry.out if k == len(chain) - 1 else op.out
            added = replace(op, out=out, args=(now, self._sum(op.args[1])))
            self.builder.ops.append(added)
            now = out

    def _reads(self, atom: Atom) -> int:
        return read_counts(self.back.body).get(getattr(atom, "name", ""), 0)

    def _sum(self, atom: Atom) -> Atom:
        """Return the sum of what all iterations add."""
        op = self.made.get(getattr(atom, "name", ""))
        if op is not None and op.fn is ungetitem and not op.kwargs:
            value, like, index = op.args
            items, place = self.of(value), self.of(index)
            if not isinstance(items, _Items) or not isinstance(self.of(like), _Same):
                raise StaysError
            if isinstance(place, _Segment):
                self._note_end(place.starts, like)
                at: Atom = self._slice(place.starts)
            elif isinstance(place, _Items):
                at = place.atom
            else:
                raise StaysError
            return self.builder.apply(ungetitem, items.atom, like, at)
        found = self.of(atom)
        if isinstance(found, _Total):
            return found.atom
        if isinstance(found, _Numbers):
            return self.builder.apply(np.sum, found.atom)
        raise StaysError

    # ------------------------------------------------------------ values

    def of(self, atom: Atom) -> _Value:
        """Return what an atom is."""
        if isinstance(atom, Const) or atom.name not in self.inner:
            return self.values.get(getattr(atom, "name", ""), _Same(atom))
        if atom.name not in self.values:
            op = self.made.get(atom.name)
            if op is None or op.effect:
                raise StaysError
            self.values[atom.name] = self._computed(op)
        return self.values[atom.name]

    def _computed(self, op: Apply) -> _Value:
        if op.fn is operator.getitem:
            return self._taken(op)
        values = [*map(self.of, op.args)]
        if op.fn is build_slice:
            match values:
                case [_End(one, 0), _End(other, 1), _Same(Const(None | 1))]:
                    if one == other:
                        return _Segment(one)
            raise StaysError
        dots = op.fn in (operator.matmul, np.dot, np.vdot)
        match values:
            case [_Counter(more), _Same(Const(int(by)))] if operated(op.fn) in TERMS:
                return _Counter(more + (by if op.fn is operator.add else -by))
            case [_Items(u, one), _Items(v, other)] if dots and one == other:
                return _Total(self.builder.apply(np.vdot, u, v))
            case [_Items(_, one) as d, _Items(_, other)] if op.fn is unbroadcast:
                if one != other:
                    raise StaysError
                return d  # all that has such a segment has as many items
            case [_Items(u)] if op.fn is np.sum and not op.kwargs:
                return _Total(self.builder.apply(np.sum, u))
            case _:
                return self._elementwise(op, values)

    def _elementwise(self, op: Apply, values: Sequence[_Value]) -> _Value:
        """Return what a function makes of the elements of values."""
        known = operated(op.fn) in KEEPING or operated(op.fn) == "quotient"
        if op.kwargs or not (known or is_broadcast(op.fn)):
            raise StaysError
        starts = [*dict.fromkeys(v.starts for v in values if isinstance(v, _Items))]
        numbers = any(isinstance(v, _Numbers) for v in values)
        if len(starts) > 1 or not (starts or numbers):
            raise StaysError
        atoms = [self._operand(v, starts) for v in values]
        more = {"form": op.form, "spelling": op.spelling}
        made = self.builder.apply(op.fn, *atoms, **more)  # type: ignore[arg-type]
        return _Items(made, starts[0]) if starts else _Numbers(made)

    def _operand(self, value: _Value, starts: Sequence[Var]) -> Atom:
        match value:
            case _Items(atom):
                return atom
            case _Numbers(atom):
                return self._repeated(atom, starts[0]) if starts else atom
            case _Same(atom) if not isinstance(atom, Var) or atom.fact.is_number:
                return atom
            case _:
                raise StaysError

    def _repeated(self, numbers: Atom, starts: Var) -> Var:
        """Return numbers, each as often as its segment has items."""
        key = starts.name, numbers
        if key not in self.each:
            counts = self.builder.apply(np.diff, starts)
            self.each[key] = self.builder.apply(np.repeat, numbers, counts)
        return self.each[key]

    def _taken(self, op: Apply) -> _Value:
        """Return what each iteration takes of an array."""
        array, index = op.args
        if not isinstance(array, Var) or array.fact.rank != 1:
            raise StaysError
        if not is_real(array, "fiub"):
            raise StaysError
        place = self.of(index)
        if array.name in self.carried:
            init = self.carried[array.name].init
            if place != _Counter() or not isinstance(init, Var):
                raise StaysError
            return _Numbers(self._of_iterations(init))
        if not isinstance(self.of(array), _Same):
            raise StaysError
        match place:
            case _Counter(0 | 1 as more) if is_real(array, "iu"):
                return _End(array, more)
            case _Counter(0):
                return _Numbers(self._of_iterations(array))
            case _Segment():
                self._note_end(place.starts, array)
                return self._items(array, self._slice(place.starts), place.starts)
            case _Items() if is_real_atom(place.atom, "iu"):
                return self._items(array, place.atom, place.starts)
            case _:
                raise StaysError

    def _items(self, array: Var, at: Atom, starts: Var) -> _Items:
        return _Items(self.builder.apply(operator.getitem, array, at), starts)

    def _of_iterations(self, numbers: Var) -> Var:
        """Return of a vector the items of the iterations."""
        stop = self._stop()
        shape = numbers.fact.shape
        if isinstance(shape, tuple) and shape[0] == fact_of_atom(stop).length:
            return numbers
        ends = Const(None), stop, Const(None)
        made = self.builder.apply(build_slice, *ends, form="build", fact=slice_fact())
        return self.builder.apply(operator.getitem, numbers, made)

    def _stop(self) -> Atom:
        """Return how many iterations there are."""
        it = self.forward.iterable
        made = self.given.made.get(it.name) if isinstance(it, Var) else None
        found = range_made(made)
        if found is None or found[0] != Const(0) or found[2] != 1:
            raise StaysError
        return found[1]

    # ------------------------------------------------------------ segments

    def _slice(self, starts: Var) -> Var:
        """Return the slice of all segments together."""
        if starts.name not in self.whole:
            shape = starts.fact.shape
            length = shape[0] if isinstance(shape, tuple) else None
            count = fact_of_atom(self._stop()).length
            if length is None or count is None or length.shifted(-1) != count:
                raise StaysError
            if starts.name not in self.given.arguments or length.size in (None, 0):
                raise StaysError
            if starts.fact.dtype == np.uint64:  # of which NumPy repeats nothing
                raise StaysError
            builder = self.builder
            first, last = (
                builder.apply(operator.getitem, starts, Const(k)) for k in (0, -1)
            )
            ends = first, last, Const(None)
            self.whole[starts.name] = builder.apply(
                build_slice, *ends, form="build", fact=slice_fact()
            )
        return self.whole[starts.name]

    def _note_end(self, starts: Var, array: Atom) -> None:
        """Note an array that has all segments."""
        shape = fact_of_atom(array).shape
        length = shape[0] if isinstance(shape, tuple) else None
        if length is None or length.uncut is not None or not length.terms:
            raise StaysError
        if length.base.startswith("@"):
            raise StaysError
        self.ends.setdefault(starts.name, {})[length] = None


def is_real_atom(atom: Atom, kinds: str) -> bool:
    """Return whether a value is an array of numbers of some kinds."""
    return isinstance(atom, Var) and is_real(atom, kinds)
