"""Program -> the text of the function, what it needs where it runs, what it imports."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.codegen.plan.kept_values import kept
from yota_ast.codegen.plan.named_plan import named_plan
from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.statement_plan import Let, Move, Plan, Stmt
from yota_ast.codegen.plan.undefined_names import with_tests
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import BINARY, Expressions
from yota_ast.codegen.printers.function_head import (
    NONE,
    Annotations,
    checks,
    docstring,
    outside,
    signature,
    spelled,
)
from yota_ast.codegen.printers.global_names import Global, Globals
from yota_ast.codegen.printers.helper_sources import helper_texts, with_called
from yota_ast.codegen.printers.hoisted_views import with_hoisted_views
from yota_ast.codegen.printers.named_refusals import with_its_name
from yota_ast.codegen.printers.reused_memory import reuses_memory, with_reused_memory
from yota_ast.codegen.printers.short_functions import expression, short_functions
from yota_ast.codegen.printers.source_head import head_comment
from yota_ast.codegen.printers.statement_lines import Line
from yota_ast.codegen.printers.statement_source import Statements
from yota_ast.codegen.printers.templates import render
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import bound_by, ends_of
from yota_ast.ir.nodes import Apply, Block, Op, Outlined, Read, Store, atoms_of, walk
from yota_ast.ir.store_changes import SharedView
from yota_ast.ir.tape import Program
from yota_ast.support.passes import enabled


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a function.

    source: the function and, below it, the helpers that it calls. imports: the import
    lines that belong above it. globals: the other names it reads, and their values.
    lines: those of the source, with what they stem from. copies: by its name in the
    source, the helper of `runtime` that a function there is a copy of.
    """

    name: str
    source: str
    imports: tuple[str, ...] = ()
    globals: tuple[Global, ...] = ()
    nameless: Mapping[str, str] = field(default_factory=dict)
    """Those of the names that stand for values without a path, and their classes."""
    lines: tuple[Line, ...] = ()
    copies: Mapping[str, Callable[..., object]] = field(default_factory=dict)

    @property
    def namespace(self) -> dict[str, object]:
        """What the text must find bound where it runs, imports aside."""
        return {g.name: g.value for g in self.globals}

    @property
    def module(self) -> str:
        """The text with its imports above it."""
        head = head_comment(self.globals, self.nameless, syntax.line_width())
        imports = "\n".join((*head, *self.imports))
        if not imports:
            return self.source
        return render("module.py", imports=imports, functions=self.source.rstrip("\n"))


def emit(program: Program) -> Text:
    """Return the text of a program."""
    program = with_its_name(program, program.name)
    programs = (program, *program.helpers)
    names = [p.name for p in program.helpers]
    world = Globals(parameters(programs), scope_of(program), names)
    for each in programs:
        spell(each, world)
    short = shortened(program, world)
    functions = [
        function_lines(each, world, titled=each is program)
        for each in programs
        if each.name not in short
    ]
    helpers = helper_texts(world.helpers, world, program.name)
    functions += [statement_lines.plain(text.split("\n"), "helper") for text in helpers]
    found = statement_lines.one_below_another(functions)
    source = "".join(f"{line.text}\n" for line in found)
    bound = tuple(world.bound.values())
    called = with_called(world.helpers, world)
    copies = {world.helper_name(helper): helper for helper in called}
    nameless = dict(world.nameless)
    return Text(program.name, source, world.imports, bound, nameless, found, copies)


def parameters(programs: Sequence[Program]) -> list[str]:
    """Return the names of all parameters."""
    return [p.var.hint or p.var.name for each in programs for p in each.params]


def shortened(program: Program, world: Globals) -> frozenset[str]:
    """Let helpers that are one expression be printed where they are called."""
    short = short_functions(program, world)
    for name, each in short.items():
        world.short[name] = functools.partial(_expression, each, world=world)
    return frozenset(short)


def _expression(program: Program, given: Sequence[str], world: Globals) -> str:
    text = expression(program, given, world)
    assert text is not None
    return text


def function_lines(
    given: Program, world: Globals, *, titled: bool, typed: Annotations = NONE
) -> list[Line]:
    """Return the lines of one function; titled: its sweeps have headings."""
    known = world.names
    plan, named, program = _planned(given, world)
    plan, unset = with_tests(plan, named)
    write = Expressions(plan.nested, named, world)
    marks = kept(plan, named) if titled else {}
    printer = Statements(plan, write, marks)
    body = _body(program, plan, printer, unset, titled=titled)
    head = signature(program, write, typed)
    if not (world.names - known).isdisjoint(named.by_key.values()):
        # What was not spelled before has the name of a variable: print it again.
        return function_lines(given, world, titled=titled, typed=typed)
    below = "\n".join(line.text for line in body)
    text = render("function.py", head=head, body=below).rstrip("\n").split("\n")
    lines = [*statement_lines.plain(text[: len(text) - len(body)]), *body]
    if program.plain is None or not enabled("fast-views"):
        return lines
    ranks = array_ranks(program, named)
    steady = {name: rank for name, rank in ranks.items() if name not in unset}
    return [*with_hoisted_views(lines, steady)]


def _planned(program: Program, world: Globals) -> tuple[Plan, Names, Program]:
    """The plan of a program, its names, and the program; this tests what the plan takes
    for granted, too."""
    fitting = program.fitting
    if fitting is None:
        return *named_plan(program, world.names), program
    lowered = functools.partial(with_reused_memory, fitting=fitting)
    plan, named = named_plan(program, world.names, lowered)
    if reuses_memory(plan):
        program = replace(program, checks=(*program.checks, *fitting.checks))
    return plan, named, program


def array_ranks(program: Program, named: Names) -> dict[str, int]:
    """Return by name the rank of what is an array for certain."""
    found: dict[str, int] = {}
    ops = (op for block in program.sweeps for op in walk(block))
    every = [*program.variables, *(v for op in ops for v in bound_by(op))]
    for var in every:
        known, name = var.fact, named.of(var)
        rank = known.rank if known.kind == "array" else None
        found[name] = min(rank or 0, found.get(name, rank or 0))
    return {name: rank for name, rank in found.items() if rank}


def scope_of(program: Program) -> dict[str, object]:
    """Return the names of the module in which the function stands."""
    found: object = getattr(program.fn, "__globals__", None)
    return found if isinstance(found, dict) else {}


def spell(program: Program, world: Globals) -> None:
    """Name all functions and constants, so that locals keep away from their names."""
    write = Expressions({}, None, world)
    blocks = (program.forward, program.reverse, *(g.block for g in program.guards))
    ops = [*walk(Block(tuple(op for block in blocks for op in block)))]
    outside(program, write)
    unseen = {_hidden(op) for op in ops}
    for check in program.checks:
        spelled(check, write)
    for atom in (program.value, *program.results):
        write.text(atom)
    for op in ops:
        if not isinstance(op, Apply):
            for end in (*atoms_of(op), *ends_of(op)):
                if isinstance(end, Const):
                    write.text(end)
            continue
        if _is_plain(op) or op.out in unseen:
            continue
        if op.fn is operator.setitem:  # it is printed as an assignment
            for atom in op.args:
                write.text(atom)
        else:
            write.op(op)


def _hidden(op: Op) -> Atom | None:
    """What a base becomes by a write into its view: the text shows nothing of it."""
    if not isinstance(op, Store) or not isinstance(op.change, SharedView):
        return None
    return op.value


def _is_plain(op: Apply) -> bool:
    """Whether an op is arithmetic of variables and finite numbers, which names nothing:
    most ops are."""
    if op.fn not in BINARY or op.kwargs or len(op.args) != 2:
        return False
    one, other = op.args
    return (isinstance(one, Var) or _is_number(one)) and (
        isinstance(other, Var) or _is_number(other)
    )


def _is_number(const: Const) -> bool:
    value = const.value
    if const.text is not None:
        return False
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _body(
    program: Program,
    plan: Plan,
    write: Statements,
    unset: Mapping[str, Const],
    *,
    titled: bool,
) -> list[Line]:
    """Return the lines of the body: sections with a blank line between them.

    unset: the names that are to hold something at first.
    """
    reads, forward = reads_first(plan.forward)
    end = len(plan.reverse)
    while end and _is_tail(plan.reverse[end - 1]):
        end -= 1
    reverse, tail = plan.reverse[:end], plan.reverse[end:]
    first_lines = [*outside(program, write.write), *checks(program, write.write)]
    tests = statement_lines.plain(first_lines, "check")
    top = [*tests, *write.block(reads, 1)]
    first = [
        line
        for text in presets(unset, write.write)
        for line in statement_lines.statement(text, 1)
    ]
    ahead = [*statement_lines.plain(first, "forward"), *write.block(forward, 1)]
    write.group, write.part = 0, "reverse"
    back = write.block(reverse, 1)
    write.part = "return"
    last = [*write.block(tail, 1), *write.block([plan.exit], 1)]
    body = statement_lines.plain(docstring(program))
    if not titled:
        return [*body, *top, *ahead, *back, *last]
    blank = statement_lines.plain([""])
    sections = [top, section("forward", ahead), section("reverse", back), last]
    above = len(body)
    for lines in sections:
        if lines:
            body += [*blank, *lines] if len(body) > above else lines
    return body


def presets(unset: Mapping[str, Const], write: Expressions) -> Iterator[str]:
    """Yield `a = b = None`, and the same of each other value that names start as."""
    for const in dict.fromkeys(unset.values()):
        names = (name for name, value in unset.items() if value == const)
        yield " = ".join((*names, write.text(const)))


def reads_first(stmts: Sequence[Stmt]) -> tuple[Sequence[Stmt], Sequence[Stmt]]:
    """Return the reads at the top, and the rest."""
    count = 0
    while count < len(stmts) and _is_read(stmts[count]):
        count += 1
    return stmts[:count], stmts[count:]


def _is_read(stmt: Stmt) -> bool:
    return isinstance(stmt, Let) and isinstance(stmt.value, Read)


def _is_tail(stmt: Stmt) -> bool:
    """Say whether a statement of the reverse sweep only prepares what is returned."""
    calls = (
        isinstance(stmt, Let)
        and isinstance(stmt.value, Apply)
        and isinstance(stmt.value.fn, Outlined)
    )
    return isinstance(stmt, (Let, Move)) and not stmt.origin.text and not calls


def section(title: Literal["forward", "reverse"], body: list[Line]) -> list[Line]:
    """Return the lines of a sweep under its heading."""
    if not body:
        return []
    heading = render("section.py", title=title, statements="").rstrip("\n")
    return [*statement_lines.plain(heading.split("\n"), title), *body]
