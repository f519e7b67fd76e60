"""A call and the rules of its function -> which of them fit it.

>>> import operator
>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.atoms import Var
>>> from yota_ast.rules.notation.bind import bind
>>> from yota_ast.rules.notation.rule import BOOK
>>> numbers = (Var("x", FLOAT), Var("y", FLOAT))
>>> rules = BOOK.rules_of(operator.add)
>>> [rule.name for rule in rules if may_fit(rule, numbers, ())]
['add']
>>> best_of([bind(rule, operator.add, numbers, ()) for rule in rules]).rule.name
'add'
"""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.rules.notation.bind import defaults_behind
from yota_ast.rules.notation.match_types import Fit, by_preference, fits, is_numeric
from yota_ast.rules.notation.rule_records import Bound, Rule

Keywords = Sequence[tuple[str, Atom]]


def may_fit(rule: Rule, args: Sequence[Atom], kwargs: Keywords) -> bool:
    """Whether the classes of arguments may fit: asked before they are bound."""
    if not rule.types or kwargs or defaults_behind(rule, len(args)) is None:
        return True
    by_place = zip(rule.signature.parameters, args, strict=False)
    return all(
        name not in rule.types or fits(fact_of_atom(atom), rule.types[name]) != "no"
        for name, atom in by_place
    )


def best_of(bounds: Sequence[Bound]) -> Bound | None:
    """The first of those that fit for certain, else of those that may fit."""
    fits_of = [(b, fit_of(b)) for b in bounds]
    for wanted in ("yes", "maybe"):
        fitting = {b.rule: b for b, fit in fits_of if fit == wanted}
        if fitting:
            return fitting[by_preference(list(fitting))[0]]
    return None


def fit_of(bound: Bound) -> Fit:
    """Whether the types fit, and numeric parameters get what may be numbers."""
    rule = bound.rule
    fit: Fit = "yes"
    for name, argument in bound.arguments.items():
        types = rule.types.get(name, ())
        numeric = not types and name not in rule.sequences
        if numeric and not rule.elementwise:
            numeric = bool(rule.chapter) and name in rule.adjoints
        if not types and not numeric:
            continue
        for atom in _atoms(argument):
            fact = fact_of_atom(atom)
            one = fits(fact, types)
            if numeric and not is_numeric(fact):
                default = isinstance(atom, Const) and atom.value is None
                one = "yes" if default or name in bound.converted else "no"
            if one == "no":
                return "no"
            if one == "maybe":
                fit = "maybe"
    return fit


def _atoms(argument: Atom | tuple[Atom, ...]) -> tuple[Atom, ...]:
    return argument if isinstance(argument, tuple) else (argument,)
