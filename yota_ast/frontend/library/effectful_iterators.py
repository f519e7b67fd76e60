"""Iterators whose items change something when they are computed.

What a generator expression, `map` or `filter` gives is computed at once here, where
Python computes each item when it is asked for. That comes to the same, unless computing
them changes something (an attribute, an item, an array, a name of outside), prints or
draws at random. Then what they are given to has to take all at once, as `sum` does.

>>> takes_all(Const(sum), ()), takes_all(Const(any), ())
(True, False)
>>> takes_all(Const(max), ()), takes_all(Const(max), ("key",))
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.components import Component, extends, provides, uses
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.heap.changes_meanwhile import Before, has_changed
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    MethodOf,
    Node,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.atoms import Const
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.ops import info
from yota_ast.syntax import nodes

WHOLE_METHODS: Final = ("extend", "join", "update")


def takes_all(function: Value, named: Iterable[str | None]) -> bool:
    """Whether a function takes all items of its first argument at once."""
    if isinstance(function, MethodOf):
        return function.name in WHOLE_METHODS
    if not isinstance(function, Const):
        return False
    of = info(function.value)
    return of.taking == "all" and not (of.chooses and "key" in named)


class _DecidedError(Exception):
    """The items after this one are not computed."""


class _UndecidedError(Exception):
    """Whether an item is true, the run alone knows."""


class EffectfulIterators(Component):
    """Generator expressions and calls that compute items."""

    position = uses(Position)
    blocks = uses(Blocks)
    snapshots = uses(Snapshots)
    comprehensions = uses(Comprehensions)
    expressions = uses(Expressions)
    augmented_assignments = uses(AugmentedAssignments)

    run_through_at_once: tuple[Node, ...] = ()
    """The arguments of the call at hand of which all items are taken at once."""

    @provides(UserCalls.arguments)
    def arguments(self, function: Value, node: Node) -> Args:
        """The arguments of a call."""
        decided = self.decided(function, node)
        if decided is not None:
            return (TupleValue((decided,)),)
        outer = self.run_through_at_once
        self.run_through_at_once = tuple(_taken(function, node))
        try:
            return self.expressions.eval_elements(node.args)
        finally:
            self.run_through_at_once = outer

    def decided(self, function: Value, node: Node) -> Value | None:
        """What any or all give of a generator expression that assigns names, where each
        item is known to be true or not: no item after the one that decides is computed.
        None of anything else."""
        found = function.value if isinstance(function, Const) else None
        if (found is not any and found is not all) or not _assigns(node.args):
            return None
        mark = self.snapshots.mark()
        answers: list[bool] = []

        def ask() -> Value:
            answer = self.expressions.test(node.args[0].elt)
            if not isinstance(answer, bool):
                raise _UndecidedError
            answers.append(answer)
            if answer is (found is any):
                raise _DecidedError
            return Const(answer)

        try:
            known = self.comprehensions.comprehension(node.args[0], ask) is not None
        except _DecidedError:
            known = True
        except _UndecidedError:
            known = False
        if known:
            return Const(found(answers))
        self.snapshots.back_to_cells(mark)
        return None

    @extends(Comprehensions.eval_GeneratorExp)
    def eval_GeneratorExp(self, rest: Callable[..., Value], node: Node) -> Value:
        """(e for x in xs)."""
        with self.at_once(whole=self.is_taken(node)):
            return rest(node)

    @extends(Builtins.call_builtin)
    def call_builtin(
        self, rest: Callable[..., Value | None], fn: Any, args: Args, kwargs: Kwargs
    ) -> Value | None:
        """The value of a builtin's call, where it is no op."""
        if info(fn).taking != "later":
            return rest(fn, args, kwargs)
        with self.at_once(whole=self.is_taken(self.position.node)):
            return rest(fn, args, kwargs)

    @extends(Builtins.call_method)
    def call_method(
        self, rest: Callable[..., Value], method: MethodOf, args: Args, kwargs: Kwargs
    ) -> Value:
        """x.name(...); what a list is extended by must not read the list: Python
        computes each item after the one before has been added."""
        result = rest(method, args, kwargs)
        if method.name in WHOLE_METHODS:
            self.augmented_assignments.check_as_made(args)
        return result

    @extends(Builtins.taken_items)
    def taken_items(self, rest: Callable[..., Args], fn: object, args: Args) -> Args:
        """Arguments with the items of iterators and generators taken from them."""
        if not any(isinstance(a, Lazy) and a.fn in (map, filter) for a in args):
            return rest(fn, args)
        of = info(fn)
        with self.at_once(whole=of.taking == "all" and not of.chooses):
            return rest(fn, args)

    def is_taken(self, node: Node) -> bool:
        """Whether all items of what a node gives are taken at once."""
        return any(node is taken for taken in self.run_through_at_once)

    def at_once(self, *, whole: bool) -> AbstractContextManager[None]:
        """While items are computed, of which Python may compute each at its time."""
        if whole:
            return nullcontext()
        return self.changing_nothing(
            "the items are computed one at a time, and computing one changes something",
            "Make a list of them first: [f(x) for x in xs].",
        )

    @contextmanager
    def changing_nothing(self, reason: str, remedy: str) -> Iterator[None]:
        """While something is lowered that is refused if it changes anything."""
        before, mark = Before.of(self), len(self.blocks.ops)
        yield
        ran = Block(tuple(self.blocks.ops[mark:]))
        acts = any(isinstance(op, Apply) and op.effect for op in walk(ran))
        if acts or has_changed(self, before):
            self.position.refuse(reason, remedy)


def _assigns(args: Sequence[Node]) -> bool:
    """Whether a generator expression alone is given, which assigns names."""
    alone = len(args) == 1 and isinstance(args[0], nodes.GeneratorExp)
    return alone and any(isinstance(n, nodes.NamedExpr) for n in nodes.walk(args[0]))


def _taken(function: Value, node: Node) -> Iterator[Node]:
    """The arguments of which all items are taken."""
    for arg in node.args:
        if isinstance(arg, nodes.Starred):
            yield arg.value
    if node.args and takes_all(function, [k.arg for k in node.keywords]):
        yield node.args[0]
