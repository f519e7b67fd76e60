"""What every layer may ask of the layers above it: the parts of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NoReturn

from yota_ast.frontend.calls.explain_hooks import How
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    Node,
    Value,
)
from yota_ast.frontend.state.lowering_records import (
    Memory,
)
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.store_changes import Change


class Language:
    """The parts of the language, which higher layers define."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def passes_by(self, stmt: Node) -> bool:
        """Note a statement; whether it is one to leave out; see watched.py."""
        raise NotImplementedError

    def reaches(self, stmt: Node) -> bool:
        """Note what a lambda gives; whether it is to be left out; see watched.py."""
        raise NotImplementedError

    def made_of(self, stmt: Node) -> Var:
        """A value that stands for what is left out; see watched.py."""
        raise NotImplementedError

    def noted(self, how: How, name: str = "", detail: object = None) -> None:
        """Note something of the current statement."""
        raise NotImplementedError

    def noted_of(self, stmt: Node, how: How, detail: object = None) -> None:
        """Note something of a statement that may not be the current one."""
        raise NotImplementedError

    def floatless(self, value: Value) -> bool:
        """Whether no float that depends on the arguments is in a value."""
        raise NotImplementedError

    def fails_on(self, value: Value, text: str, *, whole: bool = False) -> bool:
        """Whether in a `try` a number surely raises TypeError; see attributes.py."""
        raise NotImplementedError

    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def execute(self, stmts: Sequence[Node], live: frozenset[str]) -> None:
        """Run statements; `live` are the names read after them."""
        raise NotImplementedError

    def assign(self, target: Node, value: Value) -> None:
        """Bind a target to a value."""
        raise NotImplementedError

    def call(
        self,
        function: Value,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]] = (),
    ) -> Value:
        """Call a value."""
        raise NotImplementedError

    def attribute(self, owner: Value, name: str) -> Value:
        """owner.name."""
        raise NotImplementedError

    def subscript(self, owner: Value, index: Value) -> Value:
        """owner[index]."""
        raise NotImplementedError

    def operate(self, fn: Callable[..., object], *operands: Value) -> Value:
        """An operator applied to values."""
        raise NotImplementedError

    def truth(self, value: Value) -> bool | Atom:
        """Whether a value is true: known, or the atom that the text tests."""
        raise NotImplementedError

    def is_iterator(self, value: Value | None) -> bool:
        """Whether a value gives its items once; see operators.py."""
        raise NotImplementedError

    def is_view(self, value: Value) -> bool:
        """Whether a value is the view of a dict; see passing.py."""
        raise NotImplementedError

    def refuse_as_list(self) -> NoReturn:
        """Refuse to ask of an iterator what a list would tell; see operators.py."""
        raise NotImplementedError

    def fresh(self, var: Var) -> Var:
        """The variable, or what stands for it now; see memory.py."""
        raise NotImplementedError

    def run_through(self, value: Value) -> Value:
        """The list of what a generator yields; another value as it is."""
        raise NotImplementedError

    def once(
        self,
        value: Value,
        names: frozenset[str] = frozenset(),
        held: Sequence[Value] = (),
        again: Callable[[], Value] | None = None,
    ) -> Value:
        """Note an iterator that has been made; see passing.py."""
        raise NotImplementedError

    def around(
        self, stmt: Node, iterable: Value | None, source: Value
    ) -> AbstractContextManager[None]:
        """While a loop is lowered; see passing.py."""
        raise NotImplementedError

    def unchanged_while(self, source: Value) -> AbstractContextManager[None]:
        """While the one body of a loop is lowered; see passing.py."""
        raise NotImplementedError

    def memory_of(self, atom: object) -> Memory:
        """What memory an atom may refer to; see memory.py."""
        raise NotImplementedError

    def check_running(self, cell: int) -> None:
        """Refuse to take items of an iterator in a loop over it; see passing.py."""
        raise NotImplementedError

    def items_as_they_are(
        self, source: Value, items: tuple[Value, ...]
    ) -> Callable[[int], tuple[Value, ...]]:
        """What gives the items of a loop after an iteration; see passing.py."""
        raise NotImplementedError

    def list_of_lazy(self, lazy: Lazy) -> Value:
        """map or filter of something long, as a list; see applied.py."""
        raise NotImplementedError

    def items_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items over which iteration goes, where their number is known."""
        raise NotImplementedError

    def parts_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple that an op gives; see expressions.py."""
        raise NotImplementedError

    def atom(self, value: Value) -> Atom:
        """The value as an atom: containers are built."""
        raise NotImplementedError

    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """owner[index] = value."""
        raise NotImplementedError
