"""Rewrites of sums, products and quotients: what a careful person would not write.

No `* 1.0`, no `+ 0`, no `- -x`; numbers first, then scalars, then arrays, so that a
product makes one pass over memory: `(2 * seed / n) * e`.
"""

from __future__ import annotations

import math
import operator
from typing import Final, TypeGuard

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.rewrites.common_values import likeness
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    is_real,
    is_truth,
    known,
    numeric,
    scalar,
    without,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Table,
    computed,
    rewrite,
    signed,
)
from yota_ast.ir.atoms import LASTING, Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops.algebra import operated
from yota_ast.ops.record import Arithmetic
from yota_ast.runtime import divided
from yota_ast.syntax.names import is_weak
from yota_ast.syntax.value_literals import literal_text

ADD, SUB, MUL, DIV, NEG = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg,
)  # fmt: skip
NUMBERS = (int, float)
_LEFT_BY_ROUNDING: Final = 8
"""How many digits a literal has more than one that differs in the last two alone."""
_TAKEN_APART: Final[tuple[Arithmetic, ...]] = (
    "product", "quotient", "negative", "power",
)  # fmt: skip


def number(atom: Atom) -> float | None:
    """The value of a literal number (bools are none)."""
    if isinstance(atom, Const) and atom.text is None and type(atom.value) in NUMBERS:
        return atom.value  # type: ignore[return-value]
    return None


def tidy_number(value: float) -> Const:
    """A literal; whole numbers of modest size as ints, as a person writes factors, and
    a product of few digits without what rounding has left: 3 * 0.1 as 0.3.

    >>> [tidy_number(n).value for n in (2.0, 3 * 0.1, 1 / 3)]
    [2, 0.3, 0.3333333333333333]
    """
    rounded = float(f"{value:.15g}")
    exact, short = (literal_text(number) or "" for number in (value, rounded))
    if len(exact) - len(short) > _LEFT_BY_ROUNDING:
        value = rounded
    if float(value).is_integer() and abs(value) < 1e6:
        return Const(int(value))
    return Const(value)


@dataclass(slots=True)
class Product:
    """number * scalars / divisors * arrays: the normal form of a product.

    Arrays keep their order, for they need not commute in cost; divisors are scalars.
    """

    number: float = 1
    scalars: list[Atom] = field(default_factory=list)
    divisors: list[Atom] = field(default_factory=list)
    arrays: list[Atom] = field(default_factory=list)

    def take(self, r: Rewriter, atom: Atom) -> None:
        """Multiply by an atom, taken apart where the text would nest it."""
        value = number(atom)
        inner = spread = None
        made = r.made.get(atom.name) if isinstance(atom, Var) else None
        if made is not None and made.fn in (MUL, DIV):
            inner = r.inner(atom, MUL, DIV) or _short(r, made)
        elif made is not None and made.fn is NEG:
            inner = signed(r, atom, NEG)
        items = self.number not in (1, -1)
        inner = (
            inner or forward_negative(r, atom) or simple_multiple(r, atom, items=items)
        )
        if inner is None and made is not None and made.fn is operator.getitem:
            spread = scaled(r, atom)
        if value is not None:
            self.number *= value
        elif spread is not None:
            self.number *= spread[0]
            self.take(r, spread[1])
        elif inner is not None and (inner.fn is not DIV or divides(inner)):
            self.take_op(r, inner)
        else:
            self._add(atom)

    def _add(self, atom: Atom) -> None:
        (self.scalars if fact(atom).is_scalar else self.arrays).append(atom)

    def take_op(self, r: Rewriter, op: Apply) -> None:
        """Multiply by a product, a quotient by a scalar, or a negative."""
        if op.fn is DIV and fact(op.args[0]).kind == "float":
            n = number(op.args[0])
            if n is not None and n < 0 and op.out.name in r.forward:
                self.number *= -1
                self.take(r, r.plain(DIV, Const(-n), op.args[1]))
                return
        named = r.maker(op.args[0], NEG) if op.fn is DIV else None
        if named is not None and _is_read_more_than_once(r, named):
            self._add(op.args[0])  # its sign stays within the quotient
        else:
            self.take(r, op.args[0])
        if op.fn is NEG:
            self.number *= -1
        elif op.fn is MUL:
            self.take(r, op.args[1])
        else:
            self.divide(r, op.args[1])

    def divide(self, r: Rewriter, atom: Atom) -> None:
        """Divide by a scalar, its number taken out: `2 * (d / (2 * y))` is `d / y`, and
        `2 * (d / 2)` is d."""
        own = number(atom)
        if own and self.number / own and (self.number / own).is_integer():
            self.number /= own
            return
        inner = r.inner(atom, MUL)
        n = None if inner is None else number(inner.args[0])
        if inner is not None and n and (self.number / n).is_integer():
            self.number /= n
            self.divide(r, inner.args[1])
        else:
            self.divisors.append(atom)

    def _halve(self, r: Rewriter) -> None:
        """2 * (d / (2 * y)) is d / y, though others read the quotient too: what it was
        doubled for they double as well."""
        divisors, self.divisors = self.divisors, []
        for atom in divisors:  # what came after them may have doubled
            self.divide(r, atom)
        for atoms in (self.scalars, self.arrays):
            for k, atom in enumerate(atoms):
                op = r.nameless(atom, DIV, divided)
                inner = None if op is None else r.nameless(op.args[1], MUL)
                n = None if inner is None else number(inner.args[0])
                if op is not None and inner is not None and n and self.number != 1:
                    if (self.number / n).is_integer():
                        self.number /= n
                        atoms[k] = r.apply(op.fn, op.args[0], inner.args[1])

    def _reduced(self, r: Rewriter) -> None:
        """c * (d / (c * x)) is d / x, where c is a constant: log(2 * np.pi * x)."""
        for c in [a for a in self.scalars if _is_lasting(r, a)]:
            for k, atom in enumerate(self.divisors):
                rest = _other_factor(r, atom, c)
                if rest is not None and c in self.scalars:
                    self.scalars.remove(c)
                    self.divisors[k] = rest
            for atoms in (self.arrays, self.scalars):
                for k, atom in enumerate(atoms):
                    op = r.nameless(atom, DIV, divided, np.divide)
                    rest = None if op is None else _other_factor(r, op.args[1], c)
                    if op is not None and rest is not None and c in self.scalars:
                        atoms[k] = r.apply(op.fn, op.args[0], rest)
                        self.scalars.remove(c)
                        break

    def _inverted(self, r: Rewriter) -> None:
        """d / x * y with y = 1 / x is d * y * y."""
        for y in (*self.scalars, *self.arrays):
            made = r.made_by(y.name) if isinstance(y, Var) else None
            if made is None or made.fn is not DIV or number(made.args[0]) != 1:
                continue
            if made.args[1] in self.divisors:
                self.divisors.remove(made.args[1])
                self.take(r, y)
            for k, d in enumerate(self.arrays):
                quotient = r.inner(d, DIV)
                if quotient is not None and quotient.args[1] == made.args[1]:
                    rest, self.arrays = self.arrays[k + 1 :], self.arrays[:k]
                    self.take(r, quotient.args[0])
                    self.take(r, y)
                    self.arrays += rest
                    break

    def _with_quotients(self, r: Rewriter) -> None:
        """d / y * x is d * q, where the function has a name for q = x / y."""
        for k, d in enumerate(self.arrays):
            quotient = r.inner(d, DIV)
            for x in (*self.scalars, *self.arrays[:k], *self.arrays[k + 1 :]):
                q = None if quotient is None else _named(r, x, quotient.args[1])
                if quotient is not None and q is not None:
                    self.arrays[k] = quotient.args[0]
                    (self.arrays if x in self.arrays else self.scalars).remove(x)
                    self._add(q)
                    return

    def _raised(self, r: Rewriter) -> None:
        """x**3 * x is x**4; of arrays not x**2 * x, x**3 takes NumPy longer."""
        for atoms in (self.scalars, self.arrays):
            for k, atom in enumerate(atoms if len(atoms) > 1 else ()):
                op = r.inner(atom, operator.pow)
                n = None if op is None else number(op.args[1])
                if op is None or n is None or n < (1 if fact(atom).is_python else 3):
                    continue
                if op.args[0] in atoms:
                    atoms[k] = r.plain(operator.pow, op.args[0], tidy_number(n + 1))
                    atoms.remove(op.args[0])
                    return

    def _cancelled(self, r: Rewriter) -> None:
        """x * y / y is x, where the primal has divided by y, too."""
        for y in [d for d in self.divisors if isinstance(d, Var)]:
            if y in self.scalars and y.name in r.nonzero:
                self.scalars.remove(y)
                self.divisors.remove(y)

    def _with_sign(self, r: Rewriter) -> None:
        """-(x[:, None] * y) passes over all of the product twice, -x[:, None] * y
        once."""
        if self.number != -1 or self.scalars or self.divisors or len(self.arrays) < 2:
            return
        first, second = self.arrays[:2]
        if r.inner(first, operator.getitem) and _is_smaller(first, second):
            self.number, self.arrays[0] = 1, r.plain(NEG, first)

    def value(self, r: Rewriter, op: Apply) -> Atom:
        """The product as ops: one pass over memory for all that is scalar. op: what it
        is made of, which stays if it is the product of two floats as it should be."""
        if self.divisors:
            self._cancelled(r)
        if self.divisors or self.arrays or len(self.scalars) > 1:
            self._reduced(r)
        if self.divisors or self.arrays:
            self._inverted(r)
            self._with_quotients(r)
        if self.divisors or self.number != 1:
            self._halve(r)
        self._raised(r)
        self._with_sign(r)
        sign, n = (-1, 1) if self.number == -1 else (1, self.number)
        factors = list(self.scalars)
        if n != 1 or not (factors or self.arrays):
            factors.insert(0, tidy_number(n))
        divisors = list(self.divisors)
        plain = sign == 1 and op.fn is MUL and not (divisors or self.arrays)
        same = [*map(id, op.args)]
        if plain and op.out.fact.kind == "float" and [*map(id, factors)] == same:
            return r.keep(op)
        value: Atom | None = None
        if factors:
            value = _chain(r, MUL, factors)
        elif divisors and self.arrays:
            value = self.arrays.pop(0)  # array / scalar, without a 1 / scalar before it
        if value is None:
            value = self.arrays.pop(0)
        for d in divisors:
            value = r.plain(DIV, value, d)
        value = _chain(r, MUL, [value, *self.arrays])
        return value if sign == 1 else r.plain(NEG, value)


def _is_lasting(r: Rewriter, atom: Atom) -> bool:
    """Whether a number is the same in every call, and neither 0 nor infinite."""
    if isinstance(atom, Const):
        value = atom.value
        if not isinstance(value, NUMBERS) or type(value) not in NUMBERS:
            return False
        if not value or not math.isfinite(value):
            return False
        parts = () if atom.made is None else atom.made[1]
        lasting = not atom.is_live or atom.home in LASTING
        return all(_is_lasting(r, p) for p in parts) if parts else lasting
    op = r.maker_of(atom)
    return (
        op is not None
        and op.fn in (MUL, DIV)
        and all(_is_lasting(r, a) for a in op.args)
    )


def _other_factor(r: Rewriter, product: Atom, c: Atom) -> Atom | None:
    """y, of a product c * y or y * c without a name."""
    op = r.maker_of(product)
    if op is None or op.fn is not MUL or not is_weak(op.out.hint) or c not in op.args:
        return None
    return op.args[1 - op.args.index(c)]


def _is_smaller(one: Atom, other: Atom) -> bool:
    """Whether an array is repeated along an axis of the other."""
    p, q = fact(one).shape, fact(other).shape
    if not isinstance(p, tuple) or not isinstance(q, tuple):
        return False
    units = [d is not None and d.is_unit for d in p]
    return len(p) < len(q) or units != [d is not None and d.is_unit for d in q]


def forward_negative(r: Rewriter, atom: Atom) -> Apply | None:
    """The op of the forward sweep that made a negative without a name: -x, -2 / x."""
    op = r.forward.get(atom.name) if isinstance(atom, Var) else None
    if op is None or not is_weak(op.out.hint):
        return None
    if op.fn is NEG and _has_sign(r, op.args[0]):
        return op
    if op.fn is DIV and fact(atom).kind == "float":
        n = number(op.args[0])
        return op if n is not None and n < 0 else None
    return None


def simple_multiple(r: Rewriter, atom: Atom, *, items: bool) -> Apply | None:
    """The op that made a number times a scalar with a name, itself without one, however
    often it is read: `0.5 * lam`, twice of which is `lam`. items: or times an item."""
    op = r.maker_of(atom)
    if op is None or op.fn is not MUL or not is_weak(op.out.hint):
        return None
    n, rest = op.args
    made = r.maker_of(rest) if items else None
    named = isinstance(rest, Var) and bool(rest.hint)
    named = named or (made is not None and made.fn is operator.getitem)
    return op if named and fact(rest).is_scalar and number(n) else None


def _named(r: Rewriter, x: Atom, y: Atom) -> Var | None:
    """The variable of the function that is x / y."""
    q = r.seen.get(likeness(DIV, (x, y), ()))
    return q if q is not None and not is_weak(q.hint) and q.name in r.forward else None


def _short(r: Rewriter, op: Apply) -> Apply | None:
    """An op of the same block that makes an adjoint of two values with names, for one
    product alone to read."""
    if not op.origin.reverse or r.uses.get(op.out.name, 2) > 1:
        return None
    named = all(isinstance(a, Const) or not _is_nameless(r, a) for a in op.args)
    return op if named and any(each is op for each in r.builder.ops) else None


def _is_nameless(r: Rewriter, atom: Atom) -> bool:
    made = r.maker_of(atom)
    return made is not None and is_weak(made.out.hint)


def _is_read_more_than_once(r: Rewriter, op: Apply) -> bool:
    """Whether what an op made has a name, and more than one reads it."""
    return not is_weak(op.out.hint) and r.uses.get(op.out.name, 2) > 1


def _has_sign(r: Rewriter, atom: Atom) -> bool:
    """Whether a negative is the number with the other sign, as that of an array without
    signs is not: of floats it is none that whole numbers may be given for."""
    known = fact(atom)
    if known.is_python:
        return known.is_numeric
    floats = known.dtype is not None and known.dtype.kind in "fc"
    return floats and r.floats.of(atom)


def scaled(r: Rewriter, atom: Atom) -> tuple[float, Atom] | None:
    """The number in an array that was given axes of length 1: `(-2 * t)[:, None]`."""
    op = r.inner(atom, operator.getitem)
    if op is None or not isinstance(op.args[1], Const):
        return None
    index = op.args[1].value
    parts = index if isinstance(index, tuple) else (index,)
    if not all(p is None or (isinstance(p, slice) and p == slice(None)) for p in parts):
        return None
    negated = signed(r, op.args[0], NEG)
    if negated is not None:
        return -1, r.plain(operator.getitem, negated.args[0], op.args[1])
    n, rest = _number_and_rest(r, op.args[0])
    return None if n == 1 else (n, r.plain(operator.getitem, rest, op.args[1]))


def _number_and_rest(r: Rewriter, atom: Atom) -> tuple[float, Atom]:
    """The number that a product of arrays begins with."""
    op = r.inner(atom, MUL, DIV)
    if op is None or fact(atom).is_scalar:
        return 1, atom
    first, last = op.args
    n = number(first)
    if n is not None:
        return (n, last) if op.fn is MUL else (1, atom)
    n, rest = _number_and_rest(r, first)
    return (1, atom) if n == 1 else (n, r.plain(op.fn, rest, last))


def _chain(r: Rewriter, fn: Fn, atoms: list[Atom]) -> Atom:
    value = atoms[0]
    for atom in atoms[1:]:
        value = r.plain(fn, value, atom)
    return value


def divides(op: Apply) -> bool:
    """Whether a quotient is one by a scalar."""
    return fact(op.args[1]).is_scalar


def product(r: Rewriter, op: Apply) -> Atom | None:
    """The normal form of a product, a quotient or a negative."""
    if op.fn is DIV and not divides(op):
        return None
    if op.fn is MUL and op.out.fact.is_number and any(map(is_truth, op.args)):
        return None  # what is chosen last is 0 also where it divides by 0
    if op.fn is MUL and op.out.fact.kind == "float":
        if all(_is_alone(r, a) for a in op.args):  # most are as they should be
            return r.keep(op)
    whole = Product()
    whole.take_op(r, op)
    return whole.value(r, op)


def _is_alone(r: Rewriter, atom: Atom) -> bool:
    """Whether a factor is a scalar that nothing is taken out of."""
    if not isinstance(atom, Var) or not atom.fact.is_scalar:
        return False
    made = r.made.get(atom.name)
    alone = made is None or not (
        made.fn is operator.getitem or operated(made.fn) in _TAKEN_APART
    )
    return alone and forward_negative(r, atom) is None


def conjugated_twice(r: Rewriter, op: Apply) -> Atom | None:
    """conj(conj(x)) is x, also where conj(x) has a name."""
    made = r.maker(op.args[0], np.conj, np.conjugate)
    return made.args[0] if made is not None and len(op.args) == 1 else None


def parts_conjugated(r: Rewriter, op: Apply) -> Atom | None:
    """conj(conj(a) / conj(b)) is a / b."""
    inner = r.inner(op.args[0], MUL, DIV)
    if inner is None:
        return None
    found: list[Atom] = []
    for atom in inner.args:
        part = r.nameless(atom, np.conj, np.conjugate)
        if part is None and not is_real(fact(atom)):
            return None
        found.append(atom if part is None else part.args[0])
    return r.apply(inner.fn, *found)


def real_of_imaginary(r: Rewriter, op: Apply) -> Atom | None:
    """The real part of `1j * x` is -np.imag(x)."""
    found = _imaginary_factor(r, op.args[0])
    if found is None or not fact(found[1]).is_complex:
        return None
    factor, rest = found
    return r.apply(MUL, Const(-factor), r.apply(np.imag, rest))


def _imaginary_factor(r: Rewriter, x: Atom) -> tuple[float, Atom] | None:
    """A literal imaginary factor of a product, and the rest."""
    made = r.maker_of(x)
    if made is None or operated(made.fn) != operated(MUL) or len(made.args) != 2:
        return _factor_within(r, x)
    for factor, rest in (made.args, made.args[::-1]):
        if isinstance(factor, Const) and _is_imaginary(factor.value):
            return factor.value.imag, rest
    return _factor_within(r, x)


def _factor_within(r: Rewriter, x: Atom) -> tuple[float, Atom] | None:
    """The same of a product of products."""
    made = r.inner(x, MUL, DIV)
    if made is None:
        return None
    left, right = made.args
    found = _imaginary_factor(r, left)
    if found is not None:
        return found[0], r.apply(made.fn, found[1], right)
    found = _imaginary_factor(r, right) if made.fn is MUL else None
    return None if found is None else (found[0], r.apply(MUL, left, found[1]))


def _is_imaginary(value: object) -> TypeGuard[complex]:
    return type(value) is complex and not value.real


TABLE: Table = (
    rewrite("0 + x", "x", numeric("x")),
    rewrite("x + -y", "x - y"),
    rewrite("x - 0", "x"),
    rewrite("0 - x", "-x"),
    rewrite("x - -y", "x + y"),
    rewrite("-(x - y)", "y - x"),
    rewrite("-x / y", "-(x / y)", without(scalar("y"))),
    computed(product, MUL, DIV, NEG),
    rewrite("x ** 1", "x"),
    rewrite("np.conj(x)", "x", known(is_real, "x")),
    rewrite("np.real(x)", "x", known(is_real, "x")),
    computed(conjugated_twice, np.conj),
    rewrite("np.real(np.conj(x))", "np.real(x)"),
    rewrite("np.imag(np.conj(x))", "-np.imag(x)"),
    rewrite("np.real(-x)", "-np.real(x)"),
    rewrite("np.imag(-x)", "-np.imag(x)"),
    rewrite("np.conj(-x)", "-np.conj(x)"),
    computed(parts_conjugated, np.conj),
    computed(real_of_imaginary, np.real),
)
