"""A variable -> its memory, and what stands for it after writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from yota_ast.frontend.arrays.item_rows import ItemRows
from yota_ast.frontend.arrays.number_guesses import NumberGuesses
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.components import Component, Components, provides, uses
from yota_ast.frontend.heap.identity import Identity
from yota_ast.frontend.heap.lowered_values import (
    Ref,
    Value,
)
from yota_ast.frontend.heap.materialisation import (
    cell_of,
)
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import NO_MEMORY, Memory, Sliced, Spot
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ops import sharing


class CurrentArrays(Component):
    """What memory variables may share, and what they are now."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    states = uses(ArrayStates)
    operations = uses(Operations)
    view_writes = uses(ViewWrites)
    item_rows = uses(ItemRows)
    number_guesses = uses(NumberGuesses)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.splits: dict[Spot, frozenset[str]] = {}  # of what memory np.split cuts

    # ------------------------------------------------------------ what ops make

    def roots_of(self, atoms: Any) -> tuple[str, ...]:
        """The roots of some atoms, each once."""
        found: dict[str, None] = {}
        for atom in atoms:
            if isinstance(atom, Var):
                found.update(
                    dict.fromkeys(self.notes.memory.get(atom.name, NO_MEMORY).roots)
                )
            elif isinstance(atom, Const) and self.operations.fact(atom).kind in (
                "array",
                "list",
                "object",
            ):
                found["const:"] = None
        return tuple(found)

    # ------------------------------------------------------------ loops

    @provides(Language.memory_of)
    def memory_of(self, atom: object) -> Memory:
        """What an atom may share."""
        if isinstance(atom, Var):
            return self.notes.memory.get(atom.name, NO_MEMORY)
        if isinstance(atom, Const):
            return Memory(self.roots_of((atom,)))
        return NO_MEMORY

    @provides(Identity.may_be_one)
    def may_be_one(self, one: Value, other: Value) -> bool:
        """Whether two values may be one array or container, under two names."""
        if isinstance(one, Ref) and isinstance(other, Ref):
            numbers = one.cell, other.cell
            a, b = (self.cells.heap[n] for n in numbers)
            hidden = [
                self.cells.heap[n].fixed or n in self.cells.listed for n in numbers
            ]
            return a.kind == b.kind and all(hidden)
        first, second = self.language.memory_of(one), self.language.memory_of(other)
        return (
            first.whole and second.whole and not {*first.roots}.isdisjoint(second.roots)
        )

    # ------------------------------------------------------------ reading

    @provides(Language.fresh)
    def fresh(self, var: Var) -> Var:
        """The variable, or what stands for it now if its memory was written since."""
        while var.name in self.states.successors:
            var = self.states.successors[var.name]
        if var.name in self.notes.rows:
            var = self.item_rows.row_now(var)
        memory = self.notes.memory.get(var.name)
        if memory is None or self.item_rows.is_current(memory):
            return var
        renewed = self.view_again(var)
        if renewed is None:
            self.refuse_stale(var, memory)
        if (
            var.name in self.notes.views
            and sharing(self.notes.views[var.name]) != "same"
        ):
            self.notes.renewed[renewed.name] = self.notes.renewed.get(var.name, var)
        self.view_writes.exchange(var, renewed)
        return renewed

    @provides(Language.shaped)
    def shaped(self, var: Var) -> Var:
        """The variable, or what stands for it now: what was written since has not
        changed its shape."""
        if var.fact.kind != "array" or var.name in self.notes.rows:
            return self.language.fresh(var)
        while var.name in self.states.successors:
            var = self.states.successors[var.name]
        return var

    def refuse_stale(self, var: Var, memory: Memory) -> NoReturn:
        """Refuse to read what may have another value now."""
        self.check_split(memory.roots)
        name = self.notes.hints[var.name].name if var.name in self.notes.hints else None
        what = f"`{name}`" if name else "this value"
        arrays = [
            (root, seen)
            for root, seen in zip(memory.roots, memory.seen, strict=True)
            if cell_of(root) is None
        ]
        if not _may_hold_arrays(var.fact) or self.are_current(arrays):
            self.position.refuse(
                f"{what} may be, or hold, a list or dict that has changed since then",
                "Change it first, or use a copy from the beginning: list(x), dict(x).",
            )
        self.number_guesses.note_refusal(memory.roots)
        self.position.refuse(
            f"{what} may share memory with an array that has changed since then",
            "Take a copy with .copy() before the write.",
        )

    @provides(Loops.begin_sliced)
    def begin_sliced(self, iterable: Var) -> None:
        """Begin again where what is run over, and written, is made by np.split."""
        self.check_split(self.language.memory_of(iterable).roots)

    def check_split(self, roots: tuple[str, ...]) -> None:
        """Begin again where memory that is written was split by a call that stays
        one."""
        found = [
            spot
            for spot, owners in self.splits.items()
            if spot not in self.settings.sliced and not owners.isdisjoint(roots)
        ]
        if found:
            raise Sliced(*found)

    @provides(AugmentedAssignments.was_written)
    def was_written(self, var: Var) -> bool:
        """Whether the memory of a variable was written since it was made."""
        memory = self.notes.memory.get(var.name, NO_MEMORY)
        return var.name in self.states.successors or not self.item_rows.is_current(
            memory
        )

    @provides(ItemRows.is_current)
    def is_current(self, memory: Memory) -> bool:
        """Whether nothing that a variable may share was written since."""
        return self.are_current(zip(memory.roots, memory.seen, strict=True))

    def now(self, roots: Iterable[str]) -> list[tuple[str, str]]:
        """Return roots in their states."""
        state = self.cells.heap, self.states.current
        return [(root, self.states.lent.state(root, *state)) for root in roots]

    def are_current(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Whether roots are in the states in which they were seen."""
        state = self.cells.heap, self.states.current
        return all(
            self.states.lent.is_in_state(root, seen, *state) for root, seen in pairs
        )

    def view_again(self, var: Var) -> Var | None:
        """The same view of an array that was written since."""
        op = self.notes.views.get(var.name)
        if op is None or not isinstance(op.args[0], Var):
            return None
        base = self.language.fresh(op.args[0])
        if sharing(op) == "same":
            return base
        self.view_writes.check_again(var, base)
        rest = [
            self.language.fresh(a) if isinstance(a, Var) else a for a in op.args[1:]
        ]
        again = self.operations.apply(
            op.fn, (base, *rest), op.kwargs, form=op.form, spelling=op.spelling,
            fact=op.out.fact,
        )  # fmt: skip
        if var.name in self.notes.hints:
            self.notes.hints[again.name] = self.notes.hints[var.name]
        return again


def _may_hold_arrays(fact: Fact) -> bool:
    """Whether a value is an array, or holds such."""
    if fact.kind in ("list", "tuple"):
        return _may_hold_arrays(element_of(fact))
    return fact.may_be_array or fact.kind in ("dict", "object", "other", "model")
