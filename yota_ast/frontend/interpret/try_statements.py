"""try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from yota_ast.errors import UnsupportedSyntax, YotaError
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.desugar.try_moves import TryMoves, is_append
from yota_ast.frontend.desugar.try_parts import (
    has_parts,
    in_parts,
    names_gone_through,
)
from yota_ast.frontend.desugar.try_steps import (
    leaving_last,
    one_target_each,
    raises_midway,
)
from yota_ast.frontend.heap.lowered_values import LOST, Node
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.carried_errors import carries_numbers, reads_inside
from yota_ast.frontend.interpret.merged_values import Arm, Merger
from yota_ast.frontend.interpret.statement_execution import STATEMENTS, Execution
from yota_ast.frontend.interpret.with_statements import acts_visibly
from yota_ast.frontend.source.name_flow import (
    FLAGS,
    RESULT,
    always_leaves,
    exits,
    names_assigned,
    names_read,
)
from yota_ast.frontend.state.blocks import Blocks, asks_of_an_array
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import LeavesOps, Snapshot
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import BOOL, Fact
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Var
from yota_ast.ir.block_queries import carries_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    If,
    Merge,
    Op,
    Raise,
    Store,
    Try,
    defined_by,
    only,
    walk,
)
from yota_ast.syntax import nodes
from yota_ast.syntax.names import GENERATED

MANY: Final = 8
_ASSIGNING: Final = (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)
"""Of more statements than this a try is not taken apart."""


class TryStatements(Component):
    """Try ops."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    variables = uses(Variables)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    branches = uses(Branches)
    execution = uses(Execution)
    try_moves = uses(TryMoves)

    # ------------------------------------------------------------ try

    @STATEMENTS.handles("Try")
    def run_Try(self, stmt: Node) -> None:
        """try: body; except: handler."""
        if stmt.finalbody and exits(stmt.finalbody):
            plainer = leaving_last(stmt)
            if plainer is None:
                self.position.refuse(
                    "`finally` leaves by return, break or continue, and so may "
                    "another part of the `try`",
                    "Set a variable there, and act on it after the `try`.",
                )
            self.language.execute(plainer, self.position.live)
            return
        live = self.execution.live_flags(self.execution.live_ahead(self.position.live))
        with self.position.finally_reads(self.names_after(stmt)):
            self.run_parts(stmt, live | self.names_after(stmt))
        if stmt.finalbody and not self.blocks.ended:
            self.finally_of(stmt)

    def run_parts(self, stmt: Node, live: frozenset[str]) -> None:
        """The body of a try, and its handlers."""
        if stmt.handlers:
            stmt = stepwise(self.try_moves.decided(stmt))
        if not stmt.handlers:
            self.language.execute(stmt.body, live)
        elif not self.harmless(stmt, live):
            after = self.position.live | self.names_after(stmt)
            if self.is_taken_apart(stmt, after):
                self.language.execute(in_parts(stmt), live)
                return
            parts = one_at_a_time(stmt, after)
            if parts is stmt or not self.harmless(parts, live):
                self.handled(self.try_moves.changed_afterwards(parts), live)

    def is_taken_apart(self, stmt: Node, after: frozenset[str]) -> bool:
        """Whether the parts of branches and loops in a body get a try of their own."""
        if not has_parts(stmt) or not is_seen_midway(stmt, after):
            return False
        through = names_gone_through(stmt)
        return through.isdisjoint(names_assigned(stmt.body)) and all(
            map(self.try_moves.is_gone_through, through)
        )

    def harmless(self, stmt: Node, live: frozenset[str]) -> bool:
        """Run a body that leaves nothing to do in the text, and so cannot raise there,
        or the handler of one that raises before it does or assigns anything; whether it
        was one. It is given up at the first statement after an op."""
        mark = self.snapshots.mark()
        inner = live | frozenset[str]().union(*map(names_read, stmt.orelse))
        left: object = LOST
        try:
            with (
                self.position.in_try(),
                self.blocks.block() as ops,
                self.blocks.trying(ops),
            ):
                self.language.execute(stmt.body, inner)
                left = self.execution.left()
        except (YotaError, LeavesOps):
            pass
        idle = all(map(asks_of_an_array, ops))
        done = idle and not self.blocks.ended and isinstance(left, bool)
        if not done:
            raises = self.blocks.ended and not self.snapshots.changes_since(
                mark.snapshot
            )
            handler = self.sure_handler(stmt, ops) if raises else None
            self.snapshots.back_to(mark, renumber=True)
            if handler is not None:
                self.language.execute(handler.body, live)
            return handler is not None
        for op in ops:  # what it asks may be read behind it
            self.blocks.emit(op)
        if left is False:
            self.language.execute(stmt.orelse, live)
        return True

    def sure_handler(self, stmt: Node, ops: list[Op]) -> Node | None:
        """The handler of a body that does nothing but raise, where it neither names the
        error nor raises it again."""
        # What stands after the raise, the rest of the statement, is never reached.
        made = next(only(ops[:1], Apply), None)
        raised = next(only(ops[1:2], Raise), None)
        if made is None or raised is None or raised.exc != made.out:
            return None
        error: Any = made.fn
        for handler in stmt.handlers if isinstance(error, type) else ():
            caught: Any = self.try_moves.classes_of(handler).value
            if issubclass(error, caught):
                again = any(
                    isinstance(n, nodes.Raise) and n.exc is None
                    for part in handler.body
                    for n in nodes.walk(part)
                )
                return None if handler.name is not None or again else handler
        return None

    def names_after(self, stmt: Node) -> frozenset[str]:
        """What the last part of a try reads."""
        return frozenset[str]().union(*map(names_read, stmt.finalbody))

    def finally_of(self, stmt: Node) -> None:
        """The last part, which runs whether control has left or not."""
        cell = self.position.frame.cell
        kept = {k: self.cells.get((cell, k)) for k in (*FLAGS, RESULT)}
        for key in kept:
            self.cells.drop(cell, key)
        mark = len(self.blocks.ops)
        self.language.execute(stmt.finalbody, self.position.live)
        if any(acts_visibly(op) for op in walk(Block(tuple(self.blocks.ops[mark:])))):
            self.position.refuse(
                "`finally` has an effect that is seen when an error passes",
                "Do it before the `try`, or after it.",
                stmt.finalbody[0],
            )
        for key, value in kept.items():
            if value is not None:
                self.cells.put(cell, key, value)

    def handled(self, stmt: Node, live: frozenset[str]) -> None:
        """A try with handlers."""
        before, origin = self.snapshots.snapshot(), self.position.origin
        error = self.variables.var(
            Fact("other", cls=BaseException), self.error_name(stmt)
        )
        fails = not self.position.tries and all(map(is_left_by_error, stmt.handlers))
        body, last, first, middle = self.protected(stmt, live)
        if not fails:
            self.check_stores(body)
        self.check_errors(stmt, body)
        self.snapshots.restore(before)
        self.check_cells(before, middle, fails=fails)
        self.forget_changes(stmt, before, middle)
        caught: Atom = Const(None)
        with self.blocks.block() as ops:
            with self.blocks.comes_back():
                caught = self.run_handlers(stmt, error, live)
            after = self.snapshots.snapshot()
        second = Arm(ops, after, UNDEFINED, self.branches.has_returned())
        self.snapshots.restore(before)
        passed = self.variables.var(
            BOOL
        )  # by which one of two objects or functions is chosen
        merger = Merger(passed, first, second)
        merger.merges.append(Merge(passed, Const(value=True), Const(value=False)))
        self.branches.merge_memory(first.state, second.state)
        self.branches.merge_state(merger, before, live)
        self.blocks.emit(
            Try(
                Block(tuple(body)),
                caught,
                error,
                Block(tuple(second.ops)),
                Block(tuple(last)),
                tuple(merger.merges),
                origin,
            )
        )

    def check_errors(self, stmt: Node, body: list[Op]) -> None:
        """Refuse handlers that read numbers from the error."""
        found = [r for r in map(reads_inside, stmt.handlers) if r is not None]
        if found and carries_numbers(body):
            self.position.refuse(
                "the caught error may hold a value with a derivative, which "
                "is not supported",
                "Compute it again in the handler.",
                found[0],
            )

    def error_name(self, stmt: Node) -> str | None:
        """The name of the error, if there is one handler that names it."""
        name = stmt.handlers[0].name if len(stmt.handlers) == 1 else None
        return getattr(name, "id", name)

    def protected(
        self, stmt: Node, live: frozenset[str]
    ) -> tuple[list[Op], list[Op], Arm, Snapshot]:
        """The body, and the else; what they leave, and what the body leaves."""
        inner = live | frozenset[str]().union(*map(names_read, stmt.orelse))
        asks = any(self.catches_names(handler) for handler in stmt.handlers)
        with (
            self.blocks.block() as body,
            self.blocks.comes_back(),
            self.position.in_try(of_names=asks),
        ):
            self.language.execute(stmt.body, inner)
        for k, op in enumerate(body):
            if isinstance(op, Raise):  # what follows is never reached
                del body[k + 1 :]
        middle = self.snapshots.snapshot()
        with self.blocks.block() as last:
            left = self.execution.left()
            if left is False and not self.blocks.ended:
                self.language.execute(stmt.orelse, live)
            elif isinstance(left, Var) and stmt.orelse:
                self.execution.guarded(
                    left, lambda: self.language.execute(stmt.orelse, live), live
                )
        arm = Arm(
            last, self.snapshots.snapshot(), UNDEFINED, self.branches.has_returned()
        )
        return body, last, arm, middle

    def roots_made_in(self, body: list[Op]) -> set[str]:
        """The memory that ops make; a loop's carried variables have roots of their
        own, which stand for what it began with."""
        made = {v.name for op in walk(Block(tuple(body))) for v in defined_by(op)}
        for op in walk(Block(tuple(body))):
            inside: dict[bool, set[str]] = {True: set(), False: set()}
            for c in carries_of(op):
                roots = self.language.memory_of(c.init).roots
                shared = isinstance(c.init, Var) and c.init.fact.may_be_array
                new = bool(roots or not shared) and made.issuperset(roots)
                inside[new] |= set(self.language.memory_of(c.inside).roots)
            made |= inside[True] - inside[False]
        return made

    def check_stores(self, body: list[Op]) -> None:
        """Refuse writes that a handler might see half done."""
        made = self.roots_made_in(body)
        last = last_of(body)
        for op in walk(Block(tuple(body))):
            if isinstance(op, Store) and not any(op is other for other in last):
                roots = self.language.memory_of(op.target).roots
                made_here = (r in made or cell_of(r) is not None for r in roots)
                if roots and all(made_here):
                    continue  # made inside, where no handler sees it
                raise UnsupportedSyntax(
                    "the body of `try` writes into an array or a list",
                    at=op.origin.location or self.position.location(),
                    remedy="Assign the value to a name in the `try`, and write it into "
                    "the array afterwards.",
                )

    def forget_changes(self, stmt: Node, before: Snapshot, after: Snapshot) -> None:
        """In a handler, names that the body assigns have the value from before it only
        if the body cannot raise after the assignment: else they are not to be read.
        """
        cell = self.position.frame.cell
        old, new = before.heap[cell].items, after.heap[cell].items
        changed = [k for k in new if k[0] != "%" and new[k] != old.get(k)]
        body = self.execution.taken(stmt.body)
        sure = surely_kept(body)
        ends = ends_of(stmt.body)
        if all(map(is_write, ends)):
            # it raises before it writes; a function may have set a name before that
            set_inside = self.position.frame.scope.captured - owners_written(ends)
            changed = [k for k in changed if k in set_inside]
        # Generated code reads such a name only where the body came to its end.
        generated = self.position.frame.scope.filename.startswith(GENERATED)
        for name in dict.fromkeys((*names_assigned(body), *changed)):
            if name not in sure and not (generated and name not in old):
                self.cells.put(cell, name, LOST)

    def check_cells(self, before: Snapshot, after: Snapshot, *, fails: bool) -> None:
        """Refuse a body that changes more than the variables of its function. fails:
        whether an error leaves the function, so that handlers alone might see how far
        the body came; what it changes is not to be read there."""
        for number, old in before.heap.items():
            new = after.heap[number]
            if number == self.position.frame.cell or old is new:
                continue
            if not fails or new.var is not None or new.kind not in ("object", "dict"):
                self.position.refuse(
                    "the body of `try` changes a container, an object or an "
                    "outer variable",
                    "Change it after the `try`.",
                )
            items = dict.fromkeys((*old.items, *new.items), LOST)
            items |= {k: v for k, v in old.items.items() if new.items.get(k) == v}
            self.cells.heap[number] = old.with_items(items)

    def run_handlers(self, stmt: Node, error: Var, live: frozenset[str]) -> Atom:
        """Run the handlers, one after the other by the class of the error."""
        classes = [self.try_moves.classes_of(h) for h in stmt.handlers]
        with self.position.handling(error):
            self.dispatch(stmt.handlers, classes, error, live)
        if len(classes) == 1:
            return classes[0]
        return self.union_of(classes)

    def union_of(self, classes: list[Const]) -> Const:
        """The classes of several handlers as one."""
        flat: list[Any] = []
        for const in classes:
            value: Any = const.value
            flat += value if isinstance(value, tuple) else (value,)
        text = ", ".join(dict.fromkeys(c.__name__ for c in flat))
        return Const(tuple(dict.fromkeys(flat)), f"({text})", "builtins")

    @provides(TryMoves.classes_of)
    def classes_of(self, handler: Node) -> Const:
        """What a handler catches."""
        if handler.type is None:
            return Const(BaseException, "BaseException", "builtins")
        value = self.language.evaluate(handler.type)
        items = (
            self.language.items_of(value) if not isinstance(value, Const) else (value,)
        )
        found = [v for v in items or () if isinstance(v, Const)]
        if not found or not all(map(_are_classes, found)):
            self.position.refuse(
                "the classes of the errors caught here are unknown",
                "Name the classes in the `except` clause.",
                handler,
            )
        return found[0] if len(found) == 1 else self.union_of(found)

    def catches_names(self, handler: Node) -> bool:
        """Whether a handler catches what a name without a value raises."""
        return any(
            issubclass(cls, NameError) or issubclass(NameError, cls)
            for cls in self.try_moves.errors_of(handler)
        )

    def dispatch(
        self,
        handlers: list[Node],
        classes: list[Const],
        error: Var,
        live: frozenset[str],
    ) -> None:
        """if isinstance(error, A): ... else: ..."""
        handler = handlers[0]
        if len(handlers) == 1:
            self.run_handler(handler, error, live)
            return
        test = self.operations.apply(isinstance, (error, classes[0]), fact=BOOL)

        def one() -> Any:
            self.run_handler(handler, error, live)
            return UNDEFINED

        def others() -> Any:
            self.dispatch(handlers[1:], classes[1:], error, live)
            return UNDEFINED

        self.branches.branch(test, one, others, live=live)

    def run_handler(self, handler: Node, error: Var, live: frozenset[str]) -> None:
        """The body of a handler; its name is gone afterwards."""
        name = getattr(handler.name, "id", handler.name)
        if name is not None:
            self.cells.put(self.position.frame.cell, name, error)
        self.language.execute(handler.body, live)
        if (
            name is not None
            and self.cells.get((self.position.frame.cell, name)) is not None
        ):
            self.cells.drop(self.position.frame.cell, name)


def is_left_by_error(handler: Node) -> bool:
    """Whether a handler does nothing in the end but raise."""
    return (
        always_leaves(handler.body)
        and isinstance(handler.body[-1], nodes.Raise)
        and not exits(handler.body)
    )


def last_of(ops: Sequence[Op]) -> list[Op]:
    """The ops after which nothing else runs, in the arms of a branch."""
    if ops and isinstance(ops[-1], If):
        arms = (ops[-1].then, ops[-1].orelse)
        return [op for arm in arms for op in last_of(arm.ops)]
    return list(ops[-1:])


def ends_of(body: list[Node]) -> list[Node]:
    """The statements of a body that is one alone, or of the arms of one `if`."""
    if len(body) == 1 and isinstance(body[0], nodes.If):
        return [*ends_of(body[0].body), *ends_of(body[0].orelse)]
    return body if len(body) == 1 else [None] * len(body)


def is_write(stmt: Node) -> bool:
    """Whether a statement writes into an array, a list or an object: `y[i] = e`."""
    assigns = isinstance(stmt, (nodes.Assign, nodes.AugAssign))
    places = nodes.Subscript | nodes.Attribute
    at_once = assigns and all(isinstance(t, places) for t in _targets(stmt))
    return at_once and not raises_midway(stmt)


def owners_written(stmts: list[Node]) -> frozenset[str]:
    """The names of what statements write into."""
    names = (names_read(t.value) for s in stmts for t in _targets(s))
    return frozenset[str]().union(*names)


def _targets(stmt: Node) -> list[Node]:
    return list(getattr(stmt, "targets", [getattr(stmt, "target", None)]))


def stepwise(stmt: Node) -> Node:
    """A try with a statement for each target of those that may raise between two."""
    if not any(map(raises_midway, stmt.body)):
        return stmt
    body = [part for each in stmt.body for part in one_target_each(each)]
    made = nodes.Try(body, stmt.handlers, stmt.orelse, stmt.finalbody)
    return nodes.copy_location(made, stmt)


def one_at_a_time(stmt: Node, after: frozenset[str]) -> Node:
    """A try of which a handler, or what follows, must know how far the body came: each
    statement gets a try of its own, the rest stands in its else.
    """
    body = stmt.body
    if not 2 <= len(body) <= MANY or not is_seen_midway(stmt, after):
        return stmt
    rest: Node = None
    for part in reversed(body):
        orelse = list(stmt.orelse) if rest is None else [rest]
        made = nodes.Try(
            body=[part], handlers=stmt.handlers, orelse=orelse, finalbody=[]
        )
        rest = nodes.copy_location(made, part)
    return rest


def is_seen_midway(stmt: Node, after: frozenset[str]) -> bool:
    """Whether a handler of a try, or what follows, sees how far the body came."""
    seen = frozenset[str]().union(*map(names_read, stmt.handlers))
    if not all(always_leaves(h.body) for h in stmt.handlers):
        seen |= after
    lost = set(names_assigned(stmt.body)) - surely_kept(stmt.body)
    return not lost.isdisjoint(seen) or _changes_what_stood_before(stmt.body)


def _changes_what_stood_before(body: list[Node]) -> bool:
    """Whether statements write into, or append to, what they have not made first."""
    if any(is_write(part) or is_append(part) for part in body):
        return True
    made: frozenset[str] = frozenset()
    for part in body:
        for node in filter(is_write, nodes.walk(part)):
            if not owners_written([node]) <= made:
                return True
        if any(map(is_append, nodes.walk(part))):
            return True
        if isinstance(part, nodes.Assign):
            made |= frozenset(t.id for t in part.targets if isinstance(t, nodes.Name))
    return False


def surely_kept(body: Sequence[Node]) -> frozenset[str]:
    """The names assigned by the last statement alone, be it in an arm: it raises before
    it assigns."""
    last = body[-1] if body else None
    if isinstance(last, nodes.If):
        arms = [(frozenset(names_assigned(a)), a) for a in (last.body, last.orelse)]
        unsure = frozenset[str]().union(*(n - surely_kept(a) for n, a in arms))
        found, inside = arms[0][0] | arms[1][0], unsure | names_in_test(last)
    elif not isinstance(last, _ASSIGNING) or raises_midway(last):
        return frozenset()
    else:
        found = frozenset(names_assigned([last]))
        inside = frozenset(names_assigned([nodes.Expr(last.value)]))
    return found - frozenset(names_assigned(body[:-1])) - inside


def names_in_test(stmt: Node) -> frozenset[str]:
    """The names that the test of an `if` assigns."""
    return frozenset(names_assigned([nodes.Expr(stmt.test)]))


def _are_classes(value: Const) -> bool:
    """Whether something is a class, or a tuple of classes."""
    given: Any = value.value
    classes = given if isinstance(given, tuple) else (given,)
    return all(isinstance(c, type) for c in classes)
