"""An op whose slope may be infinite, and the cotangent of its result -> how its rule is
to be read, so that no 0 meets the slope.

- The root of a sum of squares is taken for 1 where it is 0 (`roots`).
- Of a result that is sliced, the slice alone is reversed (`edges`).
- Elsewhere quotients are 0 where what follows leaves the result out (`edges`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from ..build import Builder
from ..ops import info
from ..ops.algebra import is_quotient
from ..records import dataclass, field, replace
from ..rules.rule import Bound, Rule
from ..runtime import bent, ungetitem
from ..tape import Apply, Atom, Block, Const, Var
from .edges import (
    Guard,
    is_finite_at_edge,
    may_be_steep,
    operands_of_roots,
    part,
    parted,
    slice_of,
    under_root,
)
from .instantiate import Value
from .marks import at_kinks, marking
from .masks import (
    Mask,
    is_pole,
    may_be_infinite,
    sheltered,
    times_infinite,
)
from .provenance import Sources
from .roots import away_from_zero, is_norm
from .selection import Selections
from .stable import at_once
from .supports import support
from .vanishing import Vanishing


@dataclass(frozen=True, slots=True)
class Reading:
    """How a rule is read: what its names stand for, and what becomes of adjoints.

    out: the result. result: what stands for it. d: what stands for its cotangent.
    index: of the part that is reversed alone.
    """

    out: Var
    names: dict[str, Value]
    result: Atom
    d: Atom
    index: Atom | None = None
    guard: Guard | None = None

    def marked(
        self,
        builder: Builder,
        op: Apply,
        bound: Bound,
        masks: Sequence[Mask],
        wanted: set[str],
    ) -> Reading:
        """Return the same with a cotangent that is marked where it meets a kink.

        masks: those that were taken off the cotangent. wanted: the parameters with an
        adjoint.
        """
        names = {**bound.arguments, bound.rule.result: op.out}
        if self.index is not None:
            names = {**self.names, bound.rule.result: self.result}
        d = at_kinks(builder, op, bound, names, wanted, self.d, masks=masks)
        guard = None if self.guard is None else replace(self.guard, d=d)
        return replace(self, d=d, guard=guard)

    def guarded(self, builder: Builder, start: int) -> None:
        """Guard the ops that have been added since `start`."""
        if self.guard is not None:
            self.guard.on(builder, start)

    def whole(self, builder: Builder, value: Value, operand: Value) -> Value:
        """Return the adjoint of an operand, made of what the rule gives."""
        if isinstance(value, tuple) or isinstance(operand, tuple):
            return value
        if self.guard is not None:
            value = self.guard.times_rest(builder, value)
        if self.index is None or not isinstance(operand, Var):
            return value
        if operand.fact.is_scalar or isinstance(value, tuple):
            return value
        like = operand if self.out.fact.is_complex else self.out  # that is of floats
        return builder.apply(ungetitem, value, like, self.index)


@dataclass(slots=True)
class Singularities:
    """What is known of the values of a block. active: whether a value varies. made: the
    ops of the block. seeds: the variables that hold the cotangents of results."""

    block: Block = field(default_factory=Block)
    active: Callable[[Atom], bool] = lambda _: True
    made: Mapping[str, Apply] = field(default_factory=dict)
    seeds: frozenset[str] = frozenset()
    sources: Sources = field(init=False)
    vanishing: Vanishing = field(init=False)
    under: frozenset[str] = field(init=False)
    """What roots are taken of."""

    def __post_init__(self) -> None:
        self.sources = Sources(self.block)
        self.vanishing = Vanishing(self.block, self.active)
        self.under = operands_of_roots(self.block, self.vanishing)

    def through(self, builder: Builder, op: Apply, dy: Atom) -> tuple[Var, Atom] | None:
        """Return the operand that an op is reversed to, and its adjoint, where that is
        not by its rule."""
        whole = at_once(self.made, op)
        if whole is not None and self.active(whole.z):
            if marking() and whole.bends:
                dy = self._bent(builder, op, whole.z, dy)
            return whole.z, whole.adjoint(builder, dy)
        if op.out.name in self.under and info(op.fn).arithmetic == "product":
            apart = self.sources.are_apart
            return under_root(builder, op, dy, self.active, apart)
        return None

    def _bent(self, builder: Builder, op: Apply, z: Var, dy: Atom) -> Atom:
        """The cotangent of abs(z), marked; what is left out meets no kink."""
        looking = Selections(builder, self.sources, op.out, self.seeds)
        parts = parted(builder, dy, looking.is_selection)
        if parts is None:
            return builder.apply(bent, dy, z)
        d, rest = parts
        factor = Guard(d, None, rest=rest).times_rest(builder, Const(1.0))
        assert not isinstance(factor, tuple)
        if not rest:
            return d
        return builder.apply(operator.mul, d, builder.apply(bent, factor, z))

    def reading(
        self,
        builder: Builder,
        op: Apply,
        rule: Rule,
        names: dict[str, Value],
        d: Atom,
        masks: tuple[Mask, ...],
    ) -> Reading:
        """Return how the rule of an op is read. d: the cotangent without its masks."""
        result: Atom = op.out
        if masks:
            result = sheltered(builder, masks, result, op.fn)
            names = {n: _sheltered(builder, masks, a, op) for n, a in names.items()}
        elif is_norm(self.vanishing, op):
            u = away_from_zero(builder, op.args[0])
            names = {n: u if a is op.args[0] else a for n, a in names.items()}
            return Reading(op.out, names, away_from_zero(builder, result), d)
        endless = times_infinite(op, self.made)
        steep = rule.elementwise and may_be_steep(op, self.vanishing)
        if masks or op.out.fact.kind == "scalar" or not (steep or endless):
            return Reading(op.out, names, result, d)
        index: Atom | None = None
        sliced = slice_of(builder, op, d) if steep else None
        if sliced is not None:
            index, d = sliced
            names = {n: part(builder, a, index) for n, a in names.items()}
            value = part(builder, result, index)
            assert not isinstance(value, tuple)
            result = value
        guard = self._guard(builder, op, d) if steep else self._mask(builder, op, d)
        d = d if guard is None else guard.d
        return Reading(op.out, names, result, d, index, guard)

    def _guard(self, builder: Builder, op: Apply, d: Atom) -> Guard | None:
        """What lets an adjoint be 0 where what follows leaves the op's result out."""
        python, edged = op.out.fact.is_python, is_finite_at_edge(op)
        if python and not edged:
            return None
        chosen = not is_quotient(op.fn)
        looking = Selections(
            builder, self.sources, op.out, self.seeds, edged, chosen, python
        )
        alone = looking.is_selection(d)
        count = len(builder.ops)
        mask = None if python else support(builder, d)
        if alone and len(builder.ops) > count:  # the cotangent tells as much
            del builder.ops[count:]
            mask = None
        if alone or mask is not None:
            return Guard(d, mask)
        parts = parted(builder, d, looking.is_selection)
        return None if parts is None else Guard(parts[0], None, rest=parts[1])

    def _mask(self, builder: Builder, op: Apply, d: Atom) -> Guard | None:
        """The same of a product of what may be infinite where it is left out."""

        def infinite(factor: Atom) -> bool:
            return may_be_infinite(factor, self.made)

        poles = any(is_pole(a, self.made) for a in op.args)
        mask = support(builder, d, replayed=poles)
        return None if mask is None else Guard(d, mask, infinite)


def _sheltered(
    builder: Builder, masks: tuple[Mask, ...], value: Value, op: Apply
) -> Value:
    if isinstance(value, tuple):
        return value
    return sheltered(builder, masks, value, op.fn)
