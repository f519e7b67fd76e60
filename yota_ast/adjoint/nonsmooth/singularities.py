"""An op whose slope may be infinite, and the cotangent of its result -> how its rule is
to be read, so that no 0 meets the slope.

- The root of a sum of squares is taken for 1 where it is 0 (`roots`).
- Of a result that is sliced, the slice alone is reversed (`edges`).
- Elsewhere quotients are 0 where what follows leaves the result out (`edges`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.nonsmooth.cotangent_selection import Selections
from yota_ast.adjoint.nonsmooth.cotangent_support import support
from yota_ast.adjoint.nonsmooth.domain_boundary import (
    Factor,
    Guard,
    is_finite_at_edge,
    may_be_steep,
    operands_of_roots,
    part,
    parted,
    slice_of,
    stays_infinite,
    under_root,
)
from yota_ast.adjoint.nonsmooth.infinite_values import Infinite, absent_in
from yota_ast.adjoint.nonsmooth.marked_kinks import kink_of, marking
from yota_ast.adjoint.nonsmooth.masked_cotangents import Mask, sheltered
from yota_ast.adjoint.nonsmooth.nonzero_values import Makers
from yota_ast.adjoint.nonsmooth.omitted_cotangents import is_masked, of_gradients
from yota_ast.adjoint.nonsmooth.roots_of_squares import away_from_zero, is_norm
from yota_ast.adjoint.nonsmooth.stable_adjoints import at_once
from yota_ast.adjoint.nonsmooth.vanishing_slopes import Vanishing
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.adjoint.reverse.rule_statements import Value
from yota_ast.analysis.provenance import Sources
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Block, defined_by
from yota_ast.ops import info
from yota_ast.ops.algebra import is_quotient
from yota_ast.rules.notation.rule import Bound, Rule
from yota_ast.runtime import bent, rooted, unbroadcast, ungetitem

_LONGEST: Final = 8
"""Of so many ops a mask of places is made at most."""
_DEEPEST: Final = 12
"""Through so many ops the shape of a value is looked for."""


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
        made_by: Makers,
    ) -> Reading:
        """Return the same with a cotangent that is marked where it meets a kink.

        masks: those that were taken off the cotangent. wanted: the parameters with an
        adjoint. made_by: the ops of the forward sweep.
        """
        names = {**bound.arguments, bound.rule.result: op.out}
        if self.index is not None:
            names = {**self.names, bound.rule.result: self.result}
        at = kink_of(builder, op, bound, names, wanted, made_by=made_by, masks=masks)
        if at is None:
            return self
        d = builder.apply(rooted if bound.rule.root else bent, self.d, at)
        guard = None if self.guard is None else replace(self.guard, d=d)
        return replace(self, d=d, guard=guard)

    def guarded(self, builder: Builder, start: int) -> None:
        """Guard the ops that have been added since `start`."""
        if self.guard is not None:
            self.guard.on(builder, start)

    @property
    def is_spread(self) -> bool:
        """Whether adjoints may have the shape of a product that the result is in, and
        not its own."""
        return self.guard is not None and bool(self.guard.rest)

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
        if self.is_spread:
            value = builder.apply(unbroadcast, value, self.result)
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
    inner: dict[str, Apply] = field(init=False)
    """The ops of gradients that the block computes."""
    infinite: Infinite = field(init=False)
    poles: Infinite = field(init=False)
    """The same of logarithms and the like alone."""
    under: frozenset[str] = field(init=False)
    """What roots are taken of."""
    telling: set[str] = field(default_factory=set)
    """What has been computed to tell where cotangents are 0."""

    def __post_init__(self) -> None:
        self.sources = Sources(self.block)
        self.vanishing = Vanishing(self.block, self.active)
        self.inner = of_gradients(self.block, self.made)
        absent = absent_in(self.block)
        self.infinite = Infinite(self.made, self.vanishing, absent=absent)
        self.poles = Infinite(self.made, self.vanishing, quotients=False)
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
        parts = parted(
            builder, dy, looking.is_selection, partial(self._is_shaped, op.out, None)
        )
        if parts is None:
            return builder.apply(bent, dy, z)
        d, every = parts
        rest = tuple(f for f in every if f[0] is not unbroadcast)
        if rest:
            factor = Guard(d, None, rest=rest).times_rest(builder, Const(1.0))
            assert not isinstance(factor, tuple)
            d = builder.apply(operator.mul, d, builder.apply(bent, factor, z))
        return d if rest == every else builder.apply(unbroadcast, d, z)

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
        endless = any(map(self.infinite.of, (op.out, *op.args)))
        if masks:
            result = sheltered(builder, masks, result, op.fn)
            names = {n: _sheltered(builder, masks, a, op) for n, a in names.items()}
        elif info(op.fn).marks:
            names = self._unmarked(builder, op, names)
        elif is_norm(self.vanishing, op):
            u = away_from_zero(builder, op.args[0])
            names = {n: u if a is op.args[0] else a for n, a in names.items()}
            guard = self._mask(builder, op, d, rule) if endless else None
            result = away_from_zero(builder, result)
            return Reading(op.out, names, result, d, guard=guard)
        steep = rule.elementwise and may_be_steep(op, self.vanishing)
        if masks or op.out.fact.kind == "scalar" or not (steep or endless):
            return Reading(op.out, names, result, d)
        index: Atom | None = None
        sliced = None
        if steep:
            looking = self._looking(builder, op, edged=False, factors=False)
            sliced = slice_of(builder, op, d, looking.part)
        if sliced is not None:
            index, d = sliced
            names = {n: part(builder, a, index) for n, a in names.items()}
            value = part(builder, result, index)
            assert not isinstance(value, tuple)
            result = value
            if isinstance(value, Var) and value.fact.is_scalar:
                return Reading(op.out, names, result, d, index)
        guard = None
        if steep and is_quotient(op.fn):
            # Where 0 is divided by the result is no number, and 0 is right.
            instead = Guard(d, None) if _differs_by_place(op) else None
            guard = self._short(
                builder, d, lambda: self._guard(builder, op, d, index), instead
            )
        elif steep:
            guard = self._guard(builder, op, d, index)
        if guard is None and endless:
            guard = self._short(builder, d, lambda: self._mask(builder, op, d, rule))
        d = d if guard is None else guard.d
        return Reading(op.out, names, result, d, index, guard)

    def _unmarked(
        self, builder: Builder, op: Apply, names: dict[str, Value]
    ) -> dict[str, Value]:
        """The names of the rule of a mark, so that it refuses no point that is left
        out."""
        mask = support(builder, op.args[0], self.inner)
        if mask is None:
            return names
        away = builder.apply(np.where, mask, op.args[1], Const(1))
        return {n: away if a is op.args[1] else a for n, a in names.items()}

    def _guard(
        self, builder: Builder, op: Apply, d: Atom, index: Atom | None
    ) -> Guard | None:
        """What lets an adjoint be 0 where what follows leaves the op's result out, or
        the part of it at an index."""
        python, edged = op.out.fact.is_python, is_finite_at_edge(op)
        if python and not edged:
            return None
        looking = self._looking(builder, op, edged=edged, factors=edged)
        alone = looking.is_selection(d)
        count = len(builder.ops)
        mask = None if python else support(builder, d, self.inner)
        if alone and len(builder.ops) > count:  # the cotangent tells as much
            del builder.ops[count:]
            mask = None
        if alone or mask is not None:
            return Guard(d, mask)
        fits = partial(self._is_shaped, op.out, index)
        for factors in (edged, not edged):
            looking = self._looking(builder, op, edged=edged, factors=factors)
            parts = parted(builder, d, looking.is_selection, fits)
            if parts is not None and not (factors and self._stays(looking, parts[1])):
                return Guard(parts[0], None, rest=parts[1])
        if python or not is_masked(builder, d):
            return None
        mask = support(builder, d, self.inner, is_selection=looking.is_selection)
        return None if mask is None else Guard(d, mask)

    def _is_shaped(self, like: Var, index: Atom | None, x: Atom) -> bool:
        """Return whether a value has the shape of another, or of the part of it at an
        index: it is computed from it element by element, and with numbers alone."""
        for _ in range(_DEEPEST):
            if index is None and x == like:
                return True
            op = self.made.get(x.name) if isinstance(x, Var) else None
            if op is None or op.kwargs:
                return False
            if op.fn is operator.getitem and op.args == (like, index):
                return True
            others = [a for a in op.args if not fact_of_end(a).is_scalar]
            if not info(op.fn).elementwise or len(others) != 1:
                return False
            x = others[0]
        return False

    def _stays(self, looking: Selections, rest: tuple[Factor, ...]) -> bool:
        """Return whether the function is infinite where the value is, or where it is 0
        if the slope is infinite there: products with constants leave nothing out
        then."""

        def made(name: str) -> Apply | None:
            return looking.builder.made.get(name) or self.made.get(name)

        def is_apart(factor: Atom) -> bool:
            return looking.of(factor).alone or not self._has_part(looking, factor)

        return stays_infinite(
            made, looking.value, rest, is_apart, at_zero=looking.edged
        )

    def _has_part(self, looking: Selections, factor: Atom) -> bool:
        """Return whether a value may have a part in what a factor is computed from."""
        todo, seen = [factor], set[str]()
        while todo:
            atom = todo.pop()
            if atom == looking.value:
                return True
            if not isinstance(atom, Var) or atom.name in seen:
                continue
            seen.add(atom.name)
            op = looking.builder.made.get(atom.name)
            if self.sources.knows(atom):
                todo += self.sources.parts_of(atom)
            elif op is not None:
                todo += op.args
            else:
                return True
        return False

    def _looking(
        self, builder: Builder, op: Apply, *, edged: bool, factors: bool = True
    ) -> Selections:
        chosen, numbers = not is_quotient(op.fn), op.out.fact.is_python
        value, seeds = op.out, self.seeds
        return Selections(
            builder, self.sources, value, seeds, edged, chosen, numbers, factors
        )

    def _short(
        self,
        builder: Builder,
        d: Atom,
        made: Callable[[], Guard | None],
        instead: Guard | None = None,
    ) -> Guard | None:
        """A guard of a value that is infinite itself where the slope is. instead: what
        there is for one whose mask is done by places and takes a long formula."""
        count = len(builder.ops)
        guard = made()
        new = {v.name for op in builder.ops[count:] for v in defined_by(op)}
        mask = None if guard is None else guard.mask
        long = len(self._makers_of(builder, mask, new)) > _LONGEST
        if not long or is_masked(builder, d, places=False, kinks=False):
            self.telling |= new
            return guard
        del builder.ops[count:]
        return instead

    def _makers_of(
        self, builder: Builder, mask: Atom | None, new: Collection[str]
    ) -> set[str]:
        """What a mask is made of that tells of no more than places: the masks of other
        ops with it, for each is written out once, and all are read."""
        found, todo = set[str](), [mask]
        while todo:
            atom = todo.pop()
            if not isinstance(atom, Var) or atom.name in found:
                continue
            op = builder.made.get(atom.name)
            if op is not None and (atom.name in new or atom.name in self.telling):
                found.add(atom.name)
                todo += op.args
        return found

    def _mask(self, builder: Builder, op: Apply, d: Atom, rule: Rule) -> Guard | None:
        """The same of an op of what may be infinite where it is left out: 0 times
        infinity is nan. A product of matrices sums over rows, of which a kink seldom
        leaves out all."""
        if _is_of_matrices(op) and not is_masked(builder, d, kinks=False):
            return None
        looking = Selections(builder, self.sources, op.out, self.seeds)

        def infinite(factor: Atom) -> bool:
            return self.infinite.of(factor, builder.made)

        def absent(factor: Atom) -> bool:
            return infinite(factor) and not self.poles.of(factor, builder.made)

        dropped = not any(map(self.poles.of, (op.out, *op.args)))

        def found(value: Atom) -> Atom | None:
            return support(
                builder, value, self.inner, is_selection=looking.is_selection,
                dropped=dropped,
            )  # fmt: skip

        def guard(mask: Atom | None) -> Guard:
            along = None if rule.elementwise else found
            return Guard(d, mask, infinite, steep=False, found=along)

        poles = any(map(self.poles.of, op.args))
        mask = support(builder, d, self.inner, replayed=poles, dropped=dropped)
        if mask is None and (poles or is_masked(builder, d)):
            if looking.is_selection(d):
                return guard(None)
            mask = found(d)
        if mask is None and not dropped:
            mask = support(builder, d, self.inner, replayed=False, dropped=True)
            return None if mask is None else Guard(d, mask, absent, steep=False)
        return None if mask is None else guard(mask)


def _differs_by_place(op: Apply) -> bool:
    """Return whether a divisor may be 0 in some places of the last axis alone: one that
    is 0 in all of them leaves no number for what reads a few."""
    shape, whole = (fact_of_end(a).shape for a in (op.args[-1], op.out))
    if not isinstance(shape, tuple) or not isinstance(whole, tuple):
        return True
    return bool(shape) and (shape[-1] is None or not shape[-1].is_unit)


def _is_of_matrices(op: Apply) -> bool:
    """Return whether an op is a product of two arrays of two axes or more."""
    if info(op.fn).arithmetic != "matrix product":
        return False
    return all((fact_of_end(a).rank or 0) > 1 for a in op.args)


def _sheltered(
    builder: Builder, masks: tuple[Mask, ...], value: Value, op: Apply
) -> Value:
    if isinstance(value, tuple):
        return value
    return sheltered(builder, masks, value, op.fn)
