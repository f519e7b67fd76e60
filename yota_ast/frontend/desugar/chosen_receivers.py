"""`groups[k].append(x)`: a container that a test or a key has chosen is changed.

In go calls of methods that change a container, on one of several: `(a if c else b)`, an
item of a list of lists at an unknown index, of a dict of lists at an unknown key. The
call is lowered for each of them, in an arm of its own:

    if k == 0:
        a.append(x)
    elif k == 1:
        b.append(x)
"""

from __future__ import annotations

from typing import Any, Final

from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.heap.has_attribute import (
    ABSENT,
    finds_otherwise,
    found_on,
    runs_code,
)
from yota_ast.frontend.heap.lowered_values import Node, Ref, Value
from yota_ast.frontend.heap.object_choice import MOST_CHOSEN, ObjectChoice
from yota_ast.frontend.library.value_methods import CHANGING
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.syntax import nodes

_CONTAINERS: Final = ("list", "dict", "set")
_CHANGES: Final = frozenset().union(*CHANGING.values(), ("add", "discard"))


class ChosenReceivers(Component):
    """Changes of one of several containers."""

    language = uses(Language)
    cells = uses(Cells)
    operations = uses(Operations)
    snapshots = uses(Snapshots)
    assumptions = uses(ValueAssumptions)
    choice = uses(ObjectChoice)
    expressions = uses(Expressions)
    user_calls = uses(UserCalls)

    @provides(UserCalls.call_of_chosen_container)
    def call_of_chosen_container(self, node: Node) -> Value | None:
        """The call, for each container that it may change; None where it is one."""
        if node.func.attr not in _CHANGES:
            return None
        chosen = node.func.value
        if isinstance(chosen, nodes.IfExp):
            return self.of_either(node, chosen)
        if isinstance(chosen, nodes.Subscript):
            return self.of_item(node, chosen)
        return None

    def of_either(self, node: Node, chosen: Node) -> Value | None:
        """(a if test else b).append(x): each side is read in its arm."""
        mark = self.snapshots.mark()
        sides = [self.container(side) for side in (chosen.body, chosen.orelse)]
        self.snapshots.back_to(mark)
        if None in sides:
            return None
        test = self.expressions.test(chosen.test)
        if isinstance(test, bool):
            return self.of_side(node, chosen.body if test else chosen.orelse)
        return self.choice.choose(
            test,
            lambda: self.of_side(node, chosen.body),
            lambda: self.of_side(node, chosen.orelse),
            form="if",
        )

    def of_side(self, node: Node, side: Node) -> Value:
        """The call of the container that a side is."""
        return self.called(node, self.language.evaluate(side))

    def of_item(self, node: Node, chosen: Node) -> Value | None:
        """groups[k].append(x)."""
        owner = self.container(chosen.value)
        if owner is None:
            return None
        cell = self.cells.heap[owner.cell]
        items = list(cell.items.values())
        if cell.kind == "set" or cell.var is not None or cell.fixed:
            return None
        if not 1 < len(items) <= MOST_CHOSEN or not all(map(self.is_container, items)):
            return None
        index = self.language.evaluate(chosen.slice)
        if self.assumptions.known_value(self.assumptions.as_index(index)) is not None:
            return self.called(node, self.language.subscript(owner, index))
        held: Any = dict(cell.items) if cell.kind == "dict" else tuple(items)
        one = self.choice.one_of(held, index)
        if one is None:
            return self.called(node, self.language.subscript(owner, index))
        args, kwargs = self.user_calls.given(self.method(node, items[0]), node)

        def applied(value: Value) -> Value:
            return self.language.call(self.method(node, value), args, kwargs)

        return self.choice.with_each(one, applied)

    def called(self, node: Node, owner: Value) -> Value:
        """The call of a method of one container."""
        method = self.method(node, owner)
        return self.language.call(method, *self.user_calls.given(method, node))

    def method(self, node: Node, owner: Value) -> Value:
        """The method that is called, of one container."""
        return self.language.attribute(owner, node.func.attr)

    def container(self, node: Node) -> Ref | None:
        """The container that a name, or a field of what a name stands for, is."""
        value = self.held(node)
        return value if isinstance(value, Ref) and self.is_container(value) else None

    def held(self, node: Node) -> Value | None:
        """What a name or a field stands for; None where reading it may run code, which
        the call does itself, and once."""
        if isinstance(node, nodes.Name):
            return self.language.evaluate(node)
        owner = self.held(node.value) if isinstance(node, nodes.Attribute) else None
        if owner is None or not self.is_plain_field(owner, node.attr):
            return None
        return self.language.evaluate(node)

    def is_plain_field(self, owner: Value, name: str) -> bool:
        """Whether an object has a field, and tells it without running code."""
        cls = self.operations.fact(owner).cls
        if cls is None or finds_otherwise(cls) or runs_code(cls, name):
            return False
        own = self.cells.heap[owner.cell].items if isinstance(owner, Ref) else {name: 0}
        return name in own or found_on(cls, name) is not ABSENT

    def is_container(self, value: Value) -> bool:
        """Whether a value is a list, a dict or a set that is made here."""
        if not isinstance(value, Ref):
            return False
        return self.cells.heap[value.cell].kind in _CONTAINERS
