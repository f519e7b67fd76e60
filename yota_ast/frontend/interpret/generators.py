"""Generators: a loop over one, `yield`, and the list of what one yields.

The body of a loop stands where the generator yields, between its items, as it runs in
Python: two loops of a generator stay two loops around it.

    def pairs(x):                          for i in range(len(x)):
        for i in range(len(x)):                for j in range(i + 1, len(x)):
            for j in range(i + 1, len(x)):         a, b = x[i], x[j]
                yield x[i], x[j]                   s += a * b

    for a, b in pairs(x):
        s += a * b

In: the node of a loop, or of `yield`, and a generator.  Out: ops; a list where all
items are taken at once, as `sum` and `max` do.

>>> def doubled(xs):
...     for x in xs:
...         yield 2.0 * x
>>> def total(xs):
...     s = 0.0
...     for v in doubled(xs):
...         s += v * v
...     return s
>>> from yota_ast import grad
>>> grad(total, (1.0, 3.0))[1]["xs"]
(8.0, 24.0)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import UnsupportedCall, UnsupportedSyntax
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
from yota_ast.frontend.interpret.statement_execution import Execution
from yota_ast.frontend.interpret.statements import FALSE, Statements
from yota_ast.frontend.library.itertools_models import modelled, pool
from yota_ast.frontend.source import left_loops
from yota_ast.frontend.source.name_flow import (
    CONSUMED,
    catches_at_yields,
    exits,
    live_at_head,
    may_never_end,
    names_read,
)
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import YieldsOften
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.waiting_frames import WaitingFrames
from yota_ast.frontend.tables.iterator_models import (
    enumerated,
    zipped,
    zipped_behind,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Op, walk
from yota_ast.syntax import nodes

Named = Sequence[tuple[str, Value]]
ITEMS: Final = "%items"
GIVEN: Final = "%given"
MAX_RUNS: Final = 600
"""How often a generator is run within itself for what changes alone: at each run it may
run itself twice."""
MOST_BODIES: Final = 200
"""How often the body of a loop is lowered at the places where a generator yields, in
all passes over the loops around them. Else a list is made of the items first."""
MOST_WITHIN: Final = 12
"""How many loops over generators may stand within each other for that."""


class Generators(Component):
    """Calls of generator functions, and what takes their items."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    waiting = uses(WaitingFrames)
    states = uses(ArrayStates)
    operations = uses(Operations)
    kinds = uses(ValueKinds)
    inlining = uses(Inlining)
    outlining = uses(Outlining)
    statements = uses(Statements)
    execution = uses(Execution)
    loops = uses(Loops)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.receivers: dict[int, Callable[[Value], Value | None]] = {}
        self.returned: dict[int, Value] = {}  # what generators return, by their frames
        self.runs: dict[object, int] = {}  # of a generator within itself, by its code
        self.listed: set[object] = set()  # the codes of those that yield too often

    # ------------------------------------------------------------ loops

    @provides(Loops.as_generator)
    def as_generator(self, iterable: Value) -> Generator | None:
        """The generator that gives the items of a loop, also those that `enumerate` or
        `zip` take from one; None of what is no generator."""
        if isinstance(iterable, Generator):
            return iterable
        if not isinstance(iterable, Lazy) or iterable.fn not in (enumerate, zip):
            return None
        args = [self.by_places(arg) for arg in iterable.args]
        given = [isinstance(arg, Generator) for arg in args]
        model: Any = enumerated
        if iterable.fn is zip:
            model = zipped if given[0] else zipped_behind
            if len(given) != 2 or iterable.kwargs or None in args:
                return None
        if sum(given) != 1 or (iterable.fn is enumerate and not given[0]):
            return None
        taken = [a for a in args if a is not None]
        made = modelled(self, model, *taken, kwargs=iterable.kwargs)
        assert isinstance(made, Generator)
        return made

    def by_places(self, value: Value) -> Value | None:
        """What may be read by its places whenever an item is wanted, as iterators do:
        an array, a list, a tuple or a number; a generator itself; else None."""
        if isinstance(value, Lazy):
            return pool(self, value) if value.fn is range else None
        once = isinstance(value, Ref) and self.cells.heap[value.cell].cls is Iterator
        kind = self.operations.fact(value).kind
        read = kind in ("array", "list", "tuple", "int") and not once
        return value if isinstance(value, Generator) or read else None

    @provides(Loops.over_generator)
    def over_generator(self, stmt: Node, generator: Generator) -> None:
        """for target in generator: the body stands where it yields. Where that cannot
        be, all that it yields is taken beforehand."""
        with self.language.unchanged_while(generator):
            self.over_items(stmt, generator)

    def over_items(self, stmt: Node, generator: Generator) -> None:
        """The same, where what it reads is as it was when it was made."""
        left = exits(stmt.body, continues=False)
        if left and self.leaves_at_its_yields(stmt, generator):
            return
        if left or exits(stmt.orelse):
            self.position.refuse(
                "a loop over a generator is left before its end",
                "Build a list, and loop over it.",
            )
        refusal: UnsupportedSyntax | UnsupportedCall | None = None
        inlined = generator.code not in self.listed
        inlined = inlined and not catches_at_yields(generator.node)
        if inlined and self.waiting.frames:  # the loop around tries another way
            self.at_its_yields(stmt, generator)
            return
        if inlined:
            back = self.loops.way_back()
            try:
                self.at_its_yields(stmt, generator)
            except YieldsOften:
                self.listed.add(generator.code)
            except (UnsupportedSyntax, UnsupportedCall) as error:
                refusal = error
            else:
                return
            back()
        try:
            check = self.unchanged_by(generator)
            items = self.language.run_through(generator)
            self.loops.over(stmt, items, items)
            check()
        except (UnsupportedSyntax, UnsupportedCall) as error:
            raise (refusal or error) from None

    def leaves_at_its_yields(self, stmt: Node, generator: Generator) -> bool:
        """Do the same for a loop that is left by `break` or `return`; whether that can
        be: the generator returns then."""
        asking = left_loops.asking(generator.node)
        caught = catches_at_yields(generator.node)
        if asking is None or caught or not left_loops.only_left_itself(stmt):
            return False
        flags, body = left_loops.Flags.of(stmt), left_loops.with_flags(stmt)
        once = placed(nodes.For(stmt.target, stmt.iter, body, [], None), stmt)
        self.cells.put(self.position.frame.cell, flags.early, FALSE)
        self.cells.put(self.position.frame.cell, flags.gives, FALSE)
        self.cells.put(generator.frame.cell, left_loops.LEFT, FALSE)
        behind = [placed(each, stmt) for each in left_loops.behind(stmt)]
        after = self.position.live
        read = frozenset([flags.early]).union(*map(names_read, behind))
        made = replace(generator, node=placed(asking, stmt))
        try:
            with self.position.read_later(after | read):
                self.at_its_yields(once, made, flags.early)
        except YieldsOften:
            if self.waiting.frames:  # the loop around tries another way
                raise
            return False
        if not self.blocks.ended:
            self.language.execute(behind, after)
        return True

    def at_its_yields(
        self, stmt: Node, generator: Generator, early: str | None = None
    ) -> None:
        """Run a generator, with the body of a loop over it for each item; early: the
        variable that says whether the loop takes no more."""
        if len(self.waiting.frames) > MOST_WITHIN:
            raise YieldsOften
        after = self.position.live
        head = live_at_head(stmt, self.execution.ahead(after))
        live = after | head | self.position.frame.scope.captured
        here, bodies = self.position.standing(), itertools.count(1)

        def receive(item: Value) -> Value:
            if next(bodies) > MOST_BODIES:
                raise YieldsOften
            with (
                self.position.standing_at(here),
                self.position.read_later(live),
                self.position.looping_to(after, head),
            ):
                self.loops.unrolled(stmt, (item,), lambda _: (item,), (live, live))
                left = self.cells.get((here.frame.cell, early)) if early else None
            return left or NULL

        with self.waiting.waiting(live), self.position.own_calls():
            self.run_generator(generator, receive)
        if stmt.orelse and not self.blocks.ended:
            self.language.execute(stmt.orelse, after)

    # ------------------------------------------------------------ running one

    def run_generator(
        self, generator: Generator, receive: Callable[[Value], Value | None]
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
        if cell not in self.cells.heap:  # it is compared with that of another way
            self.cells.heap[cell] = Cell("frame", {CONSUMED: Const(True)})

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
        given = NULL if node.value is None else self.language.evaluate(node.value)
        return receive(given) or NULL

    @EXPRESSIONS.handles("YieldFrom")
    def eval_YieldFrom(self, node: Node) -> Value:
        """yield from values: what a generator returns at its end, None of others."""
        values = self.kinds.iterated(self.language.evaluate(node.value))
        cell = self.position.frame.cell
        self.cells.put(cell, GIVEN, values)
        if self.cells.get((cell, left_loops.LEFT)) is not None:
            self.cells.put(cell, left_loops.LEFT, FALSE)
            loop = placed(left_loops.each_asked(ITEMS, name_node(GIVEN)), node)
            self.language.execute([loop], self.position.live | {left_loops.LEFT})
            return self.cells.get((cell, left_loops.LEFT)) or NULL
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
            and self.cells.heap[n].items.keys() != {CONSUMED}
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


def _prints(op: Op) -> bool:
    return isinstance(op, Apply) and op.effect
