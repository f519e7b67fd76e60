"""The call of a solver, and tangents of what its function reads -> that of its result.

dx = -f_p @ dp / f_x at a root; the integral of f_p @ dp of an integral. The derivatives
are those that the reverse sweep uses.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..adjoint.derived import Derived
from ..adjoint.operand import ONE, Operand, Work, solution
from ..adjoint.scope import adjoint_fact, items_of
from ..adjoint.solved import solved_of
from ..adjoint.solving import integral_of
from ..build import Builder
from ..facts import Fact
from ..tape import Apply, Atom, Const, Var, build_dict, build_tuple

Tangent = Callable[[Atom], Atom | None]


def solver_tangent(
    op: Apply, tangent: Tangent, derived: Derived, active: Any, builder: Builder
) -> Atom:
    """The tangent of what a solver finds, in the structure of its result."""
    work = Work(solved_of(op), derived, builder.made, active, builder)
    kind = work.call.solver.kind
    if kind == "flow":
        raise work.refusal(
            f"`{op.fn.__name__}` of a function, in forward mode",
            "Use reverse mode (`grad`), which handles it.",
        )
    results = items_of(op.out) or (op.out,)
    if kind == "integral":
        return _in_place_of(op, _of_integral(work, tangent), builder)
    x = solution(work, results)
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
    parts = [found.get(i.key, Const(0.0)) for i in items]
    known = Fact(
        op.out.fact.kind, items=tuple(map(adjoint_fact, items)), keys=op.out.fact.keys
    )
    if op.out.fact.kind == "tuple":
        return builder.apply(build_tuple, *parts, form="build", fact=known)
    flat = [a for i, p in zip(items, parts, strict=True) for a in (Const(i.key), p)]
    return builder.apply(build_dict, *flat, form="build", fact=known)


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
            "a function with a spline that varies, in forward mode",
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
                f"`{work.call.op.fn.__name__}` of arrays of unknown rank, in forward"
                " mode",
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
    f, bound = work.operand(), work.call.bound
    parts: list[Atom] = []
    for i, var in f.targets.items():
        parts.append(_along(work, integral_of(work, f, i, var), var, tangent))
    for end in ("b", "a"):
        d = tangent(bound[end])
        if d is not None:
            value = f.value(*([bound[end]] * len(f.point)))
            part: Atom = work.apply(operator.mul, value, d)
            parts.append(part if end == "b" else work.apply(operator.neg, part))
    return _total(parts, work.builder)
