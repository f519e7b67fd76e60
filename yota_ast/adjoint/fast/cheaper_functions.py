"""Both sweeps -> the same, with functions that NumPy computes slowly written in others.

    t = np.logaddexp(0.0, x)    t = np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
    s = np.sin(x)               t = np.tan(0.5 * x)
    c = np.cos(x)               h = 2 / (1 + t * t)
                                s = t * h
                                c = h - 1

NumPy computes `logaddexp` and the sine and cosine of double precision element by
element, the others many elements at a time: the right side takes a fifth of the time.
`logaddexp` is the same formula, with the same limits at infinity. It needs a number and
an array of floats: two infinite arguments have no difference, and the negative of a
whole number without a sign is none. Sine and cosine are as near as a change of x by its
last digit makes them; they need an array that is long enough for the further calls.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Final, TypeGuard

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.fast.element_ops import (
    bytes_of_element,
    example_count,
    works_on_elements,
)
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import Apply, Block, Op, map_blocks, of_ops

DOUBLE: Final = 8
"""How many bytes an element of double precision has."""
FEWEST: Final = 1024
"""How many elements an array has in the example at least, for waves of a tangent."""


def with_cheaper_functions(
    ahead: Block, back: Block, infer: Infer, names: Names
) -> tuple[Block, Block]:
    """Both sweeps; the reverse sweep reads what the forward sweep has of the same x."""
    writer = _Writer(infer, names, {})
    return writer.block(ahead), writer.block(back)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes blocks anew. tangents: by x the tangent t of its half and 2 / (1 + t * t),
    as far as they have been made."""

    infer: Infer
    names: Names
    tangents: dict[Atom, tuple[Atom, Atom]]

    def block(self, block: Block) -> Block:
        """A block, and the blocks within it."""
        ops: list[Op] = []
        for op in block:
            ops += self._op(op)
        return of_ops(block, tuple(ops))

    def _op(self, op: Op) -> Sequence[Op]:
        found = _of_number_and_array(op)
        if isinstance(op, Apply) and found is not None:
            return _softplus(op, *found, Builder(self.infer, self.names, op.origin))
        if isinstance(op, Apply) and _is_wave(op):
            return self._wave(op)
        return (map_blocks(op, lambda b: self._nested().block(b)),)

    def _nested(self) -> _Writer:
        """What is made in a block is not there behind it."""
        return _Writer(self.infer, self.names, dict(self.tangents))

    def _wave(self, op: Apply) -> Sequence[Op]:
        """The ops of a sine or cosine."""
        x, like = op.args[0], op.out.fact
        builder = Builder(self.infer, self.names, op.origin)
        if x not in self.tangents:
            self.tangents[x] = _of_half(x, like, builder)
        t, h = self.tangents[x]
        sine = op.fn is np.sin
        fn, args = (operator.mul, (t, h)) if sine else (operator.sub, (h, Const(1)))
        done = Apply(op.out, fn, args, form="operator", origin=op.origin)
        return (*builder.ops, done)


def _of_half(x: Atom, like: Fact, builder: Builder) -> tuple[Atom, Atom]:
    """The tangent t of half of x, and 2 / (1 + t * t)."""
    half = builder.apply(operator.mul, Const(0.5), x, fact=like)
    t = builder.apply(np.tan, half, fact=like)
    square = builder.apply(operator.mul, t, t, fact=like)
    below = builder.apply(operator.add, Const(1), square, fact=like)
    return t, builder.apply(operator.truediv, Const(2), below, fact=like)


def _is_wave(op: Apply) -> bool:
    """Whether an op is the sine or cosine of a long array of double precision."""
    if op.fn not in (np.sin, np.cos) or len(op.args) != 1 or not works_on_elements(op):
        return False
    double = bytes_of_element(op.out) == bytes_of_element(op.args[0]) == DOUBLE
    floats = _holds_floats(fact_of_atom(op.args[0]), op)
    return double and floats and (example_count(op.out) or 0) >= FEWEST


def _of_number_and_array(op: Op) -> tuple[Const, Var] | None:
    """The operands of the `logaddexp` of a finite number and an array of floats."""
    if not isinstance(op, Apply) or op.fn is not np.logaddexp or len(op.args) != 2:
        return None
    if not works_on_elements(op):
        return None
    for number, array in (op.args, op.args[::-1]):
        if _is_finite(number) and isinstance(array, Var):
            return (number, array) if _holds_floats(array.fact, op) else None
    return None


def _is_finite(atom: Atom) -> TypeGuard[Const]:
    """Whether an atom is a Python number, which leaves the type of an array as it is,
    and not infinite."""
    if not isinstance(atom, Const) or atom.is_live:
        return False
    value: Any = atom.value
    return type(value) in (int, float) and math.isfinite(value)


def _holds_floats(known: Fact, op: Apply) -> bool:
    return known.kind == "array" and known.is_floating and op.out.fact.is_floating


def _softplus(op: Apply, number: Const, x: Var, builder: Builder) -> tuple[Op, ...]:
    """The ops of `np.maximum(x, c) + np.log1p(np.exp(-np.abs(x - c)))`."""
    apply, like = builder.apply, fact_of_atom(op.out)
    above = x if number.value == 0 else apply(operator.sub, x, number, fact=like)
    size = apply(operator.neg, apply(np.abs, above, fact=like), fact=like)
    rest = apply(np.log1p, apply(np.exp, size, fact=like), fact=like)
    largest = apply(np.maximum, x, number, fact=like)
    total = Apply(
        op.out, operator.add, (largest, rest), form="operator", origin=op.origin
    )
    return (*builder.ops, total)
