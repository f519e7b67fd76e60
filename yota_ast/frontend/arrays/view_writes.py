"""Writes into views, put as writes into what they are views of.

A view by an index is written at both indices in one; any other view is written itself,
and a second store says what its base has become: "view", of which the text shows
nothing, for the memory is the same.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.arrays.array_layouts import (
    becomes_view,
    is_reordered,
    is_scalar_type,
)
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import (
    Component,
    Components,
    extensible,
    uses,
)
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import NO_MEMORY, Spot
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    Fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    If,
    Op,
    Raise,
    Store,
)
from yota_ast.ir.store_changes import SHARED, Change
from yota_ast.ops import info, is_basic, sharing, takes_all

ALL: Final = Const(slice(None))
OWN_COPY: Final = "Work on a copy: np.array(...)."


def is_transposed(view: Apply) -> bool:
    """Whether a view is its base with the axes in another order."""
    fns = (np.transpose, np.ndarray.transpose, np.moveaxis, np.rot90)
    return view.fn in fns and not view.kwargs


def can_put_back(view: Apply) -> bool:
    """Whether a view can be turned into the shape of its base again.

    >>> x, y = Var("x"), Var("y")
    >>> can_put_back(Apply(y, np.transpose, (x,)))
    True
    >>> can_put_back(Apply(y, np.diagonal, (x,)))
    False
    """
    if is_reordered(view):
        return False
    if is_scalar_type(view.fn):
        return True
    if info(view.fn).puts_back is not None:
        known = _dtype_of(view.args[0])
        return known is not None and known.kind in ("fc" if view.fn is np.real else "c")
    if view.fn is np.transpose and len(view.args) > 1:
        return isinstance(view.args[1], Const)
    if view.fn is np.ndarray.transpose:
        return all(isinstance(a, Const) for a in view.args[1:])
    of = info(view.fn)
    kept = of.order == "kept" or of.involution or view.fn is operator.getitem
    return kept or is_transposed(view)


class ViewWrites(Component):
    """Views that are written."""

    language = uses(Language)
    position = uses(Position)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    states = uses(ArrayStates)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    atoms = uses(Atoms)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.guesses: dict[str, Spot] = {}  # messages of guesses that may be wrong
        self.spots: dict[str, Spot] = {}  # where what may be a view was made
        self.checked: dict[str, tuple[list[Op], int]] = {}  # where the text tests views

    def write_view(self, view: Apply, base: Var, store: Store) -> bool:
        """A write into a view, as one into its base, if there is a way to put it."""
        target, index, value = store.target, store.index, store.value
        if sharing(view) == "same":
            out = self.write(base, index, value, store.change)
            self.exchange(target, out)
            return True
        if view.fn is operator.getitem:
            whole = takes_all(index, target)
            place = view.args[1] if whole else self.composed(view.args[1], index)
            if place is not None:
                self.write(base, place, value, store.change)
                return True
        plain = view.fn in (np.transpose, np.ndarray.transpose) and not view.kwargs
        if plain and len(view.args) == 1 and base.fact.rank == 2:
            place = self.turned_index(index)
            if place is not None:
                self.write(base, place, value, store.change)
                return True
        if info(view.fn).overlaps:
            self.position.refuse(
                "the function writes into what as_strided gives, which may hold an "
                "element several times",
                "Write into the array itself, or into a copy: as_strided(...).copy().",
            )
        if not can_put_back(view):
            return False
        self.check_view(target, base)
        out = self.variables.var(target.fact)
        if target.name in self.notes.hints:
            self.notes.hints[out.name] = self.notes.hints[target.name]
        self.blocks.emit(replace(store, out=out, origin=self.position.origin))
        self.notes.memory[out.name] = self.notes.memory[target.name]
        first = self.notes.renewed.get(target.name, target)
        self.exchange(target, out)
        at = view.args[1] if view.fn is operator.getitem else Const(...)
        before = self.states_of(base)
        self.write(base, at, self.turned_back(view, base, out), SHARED)
        for root, state in before.items():
            self.states.lent.arrived(root, self.state_of(root), state, view=first.name)
        memory = self.notes.memory[out.name]
        self.note(out, memory.roots, whole=memory.whole)
        self.notes.views[out.name], self.notes.renewed[out.name] = view, first
        return True

    def states_of(self, base: Var) -> dict[str, str]:
        """The states of the roots of an array that is no view of another."""
        memory = self.notes.memory.get(base.name, NO_MEMORY)
        roots = () if base.name in self.notes.views else memory.roots
        return {root: self.state_of(root) for root in roots}

    def turned_back(self, view: Apply, base: Var, out: Var) -> Var:
        """What a view has become, in the shape of its base."""
        rest = view.args[1:]
        if view.fn is operator.getitem:
            return out
        if info(view.fn).involution:
            return self.operations.apply(view.fn, (out, *rest), view.kwargs)
        puts_back = info(view.fn).puts_back
        if puts_back is not None and base.fact.is_complex:
            return self.operations.apply(puts_back, (base, out))
        if view.fn is np.moveaxis:
            return self.operations.apply(np.moveaxis, (out, rest[1], rest[0]))
        if view.fn is np.rot90:
            turns = self.language.operate(operator.neg, rest[0] if rest else Const(1))
            return self.operations.apply(
                np.rot90, (out, self.language.atom(turns), *rest[1:])
            )
        if is_transposed(view):
            axes = _axes(rest)
            back = () if axes is None else (Const(tuple(map(int, np.argsort(axes)))),)
            return self.operations.apply(np.transpose, (out, *back))
        if base.fact.shape is not None and base.fact.shape == out.fact.shape:
            return out
        shape = self.operations.apply(
            np.shape, (base,), form="attribute", spelling="shape"
        )
        return self.operations.apply(np.reshape, (out, shape))

    # ------------------------------------------------------------ views or copies

    def check_view(self, view: Var, base: Var) -> None:
        """Have the text test that a view is one, where that is not known."""
        first = self.notes.renewed.get(view.name, view)
        made = self.notes.views.get(view.name)
        if made is None or not becomes_view(made) or first.name in self.notes.dense:
            return
        if info(made.fn).puts_back is not None and sharing(made) == "view":
            return
        block, position = self.checked.get(first.name, ([], 0))
        if block is self.blocks.ops and position < len(block):
            return
        self.checked[first.name] = self.blocks.ops, len(self.blocks.ops)
        message = f"made for {self.called(view)} as a view of {self.called(base)}"
        self.raise_if_apart(view, base, message, self.spots.get(first.name))

    def raise_if_apart(
        self, view: Var, base: Var, message: str, spot: Spot | None
    ) -> None:
        """Have the text raise where two arrays share no memory."""
        shared = self.operations.apply(
            np.shares_memory, (view, base), fact=Fact("bool", shape=())
        )
        apart = self.operations.apply(operator.not_, (shared,), form="operator")
        self.raise_if(apart, message, spot)

    def check_again(self, view: Var, base: Var) -> None:
        """Have the text test a view that is read again, if it has not been tested
        wherever its memory was written since."""
        if not self.is_checked(view):
            self.check_view(view, base)

    def is_checked(self, view: Var) -> bool:
        """Whether a view is tested wherever its memory has been written since."""
        memory = self.notes.memory[view.name]
        first = self.notes.renewed.get(view.name, view).name
        pairs = zip(memory.roots, memory.seen, strict=True)
        return all(self.is_written_by(first, root, seen) for root, seen in pairs)

    def is_written_by(self, view: str, root: str, since: str) -> bool:
        """Whether a root has been written since a state into one view alone."""
        todo, met = [self.state_of(root)], {since}
        while todo:
            state = todo.pop()
            if state in met:
                continue
            met.add(state)
            arrival = self.states.lent.arrivals.get((root, state))
            if arrival is None or arrival.view not in (None, view):
                return False
            todo += arrival.states
        return True

    def check_copy(self, made: Apply) -> None:
        """Have the text test that what is taken for a copy is one."""
        base = made.args[0]
        if not isinstance(base, Var):
            return
        shared = self.operations.apply(
            np.shares_memory, (made.out, base), fact=Fact("bool", shape=())
        )
        message = f"made for a copy of {self.called(base)}, not a view"
        self.raise_if(shared, message, self.spots.get(made.out.name))

    def raise_if(
        self, test: Atom, message: str, spot: Spot | None, remedy: str = OWN_COPY
    ) -> None:
        """Have the text raise where what it takes for granted is wrong."""
        with self.blocks.block() as ops:
            message = self.guess(message, spot, remedy)
            error = self.operations.apply(
                ValueError, (Const(message),), fact=Fact("unknown")
            )
            self.blocks.emit(Raise(error, self.position.origin))
        self.blocks.emit(
            If(test, Block(tuple(ops)), Block(), origin=self.position.origin)
        )

    def guess(self, message: str, spot: Spot | None, remedy: str = OWN_COPY) -> str:
        """Note what a text takes for granted of memory, and where: `grad` makes another
        text where that is wrong. The message with a number, if it is another's too."""
        stem, number = message, 1
        while spot is not None and self.guesses.get(message, spot) != spot:
            number += 1
            message = f"{stem} ({number})"
        self.assumptions.given_up[message] = self.position.given_up_on_memory(remedy)
        if spot is not None:
            self.guesses[message] = spot
        return message

    def called(self, var: Var, unnamed: str = "an array") -> str:
        """What a message calls a variable."""
        hint = self.notes.hints.get(var.name)
        name = var.hint or (hint.name if hint else None)
        return f"`{name}`" if name else unnamed

    # ------------------------------------------------------------ indices

    def composed(self, outer: Atom, inner: Atom) -> Atom | None:
        """The index that does what two do, one after the other."""
        if isinstance(inner, Const) and inner.value is ...:
            return outer
        first, second = self.index_parts(outer), self.index_parts(inner)
        if first is None or second is None:
            return None
        if not all(self.operations.fact(a).kind == "int" for a in first):
            return None
        basic = all(is_basic(self.operations.fact(a)) for a in second)
        if not basic and len(second) > 1:
            return None
        return self.index_built((*first, *second))

    def turned_index(self, index: Atom) -> Atom | None:
        """The index into a matrix of what one into its transpose takes, where that has
        one axis at most."""
        parts = self.index_parts(index)
        if parts is None or not 1 <= len(parts) <= 2:
            return None
        facts = [self.operations.fact(a) for a in parts]
        if not any(f.kind == "int" for f in facts) or not all(
            f.kind == "int" or f.cls is slice for f in facts
        ):
            return None
        return self.index_built((*parts[1:], *(ALL,) * (2 - len(parts)), parts[0]))

    def index_built(self, parts: tuple[Atom, ...]) -> Atom:
        """An index of these parts."""
        if all(isinstance(a, Const) for a in parts):
            return Const(tuple(a.value for a in parts if isinstance(a, Const)))
        facts = tuple(self.operations.fact(a) for a in parts)
        return self.atoms.build(build_tuple, parts, Fact("tuple", items=facts))

    def index_parts(self, index: Atom) -> tuple[Atom, ...] | None:
        """The parts of an index, where they are known."""
        if isinstance(index, Const):
            items = index.value if isinstance(index.value, tuple) else (index.value,)
            return tuple(Const(v) for v in items)
        op = self.notes.built.get(index.name)
        if op is not None:
            return op.args if op.fn is build_tuple else (index,)
        single = index.fact.kind in ("int", "array")
        return (index,) if single else None

    # ------------------------------------------------------------ what others do

    @extensible
    def write(self, target: Var, index: Atom, value: Atom, change: Change) -> Var:
        """target[index] = value; see array_stores.py."""
        raise NotImplementedError

    @extensible
    def exchange(self, old: Var, new: Var) -> None:
        """Put a variable in another's place, wherever it is held."""
        raise NotImplementedError

    @extensible
    def note(self, var: Var, roots: tuple[str, ...], *, whole: bool) -> None:
        """Note the roots of a variable, as they are now; see array_writes.py."""
        raise NotImplementedError

    @extensible
    def state_of(self, root: str) -> str:
        """The state that a root is in; see array_writes.py."""
        raise NotImplementedError


def _dtype_of(atom: Atom) -> np.dtype[Any] | None:
    return atom.fact.dtype if isinstance(atom, Var) else None


def _axes(rest: tuple[Atom, ...]) -> tuple[int, ...] | None:
    """The axes of `transpose(x, axes)`, or of `x.transpose(*axes)`."""
    found = [a.value for a in rest if isinstance(a, Const)]
    if not found or found == [None]:
        return None
    axes = found[0] if len(found) == 1 and not isinstance(found[0], int) else found
    assert isinstance(axes, (list, tuple))
    return tuple(k % len(axes) for k in axes)
