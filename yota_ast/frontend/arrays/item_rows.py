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

from yota_ast.frontend.arrays.view_writes import Viewing
from yota_ast.frontend.heap.lowered_values import Cell, Ref, Value
from yota_ast.frontend.heap.materialisation import cell_of, root_of
from yota_ast.frontend.state.lowering_records import Memory, Row
from yota_ast.ir.abstract_values import Fact, element_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import PUT
from yota_ast.ops import is_basic

ROWS: Final = "rows:"
ITEMS: Final = "items:"


class Rows(Viewing):
    """Lists within lists."""

    def remember_row(self, op: Apply) -> None:
        """Note where a list was taken out of."""
        owner, key = op.args
        if op.out.fact.kind != "list" or not isinstance(owner, Var):
            return
        if not self.is_key(key):
            return
        for number, cell in self.heap.items():
            if cell.kind == "list" and cell.var == owner:
                self.rows[op.out.name] = self.row(number, (key,))
                return
        built, keys = self.lent_rows.get(owner.name, (owner, ()))
        if built.name in self.lent.by_name:
            self.lent_rows[op.out.name] = built, (*keys, key)

    def row(self, cell: int, keys: tuple[Atom, ...]) -> Row:
        """A row as it is now."""
        roots = f"{ROWS}{cell}", f"{ITEMS}{cell}"
        states = [self.current.setdefault(root, root) for root in roots]
        return Row(cell, keys, *states)

    def is_key(self, atom: Atom) -> bool:
        """Whether an atom is the place of one item of a list."""
        fact = self.fact(atom)
        return fact.kind != "none" and fact.cls is None and is_basic(fact)

    def is_standing(self, row: Row) -> bool:
        """Whether the keys lead to the same list still."""
        return (
            row.cell in self.heap
            and self.heap[row.cell].var is not None
            and self.current.get(f"{ROWS}{row.cell}") == row.rows
        )

    def is_as_taken(self, row: Row) -> bool:
        """Whether nothing was written in the lists since."""
        return self.current.get(f"{ITEMS}{row.cell}") == row.items

    def row_now(self, var: Var) -> Var:
        """A row as it is now, taken anew where an item of it was written."""
        row = self.rows.get(var.name)
        if row is None or not self.is_standing(row) or self.is_as_taken(row):
            return var
        return self.at_keys(row, row.keys)

    def at_keys(self, row: Row, keys: tuple[Atom, ...]) -> Var:
        """What stands at some keys of the list that holds a row."""
        held = self.heap[row.cell].var
        assert held is not None
        index = keys[0] if len(keys) == 1 else self.index_of(keys)
        args = (self.fresh(held), index)
        out = self.apply(operator.getitem, args, form="subscript")
        if out.fact.kind == "list":
            self.rows[out.name] = self.row(row.cell, keys)
        return out

    def index_of(self, keys: tuple[Atom, ...]) -> Atom:
        """Several keys as one index."""
        if all(isinstance(k, Const) for k in keys):
            return Const(tuple(k.value for k in keys if isinstance(k, Const)))
        items = tuple(map(self.fact, keys))
        return self.build(build_tuple, keys, Fact("tuple", items=items))

    def item_of_row(self, owner: Var, key: Atom) -> Var | None:
        """row[key], read in the list that holds the row; None where there is none."""
        row = self.rows.get(owner.name)
        if row is None or not self.is_standing(row) or not self.is_key(key):
            return None
        held = self.heap[row.cell].var
        if owner.fact.items is not None or held is None or held.fact.items is not None:
            return None  # what is known of each item may say more
        self.seen_through.add(owner.name)
        return self.at_keys(row, (*row.keys, key))

    def store_in_row(self, owner: Var, index: Value, value: Value) -> bool:
        """row[index] = value, written in the list that holds the row; whether it is
        known which that is."""
        key, new, each = self.atom(index), self.atom(value), element_of(owner.fact)
        number = self.fact(new).is_number and (each.is_number or each.kind == "nothing")
        if not number or not self.is_key(key):
            return False
        if owner.name in self.lent_rows and self.holding:
            self.hold_rows(self.lent_rows[owner.name][0])
        row = self.rows.get(owner.name)
        if row is None or not self.is_standing(row):
            return False
        self.seen_through.add(owner.name)
        self.store_whole(Ref(row.cell), self.index_of((*row.keys, key)), new, PUT)
        return True

    def hold_rows(self, built: Var) -> bool:
        """From here on the text holds a list that was known item by item, as it has
        been built; whether it can."""
        number = cell_of(self.lent.by_name.get(built.name, ""))
        if number is None or not self.is_current(self.memory_of(built)):
            return False
        if not self.hold_lists(number, built):
            return False
        hint = self.name_of_cell(number)
        if hint is not None:
            self.hint(built.name, hint)
        for name, (whole, keys) in self.lent_rows.items():
            if whole == built:
                self.rows[name] = self.row(number, keys)
        return True

    def hold_lists(self, number: int, built: Var) -> bool:
        """From here on what was built of a list of numbers, or of lists of them, stands
        for it and for all lists in it; whether it can: not where one list stands in two
        places, for it was built twice, or where something else is in it."""
        found = self.lists_in(number, built)
        if found is None or len({cell for cell, _ in found}) < len(found):
            return False
        for cell, var in found:
            if self.heap[cell].var is None:
                self.heap[cell] = Cell("list", {}, self.heap[cell].cls, var)
                self.lent.by_name.pop(var.name, None)
                self.own(var)
            self.split.discard(var.name)
        inner = dict.fromkeys(r for _, v in found for r in self.memory_of(v).roots)
        self.note(built, tuple(inner), whole=False)
        return True

    def built_of(self, cell: int) -> Var | None:
        """What was built of a list that is known item by item, in this block, where
        rows have been taken out of it: from here on the text holds it."""
        made = {op.out.name for op in self.ops if isinstance(op, Apply)}
        for built in dict.fromkeys(whole for whole, _ in self.lent_rows.values()):
            if self.lent.by_name.get(built.name) == root_of(cell):
                if built.name in made and self.hold_rows(built):
                    return built
        return None

    def lists_in(self, number: int, var: Var) -> list[tuple[int, Var]] | None:
        """The cells of a list and of the lists in it, with the variables that were
        built of them; None where it holds anything but lists and numbers."""
        cell, op = self.heap.get(number), self.built.get(var.name)
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
            elif not isinstance(item, (Var, Const)) or not self.fact(item).is_number:
                return None
        return found

    def note_rows(self, cell: int, *, within: bool) -> None:
        """A list of lists is written: an item within its items, or an item itself."""
        if not within:
            self.bump(f"{ROWS}{cell}")
        self.bump(f"{ITEMS}{cell}")

    def is_current(self, memory: Memory) -> bool:
        """Whether nothing that a variable may share was written since."""
        raise NotImplementedError

    def own(self, var: Var) -> None:
        """A variable has memory that no other value shares; see memory.py."""
        raise NotImplementedError

    def bump(self, root: str) -> str:
        """A root is in a new state; see arrays.py."""
        raise NotImplementedError
