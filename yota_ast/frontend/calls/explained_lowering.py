"""Lowering as `explain` has it done: statements noted, some of them left out.

A statement that is left out gives its names values that depend on all that it reads, so
that what follows is looked at too; what is said of such values is not to be believed.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from yota_ast.errors import YotaError
from yota_ast.frontend.calls.explain_hooks import How, Note, Seen, place_of
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Lazy,
    MethodOf,
    Node,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.name_flow import (
    RESULT,
    RETURNED,
    always_leaves,
    names_assigned,
    names_read,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.statement_headers import header
from yota_ast.ir.abstract_values import real_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.support.file_owners import is_ours
from yota_ast.syntax import nodes


class ExplainedLowering(Component):
    """Lowering as `explain` has it done."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    operations = uses(Operations)

    @provides(Language.passes_by)
    def passes_by(self, stmt: Node) -> bool:
        """Note a statement; whether it is one to leave out, and has been."""
        scope = self.position.frame.scope
        if scope.name[:1] == "<" or is_ours(scope.filename):
            return False
        if isinstance(stmt, nodes.Expr) and isinstance(stmt.value, nodes.Constant):
            return False
        left_out = self.language.reaches(stmt)
        if left_out:
            self.leave_out(stmt)
        return left_out

    @provides(Language.reaches)
    def reaches(self, stmt: Node) -> bool:
        """Note a statement, or what a lambda gives; whether it is to be left out."""
        watch = self.settings.watch
        if watch is None:
            return False
        lost = any(map(self.is_lost, self.values_read(stmt)))
        at = self.position.location(stmt)
        seen = watch.reached(
            Seen(
                at, getattr(stmt, "end_lineno", None) or at.lineno, header(stmt),
                len(self.position.calls), self.position.frame.scope.name, lost,
            )
        )  # fmt: skip
        return seen.leave_out(left_out=seen.place in watch.left_out)

    @provides(Language.noted)
    def noted(self, how: How, name: str = "", detail: object = None) -> None:
        """Note something of the current statement."""
        if self.settings.watch is not None:
            self.settings.watch.note(len(self.position.calls), Note(how, name, detail))

    @provides(Language.noted_of)
    def noted_of(self, stmt: Node, how: How, detail: object = None) -> None:
        """Note something of a statement, when others within have been reached."""
        if self.settings.watch is not None:
            place = place_of(self.position.location(stmt))
            self.settings.watch.note(
                len(self.position.calls), Note(how, "", detail), place
            )

    # ------------------------------------------------------------ leaving out

    def values_read(self, stmt: Node) -> Iterator[Value]:
        """What the names that a statement reads stand for."""
        for name in sorted(names_read(stmt)):
            frame = self.position.frame
            while frame.parent is not None and name not in frame.scope.locals:
                frame = frame.parent
            value = self.cells.get((frame.cell, name))
            if value is not None:
                yield value

    def is_lost(self, value: Value) -> bool:
        """Whether a value, or a part of it, is not to be believed."""
        lost = self.settings.watch.lost if self.settings.watch is not None else ()
        met: set[int] = set()
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Ref):
                if value.cell in met:  # objects may hold each other
                    continue
                met.add(value.cell)
                if cell_name(value) in lost:
                    return True
            elif isinstance(value, Var) and value.name in lost:
                return True
            waiting += self.held_by(value)
        return False

    def held_by(self, value: Value) -> tuple[Value, ...]:
        """What a container made while lowering holds."""
        if isinstance(value, TupleValue):
            return tuple(value.items)
        if isinstance(value, (Bound, MethodOf)):
            return (value.owner,)
        if isinstance(value, (Lazy, Partial)):
            return tuple(value.args)
        if isinstance(value, Ref):
            cell = self.cells.heap[value.cell]
            return tuple(cell.items.values()) if cell.var is None else (cell.var,)
        return ()

    def leave_out(self, stmt: Node) -> None:
        """Go on as if a statement had given its names some values."""
        assert self.settings.watch is not None
        names = {*names_assigned([stmt]), *_written(stmt)}
        refs = [v for v in self.values_read(stmt) if isinstance(v, Ref)]
        self.settings.watch.lost.update(map(cell_name, refs))  # it may change them
        with self.position.statement(stmt):
            value = self.language.made_of(stmt)
        cell = self.position.frame.cell
        for name in sorted(names):
            self.cells.put(cell, name, value)
        if isinstance(stmt, nodes.Raise):
            self.blocks.end_block()
        elif always_leaves([stmt]):
            self.cells.put(cell, RESULT, value)
            self.cells.put(cell, RETURNED, Const(True))

    @provides(Language.made_of)
    def made_of(self, stmt: Node) -> Var:
        """A value that depends on all numbers that a statement reads."""
        result: Any = Const(1.0)
        for value in self.values_read(stmt):
            for var in self.numbers(value):
                with contextlib.suppress(YotaError):  # nobody may read it any more
                    args = (result, self.language.fresh(var))
                    result = self.operations.apply(
                        operator.add, args, form="operator", fact=real_fact("lost")
                    )
        out = self.operations.apply(
            operator.pos, (result,), form="operator", fact=real_fact("lost")
        )
        assert self.settings.watch is not None
        self.settings.watch.lost.add(out.name)
        return out

    def numbers(self, value: Value) -> Iterator[Var]:
        """The variables in a value that hold floats."""
        if isinstance(value, Var):
            if value.fact.is_numeric and value.fact.holds_floats:
                yield value
            return
        for part in self.held_by(value):
            yield from self.numbers(part)


def cell_name(ref: Ref) -> str:
    """What a container is called among what is not to be believed."""
    return f"cell {ref.cell}"


def _written(stmt: Node) -> Iterator[str]:
    """The names that a statement gives to classes and modules, and those whose values
    it writes into: `x` of `x.a[0] = 1`."""
    for node in nodes.walk(stmt):
        if isinstance(node, nodes.ClassDef):
            yield node.name
        elif isinstance(node, nodes.alias):
            yield node.asname or node.name.partition(".")[0]
        if isinstance(node, (nodes.Attribute, nodes.Subscript)):
            if not isinstance(node.ctx, nodes.Load):
                while isinstance(node, (nodes.Attribute, nodes.Subscript)):
                    node = node.value
                if isinstance(node, nodes.Name):
                    yield node.id
