"""Ops one after the other -> a block: the builder that every part adds ops with.

In: functions, atoms and origins.  Out: `Apply` ops whose results have fresh names and
inferred facts.  How facts are inferred is given from outside, so that this module
knows no rules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.abstract_values import Fact, named_apart
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    Block,
    Form,
    Op,
    Origin,
    new_apply,
    new_var,
    with_hint,
    with_out,
)
from yota_ast.ops.spellings import ATTRIBUTES, METHODS, SIGN_OF

Kwargs = Sequence[tuple[str, Atom]]
Infer = Callable[[Callable[..., object], Sequence[Atom], Kwargs], Fact]


@dataclass(slots=True)
class Names:
    """Fresh variable names within one program: `stem`, then `stem.2`, `stem.3`."""

    taken: dict[str, int] = field(default_factory=dict)

    def fresh(self, stem: str) -> str:
        """A name not given before."""
        taken = self.taken
        count = taken[stem] = taken.get(stem, 0) + 1
        if count == 1:
            return stem
        name = f"{stem}.{count}"
        if name in taken:
            return self.fresh(stem)
        taken[name] = 1  # a name may be a stem itself
        return name

    def reserve(self, name: str) -> None:
        """Mark a name of another program as given."""
        self.taken.setdefault(name, 1)


@dataclass(slots=True)
class Builder:
    """Collects the ops of one block. `origin` is that of the ops added next."""

    infer: Infer
    names: Names
    origin: Origin = NOWHERE
    ops: list[Op] = field(default_factory=list)
    made: dict[str, Apply] = field(default_factory=dict)
    """Every op added here or in a block around, by its variable."""
    _makers: dict[Atom | None, Apply] = field(default_factory=dict)
    _known: int = 0

    def maker(self, atom: Atom) -> Apply | None:
        """The op of this block that made an atom, where ops are only added to it."""
        for op in self.ops[self._known :]:
            if isinstance(op, Apply):
                self._makers.setdefault(op.out, op)
        self._known = len(self.ops)
        return self._makers.get(atom)

    def nested(self) -> Builder:
        """A builder of an inner block: the same names, ops of its own."""
        return Builder(self.infer, self.names, self.origin, made=self.made)

    def block(self) -> Block:
        """The ops so far."""
        return Block(tuple(self.ops))

    def var(self, fact: Fact, hint: str | None = None, stem: str = "") -> Var:
        """A fresh variable."""
        name = self.names.fresh(stem or hint or "%")
        return new_var(name, named_apart(fact, name), hint)

    def apply(
        self,
        fn: Callable[..., object],
        *args: Atom,
        kwargs: Kwargs = (),
        form: Form | None = None,
        spelling: str = "",
        hint: str | None = None,
        fact: Fact | None = None,
    ) -> Var:
        """Add `hint = fn(*args, **kwargs)`; give its variable."""
        if form is None:
            form = "operator" if fn in SIGN_OF else "call"
            form = "subscript" if fn is operator.getitem else form
        known = self.infer(fn, args, kwargs) if fact is None else fact
        out = self.var(known, hint)
        op = new_apply(out, fn, args, tuple(kwargs), form, spelling, self.origin)
        self.ops.append(op)
        self.made[out.name] = op
        return out

    def method(self, name: str, x: Atom, *args: Atom, kwargs: Kwargs = ()) -> Var:
        """Add `x.name(*args)` of an array."""
        fn = METHODS.get(name) or getattr(np.ndarray, name)
        return self.apply(fn, x, *args, kwargs=kwargs, form="method", spelling=name)

    def attribute(self, name: str, x: Atom) -> Var:
        """Add `x.name` of an array."""
        return self.apply(ATTRIBUTES[name], x, form="attribute", spelling=name)

    def refine(self, var: Var, fact: Fact) -> Var:
        """Say what is known of a variable that an op of the present statement
        defines."""
        for k in range(len(self.ops) - 1, -1, -1):
            op = self.ops[k]
            if op.origin.statement != self.origin.statement:
                break
            if isinstance(op, Apply) and op.out == var:
                known = replace(op.out, fact=fact)
                self.ops[k] = replace(op, out=known)
                return known
        return var

    def rename(self, var: Var, hint: str) -> Var:
        """Give a variable that an op of the present statement defines a hint; others
        stay as they are."""
        for k in range(len(self.ops) - 1, -1, -1):
            op = self.ops[k]
            if op.origin.statement != self.origin.statement:
                break
            if isinstance(op, Apply) and op.out == var:
                named = with_hint(op.out, hint)
                self.ops[k] = with_out(op, named)
                return named
        return var


class Adding(Protocol):
    """What adds ops: a builder, or one that simplifies what it adds."""

    @property
    def made(self) -> Mapping[str, Apply]:
        """The ops so far, by their variables."""

    def apply(
        self,
        fn: Callable[..., object],
        *args: Atom,
        kwargs: Kwargs = (),
        form: Form | None = None,
        spelling: str = "",
        fact: Fact | None = None,
    ) -> Atom:
        """Add `fn(*args, **kwargs)`; give its value."""

    def method(self, name: str, x: Atom, *args: Atom, kwargs: Kwargs = ()) -> Atom:
        """Add `x.name(*args)`."""

    def attribute(self, name: str, x: Atom) -> Atom:
        """Add `x.name`."""


def literal(value: object) -> Const:
    """A constant written in the text."""
    return Const(value)
