"""`with`, and calls of generator functions.

A context written in Python is lowered in place: what its `__enter__` does, the body of
the `with`, what its `__exit__` does.  Of a function under `contextlib.contextmanager`
the body of the `with` takes the place of its `yield`.  Any other generator is run
through where its items are taken: the list of what it yields stands for it.
"""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.outline_records import CallsItself
from yota_ast.frontend.calls.outlining import MAX_UNROLLED, Outlining
from yota_ast.frontend.components import Component, Components, provides, uses
from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.expressions.expressions import EXPRESSIONS
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Frame,
    Generator,
    Lazy,
    MethodOf,
    Node,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.interpret.statement_execution import STATEMENTS
from yota_ast.frontend.interpret.statements import Statements
from yota_ast.frontend.source.name_flow import may_never_end
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.statement_headers import header
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
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
CONSUMED: Final = "%consumed"
ITEMS: Final = "%items"
GIVEN: Final = "%given"
MAX_RUNS: Final = 600
"""How often a generator is run within itself for what changes alone: at each run it may
run itself twice."""


class WithStatements(Component):
    """With ops, contexts that are lowered in place, and generators."""

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
    statements = uses(Statements)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.receivers: dict[int, Callable[[Value], None]] = {}
        self.returned: dict[int, Value] = {}  # what generators return, by their frames
        self.runs: dict[object, int] = {}  # of a generator within itself, by its code

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
            self.run_generator(context, body)
        if not yielded:
            self.position.refuse(
                "a context manager does not yield", "Yield once.", items[0]
            )

    @provides(Loops.run_generator)
    def run_generator(
        self, generator: Generator, receive: Callable[[Value], None]
    ) -> None:
        """Run the body of a generator function, handing on what it yields."""
        cell = generator.frame.cell
        if cell not in self.cells.heap or self.cells.get((cell, CONSUMED)) is not None:
            self.position.refuse(
                "a generator is used twice", "Make a list of it first."
            )
        self.check_recursion(generator)
        self.cells.put(cell, CONSUMED, Const(True))
        self.receivers[cell] = receive
        result = self.outlining.run(generator.node, generator.frame, generator.code)
        self.returned[cell] = result

    def check_recursion(self, generator: Generator) -> None:
        """Refuse a generator that runs itself where nothing shows an end: what it is
        given becomes smaller, or holds numbers and texts that are known and change."""
        code, given = generator.code, self.cells.heap[generator.frame.cell].items
        calls = [c for c in self.position.calls if c.code is code]
        self.runs[code] = self.runs.get(code, 0) + 1 if calls else 1
        changes = bool(calls) and any(
            isinstance(v, Const) and calls[-1].given.get(k) != v
            for k, v in given.items()
        )
        if changes and len(calls) < MAX_UNROLLED and self.runs[code] < MAX_RUNS:
            return
        try:
            self.inlining.check_recursion(given, code)
        except CallsItself:
            self.position.refuse(
                f"the generator `{generator.frame.scope.name}` runs itself, and "
                "nothing shows where that ends",
                "Write the recursion as a loop.",
            )

    @EXPRESSIONS.handles("Yield")
    def eval_Yield(self, node: Node) -> Value:
        """yield value, in a generator that is run through here."""
        receive = self.receivers.get(self.position.frame.cell)
        if receive is None:
            self.position.refuse(
                "`yield` is not supported in the function that is differentiated",
                "Build a list and return it.",
                node,
            )
        receive(NULL if node.value is None else self.language.evaluate(node.value))
        return NULL

    @EXPRESSIONS.handles("YieldFrom")
    def eval_YieldFrom(self, node: Node) -> Value:
        """yield from values: what a generator returns at its end, None of others."""
        values = self.kinds.iterated(self.language.evaluate(node.value))
        self.cells.put(self.position.frame.cell, GIVEN, values)
        self.statements.yield_each(node, name_node(GIVEN))
        if isinstance(values, Generator):
            return self.returned.get(values.frame.cell, NULL)
        return NULL

    @provides(Statements.yield_each)
    def yield_each(self, node: Node, values: Node) -> None:
        """A loop that yields each of some values."""
        given = nodes.Expr(nodes.Yield(name_node(ITEMS)))
        target = name_node(ITEMS, store=True)
        loop = nodes.For(target, values, [given], [], None)
        self.language.execute([placed(loop, node)], self.position.live)

    # ------------------------------------------------------------ items of generators

    @provides(Language.run_through)
    def run_through(self, value: Value) -> Value:
        """The list of what a generator yields; another value as it is."""
        value = self.kinds.iterated(value)
        if isinstance(value, Ref) and self.cells.heap[value.cell].cls is Iterator:
            self.language.check_running(value.cell)
            rest = self.cells.heap[value.cell]
            self.cells.check_fixed(rest)
            self.cells.heap[value.cell] = Cell("list", {}, Iterator)
            if rest.var is not None:
                return self.cells.new_cell(replace(rest, cls=list))
            return TupleValue(tuple(rest.items.values()))
        if isinstance(value, Lazy) and value.fn in (map, filter):
            return self.language.list_of_lazy(value)
        if not isinstance(value, Generator) or value.managed:
            return value
        if may_never_end(value.node):
            self.position.refuse(
                "a generator with a `while` may never end",
                "Write the loop where the items are used.",
            )
        before, states, mark = (
            dict(self.cells.heap),
            dict(self.states.current),
            len(self.blocks.ops),
        )
        made = self.cells.new_cell(Cell("list", {}, list))
        self.run_generator(value, lambda item: self.add_to(made, item))
        changed = [
            n for n, cell in before.items()
            if n != value.frame.cell and self.cells.heap.get(n, cell) is not cell
        ]  # fmt: skip
        written = [r for r, state in states.items() if self.states.current[r] != state]
        ran = Block(tuple(self.blocks.ops[mark:]))
        if changed or written or any(map(_prints, walk(ran))):
            self.position.refuse(
                "a generator does more than yield values",
                "Build a list and return it.",
            )
        return made

    def add_to(self, made: Ref, item: Value) -> None:
        """Append to the list of what has been yielded."""
        self.language.call(MethodOf(made, "append"), (item,))

    @provides(Loops.unchanged_by)
    def unchanged_by(self, generator: Generator) -> Callable[[], None]:
        """A check that what a generator may read is as it is now: its items are all
        taken before the first is used."""
        cells = {n: self.cells.heap[n] for n in self.reachable(generator.frame)}
        states = dict(self.states.current)

        def check() -> None:
            moved = any(
                self.cells.heap.get(n, cell) is not cell for n, cell in cells.items()
            )
            if moved or any(self.states.current.get(r) != s for r, s in states.items()):
                self.position.refuse(
                    "the loop over a generator changes a value that the "
                    "generator may read",
                    "Make a list of its items first.",
                )

        return check

    def reachable(self, frame: Frame) -> dict[int, None]:
        """The cells of containers and functions that the code of a frame may read."""
        found: dict[int, None] = {}
        pending: list[Any] = [frame]
        while pending:
            value = pending.pop()
            number = value.cell if isinstance(value, (Ref, Frame)) else None
            if isinstance(value, Frame) and value.parent is not None:
                pending.append(value.parent)
            if number is not None and number not in found and number in self.cells.heap:
                if not (isinstance(value, Frame) and value == frame):
                    found[number] = None
                pending += self.cells.heap[number].items.values()
            elif isinstance(value, tuple):
                pending += value
            elif is_dataclass(value) and not isinstance(value, (type, Var, Const)):
                if number is None:
                    pending += (getattr(value, f.name) for f in fields(value))
        return found


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


def _prints(op: Op) -> bool:
    return isinstance(op, Apply) and op.effect
