"""Where lowering stands in the source, and which calls and loops are around."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import Location, UnsupportedCall, UnsupportedSyntax
from yota_ast.frontend.components import Component, Components
from yota_ast.frontend.heap.lowered_values import (
    Frame,
    Node,
)
from yota_ast.frontend.state.lowering_records import (
    Call,
    Spot,
    Standing,
)
from yota_ast.frontend.state.statement_headers import header
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import (
    NOWHERE,
    Origin,
)
from yota_ast.support.file_owners import is_ours, is_users
from yota_ast.syntax.node_fields import set_fields


class Position(Component):
    """The place in the source, and what is around it."""

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.own_cells: frozenset[str] = frozenset()  # outside names that vary
        self.loops_around = 0  # loops that the source has around, and comprehensions
        self.running: frozenset[int] = frozenset()  # iterators that loops run through
        self.looped: frozenset[int] = frozenset()  # containers that loops run over
        self.title = ""  # the name of the function that is lowered
        self.origin: Origin = NOWHERE
        self.last_return: Origin = NOWHERE
        self.statements = 0
        self.locked = False  # statements of callees count as the caller's
        self.node: Node = None
        self.frame: Frame
        self.calls: list[Call] = []
        self.whole: Node = None  # the call that is a statement's whole right side
        self.live: frozenset[str] = frozenset()  # names read after the statement
        self.caught: tuple[Var, ...] = ()  # the errors being handled
        self.loops: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
        self.turns = 0  # how many loops are around
        self.arms_open = 0  # how many arms of branches are around
        self.arms: list[tuple[Atom, bool]] = []  # their tests, and whether they hold
        self.tries = 0  # how many `try` with handlers are around
        self.finals: frozenset[str] = frozenset()  # what `finally` around will read
        self.tries_of_names = 0  # those that catch what names without a value raise

    def begin(
        self, title: str, frame: Frame, node: Node, own: frozenset[str] = frozenset()
    ) -> None:
        """Begin with a function of this name; own: its outside names that vary."""
        self.title, self.frame, self.node, self.own_cells = title, frame, node, own

    def place(self) -> Location | None:
        """Where lowering stands, if it has begun."""
        return self.location() if hasattr(self, "frame") else None

    def location(self, node: Node = None) -> Location:
        """The place of a node (of the current one) in the user's source."""
        if not hasattr(node, "lineno"):  # None, or put there by the compiler
            node = self.node
        scope = self.frame.scope
        lineno = getattr(node, "lineno", 1)
        text = scope.lines[lineno - 1] if 0 < lineno <= len(scope.lines) else ""
        end = len(text.rstrip().encode("utf-8", "replace"))
        if getattr(node, "end_lineno", None) == lineno:
            end = node.end_col_offset
        chain = tuple(call.site for call in reversed(self.calls[1:]))
        column = getattr(node, "col_offset", 0)
        place = Location(scope.filename, lineno, column, end, text.rstrip("\n"), chain)
        return place if is_users(scope.filename) else self._called_by_user(place)

    def _called_by_user(self, place: Location) -> Location:
        """A place in a library, with the call in the user's code that leads there."""
        for k, call in enumerate(reversed(self.calls[1:]), 1):
            if call.where is None or not is_users(call.where.filename):
                continue
            if not is_ours(place.filename):
                return replace(place, caller=call.where, called=call.name)
            return replace(place, caller=call.where, called="", chain=place.chain[k:])
        return place

    def refuse(self, reason: str, remedy: str = "", node: Node = None) -> NoReturn:
        """Refuse a construct of the language."""
        raise UnsupportedSyntax(reason, at=self.location(node), remedy=remedy)

    def refuse_call(self, reason: str, remedy: str = "", node: Node = None) -> NoReturn:
        """Refuse a call."""
        raise UnsupportedCall(reason, at=self.location(node), remedy=remedy)

    def given_up_on_memory(self, remedy: str) -> UnsupportedSyntax:
        """The refusal of a write to what may be a view."""
        return UnsupportedSyntax(
            "the function writes into an array that may be a view or a copy",
            at=self.location(),
            remedy=remedy,
        )

    def spot(self) -> Spot:
        """The current place, and the calls that lead to it."""
        at = self.location()
        columns = tuple(
            call.where.col_offset if call.where else 0 for call in self.calls
        )
        return at.filename, at.lineno, at.col_offset, at.chain, columns

    def move_to(self, node: Node) -> Node:
        """Go to a node, if it is the user's; return where lowering stood."""
        outer = self.node
        if hasattr(node, "lineno"):
            self.node = node
        return outer

    def move_back(self, node: Node) -> None:
        """Go back to where lowering stood."""
        self.node = node

    @contextmanager
    def at(self, node: Node) -> Iterator[None]:
        """Be at a node, if it is the user's."""
        outer = self.move_to(node)
        try:
            yield
        finally:
            self.node = outer

    @contextmanager
    def in_frame(self, frame: Frame) -> Iterator[None]:
        """Be inside a frame: names are looked up from there."""
        outer, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = outer

    @contextmanager
    def in_call(self, call: Call, frame: Frame) -> Iterator[None]:
        """Be in the body of a function that is inlined."""
        outer = (self.frame, self.node, self.whole, self.loops, self.origin)
        self.calls.append(call)
        self.frame, self.whole, self.loops = frame, None, ()
        try:
            yield
        finally:
            self.calls.pop()
            self.frame, self.node, self.whole, self.loops, self.origin = outer

    @contextmanager
    def in_function(self) -> Iterator[None]:
        """Be in a function of the tape."""
        outer = (self.origin, self.locked, self.last_return, self.turns, self.caught)
        self.locked, self.turns, self.caught = False, 0, ()
        try:
            yield
        finally:
            self.origin, self.locked, self.last_return, self.turns, self.caught = outer

    def standing(self) -> Standing:
        """Where lowering stands."""
        return Standing(
            self.frame, self.node, self.whole, self.loops, self.calls, self.live
        )

    @contextmanager
    def standing_at(self, place: Standing) -> Iterator[None]:
        """Stand elsewhere."""
        outer = self.standing()
        self.stand(place)
        try:
            yield
        finally:
            self.stand(outer)

    def stand(self, place: Standing) -> None:
        """Stand at a place from now on."""
        self.frame, self.node, self.whole = place.frame, place.node, place.whole
        self.loops, self.calls, self.live = place.loops, place.calls, place.live

    @contextmanager
    def own_calls(self) -> Iterator[None]:
        """Have a list of calls that stays as it is while the caller goes on."""
        outer, self.calls = self.calls, [*self.calls]
        try:
            yield
        finally:
            self.calls = outer

    @contextmanager
    def looping_to(self, after: frozenset[str], head: frozenset[str]) -> Iterator[None]:
        """Be in a loop; what is read after it, and at the head of its body."""
        outer, self.loops = self.loops, (*self.loops, (after, head))
        try:
            yield
        finally:
            self.loops = outer

    @contextmanager
    def read_later(self, names: frozenset[str]) -> Iterator[None]:
        """Be at a statement after which some names are read."""
        outer, self.live = self.live, names
        try:
            yield
        finally:
            self.live = outer

    @contextmanager
    def in_arm(self, test: Atom, *, holds: bool) -> Iterator[None]:
        """Be in the arm of a branch in which its test holds, or in the other one."""
        self.arms.append((test, holds))
        self.arms_open += 1
        try:
            yield
        finally:
            self.arms.pop()
            self.arms_open -= 1

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """Be in the body of a loop of the text."""
        self.turns += 1
        try:
            yield
        finally:
            self.turns -= 1

    @contextmanager
    def in_try(self, *, of_names: bool = False) -> Iterator[None]:
        """Be in a `try` with handlers; of_names: one that catches what names without a
        value raise."""
        self.tries += 1
        self.tries_of_names += of_names
        try:
            yield
        finally:
            self.tries -= 1
            self.tries_of_names -= of_names

    @contextmanager
    def handling(self, error: Var) -> Iterator[None]:
        """Handle an error."""
        outer, self.caught = self.caught, (*self.caught, error)
        try:
            yield
        finally:
            self.caught = outer

    @contextmanager
    def finally_reads(self, names: frozenset[str]) -> Iterator[None]:
        """Be in a `try` of which `finally` reads some names."""
        outer, self.finals = self.finals, self.finals | names
        try:
            yield
        finally:
            self.finals = outer

    def expect_whole(self, node: Node) -> None:
        """Note the whole right side of a statement."""
        self.whole = node

    def take_whole(self, node: Node) -> bool:
        """Whether a call is the whole right side; within it none is."""
        whole, self.whole = self.whole is node, None
        return whole

    @contextmanager
    def originating(self, origin: Origin) -> Iterator[None]:
        """Be at a statement that was entered before."""
        outer, self.origin = self.origin, origin
        try:
            yield
        finally:
            self.origin = outer

    def stand_within(self, node: Node) -> None:
        """Go within the current statement, to a place in a function it calls."""
        self.origin = replace(self.origin, inner=self.location(node))

    def note_return(self) -> None:
        """Note that the current statement is the last that has returned."""
        self.last_return = self.origin

    def stand_at_return(self) -> None:
        """Go to the statement that has returned last."""
        self.origin = self.last_return

    @contextmanager
    def statement(self, node: Node) -> Iterator[None]:
        """Be at a statement: its ops have an origin of their own unless locked."""
        outer, at = self.origin, self.node
        if not self.locked:
            self.statements += not hasattr(node, "goes_on")  # the second half of one
            text = header(node)
            set_fields(node, header=text)
            self.origin = Origin(self.location(node), self.statements, text)
        else:
            self.origin = replace(outer, inner=self.location(node))
        if hasattr(node, "lineno"):
            self.node = node
        try:
            yield
        finally:
            self.origin, self.node = outer, at

    @contextmanager
    def lock(self, *, locked: bool) -> Iterator[None]:
        """Attribute what follows to the current statement, or not."""
        outer = self.locked
        self.locked = outer or locked
        try:
            yield
        finally:
            self.locked = outer

    def renumber_statements(self, last: int) -> None:
        """Give the numbers of statements after this one again."""
        self.statements = last

    @contextmanager
    def for_each_item(self) -> Iterator[None]:
        """While what is done for each of several items is lowered: it may not run
        through an iterator that was there before."""
        self.loops_around += 1
        try:
            yield
        finally:
            self.loops_around -= 1

    @contextmanager
    def running_over(
        self, iterator: int | None, containers: frozenset[int]
    ) -> Iterator[None]:
        """Be in a loop that runs through an iterator, or over some containers."""
        outer = self.running, self.looped
        if iterator is not None:
            self.running |= {iterator}
        self.looped |= containers
        try:
            yield
        finally:
            self.running, self.looped = outer
