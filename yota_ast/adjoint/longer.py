"""Tape and activity -> the axes that must be longer than one element.

Where an array meets another of which no length is known, the result has the length of
the first, for that is not 1 in the example. Of one that is 1 the result has the length
of the other, and what goes back would have to be summed: the text checks that.

>>> from ..facts import Dim, array_fact
>>> from ..tape import Block
>>> n = Dim("v.shape[0]", 0, 4)
>>> v, u, y = (Var(x, array_fact("f8", (d,))) for x, d in zip("vuy", (n, None, n)))
>>> list(longer(Block((Apply(y, np.multiply, (v, u)),)), [y]))
[Dim(base='v.shape[0]', offset=0, size=4)]
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

import numpy as np

from ..facts import Dim, Fact, Shape
from ..rules.rule import BOOK
from ..tape import Apply, Block, Var, fact_of_atom, walk

_BROADCASTING: Final = frozenset((np.where, np.clip))
"""Functions beside those that are elementwise whose operands meet."""


def longer(block: Block, active: Container[Var]) -> Iterator[Dim]:
    """The axes of arguments that meet what may be longer, on the path of a
    derivative."""
    for op in walk(block):
        if isinstance(op, Apply) and op.out.fact.shape and len(op.args) > 1:
            found = list(_decided(op)) if op.out in active else []
            if found and _meets(op.fn):
                yield from found


def _decided(op: Apply) -> Iterator[Dim]:
    """The axes of a result that are taken from one operand, while of another nothing is
    known."""
    shape = op.out.fact.shape
    if not isinstance(shape, tuple):
        return
    others = [s for s in map(_shape, op.args) if s != ()]
    for k, dim in enumerate(reversed(shape), 1):
        if dim is None or not dim.base or "@" in dim.base or dim.size in (None, 1):
            continue
        if any(_is_unknown(s, k) for s in others):
            yield dim


def _shape(atom: object) -> Shape:
    fact: Fact = fact_of_atom(atom)  # type: ignore[arg-type]
    return fact.shape if fact.is_numeric else ()


def _is_unknown(shape: Shape, k: int) -> bool:
    """Whether nothing is known of the k-th axis from the end, if there is one."""
    if not isinstance(shape, tuple):
        return True
    dim = shape[-k] if k <= len(shape) else Dim("", 1)
    return dim is None or "@" in dim.base


def _meets(fn: object) -> bool:
    if fn in _BROADCASTING:
        return True
    return any(rule.elementwise for rule in BOOK.rules_of(fn))  # type: ignore[arg-type]
