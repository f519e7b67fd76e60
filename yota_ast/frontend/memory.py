"""Writes into arrays and containers, and who else sees them."""

from __future__ import annotations

from typing import Any

from yota_ast.tape import Apply, Atom, Const, Undefined, Var
from yota_ast.frontend.builtins import Kwargs
from yota_ast.frontend.loops import Loops
from yota_ast.frontend.state import Snapshot
from yota_ast.frontend.values import Ref, Value


class Memories(Loops):
    """Which memory variables share, and what may be written."""

    def remember(self, op: Apply) -> None:
        """Note whose memory the result shares."""

    def remember_argument(self, var: Var, text: str) -> None:
        """Note that a variable's memory is the caller's."""

    def remember_merge(
        self, out: Var, then: Atom | Undefined, orelse: Atom | Undefined
    ) -> None:
        """Note whose memory a merged variable shares."""

    def remember_element(self, var: Var, iterable: Atom) -> None:
        """Note that an item may share its iterable's memory."""

    def remember_carry(
        self, out: Var, init: Atom | Undefined, following: Atom | Undefined
    ) -> None:
        """Note whose memory a carried variable shares."""

    def merge_memory(self, then: Snapshot, orelse: Snapshot) -> None:
        """The state of memory after a branch."""

    def enter_memory(self, insides: Any, carried: Any) -> None:
        """What memory the carried variables may share."""

    def leave_memory(self) -> None:
        """The state of memory after a loop."""

    def check_writes(self, fn: object, kwargs: Kwargs) -> None:
        """Refuse a call that writes into its arguments."""
        for name, value in kwargs:
            if name == "out" and not (isinstance(value, Const) and value.value is None):
                self.refuse_call(
                    "`out=` is not supported", "Assign the result instead."
                )

    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value."""
        if old.fact.kind == "real" and old.name not in self.paths:
            return self.operate(fn, old, value, form="augmented")
        self.refuse(
            "this may write into an array that another name or the caller sees",
            "Write `x = x + y` instead of `x += y`.",
        )

    def store(self, owner: Value, index: Value, value: Value, augment: str) -> None:
        """owner[index] = value."""
        if isinstance(owner, Ref) and not augment:
            self.store_item(owner, index, value)
            return
        self.refuse("writing into an array is not supported yet")

    def store_item(self, owner: Ref, index: Value, value: Value) -> None:
        """Set an item of a list or dict."""
        cell = self.heap[owner.cell]
        method = self.special_method(owner, "__setitem__")
        if method is not None:
            self.call(method, (owner, index, value))
            return
        if cell.var is not None:
            self.store_whole(owner, self.atom(index), self.atom(value), "")
            return
        if cell.kind == "dict":
            self.put(owner.cell, self.key_of(index), value)
            return
        known = self.known_value(index)
        if cell.kind != "list" or known is None or not isinstance(known.value, int):
            self.refuse("this item assignment is not supported", "Use a literal index.")
        position = known.value + (len(cell.items) if known.value < 0 else 0)
        if not 0 <= position < len(cell.items):
            self.refuse(f"the index {known.value} is out of range")
        self.put(owner.cell, position, value)
