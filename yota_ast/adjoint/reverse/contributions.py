"""Contributions to adjoints -> the adjoint of each variable, block by block.

A `Scope` holds the adjoints of one block of the reverse sweep. A contribution to a
variable defined outside the block enters it: an arm of a branch starts from what the
block around has, a loop carries the sum round.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.abstract_values import (
    COMPLEX,
    CONTAINERS,
    FLOAT,
    MIXED,
    NUMBER,
    UNKNOWN,
    Fact,
    array_fact,
    fact_of,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.facts.joined_facts import element_of, list_of, where_present
from yota_ast.ir.nodes import Apply, Carry, with_hint, with_out
from yota_ast.rules.notation.rule import may_be_complex
from yota_ast.runtime import (
    added_lists,
    added_within,
    expand,
    full_list,
    part_of,
    uncast_array,
    zeros_in_lists,
    zeros_of,
    zeros_within,
)
from yota_ast.syntax.names import NAMELESS, identifier

ZERO = Const(0.0)


@dataclass(frozen=True, slots=True)
class Item(Var):
    """An item of a container: stands for it where adjoints are summed, for those of
    the items make up that of the container. Its name is that of the container, and a
    position in brackets."""

    container: Var | None = field(default=None, compare=False)
    key: object = field(default=None, compare=False)


def items_of(var: Atom) -> tuple[Item, ...] | None:
    """The items of a container of known structure, in order."""
    if not isinstance(var, Var) or var.fact.kind not in CONTAINERS:
        return None
    if var.fact.items is None:
        return None
    facts = var.fact.items
    keys = var.fact.keys if var.fact.keys is not None else range(len(facts))
    return tuple(
        Item(f"{var.name}[{k}]", f, None, var, key)
        for k, (f, key) in enumerate(zip(facts, keys, strict=True))
    )


def leaves_of(var: Var) -> tuple[Var, ...]:
    """The variable, or the leaves of a container, that may have adjoints."""
    items = items_of(var)
    if items is None:
        return (var,)
    return tuple(v for i in items if i.fact.holds_floats for v in leaves_of(i))


def home_of(name: str) -> str:
    """The name of the variable itself, for an item that of the outermost container."""
    return name.partition("[")[0]


def value_of(builder: Builder, var: Var) -> Var:
    """The variable itself, or the op that reads an item."""
    if not isinstance(var, Item):
        return var
    assert var.container is not None
    container = value_of(builder, var.container)
    return builder.apply(operator.getitem, container, Const(var.key), fact=var.fact)


@dataclass(slots=True)
class Scope:
    """The adjoints of one block. `defined`: the primal names that the block defines."""

    builder: Builder
    defined: frozenset[str]
    parent: Scope | None = None
    undefined: frozenset[str] = frozenset()  # primal variables that may have no value
    adjoints: dict[str, Atom] = field(default_factory=dict)
    entered: dict[str, Var] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    """The adjoints of arrays that may be 0.0 instead, of all scopes together."""
    copies: Mapping[str, Var] = field(default_factory=dict)
    """What copies are copies of: it has the adjoint of both."""
    copying: bool = False
    """Whether what is added to parts of arrays leaves the adjoint of the part."""

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.copies, self.copying = self.parent.copies, self.parent.copying
            self.undefined = self.parent.undefined
            self.loose = self.parent.loose

    def is_loose(self, adjoint: Atom, var: Var) -> bool:
        """Whether the adjoint of a variable may be 0.0 where it is an array."""
        if where_present(var.fact).is_scalar or items_of(var) is not None:
            return False
        return adjoint == ZERO or (
            isinstance(adjoint, Var) and adjoint.name in self.loose
        )

    def full(self, adjoint: Atom, var: Var) -> Atom:
        """The adjoint of a variable that has a value here, with its shape."""
        if var.fact.kind == "model" or not self.is_loose(adjoint, var):
            return adjoint
        listed = var.fact.kind in ("list", "tuple")
        if listed and adjoint == ZERO:
            return zero_like(self.builder, var)
        fn: Callable[..., object] = expand
        if listed or var.fact == MIXED:
            fn = full_list
        return self.builder.apply(
            fn, adjoint, value_of(self.builder, var), fact=adjoint_fact(var)
        )

    def joined(self, var: Var, sides: Sequence[Atom], known: Fact, name: str) -> Var:
        """The adjoint of a variable that is one of several, each of them perhaps
        loose."""
        loose = any(self.is_loose(d, var) for d in sides)
        loose = loose or (
            home_of(var.name) in self.undefined
            and not where_present(var.fact).is_scalar
        )
        fact = Fact("real") if loose else settled_fact(known, sides)
        out = self.builder.var(fact, adjoint_hint(var), name)
        if loose:
            self.loose.add(out.name)
        return out

    def get(self, var: Var) -> Atom | None:
        """The adjoint of a variable so far; None where nothing has reached it."""
        if var.name in self.adjoints:
            return self.adjoints[var.name]
        if self.parent is None or home_of(var.name) in self.defined:
            return None
        return self.enter(var)

    def enter(self, var: Var) -> Atom | None:
        """Carry the adjoint of a variable from outside, from now on."""
        """What a variable of the blocks around has here, before this block."""
        assert self.parent is not None
        self.entered[var.name] = var
        prior = self.parent.get(var)
        if prior is not None:
            self.adjoints[var.name] = prior
        return prior

    def zero(self, var: Var, builder: Builder | None = None) -> Atom:
        """The adjoint of a variable that nothing has reached."""
        if home_of(var.name) in self.undefined or var.fact.kind == "model":
            return ZERO
        return zero_like(builder or self.builder, var)

    def fact(self, var: Var) -> Fact:
        """What is known of an adjoint here: one of what may be undefined may be 0.0."""
        if (
            home_of(var.name) in self.undefined
            and not where_present(var.fact).is_scalar
        ):
            return Fact("real")
        return adjoint_fact(var)

    def pop(self, var: Var) -> Atom | None:
        """The adjoint of a variable whose definition is being reversed."""
        items = items_of(var)
        if items is None:
            return self.adjoints.pop(var.name, None)
        parts = [self.pop(i) for i in items]
        if all(d is None for d in parts):
            return None
        pairs = zip(parts, items, strict=True)
        whole = [self._missing(i) if d is None else d for d, i in pairs]
        if var.fact.kind != "dict":
            fn = build_tuple if var.fact.kind == "tuple" else build_list
            return self.builder.apply(fn, *whole, form="build")
        flat = [a for d, i in zip(whole, items, strict=True) for a in (Const(i.key), d)]
        return self.builder.apply(build_dict, *flat, form="build")

    def _missing(self, item: Item) -> Atom:
        """The adjoint of an item that nothing has reached."""
        if item.fact.is_numeric:  # a whole number too: beside floats of an array
            return self.zero(item)
        return self.zero(item) if item.fact.holds_floats else Const(None)

    def add(self, var: Var, contribution: Atom) -> None:
        """Add to the adjoint of a variable."""
        var = self.copies.get(var.name, var)
        items = items_of(var)
        if items is not None:
            for item in items:
                if item.fact.holds_floats and contribution != ZERO:
                    self.add(item, self._part_of(contribution, item))
            return
        contribution = self._as_real(contribution, var)
        prior = self.get(var)
        if prior is None or prior == ZERO:
            self.adjoints[var.name] = named(self.builder, contribution, var)
        elif var.fact.kind in CONTAINERS:
            total = self.added(var, prior, contribution)
            self.adjoints[var.name] = named(self.builder, total, var)
        else:
            loose = self.is_loose(prior, var) and self.is_loose(contribution, var)
            total = self.builder.apply(operator.add, self._part(prior), contribution)
            made = self.adjoints[var.name] = named(self.builder, total, var)
            if loose and isinstance(made, Var):
                self.loose.add(made.name)

    def added(self, var: Var, d: Atom, e: Atom) -> Atom:
        """The sum of two adjoints of a list, of a number or of an array."""
        if var.fact.kind not in CONTAINERS:
            return self.builder.apply(operator.add, d, e)
        fn = added_lists if _is_flat(var) else added_within
        sides = self.full(d, var), self.full(e, var)
        return self.builder.apply(fn, *sides, fact=adjoint_fact(var))

    def _as_real(self, contribution: Atom, var: Var) -> Atom:
        """The real part of a complex contribution to what is real."""
        known = where_present(var.fact)
        if not known.is_numeric or known.is_complex:
            return contribution
        if not isinstance(contribution, Var) or not contribution.fact.is_complex:
            return contribution
        return self._real_part(contribution, var)

    def _real_part(self, adjoint: Var, var: Var) -> Var:
        """The real part of the adjoint of a variable, loose as that was."""
        real = self.builder.apply(np.real, adjoint)
        if self.is_loose(adjoint, var):
            self.loose.add(real.name)
        return real

    def hand_on(self, var: Var, d: Atom, joined: Var) -> None:
        """Add the adjoint of what a branch or a loop joins to that of one of the values
        it may be. Of what may be complex it may be complex, where a value that is real
        was not the one."""
        known, given = where_present(var.fact), fact_of_end(d)
        real = known.is_numeric and not may_be_complex(known)
        if real and may_be_complex(joined.fact) and isinstance(d, Var):
            if given.is_complex or not (given.is_python or given.dtype is not None):
                d = self._real_part(d, var)
        self.add(var, d)

    def _part_of(self, whole: Atom, item: Item) -> Atom:
        """An item of the adjoint of a container: a NumPy scalar, unless known
        better."""
        known = adjoint_fact(item)
        if isinstance(whole, Var) and whole.name in self.loose:
            return self._part_of_loose(whole, item)
        exact = fact_of_end(whole).items
        if not exact and items_of(item) is not None:
            known = UNKNOWN  # perhaps a row of an array
        elif known.is_scalar and not (exact and all(f.is_python for f in exact)):
            known = Fact("scalar" if exact else "real", known.dtype, ())
        mixed = known.is_numeric and not known.is_complex
        mixed = mixed and (_beside_complex(item) or _holds_complex(whole))
        given = _as_complex(known) if mixed else known
        part = self.builder.apply(operator.getitem, whole, Const(item.key), fact=given)
        number = item.fact.kind in ("array", "real") and item.fact.shape == ()
        if number and not self._is_array(whole):
            # an array without axes, of the caller's, would be written to as it is
            known = Fact("scalar", known.dtype, ())
            given = Fact("scalar", given.dtype, ())
            part = self.builder.apply(np.asarray, part)
            part = self.builder.apply(operator.getitem, part, Const(()), fact=given)
        return self.builder.apply(np.real, part, fact=known) if mixed else part

    def _is_array(self, whole: Atom) -> bool:
        """Return whether the adjoint of a container is an array: its items are none."""
        made = self.builder.made.get(whole.name) if isinstance(whole, Var) else None
        by_rule = made is not None and made.fn is uncast_array
        return by_rule or fact_of_end(whole).kind == "array"

    def _part_of_loose(self, whole: Var, item: Item) -> Var:
        """An item of what is 0.0 where nothing has reached the container."""
        number = Fact("scalar", None, ())
        known = number if where_present(item.fact).is_scalar else Fact("real")
        part = self.builder.apply(part_of, whole, Const(item.key), fact=known)
        if not where_present(item.fact).is_scalar:
            self.loose.add(part.name)
        return part

    def _part(self, prior: Atom) -> Atom:
        """A contribution of the same statement, which the sum nests: without a name."""
        if not isinstance(prior, Var):
            return prior
        ops, statement = self.builder.ops, self.builder.origin.statement
        name = prior.name
        for k in range(len(ops) - 1, -1, -1):
            op = ops[k]
            if op.origin.statement != statement:
                break
            if isinstance(op, Apply) and op.out.name == name:
                part = with_hint(op.out, None)
                ops[k] = with_out(op, part)
                return part
        return prior


def _as_complex(known: Fact) -> Fact:
    """The same of what is complex where it was taken for real."""
    return COMPLEX if known.is_python else replace(known, dtype=np.dtype(complex))


def _holds_complex(atom: Atom) -> bool:
    """Whether an adjoint is complex, or a list of such."""
    known = fact_of_end(atom)
    if known.kind in ("list", "tuple"):
        known = element_of(known)
    return known.is_numeric and known.is_complex


def _beside_complex(item: Item) -> bool:
    """Whether something in the same container is complex, so that an array made of it
    is."""
    whole: Var = item
    while isinstance(whole, Item) and whole.container is not None:
        whole = whole.container
    return any(v.fact.is_complex for v in leaves_of(whole))


@dataclass(slots=True)
class LoopScope(Scope):
    """The adjoints of a loop's body: sums over the iterations are carried."""

    carried: dict[str, tuple[Var, Atom, Var]] = field(default_factory=dict)

    def enter(self, var: Var) -> Atom | None:
        """Carry the adjoint of a variable from outside, from now on."""
        assert self.parent is not None
        prior = self.parent.get(var)
        init = self.parent.zero(var) if prior is None else prior
        inside = self.joined(var, (init,), self.fact(var), f"d{var.name}")
        self.carried[var.name] = (var, init, inside)
        self.adjoints[var.name] = inside
        return inside

    def carries(self) -> tuple[Carry, ...]:
        """The sums carried, each with a variable for its value after the loop."""
        carries = []
        for name, (var, init, inside) in self.carried.items():
            following = self.adjoints[name]
            if inside.name not in self.loose:
                following = self.full(following, var)
            out = self.joined(var, (inside,), inside.fact, f"d{name}")
            carries.append(Carry(out, init, inside, following))
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
        replace(
            c, out=replace(c.out, fact=number), inside=replace(c.inside, fact=number)
        )
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
    return f"d{identifier(var.hint)}" if var.hint else NAMELESS + var.name


def adjoint_of(x: Atom, named: Var) -> str:
    """How the text should call an adjoint: by the name that it has, or after x."""
    if named.hint:
        return named.hint
    return NAMELESS + x.name if isinstance(x, Var) else NAMELESS


def named(builder: Builder, adjoint: Atom, var: Var) -> Atom:
    """The adjoint, called after its variable where the last op has just made it."""
    if isinstance(adjoint, Var) and var.hint and adjoint.hint is None:
        return builder.rename(adjoint, adjoint_hint(var))
    return adjoint


def adjoint_fact(var: Var) -> Fact:
    """What is known of an adjoint that has the full shape of its variable."""
    fact = where_present(var.fact)
    if var.fact.present is not None and fact.kind == "array":
        return UNKNOWN  # without axes where the variable is None
    if fact.is_complex and fact.is_numeric:
        kind = "scalar" if fact.is_scalar else fact.kind
        return Fact(kind, np.dtype(complex), fact.shape)
    if fact.is_python or fact.kind == "scalar" or fact.shape == ():
        python = fact.is_python or fact == NUMBER
        return FLOAT if python else Fact("scalar", None, ())
    if fact.kind == "array":
        wide = fact.dtype is not None and fact.dtype == np.float64
        return array_fact(np.float64 if wide else None, fact.shape)
    if fact.kind in ("list", "tuple") and fact.element is not None:
        return list_of(_in_lists(adjoint_fact(Var("", fact.element))))
    if fact.kind == "dict" and fact.element is not None:
        return replace(fact, element=_in_lists(adjoint_fact(Var("", fact.element))))
    if fact.kind == "model":  # that of what it is made of
        return Fact("real")
    return Fact("real", None, fact.shape) if fact.kind == "real" else fact


def _in_lists(known: Fact) -> Fact:
    """What is known of adjoints that are added up in lists, where there are tuples."""
    if known.items is None:
        return known
    items = tuple(_in_lists(adjoint_fact(Var("", f))) for f in known.items)
    if known.kind == "tuple":
        return Fact("list", items=items, cls=list)
    return replace(known, items=items)


def _holds_tuples(known: Fact) -> bool:
    """Whether a value is a tuple, or holds one."""
    inner = known.items if known.items is not None else (known.element,)
    return known.kind == "tuple" or any(
        f is not None and _holds_tuples(f) for f in inner
    )


def _is_flat(var: Var) -> bool:
    """Whether the items of a list are numbers and arrays, not containers of such."""
    inner = (element_of(var.fact),) if var.fact.items is None else var.fact.items
    return var.fact.kind != "dict" and all(f.is_numeric for f in inner)


def zero_like(builder: Builder, var: Var) -> Atom:
    """The adjoint of a variable that nothing has reached."""
    if where_present(var.fact).is_scalar:
        return ZERO
    hint = adjoint_hint(var) if var.hint else None
    if var.fact.kind in CONTAINERS:
        known = adjoint_fact(var)
        within = zeros_in_lists if _holds_tuples(var.fact) else zeros_within
        fn = zeros_of if _is_flat(var) else within
        zeros = builder.apply(fn, value_of(builder, var), fact=known)
        return zeros if hint is None else builder.rename(zeros, hint)
    if var.fact == MIXED:  # a dict, or None
        value = value_of(builder, var)
        return builder.apply(zeros_within, value, hint=hint, fact=adjoint_fact(var))
    return builder.apply(
        expand, ZERO, value_of(builder, var), hint=hint, fact=adjoint_fact(var)
    )


def settled_fact(known: Fact, sides: Sequence[object]) -> Fact:
    """What is known of a merged adjoint: a Python float only where both sides are."""
    ends = [f for a in sides if not (f := fact_of_end(a)).is_number]
    if known.is_scalar and any(f.kind in ("real", "array") for f in ends):
        return Fact("real", known.dtype, ())  # perhaps an array without axes
    if known != FLOAT:
        return known
    floats = all(fact_of_end(a).kind in ("float", "int") for a in sides)
    return FLOAT if floats else Fact("scalar", None, ())
