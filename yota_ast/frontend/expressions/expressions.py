"""Nodes of expressions -> values."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn

from yota_ast.frontend.components import (
    Component,
    Components,
    Table,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    LOST,
    NULL,
    Cell,
    Closure,
    Node,
    SliceValue,
    TupleValue,
    Value,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.abstract_values import (
    STR,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_string
from yota_ast.ir.facts.joined_facts import element_of, is_plain
from yota_ast.ops.spellings import BY_NODE, CONVERSIONS
from yota_ast.syntax import nodes, print_expr

EXPRESSIONS: Final = Table()
"""The methods that give the value of a node, by the name of its class."""


class Expressions(Component):
    """The values of expressions, by the class of the node."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    name_lookup = uses(NameLookup)
    known_items = uses(KnownItems)
    keyed_items = uses(KeyedItems)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.kept_loops = False  # whether there are such loops
        self.handlers: dict[type, Callable[[Node], Value]] = {}  # of nodes met so far

    def keep_loop(self) -> None:
        """Note that a loop over known items stays a loop."""
        self.kept_loops = True

    def handler_of(self, kind: type) -> Callable[[Node], Value] | None:
        """The method for nodes of a class that may be new."""
        found = EXPRESSIONS.method(kind.__name__, self.parts)
        if found is not None:
            self.handlers[kind] = found
        return found

    @provides(Language.evaluate)
    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        kind: Any = type(node)
        handler = self.handlers.get(kind) or self.handler_of(kind)
        if handler is None:
            name = kind.__name__
            known = _REFUSED.get(name, (f"`{name}` is not supported", _REMEDY))
            self.position.refuse(*known, node)
        outer = self.position.move_to(
            node
        )  # as `at`, which costs more than most handlers
        try:
            value = handler(node)
            if value is LOST:
                self.refuse_lost(node)
            if isinstance(value, Var) and value.fact.stands_for is not None:
                return self.language.opened(value)
            return value
        finally:
            self.position.move_back(outer)

    def refuse_lost(self, node: Node) -> NoReturn:
        """Refuse to read an item or a field that a `try` may have set."""
        self.position.refuse(
            f"`{print_expr(node)}` is read after a `try` that may have raised before "
            "or after assigning it",
            "Read it before the `try`.",
        )

    # ------------------------------------------------------------ names and literals

    @EXPRESSIONS.handles("Constant")
    def eval_Constant(self, node: Node) -> Value:
        """A literal."""
        return Const(node.value)

    @EXPRESSIONS.handles("Name")
    @extensible
    def eval_Name(self, node: Node) -> Value:
        """A name."""
        return self.name_lookup.load(node.id)

    # ------------------------------------------------------------ operators

    @EXPRESSIONS.handles("BinOp")
    def eval_BinOp(self, node: Node) -> Value:
        """a + b."""
        if isinstance(node.op, nodes.BitAnd):
            known = self.structures.names_held(node)
            if known is not None:
                return known
        left, right = (
            self.language.evaluate(node.left),
            self.language.evaluate(node.right),
        )
        return self.language.operate(BY_NODE[type(node.op).__name__].fn, left, right)

    @EXPRESSIONS.handles("UnaryOp")
    def eval_UnaryOp(self, node: Node) -> Value:
        """-a, not a."""
        if isinstance(node.op, nodes.Not):
            if hasattr(node, "only_tested"):
                return self.tested(node.operand.operand)
            return self.choice.negated(self.test(node.operand))
        operand = self.language.evaluate(node.operand)
        return self.language.operate(BY_NODE[type(node.op).__name__].fn, operand)

    def tested(self, node: Node) -> Value:
        """The value of `not not node` where nothing but its truth is asked for: of a
        number it is that itself."""
        test = self.test(node)
        if isinstance(test, bool):
            return Const(test)
        if self.operations.fact(test).is_number:
            return test
        return self.choice.negated(self.language.atom(self.choice.negated(test)))

    @provides(ObjectChoice.negated)
    def negated(self, test: bool | Atom) -> Value:
        """not test."""
        if isinstance(test, bool):
            return Const(not test)
        return self.operations.apply(operator.not_, (test,), form="operator")

    @EXPRESSIONS.handles("Compare")
    def eval_Compare(self, node: Node) -> Value:
        """a < b < c: each operand once, and none after the first that fails."""
        if isinstance(node.ops[0], (nodes.In, nodes.NotIn)):
            known = self.structures.names_held(node)
            if known is not None:
                return known
        return self.compare(
            self.language.evaluate(node.left), node.ops, node.comparators
        )

    def compare(self, left: Value, ops: Sequence[Node], rest: Sequence[Node]) -> Value:
        """Compare `left` with the first of `rest`, and so on."""
        right = self.language.evaluate(rest[0])
        first = self.compare_two(type(ops[0]).__name__, left, right)
        if len(rest) == 1:
            return first
        test = self.language.truth(first)
        if isinstance(test, bool):
            return self.compare(right, ops[1:], rest[1:]) if test else first
        return self.choice.choose(
            test,
            lambda: self.compare(right, ops[1:], rest[1:]),
            lambda: first,
            form="chain",
        )

    def compare_two(self, op: str, left: Value, right: Value) -> Value:
        """a < b, a in b, a is b."""
        if op in ("Eq", "NotEq"):
            for side in (left, right):
                if self.language.is_iterator(side) or self.language.is_view(side):
                    self.language.refuse_as_list()
        if op == "In":
            return self.language.operate(operator.contains, right, left)
        if op == "NotIn":
            found = self.language.operate(operator.contains, right, left)
            return self.choice.negated(self.language.truth(found))
        return self.language.operate(BY_NODE[op].fn, left, right)

    @EXPRESSIONS.handles("BoolOp")
    def eval_BoolOp(self, node: Node) -> Value:
        """a and b, a or b: the operand that decides."""
        return self.boolean(
            "or" if isinstance(node.op, nodes.Or) else "and", node.values
        )

    def boolean(self, form: str, operands: Sequence[Node]) -> Value:
        """The value of operands joined by `and` or `or`."""
        left = self.language.evaluate(operands[0])
        if len(operands) == 1:
            return left
        test = self.language.truth(left)
        if isinstance(test, bool):
            return left if test is (form == "or") else self.boolean(form, operands[1:])

        def rest() -> Value:
            return self.boolean(form, operands[1:])

        if form == "and":
            return self.choice.choose(test, rest, lambda: left, form="and")
        return self.choice.choose(test, lambda: left, rest, form="or")

    def test(self, node: Node) -> bool | Atom:
        """The truth of an expression, which may be known where its value is not."""
        if isinstance(node, nodes.UnaryOp) and isinstance(node.op, nodes.Not):
            with self.position.at(node):
                inner = self.test(node.operand)
                if isinstance(inner, bool):
                    return not inner
                return self.operations.apply(operator.not_, (inner,), form="operator")
        if isinstance(node, nodes.BoolOp):
            with self.position.at(node):
                form = "or" if isinstance(node.op, nodes.Or) else "and"
                return self.test_all(form, node.values)
        with self.position.at(node):
            return self.language.truth(self.language.evaluate(node))

    def test_all(self, form: str, operands: Sequence[Node]) -> bool | Atom:
        """The truth of operands joined by `and` or `or`."""
        left = self.test(operands[0])
        if len(operands) == 1:
            return left
        decisive = form == "or"
        if isinstance(left, bool):
            return left if left is decisive else self.test_all(form, operands[1:])
        right: list[bool | Atom] = []

        def rest() -> Value:
            right.append(self.test_all(form, operands[1:]))
            return Const(right[-1]) if isinstance(right[-1], bool) else right[-1]

        mark, before = len(self.blocks.ops), self.snapshots.snapshot()
        if form == "and":
            value = self.choice.choose(left, rest, lambda: left, form="and")
        else:
            value = self.choice.choose(left, lambda: left, rest, form="or")
        last = right[-1] if right else None  # none where the operand is given up
        if isinstance(last, bool) and self.cells.heap == before.heap:
            del self.blocks.ops[mark:]
            return last if last is decisive else left
        return self.language.truth(value)

    @EXPRESSIONS.handles("IfExp")
    def eval_IfExp(self, node: Node) -> Value:
        """a if test else b."""
        test = self.test(node.test)
        if isinstance(test, bool):
            return self.language.evaluate(node.body if test else node.orelse)
        return self.choice.choose(
            test,
            lambda: self.language.evaluate(node.body),
            lambda: self.language.evaluate(node.orelse),
            form="ifexp",
        )

    @EXPRESSIONS.handles("NamedExpr")
    def eval_NamedExpr(self, node: Node) -> Value:
        """name := value. In a comprehension the name is that of the function."""
        value = self.language.evaluate(node.value)
        frame = self.position.frame
        while frame.scope.name == "<comprehension>" and frame.parent:
            frame = frame.parent
        with self.position.in_frame(frame):
            self.language.assign(node.target, value)
        return value

    # ------------------------------------------------------------ containers

    def eval_elements(self, elements: Sequence[Node]) -> tuple[Value, ...]:
        """Elements and *starred ones."""
        values: list[Value] = []
        for element in elements:
            if isinstance(element, nodes.Starred):
                values += self.known_items.known_items(
                    self.language.evaluate(element.value), element
                )
            else:
                values.append(self.language.evaluate(element))
        return tuple(values)

    @EXPRESSIONS.handles("Tuple")
    def eval_Tuple(self, node: Node) -> Value:
        """(a, b)."""
        return TupleValue(self.eval_elements(node.elts))

    @EXPRESSIONS.handles("List")
    def eval_List(self, node: Node) -> Value:
        """[a, b]; [a, *rows] of a list of unknown length, as [a] + list(rows)."""
        lists: list[Value] = []
        items: list[Value] = []
        for element in node.elts:
            if not isinstance(element, nodes.Starred):
                items.append(self.language.evaluate(element))
                continue
            rows = self.language.evaluate(element.value)
            if len(node.elts) > 1:
                known = self.known_items.items_if_known(rows)
                if known is None and not self.are_alike(rows):
                    known = self.known_items.known_items(rows, element)
                if known is not None:
                    items += known
                    continue
            lists += [self._new_list(items)] if items else []
            lists.append(self.language.call(Const(list, "list", "builtins"), (rows,)))
            items = []
        lists += [self._new_list(items)] if items or not lists else []
        return functools.reduce(partial(self.language.operate, operator.add), lists)

    def are_alike(self, rows: Value) -> bool:
        """Whether the items of a list or an array are numbers or rows of one length:
        other lists are better taken apart, by the lengths of the example."""
        fact = self.operations.fact(rows)
        return fact.kind == "array" or is_plain(element_of(fact))

    def _new_list(self, items: Sequence[Value]) -> Value:
        return self.cells.new_cell(Cell("list", dict(enumerate(items)), list))

    @EXPRESSIONS.handles("Set")
    def eval_Set(self, node: Node) -> Value:
        """{a, b}: of literals."""
        items = self.eval_elements(node.elts)
        return self.known_items.new_set(items, node.elts)

    @EXPRESSIONS.handles("Dict")
    def eval_Dict(self, node: Node) -> Value:
        """{k: v, **more}: of literal keys."""
        items: dict[object, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.update(
                    self.known_items.known_mapping(self.language.evaluate(value), value)
                )
            else:
                name = self.known_items.key_of(self.language.evaluate(key), key)
                items[name] = self.language.evaluate(value)
        return self.keyed_items.new_dict(items)

    @EXPRESSIONS.handles("Subscript")
    @extensible
    def eval_Subscript(self, node: Node) -> Value:
        """a[i]."""
        owner = self.language.evaluate(node.value)
        if self.language.is_iterator(owner) or self.language.is_view(owner):
            self.language.refuse_as_list()
        return self.language.subscript(owner, self.language.evaluate(node.slice))

    @EXPRESSIONS.handles("Slice")
    def eval_Slice(self, node: Node) -> Value:
        """start:stop:step."""
        parts = [NULL if p is None else self.language.evaluate(p) for p in _parts(node)]
        if all(literal(p) for p in parts):
            return Const(slice(*(p.value for p in parts if isinstance(p, Const))))
        return SliceValue(*parts)

    @EXPRESSIONS.handles("Attribute")
    @extensible
    def eval_Attribute(self, node: Node) -> Value:
        """a.name."""
        name = self.position.frame.scope.mangled(node.attr)
        return self.language.attribute(self.language.evaluate(node.value), name)

    # ------------------------------------------------------------ strings, functions

    @EXPRESSIONS.handles("JoinedStr")
    def eval_JoinedStr(self, node: Node) -> Value:
        """An f-string."""
        parts = [self.language.evaluate(part) for part in node.values]
        if all(literal(p) for p in parts):
            return Const("".join(str(p.value) for p in parts if isinstance(p, Const)))
        return self.operations.apply(
            build_string, [self.language.atom(p) for p in parts], form="build", fact=STR
        )

    @EXPRESSIONS.handles("FormattedValue")
    def eval_FormattedValue(self, node: Node) -> Value:
        """{value!r:spec} within an f-string."""
        value = self.language.evaluate(node.value)
        spec = (
            Const("")
            if node.format_spec is None
            else self.language.evaluate(node.format_spec)
        )
        if node.conversion in CONVERSIONS:
            convert = Const(CONVERSIONS[node.conversion])
            value = self.language.call(convert, (value,))
        if isinstance(value, Const) and literal(value) and isinstance(spec, Const):
            return Const(format(value.value, str(spec.value)))
        return self.language.call(Const(format, "format", "builtins"), (value, spec))

    @EXPRESSIONS.handles("Lambda")
    def eval_Lambda(self, node: Node) -> Value:
        """lambda x: e."""
        return self.closure(node, "<lambda>")

    def closure(self, node: Node, name: str) -> Closure:
        """A function made here, its defaults evaluated now."""
        defaults = tuple(self.language.evaluate(d) for d in node.args.defaults)
        keywords = tuple(
            (arg.id, self.language.evaluate(default))
            for arg, default in zip(
                node.args.kwonlyargs, node.args.kw_defaults, strict=True
            )
            if default is not None
        )
        return Closure(node, name, self.position.frame, defaults, keywords)


def _parts(node: Node) -> tuple[Node, Node, Node]:
    return node.lower, node.upper, node.step


_REMEDY: Final = "Do it outside the function that is differentiated."


_REFUSED: Final = {
    "Await": ("`await` is not supported", "Call a plain function."),
    "Starred": (
        "a starred expression is not supported here",
        "Write the items one by one.",
    ),
}
