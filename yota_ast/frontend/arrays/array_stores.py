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
from yota_ast.frontend.arrays.item_rows import Rows
from yota_ast.frontend.desugar.crossed_stores import check_crossing
from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Frame,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.state.lowering_records import NO_MEMORY
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    has_labels,
    is_sparse,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    Store,
)
from yota_ast.ir.store_changes import PUT, Change, Put, Update
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.ops.record import Arithmetic

NUMBERS: Final = ("float", "int", "bool", "complex", "scalar")

CHANGEABLE: Final = (MutableSequence, MutableMapping)
OBJECTS: Final = ("other", "object", "model")
BUFFERS: Final = (array.array, bytearray, memoryview)
"""What arrays may share the memory of."""
REVERSED: Final[tuple[Arithmetic, ...]] = (*TERMS, "product", "quotient")
"""The operators whose augmented assignment to a part of an array has an adjoint."""


class Arrays(Rows):
    """owner[index] = value, array += value."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.holders: set[str] = set()  # the roots that are containers of known items

    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; number += value: a new number."""
        old = self.fresh(old)
        if old.fact.kind == "array" and operated(fn) not in REVERSED:
            computed = self.computed_in_place(fn, old, value)
            if computed is not None:
                return self.write(old, Const(...), computed, PUT)
        if old.fact.kind == "array":
            return self.write(old, Const(...), self.atom(value), Update(fn))
        self.check_target(old)
        memory = self.memory.get(old.name, NO_MEMORY)
        out = self.operate(fn, old, value, form="augmented")
        if not isinstance(out, Var):
            return out
        # An array was written in place, a number was not: of other names for it
        # nothing is known from here on.
        for root in memory.roots:
            self.bump(root)
            self.note_written(root)
        return out

    def fail_to_write(self, number: Var) -> None:
        """What Python raises where an item of a number is assigned."""
        cls = type_of(number.fact) or float
        text = f"'{cls.__name__}' object does not support item assignment"
        self.failing(TypeError, text)

    def computed_in_place(self, fn: Any, old: Var, value: Value) -> Var | None:
        """What `array op= value` leaves, where it has the type of the array."""
        mark = self.mark()
        made = self.operate(fn, old, value)
        if isinstance(made, Var) and old.fact.dtype is not None:
            if made.fact.dtype == old.fact.dtype:
                return made
        self.back_to(mark)
        return None

    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """owner[index] = value."""
        method = self.special_method(owner, "__setitem__")
        if method is not None:
            self.call(method, (owner, index, value))
        elif isinstance(owner, Ref):
            self.store_item(owner, index, value, change)
        elif isinstance(owner, Var) and owner.fact.kind == "nothing":
            pass  # the body will be lowered again; see expecting.py
        elif isinstance(owner, Var):
            if owner.fact.kind == "list" and self.store_in_row(owner, index, value):
                return
            if owner.fact.kind in ("list", "tuple", "dict"):
                self.refuse(
                    "the function writes into an item of an item, at an unknown key",
                    "Use one array of two dimensions.",
                )
            if self.tries and owner.fact.kind in NUMBERS:
                self.fail_to_write(owner)
                return
            self.check_object(owner, value)
            owner = self.fresh(owner)
            self.write(owner, self.atom(index), self.atom(value), change)
        elif isinstance(owner, Argument):
            if owner.example is not None:
                self.begin_again(owner)
            self.refuse(
                f"the function writes into the argument `{owner.root.name}`",
                f"Work on a copy: {owner.root.name} = "
                f"copy.deepcopy({owner.root.name}).",
            )
        else:
            if isinstance(owner, TupleValue):
                self.refuse(
                    "the function writes into a tuple",
                    "Use a list, or make a new tuple.",
                )
            self.refuse(
                "the function writes into something that it did not make",
                "Work on a copy.",
            )

    def check_object(self, owner: Var, value: Value) -> None:
        """Refuse to put into an object that is not followed what may have a derivative,
        or what others see: arrays that share its memory, the lists that it holds."""
        fact, cls = owner.fact, self.class_called(owner)
        if fact.kind in OBJECTS or cls is not None:
            shared = cls is not None and (is_sparse(cls) or issubclass(cls, BUFFERS))
            if shared or (
                self.fact(value).holds_floats and not isinstance(value, Const)
            ):
                self.refuse_change("__setitem__", cls or object)
        elif fact.kind == "unknown" and fact.cls is None:
            roots = self.memory.get(owner.name, NO_MEMORY).roots
            if any(cell_of(root) is not None for root in roots):
                self.refuse(
                    "the function writes into an item of an item, at an unknown key",
                    "Use one array of two dimensions.",
                )

    def check_object_in_place(self, fn: Any, owner: Var) -> None:
        """Refuse `owner op= value` of such an object, where it changes the object."""
        cls = self.class_called(owner)
        name = f"__i{fn.__name__.strip('_')}__"
        if cls is not None and issubclass(cls, CHANGEABLE) and hasattr(cls, name):
            self.refuse_change(name, cls)

    def class_called(self, owner: Var) -> type | None:
        """The class of an object that is not followed, where it is known."""
        if owner.fact.kind in OBJECTS:
            return owner.fact.cls
        if owner.fact.kind != "unknown":
            return None
        roots = self.memory.get(owner.name, NO_MEMORY).roots
        return next(filter(None, map(self.classes_called.get, roots)), None)

    def write(self, target: Var, index: Atom, value: Atom, change: Change) -> Var:
        """target[index] = value: every name of the array stands for the new state.

        A view of an array that has a name is written through that array, so that both
        can be read afterwards. What may be a view, or a view of what has no name, is
        written itself: of the other names for its memory nothing is known from then on.
        """
        target = self.fresh(target)
        self.check_target(target)
        if isinstance(change, Put):
            check_crossing(self, target, index, value)
        view = self.views.get(target.name)
        if view is not None and isinstance(view.args[0], Var):
            base = self.fresh(view.args[0])
            held = self.is_held(base) or base.name in self.views
            if held and self.write_view(
                view, base, Store(target, target, index, value, change)
            ):
                return self.fresh(target)
        return self.write_itself(target, index, value, change)

    def write_itself(
        self, target: Var, index: Atom, value: Atom, change: Change
    ) -> Var:
        """A store into the memory of a variable."""
        self.item_written(target)
        if self.born.get(target.name, 0) < self.turns and not self.is_held(target):
            self.refuse(
                "a loop writes into an array that has no name of its own",
                "Give it a name before the loop.",
            )
        out = self.var(target.fact)
        if target.name in self.hints:
            self.hints[out.name] = self.hints[target.name]
        self.emit(Store(out, target, index, value, change, self.origin))
        memory = self.memory[target.name]
        for who in (self.sealed[root] for root in memory.roots if root in self.sealed):
            self.refuse(
                f"{who} writes into an array from outside",
                "Return a new array instead.",
            )
        for root in memory.roots:
            self.current[root] = out.name
            self.lent.arrivals.pop((root, out.name), None)
            self.note_written(root)
        self.note(out, memory.roots, whole=memory.whole)
        self.exchange(target, out)
        return out

    def note_written(self, root: str) -> None:
        """A root is written: an argument must share no memory with others. Of an array
        in a container of the caller's it must be known which it is: those read of it by
        literal keys have roots of their own."""
        if root in self.holders:
            self.refuse(
                f"the function writes into an array in `{root[4:]}`, at an unknown key",
                "Use one array of two dimensions, or a key that is a literal.",
            )
        if ".__dict__" in root:
            self.refuse_dict()
        if root.startswith("arg:"):
            self.written[root[4:].partition("|")[0]] = None

    def bump(self, root: str) -> str:
        """A root is in a new state, which is returned."""
        self.current[root] = f"{root}@{self.next_number()}"
        return self.current[root]

    def check_target(self, target: Var) -> None:
        """Refuse to write into what cannot be followed."""
        memory = self.memory.get(target.name, NO_MEMORY)
        hint = self.hints.get(target.name)
        name = target.hint or (hint.name if hint else None)
        what = f"`{name}`" if name else "this array"
        if any(r.startswith("const:") for r in memory.roots):
            self.refuse(
                f"the function writes into {what}, which may be an array from outside",
                "Write into a copy: np.array(...).",
            )
        if not memory.roots:
            self.refuse(
                f"{what} is not an array, so it cannot be written into",
                "Make an array first, np.zeros(n) for example.",
            )

    def store_item(
        self, owner: Ref, index: Value, value: Value, change: Change
    ) -> None:
        """Set an item of a list or dict."""
        cell = self.heap[owner.cell]
        if cell.var is not None:
            if self.fact(index).cls is slice:
                self.refuse(
                    "the function assigns a slice of a list whose length "
                    "depends on a loop",
                    "Assign the items one by one, or make a new list.",
                )
            if isinstance(change, Update):
                self.augment_item(owner, index, value, change.fn)
            else:
                self.store_whole(owner, self.atom(index), self.put_in(value), PUT)
            return
        if cell.kind == "dict":
            unknown = self.known_value(self.as_index(index)) is None
            if unknown and self.store_by_key(owner, index, value):
                return
            if unknown and self.may_be_held(owner, index):
                self.hold_as_variable(owner)
                self.store_whole(owner, self.atom(index), self.put_in(value), PUT)
                return
            self.put(owner.cell, self.key_of(index), value)
            return
        known = self.known_value(self.as_index(index))
        if cell.kind == "list" and known is None and isinstance(index, Var):
            self.hold_as_variable(owner)
            self.store_whole(owner, self.atom(index), self.put_in(value), change)
            return
        if cell.kind == "list" and known is not None and type(known.value) is slice:
            if self.store_part(owner, known.value, value):
                return
        if cell.kind != "list" or known is None or not isinstance(known.value, int):
            what = cell.cls.__name__ if cell.cls is not None else cell.kind
            self.refuse(
                f"this item of a {what} cannot be assigned",
                "Assign to an integer index of a list, or to a literal key of a dict.",
            )
        position = known.value + (len(cell.items) if known.value < 0 else 0)
        if not 0 <= position < len(cell.items):
            self.without_index(known.value, len(cell.items), "list assignment")
            return
        self.put(owner.cell, position, value)

    def may_be_held(self, owner: Ref, key: Value) -> bool:
        """Whether a dict can become one whose keys are unknown, for a table gives this
        key. Other keys may be those of the example, which are tried then."""
        cell = self.heap[owner.cell]
        given = isinstance(key, Var) and has_labels(key.fact.cls)
        return given and cell.cls is dict and not cell.unordered

    def store_part(self, owner: Ref, part: slice, value: Value) -> bool:
        """xs[a:b] = ys; whether it is known how many there are."""
        items = self.items_of(self.run_through(value))
        if items is None:
            return False
        self.check_fixed(self.heap[owner.cell])
        listed = list(self.heap[owner.cell].items.values())
        if part.step not in (None, 1) and len(listed[part]) != len(items):
            self.refuse_call(
                f"the slice has {len(listed[part])} items, but the right side has "
                f"{len(items)}",
                "Assign as many items as the slice has.",
            )
        listed[part] = items
        cell = self.heap[owner.cell]
        self.heap[owner.cell] = cell.with_items(dict(enumerate(listed)))
        return True

    def augment_item(
        self, owner: Ref, index: Value, value: Value, fn: Callable[..., Any]
    ) -> None:
        """xs[i] += value, of a list that the text holds as a whole."""
        old = self.subscript(owner, index)
        self.check_number(old)
        new = self.operate(fn, old, value)
        self.store_whole(owner, self.atom(index), self.atom(new), PUT)

    def check_number(self, old: Value) -> None:
        """Refuse to augment an item of a list that may be an array."""
        if not self.fact(old).is_number:  # an array without axes is none
            self.refuse(
                "an item of a list is changed in place, and may be an array",
                "Write xs[i] = xs[i] + ... if the old array is not used elsewhere.",
            )
        if isinstance(old, Var):
            self.changed_items.append(old.name)

    # ------------------------------------------------------------ who holds what

    def exchange(self, old: Var, new: Var) -> None:
        """Put a variable in another's place, wherever it is held."""
        self.successors[old.name] = new
        if old.name in self.dense:
            self.dense.add(new.name)
        for number, cell in self.heap.items():
            if cell.var == old:
                self.heap[number] = replace(cell, var=new)
            if any(_holds(v, old) for v in cell.items.values()):
                items = {k: _exchanged(v, old, new) for k, v in cell.items.items()}
                self.heap[number] = cell.with_items(items)

    def is_held(self, var: Var) -> bool:
        """Whether any name, field or container refers to a variable."""
        return any(
            cell.var == var or any(_holds(v, var) for v in cell.items.values())
            for cell in self.heap.values()
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
