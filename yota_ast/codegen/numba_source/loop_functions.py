"""Program, and the functions that it defines -> functions under Numba.

Each function takes arrays and numbers. What it reads of the user's modules is handed on
by those that call it, since Numba would take it for a constant.

    @numba.njit(boundscheck=True, error_model="numpy")
    def _rates(z, p):
        ...
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.loops.draft import REMEDY
from yota_ast.codegen.loops.known_facts import Infer
from yota_ast.codegen.loops.loop_plan import Loops
from yota_ast.codegen.numba_source.integer_sizes import IntegerSizes
from yota_ast.codegen.plan.named_plan import named_plan
from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.statement_plan import Exit, Plan, Stmt
from yota_ast.codegen.plan.undefined_names import read_unset
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.function_head import docstring
from yota_ast.codegen.printers.function_source import section
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.codegen.printers.statement_source import Statements
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.tape import Program
from yota_ast.runtime.general import number_errors
from yota_ast.syntax.value_literals import literal_text

_ALWAYS: Final = 'error_model="numpy"'
"""Divisions give what NumPy gives."""
_CHECKED: Final = "boundscheck=True"
"""Indices are checked as NumPy does."""
Options: TypeAlias = Sequence[tuple[str, object]]
_ROUNDS: Final = 9
"""How often functions that call one another hand on what they read of modules."""


def decorator(options: Options = (), *, checked: bool = True) -> str:
    """Return the decorator of a compiled function. checked: it has indices that may lie
    outside; counters of loops over lengths do not.

    >>> decorator([("cache", True)])
    '@numba.njit(boundscheck=True, error_model="numpy", cache=True)'
    """
    given = (f"{name}={literal_text(v)}" for name, v in options)
    texts = [*([_CHECKED] if checked else ()), _ALWAYS, *given]
    return f"@numba.njit({', '.join(texts)})"


@dataclass(frozen=True)
class LoopFunction:
    """A function of loops. outside: parameters for what it reads of modules. leaves:
    what it returns, if containers are built of that; built: how, outside. checked:
    it has indices that may lie outside."""

    program: Program
    plan: Plan
    names: Names
    outside: tuple[tuple[Var, Const], ...]
    leaves: tuple[Var, ...]
    built: tuple[Stmt, ...]
    checked: bool

    def body(
        self, forward: Sequence[Stmt], write: Expressions, *, titled: bool = False
    ) -> list[str]:
        """Return the lines of the loops; titled: the two sweeps have headings."""
        printer = Statements(self.plan, write)
        ahead = printer.block(forward, 1)
        printer.group, printer.part = 0, "reverse"
        back = printer.block(self.plan.reverse[: _inside(self)], 1)
        end = self.plan.exit
        if self.leaves:
            end = Exit(self.leaves[0], self.leaves[1:])
        last = printer.block([end], 1)
        if not titled:
            return [line.text for line in (*ahead, *back, *last)]
        blank = statement_lines.plain([""])
        found = [*section("forward", ahead), *blank]
        found += [*section("reverse", back), *blank] if back else []
        return [line.text for line in (*found, *last)]

    def source(self, world: Globals, above: str) -> str:
        """Return the whole function, which other loops call. above: the decorator."""
        write = Expressions(self.plan.nested, self.names, world)
        params = ", ".join(dict.fromkeys(map(self.names.of, self.plan.params)))
        head = statement_lines.header(f"def {self.program.name}({params})", 0)
        body = self.body(self.plan.forward, write)
        return "\n".join([above, *head, *docstring(self.program), *body])


def _inside(function: LoopFunction) -> int:
    return len(function.plan.reverse) - len(function.built)


def _refuse_unset(plan: Plan, names: Names) -> None:
    """Refuse a name that may have no value where it is read: Numba does not raise."""
    found = read_unset(plan, names)
    if found is not None:
        name, stmt = found
        raise UnsupportedCall(
            f"no loops are made of `{name}`, which may have no value where it is read",
            at=stmt.origin.place,
            remedy=f"Assign a value to `{name}` first.\n{REMEDY}",
        )


class Callees:
    """The functions that a program defines and calls, lowered to loops."""

    def __init__(
        self,
        programs: Sequence[Program],
        world: Globals,
        infer: Infer,
        sizes: Mapping[str, IntegerSizes],
    ) -> None:
        self.infer = infer
        self.sizes = sizes
        self.programs = programs
        self.world = world
        self.outside: dict[str, tuple[Const, ...]] = {p.name: () for p in programs}
        self.functions: dict[str, LoopFunction] = {}
        for _ in range(_ROUNDS):
            before = dict(self.outside)
            for program in programs:
                self._lower(program)
            if self.outside == before:
                break

    def _lower(self, program: Program) -> None:
        taken = self.world.names | {"numba"} | number_errors.NAMES
        made = self.lowered(program, taken, called=True)
        self.functions[program.name] = made
        self.outside[program.name] = tuple(const for _, const in made.outside)

    def lowered(
        self, program: Program, taken: frozenset[str], *, called: bool = False
    ) -> LoopFunction:
        """Return the loops of a program, none of its variables in `taken`. called:
        other loops call them."""
        given: list[Loops] = []
        wide = frozenset(self.sizes[program.name].wide)

        def loops(plan: Plan, points: PointsTo) -> Plan:
            given.append(
                Loops(plan, points, self.outside, self.infer, wide, called=called)
            )
            return given[-1].run()

        plan, names = named_plan(program, taken, loops)
        last = given[-1]
        _refuse_unset(plan, names)
        outside = tuple(last.draft.outside.values())
        return LoopFunction(
            program, plan, names, outside, last.leaves, tuple(last.built),
            last.draft.checked,
        )  # fmt: skip

    def made(self) -> Iterator[LoopFunction]:
        """Yield the functions, in the order of the program's."""
        return (self.functions[p.name] for p in self.programs)
