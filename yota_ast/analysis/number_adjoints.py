"""A reverse sweep -> the adjoints that may be numbers, though of arrays.

An adjoint that nothing has been added to is 0.0, whatever the shape of its variable,
and stays a number through sums with others of its kind. Such a number is spread by
what is added to it; it has no elements to add to.

>>> from yota_ast.ir.builder import Builder, Names
>>> from yota_ast.ir.abstract_values import Fact
>>> from yota_ast.ir.atoms import Const
>>> import operator
>>> builder = Builder(lambda fn, args, kwargs: Fact("real"), Names())
>>> total = builder.apply(operator.add, Const(0.0), Const(0.0))
>>> unspread(builder.block()) == {total.name}
True
"""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast.adjoint.rewrites.index_rewrites import is_surely_array
from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.nodes import Apply, Block, walk


def unspread(reverse: Block) -> frozenset[str]:
    """The names of what may be a number where an array is meant."""
    found: set[str] = set()
    ops = list(walk(reverse))
    applied = [op for op in ops if isinstance(op, Apply) and op.args]
    joined = [join for op in ops for join in handed_on(op)]
    count = -1
    while len(found) > count:
        count = len(found)
        for op in applied:
            out = op.out
            if out.name not in found and _are_numbers(op.args, found):
                if not is_surely_array(out, {out.name: op}):
                    found.add(out.name)
        for ends, outs in joined:
            _hand_on(found, ends, outs)
    return frozenset(found)


def _hand_on(
    found: set[str], ends: Iterable[Atom | Undefined], outs: Iterable[Var]
) -> None:
    """A number that one way leads to may come out."""
    if any(_are_numbers([end], found) for end in ends):
        found |= {out.name for out in outs if not is_surely_array(out, {})}


def _are_numbers(atoms: Iterable[Atom | Undefined], found: set[str]) -> bool:
    for a in atoms:
        if isinstance(a, Undefined):
            return False
        if not fact(a).is_scalar and not (isinstance(a, Var) and a.name in found):
            return False
    return True
