"""Operations on values -> ops of the tape, and what is known of values."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from yota_ast.errors import YotaError
from yota_ast.frontend.components import Component, Components, extensible, uses
from yota_ast.frontend.expressions.folding import told_by
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Either,
    OneOf,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.array_subclasses import told_of_unlike
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.real_numbers import RealNumbers
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    NOTHING,
    UNKNOWN,
    Fact,
    fact_of_constant,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.optional_values import presents
from yota_ast.ir.nodes import (
    Apply,
    Form,
    Raise,
)
from yota_ast.ops.dtypes.complex_powers import ABOUT_COMPLEX
from yota_ast.syntax.value_literals import Keys


class Operations(Component):
    """Ops, and what is known of values."""

    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    real_numbers = uses(RealNumbers)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.used: dict[int, object] = {}
        self.constants: dict[tuple[str, str], object] = {}

    @extensible
    def apply(
        self,
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]] = (),
        *,
        form: Form = "call",
        spelling: str = "",
        fact: Fact | None = None,
        effect: bool = False,
        hint: str | None = None,
    ) -> Var:
        """Append an Apply, and return its result."""
        return self.append(
            fn, args, kwargs,
            form=form, spelling=spelling, fact=fact, effect=effect, hint=hint,
        )  # fmt: skip

    def append(
        self,
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]] = (),
        *,
        form: Form = "call",
        spelling: str = "",
        fact: Fact | None = None,
        effect: bool = False,
        hint: str | None = None,
    ) -> Var:
        """Append an Apply as it is, also where tables treat it otherwise."""
        args = presents(fn, args)
        if why := told_of_unlike(fn, (*args, *(v for _, v in kwargs))):
            self.position.refuse_call(*why)
        if fact is None:
            fact = self.inferred(fn, args, kwargs)
        out = self.variables.var(fact, hint)
        effect = effect or self.settings.has_effect(fn)
        op = Apply(
            out,
            fn,
            tuple(args),
            tuple(kwargs),
            form,
            spelling,
            self.position.origin,
            effect,
        )
        self.put(op)
        told = told_by(fn, self.fact(args[0])) if len(args) == 1 else None
        if fn in ABOUT_COMPLEX and self.real_numbers.may_be_power(args[0]):
            told = None
        if told is not None:
            self.notes.known[out.name], self.notes.asked[out.name] = told, args[0]
        return out

    def put(self, op: Apply) -> None:
        """Append an op that has been made, and note what it makes."""
        self.blocks.emit(op)
        self.real_numbers.note_real(op)
        self.remember(op)

    def inferred(
        self,
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]],
    ) -> Fact:
        """The fact of fn's result; errors get a place."""
        if any(isinstance(a, Var) and a.fact.kind == "nothing" for a in args):
            return NOTHING  # computed from what is not known yet
        try:
            return self.settings.infer(fn, args, kwargs)
        except YotaError as error:
            raise error.located(self.position.location()) from None

    @extensible
    def remember(self, op: Apply) -> None:
        """Note whose memory the result shares; see array_writes.py."""
        raise NotImplementedError

    def failing(self, error: type[Exception], what: object) -> Value:
        """What surely raises here: the text does."""
        raised = self.apply(error, (Const(what),), fact=UNKNOWN)
        self.blocks.emit(Raise(raised, self.position.origin))
        self.blocks.end_block()
        return NULL

    def is_opaque(self, value: Value) -> bool:
        """Whether an op has given something of which nothing is known but its class."""
        return isinstance(value, Var) and value.fact.kind in ("unknown", "other")

    def fact(self, value: Value) -> Fact:
        """What is known of a value."""
        if isinstance(value, Var):
            return value.fact
        if isinstance(value, Const):
            return fact_of_constant(value.value)
        if isinstance(value, Argument):
            return value.fact
        if isinstance(value, TupleValue):
            items = tuple(self.fact(v) for v in value.items)
            return Fact("tuple", items=items, cls=value.cls)
        if isinstance(value, Ref):
            return self.cell_fact(self.cells.heap[value.cell])
        if isinstance(value, (Either, OneOf)):
            return self.fact_of_chosen(value)
        return Fact("callable")

    @extensible
    def fact_of_chosen(self, value: Either | OneOf) -> Fact:
        """What is known of a value that was chosen; see object_choice.py."""
        raise NotImplementedError

    def cell_fact(self, cell: Cell) -> Fact:
        """What is known of a container or an object made while lowering."""
        if cell.var is not None:
            return cell.var.fact
        if cell.kind == "object":
            return Fact("object", cls=cell.cls)
        if cell.kind in ("list", "dict"):
            items = tuple(self.fact(v) for v in cell.items.values())
            keys = Keys(cell.items) if cell.kind == "dict" else None
            kind: Any = cell.kind
            return Fact(kind, items=items, keys=keys, cls=cell.cls)
        return Fact("other", cls=cell.cls)

    @extensible
    def use(self, thing: object, home: str = "", path: str = "") -> None:
        """Note that the text depends on a function or a constant, and where it is."""
        if not isinstance(thing, types.ModuleType):
            self.used[id(thing)] = thing
            if path:
                self.constants[home, path] = thing

    def may_vary(self, value: Value) -> bool:
        """Whether a derivative may go through a value: a float that is no literal."""
        if isinstance(value, TupleValue):
            return any(map(self.may_vary, value.items))
        if isinstance(value, Ref) and self.cells.heap[value.cell].var is None:
            return any(map(self.may_vary, self.cells.heap[value.cell].items.values()))
        return not isinstance(value, Const) and self.fact(value).holds_floats
