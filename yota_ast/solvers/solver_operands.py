"""An op that calls a solver -> its function, and what its result depends on.

>>> f = Var("f", Fact("callable", cls=Closed))
>>> is_solved(Apply(Var("x"), max, (f, Const(0.0), Const(1.0))))
False
"""

from __future__ import annotations

from collections.abc import Mapping

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply, Closed, atoms_of
from yota_ast.solvers.solver_functions import Solver, signature_of, solver_of

__all__ = ["Const", "Fact", "Solved", "is_solved", "solved_of", "solved_through"]


@dataclass(frozen=True, slots=True)
class Solved:
    """The call of a solver: its arguments by name."""

    op: Apply
    solver: Solver
    bound: Mapping[str, Atom]

    @property
    def function(self) -> Var:
        """The function that it is given."""
        f = self.bound[self.solver.function]
        assert isinstance(f, Var)
        return f


def is_solved(op: Apply) -> bool:
    """Whether an op is the call of a solver with a function of the tape."""
    if op.form == "operator":  # what most ops are
        return False
    for atom in atoms_of(op):
        if isinstance(atom, Var) and atom.fact.cls is Closed:
            return solver_of(op.fn) is not None
    return False


def solved_of(op: Apply) -> Solved:
    """The call that an op is."""
    solver = solver_of(op.fn)
    assert solver is not None
    bound = signature_of(op.fn).bind(*op.args, **dict(op.kwargs))
    given = dict(bound.arguments)
    for slot in signature_of(op.fn).parameters.values():
        if slot.kind is slot.VAR_KEYWORD:
            given |= given.pop(slot.name, {})
    return Solved(op, solver, given)


def solved_through(op: Apply) -> tuple[Atom, ...]:
    """The arguments that the result depends on differentiably."""
    call = solved_of(op)
    names = (call.solver.function, "args", *call.solver.active)
    names += call.solver.refused
    return tuple(call.bound[name] for name in names if name in call.bound)
