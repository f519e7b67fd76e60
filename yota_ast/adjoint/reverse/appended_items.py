"""Loops that append once an iteration -> which item of the list each iteration made.

    out = [y0]
    for i in range(n):
        y = f(y)
        out.append(y)  # out[i + 1]

In: a loop of the forward sweep.  Out: for each such list, how many items it had before
the loop, and the store that appends. The adjoint of what was appended is then an item
of the list's adjoint, which need not be taken apart from its end. Of a list of numbers
that are only summed, all items have one adjoint, in a loop over anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.reverse.contributions import ZERO, adjoint_fact, fact_of_end
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import ALL_BUT_LAST
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import Apply, Carry, For, Store, While, atoms_of, walk
from yota_ast.ir.store_changes import AppendItem
from yota_ast.runtime import unsum_sequence, with_item


@dataclass(frozen=True, slots=True)
class Growth:
    """A list to which each iteration of a loop appends one item."""

    carry: Carry
    store: Store
    index: Var | None  # counts the iterations, from 0; None: nothing counts them
    before: int  # items, when the loop begins


def growths(
    op: For | While,
    made: Mapping[str, Apply],
    active: Callable[[object], bool],
) -> list[Growth]:
    """The lists that the loop does nothing else to, on the path of a derivative."""
    index = _counter(op, made)
    found = []
    for c in op.carries:
        known = c.init.fact if isinstance(c.init, Var) else None
        if known is None or known.kind != "list" or known.items is None:
            continue
        stores = [
            s
            for s in op.body
            if isinstance(s, Store) and _appends(s) and s.target == c.inside
        ]
        if len(stores) != 1 or c.next != stores[0].out:
            continue
        if not _read_beside(op, c.inside, stores[0], active):
            found.append(Growth(c, stores[0], index, len(known.items)))
    return found


def shared_adjoint(d: Atom, made: Mapping[str, Apply]) -> Atom | None:
    """Return the adjoint that all items of a list have: that of their sum."""
    op = made.get(d.name) if isinstance(d, Var) else None
    if op is None or op.fn is not unsum_sequence:
        return None
    dy, x = op.args
    each = element_of(fact_of_end(x))
    plain = each.is_number and each.is_scalar and not each.is_complex
    is_shared = plain and fact_of_end(dy).is_scalar
    return dy if is_shared else None


def appended(
    items: Var, d: Atom | None, key: Atom, dy: Atom, builder: Builder
) -> Var | None:
    """Return the adjoint of a list of numbers that loses its last one: that of the rest
    with one more, which is what has reached the last. None in all other cases.

    `last = items[-1]` and `rest = items[:-1]` are `last = items.pop()`.
    """
    known = adjoint_fact(items)
    if not element_of(known).is_scalar:
        return None
    if key == ALL_BUT_LAST and d is None:
        return builder.apply(with_item, dy, ZERO, fact=known)
    made = builder.maker(d) if d is not None else None
    if key != Const(-1) or made is None or made.fn is not with_item:
        return None
    rest, last = made.args
    return builder.apply(with_item, rest, dy, fact=known) if last == ZERO else None


def _counter(op: For | While, made: Mapping[str, Apply]) -> Var | None:
    """The variable of a loop over `range(n)` that no `break` ends."""
    if not isinstance(op, For) or op.stop is not None or len(op.targets) != 1:
        return None
    iterable = made.get(op.iterable.name) if isinstance(op.iterable, Var) else None
    if iterable is None or iterable.fn is not range:
        return None
    plain = len(iterable.args) == 1 or (
        len(iterable.args) == 2 and iterable.args[0] == Const(0)
    )
    return op.targets[0] if plain else None


def _read_beside(
    op: For | While, var: Var, store: Store, active: Callable[[object], bool]
) -> bool:
    """Whether a loop reads a carried list, or what the store makes of it, in a way that
    the derivative goes through."""
    reads = {var.name, store.out.name}
    for inner in walk(op.body):
        if inner is store:
            continue
        if isinstance(inner, Apply) and not active(inner.out):
            continue
        ends = [a for a in ends_of(inner) if isinstance(a, Var)]
        atoms = [a for a in (*atoms_of(inner), *ends) if isinstance(a, Var)]
        if any(a.name in reads for a in atoms):
            return True
    return False


def _appends(store: Store) -> bool:
    return isinstance(store.change, AppendItem)
