"""The ops of a function, in order -> those whose operands hold what they did.

A tangent may read the operands of an earlier op once more: that of `y**2` for
`y = np.abs(x)` is that of `x * x`. Where x has been written since, it holds something
else, and how y was made is forgotten.

>>> from yota_ast.ir.abstract_values import Fact
>>> from yota_ast.ir.atoms import Const, Var
>>> from yota_ast.ir.nodes import Store
>>> x, z, y = (Var(name, Fact("array")) for name in "xzy")
>>> ops = Apply(y, abs, (x,)), Store(z, x, Const(0), Const(1.0))
>>> operands, made = WrittenOperands.of(Block(ops)), {"y": ops[0]}
>>> operands.note(ops[0])
>>> operands.forget(ops[1], made)
>>> made
{}
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.inplace.kept_views import Sharing, sharing_of
from yota_ast.analysis.points_to import Roots
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of


@dataclass(slots=True)
class WrittenOperands:
    """sharing: which memory variables may be. written: the memory that some op writes
    into. readers: by memory, the values made of what it holds now."""

    sharing: Sharing = field(default_factory=lambda: sharing_of(Block()))
    written: Roots = frozenset()
    readers: dict[str, list[str]] = field(default_factory=dict)

    @staticmethod
    def of(block: Block) -> WrittenOperands:
        """Those of a block, before its first op."""
        sharing = sharing_of(block)
        return WrittenOperands(sharing, sharing.written(*block))

    def note(self, op: Apply) -> None:
        """Note that a value has been made."""
        if not self.written:
            return
        for root in self.sharing.memory(*atoms_of(op)) & self.written:
            self.readers.setdefault(root, []).append(op.out.name)

    def forget(self, op: Op, made: dict[str, Apply]) -> None:
        """Forget how values were made of what an op, or one within it, writes into."""
        if not self.written:
            return
        for root in self.sharing.written(op):
            for name in self.readers.pop(root, ()):
                made.pop(name, None)
