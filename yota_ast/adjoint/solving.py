"""The call of a solver -> the adjoints of what its function reads.

A root of f(x, p) moves with p by the implicit function theorem: dp = -dx / f_x * f_p,
whatever the solver does to find it. A minimum is a root of the slope, an integral has
the integral of the derivative for its own, a flow the adjoint equation.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..build import Builder
from ..errors import UnsupportedSyntax
from ..facts import FLOAT, Fact, array_fact
from ..libraries import public_path
from ..runtime.implicit import jacobian
from ..tape import Apply, Atom, Closed, Const, Function, Outlined, Var, build_tuple
from .given import of_its_shape
from .scope import Scope, adjoint_fact, items_of
from .solved import Solved, solved_of

if TYPE_CHECKING:
    from .derived import Derivative, Derived
    from .reverse import Reverse

CALLABLE = Fact("callable", cls=Closed)
NUMBER = Fact("scalar", np.dtype(np.float64), ())
ONE = Const(1.0)


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

    def plain(
        self, names: Sequence[str], point: Sequence[Atom | int], made: Apply
    ) -> Var:
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
        seed: int | None = None,
    ) -> Var:
        """A function of the text that holds what `which` needs.

        point: atoms, or positions among the names of its own arguments. seed: the
        position of the cotangent.
        """
        own: dict[int, Atom | int] = dict(zip(self.point, point, strict=True))
        held: list[Atom] = []
        takes: list[int] = []
        for i in which.needs:
            value = own[i] if i in own else self._held(i)
            if isinstance(value, int):
                takes.append(value)
            else:
                held.append(value)
                takes.append(-len(held))
        takes += [] if which.unit or seed is None else [seed]
        item = item if len(which.facts) > 1 else None
        fn = Closed(which.name, tuple(names), tuple(takes), item)
        return self.builder.apply(fn, *held, fact=CALLABLE)


def reverse_solver(op: Apply, derived: Derived, within: Reverse, scope: Scope) -> None:
    """Add the adjoints of what a solver's function reads."""
    call = solved_of(op)
    results = items_of(op.out) or (op.out,)
    found = [scope.pop(v) for v in results]
    if all(d is None for d in found):
        return
    work = _Work(call, derived, within, scope)
    for name in call.solver.refused:
        if name in call.bound and work.depends(call.bound[name]):
            raise work.refusal(
                f"`{name}` of `{op.fn.__name__}` depends on what is differentiated",
                "Scale the time: solve dy/ds = T * f(T * s, y) from 0 to 1.",
            )
    _WORKERS[call.solver.kind](work, results, found)


@dataclass(slots=True)
class _Work:
    """One call of a solver, being reversed."""

    call: Solved
    derived: Derived
    within: Reverse
    scope: Scope

    @property
    def builder(self) -> Builder:
        return self.scope.builder

    def operand(self, *, slope: bool = False) -> Operand:
        """The function that the solver is given, or its slope."""
        op = self.within.made[self.call.function.name]
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
        active = self.within.active
        targets = {
            i: a for i, a in enumerate(given) if isinstance(a, Var) and a in active
        }
        return Operand(self.derived, self.builder, f, given, point, targets)

    def depends(self, atom: Atom) -> bool:
        """Whether an argument, or an item of it, is active."""
        items = items_of(atom)
        return any(v in self.within.active for v in items or (atom,))

    def extra(self) -> list[Atom]:
        """The items of `args`."""
        atom = self.call.bound.get("args", Const(()))
        if isinstance(atom, Const):
            value: Any = atom.value
            if value is None:
                return []
            return [Const(v) for v in value] if isinstance(value, tuple) else [atom]
        made = self.within.made.get(atom.name)
        if made is not None and made.fn is build_tuple:
            return list(made.args)
        items = items_of(atom)
        if items is not None:
            raise self.refusal("the `args` of a solver are no tuple that is written")
        return [atom]

    def add(self, f: Operand, adjoints: Sequence[Atom]) -> None:
        """Add adjoints to what the parameters of a function hold."""
        for target, d in zip(f.targets.values(), adjoints, strict=True):
            self.scope.add(target, d)

    def apply(self, fn: Any, *args: Atom, **kwargs: Any) -> Var:
        return self.builder.apply(fn, *args, **kwargs)

    def option(self, name: str) -> list[tuple[str, Atom]]:
        """An option of the call, to be given on."""
        bound = self.call.bound
        return [(name, bound[name])] if name in bound else []

    def refusal(self, reason: str, remedy: str = "") -> UnsupportedSyntax:
        return UnsupportedSyntax(reason, at=self.call.op.origin.location, remedy=remedy)


Found = Sequence[Atom | None]


def _only(work: _Work, results: Sequence[Var], found: Found, wanted: int) -> Atom:
    """The adjoint of the one result that has a derivative."""
    for k, d in enumerate(found):
        if d is not None and k != wanted:
            raise work.refusal(
                f"what `{work.call.op.fn.__name__}` tells besides its solution has no"
                " derivative here",
                "Use the solution alone.",
            )
    d = found[wanted]
    assert d is not None
    return work.scope.full(d, results[wanted])


def _solution(work: _Work, results: Sequence[Var]) -> Var:
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


def _root(work: _Work, results: Sequence[Var], found: Found) -> None:
    """A root of the function."""
    d = _only(work, results, found, 0)
    _implicit(work, work.operand(), _solution(work, results), d)


def _fixed_point(work: _Work, results: Sequence[Var], found: Found) -> None:
    d = _only(work, results, found, 0)
    _implicit(work, work.operand(), _solution(work, results), d, fixed=True)


def _minimum(work: _Work, results: Sequence[Var], found: Found) -> None:
    """A root of the slope; what the function is there moves with the function alone."""
    x = _solution(work, results)
    if len(found) > 1 and found[1] is not None:
        f = work.operand()
        seed = found[1]
        work.add(f, f.adjoints(tuple(f.targets), [x], seed))
        found = [found[0], None, *found[2:]]
        if found[0] is None and all(d is None for d in found):
            return
    d = _only(work, results, found, 0)
    _implicit(work, work.operand(slope=True), x, d)


def _least(work: _Work, results: Sequence[Var], found: Found) -> None:
    """A root of the slope of the sum of squares."""
    d = _only(work, results, found, 0)
    _implicit(work, work.operand(slope=True), _solution(work, results), d)


def _implicit(work: _Work, f: Operand, x: Var, d: Atom, *, fixed: bool = False) -> None:
    """Add the adjoints of what f holds, where f(x) = 0, or f(x) = x, keeps on."""
    place = f.point[0] if f.point else None
    if place is None:
        raise work.refusal("the function that a solver is given has no argument")
    if x.fact.is_scalar:
        _of_number(work, f, x, d, fixed=fixed)
    else:
        _of_vector(work, f, x, d, fixed=fixed)


def _of_number(work: _Work, f: Operand, x: Var, d: Atom, *, fixed: bool) -> None:
    """dp = -dx / f_x * f_p."""
    name = f"{f.function.title}_{f.function.params[f.point[0]].hint or 'x'}"
    asked = (f.point[0], *f.targets)
    given = f.at(x)
    written = f.derived.adjoints(f.function, given, asked[:1], ONE, work.builder)
    slope, *others = written or f.called(f.derivative(asked, unit=True), [x])
    if isinstance(slope, Var):
        slope = work.builder.rename(slope, name)
    if fixed:
        w = work.apply(operator.truediv, d, work.apply(operator.sub, ONE, slope))
    else:
        w = work.apply(operator.truediv, work.apply(operator.neg, d), slope)
    if written is not None:
        adjoints = f.adjoints(tuple(f.targets), [x], w)
    else:
        adjoints = [work.apply(operator.mul, w, part) for part in others]
    work.add(f, adjoints)


def _of_vector(work: _Work, f: Operand, x: Var, d: Atom, *, fixed: bool) -> None:
    """dp = -f_p.T @ solve(f_x.T, dx)."""
    which = f.derivative((f.point[0], *f.targets))
    title = f.function.params[f.point[0]].hint or "x"
    name = "w" if title != "w" else "w_"
    pullback = f.closure(which, [name], [x], item=0, seed=0)
    square = Fact("array", np.dtype(np.float64), (None, None))
    rows = work.apply(jacobian, pullback, x, fact=square)
    rows = work.builder.rename(rows, f"{f.function.title}_{title}")
    matrix: Atom = work.builder.attribute("T", rows)
    if fixed:
        eye = work.apply(np.eye, work.apply(len, x))
        matrix = work.apply(operator.sub, eye, matrix)
    w: Atom = work.apply(np.linalg.solve, matrix, d, fact=adjoint_fact(x))
    if not fixed:
        w = work.apply(operator.neg, w, fact=adjoint_fact(x))
    work.add(f, f.called(which, [x], w)[1:])


# ---------------------------------------------------------------- integrals, flows


def _integral(work: _Work, results: Sequence[Var], found: Found) -> None:
    """The integral of the derivative; the function itself at the limits."""
    d = _only(work, results, found, 0)
    f, bound, active = work.operand(), work.call.bound, work.within.active
    fn: Any = work.call.op.fn
    options = work.option("epsabs") + work.option("epsrel") + work.option("limit")
    options += work.option("points")
    name = f.function.params[f.point[0]].hint or "t" if f.point else "t"
    for i, target in f.targets.items():
        which = f.derivative((i,), unit=True)
        point: list[Atom | int] = [0] * len(f.point)
        slope = f.closure(which, [name], point)
        solver = fn if target.fact.is_scalar else integrals()
        pair = work.builder.apply(
            solver, slope, bound["a"], bound["b"], kwargs=options,
            fact=Fact("tuple", items=(adjoint_fact(target), FLOAT), cls=tuple),
        )  # fmt: skip
        part = work.apply(operator.getitem, pair, Const(0), fact=adjoint_fact(target))
        work.scope.add(target, work.apply(operator.mul, d, part))
    for end in ("b", "a"):
        limit = bound[end]
        if isinstance(limit, Var) and limit in active:
            value = f.value(*([limit] * len(f.point)))
            side = d if end == "b" else work.apply(operator.neg, d)
            work.scope.add(limit, work.apply(operator.mul, side, value))


def integrals() -> Any:
    """The integral of a function whose values are arrays."""
    from scipy import integrate

    return integrate.quad_vec


def _flow(work: _Work, results: Sequence[Var], found: Found) -> None:
    """The adjoint equation."""
    from ..runtime.flows import unflow

    call, builder = work.call, work.builder
    d = _only(work, results, found, 0)
    states = _solution(work, results)
    f, bound = work.operand(), call.bound
    ahead = call.solver.point.startswith("time")
    state = f.point[1 if ahead else 0]
    which = f.derivative((state, *f.targets))
    params = f.function.params
    names = [params[i].hint or "t" for i in f.point]
    names = names if ahead else names[::-1]
    own: list[Atom | int] = [0, 1] if ahead else [1, 0]
    pullback = f.closure(which, [*names, "w"], own, seed=2)
    closed = work.within.made[call.function.name]
    plain = f.plain(names, own, closed)
    if ahead:
        times: Atom = builder.apply(
            operator.getitem, call.op.out, Const("t"), form="attribute", spelling="t",
            fact=Fact("array", np.dtype(np.float64), (None,)),
        )  # fmt: skip
        states, d = builder.attribute("T", states), builder.attribute("T", d)
    else:
        times = builder.apply(np.asarray, bound["t"])
    held = builder.apply(build_tuple, *f.targets.values(), form="build")
    options = [o for n in ("rtol", "atol") for o in work.option(n)]
    if not ahead:
        named = {n for n, _ in options}
        options += [(n, Const(1.5e-8)) for n in ("rtol", "atol") if n not in named]
    options += work.option("method") if ahead else [("method", Const("LSODA"))]
    first = array_fact(np.float64, f.function.params[state].fact.shape)
    facts = (first, *(_numpy_fact(v) for v in f.targets.values()))
    whole = builder.apply(
        unflow, d, times, states, plain, pullback, held, kwargs=options,
        fact=Fact("tuple", items=facts, cls=Outlined),
    )  # fmt: skip
    parts = [
        builder.apply(operator.getitem, whole, Const(k), fact=fact)
        for k, fact in enumerate(facts)
    ]
    start = bound["y0"]
    if isinstance(start, Var) and start in work.within.active:
        d0: Atom = parts[0]
        if start.fact.is_scalar:
            d0 = builder.apply(operator.getitem, d0, Const(0), fact=NUMBER)
        work.scope.add(start, d0)
    work.add(f, parts[1:])


def _numpy_fact(var: Var) -> Fact:
    """What is known of an adjoint that is computed as an array, and split."""
    return NUMBER if var.fact.is_scalar else adjoint_fact(var)


_WORKERS = {
    "root": _root,
    "fixed point": _fixed_point,
    "minimum": _minimum,
    "residuals": _least,
    "fit": _least,
    "integral": _integral,
    "flow": _flow,
}

__all__ = ["Operand", "of_its_shape", "public_path", "reverse_solver"]
