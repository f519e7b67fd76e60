"""Tangents at points where a slope is infinite -> 0 where nothing changes there.

The tangent of x in `np.sqrt(x)` is 0 where x does not change along the direction, and 0
times an infinite slope is 0 then. A tangent that x has a part in may be 0 at one point
alone: that of `x * x` is 0 where x is, and stays nan. What constants multiply, as in
`mask * np.sqrt(x)`, has no part in the product where they are 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.nonsmooth.cotangent_selection import Selections
from yota_ast.adjoint.nonsmooth.cotangent_support import support
from yota_ast.adjoint.nonsmooth.domain_boundary import (
    Guard,
    is_finite_at_edge,
    may_be_steep,
    parted,
)
from yota_ast.adjoint.nonsmooth.infinite_values import Infinite
from yota_ast.adjoint.nonsmooth.omitted_cotangents import is_masked
from yota_ast.adjoint.nonsmooth.vanishing_slopes import Vanishing
from yota_ast.analysis.provenance import Sources
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Block
from yota_ast.ops import info
from yota_ast.ops.algebra import is_quotient
from yota_ast.runtime import product_or_zero, quotient_or_zero

_DEEPEST: Final = 12


@dataclass(slots=True)
class Stationary:
    """What a block computes. active: whether a value varies. given: the tangents of its
    arguments."""

    block: Block
    active: Callable[[Atom], bool] = lambda _: True
    given: frozenset[str] = frozenset()
    sources: Sources = field(init=False)
    vanishing: Vanishing = field(init=False)
    _steep: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sources = Sources(self.block)
        self.vanishing = Vanishing(self.block, self.active)

    def guard(self, builder: Builder, op: Apply, d: Atom) -> Guard | None:
        """Return what lets the tangent of an op be 0 where its operand does not
        change."""
        if op.out.fact.is_python or not may_be_steep(op, self.vanishing):
            return None
        if op.out.fact.is_scalar and not is_masked(builder, d):
            return None
        edged = is_finite_at_edge(op)
        chosen = not is_quotient(op.fn)
        looking = Selections(builder, self.sources, op.out, self.given, edged, chosen)
        if looking.is_selection(d):
            return Guard(d, None)
        parts = parted(builder, d, looking.is_selection)
        if parts is not None and getattr(parts[0], "name", "") not in self.given:
            rest = tuple((_plain(fn), factor) for fn, factor in parts[1])
            return Guard(parts[0], None, rest=rest)
        mask = support(builder, d, {}, is_selection=looking.is_selection)
        return None if mask is None else Guard(d, mask)

    def of_product(
        self, builder: Builder, op: Apply, tangent: Callable[[Atom], Atom | None]
    ) -> Atom | None:
        """Return the tangent of `c * x` for constants c, where that of x may be
        infinite."""
        if info(op.fn).arithmetic != "product" or op.out.fact.is_scalar:
            return None
        for c, x in (op.args, op.args[::-1]):
            d = tangent(x)
            if d is None or tangent(c) is not None or not _is_array(c):
                continue
            if self._is_steep(x) and self.sources.are_apart(c, x):
                if isinstance(c, Var) and c.fact.dtype == np.bool_:
                    return builder.apply(np.where, c, d, Const(0))
                return builder.apply(product_or_zero, c, d)
        return None

    def leaves_out(self, builder: Builder, op: Apply) -> bool:
        """Return whether an op leaves out nan of the arguments alone, as `np.nansum` of
        data does: what a logarithm and the like make nan stays so."""
        known = info(op.fn)
        if not known.missing or known.elementwise or not _is_array(op.args[0]):
            return False
        computed = Infinite(builder.made, self.vanishing, quotients=False)
        return not computed.of(op.args[0])

    def _is_steep(self, x: Atom, depth: int = _DEEPEST) -> bool:
        """Whether the tangent of a value may be infinite: it is made of a root."""
        op = self.vanishing.maker(x)
        if op is None or depth == 0:
            return False
        if op.out.name not in self._steep:
            self._steep[op.out.name] = may_be_steep(op, self.vanishing) or any(
                self._is_steep(a, depth - 1) for a in op.args
            )
        return self._steep[op.out.name]


def _plain(fn: Callable[..., object]) -> Callable[..., object]:
    """What multiplies tangents: where a factor is infinite, the function itself is
    nan."""
    if fn is product_or_zero:
        return operator.mul
    return operator.truediv if fn is quotient_or_zero else fn


def _is_array(atom: Atom) -> bool:
    if isinstance(atom, Const):
        return isinstance(atom.value, np.ndarray)
    return not atom.fact.is_scalar
