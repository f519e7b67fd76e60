"""Loops: statements -> For and While ops, or the body once for each known item."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    NoRule,
    UnsupportedCall,
    UnsupportedSyntax,
)
from yota_ast.frontend.arrays.grown_lists import trips_of
from yota_ast.frontend.arrays.number_loops import (
    LEAST,
    numbers_in,
    serves_all,
    written_items,
)
from yota_ast.frontend.arrays.number_loops import is_long as is_long_body
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, Components, extensible, uses
from yota_ast.frontend.desugar.checkpoint_calls import schedule_of
from yota_ast.frontend.expressions.atoms_of_values import end_of_range
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.changes_meanwhile import WRITTEN_INSIDE, Before, has_changed
from yota_ast.frontend.heap.lowered_values import (
    NOT_ITERABLE,
    NULL,
    Argument,
    Generator,
    Lazy,
    Node,
    Ref,
    TupleValue,
    Value,
    is_long,
)
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.interpret.statement_execution import STATEMENTS, TRUE, Execution
from yota_ast.frontend.interpret.statements import FALSE
from yota_ast.frontend.source.name_flow import (
    BROKEN,
    CONTINUED,
    RETURNED,
    exits,
    live_at_head,
    names_assigned,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.loop_records import Pass
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.row_loops import (
    indices_in_cell,
    is_beside_rows,
    known_containers,
    runs_over_rows,
    stores_by_keys,
)
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import INT, UNKNOWN, Fact, anonymous, fact_of, int_fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.joined_facts import element_of, join
from yota_ast.ir.facts.loop_counters import counter
from yota_ast.ir.nodes import (
    Block,
    For,
    Op,
    While,
    walk,
)
from yota_ast.syntax import nodes

FEW: Final = 12
MOST_UNROLLED: Final = 1000  # ops of all copies of a body together


class Loops(Component):
    """For and While ops, and loops over known items, which are unrolled."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    variables = uses(Variables)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    expressions = uses(Expressions)
    kinds = uses(ValueKinds)
    items_and_truth = uses(ItemsAndTruth)
    execution = uses(Execution)
    augmented_assignments = uses(AugmentedAssignments)
    loop_passes = uses(LoopPasses)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.holding = True  # whether those may be held as a whole from then on

    # ------------------------------------------------------------ for

    @STATEMENTS.handles("For")
    @extensible
    def run_For(self, stmt: Node) -> None:
        """for target in iterable."""
        iterable = self.kinds.iterated(self.language.evaluate(stmt.iter))
        if self.language.fails_on(iterable, NOT_ITERABLE):
            return
        generator = self.as_generator(iterable)
        if generator is not None:
            self.over_generator(stmt, generator)
            return
        taken = None if isinstance(iterable, Lazy) else iterable
        source = iterable
        if taken is not None:
            iterable = self.language.run_through(taken)
        with self.language.around(stmt, taken, source):
            self.over(stmt, iterable, source)

    @extensible
    def as_generator(self, iterable: Value) -> Generator | None:
        """The generator that gives the items of a loop; see generators.py."""
        raise NotImplementedError

    @extensible
    def over_generator(self, stmt: Node, generator: Generator) -> None:
        """for target in generator; see generators.py."""
        raise NotImplementedError

    @extensible
    def over(self, stmt: Node, iterable: Value, source: Value) -> None:
        """A loop over something that is no object of a user's class; source: what gave
        the items."""
        after = self.position.live
        if _never_runs(iterable):
            self.unroll(stmt, (), source, after)
            return
        if not self.stays_loop(iterable):
            items = self.language.items_of(iterable)
            if items is not None:
                if not self.stays_one(stmt, iterable, items, source):
                    self.unroll(stmt, items, source, after)
                return
        items = self.few_items(iterable)
        cells, frame = self.cells, self.position.frame.cell
        short = items is not None and len(items) <= FEW
        places = short and runs_over_rows(self.settings, iterable)
        if places and stores_by_keys(cells, frame, stmt):
            self.unroll(stmt, self.language.items_of(iterable) or (), source, after)
            return
        if items is None:
            with self.language.unchanged_while(source):
                self.as_loop(stmt, iterable)
            return
        back = self.way_back()
        lists = isinstance(iterable, Const)  # of indices into them
        names = cells.heap[frame].items if lists else names_assigned(stmt.body)
        known = self.known_sequences(names, lists=lists)
        built = known_containers(cells, frame) if places else frozenset()
        outer, self.holding = self.holding, False  # lists of lists keep their items
        try:
            with self.language.unchanged_while(source):
                self.as_loop(stmt, iterable)
            lost = known - self.known_sequences(known, lists=lists)
            if not lost and built <= known_containers(cells, frame):
                if runs_over_rows(self.settings, iterable):
                    self.expressions.keep_loop()
                return
            error: UnsupportedSyntax | UnsupportedCall | None = None
        except (UnsupportedSyntax, UnsupportedCall) as refusal:
            error = refusal
        finally:
            self.holding = outer
        back()
        if runs_over_rows(self.settings, iterable):
            items = self.language.items_of(iterable) or ()
        try:
            self.unroll(stmt, items, source, after)
        except (UnsupportedSyntax, UnsupportedCall):
            if error is not None:
                raise error from None
            back()
            with self.language.unchanged_while(source):
                self.as_loop(stmt, iterable)

    def stays_one(
        self, stmt: Node, iterable: Value, items: tuple[Value, ...], source: Value
    ) -> bool:
        """Whether a loop over known items has become a loop of the text, for copies of
        its body would fill pages, and nothing of what is known is lost by it.

        Not where the items may have adjoints: each would be summed in each iteration.
        """
        count, numbers = len(items), numbers_in(written_items(iterable)) is not None
        numbers = numbers and count >= LEAST and is_long_body(stmt.body)
        long = count > FEW and count * body_size(stmt) >= MOST_UNROLLED
        if not self.settings.looping or not (numbers or long):
            return False
        if any(map(self.operations.may_vary, items)):
            return False
        back, before, given_up = (
            self.way_back(),
            len(self.blocks.ops),
            dict(self.assumptions.given_up),
        )
        known = self.known_sequences(
            self.cells.heap[self.position.frame.cell].items, lists=True
        )
        try:
            with self.language.unchanged_while(source):
                self.as_loop(stmt, iterable)
            made = self.blocks.ops[before:]
            size = sum(1 for _ in walk(Block(tuple(made))))
            same = known <= self.known_sequences(known, lists=True)
            if (
                same
                and (count * size >= MOST_UNROLLED or (numbers and serves_all(made)))
                and self.assumptions.given_up == given_up
            ):
                self.expressions.keep_loop()
                return True
        except (UnsupportedSyntax, UnsupportedCall, NoRule):
            pass
        back()
        return False

    def way_back(self) -> Callable[[], None]:
        """What goes back to this point, when a loop could not be lowered one way."""
        mark, given_up = self.snapshots.mark(), dict(self.assumptions.given_up)

        def back() -> None:
            self.snapshots.back_to(mark, renumber=True)
            self.assumptions.restore_given_up(given_up)

        return back

    def known_sequences(self, names: Iterable[Any], *, lists: bool) -> frozenset[Any]:
        """The names of tuples, and of lists, of which the items are known."""
        values = {
            name: self.cells.get((self.position.frame.cell, name)) for name in names
        }
        return frozenset(
            name
            for name, value in values.items()
            if isinstance(value, TupleValue)
            or (
                lists
                and isinstance(value, Ref)
                and self.items_and_truth.sequence_items(value)
            )
        )

    def few_items(self, iterable: Value) -> tuple[Value, ...] | None:
        """Items written in the program, so few that the text may have one body for
        each, where it cannot have one for all, or where one for all would lose sight
        of the items of a tuple; all rows of numbers that are given."""
        if runs_over_rows(self.settings, iterable):
            back = self.way_back()  # one body for all takes no items out of arrays
            items = self.language.items_of(iterable)
            back()
            return items
        lazy = isinstance(iterable, Lazy) and not self.blocks.ended
        items = (self.language.items_of if lazy else indices_in_cell)(iterable)
        return None if items is None or len(items) > FEW else items

    def as_loop(self, stmt: Node, iterable: Value) -> None:
        """A loop that stays one in the text."""
        atom = self.iterable_atom(iterable)
        element = self.element_fact(iterable)

        def enter() -> tuple[Var, ...]:
            return self.bind_targets(stmt.target, element, atom)

        self.run_over(stmt, atom, enter, iterable)
        if isinstance(atom, Var) and self.augmented_assignments.was_written(atom):
            self.begin_sliced(atom)
            self.refuse_written()

    def run_over(
        self, stmt: Node, atom: Atom, enter: Callable[[], Any], source: Value = NULL
    ) -> None:
        """The For; `enter` binds the targets, and gives the variables."""
        after = self.position.live
        trips = trips_of(source, self.operations.fact)
        done, carries = self.loop_passes.loop(stmt, enter, after, trips)
        stop = self.stop_of(done)
        loop = For(done.header, atom, Block(tuple(done.ops)), carries, stop)
        schedule = schedule_of(self, source)
        self.blocks.emit(replace(loop, origin=self.position.origin, schedule=schedule))
        self.language.noted_of(stmt, "loop", schedule)
        self.after_loop(stmt, done, after)

    @extensible
    def begin_sliced(self, iterable: Var) -> None:
        """Begin again where that is what np.split made; see current_arrays.py."""
        raise NotImplementedError

    @extensible
    def refuse_written(self) -> NoReturn:
        """The loop that has just been lowered has written what it runs over."""
        self.position.refuse(*WRITTEN_INSIDE)

    def stays_loop(self, iterable: Value) -> bool:
        """Whether a `for` over this stays one: ranges, arrays, what is made of them."""
        if isinstance(iterable, Lazy):
            if iterable.fn is range:
                return True
            parts = (a for a in iterable.args if _is_iterable(a))
            return all(self.stays_loop(a) or is_beside_rows(a, iterable) for a in parts)
        if isinstance(iterable, Argument):
            return is_long(iterable.fact) or runs_over_rows(self.settings, iterable)
        return self.language.items_of(iterable) is None

    def iterable_atom(self, iterable: Value) -> Atom:
        """What a For runs over."""
        return self.language.atom(iterable)

    @extensible
    def element_fact(self, iterable: Value) -> Fact:
        """What is known of each item."""
        if (numbers := numbers_in(written_items(iterable))) is not None:
            return numbers
        if isinstance(iterable, Lazy):
            parts = [self.element_fact(a) for a in iterable.args]
            if iterable.fn is range:
                return int_fact(counter(map(end_of_range, iterable.args)))
            if iterable.fn is enumerate:
                return Fact("tuple", items=(INT, parts[0]), cls=tuple)
            if iterable.fn is zip:
                return Fact("tuple", items=tuple(parts), cls=tuple)
            return parts[0] if iterable.fn is reversed else UNKNOWN
        fact = self.kinds.fact_iterated(iterable)
        if fact.kind in ("list", "tuple") or fact.element is not None:
            known = element_of(fact)
            return UNKNOWN if known.kind == "nothing" else known
        if fact.kind == "dict":
            return _key_fact(fact)
        if fact.items:
            joined = fact.items[0]
            for item in fact.items[1:]:
                joined = join(joined, item)
            return joined
        if isinstance(iterable, (Var, Const)) and fact.is_numeric:
            return self.operations.inferred(operator.getitem, (iterable, Const(0)), ())
        return UNKNOWN

    def bind_targets(self, target: Node, element: Fact, atom: Atom) -> tuple[Var, ...]:
        """New variables for the targets; nested targets are unpacked in the body."""
        flat = isinstance(target, nodes.Tuple) and len(target.elts) > 1
        flat = flat and not any(isinstance(e, nodes.Starred) for e in target.elts)
        elements = target.elts if flat else [target]
        items = element.items if flat and element.items else (element,) * len(elements)
        facts = items
        if flat and not element.items:
            facts = (self.row_fact(element),) * len(elements)
        made = []
        for node, fact in zip(elements, facts, strict=True):
            hint = node.id if isinstance(node, nodes.Name) else None
            hint = None if hint is None or hint.startswith("%") else hint
            made.append(self.variables.var(anonymous(fact), hint))
        for k, (var, node) in enumerate(zip(made, elements, strict=True)):
            self.remember_element(var, atom)
            self.language.assign(
                node, self.taken_in_loop(var, atom, k if flat else None)
            )
        return tuple(made)

    @extensible
    def taken_in_loop(self, var: Var, iterable: Atom, place: int | None) -> Value:
        """A target of a loop, as the body reads it; see labelled_tables.py."""
        raise NotImplementedError

    @extensible
    def row_fact(self, element: Fact) -> Fact:
        """What is known of the items of a row of an array."""
        if element.kind != "array" or not element.rank:
            return UNKNOWN
        return self.operations.inferred(
            operator.getitem, (Var("%row", element), Const(0)), ()
        )

    @extensible
    def remember_element(self, var: Var, iterable: Atom) -> None:
        """Note that an item may share its iterable's memory; see array_writes.py."""
        raise NotImplementedError

    # ------------------------------------------------------------ while

    @STATEMENTS.handles("While")
    def run_While(self, stmt: Node) -> None:
        """while test."""
        after, changes = self.position.live, False
        if any(isinstance(n, nodes.NamedExpr) for n in nodes.walk(stmt.test)):
            stmt = self.test_inside(stmt)

        def enter() -> tuple[list[Op], bool | Atom]:
            nonlocal changes
            before = Before.of(self)
            with self.blocks.block() as ops:
                test = self.expressions.test(stmt.test)
            changes = changes or has_changed(self, before)
            return ops, test

        mark = self.snapshots.mark()
        _, test = enter()
        self.snapshots.back_to(mark)
        if test is False and not changes:
            return self.language.execute(stmt.orelse, after)
        if not changes:
            with self.language.around(stmt, None, NULL):
                done, carries = self.loop_passes.loop(stmt, enter, after)
        if changes:  # what the last test has changed stays so after the loop
            self.snapshots.back_to(mark)
            return self.run_While(self.test_inside(stmt))
        ops, test = done.header
        test = (FALSE, TRUE)[test] if isinstance(test, bool) else test
        stop = self.stop_of(done)
        blocks = (Block(tuple(ops)), test, Block(tuple(done.ops)))
        self.blocks.emit(While(*blocks, carries, stop, origin=self.position.origin))
        self.language.noted_of(stmt, "loop")
        flags = done.exit[self.position.frame.cell].items
        if test == TRUE and RETURNED in flags and BROKEN not in flags:
            self.cells.put(self.position.frame.cell, RETURNED, TRUE)
        self.after_loop(stmt, done, after)

    def test_inside(self, stmt: Node) -> Node:
        """`while (x := e): body` as `while True: if not (x := e): break; body`.

        So of other tests that change something, too; an else comes before the break.
        """
        if exits(stmt.orelse, returns=False):
            self.position.refuse(
                "the `else` of a `while` leaves the outer loop, and the test of the "
                "`while` changes something",
                "Assign the test to a name before the loop, and again at the end of "
                "its body.",
            )
        test = nodes.copy_location(nodes.UnaryOp(nodes.Not(), stmt.test), stmt.test)
        stop = nodes.copy_location(nodes.Break(), stmt)
        leave = nodes.If(test, [*stmt.orelse, stop], [])
        nodes.copy_location(leave, stmt)
        made = nodes.While(nodes.Constant(True, None), [leave, *stmt.body], [])
        return nodes.copy_location(made, stmt)

    def stop_of(self, done: Pass) -> Atom | None:
        """The flag that ends the loop after an iteration."""
        items = done.exit[self.position.frame.cell].items
        found = (items.get(flag, FALSE) for flag in (RETURNED, BROKEN))
        atoms = [v for v in found if isinstance(v, (Var, Const)) and v != FALSE]
        if not atoms:
            return None
        if len(atoms) == 1:
            return atoms[0]
        with self.blocks.appending(done.ops):
            return self.operations.apply(operator.or_, atoms, form="operator")

    def after_loop(self, stmt: Node, done: Pass, after: frozenset[str]) -> None:
        """The loop's else, under the flag of its break."""
        broken = self.cells.get((self.position.frame.cell, BROKEN))
        if broken is not None:
            self.cells.drop(self.position.frame.cell, BROKEN)
        if not stmt.orelse:
            return
        returned = self.execution.left()
        if isinstance(returned, Var):
            self.execution.guarded(
                returned, lambda: self.else_of(stmt, broken, after), after
            )
        elif returned is False:
            self.else_of(stmt, broken, after)

    def else_of(self, stmt: Node, broken: Value | None, after: frozenset[str]) -> None:
        """Run the else of a loop unless it was left by break."""
        if isinstance(broken, Var):
            self.execution.guarded(
                broken, lambda: self.language.execute(stmt.orelse, after), after
            )
        elif broken is None or broken == FALSE:
            self.language.execute(stmt.orelse, after)

    # ------------------------------------------------------------ unrolled loops

    def unroll(
        self, stmt: Node, items: tuple[Value, ...], source: Value,
        after: frozenset[str],
        again: Callable[[Value], tuple[Value, ...] | None] | None = None,
    ) -> None:  # fmt: skip
        """A loop over known items: the body once for each; `again` takes them anew."""
        self.language.noted_of(stmt, "unrolled", len(items))
        head = (
            live_at_head(stmt, self.execution.ahead(after))
            | self.position.frame.scope.captured
        )
        now = self.language.items_as_they_are(source, items, again)
        with self.position.looping_to(after, head):
            self.unrolled(stmt, items, now, (head, after))
        broken = self.cells.get((self.position.frame.cell, BROKEN))
        if broken is not None:
            self.cells.drop(self.position.frame.cell, BROKEN)
        returned = self.execution.left()
        if stmt.orelse and returned is False:
            self.else_of(stmt, broken, after)
        elif stmt.orelse and isinstance(returned, Var):
            self.execution.guarded(
                returned, lambda: self.else_of(stmt, broken, after), after
            )

    def unrolled(
        self,
        stmt: Node,
        items: tuple[Value, ...],
        now: Callable[[int], tuple[Value, ...]],
        live: tuple[frozenset[str], frozenset[str]],
        taken: int = 0,
    ) -> None:
        """The iterations over `items`, each unless an earlier one has left the loop."""
        both = live[0] | live[1]
        while taken < len(items):
            self.language.assign(stmt.target, items[taken])
            self.language.execute(stmt.body, both)
            if self.cells.get((self.position.frame.cell, CONTINUED)) is not None:
                self.cells.drop(self.position.frame.cell, CONTINUED)
            left = self.execution.left()
            if left is True or self.blocks.ended:
                return
            taken += 1
            items = now(taken)
            if isinstance(left, Var):
                if taken < len(items):
                    rest = partial(self.unrolled, stmt, items, now, live, taken)
                    self.execution.guarded(left, rest, both)
                return


def _key_fact(known: Fact) -> Fact:
    """What is known of each key of a dict."""
    facts = [fact_of(key) for key in known.keys or ()]
    return functools.reduce(join, facts) if facts else UNKNOWN


def _never_runs(iterable: Value) -> bool:
    """Whether this is a range of literals that holds no number."""
    if not isinstance(iterable, Lazy) or iterable.fn is not range:
        return False
    plain = (a for a in iterable.args if isinstance(a, Const) and a.text is None)
    ends: list[Any] = [a.value for a in plain]
    whole = len(ends) == len(iterable.args) and all(type(e) is int for e in ends)
    return whole and ends[2:] != [0] and not range(*ends)


def body_size(stmt: Node) -> int:
    """How many ops a body may be, by its looks: of a call they are not seen."""
    parts = (n for inner in stmt.body for n in nodes.walk(inner))
    return sum(_OPS.get(type(n), 0) for n in parts)


_OPS: Final = dict.fromkeys(
    (nodes.BinOp, nodes.UnaryOp, nodes.Compare, nodes.Subscript, nodes.Attribute), 1
) | {nodes.Call: 25}


def _is_iterable(value: Value) -> bool:
    return not (isinstance(value, Const) and isinstance(value.value, int))
