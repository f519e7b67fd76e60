"""What a rule is once it has been read: frozen records.

In: what the notation (`rule.py`) and the text forms (`text.py`) found.  Out: what the
reverse sweep, forward mode and the table of `yota-ast rules` read.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature
from threading import RLock
from typing import Any, ClassVar, Literal

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import Location
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ops.record import Memory
from yota_ast.syntax import Node, parse_expr

Fn = Callable[..., Any]
Complex = Literal["no", "holomorphic", "written"]
"""What a rule says of complex numbers. no: it is for real numbers alone. holomorphic:
its statements are those of real numbers, and the function is holomorphic in every
parameter that has an adjoint, so that conjugation makes them right. written: its
statements are right for complex numbers as they stand."""


@cache
def _expression(text: str) -> Node:
    return parse_expr(text)


@dataclass(frozen=True, slots=True)
class Statement:
    """`target = text`, one statement of a rule."""

    target: str
    text: str
    location: Location | None = field(default=None, compare=False)

    @property
    def expr(self) -> Node:
        """The right side as a gast tree, shared: copy it before a change."""
        return _expression(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class Namespace:
    """Where the names of a rule are looked up.

    Captured values first, then a module's globals (live), then builtins.
    """

    captured: Mapping[str, object] = field(repr=False)
    module: Mapping[str, object] = field(repr=False)

    def resolve(self, name: str) -> object:
        """The object of a name; NameError where there is none."""
        if name in self.captured:
            return self.captured[name]
        if name in self.module:
            return self.module[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(name)

    def resolve_path(self, path: str) -> object:
        """The object of a dotted path, `np.linalg.norm`."""
        first, *rest = path.split(".")
        value = self.resolve(first)
        for name in rest:
            value = getattr(value, name)
        return value

    def extended(self, names: Mapping[str, object]) -> Namespace:
        """The same, with more names captured."""
        return Namespace({**self.captured, **names}, self.module)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rule:
    """How one function is differentiated. Equal by identity.

    fns: the functions it serves. signature: what callers may write (no cotangent).
    types: the classes to which a parameter is restricted. primal: the pattern, its
    target the name of the result. statements: the adjoint statements, locals included.
    adjoints: parameter -> target ("x" -> "dx"); a parameter `*xs` has one adjoint, a
    sequence with an item for each. zero: the parameters without a derivative.
    linear: the parameters in each of which the function is linear, others fixed.
    jointly: those in all of which together it is. each: parameters of several items, in
    each of which it is.
    sequences: parameters that may be lists or tuples of arrays as they are.
    fact: what is known of the result, from the arguments' atoms by name.
    only: the values that a setting may have.
    square: the function of the same arguments that gives the square of the result; of a
    norm, of its `x`, `axis` and `keepdims`, where it is a sum of squares.
    power: the same of a higher power: of `x`, the result, the exponent, that less 2,
    and then what `square` is given beside `x`.
    root: an expression that is 0 where the function has no second derivative.
    seminorm: whether the function is 0 there, and beside it that of the tangents.
    bend: one that is 0 where two straight parts meet: the second derivative is 0 there.
    tangent: the function that gives the tangent of the result, where it does not follow
    from the adjoints: of the arguments, and, by name, of the tangents of those that
    vary. parts: the same of items of the result.
    refused: parameters without a rule, and why; of those in zero too, known floats.
    """

    name: str
    fns: tuple[Fn, ...]
    signature: Signature
    primal: Statement
    statements: tuple[Statement, ...]
    adjoints: Mapping[str, str]
    zero: frozenset[str]
    namespace: Namespace
    types: Mapping[str, tuple[type, ...]]
    linear: frozenset[str] = frozenset()
    jointly: frozenset[str] = frozenset()
    each: frozenset[str] = frozenset()
    sequences: frozenset[str] = frozenset()
    elementwise: bool = False
    alias: Memory | None = None
    complex: Complex = "no"
    effect: bool = False
    square: Fn | None = None
    power: Fn | None = None
    root: str = ""
    seminorm: bool = False
    bend: str = ""
    tangent: Fn | None = None
    parts: Mapping[int, Fn] = field(default_factory=dict)
    fact: Callable[..., Fact] | None = None
    only: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    location: Location | None = None
    chapter: str = ""

    def has_no_slope(self, name: str, value: object) -> bool:
        """Whether the result does not change by little as a parameter does.

        A setting that is refused as well is a variable where it is known for a float.
        """
        if name in self.refused and isinstance(value, Var):
            known = value.fact
            if known.holds_floats and known.kind not in ("real", "unknown"):
                return False
        return name in self.zero

    @property
    def stated(self) -> Stated:
        """What the registry of operations takes from the rule."""
        own = bool(self.chapter)
        return Stated(self.alias, own, self.elementwise, self.linear, self.effect)

    @property
    def result(self) -> str:
        """The placeholder of the result: `y`."""
        return self.primal.target

    @property
    def cotangent(self) -> str:
        """The placeholder of the result's cotangent: `dy`."""
        return f"d{self.primal.target}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(self.signature.parameters)

    @property
    def varargs(self) -> str | None:
        """The parameter `*xs`, if there is one."""
        return _first_of(self, Parameter.VAR_POSITIONAL)

    @property
    def keywords(self) -> str | None:
        """The parameter `**kw`, if there is one."""
        return _first_of(self, Parameter.VAR_KEYWORD)

    @property
    def missing(self) -> frozenset[str]:
        """The parameters of which nothing is stated: `NoRule` where active."""
        stated = {*self.adjoints, *self.zero}
        return frozenset(p for p in self.parameters if p not in stated)

    def __repr__(self) -> str:
        primal = self.primal
        return f"<rule {self.name}: {primal.target} = {primal.text}>"

    def resolve(self, name: str) -> object:
        """The object that a name in the statements stands for."""
        return self.namespace.resolve(name)


@cache
def _first_of(rule: Rule, kind: Any) -> str | None:
    """The first parameter of a kind: it is asked for with every op."""
    found = (p.name for p in rule.signature.parameters.values() if p.kind is kind)
    return next(found, None)


@dataclass(frozen=True, slots=True)
class Stated:
    """The properties of its functions that a rule states beside their derivative.

    memory: None where it says nothing. own: whether it is a rule of the chapters.
    """

    memory: Memory | None = None
    own: bool = True
    elementwise: bool = False
    linear: frozenset[str] = frozenset()
    effect: bool = False


def together_stated(each: Sequence[Stated]) -> dict[str, object]:
    """The properties of a function that has several rules, as fields of `OpInfo`: those
    that all of its rules state."""
    return {
        "memory": _memory_together(each),
        "elementwise": all(s.elementwise for s in each),
        "linear": frozenset.intersection(*(s.linear for s in each)),
        "effect": any(s.effect for s in each),
    }


def _memory_together(each: Sequence[Stated]) -> Memory:
    """The memory that those rules state that say something of it. Where none does it is
    fresh if all are of the chapters, which are tested for that, else unknown."""
    told = [s.memory for s in each if s.memory is not None]
    if not all(memory == told[0] for memory in told):
        return "maybe"
    default: Memory = "fresh" if all(s.own for s in each) else "maybe"
    return told[0] if told else default


class Unread:
    """A rule of a chapter, of which only the functions that it serves are known.

    The chapters state hundreds of rules, and a program needs a few: the others are
    never read.
    """

    __slots__ = ("_read", "_rule", "fns", "stated")
    _reading: ClassVar = RLock()

    def __init__(
        self, fns: tuple[Fn, ...], read: Callable[[], Rule], stated: Stated
    ) -> None:
        self.fns = fns
        self.stated = stated
        self._read = read
        self._rule: Rule | None = None

    def rule(self) -> Rule:
        """The rule, the same each time."""
        with self._reading:
            if self._rule is None:
                self._rule = self._read()
            return self._rule


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A rule chosen for a call.

    arguments: an atom for each parameter, defaults as Const; of `*xs` a tuple.
    keywords: what `**kw` stands for in the statements, where the rule has one.
    converted: parameters given as a list or tuple of numbers where the statements do
    arithmetic: they are to be read as `np.asarray(parameter)`, in this order.
    assumed: parameters whose type is not known, and the classes that the rule demands:
    for the text to check.
    """

    rule: Rule
    arguments: Mapping[str, Atom | tuple[Atom, ...]]
    keywords: tuple[tuple[str, Atom], ...] = ()
    converted: tuple[str, ...] = ()
    assumed: tuple[tuple[str, tuple[type, ...]], ...] = ()
