"""Comprehensions: a gast node -> a value, with the ops that compute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.desugar.comprehension_loops import (
    RESULT,
    loop_of_comprehension,
    stays_generator,
    targets_of,
    with_own_targets,
)
from yota_ast.frontend.expressions.expressions import EXPRESSIONS, Expressions
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.value_kinds import is_endless
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    NOT_ITERABLE,
    Cell,
    Frame,
    Node,
    Ref,
    Scope,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.name_flow import names_read
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.syntax import nodes

MADE_AT_ONCE: Final = ("list", "tuple", "sorted", "range")


class Comprehensions(Component):
    """Comprehensions and generator expressions."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    snapshots = uses(Snapshots)
    known_items = uses(KnownItems)
    keyed_items = uses(KeyedItems)
    expressions = uses(Expressions)

    @EXPRESSIONS.handles("ListComp")
    def eval_ListComp(self, node: Node) -> Value:
        """[e for x in xs if c]: of known length, or built in a loop."""
        return self.listed(node)

    def listed(self, node: Node) -> Ref:
        """The list that a comprehension makes."""
        items = self.tried_comprehension(node, lambda: self.language.evaluate(node.elt))
        if items is None:
            return self.comprehension_loop(node)
        return self.cells.new_cell(Cell("list", dict(enumerate(items)), list))

    @EXPRESSIONS.handles("GeneratorExp")
    @extensible
    def eval_GeneratorExp(self, node: Node) -> Value:
        """(e for x in xs), run through at once."""
        before = dict(self.cells.heap)
        made = self.listed(node)
        for n, cell in before.items():  # which it may not take all items from
            if cell.cls is Iterator and self.cells.heap[n] is not cell:
                self.cells.heap[n] = replace(self.cells.heap[n], fixed=True)
        self.cells.heap[made.cell] = replace(self.cells.heap[made.cell], cls=Iterator)
        return self.language.once(made, _read_later(node))

    @EXPRESSIONS.handles("SetComp")
    def eval_SetComp(self, node: Node) -> Value:
        """{e for x in xs}."""
        items = self.comprehension(node, lambda: self.language.evaluate(node.elt))
        if items is None:
            self.position.refuse(
                "a set comprehension depends on unknown values",
                "Write it as array operations, or over a list of known length.",
                node,
            )
        return self.known_items.new_set(items)

    @EXPRESSIONS.handles("DictComp")
    def eval_DictComp(self, node: Node) -> Value:
        """{k: v for x in xs}."""

        def pair() -> Value:
            return TupleValue(
                (self.language.evaluate(node.key), self.language.evaluate(node.value))
            )

        pairs = self.tried_comprehension(node, pair)
        if pairs is None:
            return self.comprehension_loop(node)
        items: dict[object, Value] = {}
        for item in pairs:
            if isinstance(item, TupleValue):
                items[self.known_items.key_of(item.items[0])] = item.items[1]
        return self.cells.new_cell(Cell("dict", items, dict))

    def tried_comprehension(
        self, node: Node, element: Callable[[], Value]
    ) -> list[Value] | None:
        """The elements, or None, and nothing done, where their number is unknown."""
        mark = self.snapshots.mark()
        items = self.comprehension(node, element)
        if items is None:
            self.snapshots.back_to_cells(mark)
        return items

    def comprehension_loop(self, node: Node) -> Ref:
        """A comprehension as the loop that builds the list, or the dict."""
        node = with_own_targets(node)
        body = loop_of_comprehension(node)
        names = targets_of(node)
        dicts = isinstance(node, nodes.DictComp)
        frame = self.comprehension_frame(names)
        made = (
            self.keyed_items.new_dict({})
            if dicts
            else self.cells.new_cell(Cell("list", {}, list))
        )
        self.cells.put(frame.cell, RESULT, made)
        with self.position.in_frame(frame), self.position.lock(locked=True):
            self.language.execute(body, frozenset())
        self.cells.drop(frame.cell, RESULT)  # another name may be its only one
        return made

    def comprehension_frame(self, names: frozenset[str]) -> Frame:
        """The frame in which a comprehension's targets live."""
        outer = self.position.frame.scope
        scope = Scope(
            "<comprehension>",
            outer.filename,
            outer.lines,
            outer.globals,
            {},
            names,
            owner=outer.owner,
        )
        return Frame(
            self.cells.new_cell(Cell("frame", {})).cell, scope, self.position.frame
        )

    @extensible
    def comprehension(
        self, node: Node, element: Callable[[], Value]
    ) -> list[Value] | None:
        """The elements of a comprehension, if their number is known."""
        first = self.language.evaluate(node.generators[0].iter)
        if self.language.fails_on(first, NOT_ITERABLE):
            return []
        if is_endless(first):
            return None
        if self.settings.looping and stays_generator(node, first):
            self.expressions.keep_loop()
            return None
        values: list[Value] = []
        with self.position.in_frame(self.comprehension_frame(targets_of(node))):
            known = self.generate(
                node.generators, first, lambda: values.append(element())
            )
        return values if known else None

    def generate(
        self, generators: Sequence[Node], iterable: Value, each: Callable[[], None]
    ) -> bool:
        """Run `each` for every binding of the targets; whether all are known."""
        generator = generators[0]
        items = self.language.items_of(self.language.run_through(iterable))
        if items is None:
            return False
        now = self.language.items_as_they_are(iterable, items)
        taken = 0
        while taken < len(items):
            with self.position.for_each_item():
                self.language.assign(generator.target, items[taken])
                passed = self.passes(generator.ifs)
                if passed and len(generators) == 1:
                    each()
                elif passed:
                    inner = self.language.evaluate(generators[1].iter)
                    if not self.generate(generators[1:], inner, each):
                        return False
            if passed is None:
                return False
            taken += 1
            items = now(taken)
        return True

    def passes(self, conditions: Sequence[Node]) -> bool | None:
        """Whether an item is taken, if that is known."""
        for condition in conditions:
            test = self.expressions.test(condition)
            if not isinstance(test, bool):
                return None
            if not test:
                return False
        return True


def _read_later(node: Node) -> frozenset[str]:
    """The names that a generator expression reads after it has been made; what
    `list(...)` and the like make for it to run over is made at once."""
    first = node.generators[0].iter
    made = isinstance(first, nodes.Call) and isinstance(first.func, nodes.Name)
    if not made or first.func.id not in MADE_AT_ONCE:
        return names_read(node)
    later = [node.elt, *node.generators[0].ifs, *node.generators[1:]]
    return frozenset[str]().union(*map(names_read, later))
