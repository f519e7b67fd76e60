"""Blocks -> for each variable, which arguments it depends on, and how.

A set of arguments is an integer, a bit for each. `smooth` holds the arguments that a
value depends on differentiably, by the rules; `compared` those that reach it through a
comparison or a rounding within a loop, which decides what the loop does next.

    while high - low > tol:
        mid = 0.5 * (low + high)
        if mid * mid > c:           # c is compared with what the loop carries
            high = mid
        else:
            low = mid

Three comparisons decide nothing of that kind and do not count: one that is the same in
every iteration, one with items of the caller's data, and one of a tolerance with an
error, `high - low > tol`.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.nonsmooth.tolerances import Errors, decides
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Op,
    Outlined,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
    defined_by,
    walk,
)

Carries = Callable[[Var], bool]


@dataclass(slots=True)
class Shared:
    """What all passes over a program share.

    smooth: what variables depend on differentiably, by name.
    fixed: the bits of variables that are arguments themselves, or parts of them.
    summaries: for each outlined function the parameters that its result depends on by
    comparisons.
    """

    smooth: Mapping[str, Sequence[str]]
    carries: Carries
    errors: Errors
    fixed: Mapping[str, int]
    summaries: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Dependence:
    """One pass over blocks. exits: whether the end of a loop counts as a decision.

    moving: the loops whose carried values a variable depends on; stepping: those whose
    items, of no argument, it depends on. Both are bits by the number of the loop.
    """

    shared: Shared
    exits: bool = True
    smooth: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    compared: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    loose: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """What is compared with values that move with another argument: a limit, a
    threshold. It counts where it picks one of two values that are there already."""
    moving: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    stepping: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    loops: list[For | While] = field(default_factory=list)
    places: dict[int, Op] = field(default_factory=dict)
    """Where an argument is first compared: the loop around, or the comparison."""
    changed: bool = False
    around: Mapping[str, int] | None = None
    """What variables depend on in the whole program, where this is a part of it."""
    leaving: frozenset[str] = frozenset()
    """Tests that end a loop."""

    # ------------------------------------------------------------ blocks

    def block(self, block: Block) -> None:
        """Go through a block once, through the loops in it until nothing is new."""
        for op in block:
            match op:
                case Apply():
                    self._apply(op)
                case Simple():
                    for out in defined_by(op):
                        self._flow(out, atoms_of(op), names=self._smooth_of(out))
                    if isinstance(op, Store):
                        self._pick(op.out, op.index)
                case For() | While():
                    self._loop(op)
                case With():
                    self.block(op.body)
                case Try():
                    for part in blocks_of(op):
                        self.block(part)
                    for m in op.merges:
                        self._flow(m.out, (m.then, m.orelse), (m.then, m.orelse))
                case If():
                    self._branch(op)
                case _:
                    assert_never(op)

    def _smooth_of(self, var: Var) -> Sequence[str]:
        return self.shared.smooth.get(var.name, ())

    def _branch(self, op: If) -> None:
        self.block(op.then)
        self.block(op.orelse)
        is_exit = isinstance(op.test, Var) and op.test.name in self.leaving
        test = () if is_exit else (op.test,)
        for m in op.merges:
            self._flow(m.out, (m.then, m.orelse, *test), (m.then, m.orelse))
            if is_exit:
                self._leave(m.out, (op.test,))
            elif picks(op):
                self._pick(m.out, op.test)

    def _pick(self, out: Var, test: object) -> None:
        """Let a test count by which one of several values is picked."""
        self._note(self.compared, out, self._any(self.loose, (test,)))

    def _loop(self, op: For | While) -> None:
        bit = 1 << len(self.loops)
        self.loops.append(op)
        outer, self.leaving = self.leaving, self.leaving | exits_of(op)
        while True:
            before, self.changed = self.changed, False
            self.round(op, bit, cut=False)
            again, self.changed = self.changed, before or self.changed
            if not again:
                break
        self.loops.pop()
        self.leaving = outer
        tests = (op.test,) if isinstance(op, While) else ()
        stop = () if op.stop is None else (op.stop,)
        for c in op.carries:
            self._flow(c.out, (c.init, c.next), (c.init, c.next), without=bit)
            self._leave(c.out, (*tests, *stop))

    def _leave(self, out: Var, tests: Iterable[object]) -> None:
        """Let what ends a loop reach what the loop gives."""
        if self.exits:
            self._note(self.compared, out, self._any(self.compared, tests))

    def within(self, op: For | While) -> Dependence:
        """Return what an iteration of a loop adds to what the loop starts from."""
        body = Dependence(
            self.shared, exits=False, loops=[op], around=self.smooth,
            leaving=self.leaving | exits_of(op),
        )  # fmt: skip
        own = {v.name for v in bound_within(op)}
        for plane, outer in (
            (body.smooth, self.smooth), (body.stepping, self.stepping)
        ):  # fmt: skip
            plane.update(
                (name, bits) for name, bits in outer.items() if name not in own
            )
        body.changed = True
        while body.changed:
            body.changed = False
            body.round(op, 1, cut=True)
        return body

    def round(self, op: For | While, bit: int, *, cut: bool) -> None:
        """Go once through the body; cut: as if the loop started from nothing."""
        own = {v.name for v in bound_within(op)}
        for c in op.carries:
            ends = (c.next,) if cut else (c.init, c.next)
            self._flow(c.inside, ends, ends)
            counts = self.shared.errors.is_counter(c, own)
            self._note(self.stepping if counts else self.moving, c.inside, bit)
        if isinstance(op, For):
            for target in op.targets:
                self._flow(target, (op.iterable,), (op.iterable,))
                if not self._any(self.smooth, (op.iterable,)):
                    self._note(self.stepping, target, bit)
        else:
            self.block(op.cond)
        self.block(op.body)

    # ------------------------------------------------------------ single ops

    def _apply(self, op: Apply) -> None:
        atoms = (*op.args, *(a for _, a in op.kwargs))
        names = self._smooth_of(op.out)
        if self._is_item_of_data(op):
            self._flow(op.out, atoms, names=names, steps=op.args[:1])
            return
        self._flow(op.out, atoms, names=names)
        if op.fn is np.where and op.args:
            self._pick(op.out, op.args[0])
        if isinstance(op.fn, Outlined):
            self._called(op, op.fn.name)
        elif decides(op):
            self._decision(op, self.shared.errors.weighed(op, self.smooth.get))

    def _called(self, op: Apply, name: str) -> None:
        found = self.shared.summaries.get(name, 0)
        for k, atom in enumerate(op.args):
            if found >> k & 1:
                bits = self._any(self.smooth, (atom,))
                self._tell(op, bits, bits)

    def _decision(self, op: Apply, bits: int) -> None:
        bits &= ~self.smooth[op.out.name]
        changing = self._any(self.moving, op.args) | self._any(self.stepping, op.args)
        if changing and bits:
            self._tell(op, bits, bits & ~self._steering(self.shared.errors.sides(op)))

    def _steering(self, sides: tuple[Atom, ...]) -> int:
        """The arguments that say how far a loop goes, of which another is the subject:
        `while x > limit: x = f(x)`."""
        found, known = 0, self.smooth if self.around is None else self.around
        for one, other in (sides, sides[::-1]) if len(sides) == 2 else ():
            own, others = (
                self._any(known, (one,)),
                self._any(known, (other,)),
            )
            if others & ~own and self._any(self.moving, (other,)):
                found |= own & ~others
        return found

    def _tell(self, op: Apply, bits: int, firm: int) -> None:
        self._note(self.compared, op.out, firm)
        self._note(self.loose, op.out, bits & ~firm)
        place = self.loops[-1] if self.loops else op
        for bit in bits_of(bits):
            self.places.setdefault(bit, place)

    def _is_item_of_data(self, op: Apply) -> bool:
        """Whether an op takes an item of what the caller gives: what its index steps
        through, it does not."""
        data = op.fn is operator.getitem and bool(self._any(self.smooth, op.args[:1]))
        return data and not self._any(self.moving, op.args[:1])

    # ------------------------------------------------------------ bits

    def _flow(
        self,
        out: Var,
        atoms: Iterable[object],
        smooth: Iterable[object] = (),
        *,
        names: Iterable[str] = (),
        steps: Iterable[object] | None = None,
        without: int = 0,
    ) -> None:
        """Let what a variable is made of reach it; steps: what it steps with, if that
        is not all."""
        fixed = self.shared.fixed.get(out.name)
        if fixed is not None:
            self._note(self.smooth, out, fixed)
            return
        if self.shared.carries(out):
            found = self._any(self.smooth, smooth)
            for name in names:
                found |= self.smooth[name]
            self._note(self.smooth, out, found)
        atoms = tuple(atoms)
        self._note(self.compared, out, self._any(self.compared, atoms))
        self._note(self.loose, out, self._any(self.loose, atoms))
        self._note(self.moving, out, self._any(self.moving, atoms) & ~without)
        stepping = self._any(self.stepping, atoms if steps is None else steps)
        self._note(self.stepping, out, stepping & ~without)

    def _note(self, plane: dict[str, int], out: Var, bits: int) -> None:
        old = plane[out.name]
        if bits & ~old:
            plane[out.name] = old | bits
            self.changed = True

    def _any(self, plane: Mapping[str, int], atoms: Iterable[object]) -> int:
        found = 0
        for atom in atoms:
            if isinstance(atom, Var):
                found |= plane[atom.name]
        return found


def picks(op: If) -> bool:
    """Return whether a branch hands on one of two values that are there before it, or
    goes on with a call of a function that calls itself."""
    arms = (op.then, op.orelse)
    made = {v.name for arm in arms for inner in walk(arm) for v in bound_by(inner)}
    if any(
        isinstance(inner, Apply) and isinstance(inner.fn, Outlined)
        for arm in arms for inner in walk(arm)
    ):  # fmt: skip
        return True
    return any(
        isinstance(m.then, Var) and isinstance(m.orelse, Var)
        and m.then.name not in made and m.orelse.name not in made
        for m in op.merges
    )  # fmt: skip


def bits_of(bits: int) -> Iterator[int]:
    """Return the single bits of a set.

    >>> list(bits_of(0b101))
    [1, 4]
    """
    for k in range(bits.bit_length()):
        if bits >> k & 1:
            yield 1 << k


def sum_of(plane: Mapping[str, int], carries: Iterable[Carry]) -> int:
    """Return the arguments that some carried values depend on."""
    found = 0
    for c in carries:
        found |= plane[c.inside.name]
    return found


def bound_within(op: For | While) -> Iterator[Var]:
    """Return the variables that a loop and its body define, those after it left out."""
    yield from (c.inside for c in op.carries)
    if isinstance(op, For):
        yield from op.targets
    for block in blocks_of(op):
        for inner in walk(block):
            yield from bound_by(inner)


def exits_of(op: For | While) -> frozenset[str]:
    """The tests of the branches that decide whether a loop is left."""
    if not isinstance(op.stop, Var):
        return frozenset()
    merges = {
        m.out.name: (each.test, m)
        for each in walk(op.body)
        if isinstance(each, If)
        for m in each.merges
    }
    found: set[str] = set()
    waiting: list[Atom | object] = [op.stop]
    while waiting:
        atom = waiting.pop()
        if isinstance(atom, Var) and atom.name in merges:
            test, m = merges.pop(atom.name)
            if any(isinstance(a, Const) for a in (m.then, m.orelse)):
                found |= {test.name} if isinstance(test, Var) else set()
            waiting += [m.then, m.orelse]
    return frozenset(found)
