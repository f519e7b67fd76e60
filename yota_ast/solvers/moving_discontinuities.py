"""Functions that are integrated -> where they jump at a place that moves.

In the integral of `np.where(t < a, t, 0.0)` the jump moves with a: what it sweeps is a
part of the derivative, and the integral of the integrand's derivative lacks it.

In: a function of the tape, the parameters that run along the integral and those that
are differentiated.  Out: the op that jumps where both decide, and its result the value.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Closed,
    For,
    If,
    Outlined,
    Read,
    Simple,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
    defined_by,
    walk,
)
from yota_ast.ops import info
from yota_ast.ops.spellings import EQUALITY, ORDER
from yota_ast.solvers.function_at_solution import Operand, Work
from yota_ast.solvers.solver_operands import is_solved, solved_of

COMPARISONS: Final = frozenset(f for op in ORDER for f in (op.fn, op.ufunc))
EQUALITIES: Final = frozenset(f for op in EQUALITY for f in (op.fn, op.ufunc))
SEPARATING: Final = frozenset({
    operator.is_, operator.is_not, np.isnan, np.isfinite, np.isinf, math.isnan,
    math.isfinite, math.isinf,
})  # fmt: skip
"""What tells values that are no numbers from the others."""

HANDING_ON: Final = frozenset({
    operator.getitem, operator.not_, getattr, range, enumerate, zip, reversed,
})  # fmt: skip
"""What gives what it is given."""

ENDING: Final = {
    "uniform": 3, "truncnorm": 5, "pareto": 4, "expon": 2, "halfnorm": 2,
    "halfcauchy": 2, "gamma": 3, "chi2": 3, "weibull_min": 3, "beta": 5, "f": 4,
}  # fmt: skip
"""Distributions of SciPy whose density is not 0 where it ends, and how many of the
arguments say where that is."""
GENTLE: Final = {
    "gamma": {1: 1},
    "chi2": {1: 2},
    "weibull_min": {1: 1},
    "beta": {1: 1, 2: 1},
    "f": {1: 2},
}
"""Those whose density is 0 there if their shapes, by position, are larger than this."""

POINT, ACTIVE = 1, 2
BOTH = POINT | ACTIVE


def _tells(fn: object) -> bool:
    """Whether a function tells nothing of how large the floats are that it is given."""
    return info(fn).tells or fn in SEPARATING


def _is_gentle(op: Apply, name: str) -> bool:
    """Whether the density of a distribution is 0 where it ends: a shape that is not
    written down is taken to be such."""
    least = GENTLE.get(name, {})
    shapes = [(op.args[k], v) for k, v in least.items() if k < len(op.args)]
    return bool(least) and not any(_is_at_most(a, v) for a, v in shapes)


def _is_at_most(atom: Atom, most: float) -> bool:
    value = atom.value if isinstance(atom, Const) else None
    return isinstance(value, (int, float)) and value <= most


@dataclass(slots=True)
class Jumps:
    """What the variables of a function depend on, and the jumps in what they are."""

    functions: Mapping[str, Function]
    reach: dict[str, int] = field(default_factory=dict)
    jumps: dict[str, Apply] = field(default_factory=dict)
    made: dict[str, Apply] = field(default_factory=dict)
    within: frozenset[str] = frozenset()

    def of(self, *atoms: object) -> int:
        """On which of the two any of several atoms depend."""
        names = (a.name for a in atoms if isinstance(a, Var))
        return functools.reduce(operator.or_, (self.reach.get(n, 0) for n in names), 0)

    def jump(self, atoms: Iterable[object]) -> Apply | None:
        """The jump in what any of several atoms is."""
        names = (a.name for a in atoms if isinstance(a, Var))
        return next((self.jumps[n] for n in names if n in self.jumps), None)

    def note(self, out: Var, *atoms: object, by: Apply | None = None) -> bool:
        """Note what a variable comes from; whether that is news."""
        reach = self.of(out, *atoms)
        jump = self.jump((out,)) or by or self.jump(atoms)
        news = reach != self.reach.get(out.name, 0)
        news |= jump is not None and out.name not in self.jumps
        self.reach[out.name] = reach
        if jump is not None:
            self.jumps[out.name] = jump
        return news

    def block(self, block: Block) -> bool:
        """Go through a block; whether there was any news."""
        news = False
        for op in block:
            match op:
                case Apply():
                    self.made[op.out.name] = op
                    if not _tells(op.fn) and not self.chosen(op):
                        news |= self.note(op.out, *atoms_of(op), by=self.step(op))
                case For() | While():
                    news |= self.loop(op)
                case If() | Try():
                    for inner in blocks_of(op):
                        news |= self.block(inner)
                    news |= self.branch(op)
                case With():
                    news |= self.block(op.body)
                case Read():
                    pass
                case Simple():
                    for out in defined_by(op):
                        news |= self.note(out, *atoms_of(op))
                case _:
                    assert_never(op)
        return news

    def loop(self, op: For | While) -> bool:
        """A loop, until nothing is new."""
        test: Atom = op.iterable if isinstance(op, For) else op.test
        news, first = False, True
        while True:
            now = False
            for t in op.targets if isinstance(op, For) else ():
                now |= self.note(t, test)
            for c in op.carries:
                ends = [a for a in (c.init, c.next) if not isinstance(a, Undefined)]
                by = self.jump((test,))
                now |= self.note(c.inside, *ends, by=by)
                now |= self.note(c.out, *ends, by=by)
            for inner in blocks_of(op):
                now |= self.block(inner)
            news |= now
            if not now and not first:
                return news
            first = False

    def branch(self, op: If | Try) -> bool:
        """What leaves a branch jumps where its test does."""
        news = False
        for m in op.merges:
            by = None
            if isinstance(op, Try):
                by = self.may_raise(op.body)
            elif not self.meets(op.test, (m.then, m.orelse)):
                by = self.jump((op.test,))
            arms = [a for a in (m.then, m.orelse) if not isinstance(a, Undefined)]
            news |= self.note(m.out, *arms, by=by)
        return news

    def may_raise(self, body: Block) -> Apply | None:
        """What may raise in the body of a `try`, or not, as both decide."""
        ops = (op for op in walk(body) if isinstance(op, Apply))
        return next((op for op in ops if self.of(*atoms_of(op)) == BOTH), None)

    def meets(self, test: Atom, arms: Sequence[object]) -> bool:
        """Whether the arms are what is compared: `x if x > y else y`."""
        made = self.made.get(test.name) if isinstance(test, Var) else None
        return made is not None and made.fn in COMPARISONS and (
            list(made.args) in (list(arms), list(arms)[::-1])
        )  # fmt: skip

    # ------------------------------------------------------------ one op

    def chosen(self, op: Apply) -> bool:
        """Note what `np.where(x > y, x, y)` is: that does not jump."""
        if op.fn is not np.where or len(op.args) != 3:
            return False
        if not self.meets(op.args[0], op.args[1:]):
            return False
        self.note(op.out, *op.args[1:])
        return True

    def step(self, op: Apply) -> Apply | None:
        """The jump in the value of an op that none of its arguments has."""
        if is_solved(op):
            return self.inner(op)
        if isinstance(op.fn, Outlined):
            given = [self.of(a) for a in op.args]
            return self.call(op.fn.name, given)
        if isinstance(op.fn, Closed) or self.of(*atoms_of(op)) != BOTH:
            return None
        if op.fn in EQUALITIES:  # of a number it is a case apart, and no place
            return op if all(self.of(a) for a in op.args) else None
        known = info(op.fn)
        if known.steps or known.jumps or self.ends(op):
            return op
        return op if _is_counted(op.out.fact) and op.fn not in HANDING_ON else None

    def ends(self, op: Apply) -> bool:
        """Whether an op is of a table, or a density, beyond whose ends is another."""
        named = dict(op.kwargs)
        if op.fn is np.interp:
            beyond = len(op.args) > 3 or "left" in named or "right" in named
            return beyond and self.of(*op.args[:2]) == BOTH
        name = str(getattr(getattr(op.fn, "__self__", 0), "name", ""))
        count = 0 if _is_gentle(op, name) else ENDING.get(name, 0)
        if getattr(op.fn, "__name__", "") not in ("pdf", "logpdf"):
            return False
        places = [a for name, a in op.kwargs if count > 2 or name == "loc"]
        return count > 0 and self.of(*op.args[:count], *places) == BOTH

    def inner(self, op: Apply) -> Apply | None:
        """The jump in a function that another solver is given."""
        call = solved_of(op)
        closed = self.made.get(call.function.name)
        if closed is None or not isinstance(closed.fn, Closed):
            return None
        held = [self.of(a) for a in closed.args]
        along = 0 if call.solver.kind == "integral" else self.of(*closed.args)
        own = [along] * len(closed.fn.params)
        return self.call(closed.fn.name, closed.fn.given(own, held))

    def call(self, name: str, given: Sequence[int]) -> Apply | None:
        """The jump in the value of a function, of what its parameters depend on."""
        if name in self.within or name not in self.functions:
            return None
        return jump_in(self.functions[name], given, self.functions, self.within)


def jump_in(
    function: Function,
    given: Sequence[int],
    functions: Mapping[str, Function],
    within: frozenset[str] = frozenset(),
) -> Apply | None:
    """The op that makes the value of a function jump at a place that moves."""
    jumps = Jumps(functions, within=within | {function.name})
    for param, reach in zip(function.params, given, strict=True):
        jumps.reach[param.name] = reach
    jumps.block(function.block)
    return jumps.jump((function.result,))


def refuse_jumps(work: Work, f: Operand) -> None:
    """Refuse a function that jumps at a place which moves."""
    given = [0] * len(f.given)
    flow = work.call.solver.kind == "flow"
    for i in f.targets:
        given[i] |= ACTIVE
    for k, i in enumerate(f.point):
        given[i] |= POINT
        state = k == (1 if work.call.solver.point.startswith("time") else 0)
        if flow and state:
            given[i] |= ACTIVE
    found = jump_in(f.function, given, f.derived.functions)
    if found is None:
        return
    name: Any = getattr(work.call.op.fn, "__name__", "")
    raise work.refusal(
        f"the function given to `{name}` jumps at a place that depends on a "
        "differentiated value",
        (
            "Split it there: `quad(f, 0, a)[0] + quad(g, a, 1)[0]`. If both sides "
            "are equal there, write np.maximum(t - a, 0.0), np.clip or abs."
        )
        if not flow
        else (
            "Make it smooth, with np.tanh for example. If both sides are equal "
            "there, write np.maximum(y - a, 0.0), np.clip or abs."
        ),
        at=found.origin.location,
    )


def _is_counted(fact: Fact) -> bool:
    """Whether a value is a whole number, a truth value, or an array of those."""
    if fact.kind in ("int", "bool"):
        return True
    return fact.dtype is not None and fact.dtype.kind in "iub"
