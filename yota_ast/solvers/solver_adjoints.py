"""The call of a solver -> the adjoints of what its function reads.

A root of f(x, p) moves with p by the implicit function theorem: dp = -dx / f_x * f_p,
whatever the solver does to find it. A minimum is a root of the slope, an integral has
the integral of the derivative for its own, a flow the adjoint equation.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from yota_ast.adjoint.reverse.contributions import Scope, adjoint_fact, items_of
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import FLOAT, Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Outlined
from yota_ast.solvers.function_at_solution import (
    NONE,
    NUMBER,
    ONE,
    Operand,
    Work,
    solution,
)
from yota_ast.solvers.moving_discontinuities import refuse_jumps
from yota_ast.solvers.root_kinks import check_found_by
from yota_ast.solvers.solver_operands import solved_of

if TYPE_CHECKING:
    from yota_ast.adjoint.reverse.sweep_state import ReverseBase
    from yota_ast.solvers.derived_functions import Derived


def reverse_solver(
    op: Apply, derived: Derived, within: ReverseBase, scope: Scope
) -> None:
    """Add the adjoints of what a solver's function reads."""
    call = solved_of(op)
    results = items_of(op.out) or (op.out,)
    found = [scope.pop(v) for v in results]
    if all(d is None for d in found):
        return
    work = Work(call, derived, within.made, within.active, scope.builder)
    work.refuse_moving()
    _WORKERS[call.solver.kind](work, scope, results, found)


Found = Sequence[Atom | None]


def _add(scope: Scope, f: Operand, adjoints: Sequence[Atom]) -> None:
    """Add adjoints to what the parameters of a function hold."""
    for target, d in zip(f.targets.values(), adjoints, strict=True):
        scope.add(target, d)


def _only(
    work: Work, scope: Scope, results: Sequence[Var], found: Found, wanted: int
) -> Atom:
    """The adjoint of the one result that has a derivative."""
    for k, d in enumerate(found):
        if d is not None and k != wanted:
            raise _besides(work)
    d = found[wanted]
    assert d is not None
    return scope.full(d, results[wanted])


def _besides(work: Work) -> UnsupportedSyntax:
    """The refusal of what is found besides the solution."""
    return work.refusal(
        f"only the solution of `{work.call.op.fn.__name__}` has a derivative",
        "Use the solution alone.",
    )


def _root(work: Work, scope: Scope, results: Sequence[Var], found: Found) -> None:
    """A root of the function."""
    d = _only(work, scope, results, found, 0)
    x = solution(work, results)
    check_found_by(work, x)
    _implicit(work, scope, work.operand(), x, d)


def _fixed_point(
    work: Work, scope: Scope, results: Sequence[Var], found: Found
) -> None:
    d = _only(work, scope, results, found, 0)
    _implicit(work, scope, work.operand(), solution(work, results), d, fixed=True)


def _minimum(work: Work, scope: Scope, results: Sequence[Var], found: Found) -> None:
    """A root of the slope; what the function is there moves with the function alone."""
    x = solution(work, results)
    check_found_by(work, x)
    if len(found) > 1 and found[1] is not None:
        f = work.operand()
        if isinstance(f.function.result, Var) and items_of(f.function.result):
            raise _besides(work)  # the function gives its slope as well
        seed = found[1]
        _add(scope, f, f.adjoints(tuple(f.targets), [x], seed))
        found = [found[0], None, *found[2:]]
        if found[0] is None and all(d is None for d in found):
            return
    d = _only(work, scope, results, found, 0)
    _implicit(work, scope, work.operand(slope=True), x, d)


def _least(work: Work, scope: Scope, results: Sequence[Var], found: Found) -> None:
    """A root of the slope of the sum of squares."""
    d = _only(work, scope, results, found, 0)
    x = solution(work, results)
    check_found_by(work, x)
    _implicit(work, scope, work.operand(slope=True), x, d)


def _implicit(
    work: Work, scope: Scope, f: Operand, x: Var, d: Atom, *, fixed: bool = False
) -> None:
    """Add the adjoints of what f holds, where f(x) = 0, or f(x) = x, keeps on."""
    if x.fact.is_scalar:
        _of_number(work, scope, f, x, d, fixed=fixed)
    else:
        _of_vector(work, scope, f, x, d, fixed=fixed)


def _of_number(
    work: Work, scope: Scope, f: Operand, x: Var, d: Atom, *, fixed: bool
) -> None:
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
    _add(scope, f, adjoints)


def _of_vector(
    work: Work, scope: Scope, f: Operand, x: Var, d: Atom, *, fixed: bool
) -> None:
    """dp = -f_p.T @ solve(f_x.T, dx)."""
    which = f.derivative((f.point[0], *f.targets))
    matrix: Atom = work.builder.attribute("T", f.jacobian(which, x))
    if fixed:
        eye = work.apply(np.eye, work.apply(len, x))
        matrix = work.apply(operator.sub, eye, matrix)
    w: Atom = work.apply(np.linalg.solve, matrix, d, fact=adjoint_fact(x))
    if not fixed:
        w = work.apply(operator.neg, w, fact=adjoint_fact(x))
    _add(scope, f, f.called(which, [x], w)[1:])


# ---------------------------------------------------------------- integrals, flows


def _integral(work: Work, scope: Scope, results: Sequence[Var], found: Found) -> None:
    """The integral of the derivative; the function itself at the limits."""
    d = _only(work, scope, results, found, 0)
    f, bound, active = work.operand(), work.call.bound, work.active
    refuse_jumps(work, f)
    single = results[0].fact.is_scalar
    for i, target in f.targets.items():
        part = integral_of(work, f, i, target, None if single else d)
        scope.add(target, work.apply(operator.mul, d, part) if single else part)
    for end in ("b", "a"):
        limit = bound[end]
        if isinstance(limit, Var) and limit in active:
            value = f.value(*([limit] * len(f.point)))
            side = d if end == "b" else work.apply(operator.neg, d)
            product = operator.mul if single else np.vdot
            scope.add(limit, work.apply(product, side, value))


def integral_of(
    work: Work, f: Operand, i: int, target: Var, seed: Atom | None = None
) -> Var:
    """The integral of the derivative in a parameter; of an integral of arrays, whose
    cotangent is given, of the adjoint."""
    name = f.function.params[f.point[0]].hint or "t"
    which = f.derivative((i,), unit=seed is None)
    return integral_along(
        work, f.closure(which, [name], [0], seed=seed), adjoint_fact(target)
    )


def integral_along(work: Work, slope: Var, known: Fact) -> Var:
    """The integral of a function from the one limit to the other."""
    bound = work.call.bound
    names = ("epsabs", "epsrel", "limit", "points")
    options = [option for name in names for option in work.option(name)]
    fn: Any = work.call.op.fn if known.is_scalar else integrals()
    pair = work.builder.apply(
        fn, slope, bound["a"], bound["b"], kwargs=options,
        fact=Fact("tuple", items=(known, FLOAT), cls=tuple),
    )  # fmt: skip
    return work.apply(operator.getitem, pair, Const(0), fact=known)


def integrals() -> Any:
    """The integral of a function whose values are arrays."""
    from scipy import integrate

    return integrate.quad_vec


def _flow(work: Work, scope: Scope, results: Sequence[Var], found: Found) -> None:
    """The adjoint equation."""
    from yota_ast.runtime.scipy.flow_adjoints import unflow

    call, builder = work.call, work.builder
    if call.bound.get("t_eval", NONE) != NONE:
        found = found[:1]  # the times are those that are given
    d = _only(work, scope, results, found, 0)
    states = solution(work, results)
    f, bound = work.operand(), call.bound
    refuse_jumps(work, f)
    ahead = call.solver.point.startswith("time")
    state = f.point[1 if ahead else 0]
    which = f.derivative((state, *f.targets))
    params = f.function.params
    names = [params[i].hint or "t" for i in f.point]
    names = names if ahead else names[::-1]
    own: list[Atom | int] = [0, 1] if ahead else [1, 0]
    pullback = f.closure(which, [*names, "w"], own, seed=2)
    plain = f.plain(names, own)
    options = flow_options(work, ahead=ahead)
    times, path = flow_course(work, states, ahead=ahead)
    if ahead:
        d = builder.attribute("T", d)
    held = builder.apply(build_tuple, *f.targets.values(), form="build")
    known = array_fact(np.float64, f.function.params[state].fact.shape)
    facts: tuple[Fact, ...]
    facts = (known, *(_numpy_fact(v) for v in f.targets.values()))
    whole = builder.apply(
        unflow, d, times, path, plain, pullback, held, kwargs=options,
        fact=Fact("tuple", items=facts, cls=Outlined),
    )  # fmt: skip
    parts = [
        builder.apply(operator.getitem, whole, Const(k), fact=fact)
        for k, fact in enumerate(facts)
    ]
    start = bound["y0"]
    if isinstance(start, Var) and start in work.active:
        d0: Atom = parts[0]
        if start.fact.is_scalar:
            d0 = builder.apply(operator.getitem, d0, Const(0), fact=NUMBER)
        scope.add(start, d0)
    _add(scope, f, parts[1:])


def flow_course(work: Work, states: Var, *, ahead: bool) -> tuple[Atom, Atom]:
    """The times that a flow is followed through, and the states then, one a row: those
    of the output; of a flow that chose them itself the first and the last, for nothing
    is read in between, and the first state."""
    call, builder = work.call, work.builder
    if not ahead:
        return builder.apply(np.asarray, call.bound["t"]), states
    if call.bound.get("t_eval", NONE) == NONE:
        first = builder.apply(build_tuple, call.bound["y0"], form="build")
        return call.bound["t_span"], first
    times = builder.apply(
        operator.getitem, call.op.out, Const("t"), form="attribute", spelling="t",
        fact=Fact("array", np.dtype(np.float64), (None,)),
    )  # fmt: skip
    return times, builder.attribute("T", states)


def flow_options(work: Work, *, ahead: bool) -> list[tuple[str, Atom]]:
    """The options that `unflow` is given."""
    builder, bound = work.builder, work.call.bound
    options = [o for n in ("rtol", "atol") for o in work.option(n)]
    if not ahead:
        named = {n for n, _ in options}
        options += [(n, Const(1.5e-8)) for n in ("rtol", "atol") if n not in named]
        return [*options, ("method", Const("LSODA"))]
    if bound.get("t_eval", NONE) != NONE:
        time = builder.apply(operator.getitem, bound["t_span"], Const(0), fact=FLOAT)
        first = builder.apply(build_tuple, time, bound["y0"], form="build")
        options = [("start", first), *options]
    return options + work.option("method")


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
