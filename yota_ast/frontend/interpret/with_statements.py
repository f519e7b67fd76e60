"""`with`: an op of the text, or what is lowered in place.

A context written in Python is lowered in place: what its `__enter__` does, the body of
the `with`, what its `__exit__` does.  Of a function under `contextlib.contextmanager`
the body of the `with` takes the place of its `yield`; other generators are run by
generators.py.
"""

from __future__ import annotations

import contextlib
import types
import warnings
from typing import Final

import numpy as np

from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.desugar.made_nodes import placed
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Generator,
    Node,
    Value,
)
from yota_ast.frontend.interpret.generators import Generators
from yota_ast.frontend.interpret.statement_execution import STATEMENTS
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.statement_headers import header
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.block_queries import has_effect
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    With,
    walk,
)
from yota_ast.syntax import nodes
from yota_ast.syntax.node_fields import set_fields

_SPECIAL: Final = ("__enter__", "__exit__")
CONTEXTS: Final = (np.errstate, warnings.catch_warnings)


class WithStatements(Component):
    """With ops, and contexts that are lowered in place."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    variables = uses(Variables)
    states = uses(ArrayStates)
    snapshots = uses(Snapshots)
    kinds = uses(ValueKinds)
    inlining = uses(Inlining)
    outlining = uses(Outlining)
    generators = uses(Generators)

    @STATEMENTS.handles("With")
    def run_With(self, stmt: Node) -> None:
        """with context as name: body."""
        self.within(stmt, list(stmt.items))

    def within(self, stmt: Node, items: list[Node]) -> None:
        """Enter the contexts one after the other."""
        if not items:
            self.language.execute(stmt.body, self.position.live)
            return
        item = items[0]
        if self.suppresses(item):
            self.language.execute([_as_try(stmt, items)], self.position.live)
            return
        context = self.language.evaluate(item.context_expr)
        made = self.last_op()
        if isinstance(context, Generator) and context.managed:
            self.within_generator(stmt, items, context)
        elif any(self.kinds.special_method(context, m) is not None for m in _SPECIAL):
            self.within_object(stmt, items, context)
        elif made is not None and made.out == context and made.fn in CONTEXTS:
            if item.optional_vars is not None:
                self.position.refuse(
                    "`as` is not supported here", "Leave the name out.", item
                )
            with self.blocks.block() as ops:
                self.within(stmt, items[1:])
            self.blocks.emit(
                With(
                    self.language.atom(context), Block(tuple(ops)), self.position.origin
                )
            )
        else:
            self.position.refuse(
                "this context is not supported",
                "Enter it outside the function. Supported are np.errstate, "
                "warnings.catch_warnings and contexts written in Python.",
                item.context_expr,
            )

    def suppresses(self, item: Node) -> bool:
        """with contextlib.suppress(E), which is a `try` without a handler's body."""
        call = item.context_expr
        if not isinstance(call, nodes.Call) or call.keywords or item.optional_vars:
            return False
        called = call.func
        if isinstance(called, nodes.Attribute):
            called = called.value
        if not isinstance(called, nodes.Name):
            return False
        found = self.language.evaluate(called)
        if not isinstance(found, Const) or called is call.func:
            return isinstance(found, Const) and found.value is contextlib.suppress
        return getattr(found.value, call.func.attr, None) is contextlib.suppress

    def last_op(self) -> Apply | None:
        """The op appended last, if it is an Apply."""
        last = self.blocks.ops[-1] if self.blocks.ops else None
        return last if isinstance(last, Apply) else None

    # ------------------------------------------------------------ classes

    def within_object(self, stmt: Node, items: list[Node], context: Value) -> None:
        """with C(...) as name: an object of a class with __enter__ and __exit__."""
        enter = self.kinds.special_method(context, "__enter__")
        leave = self.kinds.special_method(context, "__exit__")
        if enter is None or leave is None:
            self.position.refuse(
                f"this context has no `{_SPECIAL[enter is not None]}`",
                "Use an object that has `__enter__` and `__exit__`.",
                items[0].context_expr,
            )
        entered = self.language.call(enter, (context,))
        if items[0].optional_vars is not None:
            self.language.assign(items[0].optional_vars, entered)
        self.check_passing(context, leave, items[0])
        self.within(stmt, items[1:])
        if not self.blocks.ended:
            self.language.call(leave, (context, NULL, NULL, NULL))

    def check_passing(self, context: Value, leave: Value, item: Node) -> None:
        """Refuse a context that does something of its own to an error."""
        mark = self.snapshots.mark()
        error = [
            self.variables.var(Fact("callable", cls=type)),
            self.variables.var(Fact("other", cls=BaseException)),
            self.variables.var(Fact("other", cls=types.TracebackType)),
        ]
        swallowed = self.language.truth(self.language.call(leave, (context, *error)))
        acts = any(
            acts_visibly(op) for op in walk(Block(tuple(self.blocks.ops[mark.ops :])))
        )
        self.snapshots.back_to(mark, renumber=True)
        if swallowed is not False or acts:
            self.position.refuse(
                "this context may suppress an error, or do something when one passes",
                "Use `try` and `except`, or enter it outside the function.",
                item,
            )

    # ------------------------------------------------------------ context managers

    def within_generator(
        self, stmt: Node, items: list[Node], context: Generator
    ) -> None:
        """with f(...) as name, of a generator function: the body stands at `yield`."""
        here = self.position.standing()
        depth = (self.position.turns, self.position.arms_open)
        yielded: list[Value] = []

        def body(value: Value) -> None:
            if yielded or depth != (self.position.turns, self.position.arms_open):
                self.position.refuse(
                    "a context manager yields more than once, or may not yield",
                    "Yield once, outside loops and branches.",
                )
            yielded.append(value)
            with self.position.standing_at(here):
                if items[0].optional_vars is not None:
                    self.language.assign(items[0].optional_vars, value)
                self.within(stmt, items[1:])

        with self.position.own_calls():
            self.generators.run_generator(context, body)
        if not yielded:
            self.position.refuse(
                "a context manager does not yield", "Yield once.", items[0]
            )


def acts_visibly(op: Op) -> bool:
    """Whether an op does more than compute a value."""
    return isinstance(op, Store) or has_effect(op)


def _as_try(stmt: Node, items: list[Node]) -> Node:
    """with suppress(E): body, as try: body; except (E,): pass."""
    errors = nodes.Tuple(items[0].context_expr.args, nodes.Load())
    body = stmt.body
    if len(items) > 1:
        body = [placed(nodes.With(items[1:], body, None), stmt)]
        set_fields(body[0], header=header(stmt))
    handler = nodes.ExceptHandler(errors, None, [nodes.Pass()])
    made = placed(nodes.Try(body, [handler], [], []), stmt)
    set_fields(made, header=header(stmt))
    return made
