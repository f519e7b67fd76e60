"""Stores: into arrays that are the function's own, and into its lists and dicts."""

from __future__ import annotations

import array
from collections.abc import (
    Callable,
    MutableMapping,
    MutableSequence,
)
from dataclasses import fields, is_dataclass
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.arrays.item_rows import ItemRows
from yota_ast.frontend.arrays.list_slices import assign_slice, may_be_slice
from yota_ast.frontend.arrays.number_guesses import NumberGuesses
from yota_ast.frontend.arrays.position_loops import PositionLoops
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import (
    Component,
    Components,
    extends,
    provides,
    uses,
)
from yota_ast.frontend.desugar.crossed_stores import check_crossing
from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.has_attribute import modelled
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Frame,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.library.sparse_matrices import SparseMatrices, is_built
from yota_ast.frontend.library.value_methods import ValueMethods
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import NO_MEMORY
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    Store,
)
from yota_ast.ir.store_changes import PUT, Change, Put, Update
from yota_ast.ops.algebra import SCALED, TERMS, operated
from yota_ast.ops.record import Arithmetic
from yota_ast.support.value_classes import has_labels, is_sparse

NUMBERS: Final = ("float", "int", "bool", "complex", "scalar")

CHANGEABLE: Final = (MutableSequence, MutableMapping)
OBJECTS: Final = ("other", "object", "model")
BUFFERS: Final = (array.array, bytearray, memoryview)
"""What arrays may share the memory of."""
REVERSED: Final[tuple[Arithmetic, ...]] = (*TERMS, *SCALED)
"""The operators whose augmented assignment to a part of an array has an adjoint."""


class ArrayStores(Component):
    """owner[index] = value, array += value."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    states = uses(ArrayStates)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    keyed_items = uses(KeyedItems)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    kinds = uses(ValueKinds)
    subscripts = uses(Subscripts)
    lists = uses(ListMethods)
    value_methods = uses(ValueMethods)
    sparse_matrices = uses(SparseMatrices)
    augmented_assignments = uses(AugmentedAssignments)
    position_loops = uses(PositionLoops)
    view_writes = uses(ViewWrites)
    item_rows = uses(ItemRows)
    number_guesses = uses(NumberGuesses)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.holders: set[str] = set()  # the roots that are containers of known items

    @provides(AugmentedAssignments.augmented_array)
    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; number += value: a new number."""
        old = self.language.fresh(old)
        if old.fact.kind == "array" and operated(fn) not in REVERSED:
            computed = self.computed_in_place(fn, old, value)
            if computed is not None:
                return self.view_writes.write(old, Const(...), computed, PUT)
        if old.fact.kind == "array":
            return self.view_writes.write(
                old, Const(...), self.language.atom(value), Update(fn)
            )
        memory = self.notes.memory.get(old.name, NO_MEMORY)
        if self.number_guesses.is_number(old, memory.roots):
            return self.language.operate(fn, old, value)
        self.check_target(old)
        out = self.language.operate(fn, old, value, form="augmented")
        if not isinstance(out, Var):
            return out
        # An array was written in place, a number was not: of other names for it
        # nothing is known from here on.
        for root in memory.roots:
            self.lists.bump(root)
            self.note_written(root)
        return out

    def fail_to_write(self, number: Var) -> None:
        """What Python raises where an item of a number is assigned."""
        cls = type_of(number.fact) or float
        text = f"'{cls.__name__}' object does not support item assignment"
        self.operations.failing(TypeError, text)

    def computed_in_place(self, fn: Any, old: Var, value: Value) -> Var | None:
        """What `array op= value` leaves, where it has the type of the array."""
        mark = self.snapshots.mark()
        made = self.language.operate(fn, old, value)
        if isinstance(made, Var) and same_dtype(made.fact.dtype, old.fact.dtype):
            return made
        self.snapshots.back_to(mark)
        return None

    @provides(Language.store)
    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """owner[index] = value."""
        method = self.kinds.special_method(owner, "__setitem__")
        if method is not None:
            self.language.call(method, (owner, index, value))
        elif isinstance(owner, Ref):
            self.store_item(owner, index, value, change)
        elif isinstance(owner, Var) and owner.fact.kind == "nothing":
            pass  # the body will be lowered again; see undefined_at_entry.py
        elif isinstance(owner, Var):
            if owner.fact.kind == "list" and self.item_rows.store_in_row(
                owner, index, value
            ):
                return
            if owner.fact.kind in ("list", "tuple", "dict"):
                self.position.refuse(
                    "the function writes into an item of an item, at an unknown key",
                    "Use one array of two dimensions.",
                )
            if self.position.tries and owner.fact.kind in NUMBERS:
                self.fail_to_write(owner)
                return
            self.check_object(owner, value)
            owner = self.language.fresh(owner)
            self.view_writes.write(
                owner, self.language.atom(index), self.language.atom(value), change
            )
        elif isinstance(owner, Argument):
            if owner.example is not None:
                self.cells.begin_again(owner)
            self.position.refuse(
                f"the function writes into the argument `{owner.root.name}`",
                f"Work on a copy: {owner.root.name} = "
                f"copy.deepcopy({owner.root.name}).",
            )
        else:
            if isinstance(owner, TupleValue):
                self.position.refuse(
                    "the function writes into a tuple",
                    "Use a list, or make a new tuple.",
                )
            self.position.refuse(
                "the function writes into something that it did not make",
                "Work on a copy.",
            )

    def check_object(self, owner: Var, value: Value) -> None:
        """Refuse to put into an object that is not followed what may have a derivative,
        or what others see: arrays that share its memory, the lists that it holds."""
        fact, cls = owner.fact, self.class_called(owner)
        if fact.kind in OBJECTS or cls is not None:
            if is_built(cls):
                self.sparse_matrices.note_written()
                return
            shared = cls is not None and (is_sparse(cls) or issubclass(cls, BUFFERS))
            if shared or (
                self.operations.fact(value).holds_floats
                and not isinstance(value, Const)
            ):
                self.value_methods.refuse_change("__setitem__", cls or object)
        elif fact.kind == "unknown" and fact.cls is None:
            roots = self.notes.memory.get(owner.name, NO_MEMORY).roots
            if any(cell_of(root) is not None for root in roots):
                self.position.refuse(
                    "the function writes into an item of an item, at an unknown key",
                    "Use one array of two dimensions.",
                )

    @provides(AugmentedAssignments.check_object_in_place)
    def check_object_in_place(self, fn: Any, owner: Var) -> None:
        """Refuse `owner op= value` of such an object, where it changes the object."""
        cls = self.class_called(owner)
        name = f"__i{fn.__name__.strip('_')}__"
        if cls is not None and issubclass(cls, CHANGEABLE) and hasattr(cls, name):
            self.value_methods.refuse_change(name, cls)

    @extends(AugmentedAssignments.augmented)
    def augmented(
        self, rest: Callable[..., Value], fn: Any, old: Value, value: Value
    ) -> Value:
        """A /= c of a sparse matrix."""
        if isinstance(old, Var) and is_sparse(old.fact.cls):
            changed = self.sparse_matrices.changed_in_place(fn, old, value)
            if changed is not None:
                return changed
        return rest(fn, old, value)

    def class_called(self, owner: Var) -> type | None:
        """The class of an object that is not followed, where it is known."""
        if owner.fact.kind in OBJECTS:
            return owner.fact.cls
        if owner.fact.kind != "unknown":
            return None
        roots = self.notes.memory.get(owner.name, NO_MEMORY).roots
        return next(filter(None, map(self.notes.classes_called.get, roots)), None)

    @provides(ViewWrites.write)
    def write(self, target: Var, index: Atom, value: Atom, change: Change) -> Var:
        """target[index] = value: every name of the array stands for the new state.

        A view of an array that has a name is written through that array, so that both
        can be read afterwards. What may be a view, or a view of what has no name, is
        written itself: of the other names for its memory nothing is known from then on.
        """
        target = self.language.fresh(target)
        self.check_target(target)
        if isinstance(change, Put):
            check_crossing(self, target, index, value)
        view = self.notes.views.get(target.name)
        if view is not None and isinstance(view.args[0], Var):
            base = self.language.fresh(view.args[0])
            held = self.is_held(base) or base.name in self.notes.views
            if held and self.view_writes.write_view(
                view, base, Store(target, target, index, value, change)
            ):
                return self.language.fresh(target)
        return self.write_itself(target, index, value, change)

    def write_itself(
        self, target: Var, index: Atom, value: Atom, change: Change
    ) -> Var:
        """A store into the memory of a variable."""
        self.position_loops.item_written(target)
        if self.notes.born.get(
            target.name, 0
        ) < self.position.turns and not self.is_held(target):
            self.position.refuse(
                "a loop writes into an array that has no name of its own",
                "Give it a name before the loop.",
            )
        out = self.variables.var(target.fact)
        if target.name in self.notes.hints:
            self.notes.hints[out.name] = self.notes.hints[target.name]
        self.blocks.emit(Store(out, target, index, value, change, self.position.origin))
        memory = self.notes.memory[target.name]
        for who in (
            self.states.sealed[root]
            for root in memory.roots
            if root in self.states.sealed
        ):
            self.position.refuse(
                f"{who} writes into an array from outside",
                "Return a new array instead.",
            )
        for root in memory.roots:
            self.states.current[root] = out.name
            self.states.lent.arrivals.pop((root, out.name), None)
            self.note_written(root)
        self.view_writes.note(out, memory.roots, whole=memory.whole)
        self.view_writes.exchange(target, out)
        return out

    def note_written(self, root: str) -> None:
        """A root is written: an argument must share no memory with others. Of an array
        in a container of the caller's it must be known which it is: those read of it by
        literal keys have roots of their own."""
        if root in self.holders:
            self.position.refuse(
                f"the function writes into an array in `{root[4:]}`, at an unknown key",
                "Use one array of two dimensions, or a key that is a literal.",
            )
        if ".__dict__" in root:
            self.cells.refuse_dict()
        if root.startswith("arg:"):
            self.states.written[root[4:].partition("|")[0]] = None

    @provides(ListMethods.bump)
    def bump(self, root: str) -> str:
        """A root is in a new state, which is returned."""
        self.states.current[root] = f"{root}@{self.variables.next_number()}"
        return self.states.current[root]

    def check_target(self, target: Var) -> None:
        """Refuse to write into what cannot be followed."""
        memory = self.notes.memory.get(target.name, NO_MEMORY)
        hint = self.notes.hints.get(target.name)
        name = target.hint or (hint.name if hint else None)
        what = f"`{name}`" if name else "this array"
        if any(r.startswith("const:") for r in memory.roots):
            self.position.refuse(
                f"the function writes into {what}, which may be an array from outside",
                "Write into a copy: np.array(...).",
            )
        if not memory.roots:
            self.position.refuse(
                f"{what} is not an array, so it cannot be written into",
                "Make an array first, np.zeros(n) for example.",
            )

    def store_item(
        self, owner: Ref, index: Value, value: Value, change: Change
    ) -> None:
        """Set an item of a list or dict."""
        cell = self.cells.heap[owner.cell]
        if cell.var is not None:
            self.store_into_whole(owner, index, value, change)
            return
        known = self.assumptions.known_value(self.assumptions.as_index(index))
        if cell.kind == "dict":
            self.store_by_key(owner, index, value, known=known is not None)
            return
        if cell.kind == "list" and known is not None and type(known.value) is slice:
            value = self.language.run_through(value)
            if not self.store_part(owner, known.value, value):
                assign_slice(self, owner, known, value)
            return
        if cell.kind == "list" and may_be_slice(self, index):
            assign_slice(self, owner, index, value)
            return
        if cell.kind == "list" and known is None and isinstance(index, Var):
            self.store_as_variable(owner, index, value, change)
            return
        if cell.kind != "list" or known is None or not isinstance(known.value, int):
            what = cell.kind if cell.cls is None else modelled(cell.cls).__name__
            self.position.refuse(
                f"this item of a {what} cannot be assigned",
                "Assign to an integer index of a list, or to a literal key of a dict.",
            )
        count, at = len(cell.items), known.value
        place = at + (count if at < 0 else 0)
        if not 0 <= place < count:
            self.subscripts.without_index(at, count, "list assignment")
            return
        self.cells.put(owner.cell, place, value)

    def store_into_whole(
        self, owner: Ref, index: Value, value: Value, change: Change
    ) -> None:
        """Set an item of a list or dict that is one variable."""
        listed = self.cells.heap[owner.cell].kind == "list"
        if listed and may_be_slice(self, index):
            assign_slice(self, owner, index, value)
            return
        if isinstance(change, Update):
            self.augment_item(owner, index, value, change.fn)
            return
        atom = self.language.atom(index)
        self.lists.store_whole(owner, atom, self.lists.put_in(value), PUT)

    def store_as_variable(
        self, owner: Ref, index: Value, value: Value, change: Change
    ) -> None:
        """Make a list or a dict one variable, and set an item of it."""
        self.lists.hold_as_variable(owner)
        atom = self.language.atom(index)
        self.lists.store_whole(owner, atom, self.lists.put_in(value), change)

    def store_by_key(
        self, owner: Ref, index: Value, value: Value, *, known: bool
    ) -> None:
        """Set an item of a dict; known: whether the key is."""
        if not known and self.keyed_items.store_by_key(owner, index, value):
            return
        if not known and self.may_be_held(owner, index):
            self.store_as_variable(owner, index, value, PUT)
            return
        if not known:
            self.keyed_items.begin_keyed(owner, index)
        self.cells.put(owner.cell, self.known_items.key_of(index), value)

    def may_be_held(self, owner: Ref, key: Value) -> bool:
        """Whether a dict can become one whose keys are unknown, for a table gives this
        key. Other keys may be those of the example, which are tried then."""
        cell = self.cells.heap[owner.cell]
        if owner.cell in self.keyed_items.places:
            return True
        given = isinstance(key, Var) and has_labels(key.fact.cls)
        return given and cell.cls is dict and not cell.unordered

    def store_part(self, owner: Ref, part: slice, value: Value) -> bool:
        """xs[a:b] = ys; whether it is known how many there are."""
        items = self.language.items_of(value)
        if items is None:
            return False
        self.cells.check_fixed(self.cells.heap[owner.cell])
        listed = list(self.cells.heap[owner.cell].items.values())
        if part.step not in (None, 1) and len(listed[part]) != len(items):
            self.position.refuse_call(
                f"the slice has {len(listed[part])} items, but the right side has "
                f"{len(items)}",
                "Assign as many items as the slice has.",
            )
        listed[part] = items
        cell = self.cells.heap[owner.cell]
        self.cells.heap[owner.cell] = cell.with_items(dict(enumerate(listed)))
        return True

    def augment_item(
        self, owner: Ref, index: Value, value: Value, fn: Callable[..., Any]
    ) -> None:
        """xs[i] += value, of a list that the text holds as a whole."""
        old = self.language.subscript(owner, index)
        self.augmented_assignments.check_number(old)
        new = self.language.operate(fn, old, value)
        self.lists.store_whole(
            owner, self.language.atom(index), self.language.atom(new), PUT
        )

    @provides(AugmentedAssignments.check_number)
    def check_number(self, old: Value) -> None:
        """Refuse to augment an item of a list that may be an array."""
        known = self.operations.fact(old)
        if not known.is_number and known.kind != "nothing":
            self.position.refuse(
                "an item of a list is changed in place, and may be an array",
                "Write xs[i] = xs[i] + ... if the old array is not used elsewhere.",
            )
        if isinstance(old, Var):
            self.assumptions.changed_items.append(old.name)

    # ------------------------------------------------------------ who holds what

    @provides(ViewWrites.exchange)
    def exchange(self, old: Var, new: Var) -> None:
        """Put a variable in another's place, wherever it is held."""
        self.states.successors[old.name] = new
        if old.name in self.notes.dense:
            self.notes.dense.add(new.name)
        for number, cell in self.cells.heap.items():
            if cell.var == old:
                self.cells.heap[number] = replace(cell, var=new)
            if any(_holds(v, old) for v in cell.items.values()):
                items = {k: _exchanged(v, old, new) for k, v in cell.items.items()}
                self.cells.heap[number] = cell.with_items(items)

    def is_held(self, var: Var) -> bool:
        """Whether any name, field or container refers to a variable."""
        return any(
            cell.var == var or any(_holds(v, var) for v in cell.items.values())
            for cell in self.cells.heap.values()
        )


def _holds(value: Any, var: Var) -> bool:
    """Whether a value is a variable, or contains it."""
    if isinstance(value, Var):
        return value == var
    if isinstance(value, tuple):
        return any(_holds(v, var) for v in value)
    if isinstance(value, (type, Const, Frame, Cell)) or not is_dataclass(value):
        return False  # a class that is a dataclass counts as one too
    return any(_holds(getattr(value, f.name), var) for f in fields(value))


def _exchanged(value: Any, old: Var, new: Var) -> Any:
    """A value with one variable in another's place."""
    if isinstance(value, Var):
        return new if value == old else value
    if isinstance(value, tuple):
        return tuple(_exchanged(v, old, new) for v in value)
    if not _holds(value, old):
        return value
    changed = {
        f.name: _exchanged(getattr(value, f.name), old, new) for f in fields(value)
    }
    return replace(value, **changed)
