"""Ops -> which of Python's numbers are surely real.

A number whose fact says float may be complex all the same, if it comes of a power of a
negative number: `(-2.0) ** 0.5`. What is asked of its class is then not known.
"""

from __future__ import annotations

from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.notes import Notes
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.complex_powers import carries_complex, is_fractional_power

_HANDING_ON = ("list", "tuple", "dict", "unknown")
"""The kinds of what may hold a number that was handed to it."""


class RealNumbers(Component):
    """Which numbers may come of a power of a negative one."""

    blocks = uses(Blocks)
    notes = uses(Notes)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.powers = False  # whether any of Python's numbers has such a power

    def note_real(self, op: Apply) -> None:
        """Note of a result whether it is surely real."""
        if is_fractional_power(op):
            self.powers = True
            return
        hands_on = op.out.fact.kind in _HANDING_ON or carries_complex(op.fn)
        if not hands_on or not any(map(self.may_be_power, op.args)):
            self.notes.real.add(op.out.name)

    def may_be_power(self, value: object) -> bool:
        """Whether a value may come of such a power. In a block that may be one that a
        later turn of a loop, or another call, makes."""
        if not isinstance(value, Var) or value.fact.kind not in ("float", *_HANDING_ON):
            return False
        known = value.name in self.notes.real or not value.name.startswith("%")
        if known:
            return False
        within = self.blocks.blocks_open or self.blocks.pending
        return self.powers or bool(within)
