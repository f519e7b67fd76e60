"""Blocks and what is read after them -> the blocks without what nobody reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Simple,
    Try,
    While,
    With,
    atoms_of,
    defined_by,
    of_ops,
    walk,
)


def without_dead(block: Block, read_after: Iterable[Atom | Undefined]) -> Block:
    """The block without pure ops whose results are not read, directly or in the end."""
    live = {a.name for a in read_after if isinstance(a, Var)}
    return _block(block, live)


def _block(block: Block, live: set[str]) -> Block:
    kept: list[Op] = []
    for op in reversed(block.ops):
        atoms: Iterable[Atom]
        if isinstance(op, Apply):
            if not op.effect and op.out.name not in live:
                continue
            kept.append(op)
            atoms = atoms_of(op) if op.kwargs else op.args
        else:
            slim = _op(op, live)
            if slim is None:
                continue
            kept.append(slim)
            atoms = atoms_of(slim)
        for a in atoms:  # what `_mark` does, of all ops
            if isinstance(a, Var):
                live.add(a.name)
    return of_ops(block, tuple(reversed(kept)))


def _mark(live: set[str], atoms: Iterable[Atom | Undefined]) -> None:
    for a in atoms:
        if isinstance(a, Var):
            live.add(a.name)


def _op(op: Op, live: set[str]) -> Op | None:
    match op:
        case Simple():
            outs = defined_by(op)
            return None if outs and live.isdisjoint(v.name for v in outs) else op
        case If():
            return _branch(op, live)
        case With():
            body = _block(op.body, live)
            return replace(op, body=body) if body.ops else None
        case Try():
            return _try(op, live)
        case For() | While():
            return _loop(op, live)
        case _:
            assert_never(op)


def _try(op: Try, live: set[str]) -> Try:
    """A try stays: that its body raises is an effect."""
    merges = tuple(m for m in op.merges if m.out.name in live)
    after, caught = set(live), set(live)
    _mark(after, (m.then for m in merges))
    _mark(caught, (m.orelse for m in merges))
    orelse = _block(op.orelse, after)
    handler = _block(op.handler, caught)
    # Whatever may raise in the body decides which arm runs: nothing of it is dead.
    live |= after | caught
    for inner in walk(op.body):
        _mark(live, atoms_of(inner))
        _mark(live, ends_of(inner))
    return replace(op, orelse=orelse, handler=handler, merges=merges)


def _branch(op: If, live: set[str]) -> If | None:
    merges = tuple(m for m in op.merges if m.out.name in live)
    # One set for both arms: nothing that the one reads is defined in the other.
    for m in merges:
        _mark(live, (m.then, m.orelse))
    then, orelse = _block(op.then, live), _block(op.orelse, live)
    if not merges and not then.ops and not orelse.ops:
        return None
    if then is op.then and orelse is op.orelse and len(merges) == len(op.merges):
        return op
    return replace(op, then=then, orelse=orelse, merges=merges)


def _loop(op: For | While, live: set[str]) -> For | While | None:
    stack = op.stack if op.stack is not None and op.stack.name in live else None
    kept = {c.out.name for c in op.carries if c.out.name in live}
    while True:
        carries = tuple(c for c in op.carries if c.out.name in kept)
        inner = set(live)
        _mark(inner, (c.next for c in carries))
        _mark(inner, () if op.stop is None else (op.stop,))
        _mark(inner, op.saved if stack is not None else ())
        # what an iteration reads of the one before is read at the end of the body
        _mark(inner, (c.inside for c in carries))
        slim = _iteration(op, inner)
        more = {c.out.name for c in op.carries if c.inside.name in inner} - kept
        if not more:
            break
        kept |= more
    live |= inner
    if not carries and stack is None and not slim.body.ops and isinstance(op, For):
        return None
    saved = op.saved if stack is not None else ()
    return replace(slim, carries=carries, stack=stack, saved=saved)


def _iteration(op: For | While, live: set[str]) -> For | While:
    """The loop, without what nobody reads in its blocks."""
    body = _block(op.body, live)
    match op:
        case For():
            return replace(op, body=body)
        case While():
            _mark(live, (op.test,))
            return replace(op, cond=_block(op.cond, live), body=body)
        case _:
            assert_never(op)
