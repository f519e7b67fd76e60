"""A statement of the plan -> where the ops come from that it shows.

The lines of a text carry these origins; a line that only prepares others, or ends them,
has those of what it stands with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.plan.statement_plan import (
    Plan,
    Stmt,
    parts_of,
)
from yota_ast.codegen.plan.statement_reads import read_by
from yota_ast.codegen.printers.statement_lines import Line
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Origin


def origins_of(stmts: Iterable[Stmt], plan: Plan) -> tuple[Origin, ...]:
    """Return where the ops come from that statements show, their own first.

    Those of their blocks do not count, nor what has no place in the user's source.
    """
    found: dict[object, Origin] = {}
    stmts = tuple(stmts)
    origins = [stmt.origin for stmt in stmts]
    for stmt in stmts:
        _add_nested(read_by(stmt), plan, origins)
    last: Origin | None = None
    for origin in origins:
        if origin is not last and origin.place is not None:
            found.setdefault(origin.place, origin)
        last = origin
    return tuple(found.values())


def _add_nested(atoms: tuple[object, ...], plan: Plan, found: list[Origin]) -> None:
    """Add the origins of what is printed within an expression of these atoms."""
    for atom in atoms:
        op = plan.nested.get(atom.name) if isinstance(atom, Var) else None
        if op is not None:
            found.append(op.origin)
            _add_nested(parts_of(op), plan, found)


def filled(lines: Sequence[Line], last: tuple[Origin, ...] = ()) -> list[Line]:
    """Return lines of which those without origins have those of the line that follows.

    What follows the last line has the origins `last`.
    """
    found: list[Line] = []
    for line in reversed(lines):
        last = line.origins or last
        found.append(line if line.origins else replace(line, origins=last))
    return found[::-1]
