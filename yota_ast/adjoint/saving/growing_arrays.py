"""A forward sweep -> the arrays that become longer in each iteration of a loop.

    for i in range(n):
        y = np.append(y, f(y[-1]))

All of them together are as large as n times the last: where the reverse sweep reads
`y[-1]`, that is saved.
"""

from __future__ import annotations

from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import carries_of
from yota_ast.ir.nodes import Apply, Block, atoms_of, walk
from yota_ast.ops import info


def growing_arrays(block: Block) -> frozenset[str]:
    """The names of what loops carry and join to other arrays, and of the results."""
    makers = {op.out.name: op for op in walk(block) if isinstance(op, Apply)}
    found = set[str]()
    for op in walk(block):
        for carry in carries_of(op):
            following = carry.next
            made = makers.get(following.name) if isinstance(following, Var) else None
            if made is not None and info(made.fn).joins:
                if carry.inside in _joined(made, makers):
                    found |= {carry.inside.name, made.out.name}
    return frozenset(found)


def _joined(op: Apply, makers: dict[str, Apply]) -> set[Var]:
    """What an op joins: its arguments, and the items of a list of such."""
    atoms = [a for a in atoms_of(op) if isinstance(a, Var)]
    listed = [makers[a.name] for a in atoms if a.name in makers]
    inner = [a for made in listed for a in atoms_of(made) if made.out.fact.items]
    return {a for a in (*atoms, *inner) if isinstance(a, Var)}
