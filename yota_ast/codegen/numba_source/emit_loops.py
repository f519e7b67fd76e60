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

from collections.abc import Sequence
from typing import Final, NoReturn

from yota_ast.codegen.loops.draft import REMEDY
from yota_ast.codegen.loops.elements import is_array
from yota_ast.codegen.loops.known_facts import Infer, with_known_facts
from yota_ast.codegen.numba_source.integer_sizes import sizes_of_programs
from yota_ast.codegen.numba_source.loop_arguments import (
    dtype_checks,
    handed,
    seed_check,
    size_check,
    spelled,
)
from yota_ast.codegen.numba_source.loop_functions import (
    Callees,
    LoopFunction,
    Options,
    decorator,
)
from yota_ast.codegen.plan.statement_plan import (
    Let,
    Plan,
    Stmt,
    reads_of,
    walk,
)
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import Expressions
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
    reads_first,
    scope_of,
)
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.codegen.printers.helper_sources import helper_texts
from yota_ast.codegen.printers.module_source import Printer
from yota_ast.codegen.printers.named_refusals import with_its_name
from yota_ast.codegen.printers.statement_source import Statements
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.atoms import Var, fact_of_atom
from yota_ast.ir.tape import Program
from yota_ast.runtime.general import number_errors

HELPER: Final = "@numba.njit"
"""What stands above helpers, which raise errors of numbers of Python."""
IMPORT: Final = "import numba"
NUMBERS: Final = ("float", "int", "bool", "scalar", "array")


def emit_loops(program: Program, infer: Infer) -> Text:
    """Return the source of a program, with explicit loops.

    infer: what is known of the result of a call, by what is known of its arguments.
    """
    program = with_its_name(program, program.name)
    names = [p.name for p in program.helpers]
    programs = (program, *program.helpers)
    world = Globals(parameters(programs), scope_of(program), names)
    functions = [*loop_sources(program, infer, world).values()]
    texts = helper_texts(world.helpers, world, program.name)
    functions += [_compiled(text, world) for text in texts]
    source = "\n\n\n".join(functions) + "\n"
    bound = tuple(world.bound.values())
    return Text(program.name, source, _imports(world), bound, dict(world.nameless))


def file_printer(infer: Infer, options: Options = ()) -> Printer:
    """Return what prints such functions into a file. options: those of Numba."""

    def functions(
        program: Program, world: Globals, typed: Annotations
    ) -> dict[str, str]:
        return loop_sources(program, infer, world, options, typed)

    return Printer(functions, _compiled, (IMPORT,))


def _compiled(helper: str, world: Globals) -> str:
    """Return the text of a helper that the loops call."""
    return f"{HELPER}\n{helper}"


def loop_sources(
    program: Program, infer: Infer, world: Globals, options: Options = (),
    typed: Annotations = NONE,
) -> dict[str, str]:  # fmt: skip
    """Return the functions that a program becomes, by their names.

    options: those of Numba. typed: annotations of the function in Python.
    """
    program, *helpers = with_known_facts(program.in_loops, infer)
    _refuse_other_values(program)
    kernel = _kernel_name(program.name, [p.name for p in helpers])
    sizes = sizes_of_programs([program, *helpers])
    callees = Callees(helpers, world, infer, sizes)
    main = callees.lowered(
        program, world.names | {kernel, "numba"} | number_errors.NAMES
    )
    reads, forward = reads_first(main.plan.forward)
    write = Expressions(main.plan.nested, main.names, world)
    inner = main.body(forward, write, titled=True)
    passed = _passed(main.plan, reads)
    _refuse_withheld(main.plan, reads, passed)
    constants = {var.name: const for var, const in main.outside}
    passed_on = [handed(var, constants, write, program.seed) for var in passed]
    own = [v for v in passed if v.name not in constants and v.hint != program.seed]
    counted = sizes[program.name].counted((*own, *constants.values()))
    call = f"{kernel}({', '.join(passed_on)})"
    outer = [
        signature(program, write, typed),
        *docstring(program),
        *checks(program, write),
        *dtype_checks(program.name, own, spelled(reads, write), write),
        *size_check(program.name, counted, spelled(reads, write), write),
        *seed_check(program, write),
        *(line.text for line in Statements(main.plan, write).block(reads, 1)),
        *_returned(main, call, write),
    ]
    given = ", ".join(dict.fromkeys(map(main.names.of, passed)))
    checked = any(each.checked for each in (main, *callees.made()))
    above = decorator(options, checked=checked)
    head = [above, *statement_lines.header(f"def {kernel}({given})", 0)]
    called = {each.program.name: each.source(world, above) for each in callees.made()}
    return {
        program.name: "\n".join(outer),
        kernel: "\n".join([*head, *inner]),
        **called,
    }


def _kernel_name(name: str, others: Sequence[str]) -> str:
    """Return the name of the loops, which no helper has.

    >>> _kernel_name("f_grad", ["_f"]), _kernel_name("f_grad", ["_f_grad"])
    ('_f_grad', '_f_grad_loops')
    """
    return f"_{name}" if f"_{name}" not in others else f"_{name}_loops"


def _refuse_other_values(program: Program) -> None:
    """Refuse a value that has no cotangent in one array or number."""
    value = fact_of_atom(program.value)
    if value.kind not in NUMBERS and value.kind != "real":
        raise UnsupportedCall(
            f"{program.name}: no loops are made of a function whose value is no number "
            "or array",
            remedy=REMEDY,
        )
    if is_array(program.value) and (value.rank is None or value.dtype is None):
        raise UnsupportedCall(
            f"{program.name}: no loops are made of a function whose value is an array "
            "of unknown rank or dtype",
            remedy=REMEDY,
        )


def _returned(main: LoopFunction, call: str, write: Expressions) -> list[str]:
    """Return the lines that call the loops, and build what the function returns."""
    if not main.leaves:
        return statement_lines.statement(f"return {call}", 1)
    names = ", ".join(map(write.text, main.leaves))
    first = statement_lines.statement(f"{names} = {call}", 1)
    printer = Statements(main.plan, write)
    last = printer.block([*main.built, main.plan.exit], 1)
    return [*first, *(line.text for line in last)]


def _imports(world: Globals) -> tuple[str, ...]:
    """Return the import lines, those of the standard library first."""
    first = [line for line in world.imports if line == "import math"]
    rest = [line for line in world.imports if line not in first]
    return (*first, *([""] if first else []), IMPORT, *rest)


def _passed(plan: Plan, reads: Sequence[Stmt]) -> list[Var]:
    """Return what the loops are given: arrays and numbers."""
    kinds = (*NUMBERS, "str")
    own = _own(plan, reads)
    return [v for v in own if v.fact.kind in kinds or v.fact.is_scalar]


def _own(plan: Plan, reads: Sequence[Stmt]) -> list[Var]:
    """Return the parameters, and what is read of them ahead of the loops."""
    own = (v for s in reads if isinstance(s, Let) for v in s.targets)
    return [*plan.params, *own]


def _refuse_withheld(plan: Plan, reads: Sequence[Stmt], passed: Sequence[Var]) -> None:
    """Refuse loops that read what they are not given, as a list."""
    withheld = {v.name: v for v in _own(plan, reads) if v not in passed}
    first = plan.forward[len(reads) :]
    for stmt in walk((*first, *plan.reverse)) if withheld else ():
        for name in reads_of(plan, stmt):
            if name in withheld:
                _refuse_argument(withheld[name], stmt)


def _refuse_argument(var: Var, stmt: Stmt) -> NoReturn:
    sequence = var.fact.kind == "list"
    remedy = f"Give an array: np.array({var.hint}).\n" if sequence else ""
    raise UnsupportedCall(
        f"no loops are made of `{var.hint}`, which is no array or number",
        at=stmt.origin.place,
        remedy=f"{remedy}{REMEDY}",
    )
