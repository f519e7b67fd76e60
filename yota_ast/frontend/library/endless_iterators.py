"""`zip` and `map` of something without an end -> as many of its items as they take.

`repeat(x)`, `count()`, `cycle(xs)` and `chain(xs, repeat(x))`, written where the call
is made, end with the other arguments, of which it is known how many items there are.
Elsewhere such an iterator has a state that the text does not follow: it is refused as
what no rule is known of.

In: the arguments of a call, as nodes.  Out: their values; tuples of the items taken in
place of what has no end.

>>> def weighted(xs):
...     return sum(k * x for k, x in zip(itertools.count(1), xs))
>>> from yota_ast import grad
>>> grad(weighted, (2.0, 3.0))[1]["xs"]
(1.0, 2.0)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import Lazy, Node, Ref, TupleValue, Value
from yota_ast.frontend.library.type_questions import Args
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.syntax import nodes

Endlessly = Callable[[], Iterator[Value]]
"""What gives the items, on and on."""
_ARGUMENTS: Final = {
    itertools.repeat: (1, 1), itertools.count: (0, 2), itertools.cycle: (1, 1),
    itertools.chain: (1, 99),
}  # fmt: skip
"""How many arguments of each leave it without an end."""


class EndlessIterators(Component):
    """Calls that take some items of what has no end."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    expressions = uses(Expressions)

    @extends(UserCalls.arguments)
    def arguments(self, rest: Callable[..., Args], function: Value, node: Node) -> Args:
        """The arguments of a call."""
        taker = function.value if isinstance(function, Const) else None
        taking = taker is zip or taker is map
        if not taking or not any(map(self.has_no_end, node.args)):
            return rest(function, node)
        if not all(_is_false(keyword.value) for keyword in node.keywords):
            return rest(function, node)  # with strict=True Python raises
        made = self.cells.cells_made
        found: list[Value | Endlessly] = []
        for arg in node.args:
            if self.has_no_end(arg):
                found.append(self.endlessly(arg))
            else:
                found += self.expressions.eval_elements([arg])
        given = found[1:] if taker is map else found
        many = self.items_taken(given, made, node)
        return [
            TupleValue(tuple(itertools.islice(v(), many))) if callable(v) else v
            for v in found
        ]

    def has_no_end(self, node: Node) -> bool:
        """Whether an argument is the call of an iterator without an end."""
        fn = self.iterator_called(node)
        if fn is None or not _is_plain(node):
            return False
        fewest, most = _ARGUMENTS[fn]
        if not fewest <= len(node.args) <= most:
            return False
        return fn is not itertools.chain or self.has_no_end(node.args[-1])

    def iterator_called(self, node: Node) -> Any:
        """The function of `itertools` that a node calls; None of others."""
        if not isinstance(node, nodes.Call):
            return None
        func: Any = node.func
        named = func.value if isinstance(func, nodes.Attribute) else func
        if not isinstance(named, nodes.Name):
            return None
        if named.id in self.position.frame.scope.locals:
            return None
        found = self.language.evaluate(
            named
        )  # of an attribute the module alone: it may compute
        value = found.value if isinstance(found, Const) else None
        if named is not func:
            value = getattr(itertools, func.attr, None) if value is itertools else None
        return next((each for each in _ARGUMENTS if value is each), None)

    def endlessly(self, node: Node) -> Endlessly:
        """What gives the items of an argument without an end."""
        fn = self.iterator_called(node)
        if fn is itertools.chain:
            heads = [self.unchanging_items(arg) for arg in node.args[:-1]]
            rest = self.endlessly(node.args[-1])
            return lambda: itertools.chain(*heads, rest())
        if fn is itertools.cycle:
            items = self.unchanging_items(node.args[0])
            return lambda: itertools.cycle(items)
        values = self.expressions.eval_elements(node.args)
        if fn is itertools.repeat:
            return lambda: itertools.repeat(values[0])
        known = [self.assumptions.known_value(v) for v in values]
        if not all(k is not None and type(k.value) in (int, float) for k in known):
            self.position.refuse(
                "the start of `count` is unknown",
                "Count with `enumerate`, and add the start to each number.",
                node,
            )
        numbers = [k.value for k in known if k is not None]
        return lambda: map(Const, itertools.count(*numbers))

    def unchanging_items(self, node: Node) -> Sequence[Value]:
        """The items of a tuple, which are the same when they are taken."""
        made = self.cells.cells_made
        value = self.language.evaluate(node)
        if _may_grow(value, made):
            self.position.refuse(
                "an endless iterator begins with a list that may change",
                "Begin with a tuple: chain(tuple(xs), repeat(x)).",
                node,
            )
        return self.known_items.known_items(value, node)

    def items_taken(
        self, given: Sequence[Value | Endlessly], made: int, node: Node
    ) -> int:
        """How many items a call takes: as many as the shortest has. A list that was
        there before it, when so many cells were made, may grow until they are taken."""
        ending = [v for v in given if not callable(v)]
        growing = any(_may_grow(v, made) for v in ending)
        items = [None if growing else self.items_there(v) for v in ending]
        if not ending or None in items:
            self.position.refuse(
                "an unknown number of items is taken from an endless iterator",
                "Give the number: repeat(x, len(xs)); or loop over a tuple.",
                node,
            )
        return min(len(each) for each in items if each is not None)

    def items_there(self, value: Value) -> Sequence[Value] | None:
        """The items of a value; of an array as many as in the example."""
        items = self.language.items_of(value)
        return self.known_items.rows_of(value) if items is None else items


def _is_plain(node: Node) -> bool:
    """Whether a call has neither keywords nor starred arguments."""
    starred = any(isinstance(arg, nodes.Starred) for arg in node.args)
    return not node.keywords and not starred


def _is_false(node: Node) -> bool:
    return isinstance(node, nodes.Constant) and node.value is False


def _may_grow(value: Value, made: float = math.inf) -> bool:
    """Whether a value is, or takes from, a container that was there when so many cells
    were made."""
    if isinstance(value, Lazy):
        return any(_may_grow(v, made) for v in value.args)
    return isinstance(value, Ref) and value.cell <= made
