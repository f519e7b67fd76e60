"""What the reverse sweep knows of a tape while it goes over its blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.inplace.named_parts import Parts
from yota_ast.adjoint.nonsmooth.real_sizes import Powers
from yota_ast.adjoint.nonsmooth.singularities import Singularities
from yota_ast.adjoint.reverse.appended_items import Growth
from yota_ast.adjoint.reverse.contributions import Scope
from yota_ast.adjoint.reverse.outlined_adjoints import Pairs
from yota_ast.analysis.activity import Activity
from yota_ast.analysis.dtypes import FloatsByFacts
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import Apply, Block
from yota_ast.syntax.value_paths import PathStep


class Derives(Protocol):
    """What reverses the calls of solvers; see derived_functions.py."""

    functions: Mapping[str, Function]

    def reverse(self, op: Apply, within: ReverseBase, scope: Scope) -> None:
        """Add the adjoints of what a solver's function reads."""


@dataclass(slots=True)
class ReverseBase:
    """The state of the sweep; see the classes that are made of it."""

    active: Activity
    repeating: frozenset[str] = frozenset()
    """The results of stores whose index may name one element twice."""
    made: dict[str, Apply] = field(default_factory=dict)
    """The ops of the forward sweep by their variables."""
    pairs: Pairs = field(default_factory=dict)
    saved: Mapping[str, Var] = field(default_factory=dict)
    """What calls of outlined functions save, by the variable of the call."""
    parts: Parts = field(default_factory=dict)
    """What stood, and what stands, where stores change parts of arrays."""
    derived: Derives | None = None
    """What knows the derivatives of the functions that solvers are given."""
    containers: dict[tuple[str, tuple[PathStep, ...]], Var] = field(
        default_factory=dict
    )
    """The fields that are containers of known structure, by argument and path."""
    grown: dict[Atom | Undefined, tuple[Growth, Atom]] = field(default_factory=dict)
    """The adjoints of lists that grow, by what the append gives."""
    floats: FloatsByFacts = field(default_factory=lambda: FloatsByFacts(Block()))
    """What arrays hold that are written."""
    singular: Singularities = field(default_factory=Singularities)
    """Where slopes are infinite, and what leaves these places out."""
    powers: Powers = field(default_factory=lambda: Powers(Block()))
    """What may be complex, though its fact says float."""
    ranked: bool = False
    """Whether cotangents of floats that are floats by the facts are taken for such,
    and not summed to their shape. It is what tidying comes to; of large functions half
    of all ops were such sums."""
    opened: frozenset[str] = frozenset()
    """The lists of which all adjoints are lists, down to those of the numbers."""
    idle: frozenset[str] = frozenset()
    """Values that have no part in the result, whatever is made of them."""
    rests_on_ranks: bool = False
    """Whether that was done."""

    def block(self, block: Block, scope: Scope) -> None:
        """Reverse the ops of a block, last first, into the scope's builder."""
        raise NotImplementedError
