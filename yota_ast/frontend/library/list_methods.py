"""Methods of lists: of those that are known item by item, and of those that the text
holds as a whole, for their length depends on a loop.

Where a list of the second kind grows by `append`, so does that of the text. Any other
change of its length makes a new one there: `xs.pop()` is `xs[-1]` and `xs = xs[:-1]`.
"""

from __future__ import annotations

import operator
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Ref,
    SliceValue,
    Value,
)
from yota_ast.frontend.heap.materialisation import cell_of, is_writable
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import INT, anonymous
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.facts.dicts_of_objects import holds_objects
from yota_ast.ir.facts.joined_facts import (
    element_of,
    is_plain,
    join,
    least_of,
    list_of,
    with_item,
)
from yota_ast.ir.nodes import Store, path_length
from yota_ast.ir.store_changes import APPEND, AppendItem, Change, changes_length
from yota_ast.syntax import quote
from yota_ast.syntax.value_literals import shown_key

NO_NUMBERS: Final = "`index` and `count` need items that are numbers or strings"


class ListMethods(Component):
    """xs.append(e), xs.pop(), xs.sort()."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    atoms = uses(Atoms)
    builtins = uses(Builtins)
    comprehensions = uses(Comprehensions)

    def known_cell(self, owner: Value) -> Ref:
        """A list or dict that may be changed here."""
        if isinstance(owner, Argument) and owner.example is not None:
            self.cells.begin_again(owner)
        if not isinstance(owner, Ref):
            self.position.refuse_call(
                "the function changes a container that it did not make",
                "Make a copy first: list(x), dict(x).",
            )
        return owner

    def list_append(self, owner: Value, item: Value) -> Value:
        """xs.append(item)."""
        ref = self.known_cell(owner)
        cell = self.cells.heap[ref.cell]
        if cell.var is None:
            self.cells.put(ref.cell, len(cell.items), item)
        else:
            self.store_whole(ref, NULL, self.put_in(item), APPEND)
        return NULL

    def store_whole(self, ref: Ref, index: Atom, value: Atom, change: Change) -> None:
        """A store into a container that the text holds as a whole."""
        cell = self.cells.heap[ref.cell]
        self.cells.check_fixed(cell)
        assert cell.var is not None
        self.language.fresh(
            cell.var
        )  # of the arrays that it holds, none was written since
        known = cell.var.fact
        depth = path_length(cell.var, index)
        self.note_rows(ref.cell, within=depth > 0)
        if depth:
            inner = depth + changes_length(change)
            known = with_item(known, inner, self.operations.fact(value))
        elif known.kind == "list":
            each = join(element_of(known), fact_of_atom(value))
            grows = isinstance(change, AppendItem)
            least = least_of(known) + grows
            if not grows and self.operations.fact(index).kind != "int":
                least = 0  # a slice may go
            known = list_of(each, known.cls, least)
        elif known.kind == "dict":
            each = join(element_of(known), self.operations.fact(value))
            known = replace(known, element=anonymous(each))
        held = fact_of_atom(value)
        if held.stands_for is not None and not holds_objects(known):
            self.atoms.refuse_object(held.stands_for)
        out = self.variables.var(replace(known, items=None, keys=None))
        if cell.var.name in self.notes.hints:
            self.notes.hints[out.name] = self.notes.hints[cell.var.name]
        self.remember_item(out, cell.var, value)
        self.blocks.emit(
            Store(out, cell.var, index, value, change, self.position.origin)
        )
        self.cells.heap[ref.cell] = replace(cell, var=out)

    @extensible
    def append_to_row(self, owner: Var, item: Value) -> bool:
        """rows[i].append(item); see item_rows.py."""
        raise NotImplementedError

    @extensible
    def note_rows(self, cell: int, *, within: bool) -> None:
        """Note that a list is written, or one of its items; see item_rows.py."""
        raise NotImplementedError

    @extensible
    def remember_item(self, out: Var, container: Var, item: Atom) -> None:
        """Note that a container may hold an item's memory; see array_writes.py."""
        raise NotImplementedError

    def hold_as_variable(self, ref: Ref) -> None:
        """From here on the text holds a list as a whole."""
        cell = self.cells.heap[ref.cell]
        atom = self.atoms.atom_of_cell(ref, lends=False)
        assert isinstance(atom, Var)
        self.hold_lists(ref.cell, atom)
        self.notes.split.discard(atom.name)
        self.cells.heap[ref.cell] = replace(cell, items={}, var=atom)

    def put_in(self, item: Value) -> Atom:
        """An item of a list that the text holds: a list of numbers is held, too."""
        atom = self.atoms.item(item)
        if isinstance(item, Ref) and isinstance(atom, Var):
            self.hold_lists(item.cell, atom)
        return atom

    @extensible
    def hold_lists(self, number: int, built: Var) -> bool:
        """From here on what was built of a list stands for it; see item_rows.py."""
        raise NotImplementedError

    def list_extend(self, owner: Value, items: Value) -> Value:
        """xs.extend(items), xs += items."""
        ref, items = self.known_cell(owner), self.language.run_through(items)
        found = self.known_items.items_apart(items)
        if found is None:
            self.extend_by_whole(ref, items)
            return NULL
        for item in found:
            self.list_append(ref, item)
        return NULL

    def extend_by_whole(self, ref: Ref, items: Value) -> None:
        """xs += ys, a list of which the text alone knows how long it is."""
        listed = self.operations.fact(items).kind == "list"
        more = items if listed else self.builtins.builtin_list((items,), ())
        if more is None:
            self.position.refuse_call(
                "a list is extended by an unknown number of items",
                "Append them one by one, in a loop.",
            )
        if is_plain(element_of(self.operations.fact(more))):
            self.replace_list(ref, self.chained(ref, more))
        else:
            self.append_each(ref, more)

    def append_each(self, ref: Ref, items: Value) -> None:
        """for y in ys: xs.append(y), which tells that an array is in both."""
        end = items if items != ref else self.stretch(ref, None, None)
        given = {"%xs": ref, "%ys": end}
        names = frozenset(("%y", *given))
        frame = self.comprehensions.comprehension_frame(names)
        for name, value in given.items():
            self.cells.put(frame.cell, name, value)
        nodes = {name[1:]: name_node(name) for name in names}
        loop = quote("for y in ys:\n    xs.append(y)", **nodes)
        body = [placed(stmt, self.position.node) for stmt in loop]
        with self.position.in_frame(frame), self.position.lock(locked=True):
            self.language.execute(body, frozenset())

    def list_insert(self, owner: Value, index: Value, item: Value) -> Value:
        """xs.insert(i, item)."""
        ref, at = self.known_cell(owner), self.place_of_index(index)
        one: Value = self.cells.new_cell(Cell("list", {0: item}, list))
        if not isinstance(at, int):
            self.hold_numbers(ref)
        end = self.stretch(ref, at, None)
        self.replace_list(ref, self.chained(self.stretch(ref, None, at), one, end))
        return NULL

    def list_pop(self, owner: Value, index: Value = Const(-1)) -> Value:  # noqa: B008
        """xs.pop(i)."""
        ref, at = self.known_cell(owner), self.place_of_index(index)
        cell = self.cells.heap[ref.cell]
        if cell.var is None and not cell.items:
            self.position.refuse_call("pop from an empty list", "Append to it first.")
        if not isinstance(at, int):
            return self.pop_somewhere(ref, at)
        item = self.language.subscript(ref, Const(at))
        if isinstance(item, Var) and is_plain(item.fact):
            self.own(item)  # a tuple, which cannot change
        start = () if at == 0 else (self.stretch(ref, None, at),)
        end = () if at == -1 else (self.stretch(ref, at + 1, None),)
        self.replace_list(ref, self.chained(*start, *end))
        return item

    def pop_somewhere(self, ref: Ref, index: Value) -> Value:
        """xs.pop(i) of a list of numbers, where the text alone knows which it is."""
        self.hold_numbers(ref)
        count = self.operations.apply(len, (self.language.atom(ref),), fact=INT)
        places = self.operations.apply(range, (count,))
        args = (
            places,
            self.language.atom(index),
        )  # counted from the front, or it raises
        at = self.operations.apply(operator.getitem, args, form="subscript", fact=INT)
        item = self.language.subscript(ref, at)
        after = self.language.operate(operator.add, at, Const(1))
        rest = self.chained(self.stretch(ref, None, at), self.stretch(ref, after, None))
        self.replace_list(ref, rest)
        return item

    def list_remove(self, owner: Value, item: Value) -> Value:
        """xs.remove(item)."""
        self.list_pop(owner, self.sequence_index(self.known_cell(owner), item))
        return NULL

    def hold_numbers(self, ref: Ref) -> None:
        """From here on the text holds a list of numbers as a whole."""
        cell = self.cells.heap[ref.cell]
        self.cells.check_fixed(cell)
        if not all(self.operations.fact(v).is_scalar for v in cell.items.values()):
            self.position.refuse_call("the index is unknown", "Use a number.")
        if cell.var is None:
            self.hold_as_variable(ref)

    def place_of_index(self, index: Value) -> int | Value:
        """An index: the number, where it is known."""
        known = self.assumptions.known_value(self.assumptions.as_index(index))
        return index if known is None else self.known_int(index)

    def delete_stretch(self, ref: Ref, part: SliceValue | Const) -> bool:
        """del xs[a:b:c]; whether that can be said by what stays."""
        bounds = part
        if isinstance(part, Const):
            whole: Any = part.value
            ends = map(Const, (whole.start, whole.stop, whole.step))
            bounds = SliceValue(*ends)
        assert isinstance(bounds, SliceValue)
        cell = self.cells.heap[ref.cell]
        sides = (bounds.start, bounds.stop, bounds.step)
        known = [self.assumptions.known_value(side) for side in sides]
        if cell.var is None and None not in known:
            kept = list(cell.items.values())
            given: list[Any] = [k.value for k in known if k is not None]
            del kept[slice(given[0], given[1], given[2])]
            made: Value = self.cells.new_cell(Cell("list", dict(enumerate(kept)), list))
        elif sides == (NULL, NULL, Const(2)):
            made = self.stretch(ref, 1, None, 2)
        elif bounds.step not in (NULL, Const(1)) or NULL not in sides[:2]:
            return False
        else:
            if cell.var is None:
                self.hold_numbers(ref)
            # what is left begins where that ends
            made = self.stretch(ref, bounds.stop, bounds.start)
            if bounds.start == bounds.stop == NULL:
                made = self.cells.new_cell(Cell("list", {}, list))
        self.replace_list(ref, made)
        return True

    def list_reverse(self, owner: Value) -> Value:
        """xs.reverse()."""
        ref = self.known_cell(owner)
        self.replace_list(ref, self.stretch(ref, None, None, -1))
        return NULL

    def list_sort(self, owner: Value, **options: Value) -> Value:
        """xs.sort(key=f, reverse=b)."""
        ref = self.known_cell(owner)
        sort = Const(sorted, "sorted", "builtins")
        self.replace_list(ref, self.language.call(sort, (ref,), list(options.items())))
        return NULL

    def list_clear(self, owner: Value) -> Value:
        """xs.clear()."""
        self.replace_list(
            self.known_cell(owner), self.cells.new_cell(Cell("list", {}, list))
        )
        return NULL

    # ------------------------------------------------------------ lists as a whole

    def stretch(
        self,
        ref: Ref,
        start: int | Value | None,
        stop: int | Value | None,
        step: int | None = None,
    ) -> Value:
        """xs[start:stop:step]."""
        ends = [
            Const(e) if e is None or isinstance(e, int) else e for e in (start, stop)
        ]
        known = [self.assumptions.known_value(end) for end in ends]
        if None in known:
            one, two = (self.language.atom(end) for end in ends)
            return self.language.subscript(ref, SliceValue(one, two, Const(step)))
        first: Any
        last: Any
        first, last = (k.value for k in known if k is not None)
        return self.language.subscript(ref, Const(slice(first, last, step)))

    def chained(self, *parts: Value) -> Value:
        """Some lists, one after the other."""
        result = parts[0]
        for part in parts[1:]:
            result = self.language.operate(operator.add, result, part)
        return result

    def replace_list(self, ref: Ref, made: Value) -> None:
        """From here on a list holds what another does."""
        cell = self.cells.heap[ref.cell]
        self.cells.check_fixed(cell)
        if isinstance(made, Var):
            made = self.cells.new_cell(Cell("list", {}, list, made))
        assert isinstance(made, Ref)
        new = self.cells.heap[made.cell]
        if cell.var is not None:
            self.make_anew(cell.var, new)
        elif new.var is not None and is_plain(element_of(new.var.fact)):
            self.own(new.var)
        self.cells.heap[ref.cell] = replace(cell, items=new.items, var=new.var)

    def make_anew(self, whole: Var, new: Cell) -> None:
        """A list that the text holds is another one from here on: what else holds the
        old one would not see it. Refused of lists that may hold arrays or lists, which
        both would hold, and of those that the caller or another list may hold."""
        roots = self.language.memory_of(whole).roots
        mine = all(is_writable(root) and cell_of(root) is None for root in roots)
        if not mine or not all(
            is_plain(element_of(fact))
            for fact in (whole.fact, self.operations.cell_fact(new))
        ):
            self.position.refuse_call(
                "this change of a list of arrays or lists is not supported: "
                "its length depends on a loop",
                "Build the list with append alone.",
            )
        for root in roots:
            self.bump(root)
        if new.var is not None:
            self.own(new.var)
            if whole.name in self.notes.hints:
                self.notes.hints[new.var.name] = self.notes.hints[whole.name]

    @extensible
    def own(self, var: Var) -> None:
        """A variable has memory that no other value shares; see array_writes.py."""
        raise NotImplementedError

    @extensible
    def bump(self, root: str) -> str:
        """A root is in a new state; see array_stores.py."""
        raise NotImplementedError

    def list_copy(self, owner: Value) -> Value:
        """xs.copy()."""
        return self.language.call(Const(list, "list", "builtins"), (owner,))

    def known_int(self, value: Value) -> int:
        """A literal index."""
        known = self.assumptions.known_value(self.assumptions.as_index(value))
        if known is None or not isinstance(known.value, int):
            self.position.refuse_call("the index is unknown", "Use a number.")
        return known.value

    def sequence_index(self, owner: Value, item: Value) -> Value:
        """xs.index(item): of literals the number, of other numbers what the text says;
        the place has no derivative."""
        wanted = self.assumptions.known_value(item)
        items = None if wanted is None else self.language.items_of(owner)
        known = [self.assumptions.known_value(v) for v in items or ()]
        values = [k.value for k in known if k is not None]
        if wanted is None or not items or len(values) < len(known):
            return self.asked_of_numbers(list.index, owner, item)
        if wanted.value not in values:
            if self.position.tries or self.position.arms_open:
                return self.operations.failing(
                    ValueError, f"{shown_key(wanted.value)} is not in list"
                )
            self.position.refuse_call(NO_NUMBERS, "Use a loop.")
        return Const(values.index(wanted.value))

    def sequence_count(self, owner: Value, item: Value) -> Value:
        """xs.count(item), likewise."""
        return self.asked_of_numbers(list.count, owner, item)

    def asked_of_numbers(self, fn: Any, owner: Value, item: Value) -> Value:
        """What a list of numbers says of one: where it is, or how often."""
        listed = owner
        if self.operations.fact(owner).kind != "list":
            listed = self.language.call(Const(list, "list", "builtins"), (owner,))
        facts = [
            self.operations.fact(item),
            *(self.operations.fact(listed).items or ()),
        ]
        if self.operations.fact(listed).items is None:
            facts.append(element_of(self.operations.fact(listed)))
        if not all(f.is_scalar or f.kind == "str" for f in facts):
            self.position.refuse_call(NO_NUMBERS, "Use a loop.")
        atoms = (self.language.atom(listed), self.language.atom(item))
        name = fn.__name__
        return self.operations.apply(fn, atoms, form="method", spelling=name, fact=INT)
