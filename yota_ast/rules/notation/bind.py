"""A call's atoms -> the parameters of a rule, as Python binds them, or why not."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.ir.abstract_values import NUMERIC, Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.rules.notation.display_names import display_name
from yota_ast.rules.notation.match_types import fits
from yota_ast.rules.notation.rule_records import Bound, Fn, Rule

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a call does not suit the signature of a rule.

    setting, values: where it has another value than those that the rule is for.
    """

    reason: str
    remedy: str = ""
    setting: str = ""
    values: tuple[object, ...] = ()


def bind(
    rule: Rule, fn: Fn, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]
) -> Bound | Misfit:
    """Bind by the rule's signature; failing that, by the function's own names."""
    found = _given(rule, fn, args, kwargs)
    if isinstance(found, Misfit):
        return found
    arguments, keywords = found
    for name, values in rule.only.items():
        given = arguments[name]
        if not isinstance(given, Const) or not _is_among(given.value, values):
            return _not_among(fn, name, given, values)
    converted = [
        name
        for name, argument in arguments.items()
        if not isinstance(argument, tuple)
        and (fact := fact_of_atom(argument)).kind in ("list", "tuple")
        and _converted(rule, fn, name, fact, arguments)
    ]
    assumed = _assumed(rule, arguments) if rule.types else ()
    return Bound(rule, arguments, keywords, tuple(converted), assumed)


_Arguments = dict[str, Atom | tuple[Atom, ...]]


def _given(
    rule: Rule, fn: Fn, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]
) -> tuple[_Arguments, tuple[tuple[str, Atom], ...]] | Misfit:
    """What each parameter gets, and keywords that `**` takes."""
    defaults = None if kwargs else defaults_behind(rule, len(args))
    parameters = rule.signature.parameters
    if defaults is not None:
        plain = dict[str, Atom | tuple[Atom, ...]](zip(parameters, args, strict=False))
        return {**plain, **defaults}, ()
    try:
        bound = rule.signature.bind(*args, **dict(kwargs))
    except TypeError as why:
        renamed = _by_own_names(rule, fn, args, kwargs)
        if isinstance(renamed, Misfit):
            return renamed if renamed.reason else Misfit(_reason(fn, str(why)))
        bound = rule.signature.bind(*renamed[0], **renamed[1])
    arguments: _Arguments = {}
    keywords: tuple[tuple[str, Atom], ...] = ()
    for p in parameters.values():
        if p.kind is Parameter.VAR_POSITIONAL:
            arguments[p.name] = tuple(bound.arguments.get(p.name, ()))
        elif p.kind is Parameter.VAR_KEYWORD:
            keywords = tuple(bound.arguments.get(p.name, _NOTHING).items())
        elif p.name in bound.arguments:
            arguments[p.name] = bound.arguments[p.name]
        else:
            arguments[p.name] = Const(p.default)
    return arguments, keywords


@cache
def defaults_behind(rule: Rule, given: int) -> Mapping[str, Const] | None:
    """The defaults of the other parameters, where so many arguments, in order, are all
    that the parameters need."""
    parameters = list(rule.signature.parameters.values())
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    left = parameters[given:]
    if given > len(parameters) or not all(p.kind in by_place for p in parameters):
        return None
    if any(p.default is Parameter.empty for p in left):
        return None
    return {p.name: Const(p.default) for p in left}


def _is_among(value: object, values: tuple[object, ...]) -> bool:
    """Whether a value is one of several; an array, which compares by elements, is
    none."""
    return not isinstance(value, np.ndarray) and value in values


def _assumed(
    rule: Rule, arguments: Mapping[str, Atom | tuple[Atom, ...]]
) -> tuple[tuple[str, tuple[type, ...]], ...]:
    return tuple(
        (name, types)
        for name, types in rule.types.items()
        if not isinstance(arguments.get(name, ()), tuple)
        and fits(fact_of_atom(arguments[name]), types) == "maybe"  # type: ignore[arg-type]
    )


def _converted(
    rule: Rule, fn: Fn, name: str, fact: Fact, arguments: _Arguments
) -> bool:
    """Whether NumPy makes an array of a list or tuple before it starts."""
    if not rule.chapter or rule.types.get(name):
        return False
    counts = name in rule.adjoints or rule.elementwise
    if not counts or name in rule.sequences:
        return False
    others = [a for k, a in arguments.items() if k != name]
    if not _is_numpy(fn) and not any(_takes_over(fn, a) for a in others):
        return False
    return is_array_like(fact)


def _takes_over(fn: Fn, other: Atom | tuple[Atom, ...]) -> bool:
    """Whether an operator is NumPy's for the sake of its other operand. A product of a
    list and a NumPy scalar is Python's."""
    if isinstance(other, tuple) or not _is_operator(fn):
        return False
    fact = fact_of_atom(other)
    scalar = fact.kind == "scalar" and fact.dtype is not None
    return fact.kind == "array" or (scalar and fn is not operator.mul)


def _is_operator(fn: Any) -> bool:
    return getattr(fn, "__module__", None) == "_operator"


def is_array_like(fact: Fact) -> bool:
    """Whether `np.asarray` makes an array of numbers of a value."""
    if fact.kind in ("list", "tuple"):
        return fact.items is None or all(map(is_array_like, fact.items))
    return fact.kind in NUMERIC or fact.kind == "unknown"


def _is_numpy(fn: Any) -> bool:
    """Whether a function is one of NumPy's or SciPy's, which make arrays of lists."""
    if isinstance(fn, np.ufunc) or isinstance(getattr(fn, "__self__", 0), np.ufunc):
        return True
    return (getattr(fn, "__module__", None) or "").startswith(("numpy", "scipy"))


# ---------------------------------------------------------------- the function's names


@cache
def _own_signature(fn: Any) -> Signature | None:
    try:
        return signature(fn)
    except (TypeError, ValueError):
        return None


def _by_own_names(
    rule: Rule, fn: Fn, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]
) -> tuple[list[Atom], dict[str, Atom]] | Misfit:
    """The same call written with the rule's names: `np.sum(a=x, out=None)` as `x`.

    Arguments that repeat a default go; others that the rule does not have are refused.
    """
    own = _own_signature(fn)
    if own is None:
        return _unsupported(rule, fn, kwargs)
    try:
        bound = own.bind(*args, **dict(kwargs))
    except TypeError as why:
        return Misfit(_reason(fn, str(why)))
    positional = [
        p.name for p in rule.signature.parameters.values() if p.kind in _BY_POSITION
    ]
    order = [p.name for p in own.parameters.values() if p.kind in _BY_POSITION]
    values: dict[str, Atom] = {}
    for name, value in bound.arguments.items():
        p = own.parameters[name]
        if p.kind is Parameter.VAR_POSITIONAL:
            return _refused(rule, fn, name) if value else Misfit("")
        if p.kind is Parameter.VAR_KEYWORD:
            for key in value:
                return _refused(rule, fn, key)
            continue
        k = order.index(name) if name in order else len(positional)
        if name in rule.signature.parameters:
            values[name] = value
        elif _is_default(value, p):
            continue
        elif k < len(positional) and positional[k] not in own.parameters:
            values[positional[k]] = value
        else:
            return _refused(rule, fn, name)
    try:
        rule.signature.bind(**values)
    except TypeError as why:
        return Misfit(_reason(fn, str(why)))
    return [], values


def _is_default(value: Atom, p: Parameter) -> bool:
    if not isinstance(value, Const):
        return False
    return value.value is p.default or value == Const(p.default)


def keywords_of(fn: Fn, rules: Sequence[Rule]) -> tuple[str, ...]:
    """The keywords that rules support, as callers write them; that of the first
    argument left out.

    >>> from yota_ast.rules.notation.rule import BOOK
    >>> keywords_of(np.clip, BOOK.rules_of(np.clip))
    ('a_min', 'a_max', 'min', 'max')
    """
    own = _own_signature(fn)
    by_name = {} if own is None else dict(own.parameters)
    order = [p for p in by_name.values() if p.kind in _BY_POSITION]
    found: dict[str, None] = {}
    for rule in rules:
        for k, p in enumerate(rule.signature.parameters.values()):
            if p.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) or k == 0:
                continue
            q = by_name.get(p.name)
            if q is None and p.kind is not Parameter.KEYWORD_ONLY and k < len(order):
                q = order[k]
            if q is None and p.kind is Parameter.KEYWORD_ONLY:
                found[p.name] = None
            elif q is not None and q.kind in _BY_NAME:
                found[q.name] = None
    return tuple(found)


_BY_POSITION: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME: Final = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def _unsupported(rule: Rule, fn: Fn, kwargs: Sequence[tuple[str, Atom]]) -> Misfit:
    for name, _ in kwargs:
        if name not in rule.signature.parameters:
            return _refused(rule, fn, name)
    return Misfit("")


def _refused(rule: Rule, fn: Fn, name: str) -> Misfit:
    return Misfit(
        f"`{display_name(fn)}`: the argument `{name}` is not supported by its rule"
    )


def _reason(fn: Fn, why: str) -> str:
    return f"`{display_name(fn)}`: {why}"


def _not_among(fn: Fn, name: str, given: Any, values: tuple[object, ...]) -> Misfit:
    shown = repr(given.value) if isinstance(given, Const) else "a value not known here"
    return Misfit(
        f"`{display_name(fn)}`: `{name}` is {shown}, for which there is no rule",
        f"Supported: {', '.join(map(repr, values))}.",
        name,
        values,
    )


def together(misfits: Sequence[Misfit]) -> Misfit | None:
    """Of the reasons of several rules the one that tells most.

    A setting without a rule, with the values of it that any rule is for.
    """
    about = [m for m in misfits if m.setting]
    if not about:
        return misfits[0] if misfits else None
    first = about[0]
    values = [v for m in about if m.setting == first.setting for v in m.values]
    shown = ", ".join(dict.fromkeys(map(repr, values)))
    return replace(first, remedy=f"Supported: {shown}.")
