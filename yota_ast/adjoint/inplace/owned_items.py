"""A reverse sweep -> the lists of adjoints whose arrays may be added to where they are.

`dW = zeros_of(W)` makes a list of new arrays, each of them once: `dW[i] += e` writes
into one, and changes nothing else. Where an array of the list has been read as a whole,
it has two names from there, and `dW[i] = dW[i] + e` makes a new one.

>>> items_of("dW")
'dW[:]'
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from yota_ast.adjoint.inplace.sums_that_fit import is_less
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.built_values import ALL_BUT_LAST, build_list, builds
from yota_ast.ir.facts.joined_facts import within
from yota_ast.ir.nodes import Apply, Block, Op, Store, atoms_of, only, path_length, walk
from yota_ast.ir.store_changes import PUT
from yota_ast.ops import info
from yota_ast.runtime import added_item, added_lists, unset_item, without_last


def items_of(name: str) -> str:
    """The name under which the arrays in a list are owned, as the list is by its own:
    each is in the list once, and nothing else has it."""
    return f"{name}[:]"


def sure_list(name: str) -> str:
    """The name that says that adjoints are in a list: those of what `np.array(items)`
    is made of are the rows of an array."""
    return f"{name}[]"


def makes_items(op: Apply) -> bool:
    """Whether an op makes a list or dict of new zeros, each of them once."""
    return info(op.fn).apart and op.fn is not added_lists


def marks_of(op: Apply) -> set[str]:
    """What is known of the list that an op makes, by such names."""
    name, found = op.out.name, set[str]()
    if info(op.fn).apart:
        found.add(items_of(name))
    zeros = info(op.fn).apart and op.out.fact.kind == "list"
    if info(op.fn).listed or zeros or op.fn in (build_list, list):
        found.add(sure_list(name))
    return found


def only_grows(name: str, owned: AbstractSet[str]) -> bool:
    """Whether this is a list of the sweep's own that arrays are appended to: none of
    them is written from there.

    >>> only_grows("rows", {"rows[]"}), only_grows("dW", {"dW[]", "dW[:]"})
    (True, False)
    """
    return sure_list(name) in owned and items_of(name) not in owned


def lent_by(op: Apply) -> set[str]:
    """The items that an op may hand on: they have two names from there."""
    if op.fn in (len, added_item, unset_item, without_last):
        return set()
    if op.out.fact.is_scalar and op.out.fact.kind != "array":
        return set()
    return {items_of(a.name) for a in atoms_of(op) if isinstance(a, Var)}


def takes_last(op: Op) -> bool:
    """Whether an op gives a list without its last item, or one in it: `items[:-1]`."""
    if isinstance(op, Apply) and op.fn is without_last:
        return True
    if not isinstance(op, Apply) or op.fn is not operator.getitem:
        return False
    return op.args[1] == ALL_BUT_LAST and fact_of_atom(op.args[0]).kind == "list"


def is_taken(op: Apply, after: Iterable[Op]) -> bool:
    """Whether an op reads the last item of a list, which then leaves the list."""
    if op.fn is not operator.getitem or op.args[1] != Const(-1):
        return False
    reading = (o for o in after if op.args[0] in (*atoms_of(o), *ends_of(o)))
    follows = next(reading, None)
    return follows is not None and takes_last(follows)


def held_by(atom: object, made: Mapping[str, Apply]) -> set[str]:
    """The names of a value, and of what it is built of; made: what makes the values.

    >>> x, pair = Var("x"), Var("pair")
    >>> sorted(held_by(pair, {"pair": Apply(pair, build_list, (x, Const(2)))}))
    ['pair', 'x']
    """
    if not isinstance(atom, Var):
        return set()
    op = made.get(atom.name)
    parts = op.args if op is not None and builds(op.fn) else ()
    return {atom.name}.union(*(held_by(part, made) for part in parts))


def handed_marks(
    pairs: Iterable[tuple[Var, object]], owned: AbstractSet[str]
) -> set[str]:
    """What is known of variables of which each is what another variable was.

    >>> handed_marks([(Var("d"), Var("dW")), (Var("e"), Var("dV"))], {"dW[:]"})
    {'d[:]'}
    """
    return {
        mark(var.name)
        for var, source in pairs
        if isinstance(source, Var)
        for mark in (items_of, sure_list)
        if mark(source.name) in owned
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
    return not is_less(Var("", each), value)


def adds_within_lists(block: Block) -> bool:
    """Whether a sweep adds to arrays within lists, or to items of their items."""
    return any(
        op.target.fact.kind == "list"
        and (path_length(op.target, op.index) or op.change != PUT)
        and not within(op.target.fact, 1).is_scalar
        for op in only(walk(block), Store)
    )
