"""A lowered block -> the block without what nothing reads, its variables named.

Merging and carrying are generous while lowering: here the merges, carries and reads
that nothing uses go, and so do the ops that only told facts to a test.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.name_reads import without_sure_reads
from yota_ast.frontend.state.lowering_records import Hint
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import carries_of, merges_of, undefined_in
from yota_ast.ir.built_values import builds
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Read,
    Simple,
    Try,
    While,
    With,
    atoms_of,
    map_blocks,
    new_var,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ops import info
from yota_ast.runtime import numbers
from yota_ast.syntax.names import identifier, is_plain


def pruned(block: Block, needed: frozenset[str]) -> Block:
    """The block without what neither it nor `needed` reads."""
    block = without_sure_reads(block, needed)
    return Pruning(undefined_in(block)).block(block, set(needed))


def without_idle(block: Block, idle: Collection[str], needed: frozenset[str]) -> Block:
    """The block without those of some ops, by their results, that nothing reads."""
    while idle:
        read = needed | _names(a for op in walk(block) for a in read_by(op))
        gone = frozenset(idle) - read
        if not gone:
            break
        block, idle = _without(block, gone), frozenset(idle) & read
    return block


def _without(block: Block, gone: frozenset[str]) -> Block:
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Apply) and op.out.name in gone:
            continue
        ops.append(map_blocks(op, lambda inner: _without(inner, gone)))
    return Block(tuple(ops))


@dataclass(frozen=True, slots=True)
class Pruning:
    """undefined: the variables that may have no value, of which a read may raise.

    wanted: the ends of loops that are read, by loop: where more is read after a loop
    around, no less is within.
    """

    undefined: frozenset[str]
    wanted: dict[int, set[str]] = field(default_factory=dict)

    def block(self, block: Block, live: set[str]) -> Block:
        """Return a block without what is idle; add what it reads to `live`."""
        kept: list[Op] = []
        for op in reversed(block.ops):
            smaller = self.pruned(op, live)
            if smaller is not None:
                kept.append(smaller)
                live.update(_names(atoms_of(smaller)))
        return Block(tuple(reversed(kept)))

    def pruned(self, op: Op, live: set[str]) -> Op | None:
        """Return an op without what is idle in it; None if that is all of it."""
        match op:
            case Read():
                return op if op.out.name in live else None
            case Apply():
                return op if op.out.name in live or not self.is_idle(op) else None
            case If():
                return self.pruned_if(op, live)
            case For() | While():
                return self.pruned_loop(op, live)
            case With():
                return replace(op, body=self.block(op.body, live))
            case Try():
                return self.pruned_try(op, live)
            case Simple():
                return op
            case _:
                assert_never(op)

    def is_idle(self, op: Apply) -> bool:
        """Say whether an op does nothing where its result is not read."""
        tells = info(op.fn).tells or op.fn is operator.not_
        idle = tells or builds(op.fn) or op.form == "unpack" or op.fn is numbers
        return (idle or _is_flag(op)) and not self.may_raise(op) and not op.effect

    def pruned_if(self, op: If, live: set[str]) -> Op | None:
        """Return a branch likewise."""
        merges = tuple(m for m in op.merges if m.out.name in live)
        # One set for both arms: nothing that the one reads is defined in the other.
        live.update(_names(a for m in merges for a in (m.then, m.orelse)))
        arms = self.block(op.then, live), self.block(op.orelse, live)
        if not merges and not arms[0] and not arms[1]:
            return None
        return replace(op, then=arms[0], orelse=arms[1], merges=merges)

    def pruned_try(self, op: Try, live: set[str]) -> Op:
        """Return a `try` likewise."""
        merges = tuple(m for m in op.merges if m.out.name in live)
        then, orelse = set(live), set(live)
        # What may raise decides which arm runs.
        asked = (o for o in walk(op.body) if isinstance(o, Apply) and _may_lack(o))
        then.update(o.out.name for o in asked)
        then.update(_names(m.then for m in merges))
        orelse.update(_names(m.orelse for m in merges))
        handler, last = self.block(op.handler, orelse), self.block(op.orelse, then)
        body = self.block(op.body, then)
        live.update(then | orelse)
        return replace(op, body=body, handler=handler, orelse=last, merges=merges)

    def pruned_loop(self, op: For | While, live: set[str]) -> Op | None:
        """Return a loop likewise."""
        wanted = {c.out.name for c in op.carries if c.out.name in live}
        wanted |= self.wanted.get(id(op), set())
        while True:
            carries = tuple(
                c for c in op.carries if c.out.name in wanted or c.inside.name in wanted
            )
            inner = set(live)
            inner.update(_names(c.next for c in carries))
            inner.update(_names((op.stop,)))
            body = self.block(op.body, inner)
            cond = None
            if isinstance(op, While):
                inner.update(_names((op.test,)))
                cond = self.block(op.cond, inner)
            found = wanted | {
                c.inside.name for c in op.carries if c.inside.name in inner
            }
            if found == wanted:
                self.wanted[id(op)] = wanted
                live.update(inner)
                if cond is not None and isinstance(op, While):
                    return replace(op, body=body, cond=cond, carries=carries)
                return replace(op, body=body, carries=carries)
            wanted = found

    def may_raise(self, op: Apply) -> bool:
        """Say whether an op that is idle where it is not read may raise."""
        if any(isinstance(a, Var) and a.name in self.undefined for a in op.args):
            return True
        owner = op.args[0] if op.form == "unpack" else None
        if not isinstance(owner, Var) or owner.fact.items is not None:
            return False
        return owner.fact.kind in ("array", "list", "tuple", "real", "unknown")


def _may_lack(op: Apply) -> bool:
    """Whether an op reads an attribute, such as the shape, that may not be there."""
    sure = any(isinstance(a, Var) and a.fact.kind == "array" for a in op.args)
    return op.form == "attribute" and not sure


def _is_flag(op: Apply) -> bool:
    """Whether an op joins the flags of several ways out."""
    bools = [a.fact.kind == "bool" for a in op.args if isinstance(a, Var)]
    return op.fn is operator.or_ and all(bools)


def read_by(op: Op) -> list[Atom | Undefined]:
    """What an op reads, and what its merges and carries hand on."""
    if isinstance(op, Read):
        return []
    merged = (a for m in merges_of(op) for a in (m.then, m.orelse))
    return [*atoms_of(op), *merged, *(c.next for c in carries_of(op))]


def _names(atoms: Iterable[Atom | Undefined | None]) -> set[str]:
    return {a.name for a in atoms if isinstance(a, Var)}


# ---------------------------------------------------------------- names


class Counted:
    """Names, each given once: h, h_2, h_3, ...; t1, t2, ..."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.counts: dict[str, int] = {}

    def fresh(self, stem: str) -> str:
        """The stem, or the first of its endings that is free."""
        name = stem
        while name in self.taken:
            self.counts[stem] = self.counts.get(stem, 1) + 1
            name = f"{stem}_{self.counts[stem]}"
        self.taken.add(name)
        return name

    def numbered(self) -> str:
        """The first free of t1, t2, ..."""
        while True:
            self.counts[""] = self.counts.get("", 0) + 1
            name = f"t{self.counts['']}"
            if name not in self.taken:
                self.taken.add(name)
                return name


class Renamer(Substitution):
    """New variables for those of lowering: the user's names, then t1, t2, ...

    The variables of one activation of a function share a hint; those of another, even
    of the same function, have another.
    """

    def __init__(
        self, params: Iterable[Var], frame: int, hints: Mapping[str, Hint]
    ) -> None:
        self.hints = hints
        super().__init__({v.name: v for v in params})
        self.names = Counted(self.made)
        self.spoken = Counted(self.made)
        self.spellings = {(name, frame): name for name in self.made}

    def var(self, var: Var) -> Var:
        """The new variable of an old one."""
        if var.name not in self.made:
            hint = self.spelling(self.hints.get(var.name))
            name = self.names.fresh(hint) if hint else self.names.numbered()
            self.made[var.name] = new_var(name, var.fact, hint)
        made: Var = self.made[var.name]
        return made

    def spelling(self, hint: Hint | None) -> str | None:
        """How the text is to call a variable."""
        if hint is None:
            return None
        key = (hint.name, hint.frame)
        if key not in self.spellings:
            # That of a field may be no name.
            name = hint.name if is_plain(hint.name) else identifier(hint.name)
            self.spellings[key] = self.spoken.fresh(name)
        return self.spellings[key]
