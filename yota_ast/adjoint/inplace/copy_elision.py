"""`t = view.copy()`, `u = t.copy()` where nothing else reads t -> `u = view.copy()`.

A sweep that adds up in its own memory copies what is a view; where the view is read
after its memory was written it is a copy already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    map_blocks,
    of_ops,
)
from yota_ast.ops import info


def without_second_copies(block: Block, after: Iterable[Atom | Undefined]) -> Block:
    """The block, with one copy in the place of two. after: what is read when it has
    run."""
    return _block(block, read_counts(block, after))


def with_copies_at_once(block: Block, after: Iterable[Atom | Undefined]) -> Block:
    """`dx = np.real(t)`, `dx = dx.copy()` -> `dx = np.real(t).copy()`; of two copies of
    one value one is left.

    after: what is read when the block has run.
    """
    reads = read_counts(block, after)
    made = {op.out: k for k, op in enumerate(block) if isinstance(op, Apply)}
    ops: list[tuple[Op, ...]] = [(op,) for op in block]
    for k, op in enumerate(block):
        if not isinstance(op, Apply) or not _is_copy(op):
            continue
        source = op.args[0]
        if not isinstance(source, Var) or source not in made or reads[source.name] > 1:
            continue
        place = made[source]
        *before, last = ops[place]
        if isinstance(last, Apply):
            ops[k], ops[place] = (), (*before, *_copied(last, op))
            made[op.out] = place
    return of_ops(block, tuple(op for group in ops for op in group))


def _copied(made: Apply, copy: Apply) -> tuple[Apply, ...]:
    """What makes a value and copies it in one statement; a copy is not copied again."""
    if _is_copy(made):
        return (replace(made, out=copy.out),)
    bare = replace(made.out, hint=None)
    return replace(made, out=bare), replace(copy, args=(bare,), origin=made.origin)


def _block(block: Block, reads: Counter[str]) -> Block:
    ops: list[Op] = []
    places: dict[str, int] = {}
    for op in block:
        if isinstance(op, Apply) and _is_copy(op):
            source = op.args[0].name if isinstance(op.args[0], Var) else ""
            first = places.get(source)
            if first is not None and reads[source] == 1:
                made = ops[first]
                assert isinstance(made, Apply)
                ops[first] = replace(made, out=op.out)
                places[op.out.name] = first
                continue
            places[op.out.name] = len(ops)
        ops.append(map_blocks(op, lambda inner: _block(inner, reads)))
    return Block(tuple(ops))


def _is_copy(op: Apply) -> bool:
    """Whether an op copies an array, in memory of its own."""
    known = op.out.fact
    plain = info(op.fn).copies and len(op.args) == 1 and not op.kwargs
    return plain and known.kind == "array" and bool(known.rank)
