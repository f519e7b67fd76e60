"""What a loop saves -> the inner products in it that the reverse computes again.

    for j in range(n):                       for j in range(n):
        d = x[i] - x[j]                          d = x[i] - x[j]
        r2 = d @ d                     ->        r2 = d @ d
        e += 1 / r2                              e += 1 / r2
        saved.append((j, r2))                for j in range(n - 1, -1, -1):
    for j, r2 in saved[::-1]:                    d = x[i] - x[j]
        d = x[i] - x[j]                          r2 = d @ d

The vectors are computed again as it is, and the products cost no more than they do.
It pays where the loop then saves nothing, so that there is no list. Of what a product
is made, a root may be taken: `np.sqrt(d @ d)`, `np.linalg.norm(d)`.

It is not done where a vector is saved itself, where a factor is a matrix, or where the
loop runs over anything but a range.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import numpy as np

from yota_ast.analysis.block_places import Places
from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.nodes import For, While
from yota_ast.ops import info


def short_sums(
    saved: Iterable[str], again: AbstractSet[str], places: Places, loop: str
) -> frozenset[str]:
    """Return what is saved, and what of it is made of, if all is made of inner products
    of vectors that are computed again."""
    found = set[str]()
    for name in saved:
        if not _is_short(name, again, places, loop, found):
            return frozenset()
    return frozenset(found)


def range_of(places: Places, op: For | While) -> tuple[Atom, ...] | None:
    """Return the arguments of the range that a loop runs over to its end."""
    if not isinstance(op, For) or op.stop is not None:
        return None
    if not isinstance(op.iterable, Var):
        return None
    maker = places.apply_of(op.iterable.name)
    return maker.args if maker is not None and maker.fn is range else None


def _is_short(
    name: str, again: AbstractSet[str], places: Places, loop: str, found: set[str]
) -> bool:
    """Whether a value is such a product, or the root of one."""
    op = places.apply_of(name)
    if op is None or op.effect or op.kwargs or not op.out.fact.is_number:
        return False
    if places.of[name].loops[-1:] != (loop,) or places.of[name].arms:
        return False
    found.add(name)
    if info(op.fn).arithmetic in ("matrix product", "inner product"):
        return _are_vectors(op.args, again)
    if op.fn is np.linalg.norm:
        return len(op.args) == 1 and _are_vectors(op.args, again)
    if info(op.fn).exponent != 1 / 2 or len(op.args) != 1:
        return False
    (x,) = op.args
    return isinstance(x, Var) and _is_short(x.name, again, places, loop, found)


def _are_vectors(args: Iterable[Atom], again: AbstractSet[str]) -> bool:
    return all(
        isinstance(a, Var) and a.name in again and fact_of_atom(a).rank == 1
        for a in args
    )
