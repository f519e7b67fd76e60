"""Program, ops and where they belong -> the program with them.

A place is a block's number, as `uses.Uses` numbers blocks, and an index in the block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom
from yota_ast.ir.nodes import Block, If, Merge, Op
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Guard, Program

At = tuple[int, int]


class Placer(Substitution):
    """Puts atoms in the places of variables, and ops in front of others.

    before: the ops in front of the one at a place. handed: what a branch hands on, too.
    """

    def __init__(
        self,
        made: Mapping[str, Atom],
        before: Mapping[At, Sequence[Op]],
        handed: Mapping[At, Sequence[Merge]],
    ) -> None:
        super().__init__(made)
        self.before, self.handed = before, handed
        self.blocks = 1

    def ahead(self, block: int, index: int) -> Sequence[Op]:
        """Return the ops that belong in front of an op."""
        return self.before.get((block, index), ())

    def placed(self, block: int, index: int, op: Op) -> list[Op]:
        """Return the op that has a number in a block, and those in front of it."""
        new = self.op(op)
        handed = self.handed.get((block, index))
        if handed:
            assert isinstance(new, If)
            new = replace(new, merges=(*new.merges, *handed))
        return [*self.ahead(block, index), new]

    def block(self, block: Block) -> Block:
        """Return a block with the ops that belong into it."""
        number, ops = self.blocks, list[Op]()
        self.blocks += 1
        for k, op in enumerate(block):
            ops += self.placed(number, k, op)
        return Block((*ops, *self.ahead(number, len(block))))

    def program(self, program: Program) -> Program:
        """Return the whole; block 0 is the forward sweep with the guards, and the
        reverse."""
        forward, guards, reverse = list[Op](), list[Guard](), list[Op]()
        at = 0
        for k in range(len(program.forward) + 1):
            for guard in (g for g in program.guards if g.before == k):
                forward += self.ahead(0, at)
                guards.append(self.guard(guard, len(forward)))
                at += 1
            if k < len(program.forward):
                forward += self.placed(0, at, program.forward.ops[k])
                at += 1
        for op in program.reverse:
            reverse += self.placed(0, at, op)
            at += 1
        reverse += self.ahead(0, at)
        value, *results = map(self.atom, (program.value, *program.results))
        return replace(
            program, forward=Block(tuple(forward)), reverse=Block(tuple(reverse)),
            guards=tuple(guards), value=value, results=tuple(results),
        )  # fmt: skip

    def guard(self, guard: Guard, before: int) -> Guard:
        """Return a guard that stands in front of an op."""
        test, value, *results = map(
            self.atom, (guard.test, guard.value, *guard.results)
        )
        return replace(
            guard, before=before, test=test, block=self.block(guard.block),
            value=value, results=tuple(results),
        )  # fmt: skip
