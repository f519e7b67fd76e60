"""Two expressions and conditions -> a rewrite, as the engine tries it.

    rewrite("unsolve(d, a, b)", "np.linalg.solve(a.T, d)", rank(a=2, b=(1, 2)))

The first expression is a pattern. Its names stand for operands, the same name for equal
ones, and its literals for themselves. An expression within it stands for what generated
code would nest: a value without a name that is read once. A setting that the pattern of
a helper leaves out has its default. Sums and products are tried both ways round. The
second expression is put in the place of the first where all conditions hold.

In: the table of a subject.  Out: the rewrites of each function, in the order of the
table. An expression is parsed when an op of its function is first met.

>>> negated = rewrite("x - -y", "x + y")
>>> negated.head, sorted(negated.pattern.places)
(<built-in function sub>, ['x', 'y'])
"""

from __future__ import annotations

import ast
import builtins
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast import runtime
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.reverse.rule_statements import Template, names_read
from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewrite, Rewriter
from yota_ast.ir.abstract_values import UNKNOWN
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder, Names
from yota_ast.ir.helper_defaults import defaults
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.algebra import COMMUTING, TERMS, operated
from yota_ast.syntax import Node
from yota_ast.syntax.names import is_weak

Bound = dict[str, Any]
"""What the names of a pattern stand for."""
Condition = Callable[[Rewriter, Bound], bool]
"""Says whether a rewrite may be done. It may bind further names."""
NAMES: Final[Mapping[str, Any]] = {
    **vars(builtins), **vars(runtime), "np": np, "math": math,
}  # fmt: skip
"""What expressions call."""
_FLAT_CALL: Final = re.compile(r"([\w.]+)\([^()]*\)")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """An op and its operands by place or by name; places: the names in it that stand
    for operands; parts: the patterns of what it nests; ways: whether its operands are
    tried as they stand, turned round, or both."""

    fn: Fn
    keys: tuple[object, ...]
    slots: tuple[Atom, ...]
    named: bool
    places: frozenset[str]
    parts: Mapping[str, Pattern]
    ways: tuple[bool, ...]

    def fits(self, r: Rewriter, op: Apply, bound: Bound, *, turned: bool) -> bool:
        """Whether an op is such an expression. The names are bound."""
        given: Sequence[Atom] = op.args
        if self.named or op.kwargs:
            every = operands(op)
            if every.keys() != set(self.keys):
                return False
            given = [every[key] for key in self.keys]
        elif len(given) != len(self.slots):
            return False
        for slot, atom in zip(
            self.slots, given[::-1] if turned else given, strict=True
        ):
            if not self._fits(r, slot, atom, bound, op):
                return False
        return True

    def _fits(
        self, r: Rewriter, slot: Atom, atom: Atom, bound: Bound, outer: Apply
    ) -> bool:
        if isinstance(slot, Const):
            return isinstance(atom, Const) and _is_literal(slot, atom)
        if slot.name in self.places:
            return bool(bound.setdefault(slot.name, atom) == atom)
        part = self.parts[slot.name]
        op = _nested(r, atom, part.fn, outer)
        return op is not None and part.fits(r, op, bound, turned=False)


def _nested(r: Rewriter, atom: Atom, fn: Fn, outer: Apply) -> Apply | None:
    """Return the op that a pattern nests. What adds axes may have a name; what changes
    signs costs nothing, and may be done again elsewhere."""
    op = r.maker(atom, fn)
    if op is None or info(fn).adds_axes:
        return op
    if info(fn).signs:
        return signed(r, atom, fn, alone=info(outer.fn).arithmetic not in TERMS)
    return r.inner(atom, fn)


def signed(r: Rewriter, atom: Atom, fn: Fn, *, alone: bool = True) -> Apply | None:
    """Return the op that changed the signs of an atom which needs no name: it has none,
    or it is an adjoint of what is read elsewhere too, or one that is read once.
    alone: not the last, for what is added to it goes on under its name."""
    op = r.maker(atom, fn)
    if op is None or is_weak(op.out.hint):
        return op
    (x,) = op.args
    elsewhere = isinstance(x, Var) and r.uses.get(x.name, 0) > 1
    once = alone and r.uses.get(op.out.name, 2) < 2
    return op if op.origin.reverse and (once or elsewhere) else None


def _is_literal(slot: Const, atom: Const) -> bool:
    """Whether an atom is a literal of a pattern: 1.0 is 1, True is not."""
    numbers = {type(slot.value), type(atom.value)} <= {int, float}
    return slot == atom or (numbers and atom.text is None and atom.value == slot.value)


def operands(op: Apply) -> Mapping[object, Atom]:
    """The operands of an op by place or by name; of a helper all by name, with its
    defaults."""
    known = defaults(op.fn)
    if not known:
        return {**dict(enumerate(op.args)), **dict(op.kwargs)}
    given = {**dict(zip(known, op.args, strict=False)), **dict(op.kwargs)}
    return {k: given[k] if k in given else Const(known[k]) for k in known}


@functools.cache
def _node(text: str) -> Node:
    return ast.parse(text, mode="eval").body


@functools.cache
def read(text: str) -> Pattern:
    """The pattern of an expression."""
    node = _node(text)
    builder = Builder(lambda *_: UNKNOWN, Names())
    places = {name for name in names_read(node) if name not in NAMES}
    whole = Template({p: Var(p) for p in places}, NAMES.__getitem__, builder).atom(node)
    assert isinstance(whole, Var), "a pattern is no name and no number"
    parts: dict[str, Pattern] = {}
    for name, op in builder.made.items():
        given = operands(op)
        keys, slots = tuple(given), tuple(given.values())
        named = keys != tuple(range(len(keys)))
        ways = (False, True) if operated(op.fn) in COMMUTING else (False,)
        parts[name] = Pattern(op.fn, keys, slots, named, frozenset(places), parts, ways)
    return parts[whole.name]


@dataclass(frozen=True, slots=True, eq=False)
class PatternRewrite:
    """One expression for another where conditions hold."""

    before: str
    after: str
    conditions: tuple[Condition, ...]

    @property
    def head(self) -> Fn:
        """The function of the outermost op of the pattern."""
        flat = _FLAT_CALL.fullmatch(self.before)
        if flat is None:
            return self.pattern.fn
        first, *rest = flat[1].split(".")
        fn: Fn = functools.reduce(getattr, rest, NAMES[first])
        return fn

    @property
    def pattern(self) -> Pattern:
        """What is rewritten."""
        return read(self.before)

    def __call__(self, r: Rewriter, op: Apply) -> Atom | None:
        """Return the second expression made, if the op is the first."""
        pattern = read(self.before)
        for turned in pattern.ways:
            bound: Bound = {}
            if pattern.fits(r, op, bound, turned=turned):
                if all(condition(r, bound) for condition in self.conditions):
                    return Template(bound, NAMES.__getitem__, r).atom(_node(self.after))
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """A rewrite that no pattern says, for ops of some functions."""

    heads: tuple[Fn, ...]
    rewrite: Rewrite


Table = tuple[PatternRewrite | Computed, ...]


def rewrite(before: str, after: str, *conditions: Condition) -> PatternRewrite:
    """Put the second expression for the first where the conditions hold."""
    return PatternRewrite(before, after, conditions)


def computed(rewrite: Rewrite, *heads: Fn) -> Computed:
    """Try a function on ops of some functions."""
    return Computed(heads, rewrite)


def by_function(tables: Iterable[Table]) -> dict[Fn, tuple[Rewrite, ...]]:
    """The rewrites of each function."""
    found: dict[Fn, tuple[Rewrite, ...]] = {}
    for entry in (entry for table in tables for entry in table):
        if isinstance(entry, PatternRewrite):
            found[entry.head] = (*found.get(entry.head, ()), entry)
            continue
        for fn in entry.heads:
            found[fn] = (*found.get(fn, ()), entry.rewrite)
    return found
