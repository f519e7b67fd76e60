"""A block -> the arrays that the shapes of its values come from.

`t = x * w` has the shape to which x and w broadcast. Where that has been computed,
`t * x` cannot fail, whatever the shapes are: nothing stands in it that t has not met.

>>> import numpy as np
>>> from yota_ast import rules
>>> from yota_ast.ir.abstract_values import Fact
>>> x, w, t, u = (Var(name, Fact("array")) for name in "xwtu")
>>> product, again = Apply(t, np.multiply, (x, w)), Apply(u, np.multiply, (t, x))
>>> sources = ShapeSources.of(Block((product, again)))
>>> sources.fit(product), sources.fit(again)
(False, True)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Simple,
    Store,
    atoms_of,
    walk,
)
from yota_ast.ops import info

Sources = frozenset[Hashable]
_OF_OPERATORS: Final = ("shapes", "zero", "power")
"""What the operators raise of, which broadcast their operands."""


@dataclass(frozen=True, slots=True)
class ShapeSources:
    """For each value that broadcasts others, which those are."""

    known: Mapping[str, Sources] = field(default_factory=dict)

    @staticmethod
    def of(block: Block) -> ShapeSources:
        """Those of a block, and of the blocks within."""
        known: dict[str, Sources] = {}
        sources = ShapeSources(known)
        for op in walk(block):
            match op:
                case Store() if op.target.fact.kind == "array":
                    known[op.out.name] = sources.behind(op.target)
                case Apply() if info(op.fn).layout == "like" and len(op.args) == 1:
                    known[op.out.name] = sources.behind(op.args[0])
                case Apply() if broadcasts(op):
                    known[op.out.name] = sources.together(op)
                case Simple():
                    pass
                case Compound():
                    pass
                case _:
                    assert_never(op)
        return sources

    def fit(self, op: Apply) -> bool:
        """Whether one operand of an op has met all others already."""
        if op.form == "augmented" or not broadcasts(op):
            return False
        every = self.together(op)
        return any(self.behind(atom) == every for atom in atoms_of(op))

    def behind(self, atom: Atom) -> Sources:
        """What the shape of a value comes from; nothing, of a number."""
        if fact_of_atom(atom).is_scalar:
            return frozenset()
        if not isinstance(atom, Var):
            return frozenset([atom])
        return self.known.get(atom.name, frozenset([atom.name]))

    def together(self, op: Apply) -> Sources:
        """What the shape of the result of an op comes from."""
        return frozenset[Hashable]().union(*map(self.behind, atoms_of(op)))


def broadcasts(op: Apply) -> bool:
    """Whether the result of an op has the shape to which its operands broadcast."""
    numbers = all(fact_of_atom(a).is_numeric for a in atoms_of(op))
    known = info(op.fn)
    return numbers and (known.elementwise or known.raises in _OF_OPERATORS)


NO_SOURCES: Final = ShapeSources()
