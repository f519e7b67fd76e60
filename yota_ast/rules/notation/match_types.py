"""Facts against the types of rules: whether a rule fits, surely, perhaps or not.

>>> import numpy as np
>>> from numbers import Number
>>> from yota_ast.ir.abstract_values import FLOAT, real_fact
>>> fits(FLOAT, (Number,)), fits(real_fact("x"), (Number,)), fits(FLOAT, (np.ndarray,))
('yes', 'maybe', 'no')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter
from types import NoneType
from typing import Final, Literal

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.rules.notation.rule_records import Rule

Fit = Literal["yes", "maybe", "no"]
Types = tuple[type, ...]

_CLASSES: Final[Mapping[str, type]] = {
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "str": str,
    "none": NoneType,
    "array": np.ndarray,
    "tuple": tuple,
    "list": list,
    "dict": dict,
}
_CONTAINERS: Final = (tuple, list, dict, str, NoneType)


def _classes_of(fact: Fact) -> Types:
    """The classes a value may have; () where nothing is known."""
    if fact.kind in ("object", "other", "model", "callable"):
        return () if fact.cls is None else (fact.cls,)
    if fact.kind == "scalar":
        return (np.float64,) if fact.dtype is None else (fact.dtype.type,)
    if fact.kind == "real":
        scalars: Types = (float, np.float64)
        return (
            scalars if fact.is_scalar and fact.dtype is None else (*scalars, np.ndarray)
        )
    if fact.cls is not None and fact.kind not in ("array", "unknown"):
        return (fact.cls,)
    return (_CLASSES[fact.kind],) if fact.kind in _CLASSES else ()


def fits(fact: Fact, types: Types) -> Fit:
    """Whether a value of which `fact` is known is an instance of one of `types`."""
    if not types:
        return "yes"
    classes = _classes_of(fact)
    if not classes:
        # Of a value of which nothing is known it is taken for granted that it is no
        # built-in container: those are known wherever they are written.
        known = all(issubclass(t, _CONTAINERS) for t in types)
        return "no" if known or fact.kind in ("callable", "other", "model") else "maybe"
    within = [issubclass(c, types) for c in classes]
    if all(within):
        return "yes"
    return "maybe" if any(within) else "no"


def is_numeric(fact: Fact) -> bool:
    """Whether a value may be a number or an array of numbers."""
    return fact.is_numeric or fact.kind == "unknown"


def parameter_types(rule: Rule) -> list[Types]:
    """The types by parameter, in order."""
    return [rule.types.get(name, ()) for name in rule.parameters]


def same_types(a: Rule, b: Rule) -> bool:
    """Whether two rules are for the same kinds of calls."""
    same = kinds(a) == kinds(b) and dict(a.only) == dict(b.only)
    same = same and (a.complex == "no") == (b.complex == "no")
    return same and parameter_types(a) == parameter_types(b)


def kinds(rule: Rule) -> list[tuple[object, ...]]:
    """What of a signature tells its calls from those of another.

    Names of positional parameters do not.
    """
    by_name = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    return [
        (p.kind, p.default is not Parameter.empty, p.name if p.kind in by_name else "")
        for p in rule.signature.parameters.values()
    ]


def _at_least_as_specific(a: Types, b: Types) -> bool:
    if not b:
        return True
    return bool(a) and all(issubclass(t, b) for t in a)


def more_specific(a: Rule, b: Rule) -> bool:
    """Whether `a` is for some of what `b` is for, and for nothing else."""
    p, q = parameter_types(a), parameter_types(b)
    if p == q or len(p) != len(q):
        return False
    return all(map(_at_least_as_specific, p, q)) and not all(
        map(_at_least_as_specific, q, p)
    )


def by_preference(rules: Sequence[Rule]) -> list[Rule]:
    """Rules in the order of registration -> most specific first, of equals the last."""
    if len(rules) == 1:  # what most functions have
        return list(rules)
    left, ordered = list(rules), []
    while left:
        best = next(
            r
            for r in reversed(left)
            if not any(more_specific(o, r) for o in left if o is not r)
        )
        left.remove(best)
        ordered.append(best)
    return ordered
