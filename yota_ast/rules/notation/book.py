"""The rule book: function object -> its rules; a call -> the rule that fits it.

>>> import operator
>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.atoms import Var
>>> bound = BOOK.choose(operator.mul, [Var("a", FLOAT), Var("b", FLOAT)], [], None)
>>> [f"{s.target} = {s.text}" for s in bound.rule.statements]
['du = dy * v', 'dv = dy * u']
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from inspect import Signature
from threading import RLock
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import AmbiguousType, Location, UnsupportedCall
from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.facts.joined_facts import makes_complex
from yota_ast.ir.facts.optional_values import presents
from yota_ast.ops import REGISTRY
from yota_ast.ops.dtypes.result_dtypes import floats_where_stated, gives_reals
from yota_ast.rules.inference.dims import Taken, needed_uncut, noting, whole
from yota_ast.rules.inference.infer import (
    default_fact,
    fact_of_strings,
    lengthened,
    may_be_complex,
)
from yota_ast.rules.notation.bind import (
    Misfit,
    bind,
    keywords_of,
    together,
)
from yota_ast.rules.notation.display_names import display_name, is_library
from yota_ast.rules.notation.fitting import best_of, fit_of, may_fit
from yota_ast.rules.notation.match_types import (
    by_preference,
    same_types,
)
from yota_ast.rules.notation.memo import Choice, choice_of, likeness
from yota_ast.rules.notation.parse import conjugated, filled_in
from yota_ast.rules.notation.rule_records import (
    Bound,
    Fn,
    Rule,
    Unread,
    together_stated,
)
from yota_ast.runtime import broadcast
from yota_ast.support.public_names import (
    drawing,
    is_of_scipy,
    may_be_followed,
    refuse_old_scipy,
)

Keywords = Sequence[tuple[str, Atom]]
_MOST_KNOWN: Final = 30_000
"""Calls that are remembered: those of some hundred functions."""


class Book:
    """All rules, by function object. One instance, `BOOK`; `version` counts changes."""

    def __init__(self) -> None:
        self.version = 0
        self._rules: dict[Fn, list[Rule] | tuple[Unread, ...]] = {}
        self._primitives: dict[Fn, None] = {}
        self._known: dict[Hashable, Choice | Fact] = {}  # of this version
        self._known_version = 0
        self._conjugated: dict[tuple[Rule, frozenset[str]], Rule] = {}
        self._closed: dict[str, tuple[str, ...]] = {}
        self._opening = RLock()
        self.higher_order: tuple[
            Callable[[Sequence[Atom]], Bound | None], Callable[[Sequence[Atom]], Fact]
        ] = (lambda _: None, lambda _: UNKNOWN)

    def __iter__(self) -> Iterator[Rule]:
        """Every rule once, in the order of registration."""
        seen: dict[Rule, None] = {}
        for fn in self._rules:
            seen.update(dict.fromkeys(self._read(fn)))
        return iter(seen)

    def _read(self, fn: Fn) -> list[Rule]:
        """What is registered for a function, read by now."""
        found = self._rules.get(fn, [])
        if isinstance(found, tuple):
            rules: list[Rule] = []
            for unread in found:
                rules = _together(rules, unread.rule())
            found = self._rules[fn] = rules
        return found

    # ------------------------------------------------------------ chapters

    def add_chapter(self, library: str, *chapters: str) -> None:
        """Let chapters be imported when a function of their library is asked for."""
        self._closed[library] = chapters

    def open_chapters(self, libraries: Iterable[str] | None = None) -> None:
        """Import the chapters of the libraries that the program has imported.

        libraries: of these instead, which imports them. The version stays: of what a
        chapter brings nothing has been asked before.
        """
        wanted = sys.modules if libraries is None else libraries
        with self._opening:  # who asks meanwhile waits until they are read
            for library in [name for name in self._closed if name in wanted]:
                if library.startswith("scipy"):
                    refuse_old_scipy()
                version = self.version
                for chapter in self._closed[library]:
                    import_module(chapter)
                self._closed.pop(library, None)
                self.version = version

    def _open_for(self, fn: Fn) -> None:
        if "numpy.random" in self._closed and "numpy.random" in sys.modules:
            self.open_chapters(("numpy.random",))
        module = getattr(fn, "__module__", None)
        if module == "_operator":  # most are
            return
        if module == "statistics" and "statistics" in self._closed:
            self.open_chapters(("statistics",))
        if self._closed and is_of_scipy(fn):
            self.open_chapters()

    # ------------------------------------------------------------ writing

    def add(self, rule: Rule) -> None:
        """Register a rule for its functions; one of the same types is replaced."""
        self.version += 1
        for fn in rule.fns:
            self._rules[fn] = _together(self._read(fn), rule)

    def add_unread(self, unread: Unread) -> None:
        """Register a rule that is read when one of its functions is asked for."""
        self.version += 1
        for fn in unread.fns:
            found = self._rules.get(fn, ())
            if isinstance(found, tuple):
                self._rules[fn] = (*found, unread)
            else:
                self._rules[fn] = _together(found, unread.rule())

    def add_primitive(self, fn: Fn) -> None:
        """Keep calls of `fn` as one operation even where it has no rule."""
        if fn not in self._primitives:
            self.version += 1
            self._primitives[fn] = None

    def discard_primitive(self, fn: Fn) -> None:
        """Undo `add_primitive`."""
        if self._primitives.pop(fn, fn) is None:
            self.version += 1

    def remove(self, rule: Rule) -> None:
        """Take a rule out again (tests)."""
        self.version += 1
        for fn in rule.fns:
            left = [r for r in self._read(fn) if r is not rule]
            if left:
                self._rules[fn] = left
            else:
                self._rules.pop(fn, None)

    # ------------------------------------------------------------ reading

    def rules_of(self, fn: Fn) -> tuple[Rule, ...]:
        """The rules of a function, in the order of registration."""
        fn, _ = normalised(fn, ())
        self._open_for(fn)
        try:
            return tuple(self._read(fn))
        except TypeError:  # not hashable: not registered
            return ()

    def primitives(self) -> tuple[Fn, ...]:
        """Everything that is kept as one operation: with rules, or said to be."""
        return tuple(dict.fromkeys((broadcast, *self._primitives, *self._rules)))

    def is_primitive(
        self, fn: Fn, args: Sequence[Atom] | None = None, kwargs: Keywords = ()
    ) -> bool:
        """Whether a call stays one operation.

        With arguments, a user's function of which no rule fits them does not.
        """
        if may_be_followed(fn):
            return bool(self.rules_of(fn))
        if is_library(fn) or fn is broadcast or isinstance(fn, np.vectorize):
            return True
        try:
            if fn in self._primitives:
                return True
        except TypeError:
            return False
        rules = self.rules_of(fn)
        if not rules or args is None:
            return bool(rules)
        return any(fit_of(b) != "no" for b in _bindings(rules, fn, args, kwargs)[0])

    def has_effect(self, fn: Any) -> bool:
        """Whether a call must happen once and in its place: random draws, print."""
        if getattr(fn, "__name__", "") == "rvs" and is_of_scipy(fn):
            return True
        try:
            return any(r.effect for r in self.rules_of(fn))
        except TypeError:  # not hashable
            return False

    def choose(
        self, fn: Fn, args: Sequence[Atom], kwargs: Keywords, at: Location | None
    ) -> Bound | None:
        """The rule for a call; None where there is none.

        UnsupportedCall where the arguments suit no rule's signature (with the
        keywords that are supported), AmbiguousType where the rules that may fit
        differ and the types are not known.
        """
        args = presents(fn, args)
        alike = likeness(fn, args, kwargs)
        known = self._recalled(("choose", alike)) if alike is not None else None
        if isinstance(known, Choice):
            return known.applied(args, kwargs)
        bound = self._choose(fn, args, kwargs, at)
        if alike is not None and bound is not None:
            choice = choice_of(bound, args, kwargs)
            if choice is not None:
                self._known["choose", alike] = choice
        return bound

    def _recalled(self, key: Hashable) -> Choice | Fact | None:
        """What was found for a call that was alike."""
        if self._known_version != self.version or len(self._known) > _MOST_KNOWN:
            self._known, self._known_version = {}, self.version
        return self._known.get(key)

    def _choose(
        self, fn: Fn, args: Sequence[Atom], kwargs: Keywords, at: Location | None
    ) -> Bound | None:
        fn, args = normalised(fn, args)
        if fn is broadcast:
            return self.higher_order[0](args)
        rules = self.rules_of(fn)
        if not rules:
            return None
        bounds, misfit = _bindings(rules, fn, args, kwargs)
        if not bounds and misfit is not None:
            names = ", ".join(f"`{name}`" for name in keywords_of(fn, rules))
            advice = "Correct the call, or leave the argument out."
            remedy = misfit.remedy or (f"Supported: {names}." if names else advice)
            raise UnsupportedCall(misfit.reason, at=at, remedy=remedy)
        fitting = {b.rule: b for b in bounds if fit_of(b) != "no"}
        if not fitting:
            return None
        ordered = [fitting[r] for r in by_preference(list(fitting))]
        first = ordered[0]
        if fit_of(first) == "maybe":
            _check_unambiguous(fn, ordered, at)
        if first.rule.complex == "no" and _any_complex(first):
            others = [b for b in ordered if b.rule.complex != "no"]
            first = others[0] if others else first
        return self._for_complex(_completed(first, ordered), at)

    def infer(self, fn: Fn, args: Sequence[Atom], kwargs: Keywords) -> Fact:
        """What is known of `fn(*args, **kwargs)`. Runs no user code, raises nothing."""
        args = presents(fn, args)
        alike = likeness(fn, args, kwargs)
        if alike is None:
            return self._infer(fn, args, kwargs)
        known = self._recalled(("infer", alike))
        if not isinstance(known, Fact):
            known = self._known["infer", alike] = self._infer(fn, args, kwargs)
        return known

    def lengths_taken(
        self, fn: Fn, args: Sequence[Atom], kwargs: Keywords
    ) -> Sequence[Taken]:
        """The lengths that `infer` takes for others, because the example does."""
        with noting() as found:
            self._infer(fn, presents(fn, args), kwargs)
        return found

    def whole_length(self, axis: Dim | None) -> tuple[Dim | None, list[Dim]]:
        """A length of which no end of an axis cuts anything off, and what is taken for
        no less than 0 for that."""
        with noting() as found:
            length = whole(axis)
        return length, [number for number, _ in found if number is not None]

    def needed_uncut(
        self, one: Dim | None, other: Dim | None, taken: Iterable[Dim]
    ) -> tuple[Dim | None, Dim | None, tuple[Dim, ...]]:
        """Two lengths that have to be one, of slices that are not cut off."""
        return needed_uncut(one, other, taken)

    def _infer(self, fn: Fn, args: Sequence[Atom], kwargs: Keywords) -> Fact:
        self._open_for(fn)
        try:
            fn, args = normalised(fn, args)
            if fn is broadcast:
                return self.higher_order[1](args)
            rules = [r for r in self._read(fn) if may_fit(r, args, kwargs)]
            bounds, _ = _bindings(rules, fn, args, kwargs)
            bound = best_of(bounds)
            if bound is None:
                return fact_of_strings(fn, args)
            rule = bound.rule
            if rule.fact is not None:
                names = _fact_parameters(rule.fact)
                fact = rule.fact(**{n: bound.arguments[n] for n in names})
                fact = floats_where_stated(fact, fn, args, kwargs)
                return _of_complex(bound, fact)
            known = default_fact(fn, bound, args, kwargs)
            known = floats_where_stated(known, fn, args, kwargs)
            return lengthened(known, fn, args) if known.kind == "int" else known
        except Exception:  # noqa: BLE001  a call that cannot work: it will raise itself
            return UNKNOWN

    def stated(self, fn: Fn) -> Mapping[str, object]:
        """The properties of a function that its rules state, for `ops`. No rule of a
        chapter is read for it."""
        self._open_for(fn)
        found = self._rules.get(fn, ())
        return together_stated([rule.stated for rule in found]) if found else {}

    # ------------------------------------------------------------ complex numbers

    def _for_complex(self, bound: Bound, at: Location | None) -> Bound:
        """The same with a rule that is right for complex arguments, if any is."""
        rule = bound.rule
        facts = {p: _facts_of(a) for p, a in bound.arguments.items()}
        given = [p for p in rule.adjoints if any(map(may_be_complex, facts[p]))]
        if not given:
            return bound
        if rule.complex == "no":
            known = [p for p in given if any(map(makes_complex, facts[p]))]
            if not known:
                return bound
            if REGISTRY.info(rule.fns[0]).of_entries:
                raise UnsupportedCall(
                    "the entries of a sparse matrix are complex, and depend on the "
                    "arguments",
                    at=at,
                    remedy="Put real and imaginary parts into one real matrix, "
                    "[[R, -I], [I, R]].",
                )
            name = display_name(rule.fns[0])
            raise UnsupportedCall(
                f"the rule of `{name}` is for real numbers: `{known[0]}` is complex",
                at=at,
                remedy="Take real and imaginary parts, or register a rule for complex"
                " numbers.",
            )
        real = frozenset(p for p in rule.adjoints if p not in given)
        if rule.complex == "written" and not real:
            return bound
        key = (rule, real)
        if key not in self._conjugated:
            self._conjugated[key] = conjugated(rule, real)
        return Bound(
            self._conjugated[key],
            bound.arguments,
            bound.keywords,
            bound.converted,
            bound.assumed,
        )


BOOK: Final = Book()
REGISTRY.rules = BOOK


# ---------------------------------------------------------------- choosing


def normalised(fn: Fn, args: Sequence[Atom]) -> tuple[Fn, Sequence[Atom]]:
    """A call as the book knows it.

    `np.vectorize(f)(x)` is `broadcast(f, x)`; a method bound to an object of the
    program, `rng.normal`, is the method with the object for its first argument.
    """
    if isinstance(fn, np.vectorize):
        return broadcast, [Const(fn.pyfunc), *args]
    owner = getattr(fn, "__self__", None)
    if owner is not None and (isinstance(owner, np.ndarray) or _draws(owner)):
        return getattr(type(owner), fn.__name__), [Const(owner), *args]
    return fn, args


def _draws(owner: object) -> bool:
    """Whether a value is a generator, but not that of the functions of `np.random`."""
    if not isinstance(owner, drawing()):
        return False
    return owner is not getattr(np.random.random, "__self__", None)


def _together(rules: Sequence[Rule], rule: Rule) -> list[Rule]:
    """Rules with one more, which takes the place of one of the same types."""
    return [*(r for r in rules if not same_types(r, rule)), rule]


def _bindings(
    rules: Sequence[Rule], fn: Fn, args: Sequence[Atom], kwargs: Keywords
) -> tuple[list[Bound], Misfit | None]:
    found = [bind(rule, fn, args, kwargs) for rule in rules]
    bounds = [b for b in found if not isinstance(b, Misfit)]
    return bounds, together([m for m in found if isinstance(m, Misfit)])


def _facts_of(argument: Atom | tuple[Atom, ...]) -> list[Fact]:
    atoms = argument if isinstance(argument, tuple) else (argument,)
    return [fact_of_atom(a) for a in atoms]


def _any_complex(bound: Bound) -> bool:
    """Whether an argument may be complex."""
    given = [f for a in bound.arguments.values() for f in _facts_of(a)]
    return any(map(may_be_complex, given))


def _check_unambiguous(fn: Fn, ordered: Sequence[Bound], at: Location | None) -> None:
    """The rules that may fit must say the same."""
    first = ordered[0].rule.statements
    if all(b.rule.statements == first for b in ordered):
        return
    rule = ordered[0].rule
    name = next((p for p, _ in ordered[0].assumed), rule.parameters[0])
    offered = sorted({_types_text(b.rule, name) for b in ordered})
    raise AmbiguousType(
        f"`{display_name(fn)}` has rules for {' and '.join(offered)}, and the "
        f"type of `{name}` is unknown",
        at=at,
        remedy="Annotate the parameter, give example arguments, or use --like.",
    )


def _types_text(rule: Rule, name: str) -> str:
    types = rule.types.get(name, ())
    return " | ".join(t.__name__ for t in types) or "anything"


def _completed(first: Bound, ordered: Sequence[Bound]) -> Bound:
    """Parameters that the chosen rule says nothing of, from the next that does."""
    rule = first.rule
    if not rule.missing or len(ordered) == 1:
        return first
    for other in ordered[1:]:
        if len(other.rule.parameters) == len(rule.parameters):
            rule = filled_in(rule, other.rule)
    return Bound(rule, first.arguments, first.keywords, first.converted, first.assumed)


def _of_complex(bound: Bound, fact: Fact) -> Fact:
    """What is known of a result: of a holomorphic or a linear function of complex
    numbers, that it is complex."""
    rule = bound.rule
    if rule.complex == "no" or not fact.is_numeric or fact.is_complex:
        return fact
    names: Iterable[str] = rule.adjoints
    if rule.complex == "written":
        unsaid = fact.dtype is None and not fact.is_python
        names = rule.linear | rule.jointly if unsaid else ()
    given = [f for p in names for f in _facts_of(bound.arguments[p])]
    if not any(map(makes_complex, given)):
        return UNKNOWN if _may_be_complex(bound, fact) else fact
    kind = "scalar" if fact.is_python else fact.kind
    return replace(fact, kind=kind, dtype=np.dtype(complex))


def _may_be_complex(bound: Bound, fact: Fact) -> bool:
    """Whether a result is complex if an operand is of which nothing is known: what is
    known of its axes alone would say that it is real."""
    rule = bound.rule
    if fact.dtype is not None or fact.is_python or all(map(gives_reals, rule.fns)):
        return False
    given = [f for p in bound.rule.adjoints for f in _facts_of(bound.arguments[p])]
    return any(may_be_complex(f) for f in given)


def _fact_parameters(fact: Callable[..., Fact]) -> Iterable[str]:
    code: Any = getattr(fact, "__code__", None)
    if code is not None:
        names: tuple[str, ...] = code.co_varnames
        return names[: code.co_argcount + code.co_kwonlyargcount]
    return tuple(Signature.from_callable(fact).parameters)


class Primitives(AbstractSet[Fn]):
    """`PRIMITIVES`: the functions that stay one operation, live."""

    def __contains__(self, fn: object) -> bool:
        return callable(fn) and fn in BOOK.primitives()

    def __iter__(self) -> Iterator[Fn]:
        return iter(BOOK.primitives())

    def __len__(self) -> int:
        return len(BOOK.primitives())

    def add(self, fn: Fn) -> None:
        """Keep calls of `fn` as one operation."""
        BOOK.add_primitive(fn)

    def discard(self, fn: Fn) -> None:
        """Inline `fn` again (its rules, if any, keep it primitive)."""
        BOOK.discard_primitive(fn)

    def __repr__(self) -> str:
        return "{" + ", ".join(display_name(fn) for fn in self) + "}"
