"""Names that a loop reads before it assigns them -> what stands for them at first.

`if k > 0: x = x * y` reads what the iteration before has assigned to y. When the body
is lowered for the first time nothing is known of that: y is a variable of which the
fact says `nothing`, and so are all that are computed from it. At the end of the body y
is found to be carried, without a value on entry, and the body is lowered again. Python
itself raises where the first iteration reads y; so does the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.name_reads import name_read
from yota_ast.errors import UnsupportedSyntax, YotaError
from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Either,
    Frame,
    MaybeValue,
    Node,
    OneOf,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.name_flow import names_assigned
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    BOOL,
    NOTHING,
    Fact,
)
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.nodes import (
    Merge,
)

_TRUE: Final = Const(value=True)


@dataclass(slots=True)
class Expected:
    """What a loop assigns to the names of a function; refusals: of the first read of
    each that has no value yet."""

    cell: int
    names: frozenset[str]
    refusals: dict[str, UnsupportedSyntax] = field(default_factory=dict)

    @property
    def refusal(self) -> UnsupportedSyntax | None:
        """The refusal of the first read of all."""
        return next(iter(self.refusals.values()), None)


class UndefinedNames(Component):
    """Reads of what a loop assigns later, and of what one way leaves unassigned.

    unset: the variables of names that may have no value.
    """

    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.expected: tuple[Expected, ...] = ()

    @contextmanager
    def expecting(self, stmt: Node) -> Iterator[Expected]:
        """While the body of a loop is lowered once."""
        names = frozenset(names_assigned(stmt.body))
        mine = Expected(self.position.frame.cell, names)
        outer, self.expected = self.expected, (*self.expected, mine)
        try:
            yield mine
        except YotaError:
            if mine.refusal is not None:
                raise mine.refusal from None
            raise
        finally:
            self.expected = outer

    def unassigned(self, frame: Any, name: str, refusal: UnsupportedSyntax) -> Value:
        """A variable without a value: what a loop around will have assigned to it."""
        if (
            self.position.tries_of_names
        ):  # in the text the name has a value from the first
            raise refusal
        for loop in reversed(self.expected):
            if loop.cell == frame.cell and name in loop.names:
                loop.refusals.setdefault(name, refusal)
                return self.variables.var(NOTHING, name)
        raise refusal

    def read_unset(self, frame: Frame, name: str, value: Value) -> None:
        """An op that raises where the name of a value has none; what computes with the
        name makes it superfluous, see `analysis/name_reads.py`."""
        var = self.cells.heap[frame.cell].unset.get(name) or self.unset_part(value)
        if var is not None and not self.blocks.ended:
            self.blocks.emit(
                name_read(self.variables.var(Fact("tuple")), var, self.position.origin)
            )

    def unset_part(self, value: MaybeValue) -> Var | None:
        """The first variable within a value that may have none. The parts of a tuple, a
        list or a dict have been read when it was made: it has no value itself."""
        if isinstance(value, Var):
            return value if value.name in self.notes.unset else None
        return next(filter(None, map(self.unset_part, self.parts_within(value))), None)

    # ------------------------------------------------------------ after a branch

    def with_unset(
        self, merger: Any, number: int, arms: tuple[Cell, Cell], merged: Cell
    ) -> Cell:
        """The names of a function after a branch, of which one arm alone gives some a
        value; merger: the merges of the branch."""
        one, two = merger.then, merger.orelse
        left = one.returned != two.returned or one.state.ended or two.state.ended
        if merged.kind != "frame" or left:
            return merged
        unset = dict(merged.unset)
        for key in arms[0].items.keys() ^ arms[1].items.keys():
            value = merged.items.get(key)
            if value is None or key[0] == "%" or isinstance(value, (Either, OneOf)):
                continue
            if not self.note_unset(value):
                field = self.merged_field(merger.merges, value)
                out = field or self.witness(merger.merges, (key, number), arms)
                self.notes.unset.add(out.name)
                unset[key] = out
        return replace(merged, unset=unset)

    def merged_field(self, merges: list[Merge], value: Value) -> Var | None:
        """A field of an object that one arm has made: none has a value without it."""
        cell = self.cells.heap[value.cell] if isinstance(value, Ref) else None
        if cell is None or cell.kind != "object":
            return None
        outs = {m.out for m in merges if UNDEFINED in (m.then, m.orelse)}
        sure = (v for k, v in cell.items.items() if k not in cell.perhaps)
        return next((v for v in sure if isinstance(v, Var) and v in outs), None)

    def witness(
        self, merges: list[Merge], name: tuple[str, int], arms: tuple[Cell, Cell]
    ) -> Var:
        """A variable that has a value where a name has, to which one arm gives what is
        no variable of the text, such as a function."""
        out = self.variables.var(BOOL, *name)
        then, orelse = (
            cell.unset.get(name[0], _TRUE) if name[0] in cell.items else UNDEFINED
            for cell in arms
        )
        merges.append(Merge(out, then, orelse))
        return out

    def note_unset(self, value: Value) -> bool:
        """Note that a name has this value by one way and none by another; whether
        there is a variable by which to tell."""
        if isinstance(value, Var):
            self.notes.unset.add(value.name)
        parts = [self.note_unset(part) for part in self.parts_within(value)]
        return isinstance(value, Var) or any(parts)

    def parts_within(self, value: MaybeValue) -> Iterable[Value]:
        """What a tuple, a list or a dict is made of."""
        if isinstance(value, TupleValue):
            return value.items
        cell = self.cells.heap[value.cell] if isinstance(value, Ref) else None
        if cell is None or cell.kind not in ("list", "dict"):
            return ()
        return cell.items.values() if cell.var is None else (cell.var,)
