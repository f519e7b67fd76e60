"""A block of a reverse sweep, and a place in it -> the names that are read later, and
the memory that has been written since.

>>> import operator
>>> from yota_ast.ir.nodes import Apply
>>> a, b = Var("a"), Var("b")
>>> block = Block((Apply(b, operator.neg, (a,)), Apply(a, operator.neg, (b,))))
>>> later = Following(LastReads(block, Reads()), 0)
>>> "a" in later, "b" in later
(False, True)
>>> times = WriteTimes()
>>> times.note({"dx"})
>>> times.made["t"] = times.now
>>> times.is_written({"dx"}, "t")
False
>>> times.note({"dx", "dy"})
>>> times.is_written({"dx"}, "t"), times.is_written({"dz"}, "t")
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field
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


@dataclass(slots=True)
class WriteTimes:
    """written: when memory was last written. made: when a value was made."""

    written: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    now: int = 0

    def note(self, memory: Iterable[str]) -> None:
        """Note that memory is written now."""
        self.now += 1
        self.written |= dict.fromkeys(memory, self.now)

    def is_written(self, memory: Iterable[str], value: str) -> bool:
        """Say whether some memory has been written since a value was made."""
        since = self.made.get(value, 0)
        return any(self.written.get(root, 0) > since for root in memory)
