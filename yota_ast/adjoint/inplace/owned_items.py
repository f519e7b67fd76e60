"""A reverse sweep -> the lists of adjoints whose arrays may be added to where they are.

`dW = zeros_of(W)` makes a list of new arrays, each of them once: `dW[i] += e` writes
into one, and changes nothing else. Where an array of the list has been read as a whole,
it has two names from there, and `dW[i] = dW[i] + e` makes a new one.

>>> items_of("dW")
'dW[:]'
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.rewrites.rewrite_engine import is_narrower
from yota_ast.ir.abstract_values import Fact, within
from yota_ast.ir.atoms import Var, fact_of_atom
from yota_ast.ir.nodes import Apply, Block, Store, atoms_of, only, path_length, walk
from yota_ast.ir.store_changes import PUT
from yota_ast.runtime import (
    added_item,
    added_lists,
    unset_item,
    zeros_in_lists,
    zeros_of,
    zeros_within,
)

_MAKERS: Final = (zeros_of, zeros_within, zeros_in_lists, added_lists)


def items_of(name: str) -> str:
    """The name under which the arrays in a list are owned, as the list is by its own:
    each is in the list once, and nothing else has it."""
    return f"{name}[:]"


def makes_items(op: Apply) -> bool:
    """Whether an op makes a list of new arrays, each of them once."""
    return op.fn in _MAKERS


def lent_by(op: Apply) -> set[str]:
    """The items that an op may hand on: they have two names from there."""
    if op.fn in (len, added_item, unset_item):
        return set()
    if op.out.fact.is_scalar and op.out.fact.kind != "array":
        return set()
    return {items_of(a.name) for a in atoms_of(op) if isinstance(a, Var)}


def handed_items(
    pairs: Iterable[tuple[Var, object]], owned: AbstractSet[str]
) -> set[str]:
    """The items of variables of which each is what another variable was, whose items
    are owned.

    >>> handed_items([(Var("d"), Var("dW")), (Var("e"), Var("dV"))], {"dW[:]"})
    {'d[:]'}
    """
    return {
        items_of(var.name)
        for var, source in pairs
        if isinstance(source, Var) and items_of(source.name) in owned
    }


def adds_within(op: Apply, each: Fact, owned: AbstractSet[str]) -> bool:
    """Whether `added_item(d, index, e)` adds to the array at the index where it is:
    nothing else has it, and it can hold the sum. each: what is known of it.

    Not in a text that is differentiated again: there a write into an array that a list
    holds is refused.
    """
    target, _, value = op.args
    own = isinstance(target, Var) and items_of(target.name) in owned
    if marking() or not own or each.kind != "array":
        return False
    beyond = fact_of_atom(value).is_complex and not each.is_complex
    return not beyond and not is_narrower(Var("", each), value)


def adds_within_lists(block: Block) -> bool:
    """Whether a sweep adds to arrays within lists, or to items of their items."""
    return any(
        op.target.fact.kind == "list"
        and (path_length(op.target, op.index) or op.change != PUT)
        and not within(op.target.fact, 1).is_scalar
        for op in only(walk(block), Store)
    )
