"""Contributions to adjoints -> the adjoint of each variable, block by block.

A `Scope` holds the adjoints of one block of the reverse sweep. A contribution to a
variable defined outside the block enters it: an arm of a branch starts from what the
block around has, a loop carries the sum round.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..build import Builder
from ..facts import FLOAT, UNKNOWN, Fact, array_fact, fact_of
from ..names import identifier
from ..runtime import expand
from ..tape import Apply, Atom, Carry, Const, Var

ZERO = Const(0.0)


@dataclass(slots=True)
class Scope:
    """The adjoints of one block. `defined`: the primal names that the block defines."""

    builder: Builder
    defined: frozenset[str]
    parent: Scope | None = None
    adjoints: dict[str, Atom] = field(default_factory=dict)
    entered: dict[str, Var] = field(default_factory=dict)
    parts: dict[str, dict[int, Atom]] = field(default_factory=dict)
    """The adjoints of items of containers, by container and position."""

    def get(self, var: Var) -> Atom | None:
        """The adjoint of a variable so far; None where nothing has reached it."""
        if var.name in self.adjoints:
            return self.adjoints[var.name]
        if self.parent is None or var.name in self.defined:
            return None
        return self.enter(var)

    def enter(self, var: Var) -> Atom | None:
        """What a variable of the blocks around has here, before this block."""
        assert self.parent is not None
        self.entered[var.name] = var
        prior = self.parent.get(var)
        if prior is not None:
            self.adjoints[var.name] = prior
        return prior

    def pop(self, var: Var) -> Atom | None:
        """The adjoint of a variable whose definition is being reversed."""
        return self.adjoints.pop(var.name, None)

    def add_part(self, container: Var, position: int, contribution: Atom) -> None:
        """Add to the adjoint of an item of a container defined in this block."""
        parts = self.parts.setdefault(container.name, {})
        if position in parts:
            contribution = self.builder.apply(
                operator.add, parts[position], contribution
            )
        parts[position] = contribution

    def add(self, var: Var, contribution: Atom) -> None:
        """Add to the adjoint of a variable."""
        prior = self.get(var)
        if prior is None or prior == ZERO:
            self.adjoints[var.name] = named(self.builder, contribution, var)
        else:
            total = self.builder.apply(operator.add, self._part(prior), contribution)
            self.adjoints[var.name] = named(self.builder, total, var)


    def _part(self, prior: Atom) -> Atom:
        """A contribution of the same statement, which the sum nests: without a name."""
        ops = self.builder.ops
        for k in range(len(ops) - 1, -1, -1):
            op = ops[k]
            if op.origin.statement != self.builder.origin.statement:
                break
            if isinstance(op, Apply) and op.out == prior:
                part = replace(op.out, hint=None)
                ops[k] = replace(op, out=part)
                return part
        return prior


@dataclass(slots=True)
class LoopScope(Scope):
    """The adjoints of a loop's body: sums over the iterations are carried."""

    carried: dict[str, tuple[Var, Atom, Var]] = field(default_factory=dict)

    def enter(self, var: Var) -> Atom | None:
        assert self.parent is not None
        prior = self.parent.get(var)
        init = zero_like(self.parent.builder, var) if prior is None else prior
        inside = self.builder.var(adjoint_fact(var), adjoint_hint(var), f"d{var.name}")
        self.carried[var.name] = (var, init, inside)
        self.adjoints[var.name] = inside
        return inside

    def carries(self) -> tuple[Carry, ...]:
        """The sums carried, each with a variable for its value after the loop."""
        carries = []
        for name, (var, init, inside) in self.carried.items():
            out = self.builder.var(inside.fact, adjoint_hint(var), f"d{name}")
            carries.append(Carry(out, init, inside, self.adjoints[name]))
        return tuple(carries)


def settle_kinds(carries: Sequence[Carry]) -> tuple[Carry, ...]:
    """The carries, those of scalars taken for NumPy scalars where any of them is one:
    a Python float keeps its kind only among Python floats."""
    scalars = [c for c in carries if c.out.fact == FLOAT]
    ends = [fact_of_end(a) for c in scalars for a in (c.init, c.next)]
    if all(f.kind in ("float", "int") for f in ends):
        return tuple(carries)
    number = Fact("scalar", None, ())
    return tuple(
        replace(c, out=replace(c.out, fact=number), inside=replace(c.inside, fact=number))
        if c in scalars
        else c
        for c in carries
    )


def fact_of_end(atom: object) -> Fact:
    """What is known of what a carry starts from or goes on with."""
    if isinstance(atom, Var):
        return atom.fact
    return fact_of(atom.value) if isinstance(atom, Const) else UNKNOWN


def adjoint_hint(var: Var) -> str:
    """How the text should call the adjoint: `dx`; `dt` for that of a sub-expression."""
    return f"d{identifier(var.hint)}" if var.hint else "dt"


def named(builder: Builder, adjoint: Atom, var: Var) -> Atom:
    """The adjoint, called after its variable where the last op has just made it."""
    if isinstance(adjoint, Var) and var.hint and adjoint.hint is None:
        return builder.rename(adjoint, adjoint_hint(var))
    return adjoint


def adjoint_fact(var: Var) -> Fact:
    """What is known of an adjoint that has the full shape of its variable."""
    fact = var.fact
    if fact.is_python or fact.kind == "scalar" or fact.shape == ():
        return FLOAT if fact.is_python else Fact("scalar", None, ())
    if fact.kind == "array":
        wide = fact.dtype is not None and fact.dtype == np.float64
        return array_fact(np.float64 if wide else None, fact.shape)
    return Fact("real", None, fact.shape) if fact.kind == "real" else fact


def zero_like(builder: Builder, var: Var) -> Atom:
    """The adjoint of a variable that nothing has reached."""
    if var.fact.is_scalar:
        return ZERO
    hint = adjoint_hint(var) if var.hint else None
    return builder.apply(expand, ZERO, var, hint=hint, fact=adjoint_fact(var))



def settled_fact(known: Fact, sides: Sequence[object]) -> Fact:
    """What is known of a merged adjoint: a Python float only where both sides are."""
    if known != FLOAT:
        return known
    floats = all(fact_of_end(a).kind in ("float", "int") for a in sides)
    return FLOAT if floats else Fact("scalar", None, ())
