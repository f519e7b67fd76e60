"""The call of a solver, and tangents of what its function reads -> that of its result.

dx = -f_p @ dp / f_x at a root; the integral of f_p @ dp of an integral. The derivatives
are those that the reverse sweep uses.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from yota_ast.adjoint.reverse.contributions import Item, adjoint_fact, items_of
from yota_ast.adjoint.reverse.outlined_sweeps import parameters
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.activity import Activity
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder, Infer
from yota_ast.ir.built_values import build_dict, build_tuple
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Closed, Form
from yota_ast.ir.tape import Program, Tape
from yota_ast.solvers.derived_functions import Derived
from yota_ast.solvers.function_at_solution import (
    CALLABLE,
    NONE,
    ONE,
    Operand,
    Work,
    solution,
)
from yota_ast.solvers.moving_discontinuities import refuse_jumps
from yota_ast.solvers.root_kinks import check_found_by
from yota_ast.solvers.solver_adjoints import (
    flow_course,
    flow_options,
    integral_along,
    integral_of,
)
from yota_ast.solvers.solver_operands import solved_of

Tangent = Callable[[Atom], Atom | None]

Forward = Callable[[Tape, Sequence[str], Infer], Program]
"""Forward mode of a function that a solver is given."""


def solver_tangent(
    op: Apply,
    tangent: Tangent,
    derived: Derived,
    forward: Forward,
    active: Activity,
    builder: Builder,
) -> Atom:
    """The tangent of what a solver finds, in the structure of its result."""
    work = Work(solved_of(op), derived, builder.made, active, builder)
    kind = work.call.solver.kind
    results = items_of(op.out) or (op.out,)
    if kind in ("flow", "integral"):
        refuse_jumps(work, work.operand())
    if kind == "flow":
        return _in_place_of(op, _of_flow(work, results, tangent, forward), builder)
    if kind == "integral" and not results[0].fact.is_scalar:
        return _in_place_of(op, _of_arrays(work, tangent, forward), builder)
    if kind == "integral":
        return _in_place_of(op, _of_integral(work, tangent), builder)
    x = solution(work, results)
    if kind != "fixed point":
        check_found_by(work, x)
    slope = work.operand(slope=kind not in ("root", "fixed point"))
    d = _of_solution(work, slope, x, tangent, fixed=kind == "fixed point")
    others: dict[object, Atom] = {}
    if kind == "minimum" and len(results) > 1:
        parts = _parts(work, work.operand(), x, tangent)
        others["fun"] = _total(parts, builder)
    return _in_place_of(op, d, builder, others)


def _in_place_of(
    op: Apply, d: Atom, builder: Builder, others: dict[object, Atom] | None = None
) -> Atom:
    """The tangent of the result: 0 in what is found besides."""
    items = items_of(op.out)
    if items is None:
        return d
    found = {items[0].key: d, **(others or {})}
    parts = [found.get(i.key) or _zero(op, i, builder) for i in items]
    known = Fact(
        op.out.fact.kind, items=tuple(map(adjoint_fact, items)), keys=op.out.fact.keys
    )
    if op.out.fact.kind == "tuple":
        return builder.apply(build_tuple, *parts, form="build", fact=known)
    flat = [a for i, p in zip(items, parts, strict=True) for a in (Const(i.key), p)]
    return builder.apply(build_dict, *flat, form="build", fact=known)


def _zero(op: Apply, item: Item, builder: Builder) -> Atom:
    """The tangent of what does not move, of its shape."""
    if item.fact.kind != "array":
        return Const(0.0)
    form: Form = "attribute" if isinstance(item.key, str) else "call"
    spelling = item.key if isinstance(item.key, str) else ""
    value = builder.apply(
        operator.getitem, op.out, Const(item.key), fact=item.fact,
        form=form, spelling=spelling,
    )  # fmt: skip
    return builder.apply(np.zeros_like, value)


def _total(parts: list[Atom], builder: Builder) -> Atom:
    """The sum of tangents along several values."""
    total = parts[0] if parts else Const(0.0)
    for part in parts[1:]:
        total = builder.apply(operator.add, total, part)
    return total


def _along(work: Work, slope: Atom, var: Var, tangent: Tangent) -> Atom:
    """The derivative of a number along the tangent of a variable."""
    d = tangent(var)
    assert d is not None
    if var.fact.kind == "model":
        raise work.refusal(
            "a solver is given a spline that varies, in forward mode",
            "Use reverse mode (`grad`), which handles it.",
        )
    return work.apply(operator.mul if var.fact.is_scalar else np.vdot, slope, d)


def _parts(work: Work, f: Operand, x: Var, tangent: Tangent) -> list[Atom]:
    """The tangents of the value of a function at x, along all that it holds."""
    targets = tuple(f.targets)
    if not targets:
        return []
    slopes = f.derived.adjoints(f.function, f.at(x), targets, ONE, work.builder)
    slopes = slopes or f.called(f.derivative(targets, unit=True), [x])
    pairs = zip(slopes, f.targets.values(), strict=True)
    return [_along(work, s, v, tangent) for s, v in pairs]


def _of_solution(
    work: Work, f: Operand, x: Var, tangent: Tangent, *, fixed: bool
) -> Atom:
    """The tangent of a root, or of a fixed point."""
    builder = work.builder
    if x.fact.is_scalar:
        asked = f.point[:1]
        slopes = f.derived.adjoints(f.function, f.at(x), asked, ONE, builder)
        slope = (slopes or f.called(f.derivative(asked, unit=True), [x]))[0]
        total = _total(_parts(work, f, x, tangent), builder)
        if fixed:
            slope = work.apply(operator.sub, ONE, slope)
        else:
            total = work.apply(operator.neg, total)
        return work.apply(operator.truediv, total, slope)
    which = f.derivative((f.point[0], *f.targets))
    matrix: Atom = f.jacobian(which, x)
    if fixed:
        eye = work.apply(np.eye, work.apply(len, x))
        matrix = work.apply(operator.sub, eye, matrix)
    parts: list[Atom] = []
    for k, var in enumerate(f.targets.values()):
        rows, d = f.jacobian(which, x, k + 1), tangent(var)
        assert d is not None
        if var.fact.is_scalar:
            parts.append(work.apply(operator.mul, rows, d))
        elif var.fact.rank is None:
            raise work.refusal(
                f"`{work.call.op.fn.__name__}` depends on an array of unknown rank, in "
                "forward mode",
                "Give example arguments, or use reverse mode.",
            )
        else:
            rank = Const(var.fact.rank)
            known = adjoint_fact(x)
            parts.append(work.apply(np.tensordot, rows, d, rank, fact=known))
    total = _total(parts, builder)
    if not fixed:
        total = work.apply(operator.neg, total)
    return work.apply(np.linalg.solve, matrix, total, fact=adjoint_fact(x))


def _of_integral(work: Work, tangent: Tangent) -> Atom:
    """The integral of the tangent, and the function at limits that move."""
    f = work.operand()
    parts: list[Atom] = []
    for i, var in f.targets.items():
        parts.append(_along(work, integral_of(work, f, i, var), var, tangent))
    parts += _at_limits(work, f, tangent)
    return _total(parts, work.builder)


def _at_limits(work: Work, f: Operand, tangent: Tangent) -> list[Atom]:
    """The function at limits that move."""
    bound, parts = work.call.bound, list[Atom]()
    for end in ("b", "a"):
        d = tangent(bound[end])
        if d is not None:
            value = f.value(*([bound[end]] * len(f.point)))
            part: Atom = work.apply(operator.mul, value, d)
            parts.append(part if end == "b" else work.apply(operator.neg, part))
    return parts


# ---------------------------------------------------------------- along a direction


def _direction(
    work: Work,
    f: Operand,
    names: Sequence[str],
    own: Sequence[int],
    tangent: Tangent,
    forward: Forward,
) -> Var:
    """The function that gives the tangent of f, where all that it holds, and with a
    name more its point too, move."""
    moving = f.point[len(f.point) - (len(names) - len(own)) :]
    moving = tuple(f.point[own.index(1)] for _ in moving)
    asked = (*moving, *f.targets)
    name = tangent_function(f, asked, forward)
    places = dict(zip(f.point, own, strict=True))
    takes: list[int] = []
    held: list[Atom] = []
    values: list[Atom | int] = [
        places[i] if i in places else f.at(*([NONE] * len(f.point)))[i]
        for i in range(len(f.given))
    ]
    values += [len(own)] * len(moving)
    for var in f.targets.values():
        d = tangent(var)
        assert d is not None
        values.append(d)
    for value in values:
        if isinstance(value, int):
            takes.append(value)
        else:
            held.append(value)
            takes.append(-len(held))
    fn = Closed(name, tuple(names), tuple(takes))
    return work.apply(fn, *held, fact=CALLABLE)


def tangent_function(f: Operand, asked: tuple[int, ...], forward: Forward) -> str:
    """The name of the function of the text that gives the tangent of a function."""
    function, derived = f.function, f.derived
    stem = name = f"{function.name}_jvp"
    number = 1
    while name in derived.programs:
        number += 1
        name = f"{stem}_{number}"
    tape = Tape(
        function.title, tuple(map(Parameter, function.params)), function.block,
        function.result, functions=tuple(derived.functions.values()),
    )  # fmt: skip
    wrt = [function.params[i].name for i in asked]
    made = forward(tape, wrt, derived.infer)
    ordered = [p.var for p in made.params]
    end = made.results[0]
    derived.programs |= {p.name: p for p in made.helpers}
    derived.programs[name] = Program(
        name=name, params=parameters(ordered),
        forward=without_dead(made.forward, [end]), reverse=made.reverse, value=end,
        doc=f"Tangent of {function.title}.",
    )  # fmt: skip
    return name


def _of_arrays(work: Work, tangent: Tangent, forward: Forward) -> Atom:
    """The integral of the tangents of a function whose values are arrays."""
    f, op = work.operand(), work.call.op
    name = f.function.params[f.point[0]].hint or "t"
    known = (items_of(op.out) or (op.out,))[0].fact
    parts: list[Atom] = []
    if f.targets:
        slope = _direction(work, f, [name], [0], tangent, forward)
        parts.append(integral_along(work, slope, known))
    parts += _at_limits(work, f, tangent)
    return _total(parts, work.builder)


def _of_flow(
    work: Work, results: Sequence[Var], tangent: Tangent, forward: Forward
) -> Atom:
    """The tangent equation, solved along with the flow."""
    from yota_ast.runtime.scipy.flow_adjoints import tangent_flow

    call, builder = work.call, work.builder
    work.refuse_moving()
    f, ahead = work.operand(), call.solver.point.startswith("time")
    names, own = ["t", "y"], [0, 1] if ahead else [1, 0]
    plain = f.plain(names, own)
    slope = _direction(work, f, [*names, "v"], own, tangent, forward)
    options = flow_options(work, ahead=ahead)
    times, states = flow_course(work, solution(work, results), ahead=ahead)
    d0 = tangent(call.bound["y0"]) or Const(0.0)
    d: Atom = work.apply(
        tangent_flow, times, states, d0, plain, slope, kwargs=options,
        fact=Fact("array", np.dtype(np.float64), (None, None)),
    )  # fmt: skip
    return builder.attribute("T", d) if ahead else d
