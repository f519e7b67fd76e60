"""A try of one statement that changes a container -> one that does so in its `else`.

What is put in may raise, and then nothing has changed; the change itself raises nothing
that is caught. So `try: xs.append(f(x))` is `try: held = f(x)`, `else:
xs.append(held)`, and no handler sees a container that may have been changed or not.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.errors import YotaError
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.heap.has_attribute import found_on, is_slot, takes
from yota_ast.frontend.heap.lowered_values import Cell, Node, Ref, TupleValue, Value
from yota_ast.frontend.source.name_flow import names_assigned, names_read
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.statement_headers import header
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import Op
from yota_ast.support.public_names import home_of
from yota_ast.syntax import nodes
from yota_ast.syntax.node_fields import set_fields

HELD: Final = "%held"

_PLAIN: Final = (
    nodes.Compare, nodes.Name, nodes.Constant, nodes.UnaryOp, nodes.Not, nodes.Is,
    nodes.IsNot, nodes.Eq, nodes.NotEq, nodes.Load,
)  # fmt: skip
"""What tests are made of that nothing changes but the assignment of a name."""


def _is_if(part: Node) -> bool:
    return isinstance(part, nodes.If)


class TryMoves(Component):
    """Changes that are made after what may raise."""

    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    expressions = uses(Expressions)
    names = uses(NameLookup)

    def changed_afterwards(self, stmt: Node) -> Node:
        """A try that changes containers in its `else`, where that is the same; or the
        try as it is."""
        part = stmt.body[0]
        if len(stmt.body) > 1 or not self.is_change(stmt, part):
            return stmt
        name = f"{HELD}{part.lineno}_{part.col_offset}"
        held, read = name_node(name, store=True), name_node(name)
        if isinstance(part, nodes.Expr):
            put_in = part.value.args[0]
            change: Node = nodes.Expr(nodes.Call(part.value.func, [read], []))
        else:
            put_in, target = part.value, _target(part)
            if isinstance(part, nodes.AugAssign):
                put_in = nodes.BinOp(_loaded(target), part.op, part.value)
            change = nodes.Assign([target], read, None)
        value: Node = nodes.Assign([held], put_in, None)
        for made in (value, change):
            set_fields(placed(made, part), header=header(part))
        set_fields(change, goes_on=True)
        return nodes.copy_location(
            nodes.Try([value], stmt.handlers, [change, *stmt.orelse], stmt.finalbody),
            stmt,
        )

    def is_change(self, stmt: Node, part: Node) -> bool:
        """Whether a statement ends by changing a list, a dict or an object of which the
        name is known, and that raises nothing that is caught; and what it puts in gives
        no name of the place another value."""
        target = part.value.func if is_append(part) else _target(part)
        if target is None or names_assigned([part]):
            return False
        owner = self.owner_of(target)
        if owner is None or not names_read(target).isdisjoint(
            self.position.frame.scope.captured
        ):
            return False
        if is_append(part):
            return owner.kind == "list" and owner.cls is list
        if isinstance(part, nodes.AugAssign) and not self.is_number_at(owner, target):
            return False
        if isinstance(target, nodes.Attribute):
            return owner.kind == "object" and _takes(owner.cls, target.attr)
        if not isinstance(target.slice, (nodes.Constant, nodes.Name)):
            return False
        if owner.kind == "dict":
            return owner.cls is dict and isinstance(target.slice, nodes.Constant)
        known = owner.kind == "list" and owner.cls is list
        inside = owner.var is None and _constant(target.slice) in owner.items
        return known and (inside or not self.catches(stmt, IndexError, TypeError))

    def decided(self, stmt: Node) -> Node:
        """A try with the arms that are known to be taken in the place of its branches,
        as those by an option are."""
        body = list(self.without_branches(stmt.body, frozenset()))
        if body == stmt.body:
            return stmt
        made = nodes.Try(body or [nodes.Pass()], stmt.handlers, stmt.orelse, [])
        set_fields(made, finalbody=stmt.finalbody)
        return nodes.copy_location(made, stmt)

    def without_branches(
        self, body: Sequence[Node], assigned: frozenset[str]
    ) -> Iterator[Node]:
        """Statements, with the arms of known tests in the place of branches; assigned:
        names that have got another value before."""
        for part in body:
            known = self.known_test(part.test, assigned) if _is_if(part) else None
            if known is None:
                yield part
            else:
                taken = part.body if known else part.orelse
                yield from self.without_branches(taken, assigned)
            assigned |= frozenset(names_assigned([part]))

    def known_test(self, test: Node, assigned: frozenset[str]) -> bool | None:
        """The truth of a test that is made of names and literals, where it is known;
        assigned: the names that may have got another value."""
        if isinstance(test, nodes.BoolOp):
            decisive = isinstance(test.op, nodes.Or)
            for part in test.values:
                known = self.known_test(part, assigned)
                if known is None or known is decisive:
                    return known
            return not decisive
        unsure = assigned | self.position.frame.scope.captured
        if not self.is_plain(test) or not unsure.isdisjoint(names_read(test)):
            return None
        mark = self.snapshots.mark()
        answer: bool | Atom | None = None
        ops: list[Op] = []
        try:
            with self.blocks.block() as ops:
                answer = self.expressions.test(test)
        except YotaError:
            pass
        self.snapshots.back_to_cells(mark)
        return answer if isinstance(answer, bool) and not ops else None

    def is_plain(self, test: Node) -> bool:
        """Whether nothing gives a test another truth but the assignment of a name: it
        is made of names, literals and calls of Python's and NumPy's own functions."""
        if isinstance(test, nodes.Call):
            parts = [*test.args, *(k.value for k in test.keywords)]
            return self.is_of_library(test.func) and all(map(self.is_plain, parts))
        children = nodes.iter_child_nodes(test)
        return isinstance(test, _PLAIN) and all(map(self.is_plain, children))

    def is_of_library(self, node: Node) -> bool:
        """Whether a name, or a name in a module, is that of such a function."""
        name = node.value if isinstance(node, nodes.Attribute) else node
        if not isinstance(name, nodes.Name):
            return False
        try:
            found = self.names.load(name.id)
        except YotaError:
            return False
        owner = found.value if isinstance(found, Const) else None
        if isinstance(node, nodes.Attribute):
            called = getattr(owner, node.attr, None)
            named = isinstance(owner, types.ModuleType) and home_of(called)
            return str(named).partition(".")[0] == np.__name__
        return isinstance(owner, (types.BuiltinFunctionType, type))

    def is_gone_through(self, name: str) -> bool:
        """Whether a loop through what a name stands for raises nothing by itself."""
        frame = self.position.frame
        while frame.parent is not None and name not in frame.scope.locals:
            frame = frame.parent
        found = self.cells.get((frame.cell, name))
        if isinstance(found, Ref):
            return self.cells.heap[found.cell].kind in ("list", "dict")
        if isinstance(found, Var):
            fact = found.fact
            return fact.kind in ("list", "tuple") or bool(fact.rank)
        return isinstance(found, TupleValue)

    def owner_of(self, place: Node) -> Cell | None:
        """The container that the name in `name.field` or `name[key]` stands for."""
        if not isinstance(place.value, nodes.Name):
            return None
        frame = self.position.frame
        while frame.parent is not None and place.value.id not in frame.scope.locals:
            frame = frame.parent
        found = self.cells.get((frame.cell, place.value.id))
        return self.cells.heap[found.cell] if isinstance(found, Ref) else None

    def is_number_at(self, owner: Cell, target: Node) -> bool:
        """Whether a number stands where a statement augments: nothing in place."""
        if owner.var is not None:
            return owner.kind == "list" and element_of(owner.var.fact).is_number
        key = (
            target.attr if isinstance(target, nodes.Attribute)
            else _constant(target.slice)
        )  # fmt: skip
        value: Value | None = owner.items.get(key)
        return isinstance(value, (Var, Const)) and self.operations.fact(value).is_number

    def catches(self, stmt: Node, *errors: type[BaseException]) -> bool:
        """Whether a handler of a try catches one of some errors."""
        return any(
            issubclass(error, cls)
            for handler in stmt.handlers
            for cls in self.errors_of(handler)
            for error in errors
        )

    def errors_of(self, handler: Node) -> tuple[type[BaseException], ...]:
        """The errors that a handler names."""
        caught: Any = self.classes_of(handler).value
        return caught if isinstance(caught, tuple) else (caught,)

    @extensible
    def classes_of(self, handler: Node) -> Const:
        """What a handler catches; see try_statements.py."""
        raise NotImplementedError


def is_append(stmt: Node) -> bool:
    """Whether a statement is `xs.append(e)`."""
    call = stmt.value if isinstance(stmt, nodes.Expr) else None
    return (
        isinstance(call, nodes.Call)
        and isinstance(call.func, nodes.Attribute)
        and call.func.attr == "append"
        and len(call.args) == 1
        and not call.keywords
        and not isinstance(call.args[0], nodes.Starred)
    )


def _target(stmt: Node) -> Node | None:
    """What a statement assigns: an item or a field."""
    if isinstance(stmt, nodes.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
    elif isinstance(stmt, nodes.AugAssign):
        target = stmt.target
    else:
        return None
    return target if isinstance(target, (nodes.Subscript, nodes.Attribute)) else None


def _takes(cls: Any, name: str) -> bool:
    """Whether an object of a class takes any value for a field, without more ado."""
    found = found_on(cls, name)
    plain = is_slot(found) or not hasattr(type(found), "__set__")
    return plain and takes(cls, name) and cls.__setattr__ is object.__setattr__


def _constant(node: Node) -> object:
    return node.value if isinstance(node, nodes.Constant) else None


def _loaded(target: Node) -> Node:
    """A target as it is read."""
    if isinstance(target, nodes.Attribute):
        return nodes.Attribute(target.value, target.attr, nodes.Load())
    return nodes.Subscript(target.value, target.slice, nodes.Load())
