"""A value and the entries of a matrix that it depends on -> the value.

    y = product_with_vector(A @ x, A, x, data, rows, cols)    y = A @ x

The rule of the function on the left has said what goes back; nothing computes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply, Block, Op, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ops import info


def hands_value(op: Op) -> TypeGuard[Apply]:
    """Whether an op gives its first argument, beside entries that it depends on."""
    return isinstance(op, Apply) and info(op.fn).of_entries


class _Plain(Substitution):
    """Puts values in the places of what depends on entries."""

    def block(self, block: Block) -> Block:
        """Return a block without such ops."""
        ops: list[Op] = []
        for op in block:
            if not hands_value(op):
                ops.append(self.op(op))
            elif not self._is_made(ops, self.atom(op.args[0]), op.out):
                self.made[op.out.name] = self.atom(op.args[0])
        return Block(tuple(ops))

    def _is_made(self, ops: list[Op], value: Atom, out: Var) -> bool:
        """Give a value the name of what depends on entries, for what is returned is
        told by its name; say whether one of the ops makes it."""
        for k, op in enumerate(ops):
            if isinstance(op, Apply) and op.out == value:
                ops[k] = replace(op, out=out)
                self.made[op.out.name] = out
                ops[k + 1 :] = [self.op(later) for later in ops[k + 1 :]]
                return True
        return False


def without_entries(
    blocks: Sequence[Block], atoms: Mapping[str, Atom]
) -> tuple[tuple[Block, ...], dict[str, Atom]]:
    """Return blocks with the values alone, and what they end with."""
    if not any(hands_value(op) for block in blocks for op in walk(block)):
        return tuple(blocks), dict(atoms)
    worker = _Plain({})
    found = tuple(worker.block(block) for block in blocks)
    return found, {name: worker.atom(a) for name, a in atoms.items()}
