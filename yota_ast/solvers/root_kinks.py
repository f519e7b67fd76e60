"""What a solver finds -> whether it is surely a root, and no kink and no jump.

The least of `abs(x - a)` is at a kink, which moves with a though the slope on either
side says nothing of it; so is the root of what jumps over 0. Where the function may
have such, or the solver returns without a root too, the text checks that it is 0 at
what the solver has found.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from yota_ast.ir.abstract_values import NONE
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import Apply, Closed, Outlined, walk
from yota_ast.runtime.general.implicit_derivatives import check_found
from yota_ast.solvers.function_at_solution import ONE, Operand, Work
from yota_ast.solvers.moving_discontinuities import BOTH, jump_in

KINKED: Final = frozenset(
    """sqrt hypot norm vector_norm matrix_norm cbrt
    unnorm unvector_norm unmatrix_norm unhypot unmax unmax_where unmedian unquantile
    unsort unpartition unpicked unselect unstatistic unpower unlevel uninterp_knots
    interp""".split()
)
"""Functions with kinks, and the adjoints of such, by name."""

GIVING_UP: Final = frozenset(
    """fsolve root root_scalar minimize minimize_scalar fmin fmin_bfgs
    least_squares""".split()
)
"""Solvers that return what they have got to where they do not get to the end; newton of
several equations is one, too."""


def check_found_by(work: Work, x: Var) -> None:
    """Let the text check that what a solver has found is a root: of the function, or
    of the slope of what is least, if that may jump."""
    least = work.call.solver.kind != "root"
    f = work.operand(slope=least)
    name = getattr(work.call.op.fn, "__name__", "")
    unsure = name in GIVING_UP or (name == "newton" and not x.fact.is_scalar)
    if not f.point or not (unsure or _may_jump(f) or (least and _may_have_kinks(f))):
        return
    if x.fact.is_scalar:
        asked = f.point[:1]
        slopes = f.derived.adjoints(f.function, f.at(x), asked, ONE, work.builder)
        slopes = slopes or f.called(f.derivative(asked, unit=True), [x])
        slope: Atom = slopes[0]
    else:
        slope = f.jacobian(f.derivative((f.point[0], *f.targets)), x)
    args, origin = (x, f.value(x), slope), work.builder.origin
    out = work.builder.var(NONE)
    work.builder.ops.append(Apply(out, check_found, args, effect=True, origin=origin))


def _may_jump(f: Operand) -> bool:
    """Whether a function may jump, in its point or in what is differentiated."""
    given = [BOTH if i in f.point or i in f.targets else 0 for i in range(len(f.given))]
    return jump_in(f.function, given, f.derived.functions) is not None


def _may_have_kinks(f: Operand) -> bool:
    """Whether what a function is the slope of may have kinks."""
    return any(map(_is_kinked, _ops_of(f.function, f.derived.functions, set())))


def _is_kinked(op: Apply) -> bool:
    fn: Any = op.fn
    if fn in (operator.pow, np.power):
        power = op.args[1]
        value: Any = power.value if isinstance(power, Const) else None
        return not isinstance(value, (int, float)) or not float(value).is_integer()
    return getattr(fn, "__name__", "") in KINKED


def _ops_of(
    function: Function, functions: Mapping[str, Function], seen: set[str]
) -> Iterator[Apply]:
    """The ops of a function, and of those that it calls."""
    seen.add(function.name)
    for op in walk(function.block):
        if not isinstance(op, Apply):
            continue
        yield op
        inner = op.fn.name if isinstance(op.fn, (Outlined, Closed)) else ""
        if inner in functions and inner not in seen:
            yield from _ops_of(functions[inner], functions, seen)
