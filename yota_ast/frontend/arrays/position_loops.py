"""Loops over the items of arrays, where the body writes into them: by position.

`for row in m: row *= 2` becomes `for i in range(len(m)): m[i] *= 2`: an item is then a
view of which the place is known. That a loop must be put so is found when its body is
lowered; the loop is then lowered anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.components import Component, Components, extends, uses
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    Node,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    INT,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.syntax import nodes


@dataclass()
class ItemWritten(Exception):  # noqa: N818  no error: it turns the lowering
    """The body of a loop writes into the items that it runs over."""

    loop: int


class PositionLoops(Component):
    """`for` over arrays whose items are written."""

    language = uses(Language)
    notes = uses(Notes)
    variables = uses(Variables)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    loops = uses(Loops)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.loops_entered = 0  # over items of arrays
        self.over_items: tuple[int, ...] = ()  # those of them that are around

    @extends(Loops.over)
    def over(
        self, rest: Callable[..., None], stmt: Node, iterable: Value, source: Value
    ) -> None:
        """A loop over something that is no object of a user's class."""
        if not self.has_positions(iterable):
            rest(stmt, iterable, source)
            return
        number = self.loops_entered = self.loops_entered + 1
        mark, outer = self.snapshots.mark(), self.over_items
        self.over_items = (*outer, number)
        try:
            rest(stmt, iterable, source)
            return  # noqa: TRY300  what follows is for the other case
        except ItemWritten as found:
            if found.loop != number:
                raise
        finally:
            self.over_items = outer
        self.snapshots.back_to(mark, renumber=True)
        self.by_position(stmt, iterable)

    def by_position(self, stmt: Node, iterable: Value) -> None:
        """A loop over the positions of what it runs over."""
        atom = self.loops.iterable_atom(Lazy(range, (self.count_of(iterable),)))
        target = stmt.target
        numbered = isinstance(iterable, Lazy) and iterable.fn is enumerate
        if numbered and isinstance(target, nodes.Tuple):
            target = target.elts[0]
            numbered = isinstance(target, nodes.Name)
        hint = target.id if numbered and isinstance(target, nodes.Name) else "i"

        def enter() -> tuple[Var, ...]:
            position = self.variables.var(INT, hint)
            self.language.assign(stmt.target, self.item_by_position(iterable, position))
            return (position,)

        self.loops.run_over(stmt, atom, enter)

    def has_positions(self, iterable: Value) -> bool:
        """Whether the items can be had by position, and some may be views."""
        if isinstance(iterable, Lazy):
            if iterable.fn not in (enumerate, zip) or iterable.kwargs:
                return False
            if iterable.fn is enumerate and len(iterable.args) != 1:
                return False
            return any(map(self.has_positions, iterable.args)) and all(
                self.has_positions(a) or _is_range(a) for a in iterable.args
            )
        return (
            isinstance(iterable, Var) and self.operations.fact(iterable).kind == "array"
        )

    def count_of(self, iterable: Value) -> Value:
        """How many items there are."""
        if isinstance(iterable, Lazy) and iterable.fn is enumerate:
            return self.count_of(iterable.args[0])
        if isinstance(iterable, Lazy) and iterable.fn is zip:
            lengths = tuple(map(self.count_of, iterable.args))
            if len(lengths) == 1:
                return lengths[0]
            return self.language.call(Const(min, "min", "builtins"), lengths)
        if _is_range(iterable):
            assert isinstance(iterable, Lazy)
            return iterable.args[0]
        return self.language.call(Const(len, "len", "builtins"), (iterable,))

    def item_by_position(self, iterable: Value, position: Var) -> Value:
        """The item at a position."""
        if isinstance(iterable, Lazy) and iterable.fn is enumerate:
            return TupleValue(
                (position, self.item_by_position(iterable.args[0], position))
            )
        if isinstance(iterable, Lazy) and iterable.fn is zip:
            return TupleValue(
                tuple(self.item_by_position(a, position) for a in iterable.args)
            )
        if _is_range(iterable):
            return position
        return self.language.subscript(iterable, position)

    def item_written(self, item: Var) -> None:
        """A loop over items is lowered anew where its body writes into one."""
        loop = self.notes.elements.get(item.name)
        if loop in self.over_items:
            raise ItemWritten(loop)

    @extends(Loops.refuse_written)
    def refuse_written(self, rest: Callable[..., NoReturn]) -> NoReturn:
        """The loop that has just been lowered has written what it runs over."""
        if self.over_items:
            raise ItemWritten(self.over_items[-1])
        rest()


def _is_range(value: Value) -> bool:
    return isinstance(value, Lazy) and value.fn is range and len(value.args) == 1
