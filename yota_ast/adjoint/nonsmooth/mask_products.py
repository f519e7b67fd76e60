"""A selection of a cotangent by truth values -> its product with them.

    dx = np.where(x == y, d / 2, np.where(x > y, d, 0.0))
    dy = np.where(x == y, d / 2, np.where(x < y, d, 0.0))

    dx = d * ((x > y) + 0.5 * (x == y))
    dy = d - dx

A cotangent that is 0 wherever the truth values are needs none of them: that of
`np.maximum(x, 0) ** 2` is `2 * d * y`.

A product takes a fraction of the time. But 0 times infinity is nan: so this is done to
cotangents alone that are finite where the value is, as told by `Unbounded`; and to the
adjoints of `np.maximum`, `np.clip`, `np.max` and their like alone. What `np.where` of
the function itself leaves out may be nan.

In: the two sweeps.  Out: the reverse sweep.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.nonsmooth.finite_cotangents import Unbounded, drops_nan
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import Apply, Block, Op, map_blocks, of_ops, walk
from yota_ast.ops.algebra import operated

_Product = tuple[Callable[..., object], tuple[Atom, ...]]
_ZEROS: Final = (Const(0), Const(0.0))


class _Tie(NamedTuple):
    """`np.where(equal, half, np.where(before, d, 0.0))`."""

    equal: Apply
    half: Atom
    before: Atom
    d: Atom


def with_mask_products(
    ahead: Block, back: Block, result: object, infer: Infer, names: Names
) -> Block:
    """Return the reverse sweep with products where selections were. A function that
    drops nan has cotangents that are 0 where a slope may be nan: they stay. result:
    the value."""
    if any(isinstance(op, Apply) and drops_nan(op) for op in walk(ahead)):
        return back
    unbounded = Unbounded(ahead, back, result)
    return _Masks(infer, names, unbounded).block(back)


@dataclass(slots=True)
class _Masks:
    infer: Infer
    names: Names
    unbounded: Unbounded
    _shares: dict[object, Var] = field(default_factory=dict)
    """What went to one of two operands, by what tells the other's part."""

    def block(self, block: Block) -> Block:
        """Return a block and those within."""
        ops: list[Op] = []
        shares, self._shares = self._shares, {}
        for op in block:
            if isinstance(op, Apply):
                ops += self._changed(op)
            else:
                ops.append(map_blocks(op, self.block))
        self._shares = shares
        return of_ops(block, tuple(ops))

    def _changed(self, op: Apply) -> list[Op]:
        if op.fn is not np.where or len(op.args) != 3 or not _is_array(op.out):
            return [op]
        builder = Builder(self.infer, self.names, op.origin)
        tie = self._tie(op)
        whole = self._is_zero_elsewhere(tie)
        if whole is not None:
            return [replace(whole, out=op.out)]
        factors = self._share(op, tie, builder) if tie else self._selected(op)
        if factors is None:
            return [op]
        fn, args = factors
        product = replace(op, fn=fn, args=args, form="operator", spelling="")
        return [*builder.ops, product]

    # ------------------------------------------------------------ the larger of two

    def _tie(self, op: Apply) -> _Tie | None:
        equal, inner = (
            self.unbounded.maker(op.args[0]),
            self.unbounded.maker(op.args[2]),
        )
        if equal is None or inner is None or equal.fn is not operator.eq:
            return None
        if inner.fn is not np.where or inner.args[2:] not in [(z,) for z in _ZEROS]:
            return None
        before, d, _ = inner.args
        if not _is_array(before) or not self._is_half(op.args[1], d):
            return None
        return None if self.unbounded.of(d) else _Tie(equal, op.args[1], before, d)

    def _share(self, op: Apply, tie: _Tie, builder: Builder) -> _Product:
        """Return how the part of one of the two is computed."""
        key, other = self._orders(tie)
        rest = self._shares.get(other)
        if rest is not None and other is not None:
            return operator.sub, (tie.d, rest)
        if key is not None:
            self._shares[key] = op.out
        if op.out.fact.dtype == np.float64:
            part = builder.apply(operator.mul, Const(0.5), tie.equal.out)
            share = builder.apply(operator.add, tie.before, part)
            return operator.mul, (tie.d, share)
        whole = builder.apply(operator.mul, tie.d, tie.before)
        part = builder.apply(operator.mul, tie.half, tie.equal.out)
        return operator.add, (whole, part)

    def _is_zero_elsewhere(self, tie: _Tie | None) -> Apply | None:
        """Return the op that makes a cotangent, if that is 0 wherever the larger of x
        and 0, or the smaller, is."""
        made = self.unbounded.maker(tie.d) if tie else None
        told = self.unbounded.maker(tie.before) if tie else None
        if tie is None or made is None or told is None:
            return None
        if told.fn not in (operator.lt, operator.gt):
            return None
        less, more = told.args if told.fn is operator.lt else told.args[::-1]
        if tie.equal.args not in ((less, more), (more, less)):
            return None
        # What is told is where one of the two, which is not 0, is the result.
        if less in _ZEROS and self._has_factor(made, np.maximum, (less, more)):
            return made
        if more in _ZEROS and self._has_factor(made, np.minimum, (less, more)):
            return made
        return None

    def _has_factor(
        self, op: Apply, fn: Callable[..., object], operands: tuple[Atom, ...]
    ) -> bool:
        """Return whether a product has `np.maximum(x, 0)`, or a power of it, in it."""
        if op.kwargs:
            return False
        match operated(op.fn):
            case "product":
                parts = op.args
            case "quotient" | "negative":
                parts = op.args[:1]
            case "power" if _is_above_0(op.args[1]):
                parts = op.args[:1]
            case _:
                return op.fn is fn and op.args in (operands, operands[::-1])
        makers = map(self.unbounded.maker, parts)
        return any(m is not None and self._has_factor(m, fn, operands) for m in makers)

    def _orders(self, tie: _Tie) -> tuple[object, object]:
        """Return what tells this part of a cotangent from others, and the other."""
        made = self.unbounded.maker(tie.before)
        if made is None or made.fn not in (operator.lt, operator.gt):
            return None, None
        less, more = made.args if made.fn is operator.lt else made.args[::-1]
        if tie.equal.args not in ((less, more), (more, less)):
            return None, None
        return (less, more, tie.d), (more, less, tie.d)

    def _is_half(self, half: Atom, d: Atom) -> bool:
        made, whole = map(self.unbounded.maker, (half, d))
        if made is None:
            return False
        if operated(made.fn) == "quotient" and made.args[1] == Const(2):
            return made.args[0] == d
        if operated(made.fn) == "negative" and whole is not None:
            negative = operated(whole.fn) == "negative"
            return negative and self._is_half(made.args[0], whole.args[0])
        return False

    # ------------------------------------------------------------ one mask

    def _selected(self, op: Apply) -> _Product | None:
        """Return the product of `np.where(mask, d, 0.0)`."""
        mask, d, zero = op.args
        if zero not in _ZEROS or not _is_array(mask) or op.out.fact.rank is None:
            return None
        whole = d if self._is_unclipped(mask) else self.unbounded.shared(mask, d)
        if whole is None or self.unbounded.of(whole):
            return None
        return operator.mul, (d, mask)

    def _is_unclipped(self, mask: Atom) -> bool:
        """Return whether a mask tells where `np.clip` has changed nothing."""
        equal = self.unbounded.maker(mask)
        if equal is None or equal.fn is not operator.eq:
            return False
        clipped, x = (equal.args[0], equal.args[1])
        made = self.unbounded.maker(clipped)
        return made is not None and made.fn is np.clip and made.args[0] == x


def _is_above_0(n: Atom) -> bool:
    if not isinstance(n, Const) or n.text is not None:
        return False
    return isinstance(n.value, int | float) and n.value > 0


def _is_array(atom: Atom) -> bool:
    return isinstance(atom, Var) and atom.fact.kind == "array" and bool(atom.fact.rank)
