"""Loops: statements -> For and While ops, or the body once for each known item."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NoReturn

from yota_ast.errors import (
    NoRule,
    UnsupportedCall,
    UnsupportedSyntax,
)
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
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.interpret.loop_records import Pass
from yota_ast.frontend.interpret.statement_execution import TRUE
from yota_ast.frontend.interpret.statements import FALSE
from yota_ast.frontend.source.name_flow import (
    BROKEN,
    CONTINUED,
    RETURNED,
    exits,
    live_at_head,
    names_assigned,
)
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    INT,
    UNKNOWN,
    Fact,
    anonymous,
    element_of,
    fact_of,
    join,
)
from yota_ast.ir.atoms import Atom, Const, Var
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


class Loops(LoopPasses):
    """For and While ops, and loops over known items, which are unrolled."""

    # ------------------------------------------------------------ for

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.holding = True  # whether those may be held as a whole from then on

    def run_For(self, stmt: Node) -> None:
        """for target in iterable."""
        iterable = self.iterated(self.evaluate(stmt.iter))
        if self.fails_on(iterable, NOT_ITERABLE):
            return
        if isinstance(iterable, Generator):
            self.over_generator(stmt, iterable)
            return
        taken = None if isinstance(iterable, Lazy) else iterable
        source = iterable
        if taken is not None:
            iterable = self.run_through(taken)
        with self.around(stmt, taken, source):
            self.over(stmt, iterable, source)

    def over_generator(self, stmt: Node, generator: Generator) -> None:
        """for target in generator: all that it yields is taken beforehand."""
        if exits([stmt], loop=False) or exits(stmt.body):
            self.refuse(
                "a loop over a generator is left before its end",
                "Build a list, and loop over it.",
            )
        check = self.unchanged_by(generator)
        items = self.run_through(generator)
        self.over(stmt, items, items)
        check()

    def unchanged_by(self, generator: Generator) -> Callable[[], None]:
        """A check that what a generator may read is as it is now; see contexts.py."""
        raise NotImplementedError

    def over(self, stmt: Node, iterable: Value, source: Value) -> None:
        """A loop over something that is no object of a user's class; source: what gave
        the items."""
        after = self.live
        if _never_runs(iterable):
            self.unroll(stmt, (), source, after)
            return
        if not self.stays_loop(iterable):
            items = self.items_of(iterable)
            if items is not None:
                if not self.stays_one(stmt, iterable, items, source):
                    self.unroll(stmt, items, source, after)
                return
        items = self.few_items(iterable)
        if items is None:
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)
            return
        back = self.way_back()
        lists = isinstance(iterable, Const)  # of indices into them
        names = self.heap[self.frame.cell].items if lists else names_assigned(stmt.body)
        known = self.known_sequences(names, lists=lists)
        outer, self.holding = self.holding, False  # lists of lists keep their items
        try:
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)
            if known <= self.known_sequences(known, lists=lists):
                return
            error: UnsupportedSyntax | UnsupportedCall | None = None
        except (UnsupportedSyntax, UnsupportedCall) as refusal:
            error = refusal
        finally:
            self.holding = outer
        back()
        try:
            self.unroll(stmt, items, source, after)
        except (UnsupportedSyntax, UnsupportedCall):
            if error is not None:
                raise error from None
            back()
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)

    def stays_one(
        self, stmt: Node, iterable: Value, items: tuple[Value, ...], source: Value
    ) -> bool:
        """Whether a loop over known items has become a loop of the text, for copies of
        its body would fill pages, and nothing of what is known is lost by it.

        Not where the items may have adjoints: each would be summed in each iteration.
        """
        count = len(items)
        if (
            not self.settings.looping
            or count <= FEW
            or count * _size(stmt) < MOST_UNROLLED
        ):
            return False
        if any(map(self.may_vary, items)):
            return False
        back, before, given_up = self.way_back(), len(self.ops), dict(self.given_up)
        known = self.known_sequences(self.heap[self.frame.cell].items, lists=True)
        try:
            with self.unchanged_while(source):
                self.as_loop(stmt, iterable)
            size = sum(1 for _ in walk(Block(tuple(self.ops[before:]))))
            same = known <= self.known_sequences(known, lists=True)
            if same and count * size >= MOST_UNROLLED and self.given_up == given_up:
                self.keep_loop()
                return True
        except (UnsupportedSyntax, UnsupportedCall, NoRule):
            pass
        back()
        return False

    def way_back(self) -> Callable[[], None]:
        """What goes back to this point, when a loop could not be lowered one way."""
        mark, given_up = self.mark(), dict(self.given_up)

        def back() -> None:
            self.back_to(mark, renumber=True)
            self.restore_given_up(given_up)

        return back

    def known_sequences(self, names: Iterable[Any], *, lists: bool) -> frozenset[Any]:
        """The names of tuples, and of lists, of which the items are known."""
        values = {name: self.get((self.frame.cell, name)) for name in names}
        return frozenset(
            name
            for name, value in values.items()
            if isinstance(value, TupleValue)
            or (lists and isinstance(value, Ref) and self.sequence_items(value))
        )

    def few_items(self, iterable: Value) -> tuple[Value, ...] | None:
        """Items written in the program, so few that the text may have one body for
        each, where it cannot have one for all, or where one for all would lose sight
        of the items of a tuple."""
        items = None
        if isinstance(iterable, Lazy) and not self.ended:
            items = self.items_of(iterable)
        else:
            items = _indices_in_cell(iterable)
        return None if items is None or len(items) > FEW else items

    def as_loop(self, stmt: Node, iterable: Value) -> None:
        """A loop that stays one in the text."""
        atom = self.iterable_atom(iterable)
        element = self.element_fact(iterable)

        def enter() -> tuple[Var, ...]:
            return self.bind_targets(stmt.target, element, atom)

        self.run_over(stmt, atom, enter)
        if isinstance(atom, Var) and self.was_written(atom):
            self.begin_sliced(atom)
            self.refuse_written()

    def run_over(self, stmt: Node, atom: Atom, enter: Callable[[], Any]) -> None:
        """The For; `enter` binds the targets, and gives the variables."""
        after = self.live
        done, carries = self.loop(stmt, enter, after)
        stop = self.stop_of(done)
        body = Block(tuple(done.ops))
        self.emit(For(done.header, atom, body, carries, stop, origin=self.origin))
        self.noted_of(stmt, "loop")
        self.after_loop(stmt, done, after)

    def begin_sliced(self, iterable: Var) -> None:
        """Begin again where that is what np.split made; see memory.py."""
        raise NotImplementedError

    def refuse_written(self) -> NoReturn:
        """The loop that has just been lowered has written what it runs over."""
        self.refuse(*WRITTEN_INSIDE)

    def stays_loop(self, iterable: Value) -> bool:
        """Whether a `for` over this stays one: ranges, arrays, what is made of them."""
        if isinstance(iterable, Lazy):
            if iterable.fn is range:
                return True
            return all(self.stays_loop(a) for a in iterable.args if _is_iterable(a))
        if isinstance(iterable, Argument):
            return is_long(iterable.fact)
        return self.items_of(iterable) is None

    def iterable_atom(self, iterable: Value) -> Atom:
        """What a For runs over."""
        return self.atom(iterable)

    def element_fact(self, iterable: Value) -> Fact:
        """What is known of each item."""
        if isinstance(iterable, Lazy):
            parts = [self.element_fact(a) for a in iterable.args]
            if iterable.fn is range:
                return INT
            if iterable.fn is enumerate:
                return Fact("tuple", items=(INT, parts[0]), cls=tuple)
            if iterable.fn is zip:
                return Fact("tuple", items=tuple(parts), cls=tuple)
            return parts[0] if iterable.fn is reversed else UNKNOWN
        fact = self.fact(iterable)
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
            return self.inferred(operator.getitem, (iterable, Const(0)), ())
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
            made.append(self.var(anonymous(fact), hint))
        for k, (var, node) in enumerate(zip(made, elements, strict=True)):
            self.remember_element(var, atom)
            self.assign(node, self.taken_in_loop(var, atom, k if flat else None))
        return tuple(made)

    def taken_in_loop(self, var: Var, iterable: Atom, place: int | None) -> Value:
        """A target of a loop, as the body reads it; see labelled.py."""
        raise NotImplementedError

    def row_fact(self, element: Fact) -> Fact:
        """What is known of the items of a row of an array."""
        if element.kind != "array" or not element.rank:
            return UNKNOWN
        return self.inferred(operator.getitem, (Var("%row", element), Const(0)), ())

    def remember_element(self, var: Var, iterable: Atom) -> None:
        """Note that an item may share its iterable's memory; see memory.py."""
        raise NotImplementedError

    # ------------------------------------------------------------ while

    def run_While(self, stmt: Node) -> None:
        """while test."""
        after, changes = self.live, False
        if any(isinstance(n, nodes.NamedExpr) for n in nodes.walk(stmt.test)):
            stmt = self.test_inside(stmt)

        def enter() -> tuple[list[Op], bool | Atom]:
            nonlocal changes
            before = Before.of(self)
            with self.block() as ops:
                test = self.test(stmt.test)
            changes = changes or has_changed(self, before)
            return ops, test

        mark = self.mark()
        _, test = enter()
        self.back_to(mark)
        if test is False and not changes:
            self.execute(stmt.orelse, after)
            return
        if not changes:
            with self.around(stmt, None, NULL):
                done, carries = self.loop(stmt, enter, after)
        if changes:  # what the last test has changed stays so after the loop
            self.back_to(mark)
            self.run_While(self.test_inside(stmt))
            return
        ops, test = done.header
        if isinstance(test, bool):
            test = TRUE if test else FALSE
        stop = self.stop_of(done)
        blocks = (Block(tuple(ops)), test, Block(tuple(done.ops)))
        self.emit(While(*blocks, carries, stop, origin=self.origin))
        self.noted_of(stmt, "loop")
        self.after_loop(stmt, done, after)

    def test_inside(self, stmt: Node) -> Node:
        """`while (x := e): body` as `while True: if not (x := e): break; body`.

        So of other tests that change something, too; an else comes before the break.
        """
        if exits(stmt.orelse, returns=False):
            self.refuse(
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
        items = done.exit[self.frame.cell].items
        found = [items[f] for f in (RETURNED, BROKEN) if f in items]
        atoms = [v for v in found if isinstance(v, (Var, Const))]
        atoms = [a for a in atoms if a != FALSE]
        if not atoms:
            return None
        if len(atoms) == 1:
            return atoms[0]
        with self.appending(done.ops):
            return self.apply(operator.or_, atoms, form="operator")

    def after_loop(self, stmt: Node, done: Pass, after: frozenset[str]) -> None:
        """The loop's else, under the flag of its break."""
        broken = self.get((self.frame.cell, BROKEN))
        if broken is not None:
            self.drop(self.frame.cell, BROKEN)
        if not stmt.orelse:
            return
        returned = self.left()
        if isinstance(returned, Var):
            self.guarded(returned, lambda: self.else_of(stmt, broken, after), after)
        elif returned is False:
            self.else_of(stmt, broken, after)

    def else_of(self, stmt: Node, broken: Value | None, after: frozenset[str]) -> None:
        """Run the else of a loop unless it was left by break."""
        if isinstance(broken, Var):
            self.guarded(broken, lambda: self.execute(stmt.orelse, after), after)
        elif broken is None or broken == FALSE:
            self.execute(stmt.orelse, after)

    # ------------------------------------------------------------ unrolled loops

    def unroll(
        self,
        stmt: Node,
        items: tuple[Value, ...],
        source: Value,
        after: frozenset[str],
    ) -> None:
        """A loop over known items: the body once for each."""
        self.noted_of(stmt, "unrolled", len(items))
        head = live_at_head(stmt, self.ahead(after)) | self.frame.scope.captured
        with self.looping_to(after, head):
            now = self.items_as_they_are(source, items)
            self.unrolled(stmt, items, now, (head, after))
        broken = self.get((self.frame.cell, BROKEN))
        if broken is not None:
            self.drop(self.frame.cell, BROKEN)
        returned = self.left()
        if stmt.orelse and returned is False:
            self.else_of(stmt, broken, after)
        elif stmt.orelse and isinstance(returned, Var):
            self.guarded(returned, lambda: self.else_of(stmt, broken, after), after)

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
            self.assign(stmt.target, items[taken])
            self.execute(stmt.body, both)
            if self.get((self.frame.cell, CONTINUED)) is not None:
                self.drop(self.frame.cell, CONTINUED)
            left = self.left()
            if left is True or self.ended:
                return
            taken += 1
            items = now(taken)
            if isinstance(left, Var):
                if taken < len(items):
                    rest = partial(self.unrolled, stmt, items, now, live, taken)
                    self.guarded(left, rest, both)
                return


def _key_fact(known: Fact) -> Fact:
    """What is known of each key of a dict."""
    facts = [fact_of(key) for key in known.keys or ()]
    return functools.reduce(join, facts) if facts else UNKNOWN


def _never_runs(iterable: Value) -> bool:
    """Whether this is a range of literals that holds no number."""
    if not isinstance(iterable, Lazy) or iterable.fn is not range:
        return False
    ends: list[Any] = [
        a.value for a in iterable.args if isinstance(a, Const) and a.text is None
    ]
    whole = len(ends) == len(iterable.args) and all(type(e) is int for e in ends)
    return whole and ends[2:] != [0] and not range(*ends)


def _size(stmt: Node) -> int:
    """How many ops a body may be, by its looks: of a call they are not seen."""
    parts = (n for inner in stmt.body for n in nodes.walk(inner))
    return sum(_OPS.get(type(n), 0) for n in parts)


_OPS: Final = dict.fromkeys(
    (nodes.BinOp, nodes.UnaryOp, nodes.Compare, nodes.Subscript, nodes.Attribute), 1
) | {nodes.Call: 25}


def _indices_in_cell(value: Value) -> tuple[Value, ...] | None:
    """The items of a list or tuple of whole numbers that a closure holds."""
    if not isinstance(value, Const) or value.home or not value.text:
        return None
    items = value.value
    if not isinstance(items, (list, tuple)) or any(type(k) is not int for k in items):
        return None
    return tuple(Const(k) for k in items)


def _is_iterable(value: Value) -> bool:
    return not (isinstance(value, Const) and isinstance(value.value, int))
