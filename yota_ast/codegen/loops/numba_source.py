"""Program -> source for Numba: a function of Python, and the loops that it calls.

    def loss_grad(x, seed=1.0):
        ...                          # entry checks, as in the readable function
        return _loss_grad(x, seed)

    @numba.njit(boundscheck=True, error_model="numpy")
    def _loss_grad(x, seed):
        ...

The loops take arrays and numbers alone. What the function reads of objects, and of the
user's modules, it hands on at each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.loops.draft import REMEDY
from yota_ast.codegen.loops.elements import is_array
from yota_ast.codegen.loops.loop_plan import Loops
from yota_ast.codegen.plan.named_plan import named_plan
from yota_ast.codegen.plan.statement_plan import Let, Plan, Stmt
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.function_head import (
    checks,
    docstring,
    refusal,
    signature,
)
from yota_ast.codegen.printers.function_source import (
    Text,
    parameters,
    reads_first,
    scope_of,
    section,
)
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.codegen.printers.helper_sources import helper_texts
from yota_ast.codegen.printers.named_refusals import with_its_name
from yota_ast.codegen.printers.statement_source import Statements
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.atoms import Const, Var, fact_of_atom
from yota_ast.ir.nodes import Read
from yota_ast.ir.tape import Program
from yota_ast.runtime.general import number_errors

DECORATOR: Final = '@numba.njit(boundscheck=True, error_model="numpy")'
"""Indices are checked as NumPy does, and divisions give what NumPy gives."""
NUMBERS: Final = ("float", "int", "bool", "scalar", "array")


def emit_loops(program: Program) -> Text:
    """Return the source of a program, with explicit loops."""
    program = with_its_name(program, program.name)
    if told := _other_than_loops(program):
        raise UnsupportedCall(
            f"{program.name}: no loops are made of a function {told}", remedy=REMEDY
        )
    world = Globals(parameters((program,)), scope_of(program), ())
    kernel = f"_{program.name}"
    given: list[Loops] = []

    def lowered(plan: Plan, points: PointsTo) -> Plan:
        given.append(Loops(plan, points))
        return given[-1].run()

    taken = world.names | {kernel, "numba"} | number_errors.NAMES
    plan, named = named_plan(program, taken, lowered)
    write = Expressions(plan.nested, named, world)
    reads, forward = reads_first(plan.forward)
    inner = _kernel(plan, forward, write)
    passed = _passed(plan, reads)
    constants = {var.name: const for var, const in given[-1].draft.outside.values()}
    handed = [_handed(var, constants, write) for var in passed]
    own = [v for v in passed if v.name not in constants]
    outer = [
        signature(program, write),
        *docstring(program),
        *checks(program, write),
        *_dtype_checks(program.name, own, _spelled(reads, write), write),
        *(line.text for line in Statements(plan, write).block(reads, 1)),
        *statement_lines.statement(f"return {kernel}({', '.join(handed)})", 1),
    ]
    names = ", ".join(dict.fromkeys(map(named.of, passed)))
    head = [DECORATOR, *statement_lines.header(f"def {kernel}({names})", 0)]
    helpers = helper_texts(world.helpers, world, program.name)
    functions = ["\n".join(outer), "\n".join([*head, *inner])]
    functions += [f"@numba.njit\n{text}" for text in helpers]
    source = "\n\n\n".join(functions) + "\n"
    bound = tuple(world.bound.values())
    return Text(program.name, source, _imports(world), bound, dict(world.nameless))


def _other_than_loops(program: Program) -> str:
    """Say what a whole function has of which there are no loops, "" if nothing."""
    if program.helpers:
        return "with functions of its own"
    if program.guards:
        return "that returns early"
    value = fact_of_atom(program.value)
    known = value.kind == "array" or value.kind not in NUMBERS
    return "whose value is no number" if known and value.kind != "real" else ""


def _imports(world: Globals) -> tuple[str, ...]:
    """Return the import lines, those of the standard library first."""
    first = [line for line in world.imports if line == "import math"]
    rest = [line for line in world.imports if line not in first]
    return (*first, *([""] if first else []), "import numba", *rest)


def _kernel(plan: Plan, forward: Sequence[Stmt], write: Expressions) -> list[str]:
    """Return the lines of the loops, the two sweeps under their headings."""
    printer = Statements(plan, write)
    ahead = printer.block(forward, 1)
    printer.group, printer.part = 0, "reverse"
    back = printer.block(plan.reverse, 1)
    last = printer.block([plan.exit], 1)
    found = [*section("forward", ahead), *statement_lines.plain([""])]
    found += [*section("reverse", back), *statement_lines.plain([""])] if back else []
    return [line.text for line in (*found, *last)]


def _passed(plan: Plan, reads: Sequence[Stmt]) -> list[Var]:
    """Return what the loops are given: arrays and numbers."""
    own = [*plan.params, *(v for s in reads if isinstance(s, Let) for v in s.targets)]
    return [v for v in own if v.fact.kind in NUMBERS or v.fact.is_scalar]


def _handed(var: Var, constants: Mapping[str, Const], write: Expressions) -> str:
    """Return what the loops are given for a variable: floats as such, since powers of
    integers are others."""
    const = constants.get(var.name)
    text = write.text(var) if const is None else write.text(const)
    fact = var.fact
    is_float = fact.kind == "float" or (fact.is_scalar and fact.dtype == np.float64)
    unknown = fact.kind == "real" and fact.is_scalar
    if not is_float and not unknown:
        return text
    return f"{write.world.builtin('float')}({text})"


def _spelled(reads: Sequence[Stmt], write: Expressions) -> dict[str, str]:
    """Return what is read of objects as the user writes it: `m.w`."""
    found: dict[str, str] = {}
    for stmt in reads:
        if isinstance(stmt, Let) and isinstance(stmt.value, Read):
            root = write.text(stmt.value.root)
            found[stmt.value.out.name] = write.world.path(root, stmt.value.path)
    return found


def _dtype_checks(
    title: str, given: Sequence[Var], spelled: Mapping[str, str], write: Expressions
) -> list[str]:
    """Return the tests of what arrays hold: the loops are made for that alone."""
    kinds: dict[np.dtype[Any], list[str]] = {}
    for var in given:
        if is_array(var):
            if var.fact.dtype is None:
                raise UnsupportedCall(
                    f"the numbers in `{write.text(var)}` are unknown",
                    remedy="Give example arguments.",
                )
            text = spelled.get(var.name) or write.text(var)
            kinds.setdefault(var.fact.dtype, []).append(text)
    found: list[str] = []
    for dtype, names in kinds.items():
        kind = write.world.function(dtype.type)
        same = " == ".join([*(f"{name}.dtype" for name in names), kind])
        test = f"not {same}" if len(names) > 1 else f"{names[0]}.dtype != {kind}"
        told = f"{title}: made for {', '.join(names)} of {dtype.name}"
        found += statement_lines.header(f"if {test}", 1)
        found += refusal(told)
    return found
