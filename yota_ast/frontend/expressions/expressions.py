"""Nodes of expressions -> values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Closure,
    Node,
    SliceValue,
    TupleValue,
    Value,
    literal,
)
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    STR,
)
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.built_values import build_string
from yota_ast.ops.spellings import BY_NODE, CONVERSIONS
from yota_ast.syntax import nodes


class Expressions(KnownItems):
    """The values of expressions, by the class of the node."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.kept_loops = False  # whether there are such loops

    handlers: ClassVar[dict[type, Callable[[Any, Node], Value]]] = {}
    """What gives the value of nodes of a class, of those met so far."""

    def keep_loop(self) -> None:
        """Note that a loop over known items stays a loop."""
        self.kept_loops = True

    def __init_subclass__(cls) -> None:
        cls.handlers = {}  # each class has methods of its own

    def handler_of(self, kind: type) -> Callable[[Any, Node], Value] | None:
        """The same of a class that may be new."""
        found = getattr(type(self), f"eval_{kind.__name__}", None)
        if found is not None:
            self.handlers[kind] = found
        return found

    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        kind: Any = type(node)
        handler = self.handlers.get(kind) or self.handler_of(kind)
        if handler is None:
            name = kind.__name__
            known = _REFUSED.get(name, (f"`{name}` is not supported", _REMEDY))
            self.refuse(*known, node)
        outer = self.move_to(node)  # as `at`, which costs more than most handlers
        try:
            return handler(self, node)
        finally:
            self.move_back(outer)

    # ------------------------------------------------------------ names and literals

    def eval_Constant(self, node: Node) -> Value:
        """A literal."""
        return Const(node.value)

    def eval_Name(self, node: Node) -> Value:
        """A name."""
        return self.load(node.id)

    # ------------------------------------------------------------ operators

    def eval_BinOp(self, node: Node) -> Value:
        """a + b."""
        if isinstance(node.op, nodes.BitAnd):
            known = self.names_held(node)
            if known is not None:
                return known
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.operate(BY_NODE[type(node.op).__name__].fn, left, right)

    def eval_UnaryOp(self, node: Node) -> Value:
        """-a, not a."""
        if isinstance(node.op, nodes.Not):
            return self.negated(self.test(node.operand))
        operand = self.evaluate(node.operand)
        return self.operate(BY_NODE[type(node.op).__name__].fn, operand)

    def negated(self, test: bool | Atom) -> Value:
        """not test."""
        if isinstance(test, bool):
            return Const(not test)
        return self.apply(operator.not_, (test,), form="operator")

    def eval_Compare(self, node: Node) -> Value:
        """a < b < c: each operand once, and none after the first that fails."""
        if isinstance(node.ops[0], nodes.In):
            known = self.names_held(node)
            if known is not None:
                return known
        return self.compare(self.evaluate(node.left), node.ops, node.comparators)

    def compare(self, left: Value, ops: Sequence[Node], rest: Sequence[Node]) -> Value:
        """Compare `left` with the first of `rest`, and so on."""
        right = self.evaluate(rest[0])
        first = self.compare_two(type(ops[0]).__name__, left, right)
        if len(rest) == 1:
            return first
        test = self.truth(first)
        if isinstance(test, bool):
            return self.compare(right, ops[1:], rest[1:]) if test else first
        return self.choose(
            test,
            lambda: self.compare(right, ops[1:], rest[1:]),
            lambda: first,
            form="chain",
        )

    def compare_two(self, op: str, left: Value, right: Value) -> Value:
        """a < b, a in b, a is b."""
        if op in ("Eq", "NotEq"):
            for side in (left, right):
                if self.is_iterator(side) or self.is_view(side):
                    self.refuse_as_list()
        if op == "In":
            return self.operate(operator.contains, right, left)
        if op == "NotIn":
            found = self.operate(operator.contains, right, left)
            return self.negated(self.truth(found))
        return self.operate(BY_NODE[op].fn, left, right)

    def eval_BoolOp(self, node: Node) -> Value:
        """a and b, a or b: the operand that decides."""
        return self.boolean(
            "or" if isinstance(node.op, nodes.Or) else "and", node.values
        )

    def boolean(self, form: str, operands: Sequence[Node]) -> Value:
        """The value of operands joined by `and` or `or`."""
        left = self.evaluate(operands[0])
        if len(operands) == 1:
            return left
        test = self.truth(left)
        if isinstance(test, bool):
            return left if test is (form == "or") else self.boolean(form, operands[1:])

        def rest() -> Value:
            return self.boolean(form, operands[1:])

        if form == "and":
            return self.choose(test, rest, lambda: left, form="and")
        return self.choose(test, lambda: left, rest, form="or")

    def test(self, node: Node) -> bool | Atom:
        """The truth of an expression, which may be known where its value is not."""
        if isinstance(node, nodes.UnaryOp) and isinstance(node.op, nodes.Not):
            with self.at(node):
                inner = self.test(node.operand)
                if isinstance(inner, bool):
                    return not inner
                return self.apply(operator.not_, (inner,), form="operator")
        if isinstance(node, nodes.BoolOp):
            with self.at(node):
                form = "or" if isinstance(node.op, nodes.Or) else "and"
                return self.test_all(form, node.values)
        with self.at(node):
            return self.truth(self.evaluate(node))

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

        mark, before = len(self.ops), self.snapshot()
        if form == "and":
            value = self.choose(left, rest, lambda: left, form="and")
        else:
            value = self.choose(left, lambda: left, rest, form="or")
        last = right[-1] if right else None  # none where the operand is given up
        if isinstance(last, bool) and self.heap == before.heap:
            del self.ops[mark:]
            return last if last is decisive else left
        return self.truth(value)

    def eval_IfExp(self, node: Node) -> Value:
        """a if test else b."""
        test = self.test(node.test)
        if isinstance(test, bool):
            return self.evaluate(node.body if test else node.orelse)
        return self.choose(
            test,
            lambda: self.evaluate(node.body),
            lambda: self.evaluate(node.orelse),
            form="ifexp",
        )

    def choose(
        self,
        test: Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        *,
        form: Any,
    ) -> Value:
        """The value of one of two arms, of which one is run."""
        raise NotImplementedError

    def eval_NamedExpr(self, node: Node) -> Value:
        """name := value. In a comprehension the name is that of the function."""
        value = self.evaluate(node.value)
        frame = self.frame
        while frame.scope.name == "<comprehension>" and frame.parent:
            frame = frame.parent
        with self.in_frame(frame):
            self.assign(node.target, value)
        return value

    # ------------------------------------------------------------ containers

    def eval_elements(self, elements: Sequence[Node]) -> tuple[Value, ...]:
        """Elements and *starred ones."""
        values: list[Value] = []
        for element in elements:
            if isinstance(element, nodes.Starred):
                values += self.known_items(self.evaluate(element.value), element)
            else:
                values.append(self.evaluate(element))
        return tuple(values)

    def eval_Tuple(self, node: Node) -> Value:
        """(a, b)."""
        return TupleValue(self.eval_elements(node.elts))

    def eval_List(self, node: Node) -> Value:
        """[a, b]; [*rows] of a list of unknown length."""
        if len(node.elts) == 1 and isinstance(node.elts[0], nodes.Starred):
            whole = self.evaluate(node.elts[0].value)
            return self.call(Const(list, "list", "builtins"), (whole,))
        items = self.eval_elements(node.elts)
        return self.new_cell(Cell("list", dict(enumerate(items)), list))

    def eval_Set(self, node: Node) -> Value:
        """{a, b}: of literals."""
        items = self.eval_elements(node.elts)
        for item, element in zip(items, node.elts, strict=False):
            self.key_of(item, element)
        keyed = {self.key_of(item): item for item in items}
        return self.new_cell(Cell("set", keyed, set))

    def eval_Dict(self, node: Node) -> Value:
        """{k: v, **more}: of literal keys."""
        items: dict[object, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.update(self.known_mapping(self.evaluate(value), value))
            else:
                name = self.key_of(self.evaluate(key), key)
                items[name] = self.evaluate(value)
        return self.new_cell(Cell("dict", items, dict))

    def eval_Subscript(self, node: Node) -> Value:
        """a[i]."""
        owner = self.evaluate(node.value)
        if self.is_iterator(owner) or self.is_view(owner):
            self.refuse_as_list()
        return self.subscript(owner, self.evaluate(node.slice))

    def eval_Slice(self, node: Node) -> Value:
        """start:stop:step."""
        parts = [NULL if p is None else self.evaluate(p) for p in _parts(node)]
        if all(literal(p) for p in parts):
            return Const(slice(*(p.value for p in parts if isinstance(p, Const))))
        return SliceValue(*parts)

    def eval_Attribute(self, node: Node) -> Value:
        """a.name."""
        name = self.frame.scope.mangled(node.attr)
        return self.attribute(self.evaluate(node.value), name)

    # ------------------------------------------------------------ strings, functions

    def eval_JoinedStr(self, node: Node) -> Value:
        """An f-string."""
        parts = [self.evaluate(part) for part in node.values]
        if all(literal(p) for p in parts):
            return Const("".join(str(p.value) for p in parts if isinstance(p, Const)))
        return self.apply(
            build_string, [self.atom(p) for p in parts], form="build", fact=STR
        )

    def eval_FormattedValue(self, node: Node) -> Value:
        """{value!r:spec} within an f-string."""
        value = self.evaluate(node.value)
        spec = (
            Const("") if node.format_spec is None else self.evaluate(node.format_spec)
        )
        if node.conversion in CONVERSIONS:
            convert = Const(CONVERSIONS[node.conversion])
            value = self.call(convert, (value,))
        if isinstance(value, Const) and literal(value) and isinstance(spec, Const):
            return Const(format(value.value, str(spec.value)))
        return self.apply(format, (self.atom(value), self.atom(spec)), fact=STR)

    def eval_Lambda(self, node: Node) -> Value:
        """lambda x: e."""
        return self.closure(node, "<lambda>")

    def closure(self, node: Node, name: str) -> Closure:
        """A function made here, its defaults evaluated now."""
        defaults = tuple(self.evaluate(d) for d in node.args.defaults)
        keywords = tuple(
            (arg.id, self.evaluate(default))
            for arg, default in zip(
                node.args.kwonlyargs, node.args.kw_defaults, strict=True
            )
            if default is not None
        )
        return Closure(node, name, self.frame, defaults, keywords)


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
