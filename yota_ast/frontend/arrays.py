"""Stores: into arrays that are the function's own, and into its lists and dicts."""

from __future__ import annotations

import operator
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

import numpy as np

from yota_ast.facts import Fact
from yota_ast.frontend.loops import Loops
from yota_ast.frontend.state import NO_MEMORY
from yota_ast.frontend.statements import SYMBOLS
from yota_ast.frontend.values import Argument, Cell, Frame, Ref, Value
from yota_ast.sharing import is_basic, sharing
from yota_ast.tape import Apply, Atom, Const, Store, Var, build_tuple

TURNS: Final = (np.swapaxes, np.flip, np.fliplr, np.flipud)
SHAPED: Final = (
    np.reshape, np.ndarray.reshape, np.ravel, np.squeeze, np.expand_dims,
    np.atleast_1d, np.atleast_2d, np.atleast_3d,
)  # fmt: skip


def can_put_back(view: Apply) -> bool:
    """Whether a view can be turned into the shape of its base again.

    >>> x, y = Var("x"), Var("y")
    >>> can_put_back(Apply(y, np.transpose, (x,)))
    True
    >>> can_put_back(Apply(y, np.transpose, (x, Const((1, 0, 2)))))
    False
    """
    if view.fn is np.transpose:
        return len(view.args) == 1 and not view.kwargs
    return view.fn in (operator.getitem, *TURNS, *SHAPED)


class Arrays(Loops):
    """owner[index] = value, array += value."""

    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; number += value: a new number."""
        old = self.fresh(old)
        if old.fact.kind == "array":
            return self.write(old, Const(...), self.atom(value), SYMBOLS[fn])
        self.check_target(old, augmented=True)
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
        """target[index] = value: every name of the array stands for the new state.

        A view of an array that has a name is written through that array, so that both
        can be read afterwards. What may be a view, or a view of what has no name, is
        written itself: of the other names for its memory nothing is known from then on.
        """
        target = self.fresh(target)
        self.check_target(target)
        view = self.views.get(target.name)
        if view is not None and isinstance(view.args[0], Var):
            base = self.fresh(view.args[0])
            if self.is_held(base) and self.write_view(
                view, base, Store(target, target, index, value, augment)
            ):
                return target
        return self.write_itself(target, index, value, augment)

    def write_itself(self, target: Var, index: Atom, value: Atom, augment: str) -> Var:
        """A store into the memory of a variable."""
        if self.born.get(target.name, 0) < self.turns and not self.is_held(target):
            self.refuse(
                "an array without a name of its own is written in a loop",
                "Give it a name before the loop.",
            )
        out = self.var(target.fact)
        if target.name in self.hints:
            self.hints[out.name] = self.hints[target.name]
        self.emit(Store(out, target, index, value, augment, self.origin))
        memory = self.memory[target.name]
        if any(root in self.sealed for root in memory.roots):
            self.refuse(
                "an array from outside a function that calls itself is written in it",
                "Return a new array instead.",
            )
        for root in memory.roots:
            self.current[root] = out.name
            if root.startswith("arg:"):
                self.written[root[4:].partition("|")[0]] = None
        self.note(out, memory.roots, whole=memory.whole)
        self.exchange(target, out)
        return out

    def write_view(self, view: Apply, base: Var, store: Store) -> bool:
        """A write into a view, as one into its base, if there is a way to put it."""
        target, index, value = store.target, store.index, store.value
        if sharing(view) == "same":
            out = self.write(base, index, value, store.augment)
            self.exchange(target, out)
            return True
        if view.fn is operator.getitem:
            place = self.composed(view.args[1], index)
            if place is not None:
                self.write(base, place, value, store.augment)
                return True
        if not can_put_back(view):
            return False
        out = self.var(target.fact)
        if target.name in self.hints:
            self.hints[out.name] = self.hints[target.name]
        self.emit(replace(store, out=out, origin=self.origin))
        self.memory[out.name] = self.memory[target.name]
        if view.fn is operator.getitem:
            self.write(base, view.args[1], out, "")
        else:
            self.write(base, Const(...), self.turned_back(view, base, out), "")
        return True

    def turned_back(self, view: Apply, base: Var, out: Var) -> Var:
        """What a view has become, in the shape of its base."""
        if view.fn in (np.transpose, *TURNS):
            return self.apply(view.fn, (out, *view.args[1:]), view.kwargs)
        shape = self.apply(np.shape, (base,), form="attribute", spelling="shape")
        return self.apply(np.reshape, (out, shape))

    def composed(self, outer: Atom, inner: Atom) -> Atom | None:
        """The index that does what two do, one after the other."""
        if isinstance(inner, Const) and inner.value is ...:
            return outer
        first, second = self.index_parts(outer), self.index_parts(inner)
        if first is None or second is None:
            return None
        if not all(self.fact(a).kind == "int" for a in first):
            return None
        basic = all(is_basic(self.fact(a)) for a in second)
        if not basic and len(second) > 1:
            return None
        parts = (*first, *second)
        if all(isinstance(a, Const) for a in parts):
            return Const(tuple(a.value for a in parts if isinstance(a, Const)))
        facts = tuple(self.fact(a) for a in parts)
        return self.build(build_tuple, parts, Fact("tuple", items=facts))

    def index_parts(self, index: Atom) -> tuple[Atom, ...] | None:
        """The parts of an index, where they are known."""
        if isinstance(index, Const):
            items = index.value if isinstance(index.value, tuple) else (index.value,)
            return tuple(Const(v) for v in items)
        op = self.built.get(index.name)
        if op is not None:
            return op.args if op.fn is build_tuple else (index,)
        single = index.fact.kind in ("int", "array")
        return (index,) if single else None

    def bump(self, root: str) -> None:
        """A root is in a new state."""
        self.counter += 1
        self.current[root] = f"{root}@{self.counter}"

    def check_target(self, target: Var, *, augmented: bool = False) -> None:
        """Refuse to write into what cannot be followed.

        augmented: it is `target += value`, which changes an array and no number.
        """
        memory = self.memory.get(target.name, NO_MEMORY)
        hint = self.hints.get(target.name)
        name = target.hint or (hint.name if hint else None)
        what = f"`{name}`" if name else "this array"
        if any(r.startswith("const:") for r in memory.roots):
            self.refuse(
                f"{what} may be an array from outside the function, and is written",
                "Write into a copy: np.array(...).",
            )
        callers = [
            r[4:].partition("|")[0] for r in memory.roots if r.startswith("arg:")
        ]
        if callers and augmented and target.fact.kind != "array":
            self.refuse(
                f"{what} may be the caller's array `{callers[0]}`, and is written",
                f"Write into a copy: {name or 'y'} = np.array({callers[0]}).",
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
    if isinstance(value, type | Const | Frame | Cell) or not is_dataclass(value):
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
