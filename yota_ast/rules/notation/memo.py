"""Calls on numbers -> what was found for an earlier call that was alike.

Which rule fits a call, and what is known of its result, depends on the facts of its
arguments alone, and on literals. Programs make the same few calls on numbers again and
again: they are looked up. So is what is done to arrays by elements, where their lengths
are the same. Other calls on arrays are alike where the variables have the same names
too: a result's length may be told by one (a pass, or the next compile of the function,
asks again). Calls on larger containers are alike to none.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.atoms import Const
>>> x, y = Var("x", FLOAT), Var("y", FLOAT)
>>> likeness(abs, (x,), ()) == likeness(abs, (y,), ())
True
>>> likeness(pow, (x, Const(2)), ()) == likeness(pow, (x, Const(3)), ())
False
>>> likeness(operator.mul, (x, Const(0.5)), ()) == likeness(
...     operator.mul, (y, Const(0.7)), ()
... )
True
>>> from yota_ast.rules.notation.rule import BOOK
>>> bound = BOOK.choose(operator.mul, (x, Const(2)), (), None)
>>> choice_of(bound, (x, Const(2)), ()).places
(('u', 0), ('v', 1))
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import FLOAT, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim, Size, Term
from yota_ast.rules.notation.rule_records import Bound, Fn, Rule

Keywords = Sequence[tuple[str, Atom]]
_LITERALS = (int, float, bool, str, type(None))
_ENDS = (int, type(None))
_FEW = 8  # items of a container
_OF_NUMBERS = ((), None)
_NOTHING = (None,) * 5
_OF_ANY_FLOAT = frozenset((operator.add, operator.sub, operator.mul, operator.truediv))
"""What is done with one literal float as with any other, but for 0.0, by which nothing
is divided: the hundreds of coefficients of a polynomial are one."""
_OF_ELEMENTS = _OF_ANY_FLOAT | {operator.pow, operator.neg}


def likeness(fn: Fn, args: Sequence[Atom], kwargs: Keywords) -> Hashable | None:
    """What calls that are alike have in common; None for a call that is like none."""
    try:
        of_any_float = fn in _OF_ANY_FLOAT
    except TypeError:  # what has no hash
        return None
    parts: list[Hashable] = [fn]
    by_name, by_elements = False, None
    for name, atom in kwargs:
        parts.append(name)
        args = (*args, atom)
    for atom in args:
        if isinstance(atom, Var):
            fact = atom.fact
            if fact is not FLOAT and _has_lengths(fact):
                # Equal dims may have different lengths in the example.
                lengths = _lengths(fact)
                if lengths is None:
                    return None
                parts.append(lengths)
                if by_elements is None:
                    by_elements = _is_by_elements(fn)
                by_name = by_name or not by_elements or not _is_plain(fact)
            parts.append(fact)
            continue
        literal = _of_literal(atom, any_float=of_any_float)
        if literal is None:
            return None
        parts.append(literal)
    if by_name:
        parts += [atom.name for atom in args if isinstance(atom, Var)]
    return tuple(parts)


def _of_literal(atom: Const, *, any_float: bool) -> Hashable | None:
    """What constants that are alike have in common; None of what is no literal."""
    value: Any = atom.value
    kind = type(value)
    if kind is float and any_float and value:
        return (kind,)
    # What a module may bind anew says less than a literal.
    live = atom.text is not None and (atom.is_live or atom.reads)
    if kind in _LITERALS:
        return Const(value).key(), live
    ends = (value.start, value.stop, value.step) if kind is slice else ()
    if not ends or live or not all(type(end) in _ENDS for end in ends):
        return None
    return kind, ends


def _is_by_elements(fn: Fn) -> bool:
    """Whether a function is applied to each element of arrays."""
    return fn in _OF_ELEMENTS or (isinstance(fn, np.ufunc) and fn.signature is None)


def _is_plain(fact: Fact) -> bool:
    """Whether a fact is that of an array, or of what may be one."""
    if fact.kind not in ("array", "real"):
        return False
    others = (fact.items, fact.length, fact.element, fact.ends, fact.present)
    return others == _NOTHING and fact.picked is None


def _has_lengths(fact: Fact) -> bool:
    """Whether a fact tells of lengths, which are equal though their examples differ."""
    if fact.kind == "array" or fact.shape not in _OF_NUMBERS:
        return True
    if fact.length is not None or fact.ends is not None:
        return True
    parts = (*(fact.items or ()), fact.element, fact.present)
    return any(part is not None and _has_lengths(part) for part in parts)


def _lengths(fact: Fact) -> tuple[Hashable, ...] | None:
    """The lengths in the example that a fact tells of; None of one of many parts."""
    items = fact.items or ()
    if not (fact.keys is None and fact.element is None and fact.present is None):
        return None
    if len(items) > _FEW:
        return None
    dims: tuple[object, ...] = fact.shape if isinstance(fact.shape, tuple) else ()
    if fact.length is not None or fact.ends is not None:
        dims = (fact.length, *(fact.ends or ()), *dims)
    found: list[Hashable] = [
        (d.terms, d.uncut, *_examples(d)) for d in dims if isinstance(d, Dim)
    ]
    for item in items:
        inner = _lengths(item)
        if inner is None:
            return None
        found += inner
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Choice:
    """A rule that was chosen, and which argument of the call each parameter got."""

    bound: Bound
    places: tuple[tuple[str, int | tuple[int, ...]], ...]

    def applied(self, args: Sequence[Atom], kwargs: Keywords) -> Bound:
        """The same choice for other arguments."""
        given = (*args, *(a for _, a in kwargs))
        arguments = dict(self.bound.arguments)
        for name, place in self.places:
            if isinstance(place, tuple):
                arguments[name] = tuple(given[k] for k in place)
            else:
                arguments[name] = given[place]
        old = self.bound
        return Bound(old.rule, arguments, (), old.converted, old.assumed)


def choice_of(bound: Bound, args: Sequence[Atom], kwargs: Keywords) -> Choice | None:
    """The choice to be remembered, where it is bound by the rule's own signature."""
    if bound.keywords:
        return None
    rule: Rule = bound.rule
    named = {name: len(args) + k for k, (name, _) in enumerate(kwargs)}
    try:
        places = rule.signature.bind(*range(len(args)), **named).arguments
    except TypeError:
        return None
    choice = Choice(bound, tuple(places.items()))
    # Compared by what they bind: a `Bound` is equal to itself alone.
    again = choice.applied(args, kwargs)
    return choice if again.arguments == bound.arguments else None


def _examples(dim: Dim) -> Iterator[Size]:
    """The lengths in the example of a dim and of what bounds it: dims are equal whose
    examples differ."""
    yield dim.size
    for term, _ in dim.terms:
        yield from _examples_of(term)
    if dim.uncut is not None:
        for length in (dim.uncut.length, *dim.uncut.naturals):
            yield from _examples(length)


def _examples_of(term: Term) -> Iterator[Size]:
    parts = () if term.part is None else term.part
    for part in (term.least, term.most, term.natural, *parts, *(term.factors or ())):
        if isinstance(part, Dim) and part.base:
            yield from _examples(part)
        elif isinstance(part, Term):
            yield from _examples_of(part)
