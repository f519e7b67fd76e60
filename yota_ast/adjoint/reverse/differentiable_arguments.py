"""An op -> the arguments on which its result depends differentiably, by the rules."""

from __future__ import annotations

import operator

from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.analysis.activity import RUNNERS
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import CONTAINERS, MIXED, NOTHING, VOID, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.nodes import Apply, Closed
from yota_ast.rules.notation.rule import BOOK
from yota_ast.solvers.solver_operands import is_solved, solved_through
from yota_ast.support.value_classes import is_record


def flows_through(op: Apply) -> tuple[Atom, ...]:
    """The arguments that the result of an op depends on differentiably, by the
    rules."""
    if op.fn in (build_tuple, build_list) or is_record(op.fn):
        return op.args
    if op.fn is build_dict:
        return op.args[1::2]
    if is_item(op):
        return op.args[:1]
    if op.fn in RUNNERS or isinstance(op.fn, Closed):
        return op.args
    if is_solved(op):
        return solved_through(op)
    if op.fn in (max, min) and op.out.fact.kind == "int":
        if any(name == "key" for name, _ in op.kwargs):
            return ()  # the position of an item
    if op.out.fact in (VOID, NOTHING):
        return ()
    try:
        bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
    except UnsupportedCall:  # refused where it is active
        bound = None
    if bound is None:
        return (*op.args, *(a for _, a in op.kwargs))
    sources: list[Atom] = []
    # Of what a rule says nothing it depends too: `NoRule` where that is active.
    for name, value in bound.arguments.items():
        if not bound.rule.has_no_slope(name, value):
            sources += value if isinstance(value, tuple) else (value,)
    return tuple(a for a in sources if isinstance(a, Var))


def is_item(op: Apply) -> bool:
    """Whether the op takes an item out of a container of known structure."""
    return (
        op.fn is operator.getitem
        and isinstance(op.args[0], Var)
        and op.args[0].fact.kind in CONTAINERS
    )


def is_named(op: Apply) -> bool:
    """Whether an op reads an item by a name: of no array."""
    if op.fn is not operator.getitem or not isinstance(op.args[0], Var):
        return False
    key, mixed = op.args[1], op.args[0].fact == MIXED  # refused elsewhere, and better
    return isinstance(key, Const) and isinstance(key.value, str) and not mixed


def is_position(key: Atom) -> bool:
    """Whether this is the key of one item of a list or dict."""
    if isinstance(key, Const):
        return type(key.value) in (int, str)
    return key.fact.kind in ("int", "str")


def is_computed(op: Apply) -> bool:
    """Whether an item of a container of known length is taken by a computed key."""
    container, key = op.args
    if not isinstance(container, Var) or isinstance(key, Const):
        return False
    known = container.fact.items
    if known is None or container.fact.keys is not None:
        return False
    return all(_is_numbers(f) for f in known)


def is_open(atom: Atom) -> bool:
    """Whether a value is a list of unknown length, with a list of adjoints."""
    fact = fact_of_end(atom)
    return fact.kind in ("list", "tuple") and fact.items is None


def _is_numbers(fact: Fact) -> bool:
    """Whether a value is a number, or a sequence of them."""
    if fact.kind in ("list", "tuple") and fact.items is not None:
        return all(map(_is_numbers, fact.items))
    return fact.is_numeric
