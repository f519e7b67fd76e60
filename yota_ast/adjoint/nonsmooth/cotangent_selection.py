"""A cotangent -> whether it is made of the seed, of selections and of constants alone.

`np.tril(full)`, `w * full` for an array w, and zeros with the seed stored in a slice
are: where they are 0, the function does not depend on the value in any neighbourhood,
and so 0 is right whatever the slope, an infinite one too. A cotangent that the value
has a part in, as `2 * y * seed` is that of y in `y**2`, may be 0 at one point alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from yota_ast import runtime as rt
from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.nonsmooth.covered_places import Covered
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.analysis.provenance import Sources
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import carries_of, merges_of
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply, Carry
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS
from yota_ast.ops.record import Items
from yota_ast.support.helper_functions import is_helper

Fn = Callable[..., object]

_PASSING: Final[tuple[Items, ...]] = ("moved", "kept", "picked", "summed")
"""What keeps the zeros of its first operand; the others are shapes and places."""
_BUILDING: Final = (build_list, build_tuple)
_DEEPEST: Final = 60
_ROUNDS: Final = 6


@dataclass(frozen=True, slots=True)
class Made:
    """alone: whether the value has no part in a cotangent. zeros: whether the cotangent
    may be 0 in places, for that is what selections leave."""

    alone: bool
    zeros: bool


NEITHER: Final = Made(alone=False, zeros=False)


@dataclass(slots=True)
class Selections:
    """Looks at cotangents in a builder.

    value: that of the op that is reversed. seeds: the variables that hold the
    cotangents of results. edged, chosen, numbers: whether seeds count, of which some
    may be 0, what `np.where` leaves out, and factors that are one number. factors:
    whether those count that are arrays. Where the value is infinite, 0 times it is nan
    in the function itself.
    """

    builder: Builder
    sources: Sources
    value: Atom
    seeds: frozenset[str]
    edged: bool = False
    chosen: bool = True
    numbers: bool = False
    factors: bool = True
    _known: dict[str, Made] = field(default_factory=dict)
    _covered: Covered = field(init=False)

    def __post_init__(self) -> None:
        self._covered = Covered(self.builder.made, lambda d: self.of(d).zeros)

    def of(self, d: Atom, depth: int = _DEEPEST) -> Made:
        """Return how a cotangent is made."""
        if isinstance(d, Const):
            number = isinstance(d.value, (int, float, complex))
            return Made(alone=True, zeros=d.value == 0 if number else self.factors)
        if depth == 0 or not isinstance(d, Var):
            return NEITHER
        if d.name not in self._known:
            self._known[d.name] = NEITHER
            self._known[d.name] = found = self._found(d, depth - 1)
            if found.alone and found.zeros and self._is_whole(d):
                self._known[d.name] = Made(alone=True, zeros=False)
        return self._known[d.name]

    def is_selection(self, d: Atom) -> bool:
        """Return whether a cotangent is 0 only where what follows leaves values out."""
        found = self.of(d)
        return found.alone and found.zeros

    def part(self, d: Atom) -> Const | None:
        """Return the index of the one part that selections leave of a cotangent."""
        return self._covered.part(d)

    def _is_whole(self, d: Var) -> bool:
        """Return whether selections leave nothing out, taken together."""
        return d.name in self.builder.made and self._covered.wholly(d)

    def _found(self, d: Var, depth: int) -> Made:
        op = self.builder.made.get(d.name)
        if op is not None and not self.sources.knows(d):
            return self._of_op(op, depth)
        if d.name in self.seeds:
            return Made(alone=True, zeros=self.edged and not d.fact.is_scalar)
        if self.sources.knows(d):
            factor = self.numbers if d.fact.is_scalar else self.factors
            return Made(self.sources.are_apart(d, self.value), factor)
        return self._of_join(d, depth)

    def _of_op(self, op: Apply, depth: int) -> Made:
        fn, args = op.fn, op.args
        if fn is np.full_like:
            return self.of(args[1], depth)
        known = info(fn)
        if known.tells:
            return Made(alone=True, zeros=False)
        if known.fill == "zeros":
            return Made(alone=True, zeros=True)
        if known.items == "placed" and args:
            return Made(self.of(args[0], depth).alone, zeros=True)
        passing = known.items in _PASSING or known.arithmetic == "negative"
        if passing and args:
            return self.of(args[0], depth)
        if fn is np.where and len(args) == 3:
            parts = [self.of(a, depth) for a in args[1:]]
            return _both(parts, zeros=self.chosen and any(p.zeros for p in parts))
        if known.factor >= 0 and fact_of_end(args[0]).is_scalar:
            other = args[known.factor]
            return _both(
                [self.of(a, depth) for a in (args[0], other)], zeros=self.factors
            )
        shapes = known.shape_only
        parts = [self.of(a, depth) for k, a in enumerate(args) if k not in shapes]
        arithmetic = known.arithmetic
        if arithmetic in TERMS:
            return _both(parts, zeros=all(p.zeros for p in parts))
        if arithmetic == "product":
            return _both(parts, zeros=any(p.zeros for p in parts))
        if arithmetic == "quotient" or fn is rt.quotient_or_zero:
            return _both(parts, zeros=parts[0].zeros)
        if fn in _BUILDING:
            return _both(parts, zeros=any(p.zeros for p in parts))
        if "product" in arithmetic:  # of matrices; that of an array has been handled
            own = [a for a in args if isinstance(a, Var) and not self.sources.knows(a)]
            return _both(parts, zeros=any(self.of(a, depth).zeros for a in own))
        return _both(parts, zeros=is_helper(fn) and parts[0].zeros)

    def _of_join(self, d: Var, depth: int) -> Made:
        """Of what a branch or a loop of the reverse sweep hands on."""
        for op in reversed(self.builder.ops):
            for m in merges_of(op):
                if m.out == d:
                    parts = [self.of_end(a, depth) for a in (m.then, m.orelse)]
                    return _both(parts, zeros=any(p.zeros for p in parts))
            carries = carries_of(op)
            outs = [c.out for c in carries]
            if d in outs:
                return self._carried(carries, depth)[outs.index(d)]
        return NEITHER

    def _carried(self, carries: tuple[Carry, ...], depth: int) -> list[Made]:
        """Of all that a loop carries: what it starts from, until an iteration adds what
        is made otherwise."""
        held = [self.of_end(c.init, depth) for c in carries]
        known = dict(self._known)
        for _ in range(_ROUNDS):
            self._known = known | {
                c.inside.name: h for c, h in zip(carries, held, strict=True)
            }
            following = [self.of_end(c.next, depth) for c in carries]
            both = [
                _both([p, q], zeros=p.zeros and q.zeros)
                for p, q in zip(held, following, strict=True)
            ]
            if both == held:
                return held
            held = both
        self._known = known
        return [NEITHER] * len(carries)

    def of_end(self, end: object, depth: int) -> Made:
        """Return how what a join is given is made."""
        return self.of(end, depth) if isinstance(end, (Var, Const)) else NEITHER


def _both(parts: list[Made], *, zeros: bool) -> Made:
    return Made(all(p.alone for p in parts), zeros)
