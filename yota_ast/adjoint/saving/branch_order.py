"""A block of a raw reverse sweep -> what stands before which of its branches.

    if a > b:               y = a * b
        y = a * b           if a > b:
        dx = f(y)               dx = f(y)
    y = a * b               dz = g(y)
    dz = g(y)

In: a block, and which values of the forward sweep it computes again.  Out: the values
that an arm of a branch reads and what follows the branch reads in any case, so that
they are computed once; those with names of the user's, for what has none is repeated
where that reads better.
"""

from __future__ import annotations

from collections.abc import Callable

from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Block, If, atoms_of, walk


def beforehand(block: Block, again: Callable[[Var], bool]) -> dict[int, list[Var]]:
    """What to compute before the branches of a block, by their places in it."""
    ops = block.ops
    found: dict[int, list[Var]] = {}
    first = next((k for k, op in enumerate(ops) if isinstance(op, If)), len(ops))
    after: dict[str, Var] = {}
    for k in range(len(ops) - 1, first - 1, -1):
        op = ops[k]
        if isinstance(op, If) and after:
            read = _read_in(op)
            found[k] = [v for name, v in after.items() if name in read]
        for atom in atoms_of(op):
            if isinstance(atom, Var) and atom.hint is not None and again(atom):
                after[atom.name] = atom
    return found


def _read_in(op: If) -> set[str]:
    """The names of what the arms of a branch read."""
    read = (a for arm in (op.then, op.orelse) for o in walk(arm) for a in atoms_of(o))
    return {a.name for a in read if isinstance(a, Var)}
