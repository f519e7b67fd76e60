"""Program -> the plan of its statements, and a name for each variable.

All that a printer needs: what a statement nests, in which order statements stand, what
variables are called. A printer of another language begins here.

>>> from yota_ast.ir.atoms import Const, Var
>>> from yota_ast.ir.nodes import Apply, Block
>>> from yota_ast.ir.tape import Parameter
>>> x, y, z = Var("%1", hint="x"), Var("%2"), Var("%3")
>>> ops = (Apply(y, max, (x, Const(1.0))), Apply(z, min, (y, y)))
>>> program = Program("f", (Parameter(x),), Block(ops), Block(), z, ())
>>> plan, called = named_plan(program, frozenset())
>>> [[called.of(v) for v in stmt.targets] for stmt in plan.forward]
[['t1']]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo, is_augmented
from yota_ast.codegen.plan.copies_and_names import liveness
from yota_ast.codegen.plan.flatten import flatten
from yota_ast.codegen.plan.long_constants import with_named_constants
from yota_ast.codegen.plan.naming import Names, names
from yota_ast.codegen.plan.nest import Survey
from yota_ast.codegen.plan.statement_plan import Plan
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Block, Op, atoms_of, map_blocks, of_ops, walk
from yota_ast.ir.tape import Program
from yota_ast.syntax.names import is_weak

Lowered: TypeAlias = Callable[[Plan, PointsTo], Plan]
_ROUNDS = 20
"""How often copies are reconsidered; each round nests at least one more."""


def named_plan(
    program: Program,
    reserved: frozenset[str],
    lowered: Lowered | None = None,
) -> tuple[Plan, Names]:
    """Return the plan of a program and its names, none of them in `reserved`.

    lowered: what a back end makes of the plan before its variables have names, given
    what memory they share. A value that cannot have the name of the variable that it is
    copied to is printed in the copy instead: `a, b = b, a + b`.
    """
    program = with_named_constants(program)
    program = replace(program, reverse=with_new_sums(program.reverse))
    survey, forced = Survey(program), frozenset[str]()
    for _ in range(_ROUNDS):
        plan = flatten(survey, forced)
        if lowered is not None:
            plan = lowered(plan, survey.points)
        plan, for_moves, for_names = liveness(plan)
        named = names(plan, for_moves, for_names, reserved)
        more = forced.union(named.split)
        if more == forced:
            break
        forced = more
    return plan, named


def with_new_sums(block: Block) -> Block:
    """Return a reverse sweep in which what adds to an array of another name makes a
    new one: it is printed as `dx = dy + t`. An array without a name of its own has
    the name of the sum, where nothing else reads it."""
    atoms = (atom for op in walk(block) for atom in atoms_of(op))
    read = Counter(atom.name for atom in atoms if isinstance(atom, Var))

    def own(op: Op) -> Op:
        if not is_augmented(op) or not op.origin.reverse:
            return map_blocks(op, within)  # what the function writes stays a write
        start, out = op.args[0], op.out
        if not isinstance(start, Var) or is_weak(out.hint) or start.hint == out.hint:
            return op
        if is_weak(start.hint) and read[start.name] < 2:
            return op
        return replace(op, form="operator")

    def within(block: Block) -> Block:
        return of_ops(block, tuple(map(own, block)))

    return within(block)
