"""The functions that a tape calls -> the calls that give their tangents too.

A function on the path of a derivative becomes another, `_f_tangent`. It takes the
arguments, and then the tangents of those that vary; it returns the results, and then
the tangents of those that vary. So a function that calls itself goes on with a tangent
at each call.

In: a call, and the tangents of its arguments.  Out: the ops that stand for it, and the
tangent of its result, or of each result.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.builder import Names
>>> from yota_ast.ir.functions import Function
>>> from yota_ast.ir.nodes import Block
>>> x, y, z = (Var(name, FLOAT) for name in "xyz")
>>> f = Function("_f", (x,), Block((Apply(y, abs, (x,)),)), y)
>>> made = called(
...     Apply(z, Outlined("_f"), (x,)), Pair(f, (0,), (0,)), [Var("dx", FLOAT)],
...     Builder(lambda *_: FLOAT, Names()),
... )  # fmt: skip
>>> [op.out.name for op in made.ops], made.tangents
(['z.all', 'z', 'dz'], {0: dz::float})
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.reverse.contributions import adjoint_hint
from yota_ast.adjoint.reverse.outlined_adjoints import Pair, results_of
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Op, Origin, Outlined
from yota_ast.tangent.complex_tangents import tangent_fact

TANGENT: Final = "_tangent"


@dataclass(frozen=True, slots=True)
class Called:
    """What stands for a call, and the tangents by the places of the results."""

    ops: tuple[Op, ...]
    tangents: dict[int, Var]


def called(op: Apply, pair: Pair, tangents: Sequence[Atom], builder: Builder) -> Called:
    """The call of a function that gives tangents; tangents: those of the arguments that
    are asked for."""
    out, results = op.out, results_of(pair.function)
    single = len(results) == 1
    facts = (out.fact,) if single else out.fact.items or ()
    moved = {k: _tangent(out if single else results[k], facts[k]) for k in pair.reached}
    fact = Fact("tuple", items=(*facts, *(f for f, _ in moved.values())), cls=tuple)
    name = builder.names.fresh(f"{out.name}.all") if single else out.name
    whole = Var(name, fact, None if single else out.hint)
    fn = Outlined(pair.function.name + TANGENT)
    here = builder.origin  # what is tidied of the tangents is so in the call
    given = (*op.args, *tangents)
    ops: list[Op] = [replace(op, out=whole, fn=fn, args=given, origin=here)]
    if single:
        ops.append(_item(out, whole, 0, op.origin))
    found: dict[int, Var] = {}
    for at, (k, (known, hint)) in enumerate(moved.items(), len(facts)):
        found[k] = builder.var(known, hint, f"d{out.name}")
        ops.append(_item(found[k], whole, at, here))
    return Called(tuple(ops), found)


def _tangent(result: Atom, fact: Fact) -> tuple[Fact, str | None]:
    """What is known of the tangent of a result, and what it is called."""
    hint = result.hint if isinstance(result, Var) else None
    like = Var("", fact, hint)
    return tangent_fact(like), adjoint_hint(like) if hint else None


def _item(out: Var, whole: Var, at: int, origin: Origin) -> Apply:
    taken = whole, Const(at)
    return Apply(out, operator.getitem, taken, form="unpack", origin=origin)
