"""The call of a solver -> its function at the solution, and the derivatives of that.

In: an op that calls a solver.  Out: `Work`, which knows its arguments, and `Operand`:
the value, the adjoints and the pullback of the function, wherever they are asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.reverse.contributions import items_of
from yota_ast.analysis.activity import Activity
from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import Apply, Closed, Outlined
from yota_ast.runtime.general.implicit_derivatives import jacobian
from yota_ast.solvers.solver_operands import Solved

if TYPE_CHECKING:
    from yota_ast.solvers.derived_functions import Derivative, Derived

CALLABLE = Fact("callable", cls=Closed)
NUMBER = Fact("scalar", np.dtype(np.float64), ())
ONE, NONE = Const(1.0), Const(None)


@dataclass(frozen=True, slots=True)
class _Plain:
    """A function of the text, which gives its value."""

    name: str
    needs: tuple[int, ...]
    unit: bool = True
    facts: tuple[Fact, ...] = ()


@dataclass(slots=True)
class Operand:
    """The function that a solver is given, where its adjoints are wanted.

    function: of the tape. given: what each of its parameters stands for, None for those
    of the point. point: the parameters in front of `args`. targets: the parameters that
    hold active variables, and those.
    """

    derived: Derived
    builder: Builder
    function: Function
    given: list[Atom | None]
    point: tuple[int, ...]
    targets: dict[int, Var]

    def at(self, *point: Atom) -> list[Atom]:
        """The arguments of the function at a point."""
        own = dict(zip(self.point, point, strict=True))
        return [own[i] if i in own else self._held(i) for i in range(len(self.given))]

    def _held(self, i: int) -> Atom:
        atom = self.given[i]
        assert atom is not None
        return atom

    def value(self, *point: Atom) -> Atom:
        """The value of the function at a point."""
        return self.derived.value(self.function, self.at(*point), self.builder)

    def derivative(self, asked: Sequence[int], *, unit: bool = False) -> Derivative:
        """The function of the text that gives adjoints."""
        return self.derived.of(self.function.name, tuple(asked), unit=unit)

    def called(
        self, which: Derivative, point: Sequence[Atom], seed: Atom = ONE
    ) -> list[Atom]:
        """What such a function gives."""
        given = self.at(*point)
        args = [given[i] for i in which.needs] + ([] if which.unit else [seed])
        facts, fn = which.facts, Outlined(which.name, fresh=True)
        single = len(facts) == 1
        fact = facts[0] if single else Fact("tuple", items=facts, cls=Outlined)
        whole = self.builder.apply(fn, *args, fact=fact)
        if single:
            return [whole]
        return [
            self.builder.apply(operator.getitem, whole, Const(k), fact=f)
            for k, f in enumerate(facts)
        ]

    def adjoints(
        self, asked: Sequence[int], point: Sequence[Atom], seed: Atom
    ) -> list[Atom]:
        """The adjoints of some parameters: written out, or by a call."""
        if not asked:
            return []
        given = self.at(*point)
        done = self.derived.adjoints(self.function, given, asked, seed, self.builder)
        if done is not None:
            return done
        return self.called(self.derivative(asked), point, seed)

    def jacobian(self, which: Derivative, x: Var, item: int = 0) -> Var:
        """The Jacobian at x, in x or another of what `which` gives, row by row."""
        params = self.function.params
        place = params[(self.point[0], *self.targets)[item]].hint or "x"
        own = params[self.point[0]].hint or "x"
        name = "w" if own != "w" else "w_"
        pullback = self.closure(which, [name], [x], item=item, seed=0)
        known = which.facts[item]
        rank = None if known.rank is None else (None,) * (known.rank + 1)
        fact = Fact("array", np.dtype(np.float64), rank)
        rows = self.builder.apply(jacobian, pullback, x, fact=fact)
        return self.builder.rename(rows, f"{self.function.title}_{place}")

    def plain(self, names: Sequence[str], point: Sequence[Atom | int]) -> Var:
        """The function itself, holding all but its point."""
        every = tuple(range(len(self.given)))
        which = _Plain(self.function.name, every)
        return self.closure(which, names, point)

    def closure(
        self,
        which: Derivative | _Plain,
        names: Sequence[str],
        point: Sequence[Atom | int],
        *,
        item: int | None = None,
        seed: Atom | int | None = None,
    ) -> Var:
        """A function of the text that holds what `which` needs.

        point: atoms, or positions among the names of its own arguments. seed: the
        cotangent, or its position.
        """
        own: dict[int, Atom | int] = dict(zip(self.point, point, strict=True))
        held: list[Atom] = []
        takes: list[int] = []
        values = [own[i] if i in own else self._held(i) for i in which.needs]
        values += [] if which.unit or seed is None else [seed]
        for value in values:
            if isinstance(value, int):
                takes.append(value)
            else:
                held.append(value)
                takes.append(-len(held))
        item = item if len(which.facts) > 1 else None
        fn = Closed(which.name, tuple(names), tuple(takes), item)
        return self.builder.apply(fn, *held, fact=CALLABLE)


@dataclass(slots=True)
class Work:
    """One call of a solver, of which a derivative is taken.

    made: the ops before it, by their variables. active: what varies.
    """

    call: Solved
    derived: Derived
    made: Mapping[str, Apply]
    active: Activity
    builder: Builder

    def operand(self, *, slope: bool = False) -> Operand:
        """The function that the solver is given, or its slope."""
        op = self.made[self.call.function.name]
        closed = op.fn
        assert isinstance(closed, Closed)
        extra = self.extra()
        count = len(closed.params) - len(extra)
        own: list[Atom | None] = [*([None] * count), *extra]
        if slope:
            assert closed.slope is not None
            closed = closed.slope
            if self.call.solver.kind == "fit":
                own, count = [None], 1
        f = self.derived.functions[closed.name]
        given = list(closed.given(own, op.args))
        point = tuple(i for i, k in enumerate(closed.takes) if 0 <= k < count)
        active = self.active
        held = () if isinstance(f.result, Const) else enumerate(given)
        targets = {i: a for i, a in held if isinstance(a, Var) and a in active}
        return Operand(self.derived, self.builder, f, given, point, targets)

    def depends(self, atom: Atom) -> bool:
        """Whether an argument, or an item of it, is active."""
        items = items_of(atom)
        return any(v in self.active for v in items or (atom,))

    def refuse_moving(self) -> None:
        """Refuse arguments that vary, and with which the result does in other ways."""
        call = self.call
        for name in call.solver.refused:
            if name in call.bound and self.depends(call.bound[name]):
                found = f"`{name}` of `{call.op.fn.__name__}`"
                raise self.refusal(
                    f"{found} depends on a differentiated value",
                    "Scale the time: solve dy/ds = T * f(T * s, y) from 0 to 1.",
                )

    def extra(self) -> list[Atom]:
        """The items of `args`."""
        atom = self.call.bound.get("args", Const(()))
        if isinstance(atom, Const):
            value: Any = atom.value
            if value is None:
                return []
            return [Const(v) for v in value] if isinstance(value, tuple) else [atom]
        made = self.made.get(atom.name)
        if made is not None and made.fn is build_tuple:
            return list(made.args)
        items = items_of(atom)
        if items is not None:
            raise self.refusal(
                "the `args` of a solver are a tuple that is not written in the call",
                "Write its items: args=(q[0], q[1]).",
            )
        return [atom]

    def apply(self, fn: Any, *args: Atom, **kwargs: Any) -> Var:
        """Add an op."""
        return self.builder.apply(fn, *args, **kwargs)

    def option(self, name: str) -> list[tuple[str, Atom]]:
        """An option of the call, to be given on."""
        bound = self.call.bound
        return [(name, bound[name])] if bound.get(name, NONE) != NONE else []

    def refusal(
        self, reason: str, remedy: str = "", at: Location | None = None
    ) -> UnsupportedSyntax:
        """The refusal of this call, or of what its function does at a place."""
        at = at or self.call.op.origin.location
        return UnsupportedSyntax(reason, at=at, remedy=remedy)


def solution(work: Work, results: Sequence[Var]) -> Var:
    """The variable of what was found; read from the result where it is a field."""
    op, name = work.call.op, work.call.solver.result
    if results == (op.out,):
        return op.out
    if not name:
        return work.apply(operator.getitem, op.out, Const(0), fact=results[0].fact)
    return work.builder.apply(
        operator.getitem, op.out, Const(name), fact=results[0].fact,
        form="attribute", spelling=name,
    )  # fmt: skip
