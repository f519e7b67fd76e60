"""Rewrites of `np.where` in adjoints, and of the slope of the logistic function."""

from __future__ import annotations

import functools
import math
import operator
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.rewrites.algebra_rewrites import (
    ADD,
    DIV,
    MUL,
    NEG,
    SUB,
    number,
)
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    array,
    either,
    is_truth,
    same_shape,
    scalar,
    truths,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import Table, computed, rewrite, signed
from yota_ast.ir.abstract_values import FLOAT
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.conditions import COMPARISONS
from yota_ast.ir.facts.joined_facts import join
from yota_ast.ir.nodes import Apply, Block, If, Merge
from yota_ast.runtime import expand


def chosen(r: Rewriter, op: Apply) -> Atom | None:
    """An arm of `np.where` that need not be spread: the condition spreads it."""
    if len(op.args) != 3:
        return None
    condition, *arms = op.args
    changed = False
    for k, arm in enumerate(arms):
        unspread = _unspread(r, arm, condition)
        if unspread is not None:
            arms[k], changed = unspread, True
    return r.apply(np.where, condition, *arms) if changed else None


def _unspread(r: Rewriter, arm: Atom, condition: Atom) -> Atom | None:
    spread = r.maker(arm, expand)
    if spread is not None and fact(spread.args[0]).is_scalar:
        return (
            spread.args[0] if r.assumed.same_shape(condition, spread.args[1]) else None
        )
    product = r.inner(arm, MUL)
    if product is None:
        return None
    a, b = product.args
    for one, other in ((a, b), (b, a)):
        unspread = _unspread(r, one, condition)
        if unspread is not None:
            return r.apply(MUL, unspread, other)
    return None


def both_arms(r: Rewriter, op: Apply) -> Atom | None:
    """where(c, 0, a) + where(c, b, 0) is where(c, b, a), also at the end of a sum or a
    difference, and where one is subtracted; one may be called as the sum is, for it is
    the part of an adjoint that comes first."""
    first, last = op.args
    whole = _together(r, op, first, last, negated=(False, op.fn is SUB))
    rest = r.inner(first, ADD, SUB)
    if whole is not None or rest is None:
        return whole
    before, part = rest.args
    whole = _together(r, op, part, last, negated=(rest.fn is SUB, op.fn is SUB))
    return None if whole is None else r.apply(ADD, before, whole)


def _together(
    r: Rewriter, op: Apply, first: Atom, last: Atom, negated: tuple[bool, bool]
) -> Atom | None:
    """One selection for two of a sum; negated: which of them are subtracted."""
    left, right = (_part(r, a, op.out.hint) for a in (first, last))
    if left is None or right is None or not r.assumed.same_shape(first, last):
        return None
    if left.args[0] != right.args[0]:
        return None
    pairs = (left, *negated), (right, *negated[::-1])
    for (one, is_less, other_is_less), (other, *_) in (pairs, pairs[::-1]):
        if number(one.args[2]) == 0 and number(other.args[1]) == 0:
            then, orelse = one.args[1], other.args[2]
            then = r.apply(NEG, then) if is_less else then
            orelse = r.apply(NEG, orelse) if other_is_less else orelse
            return r.apply(np.where, one.args[0], then, orelse)
    return None


def chosen_number(r: Rewriter, op: Apply) -> Atom | None:
    """Of numbers, `np.where(c, a, b)[()]` is `a if c else b`. In a text that is
    differentiated again it stays."""
    if op.args[1] != Const(()) or marking():
        return None
    made = r.inner(op.args[0], np.where)
    if made is None or not _are_numbers(r, made):
        return None
    chosen = _conditional(r, made, op.out.hint)
    r.builder.ops.append(chosen)
    return chosen.merges[0].out


def chosen_product(r: Rewriter, op: Apply) -> Atom | None:
    """Of a number and a truth value, `d * c` is `d if c else 0.0`, which takes a tenth
    of the time. In a text that is differentiated again it stays."""
    if marking():
        return None
    for d, c in (op.args, op.args[::-1]):
        if is_truth(c) and fact(d).is_number and not is_truth(d):
            known = join(fact(d), FLOAT)
            var = r.builder.var(known, op.out.hint)
            negated = r.inner(c, operator.not_)
            test = c if negated is None else negated.args[0]
            arms = (d, Const(0.0)) if negated is None else (Const(0.0), d)
            merges = (Merge(var, *arms),)
            at = r.builder.origin
            r.builder.ops.append(If(test, Block(), Block(), merges, "ifexp", origin=at))
            return var
    return None


def _are_numbers(r: Rewriter, op: Apply) -> bool:
    """Whether all that is chosen from, and by, is a number and no array: at last the
    other arm may be chosen in its turn."""
    if len(op.args) != 3 or op.kwargs:
        return False
    *first, last = op.args
    inner = r.inner(last, np.where)
    if inner is not None:
        return _are_numbers(r, inner) and all(map(_is_number, first))
    return all(map(_is_number, op.args))


def _is_number(atom: Atom) -> bool:
    return fact(atom).is_number and fact(atom).kind != "complex"


def _conditional(r: Rewriter, op: Apply, hint: str | None = None) -> If:
    """A choice of numbers; what one arm chooses again is within it. It may be one of
    Python's numbers where an arm is."""
    test, then, orelse = op.args
    then, orelse = _as_float(then, orelse), _as_float(orelse, then)
    inner = r.inner(orelse, np.where)
    arm: list[Apply | If] = []
    if inner is not None:
        asked = r.inner(inner.args[0], *COMPARISONS)
        if asked is not None:
            again = r.builder.var(asked.out.fact)
            arm.append(replace(asked, out=again))
            inner = replace(inner, args=(again, *inner.args[1:]))
        within = _conditional(r, inner)
        arm.append(within)
        orelse = within.merges[0].out
    known = functools.reduce(join, map(fact, (then, orelse)))
    merges = (Merge(r.builder.var(known, hint), then, orelse),)
    return If(
        test, Block(), Block(tuple(arm)), merges, "ifexp", origin=r.builder.origin
    )


def _as_float(atom: Atom, other: Atom) -> Atom:
    """A whole number beside a float, which an array would have made one."""
    value = atom.value if isinstance(atom, Const) else None
    if type(value) is not int or not fact(other).is_floating:
        return atom
    return Const(float(value))


def _part(r: Rewriter, atom: Atom, hint: str | None) -> Apply | None:
    """The selection that made a part of an adjoint of that name."""
    made = r.maker(atom, np.where)
    if made is None or not hint or made.out.hint != hint:
        return r.inner(atom, np.where)
    return made if r.uses.get(made.out.name, 1) < 2 else None


def sum_of_negative(r: Rewriter, op: Apply) -> Atom | None:
    """sum(-x) is -sum(x)."""
    negated = signed(r, op.args[0], NEG)
    if negated is None or len(op.args) != 1:
        return None
    if op.form == "method":
        total = r.method(op.spelling, negated.args[0], kwargs=op.kwargs)
    else:
        total = r.apply(np.sum, negated.args[0], kwargs=op.kwargs)
    return r.apply(NEG, total)


def logistic(r: Rewriter, op: Apply) -> Atom | None:
    """d * y / (1 + e) * e with y = 1 / (1 + e) and e = exp(..) is d * (y * (1 - y)),
    which is no nan where e overflows."""
    for d, e in (op.args, op.args[::-1]):
        made = r.made_by(e.name) if not isinstance(e, Const) else None
        if made is not None and made.fn in (np.exp, math.exp):
            found = _logistic(r, d, e)
            if found is not None:
                return found
    return None


def _logistic(r: Rewriter, d: Atom, e: Atom) -> Atom | None:
    negated = r.inner(d, NEG)
    quotient = r.inner(negated.args[0] if negated else d, DIV)
    if quotient is None:
        return None
    product, whole = quotient.args
    if isinstance(whole, Const) or not _is_one_more(r.made_by(whole.name), e):
        return None
    factors = _factors(r, product)
    y = next((f for f in factors if _is_inverse(r, f, whole)), None)
    if y is None:
        return None
    factors.remove(y)
    slope = r.apply(MUL, y, r.apply(SUB, Const(1), y))
    for f in factors[::-1]:
        slope = r.apply(MUL, f, slope)
    return r.apply(NEG, slope) if negated else slope


def _is_one_more(op: Apply | None, e: Atom) -> bool:
    if op is None or op.fn is not ADD:
        return False
    a, b = op.args
    return (number(a) == 1 and b == e) or (number(b) == 1 and a == e)


def _is_inverse(r: Rewriter, y: Atom, whole: Atom) -> bool:
    made = None if isinstance(y, Const) else r.forward.get(y.name)
    if made is None or made.fn not in (operator.truediv, np.divide):
        return False
    return number(made.args[0]) == 1 and made.args[1] == whole


def _factors(r: Rewriter, atom: Atom) -> list[Atom]:
    product = r.inner(atom, MUL)
    if product is None:
        return [atom]
    return [f for a in product.args for f in _factors(r, a)]


_TRUTHS: Final = truths("p", "q")
TABLE: Table = (
    computed(chosen_number, operator.getitem),
    rewrite("np.where(c, x, x)", "x", same_shape("c", "x")),
    rewrite(
        "np.where(c, d * np.where(c, x, 1), y)",
        "np.where(c, d * x, y)",
        scalar("d"),
    ),
    computed(chosen, np.where),
    rewrite(
        "np.where(expand(c, d), x, y)", "np.where(c, x, y)",
        either(same_shape("x", "d"), same_shape("y", "d")),
    ),
    rewrite("np.where(p, np.where(q, x, z), z)", "np.where(p & q, x, z)", _TRUTHS),
    rewrite("np.where(p, np.where(q, z, x), z)", "np.where(p & ~q, x, z)", _TRUTHS),
    rewrite("np.where(p, z, np.where(q, z, x))", "np.where(p | q, z, x)", _TRUTHS),
    rewrite("np.where(p, z, np.where(q, x, z))", "np.where(q & ~p, x, z)", _TRUTHS),
    rewrite("np.where(c, -x, 0)", "-np.where(c, x, 0)", array("x")),
    rewrite("np.where(c, 0, -x)", "-np.where(c, 0, x)", array("x")),
    computed(both_arms, ADD, SUB),
    computed(sum_of_negative, np.sum),
    computed(logistic, MUL),
)  # fmt: skip
LAST_TABLE: Table = (computed(chosen_product, MUL),)
