"""A sum in a reverse sweep -> the same sum, its terms taken together.

What goes on as a variable of its own name takes its terms at once: `dx + a - b` becomes
`dx + (a - b)`, which the text writes as `dx += a - b`. Terms keep their order, but for
the first that is added, which comes first.

In: the sum, and the builder of its block, which has the ops before it.  Out: what it
begins with and its terms; and, where they may be taken together, the sum to be added.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.analysis.last_reads import Following
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.syntax.names import is_weak


@dataclass(frozen=True, slots=True)
class Terms:
    """What a sum begins with, and its terms in order, those that are added as True."""

    start: Var
    terms: tuple[tuple[bool, Atom], ...]

    def together(self, op: Apply, builder: Builder) -> Apply:
        """The sum of what it begins with and of all its terms, those added already."""
        sign, total = summed(self.terms, builder)
        fn = operator.add if sign else operator.sub
        return replace(op, fn=fn, args=(self.start, total))


def summed(terms: Sequence[tuple[bool, Atom]], builder: Builder) -> tuple[bool, Atom]:
    """The sum of terms, True for one that is added; False: the sum is to be taken off,
    for none of them is."""
    others = list(terms)
    first = next((k for k, (plus, _) in enumerate(others) if plus), 0)
    sign, total = others.pop(first)
    for plus, term in others:
        fn = operator.add if plus is sign else operator.sub
        total = builder.apply(fn, total, term)
    return sign, total


def terms_of(
    op: Apply, builder: Builder, following: Following, reads: Reads
) -> Terms | None:
    """The terms of a sum that goes on, where they are several; `following` are the
    names read after it."""
    terms, rest = [(op.fn is operator.add, op.args[1])], op.args[0]
    waiting, written, read = list(builder.ops), False, set[str]()
    while (inner := _part(rest, builder, following)) is not None:
        while (last := waiting.pop()) is not inner:
            written |= not _is_pure(last)
            read |= reads.by(last)
        # What else reads a part needs its name; what is written is read before that.
        if inner.out.name in read:
            return None
        if written and not _is_own(inner.args[1], builder):
            return None
        terms.append((inner.fn is operator.add, inner.args[1]))
        rest = inner.args[0]
    if len(terms) == 1 or not isinstance(rest, Var) or not _goes_on(rest, op.out):
        return None
    return Terms(rest, tuple(reversed(terms)))


def _part(atom: Atom, builder: Builder, following: Following) -> Apply | None:
    """The sum that made a part of a formula."""
    made = builder.maker(atom)
    if made is None or operated(made.fn) not in TERMS or made.form == "augmented":
        return None
    nameless = is_weak(made.out.hint)
    return made if nameless and made.out.name not in following else None


def _is_pure(op: object) -> bool:
    return isinstance(op, Apply) and not op.effect and op.form != "augmented"


def _is_own(term: Atom, builder: Builder) -> bool:
    """Whether nothing but a formula refers to the memory of a term."""
    if not isinstance(term, Var) or term.fact.is_immutable:
        return True
    made = builder.maker(term)
    return made is not None and operated(made.fn) != "none" and is_weak(made.out.hint)


def _goes_on(old: Var, new: Var) -> bool:
    """Whether a variable goes on under its name, one of arithmetic."""
    if old.hint is None or old.hint != new.hint:
        return False
    return old.fact.is_numeric and new.fact.is_numeric
