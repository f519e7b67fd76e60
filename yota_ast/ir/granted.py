"""What a program takes for granted of its arguments: its checks ask it at the entry.

A derivative that is made of the source of another takes the same for granted, and asks
it once.

>>> from yota_ast.ir.axis_lengths import axis_dim
>>> pair = axis_dim("y.shape[0]"), axis_dim("x.shape[0]")
>>> granted = Granted(equal=(pair,), checks=(Check.number("k"),))
>>> sorted(granted.texts), granted.shaped
(['k'], True)
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.entry_tests import Check


@dataclass(frozen=True, slots=True)
class Granted:
    """equal: lengths that are equal. longer: those that are not 1. natural: numbers
    that are not below 0. ranked: arrays have the ranks that the facts say. checks: what
    was asked in the place of the source that is differentiated, which does not ask it.
    """

    equal: tuple[tuple[Dim, Dim], ...] = ()
    longer: tuple[Dim, ...] = ()
    natural: tuple[Dim, ...] = ()
    ranked: bool = False
    checks: tuple[Check, ...] = ()

    @property
    def shaped(self) -> bool:
        """Whether it is right for some ranks and lengths of arrays alone."""
        return self.ranked or bool(self.equal)

    @property
    def texts(self) -> frozenset[str]:
        """The arguments of which the checks ask whether they are arrays or numbers."""
        return frozenset(t for c in self.checks for t in (*c.arrays, *c.numbers_at))

    def rest(self, asked: frozenset[str]) -> tuple[Check, ...]:
        """The checks but those that are made anew of arrays: `asked` names these."""
        return tuple(c for c in self.checks if not c.arrays or not asked >= {*c.arrays})


NOTHING = Granted()
"""Of any arguments nothing is taken for granted."""
