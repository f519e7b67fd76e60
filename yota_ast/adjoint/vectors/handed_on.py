"""Loops that are gone, and what they handed on as it was -> what stands in its place.

>>> handed = HandedOn()
>>> handed.add({"y_2": Var("y_1")})
>>> handed.add({"y_1": Var("y")})
>>> handed.put.var(Var("y_2")).name
'y'
"""

from __future__ import annotations

from collections.abc import Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Block
from yota_ast.ir.renaming import Substitution


@dataclass(slots=True)
class HandedOn:
    """The names that are gone with loops, and what they were."""

    kept: dict[str, Var] = field(default_factory=dict)

    def add(self, kept: Mapping[str, Var]) -> None:
        """Note names that are gone."""
        self.kept |= kept

    @property
    def put(self) -> Substitution:
        """Return what puts in the places of such names what they stand for."""
        return Substitution({name: self._first(name) for name in self.kept})

    def put_into(
        self, block: Block, ends: Mapping[str, Atom]
    ) -> tuple[Block, dict[str, Atom]]:
        """Return a block, and what is read when it has run, with what they stand for in
        the places of such names."""
        put = self.put
        return put.block(block), {k: put.atom(d) for k, d in ends.items()}

    def _first(self, name: str) -> Var:
        var = self.kept[name]
        return self._first(var.name) if var.name in self.kept else var
