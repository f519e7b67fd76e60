"""What is made while a plan is rewritten for JAX: new expressions, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

from yota_ast.codegen.plan.statement_plan import Plan, place_in
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import NOWHERE, Apply, If, Origin

REMEDY: Final = "Leave out backend='jax'."
"""What always works for what is not printed for JAX."""


class Draft:
    """New expressions of a plan. origin: where the statement at hand stems from. near:
    the place of that, or of what stands nearest where it has none."""

    def __init__(self, plan: Plan) -> None:
        self.nested: dict[str, Apply | If] = dict(plan.nested)
        self.origin: Origin = NOWHERE
        self.near = place_in(plan)
        self._count = 0

    def go_to(self, origin: Origin) -> None:
        """Go to a statement."""
        self.origin = origin
        self.near = origin.place or self.near

    def refuse(self, reason: str, remedy: str = REMEDY) -> NoReturn:
        """Refuse the statement at hand."""
        at = self.origin.place or self.near
        raise UnsupportedCall(reason, at=at, remedy=remedy)

    def call(self, fn: Callable[..., Any], *args: Atom, fact: Fact, **how: Any) -> Var:
        """Return the value of a call, printed where it is read."""
        self._count += 1
        out = Var(f"%jax{self._count}", fact)
        self.nested[out.name] = Apply(out, fn, args, origin=self.origin, **how)
        return out

    def op_of(self, atom: Atom) -> Apply | If | None:
        """Return the op that an atom is printed as."""
        return self.nested.get(atom.name) if isinstance(atom, Var) else None
