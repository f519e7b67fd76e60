"""A block of a reverse sweep, and a place in it -> the names that are read later.

>>> import operator
>>> from yota_ast.ir.nodes import Apply
>>> a, b = Var("a"), Var("b")
>>> block = Block((Apply(b, operator.neg, (a,)), Apply(a, operator.neg, (b,))))
>>> later = Following(LastReads(block, Reads()), 0)
>>> "a" in later, "b" in later
(False, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.nodes import Block


@dataclass(slots=True)
class LastReads:
    """Where in a block each name is read for the last time: found out when it is
    asked, for of numbers nobody asks."""

    block: Block
    reads: Reads
    known: dict[object, int] | None = None

    def get(self, name: object, default: int) -> int:
        """The place of the op that reads a name last."""
        if self.known is None:
            ops = enumerate(self.block.ops)
            self.known = {name: k for k, op in ops for name in self.reads.by(op)}
        return self.known.get(name, default)


@dataclass(frozen=True, slots=True)
class Following:
    """The names of what is read later: after a place in a block, or after the block.

    last: where in the block each is read for the last time.
    """

    last: LastReads | Mapping[object, int]
    at: int = -1
    outer: Following | None = None

    def __contains__(self, name: object) -> bool:
        if self.last.get(name, -1) > self.at:
            return True
        return self.outer is not None and name in self.outer

    def also(self, atoms: Iterable[Atom | Undefined]) -> Following:
        """Those, and some more."""
        return Following({a.name: 0 for a in atoms if isinstance(a, Var)}, -1, self)
