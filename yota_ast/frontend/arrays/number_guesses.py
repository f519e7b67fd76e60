"""`old op= value` of what may be a number or an array, taken for a number.

An array would be changed for all its other names, a number for none. Where the type of
`old` is unknown, as what a user's primitive returns, and another name is read later,
lowering begins again: there the text tests that `old` is a number, as it is for most.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.state.lowering_records import Spot
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.facts.joined_facts import where_present


class NumberGuesses(Component):
    """The augmented assignments to what may be a number."""

    position = uses(Position)
    operations = uses(Operations)
    view_writes = uses(ViewWrites)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.doubts: dict[str, dict[Spot, None]] = {}  # by what may be written there
        self.in_the_way: set[Spot] = set()  # for which something was refused

    def is_number(self, old: Var, roots: Iterable[str]) -> bool:
        """Whether what is augmented here is taken for a number, which the text tests;
        roots: the memory that is written if it is an array."""
        spot = self.position.spot()
        if spot in self.settings.copied or where_present(old.fact).kind == "array":
            return False  # it was an array, or is one where it is not None
        if self.position.tries:  # the handler would catch what the test raises
            return False
        if spot not in self.settings.numbers:
            for root in roots:
                self.doubts.setdefault(root, {})[spot] = None
            return False
        number = self.operations.apply(np.isscalar, (old,), fact=Fact("bool", shape=()))
        other = self.operations.apply(operator.not_, (number,), form="operator")
        called = self.view_writes.called(old, "a value")
        self.view_writes.raise_if(
            other, f"made for {called} as a number", spot, "Make a new one: s = s + e."
        )
        return True

    def hand_on(self, root: str, others: Iterable[str]) -> None:
        """Note that what may be written of a root is so of others."""
        for other in others:
            if other != root and root in self.doubts:
                self.doubts.setdefault(other, {}).update(self.doubts[root])

    def note_refusal(self, roots: Iterable[str]) -> None:
        """Note what is refused since some memory may be written."""
        for root in roots:
            self.in_the_way.update(self.doubts.get(root, ()))
