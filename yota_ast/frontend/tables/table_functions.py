"""Functions that a table calls, `s.apply(lambda v: c * v)` -> functions of the tape.

A table calls them with labelled values or with numbers: nothing is known of these. What
a function reads of its surroundings it holds. Nothing differentiated goes through it,
for nothing goes through a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from yota_ast.frontend.calls.solved_functions import Own
from yota_ast.frontend.calls.solver_calls import SolverCalls
from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.heap.lowered_values import Bound, Closure, Partial, Value
from yota_ast.frontend.library.type_questions import Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import LABELLED
from yota_ast.ir.atoms import Atom, Const, Var


class TableFunctions(Component):
    """Functions among the arguments of calls on tables."""

    language = uses(Language)
    position = uses(Position)
    solver_calls = uses(SolverCalls)

    keywords_given: frozenset[str] | None = None
    """The keywords of the call on tables whose arguments are evaluated."""

    @contextmanager
    def functions_given(self, kwargs: Kwargs) -> Iterator[None]:
        """Evaluate arguments of a call on tables, which may be functions."""
        outer, self.keywords_given = self.keywords_given, frozenset(dict(kwargs))
        try:
            yield
        finally:
            self.keywords_given = outer

    def function_for_table(self, function: Closure | Bound | Partial) -> Atom:
        """Make the function of the tape that `s.apply(lambda v: v**2)` is given.

        A table calls it with labelled values or numbers: nothing is known of them.
        """
        names = tuple(self.names_given(function))
        own = Own(names, (LABELLED,) * len(names))

        def body(args: Sequence[Var]) -> Value:
            return self.language.call(function, args)

        name = getattr(function, "name", "") or "function"
        title = "function" if "<" in name else name
        made, held = self.solver_calls.function_of(body, own, title, "a table")
        return self.solver_calls.closed(made, held, own)

    def names_given(self, function: Closure | Bound | Partial) -> list[str]:
        """The parameters that the table gives values: those without a default, and
        those that the call names. All of them, where it has `args=`."""
        names, given = (
            self.solver_calls.names_taken_by(function),
            self.keywords_given or frozenset(),
        )
        inner: Any = function
        while not isinstance(inner, (Closure, Const)):
            inner = inner.function
        if isinstance(inner, Const) or "args" in given:
            return names
        if inner.node.args.vararg is not None:
            self.position.refuse_call(
                "a function given to a table takes `*args`", "Name its parameters."
            )
        kept = len(names) - len(inner.defaults)
        return [n for k, n in enumerate(names) if k < kept or n in given]

    @extends(Language.atom)
    def atom(self, rest: Callable[..., Atom], value: Value) -> Atom:
        """The value as an atom: of a function that a table is given, the function."""
        if self.keywords_given is not None and isinstance(
            value, (Closure, Bound, Partial)
        ):
            return self.function_for_table(value)
        return rest(value)
