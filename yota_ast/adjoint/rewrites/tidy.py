"""A raw reverse sweep -> the reverse sweep that a careful person would write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.inplace.inplace_adjoints import is_fresh
from yota_ast.adjoint.inplace.kept_views import sharing_of
from yota_ast.adjoint.rewrites import (
    algebra_rewrites,
    broadcast_rewrites,
    einsum_rewrites,
    helper_rewrites,
    power_rewrites,
    product_rewrites,
    shape_rewrites,
    sum_rewrites,
    system_rewrites,
    where_rewrites,
)
from yota_ast.adjoint.rewrites.common_values import equal_values
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.rewrite_engine import Assumptions, Fn, Rewrite, Rewriter
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.nodes import Apply, Block, atoms_of, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.syntax.names import identifier

CHAPTERS: tuple[Mapping[Any, tuple[Rewrite, ...]], ...] = (
    broadcast_rewrites.RULES,
    product_rewrites.RULES,
    einsum_rewrites.RULES,
    system_rewrites.RULES,
    helper_rewrites.RULES,
    shape_rewrites.RULES,
    where_rewrites.RULES,
    power_rewrites.RULES,
    algebra_rewrites.RULES,
    sum_rewrites.RULES,
)


_OF_SHAPES = (broadcast_rewrites.through, system_rewrites.spread_number)


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
        for fn in (
            algebra_rewrites.ADD,
            algebra_rewrites.SUB,
            algebra_rewrites.MUL,
            algebra_rewrites.DIV,
            algebra_rewrites.NEG,
        )
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
    if _applies(broadcast_rewrites.LAST_RULES, made):
        last = Rewriter(broadcast_rewrites.LAST_RULES, infer, names)
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
    saved = frozenset(v.name for op in walk(slim) if is_loop(op) for v in op.saved)
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
    last = Rewriter(
        broadcast_rewrites.LAST_RULES, infer, names, beside=True, saved=saved
    )
    last.sharing = sharing = sharing_of(made, is_fresh)
    last.written = frozenset(n for op in made for n in sharing.written(op))
    made = last.block(made)
    end = last.atom(end)
    return without_dead(made, [end, *values]), end, rewriter.assumed
