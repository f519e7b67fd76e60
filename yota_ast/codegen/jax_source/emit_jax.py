"""Program -> source for JAX: the readable function, on arrays that do not change.

    def loss_grad(w, X, seed=1.0):
        ...                          # entry checks, of shapes and dtypes
        w, X, seed = on_jax(w, X, seed)

        # forward
        h = jnp.tanh(X @ w)

Loops stay loops of Python: under `jax.jit` they are unrolled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.jax_source.helpers_for_jax import jax_text
from yota_ast.codegen.jax_source.jax_expressions import JaxExpressions
from yota_ast.codegen.jax_source.jax_names import JaxLinked, JaxNames
from yota_ast.codegen.jax_source.jax_plan import jax_plan
from yota_ast.codegen.plan.named_plan import named_plan
from yota_ast.codegen.plan.statement_plan import Let, Plan, Stmt
from yota_ast.codegen.plan.undefined_names import with_tests
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.function_head import (
    NONE,
    Annotations,
    checks,
    docstring,
    signature,
)
from yota_ast.codegen.printers.function_source import (
    Text,
    parameters,
    presets,
    reads_first,
    scope_of,
    section,
    spell,
)
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.codegen.printers.helper_sources import helper_texts
from yota_ast.codegen.printers.module_source import Printer
from yota_ast.codegen.printers.named_refusals import with_its_name
from yota_ast.codegen.printers.statement_source import Statements
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import Read
from yota_ast.ir.tape import Program
from yota_ast.runtime.jax.arrays_of_jax import on_jax

_PASSED: Final = ("int", "bool", "str", "none", "callable", "object", "other", "model")
"""Kinds of arguments that are no arrays or floats."""


def emit_jax(program: Program) -> Text:
    """Return the source of a program on arrays of JAX."""
    program = with_its_name(program, program.name)
    names = [p.name for p in program.helpers]
    programs = (program, *program.helpers)
    world = JaxNames(parameters(programs), scope_of(program), names)
    functions = [*jax_sources(program, world).values()]
    texts = helper_texts(world.helpers, world, program.name)
    functions += [_helper(text, world) for text in texts]
    source = "\n\n\n".join(functions) + "\n"
    bound = tuple(world.bound.values())
    return Text(program.name, source, world.imports, bound, dict(world.nameless))


def file_printer() -> Printer:
    """Return what prints such functions into a file."""
    return Printer(jax_sources, _helper, names=JaxLinked)


def _helper(text: str, world: Globals) -> str:
    """Return the text of a helper on arrays of JAX."""
    found = jax_text(text)
    if "np." in found.replace("jnp.", ""):
        world.module("np")
    return found


def jax_sources(
    program: Program, world: Globals, typed: Annotations = NONE
) -> dict[str, str]:
    """Return the functions that a program becomes, by their names."""
    program = program.without_branches
    if any(p.outside is not None for p in program.params):
        raise UnsupportedCall(
            f"{program.name}: what stands outside of the function is changed, which no "
            "array of JAX can be",
            remedy="Make it an argument, and return what is new.",
        )
    every = (program, *program.helpers)
    return {
        each.name: _source(each, world, typed if each is program else NONE,
                           titled=each is program)
        for each in every
    }  # fmt: skip


def _source(
    program: Program, world: Globals, typed: Annotations, *, titled: bool
) -> str:
    """Return one function; titled: the public one, with headings and checks."""
    world.scope = scope_of(program)
    _spell(program, world)

    def lowered(plan: Plan, points: PointsTo) -> Plan:
        return jax_plan(plan, points, program)

    plan, named = named_plan(program, world.names, lowered)
    plan, unset = with_tests(plan, named)
    write = JaxExpressions(plan.nested, named, world)
    printer = Statements(plan, write)
    reads, forward = reads_first(plan.forward)
    top = [
        *checks(replace(program, checks=tuple(map(_of_axes, program.checks))), write),
        *_texts(printer, reads),
        *(_entry(program, reads, write) if titled else ()),
    ]
    first = [
        line
        for text in presets(unset, write)
        for line in statement_lines.statement(text, 1)
    ]
    ahead = [*statement_lines.plain(first), *printer.block(forward, 1)]
    printer.group, printer.part = 0, "reverse"
    back = printer.block(plan.reverse, 1)
    last = printer.block([plan.exit], 1)
    head = [signature(program, write, typed), *docstring(program), *top]
    if not titled:
        return "\n".join([*head, *(line.text for line in (*ahead, *back, *last))])
    blank = statement_lines.plain([""])
    sections = [section("forward", ahead), section("reverse", back), last]
    body = [line.text for lines in sections if lines for line in (*blank, *lines)]
    return "\n".join([*head, *body])


def _spell(program: Program, world: Globals) -> None:
    """Name what is not the function's own, so that locals keep away from it. Which
    modules are imported depends on what is printed then."""
    modules, libraries = set(world.modules), dict(world.libraries)
    spell(program, world)
    world.modules, world.libraries = modules, libraries


def _of_axes(check: Check) -> Check:
    """Return a check that asks for axes where NumPy's text asks for a length: numbers
    that `jax.jit` traces have the method.

    >>> _of_axes(Check('hasattr(x, "__len__")', "made for a number x")).test
    'np.ndim(x) != 0'
    """
    if "__len__" not in check.test:
        return check
    tree = syntax.nodes.Expression(syntax.parse_expr(check.test))
    return replace(check, test=syntax.print_expr(_Axes().visit(tree).body))


class _Axes(syntax.nodes.NodeTransformer):  # type: ignore[misc]
    def visit_Call(self, node: syntax.Node) -> syntax.Node:
        self.generic_visit(node)
        is_asked = getattr(node.func, "id", "") == "hasattr"
        if not is_asked or getattr(node.args[1], "value", "") != "__len__":
            return node
        return syntax.quote_expr("np.ndim(x) != 0", x=node.args[0])


def _texts(printer: Statements, stmts: Sequence[Stmt]) -> list[str]:
    return [line.text for line in printer.block(stmts, 1)]


def _entry(program: Program, reads: Sequence[Stmt], write: JaxExpressions) -> list[str]:
    """Return the line that makes arrays of JAX of what the function is given."""
    parts = [s.value for s in reads if isinstance(s, Let) and isinstance(s.value, Read)]
    roots = {part.root for part in parts}
    given = [p.var for p in program.params if p.var not in roots]
    names = [write.text(v) for v in given if v.fact.kind not in _PASSED]
    names += [write.text(p.out) for p in parts if p.out.fact.kind not in _PASSED]
    if not names:
        return []
    listed = ", ".join(names)
    targets = listed if len(names) > 1 else f"({listed},)"
    call = f"{write.world.function(on_jax)}({listed})"
    return statement_lines.statement(f"{targets} = {call}", 1)
