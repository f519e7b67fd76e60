"""match statements: each becomes a chain of ifs on a hidden name of the subject."""

from __future__ import annotations

import types
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.desugar.made_nodes import name_node
from yota_ast.frontend.expressions.folding import is_instance
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.heap.has_attribute import found_on
from yota_ast.frontend.heap.identity import Identity
from yota_ast.frontend.heap.lowered_values import Argument, Node, Ref, TupleValue, Value
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.interpret.statement_execution import Execution
from yota_ast.frontend.library.type_questions import TypeQuestions
from yota_ast.frontend.source.name_flow import names_read
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.syntax import nodes, parse_expr, print_expr, quote_expr, substitute
from yota_ast.syntax.node_fields import set_fields

Captured = dict[str, tuple[Node, Value | None]]
"""What names stand for: an expression, and its value where that is known."""
SUBJECT: Final = "%subject"
FIELD: Final = "%field"
_TRUE: Final = "True"
_FALSE: Final = "False"
PLAIN: Final = (
    "float", "int", "bool", "complex", "str", "none", "scalar", "array", "real",
)  # fmt: skip
"""Kinds of what no pattern of items fits; arrays unless they are sequences."""
_HOLDING: Final = (list, tuple, dict)
ARRAYS_ARE_SEQUENCES: Final = bool(np.ndarray.__flags__ & (1 << 5))
"""Whether Python takes arrays for sequences, as it does from NumPy 2.5 on: by the flag
Py_TPFLAGS_SEQUENCE."""
WHOLE: Final = (
    bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple,
)  # fmt: skip
"""Classes whose one positional pattern stands for the value itself."""

SIMPLE: Final = (
    nodes.Name, nodes.Constant, nodes.Compare, nodes.BoolOp, nodes.UnaryOp, nodes.BinOp,
)  # fmt: skip
"""What a guard may be made of that does nothing but compute with numbers."""
SLOTS: Final = (types.MemberDescriptorType, types.FunctionType)
"""What a class gives without running code, of what has a `__get__`."""


class MatchStatements(Component):
    """Patterns of literals, alternatives, captures, classes, and of sequences and
    mappings whose items are known."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    assumptions = uses(ValueAssumptions)
    identity = uses(Identity)
    items_and_truth = uses(ItemsAndTruth)
    type_questions = uses(TypeQuestions)

    fields_read: int = 0  # fields under hidden names

    @provides(Execution.as_ifs)
    def as_ifs(self, stmt: Node, after: frozenset[str]) -> Node:
        """A match statement as a chain of ifs; `after` are the names read behind it."""
        with self.position.statement(stmt):
            subject = self.language.evaluate(stmt.subject)
        name = f"{SUBJECT}{stmt.lineno}_{stmt.col_offset}"
        self.cells.put(self.position.frame.cell, name, subject)
        read = name_node(name)
        orelse: list[Node] = []
        for k, case in reversed([*enumerate(stmt.cases)]):
            with self.position.at(case.pattern):
                tests, captured = self.pattern(case.pattern, read, subject)
            test = _place(_all(tests), case.pattern)
            body = [_assign(n, v, case.pattern) for n, (v, _) in captured.items()]
            if case.guard is not None and self.is_simple(case.guard, captured, after):
                values = {n: v for n, (v, _) in captured.items()}
                guard = substitute(case.guard, values)
                test = _both(test, guard)
            elif case.guard is not None:
                test, body = _both(test, _bound(captured, case), case.guard), []
                if orelse:  # what the subject holds may change before
                    more = nodes.Match(read, stmt.cases[k + 1 :])
                    set_fields(more, header=_header(stmt))
                    orelse = [nodes.copy_location(more, stmt)]
            made = nodes.If(test, [*body, *case.body], orelse)
            nodes.copy_location(made, stmt)
            set_fields(made, header=_header(stmt))
            inside = frozenset[str]().union(*map(names_read, _run_by(case)))
            after |= names_read(case.pattern) | (inside - captured.keys())
            orelse = [made]
        return orelse[0]

    def is_simple(self, guard: Node, captured: Captured, after: frozenset[str]) -> bool:
        """Whether a guard may stand for what is captured before it is known that the
        whole fits: nothing reads the names where it fails, and it changes nothing."""
        if not after.isdisjoint(captured):
            return False
        for node in nodes.walk(guard):
            if isinstance(node, nodes.Name):
                value = self.cells.get((self.position.frame.cell, node.id))
                if node.id in captured:
                    value = captured[node.id][1]
                if value is None or not self.is_of(value, *PLAIN):
                    return False
            elif isinstance(node, nodes.expr) and not isinstance(node, SIMPLE):
                return False
        return True

    def pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], Captured]:
        """The tests of a pattern, and what its names stand for."""
        if isinstance(pattern, nodes.MatchValue):
            return [quote_expr("s == v", s=read, v=pattern.value)], {}
        if isinstance(pattern, nodes.MatchSingleton):
            return [quote_expr("s is v", s=read, v=pattern.value)], {}
        if isinstance(pattern, nodes.MatchAs):
            tests: list[Node] = []
            names: Captured = {}
            if pattern.pattern is not None:
                tests, names = self.pattern(pattern.pattern, read, subject)
            own: Captured = {pattern.name: (read, subject)} if pattern.name else {}
            return tests, names | own
        if isinstance(pattern, nodes.MatchOr):
            return self.alternatives(pattern, read, subject)
        if isinstance(pattern, nodes.MatchSequence):
            return self.sequence(pattern, read, subject)
        if isinstance(pattern, nodes.MatchMapping):
            return self.mapping_pattern(pattern, read, subject)
        assert isinstance(pattern, nodes.MatchClass)
        return self.class_pattern(pattern, read, subject)

    def alternatives(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], Captured]:
        """a | b, without names."""
        tests = []
        for part in pattern.patterns:
            inner, names = self.pattern(part, read, subject)
            if names:
                self.position.refuse(
                    "alternatives that bind names are not supported",
                    "Write a case for each of them.",
                )
            tests.append(_all(inner))
        return [nodes.BoolOp(nodes.Or(), tests)], {}

    def sequence(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], Captured]:
        """[a, *b, c], where the subject is a tuple or list of known length."""
        may_be = ARRAYS_ARE_SEQUENCES and self.is_of(subject, "array", "real")
        if self.is_of(subject, *PLAIN, "dict") or self.language.is_iterator(subject):
            if not may_be:
                self.tell_no_container(subject)
                return [parse_expr(_FALSE)], {}
        items = (
            None
            if subject is None or may_be
            else self.items_and_truth.sequence_items(subject)
        )
        if items is None:
            self.position.refuse(
                "a sequence pattern needs a tuple or list of known length",
                "Unpack the sequence, and use `if`.",
            )
        parts, more = pattern.patterns, len(items) - len(pattern.patterns)
        stars = [k for k, p in enumerate(parts) if isinstance(p, nodes.MatchStar)]
        if more < -len(stars) or (more and not stars):
            return [parse_expr(_FALSE)], {}
        tests: list[Node] = []
        names: Captured = {}
        for n, part in enumerate(parts):
            k = n + more if stars and n > stars[0] else n
            if n in stars:
                rest = quote_expr("list(s[a:b])", s=read, a=k, b=k + more + 1)
                names |= {part.name: (rest, None)} if part.name else {}
                continue
            inner = self.pattern(part, quote_expr("s[k]", s=read, k=k), items[k])
            tests += inner[0]
            names |= inner[1]
        return tests, names

    def mapping_pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], Captured]:
        """{key: pattern, **rest}, where the subject is a dict."""
        if self.is_of(subject, *PLAIN, "tuple", "list"):
            self.tell_no_container(subject)
            return [parse_expr(_FALSE)], {}
        if not self.is_of(subject, "dict"):
            self.position.refuse(
                "a mapping pattern needs a dict", "Use `if`, and take the items by key."
            )
        tests: list[Node] = []
        names: Captured = {}
        for key, part in zip(pattern.keys, pattern.patterns, strict=True):
            tests.append(quote_expr("k in s", k=key, s=read))
            item = self.item_at(subject, key)
            inner = self.pattern(part, quote_expr("s[k]", s=read, k=key), item)
            tests += inner[0]
            names |= inner[1]
        if pattern.rest is not None:
            keys = nodes.Tuple(pattern.keys, nodes.Load())
            rest = quote_expr(
                "{k: v for k, v in s.items() if k not in t}", s=read, t=keys
            )
            names[pattern.rest] = (rest, None)
        return tests, names

    def tell_no_container(self, subject: Value | None) -> None:
        """Have the text check that what is taken for a number holds no items."""
        if subject is not None:
            self.assumptions.tell_type(
                subject, lambda cls: issubclass(cls, _HOLDING), _HOLDING
            )

    def is_of(self, subject: Value | None, *kinds: str) -> bool:
        """Whether a subject is known to be of one of some kinds."""
        return subject is not None and self.operations.fact(subject).kind in kinds

    def item_at(self, subject: Value | None, key: Node) -> Value | None:
        """The item of a dict at a literal key, where that is known."""
        cell = self.cells.heap[subject.cell] if isinstance(subject, Ref) else None
        if cell is None or not isinstance(key, nodes.Constant):
            return None
        return cell.items.get(key.value)

    def class_pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], Captured]:
        """Class(field=pattern)."""
        tests = [quote_expr("isinstance(s, c)", s=read, c=pattern.cls)]
        names: Captured = {}
        fields = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
        cls: Any = self.language.evaluate(pattern.cls)
        order = (
            getattr(cls.value, "__match_args__", ()) if isinstance(cls, Const) else ()
        )
        if isinstance(cls, Const) and cls.value in WHOLE and len(pattern.patterns) == 1:
            whole = self.pattern(pattern.patterns[0], read, subject)
            return [*tests, *whole[0]], whole[1]
        if len(pattern.patterns) > len(order):
            self.position.refuse(
                "this class has no positional patterns", "Name the fields: Point(x=a)."
            )
        fields = [*zip(order, pattern.patterns, strict=False), *fields]
        fits = self.is_instance_of(subject, cls)
        if fits is False:
            return tests, {}
        known = subject if fits else None
        if known is not None and any(self.is_absent(known, n) for n, _ in fields):
            return [*tests, parse_expr(_FALSE)], {}
        taken = [self.field_of_pattern(read, known, name, tests) for name, _ in fields]
        for (_, part), (field, value) in zip(fields, taken, strict=True):
            inner = self.pattern(part, field, value)
            tests += inner[0]
            names |= inner[1]
        return tests, names

    def is_instance_of(self, subject: Value | None, cls: Any) -> bool | None:
        """Whether a subject is of a class, where that is known."""
        if subject is None or not isinstance(cls, Const):
            return None
        known: Any = cls.value
        if isinstance(subject, Const):
            return isinstance(subject.value, known)
        if self.identity.is_guessed(subject):
            return None
        return is_instance(self.operations.fact(subject), known)

    def field_of_pattern(
        self, read: Node, subject: Value | None, name: str, tests: list[Node]
    ) -> tuple[Node, Value | None]:
        """The node of a field, and its value where that is known. What may run code is
        read once, by one more test that is true, under a hidden name."""
        field = nodes.Attribute(read, name, nodes.Load())
        if subject is not None and self.is_plain_field(subject, name):
            if isinstance(subject, Argument) and subject.example is None:
                return field, None
            apart = isinstance(subject, (Ref, TupleValue, Argument))
            return field, self.language.attribute(subject, name) if apart else None
        self.fields_read += 1
        hidden = f"{FIELD}{self.fields_read}"
        tests.append(_bind({hidden: field}))
        return name_node(hidden), None

    def is_absent(self, subject: Value, name: str) -> bool:
        """Whether an object surely lacks an attribute, where no code tells."""
        if self.type_questions.runs_getter(subject, name):
            return False
        there = self.type_questions.has(subject, name)
        return isinstance(there, Const) and there.value is False

    def is_plain_field(self, subject: Value, name: str) -> bool:
        """Whether an attribute of an object is read without running code."""
        cls = self.choice.class_of(subject)
        if cls is None:
            return False
        clever = ("__getattr__", "__getattribute__")
        if any(isinstance(getattr(cls, n, None), types.FunctionType) for n in clever):
            return False
        found = found_on(cls, name)
        if name in getattr(cls, "_fields", ()) and not isinstance(found, property):
            return True
        return isinstance(found, SLOTS) or not hasattr(type(found), "__get__")


def _all(tests: list[Node]) -> Node:
    if not tests:
        return parse_expr(_TRUE)
    return tests[0] if len(tests) == 1 else nodes.BoolOp(nodes.And(), tests)


def _both(test: Node, *more: Node) -> Node:
    """test and more, as one chain."""
    parts = test.values if isinstance(test, nodes.BoolOp) else [test]
    if isinstance(test, nodes.BoolOp) and isinstance(test.op, nodes.Or):
        parts = [test]
    made = nodes.BoolOp(nodes.And(), [*parts, *more])
    return nodes.copy_location(made, test)


def _bind(values: dict[str, Node]) -> Node:
    """(name := value, ...): a test that is true, and gives names their values."""
    each = [
        nodes.NamedExpr(name_node(name, store=True), value)
        for name, value in values.items()
    ]
    return nodes.Tuple(each, nodes.Load())


def _bound(captured: Captured, case: Node) -> Node:
    """The same of what a case captures, which its guard finds bound."""
    values = {name: value for name, (value, _) in captured.items()}
    made = _bind(values) if values else parse_expr(_TRUE)
    return _place(made, case.pattern)


def _run_by(case: Node) -> list[Node]:
    """What a case runs once its pattern fits."""
    return [*case.body] if case.guard is None else [case.guard, *case.body]


def _header(stmt: Node) -> str:
    return getattr(stmt, "header", None) or f"match {print_expr(stmt.subject)}:"


def _assign(name: str, value: Node, at: Node) -> Node:
    made = nodes.Assign([name_node(name, store=True)], value, None)
    return _place(made, at)


def _place(made: Node, at: Node) -> Node:
    """Give made-up nodes the place of the pattern they stand for."""
    for node in nodes.walk(made):
        if "lineno" in getattr(node, "_attributes", ()):
            nodes.copy_location(node, at)
    return made
