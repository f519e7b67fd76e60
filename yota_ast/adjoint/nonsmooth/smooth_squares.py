"""The op of a square of a root -> the op that it is differentiated as.

The square of `abs`, of a Euclidean norm, of `hypot`, of `std` and of `sqrt` is smooth
where the root is not: `norm(x) ** 2` has the gradient `2 * x`. The primal stays as it
is; its derivative is that of the function that the root's rule names for its square.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.nonsmooth.nonzero_values import Makers
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.rules.notation.rule import BOOK


def without_root(op: Apply, made_by: Makers) -> Apply:
    """Return the op that an op is differentiated as: of a square of a root another."""
    found = _root_and_exponent(op, made_by)
    if found is None or found[0].out.fact.kind in ("list", "tuple"):
        return op
    root, n = found
    call = _power_of(root, n)
    if call is None or BOOK.choose(call[0], *call[1:], op.origin.location) is None:
        return op
    fn, args, kwargs = call
    return replace(op, fn=fn, args=args, kwargs=kwargs, form="call", spelling="")


def _root_and_exponent(op: Apply, made_by: Makers) -> tuple[Apply, float] | None:
    """Return the op of which an op gives a power, and the exponent."""
    if op.kwargs or not op.args or not isinstance(op.args[0], Var):
        return None
    root = made_by(op.args[0].name)
    if root is None:
        return None
    known = info(op.fn)
    if known.exponent == 2 and len(op.args) == 1:
        return root, 2
    if len(op.args) != 2:
        return None
    if known.arithmetic == "power":
        n = _exponent(op.args[1])
        return None if n is None else (root, n)
    both_numbers = all(fact_of_atom(a).is_scalar for a in op.args)
    of_numbers = known.arithmetic == "inner product" and both_numbers
    if known.arithmetic == "product" or of_numbers:
        return (root, 2) if _is_same(root, op.args[1], made_by) else None
    return None


def _exponent(atom: Atom) -> float | None:
    """Return a whole number that is written as an exponent, from 2 on."""
    if not isinstance(atom, Const) or atom.is_live:
        return None
    n = atom.value
    if not isinstance(n, (int, float)) or isinstance(n, bool):
        return None
    return n if n >= 2 and float(n).is_integer() else None


def _is_same(root: Apply, other: Atom, made_by: Makers) -> bool:
    """Return whether an atom has the value of an op."""
    if other == root.out:
        return True
    made = made_by(other.name) if isinstance(other, Var) else None
    return made is not None and not root.effect and _call_of(made) == _call_of(root)


def _call_of(op: Apply) -> tuple[object, ...]:
    return op.fn, op.args, op.kwargs


Call = tuple[Callable[..., Any], tuple[Atom, ...], tuple[tuple[str, Atom], ...]]


def _power_of(root: Apply, n: float) -> Call | None:
    """Return the function that gives a power of a root, and what it is given."""
    bound = BOOK.choose(root.fn, root.args, root.kwargs, root.origin.location)
    if bound is None:
        return None
    given = {k: a for k, a in bound.arguments.items() if not isinstance(a, tuple)}
    if n == 2 and given.get("metric") == Const("euclidean"):  # SciPy has its square
        points = tuple(a for k, a in given.items() if k != "metric")
        return root.fn, (*points, Const("sqeuclidean")), ()
    rule = bound.rule
    args, kwargs = root.args, root.kwargs
    if "ord" in given:
        if not _is_euclidean(rule.name, given):
            return None
        axis = given.get("axis", Const((-2, -1)))
        args, kwargs = (given["x"], axis, given["keepdims"]), ()
    if n == 2:
        return None if rule.square is None else (rule.square, args, kwargs)
    if rule.power is None or kwargs:
        return None
    x, *rest = args
    return rule.power, (x, root.out, Const(n), Const(n - 2), *rest), ()


def _is_euclidean(name: str, given: Mapping[str, Atom]) -> bool:
    """Return whether a norm is the root of the sum of squares."""
    axis, order = given.get("axis", Const((-2, -1))), given["ord"]
    if not isinstance(order, Const) or not isinstance(axis, Const):
        return False
    of_vectors = name == "vector_norm" or type(axis.value) is int
    of_vectors |= axis.value is None and fact_of_atom(given["x"]).rank == 1
    return order.value in (None, "fro") or (order.value == 2 and of_vectors)
