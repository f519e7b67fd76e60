"""Items of items: `rows[i][j]`, read and written through the list of lists.

A list that the text holds as a whole has one variable, and its rows have none: a row
that is taken out of it is remembered as the list's cell and the keys that lead to it.
What is read or written in the row is then read or written in the list, at a tuple of
keys, as a part of an array is through all its axes. So every name of a row sees what
is written through another, as long as the list holds the same rows: where it may hold
others, and where it has been written, its cell has roots of memory.
"""

from __future__ import annotations

import operator
from typing import Final

from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.heap.lowered_values import Cell, Ref, Value
from yota_ast.frontend.heap.materialisation import cell_of, root_of
from yota_ast.frontend.interpret.loop_places import LoopPlaces
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Memory, Row
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.facts.joined_facts import element_of, is_plain
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import APPEND, PUT
from yota_ast.ops import is_basic

ROWS: Final = "rows:"
ITEMS: Final = "items:"


class ItemRows(Component):
    """Lists within lists."""

    language = uses(Language)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    states = uses(ArrayStates)
    operations = uses(Operations)
    atoms = uses(Atoms)
    lists = uses(ListMethods)
    loop_places = uses(LoopPlaces)
    loops = uses(Loops)
    view_writes = uses(ViewWrites)

    def remember_row(self, op: Apply) -> None:
        """Note where a list was taken out of."""
        owner, key = op.args
        if op.out.fact.kind != "list" or not isinstance(owner, Var):
            return
        if not self.is_key(key):
            return
        for number, cell in self.cells.heap.items():
            if cell.kind == "list" and cell.var == owner:
                self.notes.rows[op.out.name] = self.row(number, (key,))
                return
        built, keys = self.notes.lent_rows.get(owner.name, (owner, ()))
        if built.name in self.states.lent.by_name:
            self.notes.lent_rows[op.out.name] = built, (*keys, key)

    def row(self, cell: int, keys: tuple[Atom, ...]) -> Row:
        """A row as it is now."""
        roots = f"{ROWS}{cell}", f"{ITEMS}{cell}"
        states = [self.states.current.setdefault(root, root) for root in roots]
        return Row(cell, keys, *states)

    def is_key(self, atom: Atom) -> bool:
        """Whether an atom is the place of one item of a list."""
        fact = self.operations.fact(atom)
        return fact.kind != "none" and fact.cls is None and is_basic(fact)

    def is_standing(self, row: Row) -> bool:
        """Whether the keys lead to the same list still."""
        return (
            row.cell in self.cells.heap
            and self.cells.heap[row.cell].var is not None
            and self.states.current.get(f"{ROWS}{row.cell}") == row.rows
        )

    def is_as_taken(self, row: Row) -> bool:
        """Whether nothing was written in the lists since."""
        return self.states.current.get(f"{ITEMS}{row.cell}") == row.items

    def row_now(self, var: Var) -> Var:
        """A row as it is now, taken anew where an item of it was written."""
        row = self.notes.rows.get(var.name)
        if row is None or not self.is_standing(row) or self.is_as_taken(row):
            return var
        return self.at_keys(row, row.keys)

    def at_keys(self, row: Row, keys: tuple[Atom, ...]) -> Var:
        """What stands at some keys of the list that holds a row."""
        held = self.cells.heap[row.cell].var
        assert held is not None
        index = keys[0] if len(keys) == 1 else self.index_of(keys)
        args = (self.language.fresh(held), index)
        out = self.operations.apply(operator.getitem, args, form="subscript")
        if out.fact.kind == "list":
            self.notes.rows[out.name] = self.row(row.cell, keys)
        return out

    def index_of(self, keys: tuple[Atom, ...]) -> Atom:
        """Several keys as one index."""
        if all(isinstance(k, Const) for k in keys):
            return Const(tuple(k.value for k in keys if isinstance(k, Const)))
        items = tuple(map(self.operations.fact, keys))
        return self.atoms.build(build_tuple, keys, Fact("tuple", items=items))

    @provides(Subscripts.item_of_row)
    def item_of_row(self, owner: Var, key: Atom) -> Var | None:
        """row[key], read in the list that holds the row; None where there is none."""
        row = self.notes.rows.get(owner.name)
        if row is None or not self.is_standing(row) or not self.is_key(key):
            return None
        held = self.cells.heap[row.cell].var
        if owner.fact.items is not None or held is None or held.fact.items is not None:
            return None  # what is known of each item may say more
        self.notes.seen_through.add(owner.name)
        return self.at_keys(row, (*row.keys, key))

    def store_in_row(self, owner: Var, index: Value, value: Value) -> bool:
        """row[index] = value, written in the list that holds the row; whether it is
        known which that is."""
        key, new, each = (
            self.language.atom(index),
            self.language.atom(value),
            element_of(owner.fact),
        )
        number = self.operations.fact(new).is_number and (
            each.is_number or each.kind == "nothing"
        )
        if not number or not self.is_key(key):
            return False
        row = self.row_to_write(owner)
        if row is None:
            return False
        self.lists.store_whole(Ref(row.cell), self.index_of((*row.keys, key)), new, PUT)
        return True

    @provides(ListMethods.append_to_row)
    def append_to_row(self, owner: Var, item: Value) -> bool:
        """row.append(item) of a number or a tuple of such, written in the list that
        holds the row; whether it is known which that is."""
        new = self.language.atom(item)
        if not is_plain(self.operations.fact(new)):
            return False
        row = self.row_to_write(owner)
        if row is None:
            return False
        keys = self.index_of(row.keys)
        self.lists.store_whole(Ref(row.cell), keys, new, APPEND)
        return True

    def row_to_write(self, owner: Var) -> Row | None:
        """Where a row stands that is written in the list that holds it; None where it
        is not known."""
        if owner.name in self.notes.lent_rows and self.loops.holding:
            self.hold_rows(self.notes.lent_rows[owner.name][0])
        row = self.notes.rows.get(owner.name)
        if row is None or not self.is_standing(row):
            return None
        self.notes.seen_through.add(owner.name)
        return row

    def hold_rows(self, built: Var) -> bool:
        """From here on the text holds a list that was known item by item, as it has
        been built; whether it can."""
        number = cell_of(self.states.lent.by_name.get(built.name, ""))
        if number is None or not self.is_current(self.language.memory_of(built)):
            return False
        if not self.lists.hold_lists(number, built):
            return False
        hint = self.loop_places.name_of_cell(number)
        if hint is not None:
            self.variables.hint(built.name, hint)
        for name, (whole, keys) in self.notes.lent_rows.items():
            if whole == built:
                self.notes.rows[name] = self.row(number, keys)
        return True

    @provides(ListMethods.hold_lists)
    def hold_lists(self, number: int, built: Var) -> bool:
        """From here on what was built of a list of numbers, or of lists of them, stands
        for it and for all lists in it; whether it can: not where one list stands in two
        places, for it was built twice, or where something else is in it."""
        found = self.lists_in(number, built)
        if found is None or len({cell for cell, _ in found}) < len(found):
            return False
        for cell, var in found:
            if self.cells.heap[cell].var is None:
                self.cells.heap[cell] = Cell("list", {}, self.cells.heap[cell].cls, var)
                self.states.lent.by_name.pop(var.name, None)
                self.lists.own(var)
            self.notes.split.discard(var.name)
        inner = dict.fromkeys(
            r for _, v in found for r in self.language.memory_of(v).roots
        )
        self.view_writes.note(built, tuple(inner), whole=False)
        return True

    @provides(LoopPlaces.built_of)
    def built_of(self, cell: int) -> Var | None:
        """What was built of a list that is known item by item, in this block, where
        rows have been taken out of it: from here on the text holds it."""
        made = {op.out.name for op in self.blocks.ops if isinstance(op, Apply)}
        for built in dict.fromkeys(whole for whole, _ in self.notes.lent_rows.values()):
            if self.states.lent.by_name.get(built.name) == root_of(cell):
                if built.name in made and self.hold_rows(built):
                    return built
        return None

    def lists_in(self, number: int, var: Var) -> list[tuple[int, Var]] | None:
        """The cells of a list and of the lists in it, with the variables that were
        built of them; None where it holds anything but lists and numbers."""
        cell, op = self.cells.heap.get(number), self.notes.built.get(var.name)
        if cell is None or cell.kind != "list" or cell.cls is not list or cell.fixed:
            return None
        if cell.var is not None:
            return [(number, var)] if cell.var == var else None
        if op is None or op.fn is not build_list or len(op.args) != len(cell.items):
            return None
        found = [(number, var)]
        for item, made in zip(cell.items.values(), op.args, strict=True):
            if isinstance(item, Ref) and isinstance(made, Var):
                inner = self.lists_in(item.cell, made)
                if inner is None:
                    return None
                found += inner
            elif (
                not isinstance(item, (Var, Const))
                or not self.operations.fact(item).is_number
            ):
                return None
        return found

    @provides(ListMethods.note_rows)
    def note_rows(self, cell: int, *, within: bool) -> None:
        """A list of lists is written: an item within its items, or an item itself."""
        if not within:
            self.lists.bump(f"{ROWS}{cell}")
        self.lists.bump(f"{ITEMS}{cell}")

    @extensible
    def is_current(self, memory: Memory) -> bool:
        """Whether nothing that a variable may share was written since."""
        raise NotImplementedError
