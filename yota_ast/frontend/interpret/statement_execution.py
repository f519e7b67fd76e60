"""Statements, one after the other -> ops; what is read after each."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.components import (
    Component,
    Components,
    Table,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    MaybeValue,
    Node,
    Ref,
    TupleValue,
)
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.source.name_flow import (
    BROKEN,
    CONTINUED,
    FLAGS,
    RESULT,
    RETURNED,
    Ahead,
    always_leaves,
    exits,
    live_before,
    lives_before,
)
from yota_ast.frontend.state.blocks import Blocks, asks_of_an_array
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import LeavesOps
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Var
from yota_ast.syntax import nodes

TRUE: Final = Const(True)


STATEMENTS: Final = Table()
"""The methods that run a statement, by the name of its class."""


class Execution(Component):
    """Runs statements, and leaves them."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    operations = uses(Operations)
    expressions = uses(Expressions)
    kinds = uses(ValueKinds)
    branches = uses(Branches)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.valued: int | None = None  # the frame in which None is no value to return
        self.decided: dict[tuple[int, int], tuple[Node, bool | None]] = {}
        """Each `if`, and which arm of it is known to run, by frame and identity."""

    def give_values(self, frame: int | None) -> None:
        """Note in which frame None is no value to return."""
        self.valued = frame

    def taken(self, stmts: Sequence[Node]) -> list[Node]:
        """Statements that have been run; of an `if` that is known the arm alone."""
        found: list[Node] = []
        for stmt in stmts:
            at = self.position.frame.cell, id(stmt)
            _, known = self.decided.get(at, (stmt, None))
            if isinstance(stmt, nodes.If) and known is not None:
                found += self.taken(stmt.body if known else stmt.orelse)
            else:
                found.append(stmt)
        return found

    def note_test(self, stmt: Node, test: bool | Atom) -> None:
        """Note what the test of an `if` is."""
        known = test if isinstance(test, bool) else None
        self.decided[self.position.frame.cell, id(stmt)] = stmt, known
        self.language.noted("branch" if known is None else "decided", detail=test)

    @provides(Language.execute)
    def execute(self, stmts: Sequence[Node], live: frozenset[str]) -> None:
        """Run statements; `live` are the names read after them."""
        lives: list[frozenset[str]] = []
        for k, stmt in enumerate(stmts):
            tried = self.blocks.ops is self.blocks.tried
            if tried and not all(map(asks_of_an_array, self.blocks.ops)):
                raise LeavesOps
            rest = stmts[k + 1 :]
            if isinstance(stmt, nodes.Match):
                after = self.live_before(rest, live)
                self.language.execute([self.as_ifs(stmt, after), *rest], live)
                return
            if self.language.passes_by(stmt):
                if self.blocks.ended or self.left() is True:
                    return
                continue
            if isinstance(stmt, nodes.If) and exits([stmt]):
                self.if_that_leaves(stmt, rest, live)
                return
            lives = lives or lives_before(stmts, self.ahead(live))
            self.run_statement(stmt, lives[k + 1] | self.read_always)
            if self.blocks.ended or self.continue_under_flag(rest, live):
                return

    @extensible
    def as_ifs(self, stmt: Node, after: frozenset[str]) -> Node:
        """A match statement as a chain of ifs; see match_statements.py."""
        raise NotImplementedError

    def live_before(
        self, stmts: Sequence[Node], live: frozenset[str]
    ) -> frozenset[str]:
        """The names read from here on."""
        return live_before(stmts, self.ahead(live)) | self.read_always

    @property
    def read_always(self) -> frozenset[str]:
        """What inner functions read is read always, and what `finally` reads also where
        control leaves."""
        return self.position.frame.scope.captured | self.position.finals

    def ahead(self, live: frozenset[str]) -> Ahead:
        """What is read after the current place, by every way on."""
        if not self.position.loops:
            return Ahead(live)
        return Ahead(live, *self.position.loops[-1])

    def run_statement(self, stmt: Node, after: frozenset[str]) -> None:
        """Run one statement; `after` are the names read later."""
        kind = type(stmt).__name__
        handler = STATEMENTS.method(kind, self.parts)
        if handler is None:
            known = _REFUSED.get(kind, (f"`{kind}` is not supported", _REMEDY))
            self.position.refuse(*known, stmt)
        with self.position.read_later(after), self.position.statement(stmt):
            handler(stmt)

    def left(self) -> bool | Atom:
        """Whether control has left the current block: known, or the flag that tells."""
        atoms: list[Atom] = []
        for flag in FLAGS:
            value = self.cells.get((self.position.frame.cell, flag))
            if isinstance(value, Const) and value.value is True:
                return True
            if isinstance(value, Var):
                atoms.append(value)
        if not atoms:
            return False
        result = atoms[0]
        for other in atoms[1:]:
            result = self.operations.apply(
                operator.or_, (result, other), form="operator"
            )
        return result

    def continue_under_flag(self, rest: Sequence[Node], live: frozenset[str]) -> bool:
        """Whether the rest need not be run any more: control has left, or it was run
        under the flag that tells whether it has.
        """
        left = self.left()
        if isinstance(left, bool):
            return left
        if not rest:
            return False
        self.guarded(left, lambda: self.language.execute(rest, live), live)
        return True

    def guarded(self, left: Atom, run: Any, live: frozenset[str]) -> None:
        """Run something unless control has left."""

        def stay() -> MaybeValue:
            return UNDEFINED

        def go_on() -> MaybeValue:
            for flag in (*FLAGS, RESULT):
                self.cells.drop(self.position.frame.cell, flag)
            run()
            return UNDEFINED

        self.branches.branch(
            left, stay, go_on, live=self.live_flags(self.live_ahead(live))
        )

    def live_ahead(self, live: frozenset[str]) -> frozenset[str]:
        """Live names where control may have left by break, continue or return: those
        that are read there too."""
        ahead = self.ahead(live)
        return ahead.after | ahead.broken | ahead.continued | self.position.finals

    def live_flags(self, live: frozenset[str]) -> frozenset[str]:
        """Live names, the flags and the result included."""
        return live | {RESULT, *FLAGS}

    @provides(Inlining.finish)
    def finish(self) -> None:
        """Give None as the result where the end of a body is reached."""
        if self.blocks.ended:
            self.cells.put(self.position.frame.cell, RESULT, NULL)
            return
        left = self.left()
        if left is False:
            self.cells.put(self.position.frame.cell, RESULT, NULL)
        elif left is not True:
            cell = self.position.frame.cell
            self.guarded(left, lambda: self.cells.put(cell, RESULT, NULL), frozenset())

    # ------------------------------------------------------------ branches

    def if_that_leaves(
        self, stmt: Node, rest: Sequence[Node], live: frozenset[str]
    ) -> None:
        """An `if` with return, break or continue inside: what follows it goes into the
        arm that reaches it.
        """
        then, orelse = list(stmt.body), list(stmt.orelse)
        moved = always_leaves(then) or always_leaves(orelse)
        if moved:
            then, orelse = _extended(then, rest), _extended(orelse, rest)
        after = live if moved else self.live_before(rest, live)
        after = self.live_ahead(after)
        with self.position.statement(stmt):
            test, origin = self.expressions.test(stmt.test), self.position.origin
        self.note_test(stmt, test)
        if isinstance(test, bool):
            self.language.execute(then if test else orelse, after)
        else:
            self.two_arms(test, (then, orelse), after, origin)
        if moved or self.blocks.ended or self.continue_under_flag(rest, live):
            return
        if self.left() is False:
            self.language.execute(rest, live)

    def two_arms(
        self,
        test: Atom,
        arms: tuple[Sequence[Node], Sequence[Node]],
        after: frozenset[str],
        origin: Any,
    ) -> None:
        """Lower the arms of an `if`."""

        def run(stmts: Sequence[Node]) -> MaybeValue:
            self.language.execute(stmts, after)
            return UNDEFINED

        with self.position.originating(origin):
            self.branches.branch(
                test, lambda: run(arms[0]), lambda: run(arms[1]),
                live=self.live_flags(after),
            )  # fmt: skip

    @STATEMENTS.handles("If")
    def run_If(self, stmt: Node) -> None:
        """An `if` that control does not leave."""
        test = self.expressions.test(stmt.test)
        after = self.position.live
        self.note_test(stmt, test)
        if isinstance(test, bool):
            self.language.execute(stmt.body if test else stmt.orelse, after)
        else:
            self.two_arms(test, (stmt.body, stmt.orelse), after, self.position.origin)

    # ------------------------------------------------------------ leaving

    @STATEMENTS.handles("Return")
    def run_Return(self, stmt: Node) -> None:
        """return value."""
        value = NULL if stmt.value is None else self.language.evaluate(stmt.value)
        self.position.note_return()
        if self.blocks.ended:
            return
        falls_off = getattr(stmt, "falls_off", False)
        if value == NULL and (falls_off or self.valued == self.position.frame.cell):
            text = (
                f"{self.position.title}: the value is None here, which has no gradient"
            )
            self.operations.failing(ValueError, text)
            return
        mixed = self.position.frame.scope.mixed and isinstance(value, (TupleValue, Ref))
        if mixed and not self.kinds.is_object(value):
            value = self.language.atom(value)
        if not self.blocks.ended:
            self.cells.put(self.position.frame.cell, RESULT, value)
            self.cells.put(self.position.frame.cell, RETURNED, TRUE)

    @STATEMENTS.handles("Break")
    def run_Break(self, stmt: Node) -> None:
        """break."""
        self.cells.put(self.position.frame.cell, BROKEN, TRUE)

    @STATEMENTS.handles("Continue")
    def run_Continue(self, stmt: Node) -> None:
        """continue."""
        self.cells.put(self.position.frame.cell, CONTINUED, TRUE)


def _extended(stmts: list[Node], rest: Sequence[Node]) -> list[Node]:
    return stmts if always_leaves(stmts) else [*stmts, *rest]


_REMEDY: Final = "Do it outside the function that is differentiated."


_REFUSED: Final = {
    "AsyncFunctionDef": ("`async def` is not supported", "Write a plain function."),
    "AsyncFor": ("`async for` is not supported", "Write a plain loop."),
    "AsyncWith": ("`async with` is not supported", "Use a plain context."),
    "ClassDef": (
        "a class defined inside the function is not supported",
        "Define the class in the module.",
    ),
    "TryStar": ("`except*` is not supported", "Use plain `except` clauses."),
}
