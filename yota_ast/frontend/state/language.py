"""What every layer may ask of the layers above it: the parts of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from yota_ast.frontend.calls.explain_hooks import How
from yota_ast.frontend.components import Component, extensible
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    Node,
    Value,
)
from yota_ast.frontend.state.lowering_records import (
    Memory,
)
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.store_changes import Change


class Language(Component):
    """The parts of the language, which higher layers define."""

    @extensible
    def passes_by(self, stmt: Node) -> bool:
        """Note a statement; whether it is one to leave out."""
        raise NotImplementedError

    @extensible
    def reaches(self, stmt: Node) -> bool:
        """Note what a lambda gives; whether it is to be left out."""
        raise NotImplementedError

    @extensible
    def made_of(self, stmt: Node) -> Var:
        """A value that stands for what is left out; see explained_lowering.py."""
        raise NotImplementedError

    @extensible
    def noted(self, how: How, name: str = "", detail: object = None) -> None:
        """Note something of the current statement."""
        raise NotImplementedError

    @extensible
    def noted_of(self, stmt: Node, how: How, detail: object = None) -> None:
        """Note something of a statement that may not be the current one."""
        raise NotImplementedError

    @extensible
    def floatless(self, value: Value) -> bool:
        """Whether no float that depends on the arguments is in a value."""
        raise NotImplementedError

    @extensible
    def fails_on(self, value: Value, text: str, *, whole: bool = False) -> bool:
        """Whether in a `try` a number surely raises TypeError; see attributes.py."""
        raise NotImplementedError

    @extensible
    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    @extensible
    def execute(self, stmts: Sequence[Node], live: frozenset[str]) -> None:
        """Run statements; `live` are the names read after them."""
        raise NotImplementedError

    @extensible
    def opened(self, value: Var) -> Value:
        """The object for which a dict in a list stands; see listed_objects.py."""
        raise NotImplementedError

    @extensible
    def assign(self, target: Node, value: Value) -> None:
        """Bind a target to a value."""
        raise NotImplementedError

    @extensible
    def call(
        self,
        function: Value,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]] = (),
    ) -> Value:
        """Call a value."""
        raise NotImplementedError

    @extensible
    def attribute(self, owner: Value, name: str) -> Value:
        """owner.name."""
        raise NotImplementedError

    @extensible
    def subscript(self, owner: Value, index: Value) -> Value:
        """owner[index]."""
        raise NotImplementedError

    @extensible
    def operate(
        self, fn: Callable[..., object], /, *operands: Value, form: Any = "operator"
    ) -> Value:
        """An operator applied to values."""
        raise NotImplementedError

    @extensible
    def truth(self, value: Value) -> bool | Atom:
        """Whether a value is true: known, or the atom that the text tests."""
        raise NotImplementedError

    @extensible
    def is_iterator(self, value: Value | None) -> bool:
        """Whether a value gives its items once; see value_kinds.py."""
        raise NotImplementedError

    @extensible
    def is_view(self, value: Value) -> bool:
        """Whether a value is the view of a dict; see iterators.py."""
        raise NotImplementedError

    @extensible
    def refuse_as_list(self) -> NoReturn:
        """Refuse to ask of an iterator what a list would tell; see value_kinds.py."""
        raise NotImplementedError

    @extensible
    def fresh(self, var: Var) -> Var:
        """The variable, or what stands for it now; see current_arrays.py."""
        raise NotImplementedError

    @extensible
    def shaped(self, var: Var) -> Var:
        """A variable that is read for its shape alone; see current_arrays.py."""
        raise NotImplementedError

    @extensible
    def run_through(self, value: Value) -> Value:
        """The list of what a generator yields; another value as it is."""
        raise NotImplementedError

    @extensible
    def once(
        self,
        value: Value,
        names: frozenset[str] = frozenset(),
        held: Sequence[Value] = (),
        again: Callable[[], Value] | None = None,
    ) -> Value:
        """Note an iterator that has been made; see iterators.py."""
        raise NotImplementedError

    @extensible
    def around(
        self, stmt: Node, iterable: Value | None, source: Value
    ) -> AbstractContextManager[None]:
        """While a loop is lowered; see iterators.py."""
        raise NotImplementedError

    @extensible
    def unchanged_while(self, source: Value) -> AbstractContextManager[None]:
        """While the one body of a loop is lowered; see iterators.py."""
        raise NotImplementedError

    @extensible
    def memory_of(self, atom: object) -> Memory:
        """What memory an atom may refer to; see current_arrays.py."""
        raise NotImplementedError

    @extensible
    def check_running(self, cell: int) -> None:
        """Refuse to take items of an iterator in a loop over it; see iterators.py."""
        raise NotImplementedError

    @extensible
    def items_as_they_are(
        self,
        source: Value,
        items: tuple[Value, ...],
        again: Callable[[Value], tuple[Value, ...] | None] | None = None,
    ) -> Callable[[int], tuple[Value, ...]]:
        """What gives the items of a loop after an iteration; see iterators.py."""
        raise NotImplementedError

    @extensible
    def list_of_lazy(self, lazy: Lazy) -> Value:
        """map or filter of something long, as a list; see applied_functions.py."""
        raise NotImplementedError

    @extensible
    def items_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items over which iteration goes, where their number is known."""
        raise NotImplementedError

    @extensible
    def parts_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple that an op gives; see known_items.py."""
        raise NotImplementedError

    @extensible
    def atom(self, value: Value) -> Atom:
        """The value as an atom: containers are built."""
        raise NotImplementedError

    @extensible
    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """owner[index] = value."""
        raise NotImplementedError
