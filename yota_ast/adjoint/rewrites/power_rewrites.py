"""Rewrites of the adjoints of powers and roots: plain where nothing can raise.

Python's numbers raise where NumPy's warn: `0.0 ** -0.5`, `1 / 0.0`. Where the primal
does not, the reverse sweep must not either; where an operand is NumPy's or cannot be
0, the helpers that see to that become plain words.
"""

from __future__ import annotations

import math
import operator
from typing import Final

import numpy as np

from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.nonsmooth.nonzero_values import never_zero, not_zero_with
from yota_ast.adjoint.rewrites.algebra_rewrites import (
    ADD,
    DIV,
    MUL,
    NEG,
    NUMBERS,
    SUB,
    number,
    tidy_number,
)
from yota_ast.adjoint.rewrites.common_values import likeness
from yota_ast.adjoint.rewrites.rewrite_conditions import either, known
from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Condition,
    Table,
    computed,
    rewrite,
)
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import LASTING, Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    divided,
    expand,
    log_or_zero,
    power_slope,
    product_or_zero,
    quotient_or_zero,
    unpower,
)


def _never_zero(**pairs: str) -> Condition:
    """Operands are never 0, or the cotangent has been divided by them."""

    def holds(r: Rewriter, bound: Bound) -> bool:
        return all(
            never_zero(bound[y], r.made_by, r.nonzero | _divisors_of(r, bound[d]))
            for y, d in pairs.items()
        )

    return holds


def _divisors_of(r: Rewriter, d: Atom) -> set[str]:
    """What a cotangent has been divided by: the primal has divided by it, too."""
    op = r.maker(d, MUL, DIV, NEG)
    if op is None:
        return set()
    found = {name for a in op.args[: 1 + (op.fn is MUL)] for name in _divisors_of(r, a)}
    if op.fn is DIV and isinstance(op.args[1], Var):
        found |= not_zero_with([op.args[1]], r.made_by)
    return found


def is_numpy(known: Fact) -> bool:
    """Whether a value is certainly NumPy's, which does not raise where Python does."""
    return known.kind == "array" or (known.kind == "scalar" and bool(known.dtype))


def power_of_number(r: Rewriter, op: Apply) -> Atom | None:
    """d * v * u ** (v - 1)."""
    d, u, v = op.args
    n = v.value if isinstance(v, Const) else None
    safe = type(n) in NUMBERS and not 0 < n < 1  # type: ignore[operator]
    safe = safe or fact(v).kind == "int"
    if safe or never_zero(u, r.made_by, r.nonzero | _divisors_of(r, d)):
        return r.apply(MUL, d, _slope(r, u, v))
    if number(v) is None:
        return None
    rest = r.apply(operator.pow, u, _less(1, n))  # type: ignore[arg-type]
    return r.apply(divided, r.apply(MUL, v, d), rest)


def slope(r: Rewriter, op: Apply) -> Atom | None:
    """v * u ** (v - 1), where neither raises."""
    u, v = op.args
    n = v.value if isinstance(v, Const) else None
    if type(n) in NUMBERS and (n == 0 or n >= 1):  # type: ignore[operator]
        return _slope(r, u, v)
    array = fact(v).kind == "array" and bool(fact(v).rank)  # the power is NumPy's
    safe = array or is_numpy(fact(u)) or never_zero(u, r.made_by, r.nonzero)
    return _slope(r, u, v) if safe else None


def _slope(r: Rewriter, u: Atom, v: Atom) -> Atom:
    n = v.value if isinstance(v, Const) else None
    named = isinstance(v, Const) and bool(v.text)
    power = _at_hand(r, u, v)
    if power is not None:
        return r.apply(MUL, v, r.apply(DIV, power, u))
    if fact(v).dtype == np.bool_:  # of which NumPy makes no difference
        return r.apply(MUL, v, r.apply(operator.pow, u, Const(0)))
    if type(n) not in NUMBERS or (named and n in (0, 1)):  # a file reads it anew
        less = r.apply(SUB, v, r.apply(operator.ne, v, Const(0)))
        return r.apply(MUL, v, r.apply(operator.pow, u, less))
    if isinstance(v, Const) and v.text:
        parts = SUB, (v, Const(1))
        spelled = Const(n - 1, f"{v.text} - 1", v.home, parts)  # type: ignore[operator]
        return r.apply(MUL, v, r.plain(operator.pow, u, spelled))
    if n in (0, 1):
        return Const(0.0) if n == 0 else Const(1)
    return r.apply(MUL, v, r.apply(operator.pow, u, _less(n, 1)))  # type: ignore[arg-type]


def _at_hand(r: Rewriter, u: Atom, v: Atom) -> Atom | None:
    """Return `u ** v` where it has been computed, of a literal below 0: a quotient by u
    takes a fraction of the time of a power, and is the same number where u is 0. In
    code that is differentiated again a power has the shorter slope."""
    n = v.value if isinstance(v, Const) else None
    if marking() or type(n) not in NUMBERS or n >= 0:  # type: ignore[operator]
        return None
    return r.seen.get(likeness(operator.pow, (u, v), ()))


def _less(n: float, m: float) -> Const:
    """n - m, as a person writes it: 0.9 - 1 is -0.1."""
    return tidy_number(float(f"{n - m:.15g}"))


def log(r: Rewriter, op: Apply) -> Atom | None:
    """The logarithm of an array, 0 where it is 0; of a literal above 0 just that."""
    u = op.args[0]
    widened = r.maker(u, ADD)
    if widened is not None and widened.args[1] == Const(0j):  # of a complex exponent
        u = widened.args[0] if isinstance(widened.args[0], Const) else u
    if isinstance(u, Const) and type(u.value) in NUMBERS and u.value > 0:  # type: ignore[operator]
        if not u.is_live or u.home in LASTING:
            return Const(1) if u.value == math.e else r.apply(math.log, u)
    if not is_numpy(fact(u)) or fact(u).dtype is None:
        return None
    zero = r.apply(operator.eq, u, Const(0))
    if not r.floats.of(u):  # of bytes NumPy's has three digits
        return r.apply(np.log, r.apply(np.where, zero, Const(1.0), u))
    return r.apply(np.log, r.apply(ADD, u, zero))


def away_from_zero(r: Rewriter, op: Apply) -> Atom | None:
    """u + (u == 0) is u, where that is never 0."""
    u, test = op.args
    zero = r.inner(test, operator.eq)
    if zero is None or zero.args != (u, Const(0)):
        return None
    return u if never_zero(u, r.made_by, r.nonzero) else None


def quotient(r: Rewriter, op: Apply) -> Atom | None:
    """d / y of NumPy's, 0 where d is 0."""
    return _where_zero(r, op, DIV, 1)


def product(r: Rewriter, op: Apply) -> Atom | None:
    """d * s of NumPy's, 0 where d is 0."""
    return _where_zero(r, op, MUL, 0)


def _where_zero(r: Rewriter, op: Apply, by: Fn, instead: int) -> Atom | None:
    """`d` and an operand that a number stands for where `d` is 0: it is 0 whatever its
    sign. In a text that is differentiated again the helper stays: it has the slope that
    the operand gives, also where `d` is 0."""
    d, y = op.args
    if marking() or not (is_numpy(fact(d)) or is_numpy(fact(y))):
        return None
    negated = r.maker(d, NEG)
    zero = r.apply(operator.eq, d if negated is None else negated.args[0], Const(0))
    return r.apply(by, d, r.apply(np.where, zero, Const(instead), y))


_FARTHEST: Final = 8


def by_operator(r: Rewriter, op: Apply) -> Atom | None:
    """A quotient of one of NumPy's numbers, which the operator divides as well."""
    return r.apply(DIV, *op.args) if _is_of_numpy(r, op.args[0]) else None


def _is_of_numpy(r: Rewriter, atom: Atom, far: int = 0) -> bool:
    """Whether a number is surely one of NumPy's: an element of an array, or computed
    with one. By 0 it is divided without an error."""
    op = r.maker_of(atom)
    if op is None or far > _FARTHEST or not fact(atom).is_scalar:
        return False
    if op.fn is operator.getitem or isinstance(op.fn, np.ufunc):
        return op.fn is not operator.getitem or fact(op.args[0]).kind == "array"
    numbers = op.fn in (ADD, SUB, MUL, DIV, NEG)
    return numbers and any(_is_of_numpy(r, a, far + 1) for a in op.args)


# ---------------------------------------------------------------- quotients at hand


def over_quotient(r: Rewriter, op: Apply) -> Atom | None:
    """d / (u / v) / v is d / u: what u gets in `np.log(u / v)`."""
    share, v = r.nameless(op.args[0], DIV), op.args[1]
    made = None if share is None else r.maker_of(share.args[1])
    if share is None or made is None or made.fn is not DIV:
        return None
    d, u = share.args[0], r.atom(made.args[0])
    if r.atom(made.args[1]) != r.atom(v) or not _are_floats(d, u, v):
        return None
    number = fact(d).is_scalar and fact(u).is_scalar
    like = next((a for a in (u, v, d) if r.assumed.same_shape(a, op.out)), None)
    if like is None or not (number or r.assumed.same_shape(d, op.out)):
        return None
    value = _without(r, d, u) or r.apply(DIV, d, u)
    shaped = r.assumed.same_shape(value, op.out)
    return value if shaped else r.apply(expand, value, like)


def _are_floats(*atoms: Atom) -> bool:
    """Whether values are floats, the arrays among them of one type."""
    types = {fact(a).dtype for a in atoms if fact(a).kind in ("array", "scalar")}
    plain = all(fact(a).kind in ("array", "scalar", "float") for a in atoms)
    return (
        plain and len(types) < 2 and all(t is not None and t.kind == "f" for t in types)
    )


def _without(r: Rewriter, d: Atom, u: Atom) -> Atom | None:
    """c * u / u is c."""
    product = r.nameless(d, MUL)
    return product.args[0] if product is not None and product.args[1] == u else None


TABLE: Table = (
    computed(over_quotient, DIV),
    computed(by_operator, np.divide),
    rewrite("divided(d, y)", "d / y", either(known(is_numpy, "y"), _never_zero(y="d"))),
    rewrite("quotient_or_zero(d, y)", "d / y", _never_zero(y="d")),
    computed(quotient, quotient_or_zero),
    computed(product, product_or_zero),
    rewrite(
        "unpower(d, u, v)", "d * power_slope(u, v)",
        either(known(is_numpy, "u"), known(is_numpy, "v")),
    ),
    computed(power_of_number, unpower),
    computed(slope, power_slope),
    computed(log, log_or_zero),
    computed(away_from_zero, ADD),
)  # fmt: skip
