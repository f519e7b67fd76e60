"""Two branches that ask the same, one behind the other -> one branch.

    if test:                       if test:
        a = 2 * x                      a = 2 * x
    else:                              b = a + y
        a = x                      else:
    if test:            ->             a = x
        b = a + y                      b = a
    else:
        b = a

What the second reads of the first, `a`, it reads in each arm as that arm makes it.
Where an arm makes no value of it, there is no such branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Undefined
from yota_ast.ir.block_queries import free_in
from yota_ast.ir.nodes import Block, If, Merge, Op
from yota_ast.ir.renaming import Substitution

Joined = Callable[[Block, Block, Substitution], Sequence[Op]]
"""What does what two arms do, the second with what stands there for its variables; adds
to these what it has made already."""
Tidied = Callable[[Sequence[Op], Sequence[Atom | Undefined]], Block]
"""The ops of an arm, and what is read where it ends -> the arm."""


def one_branch(first: If, second: If, joined: Joined, tidied: Tidied) -> If | None:
    """Return the branch; None: there is none."""
    arms: list[Block] = []
    ends: list[list[Atom | Undefined]] = []
    for side in ("then", "orelse"):
        body, more = getattr(first, side), getattr(second, side)
        own = {m.out.name: getattr(m, side) for m in first.merges}
        last = [getattr(m, side) for m in second.merges]
        read = {v.name for v in free_in(more, *last)}
        given = {name: end for name, end in own.items() if name in read}
        if any(isinstance(end, Undefined) for end in given.values()):
            return None
        put = Substitution(given)
        ops = joined(body, more, put)
        ends.append([put.end(end) for end in last])
        arms.append(tidied(ops, [*own.values(), *ends[-1]]))
    merges = [
        Merge(m.out, *pair) for m, *pair in zip(second.merges, *ends, strict=True)
    ]
    then, orelse = arms
    return replace(first, then=then, orelse=orelse, merges=(*first.merges, *merges))
