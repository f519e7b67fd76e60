"""A raw reverse sweep -> the reverse sweep that a careful person would write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..build import Infer, Names
from ..names import identifier
from ..records import replace
from ..renaming import Substitution
from ..tape import Apply, Atom, Block, For, Var, While, atoms_of, walk
from . import (
    algebra,
    arms,
    broadcasting,
    einsums,
    plainer,
    powers,
    products,
    systems,
    terms,
    words,
)
from .dead import without_dead
from .equals import equal_values
from .inplace import is_fresh
from .rewrite import Assumptions, Fn, Rewrite, Rewriter
from .views import sharing_of

CHAPTERS: tuple[Mapping[Any, tuple[Rewrite, ...]], ...] = (
    broadcasting.RULES,
    products.RULES,
    einsums.RULES,
    systems.RULES,
    words.RULES,
    plainer.RULES,
    arms.RULES,
    powers.RULES,
    algebra.RULES,
    terms.RULES,
)


_OF_SHAPES = (broadcasting.through, systems.spread_number)


def _all_rules() -> Mapping[Fn, tuple[Rewrite, ...]]:
    rules: dict[Fn, tuple[Rewrite, ...]] = {}
    for chapter in CHAPTERS:
        for fn, rewrites in chapter.items():
            rules[fn] = (*rules.get(fn, ()), *rewrites)
    return rules


def _of_floats(rules: Mapping[Fn, tuple[Rewrite, ...]]) -> Mapping[Fn, Any]:
    """Those of arithmetic on Python's floats: nothing of it is spread over a shape."""
    return {
        fn: tuple(rewrite for rewrite in rules[fn] if rewrite not in _OF_SHAPES)
        for fn in (algebra.ADD, algebra.SUB, algebra.MUL, algebra.DIV, algebra.NEG)
    }


def tidy(
    forward: Block,
    reverse: Block,
    ends: Mapping[str, Atom],
    infer: Infer,
    names: Names,
) -> tuple[Block, dict[str, Atom], Assumptions]:
    """The reverse sweep, tidied; what the adjoints in `ends` have become; and what
    that takes for granted of the arguments."""
    slim = without_dead(reverse, ends.values())
    rules = _all_rules()
    rewriter = Rewriter(rules, infer, names, _of_floats(rules), uses=_uses(slim, ends))
    rewriter.known |= equal_values(forward)
    at_hand = rewriter.register(forward)
    rewriter.not_zero(forward)
    made = rewriter.block(slim, at_hand)
    adjoints = {name: rewriter.atom(d) for name, d in ends.items()}
    made = without_dead(made, adjoints.values())
    # What is spread over a shape after all is written out when nothing can absorb it.
    if _applies(broadcasting.LAST_RULES, made):
        last = Rewriter(broadcasting.LAST_RULES, infer, names)
        made = last.block(made, last.register(forward))
        adjoints = {name: last.atom(d) for name, d in adjoints.items()}
        made = without_dead(made, adjoints.values())
    made, adjoints = _called(made, adjoints)
    return made, adjoints, rewriter.assumed


def _applies(rules: Mapping[Fn, tuple[Rewrite, ...]], block: Block) -> bool:
    """Whether any of some rules is one of a function in a block."""
    return any(isinstance(op, Apply) and op.fn in rules for op in walk(block))


def _called(block: Block, adjoints: dict[str, Atom]) -> tuple[Block, dict[str, Atom]]:
    """The same, the adjoint of an argument that others are made of called by its
    name."""
    own = {op.out for op in block if isinstance(op, Apply) and op.out.hint is None}
    ends = [d for d in adjoints.values() if isinstance(d, Var)]
    read = {a for op in walk(block) for a in atoms_of(op) if isinstance(a, Var)}
    hints = {
        d: replace(d, hint=f"d{identifier(name)}")
        for name, d in adjoints.items()
        if isinstance(d, Var) and d in own & read and ends.count(d) == 1
    }
    if not hints:
        return block, adjoints
    put = Substitution({old.name: new for old, new in hints.items()})
    return put.block(block), {name: put.atom(d) for name, d in adjoints.items()}


def _uses(block: Block, ends: Mapping[str, Atom]) -> dict[str, int]:
    counts: dict[str, int] = {}
    atoms = [a for op in walk(block) for a in atoms_of(op)]
    for atom in (*atoms, *ends.values()):
        if isinstance(atom, Var):
            counts[atom.name] = counts.get(atom.name, 0) + 1
    return counts


def tidy_beside(
    block: Block, end: Atom, values: Sequence[Atom], infer: Infer, names: Names
) -> tuple[Block, Atom, Assumptions]:
    """A block of values and their tangents, the tangents tidied and the values, that
    are read after it, left as they are; and what the tangent `end` has become."""
    ends = {"end": end} | {f"value{k}": v for k, v in enumerate(values)}
    slim = without_dead(block, ends.values())
    loops = (op for op in walk(slim) if isinstance(op, (For, While)))
    saved = frozenset(v.name for op in loops for v in op.saved)
    uses = _uses(slim, ends)
    rules = _all_rules()
    rewriter = Rewriter(
        rules, infer, names, _of_floats(rules), uses=uses, beside=True, saved=saved
    )
    rewriter.sharing = sharing = sharing_of(slim, is_fresh)
    rewriter.written = frozenset(n for op in slim for n in sharing.written(op))
    made = rewriter.block(slim)
    end = rewriter.atom(end)
    made = without_dead(made, [end, *values])
    last = Rewriter(broadcasting.LAST_RULES, infer, names, beside=True, saved=saved)
    last.sharing = sharing = sharing_of(made, is_fresh)
    last.written = frozenset(n for op in made for n in sharing.written(op))
    made = last.block(made)
    end = last.atom(end)
    return without_dead(made, [end, *values]), end, rewriter.assumed
