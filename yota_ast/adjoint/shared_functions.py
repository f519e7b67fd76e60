"""A program -> the same, with one function in place of several that do the same.

A function of the user's is outlined anew where its calls differ, be it only in what is
known of an argument: in a Runge-Kutta step the first stage is given the state, and the
others a sum. What is printed for them may be the same, but for names.

Two functions do the same where their ops are the same from top to bottom, their
variables called by their order, and what they call does the same. Where they stem from
different lines, what is left of them quotes none.

In: a program and the functions that it calls.  Out: fewer of them, the first of each
kind. One of several ways through a function keeps its number, one alone needs none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Closed, Op, Origin, Outlined
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Program
from yota_ast.support.passes import enabled

_NUMBERED: Final = re.compile(r"(_.*?)_[1-9]\d*((?:_forward|_reverse)?)")
_LOOKED_AT: Final = (
    "params", "forward", "reverse", "value", "results", "checks", "guards",
)  # fmt: skip


def with_shared_functions(program: Program) -> Program:
    """Return a program that calls one of each group of equal functions."""
    if len(program.helpers) < 2 or not enabled("tidy"):
        return program
    same = _equal(program.helpers)
    kept = [p for p in program.helpers if same[p.name] == p.name]
    plain = _plain_names([p.name for p in kept])
    called = {name: plain.get(first, first) for name, first in same.items()}
    if all(name == other for name, other in called.items()):
        return program
    forms = {p.name: _form(p, same, quoting=True) for p in program.helpers}
    mixed = {first for name, first in same.items() if forms[name] != forms[first]}
    worker, unquoted = _Renamed(called), _Unquoted(called)
    helpers = tuple(
        replace(
            (unquoted if p.name in mixed else worker).program(p), name=called[p.name]
        )
        for p in kept
    )
    return replace(worker.program(program), helpers=helpers)


def _equal(helpers: Sequence[Program]) -> dict[str, str]:
    """Return for each function the first that does the same, by their names."""
    same = {p.name: p.name for p in helpers}
    while True:
        firsts: dict[object, str] = {}
        found = {p.name: firsts.setdefault(_key(p, same), p.name) for p in helpers}
        if found == same:
            return same
        same = found


def _plain_names(names: Sequence[str]) -> dict[str, str]:
    """Return names without numbers, for those that need none: `_rhs` for `_rhs_2`."""
    parts = {name: _NUMBERED.fullmatch(name) for name in names}
    plain = {name: found[1] + found[2] for name, found in parts.items() if found}
    taken = [*plain.values(), *(n for n in names if n not in plain)]
    return {name: short for name, short in plain.items() if taken.count(short) == 1}


class _Renamed(Substitution):
    """Puts other functions in the place of those that are called."""

    def __init__(self, called: Mapping[str, str]) -> None:
        super().__init__({})
        self.called = called

    def applied(self, op: Apply) -> Apply:
        """Return a call, of the function that stands for the one called."""
        match op.fn:
            case Outlined(name) if name in self.called:
                return replace(op, fn=replace(op.fn, name=self.called[name]))
            case Closed():
                return replace(op, fn=self.closed(op.fn))
        return op

    def closed(self, made: Closed) -> Closed:
        """Return what makes a function of one that stands for another."""
        slope = None if made.slope is None else self.closed(made.slope)
        name = self.called.get(made.name, made.name)
        return replace(made, name=name, slope=slope)

    def program(self, program: Program) -> Program:
        """Return a program whose calls are renamed."""
        guards = tuple(replace(g, block=self.block(g.block)) for g in program.guards)
        return replace(
            program, forward=self.block(program.forward), guards=guards,
            reverse=self.block(program.reverse),
        )  # fmt: skip


class _Unquoted(_Renamed):
    """The same, where ops do not tell the lines that they stem from."""

    def op(self, op: Op) -> Op:
        """Return an op without its line."""
        found = super().op(op)
        return replace(found, origin=replace(found.origin, text=""))


def _key(program: Program, same: Mapping[str, str]) -> object:
    """Return the form, or the name where something in it cannot be looked up."""
    form = _form(program, same)
    try:
        hash(form)
    except TypeError:
        return program.name
    return form


def _form(
    program: Program, same: Mapping[str, str], *, quoting: bool = False
) -> object:
    """Return what programs have in common that do the same; quoting: and stem from the
    same lines."""
    order: dict[str, int] = {}

    def of(part: Any) -> object:
        match part:
            case Var():
                return order.setdefault(part.name, len(order))
            case Const():
                return part.key()
            case Fact():
                return part.kind, part.rank, part.dtype
            case Outlined():
                return Outlined, same.get(part.name, part.name), part.fresh
            case Closed():
                parts = (part.params, part.takes, part.item, of(part.slope))
                return Closed, same.get(part.name, part.name), *parts
            case Origin():
                return part.reverse, part.text if quoting else ""
            case Block():
                return tuple(map(of, part.ops))
            case tuple() | list():
                return tuple(map(of, part))
        if is_dataclass(part) and not isinstance(part, type):
            return type(part), *(of(getattr(part, f.name)) for f in fields(part))
        return part

    return tuple(of(getattr(program, name)) for name in _LOOKED_AT)
