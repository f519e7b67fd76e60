"""A tape, the program of its gradient, its text -> all that pages and tables show.

Pages name parts by ids: `p` a line of the user's, `g` a line of the gradient, `k` a
value that is kept, `t` a row of the tape, `n` a node of its graph, each with a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePath

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.printers.function_source import Text, emit
from yota_ast.codegen.printers.module_source import Module
from yota_ast.codegen.printers.statement_lines import within
from yota_ast.ir.nodes import Op
from yota_ast.ir.tape import Program, Tape
from yota_ast.ir.tape_printer import Row, rows
from yota_ast.tools.report.line_pairs import Paired, paired
from yota_ast.tools.report.saved_memory import Kepts, kept_by, total
from yota_ast.tools.report.sizes import Size
from yota_ast.tools.report.user_lines import (
    Primal,
    SourceFunction,
    SourceLine,
    Spot,
    primal_of,
)


@dataclass(frozen=True)
class View:
    """A gradient, and where each part of it comes from.

    module: the text, where it is not that which runs in this process.
    """

    tape: Tape
    program: Program
    module: Module | None = None

    @property
    def kind(self) -> str:
        """What the program computes: "gradient" or "tangent"."""
        return "gradient" if self.program.seed else "tangent"

    @cached_property
    def text(self) -> Text | Module:
        """The text of the gradient."""
        return emit(self.program) if self.module is None else self.module

    @property
    def source(self) -> str:
        """The same from its imports on: what is run, or printed."""
        return self.text.module if isinstance(self.text, Text) else self.text.text

    @cached_property
    def primal(self) -> Primal:
        """The user's functions."""
        return primal_of(self.tape)

    @cached_property
    def lines(self) -> tuple[Paired, ...]:
        """The lines of the text."""
        return paired(within(self.source, self.text.lines), self.primal)

    @cached_property
    def kept(self) -> tuple[Kepts, ...]:
        """What the forward sweep keeps for the reverse."""
        return kept_by(self.program, self.lines)

    @property
    def size(self) -> Size:
        """The bytes of all that is kept."""
        return total(self.kept)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The listing of the tape."""
        return tuple(rows(self.tape))

    @cached_property
    def functions(self) -> tuple[tuple[SourceFunction, tuple[SourceLine, ...]], ...]:
        """The user's functions, outer before inner, and their lines."""
        return tuple((f, tuple(f.lines())) for f in self.primal.functions())

    @cached_property
    def ids(self) -> Mapping[Spot, tuple[int, ...]]:
        """The lines of each statement of the user's, numbered as they are shown."""
        found: dict[Spot, tuple[int, ...]] = {}
        numbered = (line for _, lines in self.functions for line in lines)
        for number, line in enumerate(numbered, 1):
            if line.spot is not None:
                found[line.spot] = (*found.get(line.spot, ()), number)
        return found

    @cached_property
    def colours(self) -> Mapping[Spot, int]:
        """The number of the colour of each statement that became something."""
        used = {spot for line in self.lines for spot in line.spots}
        used |= {spot for row in self.rows for spot in self.spots(row.op)}
        ordered = [spot for spot in self.ids if spot in used]
        return {spot: k for k, spot in enumerate(ordered)}

    def spots(self, op: Op | None) -> tuple[Spot, ...]:
        """The statement that an op of the tape belongs to, if it has a place."""
        place = None if op is None else op.origin.place
        spot = None if place is None else self.primal.spot(place)
        return () if spot is None else (spot,)

    @property
    def where(self) -> str:
        """The module and the line of the function."""
        root = self.primal.root
        line = "" if root is None else f", {PurePath(root.filename).name}:{root.first}"
        return f"{self.tape.module}{line}".removeprefix(", ")
