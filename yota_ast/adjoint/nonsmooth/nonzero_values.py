"""A value and the ops that made it -> whether it is certainly not 0.

So that a quotient of Python's numbers is written as it is where nothing can raise.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> x, square, whole = Var("x", FLOAT), Var("t", FLOAT), Var("u", FLOAT)
>>> made = {
...     "t": Apply(square, operator.mul, (x, x)),
...     "u": Apply(whole, operator.add, (Const(1), square)),
... }
>>> never_zero(whole, made.get), never_zero(square, made.get)
(True, False)
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Final, Literal, TypeAlias, assert_never

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Simple,
    With,
    only,
)
from yota_ast.ops import info
from yota_ast.runtime import count

Makers: TypeAlias = Callable[[str], Apply | None]
Sign = Literal["positive", "not negative", "not zero", ""]

_DEEPEST: Final = 12
_SMALL: Final = 1e-100  # products of more are no 0 by underflow


def never_zero(
    atom: Atom, made_by: Makers, known: AbstractSet[str] = frozenset()
) -> bool:
    """Whether a value is certainly not 0; known: values that are not."""
    return _sign(atom, made_by, known, _DEEPEST) in ("positive", "not zero")


def never_negative(atom: Atom, made_by: Makers) -> bool:
    """Whether a value is certainly not below 0."""
    found = _sign(atom, made_by, frozenset(), _DEEPEST)
    return found in ("positive", "not negative")


def divisors(block: Block) -> set[str]:
    """The values that would have raised, had they been 0, where a block has run."""
    made = {op.out.name: op for op in only(block, Apply)}
    waiting: list[Atom] = []
    for op in block:
        match op:
            case With():
                waiting += [Var(name) for name in sorted(divisors(op.body))]
            case Apply():
                waiting += _refused_as_zero(op)
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)
    return not_zero_with(waiting, made.get)


def _refused_as_zero(op: Apply) -> tuple[Atom, ...]:
    """The argument for which an op raises, were it 0."""
    if not op.out.fact.is_python or not op.args:
        return ()
    refused = info(op.fn).refuses_zero
    if refused >= 0:
        return (op.args[refused],)
    return op.args[:1] if op.fn is operator.pow and _is_inverse(op) else ()


def not_zero_with(atoms: Iterable[Atom], made_by: Makers) -> set[str]:
    """Values that are not 0, and those that are not because these are not."""
    waiting, found = list(atoms), set[str]()
    while waiting:
        atom = waiting.pop()
        if not isinstance(atom, Var) or atom.name in found:
            continue
        found.add(atom.name)
        maker = made_by(atom.name)
        if maker is not None and _is_zero_of_zero(maker):
            waiting += maker.args[:1]
        if maker is not None and maker.fn is operator.mul:
            waiting += maker.args
    return found


def _is_inverse(op: Apply) -> bool:
    exponent = op.args[1]
    if not isinstance(exponent, Const) or not isinstance(exponent.value, (int, float)):
        return False
    return exponent.value < 0


def _is_zero_of_zero(op: Apply) -> bool:
    known = info(op.fn)
    if known.arithmetic != "power":
        return known.keeps_zero
    exponent = op.args[1].value if isinstance(op.args[1], Const) else None
    return isinstance(exponent, (int, float)) and exponent > 0


def _sign(atom: Atom, made_by: Makers, known: AbstractSet[str], depth: int) -> Sign:
    if isinstance(atom, Const):
        return _sign_of_number(atom.value)
    if atom.name in known:
        return "not zero"
    op = made_by(atom.name)
    if op is None or depth == 0:
        return ""
    if op.fn is count:
        return "positive"
    if op.fn is np.sum and holds_one(op, made_by):
        return "positive"
    signs = [_sign(a, made_by, known, depth - 1) for a in op.args]
    if op.fn in (operator.mul, operator.add) and len(signs) == 2:
        return _sign_of_two(op, signs)
    if op.fn is operator.neg:
        return "not zero" if signs[0] in ("positive", "not zero") else ""
    if info(op.fn).exponent == 1 / 2 and len(signs) == 1:
        return "positive" if signs[0] in ("positive", "not zero") else "not negative"
    if op.fn is operator.pow and op.args[1] in (Const(2), Const(2.0), Const(4)):
        return "not negative"
    if op.fn is builtins.max and "positive" in signs:
        return "positive"
    of = info(op.fn)
    return "not negative" if of.size or of.never_negative else ""


def holds_one(op: Apply, made_by: Makers) -> bool:
    """Whether a sum is of `np.exp(x - m)`, m the maximum of x over the same axes: one
    of its terms is 1, and none is below 0.

    >>> from yota_ast.ir.abstract_values import fact_of
    >>> x, m, t, e, s = (Var(n, fact_of(np.ones((2, 3)))) for n in "xmtes")
    >>> rows = ("axis", Const(1)), ("keepdims", Const(True))
    >>> made = {
    ...     "m": Apply(m, np.max, (x,), rows),
    ...     "t": Apply(t, operator.sub, (x, m)),
    ...     "e": Apply(e, np.exp, (t,)),
    ... }
    >>> holds_one(Apply(s, np.sum, (e,), rows), made.get)
    True
    >>> holds_one(Apply(s, np.sum, (e,), (("axis", Const(0)),)), made.get)
    False
    """

    def maker(atom: Atom) -> Apply | None:
        return made_by(atom.name) if isinstance(atom, Var) else None

    powers = maker(op.args[0])
    if powers is None or powers.fn is not np.exp:
        return False
    shifted = maker(powers.args[0])
    if shifted is None or info(shifted.fn).arithmetic != "difference":
        return False
    most = maker(shifted.args[1])
    if most is None or not info(most.fn).largest or most.args[:1] != shifted.args[:1]:
        return False
    return _axis_of(op) is not None and _axis_of(op) == _axis_of(most)


def _axis_of(op: Apply) -> Atom | None:
    """The axis of a reduction that has no other settings but keepdims, and of a largest
    element the least that there is."""
    given = dict(op.kwargs)
    if given.get("initial") == Const(-math.inf):
        given.pop("initial")
    axis = op.args[1] if len(op.args) == 2 else given.pop("axis", Const(None))
    plain = given.keys() <= {"keepdims"} and len(op.args) <= 2
    return axis if plain else None


def _sign_of_number(value: object) -> Sign:
    if not isinstance(value, (int, float)) or math.isnan(value):
        return ""
    if abs(value) < _SMALL or math.isinf(value):
        return "not negative" if value >= 0 else ""
    return "positive" if value > 0 else "not zero"


def _sign_of_two(op: Apply, signs: list[Sign]) -> Sign:
    """Of a sum or a product; a product underflows, unless a literal is among its
    factors."""
    if op.fn is operator.add:
        if "" in signs or "not zero" in signs:
            return ""
        return "positive" if "positive" in signs else "not negative"
    if op.args[0] == op.args[1]:
        return "not negative"
    if not any(isinstance(a, Const) for a in op.args):
        return "not negative" if "" not in signs and "not zero" not in signs else ""
    if signs == ["positive", "positive"]:
        return "positive"
    if all(s in ("positive", "not zero") for s in signs):
        return "not zero"
    both = all(s in ("positive", "not negative") for s in signs)
    return "not negative" if both else ""
