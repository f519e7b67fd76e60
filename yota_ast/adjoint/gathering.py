"""A sum in a reverse sweep -> the same sum, its terms taken together.

What goes on as a variable of its own name takes its terms at once: `dx + a - b` becomes
`dx + (a - b)`, which the text writes as `dx += a - b`. Terms keep their order, but for
the first that is added, which comes first.

In: the sum, and the builder of its block, which has the ops before it.  Out: the sum
to be added there; what it takes together is added already.
"""

from __future__ import annotations

import operator

from ..build import Builder
from ..names import NAMELESS
from ..records import replace
from ..tape import Apply, Atom, Var
from .lastreads import Following

ADDING = (operator.add, operator.sub)


def gathered(op: Apply, builder: Builder, following: Following) -> Apply:
    """The sum; `following` are the names read after it."""
    terms = [(op.fn is operator.add, op.args[1])]
    rest, waiting = op.args[0], list(builder.ops)
    while (inner := _part(rest, builder, following)) is not None:
        # What is written in between is read before that.
        while waiting and waiting[-1] is not inner and _is_pure(waiting[-1]):
            waiting.pop()
        if not waiting or waiting[-1] is not inner:
            return op
        terms.append((inner.fn is operator.add, inner.args[1]))
        rest = inner.args[0]
    if len(terms) == 1 or not _goes_on(rest, op.out):
        return op
    terms.reverse()
    first = next((k for k, (plus, _) in enumerate(terms) if plus), 0)
    sign, total = terms.pop(first)
    for plus, term in terms:
        fn = operator.add if plus is sign else operator.sub
        total = builder.apply(fn, total, term)
    return replace(op, fn=operator.add if sign else operator.sub, args=(rest, total))


def _part(atom: Atom, builder: Builder, following: Following) -> Apply | None:
    """The sum that made a part of a formula."""
    made = builder.maker(atom)
    if made is None or made.fn not in ADDING or made.form == "augmented":
        return None
    nameless = made.out.hint in (None, NAMELESS)
    return made if nameless and made.out.name not in following else None


def _is_pure(op: object) -> bool:
    return isinstance(op, Apply) and not op.effect and op.form != "augmented"


def _goes_on(old: Atom, new: Var) -> bool:
    """Whether a variable goes on under its name, one of arithmetic."""
    named = isinstance(old, Var) and old.hint is not None and old.hint == new.hint
    return named and old.fact.is_numeric and new.fact.is_numeric
