"""A cotangent of a reverse sweep -> whether it may be infinite where the value is not.

What is divided by may be 0, and a logarithm infinite: at the root of 0 the slope is
infinite, and the value is 0; `1 / (1 + 1 / x)` is 0 too. Sums, products and selections
of what is finite are finite. Arguments count as finite: where one is not, neither is
what it is multiplied by. So does what makes the function's value infinite, or nan,
where it is: that of which the value is a sum of squares. Nothing is said of what is too
large for a float.

>>> from yota_ast.ir.abstract_values import array_fact
>>> import operator
>>> d, y, a, b = (Var(name, array_fact("f8", (None,))) for name in "dyab")
>>> half, root = Apply(a, operator.truediv, (d, Const(2))), Apply(b, np.divide, (d, y))
>>> found = Unbounded(Block(), Block((half, root)))
>>> found.of(a), found.of(b)
(False, True)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from yota_ast.adjoint.nonsmooth.infinite_values import looks_for_nan, read_for_numbers
from yota_ast.adjoint.nonsmooth.nonzero_values import never_negative, never_zero
from yota_ast.analysis.engine import Analysis, defined_in
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import BUILDERS
from yota_ast.ir.nodes import Apply, Block, For, While, walk
from yota_ast.ops import info
from yota_ast.ops.algebra import COMPUTING, KEEPING, is_quotient

_FINITE: Final = ("bool", "int", "str", "none", "slice")
"""The kinds of values that are no floats."""
_UP_TO_AXIS: Final = 2
"""How many arguments a reduction has that is told its axis."""
_WHOLE: Final = range(100)
"""The exponents whose powers are finite."""


class Unbounded(Analysis[bool]):
    """Whether cotangents may be infinite. ahead: the forward sweep; back: the reverse
    sweep; result: the value."""

    bottom = False

    def __init__(self, ahead: Block, back: Block, result: object = None) -> None:
        super().__init__(defined_in(ahead, back))
        self.spoiling = _spoiling(ahead, result)
        self.nonzero = _nonzero(ahead, self.spoiling)
        ops = (op for block in (ahead, back) for op in walk(block))
        self.made = {op.out.name: op for op in ops if isinstance(op, Apply)}

    def join(self, facts: Iterable[bool]) -> bool:
        """Return whether one of several may be infinite."""
        return any(facts)

    def stated(self, var: Var) -> bool | None:
        """Return that a truth value, or a whole number, is finite; and so is, where the
        value is, what that is infinite with."""
        if var.name in self.spoiling:
            return False
        dtype = var.fact.dtype
        whole = dtype is not None and dtype.kind in "biu"
        return False if whole or var.fact.kind in _FINITE else None

    def of_const(self, const: Const) -> bool:
        """Return whether a literal is no finite number."""
        value = const.value
        return isinstance(value, (float, complex)) and not np.isfinite(value)

    def of_outside(self, var: Var) -> bool:
        """Return that an argument, or the seed, counts as finite."""
        return False

    def of_loop(self, loop: For | While, var: Var) -> bool:
        """Return the same of an item of a loop."""
        return False

    def of_apply(self, op: Apply) -> bool:
        """Return whether the result of a call may be infinite."""
        if is_quotient(op.fn):
            *numerators, divisor = op.args
            return any(map(self.of, numerators)) or not self._is_nonzero(divisor)
        if op.fn is np.where and len(op.args) == 3:
            mask, d, other = op.args
            return self.of(self.shared(mask, d) or d) or self.of(other)
        bounded = _is_bounded(op) or self._is_root(op)
        return not bounded or any(map(self.of, read_for_numbers(op)))

    def shared(self, mask: Atom, d: Atom) -> Atom | None:
        """Return what is divided among all that a mask tells: d of `d / np.sum(mask)`.
        Where it tells one, their number is not 0."""
        made = self.maker(d)
        while made is not None and made.fn is operator.getitem:
            made = self.maker(made.args[0])
        if made is None or not is_quotient(made.fn) or len(made.args) != 2:
            return None
        count = self.maker(made.args[1])
        counted = count is not None and count.fn is np.sum and count.args[0] == mask
        return made.args[0] if counted else None

    def maker(self, atom: Atom) -> Apply | None:
        """Return the op that made a value."""
        return self.made.get(atom.name) if isinstance(atom, Var) else None

    def _is_root(self, op: Apply) -> bool:
        """Return whether an op takes the root of what is certainly not below 0."""
        exponent = info(op.fn).exponent
        is_root = exponent is not None and 0 < exponent < 1
        return is_root and never_negative(op.args[0], self.made.get)

    def _is_nonzero(self, divisor: Atom) -> bool:
        if isinstance(divisor, Const):
            return bool(divisor.value)
        return never_zero(divisor, self.made.get, self.nonzero)


def _spoiling(ahead: Block, result: object) -> frozenset[str]:
    """Return the names of what is finite in every element where the value, one number,
    is."""
    if not isinstance(result, Var) or not result.fact.is_scalar:
        return frozenset()
    found = {result.name}
    for op in reversed(ahead.ops):
        if isinstance(op, Apply) and op.out.name in found:
            found |= {a.name for a in _spoiled_by(op) if isinstance(a, Var)}
    return frozenset(found)


def _nonzero(ahead: Block, spoiling: frozenset[str]) -> frozenset[str]:
    """Return the names of what has no element 0 where the value is finite: what
    logarithms are of, and what is divided by, if the value is infinite where these
    are."""
    found = set[str]()
    for op in walk(ahead):
        if not isinstance(op, Apply) or op.out.name not in spoiling:
            continue
        of = op.args[-1] if is_quotient(op.fn) else op.args[0] if op.args else None
        if isinstance(of, Var) and (is_quotient(op.fn) or _is_infinite_at_zero(op.fn)):
            found.add(of.name)
    return frozenset(found)


@functools.cache
def _is_infinite_at_zero(fn: Callable[..., object]) -> bool:
    """Return whether a function is infinite at 0, as a logarithm is.

    >>> _is_infinite_at_zero(np.log), _is_infinite_at_zero(np.log1p)
    (True, False)
    """
    if not isinstance(fn, np.ufunc) or fn.nin != 1 or not info(fn).pole:
        return False
    with np.errstate(all="ignore"):
        return bool(np.isinf(fn(0.0)))


def _spoiled_by(op: Apply) -> tuple[Atom, ...]:
    """Return the operands that have no element infinite, or nan, where the result of a
    call has none: 0 times infinity is nan."""
    known = info(op.fn)
    if op.kwargs and not {key for key, _ in op.kwargs} <= {"axis", "keepdims"}:
        return ()
    if known.arithmetic in (*KEEPING, "matrix product", "inner product"):
        return op.args
    if known.arithmetic == "power" and isinstance(op.args[1], Const):
        exponent = op.args[1].value
        grows = isinstance(exponent, (int, float)) and exponent > 0
        return op.args[:1] if grows else ()
    grows = known.exponent is not None and known.exponent > 0
    whole = known.items in ("moved", "kept") or known.spoiled
    return op.args[:1] if grows or whole or is_quotient(op.fn) else ()


def drops_nan(op: Apply) -> bool:
    """Return whether a call may leave out what is nan: `x == x`, `x[x < 1]`."""
    if op.fn is operator.getitem:
        return isinstance(op.args[1], Var) and op.args[1].fact.dtype == np.bool_
    selects = info(op.fn).selects and op.fn is not np.where
    return selects or looks_for_nan(op)


def _is_bounded(op: Apply) -> bool:
    """Return whether a function gives finite numbers of all finite ones."""
    of = info(op.fn)
    if of.arithmetic == "power":
        exponent = op.args[1].value if isinstance(op.args[1], Const) else None
        return isinstance(exponent, (int, float)) and exponent in _WHOLE
    if of.safe is not None:  # beyond the edge of its domain it gives nan
        return False
    if of.elementwise or of.linear or of.arithmetic in COMPUTING:
        return True
    if of.tells or of.counts:
        return True
    if of.degree is not None:  # a spread of fewer than ddof numbers is nan
        return "ddof" not in dict(op.kwargs) and len(op.args) <= _UP_TO_AXIS
    return of.items != "unknown" or of.fill != "unknown" or op.fn in BUILDERS
