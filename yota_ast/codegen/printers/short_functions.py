"""Functions that are one short expression -> the expression, for a lambda to hold.

`lambda x: _f(x, p)` is printed as `lambda x: x**3 - p` where `_f` does no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.nest import Nesting, Survey
from yota_ast.codegen.plan.statement_plan import Plan
from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Closed, Outlined, walk
from yota_ast.ir.tape import Program

LONGEST: Final = 40
"""How many characters an expression may have."""


@dataclass(frozen=True, slots=True)
class Texts(Names):
    """The names of the parameters of a function: what is given for them."""

    given: Mapping[str, str] = None  # type: ignore[assignment]

    def of(self, var: Var) -> str:
        """Return what is given for a parameter."""
        return self.given[var.name]


def short_functions(program: Program, world: Globals) -> dict[str, Program]:
    """Return the helpers that are printed within lambdas, by name."""
    programs = (program, *program.helpers)
    called = {op.fn.name for op in _applies(programs) if isinstance(op.fn, Outlined)}
    made = {op.fn.name for op in _applies(programs) if isinstance(op.fn, Closed)}
    found = {}
    for each in program.helpers:
        if each.name in made and each.name not in called:
            names = [p.var.hint or p.var.name for p in each.params]
            text = expression(each, names, world)
            if text is not None and len(text) <= LONGEST:
                found[each.name] = each
    return found


def _applies(programs: Sequence[Program]) -> list[Apply]:
    blocks = [
        block
        for p in programs
        for block in (p.forward, p.reverse, *(g.block for g in p.guards))
    ]
    return [op for b in blocks for op in walk(b) if isinstance(op, Apply)]


def expression(program: Program, given: Sequence[str], world: Globals) -> str | None:
    """Return the value of a function of texts, if it is one expression."""
    ops = (*program.forward, *program.reverse)
    if program.results or program.checks or program.guards:
        return None
    if not all(isinstance(op, Apply) and not op.effect for op in ops):
        return None
    bare = [replace(op, out=replace(op.out, hint=None)) for op in ops]
    only = Program(
        program.name, program.params, Block(tuple(bare)), Block(), Const(None),
        (program.value,),
    )  # fmt: skip
    nesting = Nesting(Survey(only))
    if any(op.out.name not in nesting.nested for op in bare):
        return None
    names = [p.var.name for p in program.params]
    texts = {n: _closed(t) for n, t in zip(names, given, strict=True)}
    known = Texts({}, Plan.__new__(Plan), (), texts)
    return Expressions(nesting.nested, known, world).text(program.value)


def _closed(text: str) -> str:
    """Return a text that may stand anywhere within an expression."""
    plain = text.isidentifier() or text.replace(".", "").isalnum()
    return text if plain else f"({text})"
