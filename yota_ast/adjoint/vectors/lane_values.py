"""What a variable of an iteration is, seen from outside the loop.

The number `d[i, j]` of iteration j is an item of the vector `d[i, :]`, and the column
`A[:, j]` is one of the matrix A. A product of both is put together where it is stored:
added to a column j it is a matrix, added to one vector it is a product of a matrix.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Mapping

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ops.algebra import KEEPING, operated

ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Same:
    """What is the same in all iterations."""

    atom: Atom

    @property
    def rank(self) -> int | None:
        """How many axes it has."""
        return fact_of_atom(self.atom).rank


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number an iteration: a vector of them. seen: the values it is a view of.
    factors: the two vectors that it is the product of."""

    atom: Atom
    seen: frozenset[str] = frozenset()
    factors: tuple[Atom, Atom] | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """A vector an iteration: a matrix, of which `axis` counts the iterations."""

    atom: Atom
    axis: int
    seen: frozenset[str] = frozenset()

    def turned(self, axis: int, builder: Builder) -> Atom:
        """Return the matrix whose axis counts the iterations."""
        return self.atom if axis == self.axis else builder.attribute("T", self.atom)


@dataclass(frozen=True, slots=True)
class Scaled:
    """The product of a number an iteration and a vector: of an own one, or of one."""

    numbers: Numbers
    of: Rows | Same

    @property
    def seen(self) -> frozenset[str]:
        """The values that it is made of when it is stored."""
        own = self.of.seen if isinstance(self.of, Rows) else frozenset()
        return self.numbers.seen | own


@dataclass(frozen=True, slots=True)
class Dots:
    """The scalar product of two vectors an iteration."""

    left: Rows
    right: Rows

    @property
    def seen(self) -> frozenset[str]:
        """The values that it is made of when it is stored."""
        return self.left.seen | self.right.seen


Value = Same | Numbers | Rows | Scaled | Dots


def computed(
    builder: Builder, fn: object, *values: Value, fact: object = None
) -> Value | None:
    """Return what an operator makes of values; None: no statement says it."""
    if fn is operator.neg:
        return _negated(builder, values[0])
    if len(values) != 2:
        return None
    left, right = values
    if fn is operator.mul:
        return _product(builder, left, right) or _product(builder, right, left)
    if fn is operator.truediv:
        return _quotient(builder, left, right)
    if fn in (operator.add, operator.sub):
        return _elementwise(builder, fn, left, right)
    if fn in (operator.matmul, np.dot, np.vdot):
        return _dotted(builder, left, right)
    return None


def _vector(builder: Builder, fn: object, *atoms: Atom) -> Numbers:
    return Numbers(builder.apply(fn, *atoms))  # type: ignore[arg-type]


def _negated(builder: Builder, value: Value) -> Value | None:
    match value:
        case Numbers():
            return _vector(builder, operator.neg, value.atom)
        case Rows():
            return Rows(builder.apply(operator.neg, value.atom), value.axis)
        case Scaled():
            numbers = _vector(builder, operator.neg, value.numbers.atom)
            return replace(value, numbers=numbers)
        case _:
            return None


def _product(builder: Builder, left: Value, right: Value) -> Value | None:
    match left, right:
        case Same(atom), Numbers() if left.rank == 0:
            return _vector(builder, operator.mul, atom, right.atom)
        case Same(atom), Rows() if left.rank == 0:
            return Rows(builder.apply(operator.mul, atom, right.atom), right.axis)
        case Same(atom), Scaled() if left.rank == 0:
            scaled = _vector(builder, operator.mul, atom, right.numbers.atom)
            return replace(right, numbers=scaled)
        case Numbers(), Same() if right.rank == 1:
            return Scaled(left, right)
        case Numbers(), Rows():
            return Scaled(left, right)
        case Numbers(), Numbers():
            both = left.atom, right.atom
            return replace(_vector(builder, operator.mul, *both), factors=both)
        case Rows(), Rows() if left.axis == right.axis:
            return Rows(builder.apply(operator.mul, left.atom, right.atom), left.axis)
        case _:
            return None


def _quotient(builder: Builder, left: Value, right: Value) -> Value | None:
    match left, right:
        case Numbers(), Same() if right.rank == 0:
            return _vector(builder, operator.truediv, left.atom, right.atom)
        case Rows(), Same() if right.rank == 0:
            divided = builder.apply(operator.truediv, left.atom, right.atom)
            return Rows(divided, left.axis)
        case Numbers(), Numbers():
            return _vector(builder, operator.truediv, left.atom, right.atom)
        case _:
            return None


def _elementwise(
    builder: Builder, fn: object, left: Value, right: Value
) -> Value | None:
    match left, right:
        case Numbers(), Numbers():
            return _vector(builder, fn, left.atom, right.atom)
        case Rows(), Rows() if left.axis == right.axis:
            both = builder.apply(fn, left.atom, right.atom)  # type: ignore[arg-type]
            return Rows(both, left.axis)
        case _:
            return None


def _dotted(builder: Builder, left: Value, right: Value) -> Value | None:
    match left, right:
        case (Rows(), Same(vector)) | (Same(vector), Rows()):
            rows = left if isinstance(left, Rows) else right
            assert isinstance(rows, Rows)
            if fact_of_atom(vector).rank != 1:
                return None
            pair = (rows.atom, vector) if rows.axis == 0 else (vector, rows.atom)
            return _vector(builder, operator.matmul, *pair)
        case Rows(), Rows() if left.axis == right.axis:
            return Dots(left, right)
        case _:
            return None


def spread(builder: Builder, value: Value, axis: int | None) -> Atom | None:
    """Return what all iterations store next to one another: numbers (axis None), or
    vectors along the other axis than `axis`."""
    match value:
        case Same(atom) if value.rank == 0:
            return atom
        case Numbers(atom) if axis is None:
            return atom
        case Rows() if axis is not None:
            return value.turned(axis, builder)
        case Scaled(numbers, Same(vector)) if axis is not None:
            pair = (numbers.atom, vector) if axis == 0 else (vector, numbers.atom)
            return builder.apply(np.outer, *pair)
        case Scaled(numbers, Rows() as rows) if axis is not None:
            factor = numbers.atom if axis == 1 else _column(builder, numbers.atom)
            return builder.apply(operator.mul, rows.turned(axis, builder), factor)
        case _:
            return None


def total(builder: Builder, value: Value, *, is_vector: bool) -> Atom | None:
    """Return the sum of what all iterations add to one vector, or number."""
    match value:
        case Numbers(_, _, (_, _) as factors) if not is_vector:
            return builder.apply(np.vdot, *factors)
        case Numbers(atom) if not is_vector:
            return builder.apply(np.sum, atom)
        case Dots(left, right) if not is_vector:
            return builder.apply(np.vdot, left.atom, right.atom)
        case Rows() if is_vector:
            axis = (("axis", Const(value.axis)),)
            return builder.method("sum", value.atom, kwargs=axis)
        case Scaled(numbers, Same(vector)) if is_vector:
            number = builder.apply(np.sum, numbers.atom)
            return builder.apply(operator.mul, number, vector)
        case Scaled(numbers, Rows() as rows) if is_vector:
            pair = (rows.atom, numbers.atom)
            pair = pair if rows.axis == 1 else pair[::-1]
            return builder.apply(operator.matmul, *pair)
        case _:
            return None


def _column(builder: Builder, numbers: Atom) -> Atom:
    index = Const((ALL, None))
    fact = array_fact(fact_of_atom(numbers).dtype, (None, None))
    return builder.apply(operator.getitem, numbers, index, fact=fact)


def views(value: Value) -> frozenset[str]:
    """Return the values whose memory is still read when this one is used."""
    return frozenset() if isinstance(value, Same) else value.seen


def without_changed_factors(
    values: Mapping[str, Value], read: Container[str]
) -> dict[str, Value]:
    """Return values of which no product is made of its factors once more, where these
    are views of what was read, as it was: it has been written since."""
    numbers = [v for v in values.values() if isinstance(v, Numbers)]
    changed = [v.atom for v in numbers if any(name in read for name in v.seen)]

    def kept(value: Value) -> Value:
        if isinstance(value, Numbers) and any(
            a in changed for a in value.factors or ()
        ):
            return replace(value, factors=None)
        return value

    return {name: kept(value) for name, value in values.items()}


def is_real(var: Var) -> bool:
    """Return whether an array holds real floats."""
    dtype = var.fact.dtype
    return dtype is not None and dtype.kind == "f"


def is_known(value: Value) -> bool:
    """Return whether nothing of a value but its kind could make it another: it is a
    number, or an array of real floats."""
    if not isinstance(value, Same):
        return True
    if isinstance(value.atom, Const):
        return type(value.atom.value) in (int, float)
    fact = value.atom.fact
    if fact.kind in ("float", "int"):
        return True
    real = fact.dtype is not None and fact.dtype.kind in "fi"
    return real and fact.rank in (0, 1)


def is_moved(fn: Callable[..., object]) -> bool:
    """Whether a call may be computed before the loop where it is the same in all
    iterations: an index, a length or a number."""
    if operated(fn) in KEEPING:
        return True
    builds = fn is build_slice or fn is build_tuple
    return builds or fn is operator.getitem or fn is np.shape
