"""Stores: into arrays that are the function's own, and into its lists and dicts."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from yota_ast.frontend.builtins import Kwargs
from yota_ast.frontend.loops import Loops
from yota_ast.frontend.sharing import writes
from yota_ast.frontend.state import NO_MEMORY
from yota_ast.frontend.statements import SYMBOLS
from yota_ast.frontend.values import Argument, Cell, Frame, Ref, Value
from yota_ast.tape import Atom, Const, Store, Var


class Arrays(Loops):
    """owner[index] = value, array += value."""

    def check_writes(self, fn: object, kwargs: Kwargs) -> None:
        """Refuse a call that writes into its arguments."""
        for name, value in kwargs:
            none = isinstance(value, Const) and value.value is None
            if name == "out" and not none:
                self.refuse_call(
                    "`out=` is not supported", "Assign the result to a name instead."
                )
        name = writes(fn)
        if name:
            self.refuse_call(
                f"`{name}` writes into its argument", "Assign to an index instead."
            )

    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; number += value: a new number."""
        old = self.fresh(old)
        if old.fact.kind == "array":
            return self.write(old, Const(...), self.atom(value), SYMBOLS[fn])
        self.check_target(old)
        memory = self.memory.get(old.name, NO_MEMORY)
        out = self.operate(fn, old, value, form="augmented")
        if not isinstance(out, Var):
            return out
        # An array was written in place, a number was not: of other names for it
        # nothing is known from here on.
        for root in memory.roots:
            self.bump(root)
        return out

    def store(self, owner: Value, index: Value, value: Value, augment: str) -> None:
        """owner[index] = value."""
        method = self.special_method(owner, "__setitem__")
        if method is not None:
            self.call(method, (owner, index, value))
        elif isinstance(owner, Ref):
            self.store_item(owner, index, value, augment)
        elif isinstance(owner, Var):
            owner = self.fresh(owner)
            self.write(owner, self.atom(index), self.atom(value), augment)
        elif isinstance(owner, Argument):
            self.refuse(
                f"the argument `{owner.root.name}` is written",
                f"Work on a copy: {owner.root.name} = "
                f"copy.deepcopy({owner.root.name}).",
            )
        else:
            self.refuse(
                "something that is not made by the function is written",
                "Work on a copy.",
            )

    def write(self, target: Var, index: Atom, value: Atom, augment: str) -> Var:
        """target[index] = value: every name of the array stands for the new state."""
        target = self.fresh(target)
        self.check_target(target)
        out = self.var(target.fact)
        if target.name in self.hints:
            self.hints[out.name] = self.hints[target.name]
        self.emit(Store(out, target, index, value, augment, self.origin))
        memory = self.memory[target.name]
        for root in memory.roots:
            self.current[root] = out.name
        self.note(out, memory.roots, whole=True)
        self.exchange(target, out)
        return out

    def bump(self, root: str) -> None:
        """A root is in a new state."""
        self.counter += 1
        self.current[root] = f"{root}@{self.counter}"

    def check_target(self, target: Var) -> None:
        """Refuse to write into what is not surely the function's own array."""
        memory = self.memory.get(target.name, NO_MEMORY)
        hint = self.hints.get(target.name)
        name = target.hint or (hint.name if hint else None)
        what = f"`{name}`" if name else "this array"
        callers = [
            r[4:].partition("|")[0] for r in memory.roots if r.startswith("arg:")
        ]
        if callers:
            self.refuse(
                f"{what} may be the caller's array `{callers[0]}`, and is written",
                f"Write into a copy: {name or 'y'} = np.array({callers[0]}).",
            )
        if any(r.startswith("const:") for r in memory.roots):
            self.refuse(
                f"{what} may be an array from outside the function, and is written",
                "Write into a copy: np.array(...).",
            )
        if not memory.whole:
            self.refuse(
                f"{what} may be a view of another array, and is written",
                "Write into the array itself, with both indices at once.",
            )
        if not memory.roots:
            self.refuse(
                f"{what} is no array that can be written",
                "Make an array first, np.zeros(n) for example.",
            )

    def store_item(self, owner: Ref, index: Value, value: Value, augment: str) -> None:
        """Set an item of a list or dict."""
        cell = self.heap[owner.cell]
        if cell.var is not None:
            self.store_whole(owner, self.atom(index), self.atom(value), augment)
            return
        if cell.kind == "dict":
            self.put(owner.cell, self.key_of(index), value)
            return
        known = self.known_value(index)
        if cell.kind == "list" and known is None and isinstance(index, Var):
            self.hold_as_variable(owner)
            self.store_whole(owner, self.atom(index), self.atom(value), augment)
            return
        if cell.kind != "list" or known is None or not isinstance(known.value, int):
            self.refuse(
                "this item assignment is not supported",
                "Use an index that is a number.",
            )
        position = known.value + (len(cell.items) if known.value < 0 else 0)
        if not 0 <= position < len(cell.items):
            self.refuse_call(
                f"the index {known.value} is out of range: there are "
                f"{len(cell.items)} items"
            )
        self.put(owner.cell, position, value)

    # ------------------------------------------------------------ who holds what

    def exchange(self, old: Var, new: Var) -> None:
        """Put a variable in another's place, wherever it is held."""
        self.successors[old.name] = new
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

    def note(self, var: Var, roots: tuple[str, ...], *, whole: bool) -> None:
        """Note the roots of a variable, as they are now."""
        raise NotImplementedError


def _holds(value: Any, var: Var) -> bool:
    """Whether a value is a variable, or contains it."""
    if isinstance(value, Var):
        return value == var
    if isinstance(value, tuple):
        return any(_holds(v, var) for v in value)
    if isinstance(value, Const | Frame | Cell) or not is_dataclass(value):
        return False
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
