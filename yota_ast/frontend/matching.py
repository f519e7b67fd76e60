"""match statements: each becomes a chain of ifs on a hidden name of the subject."""

from __future__ import annotations

from typing import Any, Final

from yota_ast.frontend.statements import Statements
from yota_ast.frontend.values import Node, Value
from yota_ast.syntax import nodes, parse_expr, print_expr, quote_expr, substitute
from yota_ast.tape import Const

SUBJECT: Final = "%subject"
_TRUE: Final = "True"


class Matches(Statements):
    """Patterns of literals, alternatives, captures, classes, and known sequences."""

    def as_ifs(self, stmt: Node) -> Node:
        """A match statement as a chain of ifs."""
        with self.statement(stmt):
            subject = self.evaluate(stmt.subject)
        name = f"{SUBJECT}{stmt.lineno}_{stmt.col_offset}"
        self.put(self.frame.cell, name, subject)
        read = nodes.Name(name, nodes.Load(), None, None)
        orelse: list[Node] = []
        for case in reversed(stmt.cases):
            with self.at(case.pattern):
                tests, captured = self.pattern(case.pattern, read, subject)
            if case.guard is not None:
                tests = [*tests, substitute(case.guard, captured)]
            bound = [_assign(k, v, case.pattern) for k, v in captured.items()]
            test = _all(tests)
            made = nodes.If(test, [*bound, *case.body], orelse)
            nodes.copy_location(made, stmt)
            made.header = f"match {print_expr(stmt.subject)}:"
            _place(test, case.pattern)
            orelse = [made]
        return orelse[0]

    def pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """The tests of a pattern, and what its names stand for."""
        if isinstance(pattern, nodes.MatchValue):
            return [quote_expr("s == v", s=read, v=pattern.value)], {}
        if isinstance(pattern, nodes.MatchSingleton):
            value = parse_expr(repr(pattern.value))
            return [quote_expr("s is v", s=read, v=value)], {}
        if isinstance(pattern, nodes.MatchAs):
            tests: list[Node] = []
            names: dict[str, Node] = {}
            if pattern.pattern is not None:
                tests, names = self.pattern(pattern.pattern, read, subject)
            return tests, names | ({pattern.name: read} if pattern.name else {})
        if isinstance(pattern, nodes.MatchOr):
            return self.alternatives(pattern, read, subject)
        if isinstance(pattern, nodes.MatchSequence):
            return self.sequence(pattern, read, subject)
        if isinstance(pattern, nodes.MatchClass):
            return self.class_pattern(pattern, read)
        self.refuse("this pattern is not supported", "Write it as `if` and `elif`.")

    def alternatives(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """a | b, without names."""
        tests = []
        for part in pattern.patterns:
            inner, names = self.pattern(part, read, subject)
            if names:
                self.refuse(
                    "alternatives that bind names are not supported",
                    "Write a case for each of them.",
                )
            tests.append(_all(inner))
        return [nodes.BoolOp(nodes.Or(), tests)], {}

    def sequence(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """[a, b], where the subject is a tuple or list of known length."""
        items = None if subject is None else self.sequence_items(subject)
        starred = any(isinstance(p, nodes.MatchStar) for p in pattern.patterns)
        if items is None or starred:
            self.refuse(
                "a sequence pattern needs a tuple or list of known length, and no star",
                "Unpack the sequence, and use `if`.",
            )
        if len(items) != len(pattern.patterns):
            return [parse_expr("False")], {}
        tests: list[Node] = []
        names: dict[str, Node] = {}
        for k, part in enumerate(pattern.patterns):
            inner = self.pattern(part, quote_expr("s[k]", s=read, k=k), items[k])
            tests += inner[0]
            names |= inner[1]
        return tests, names

    def class_pattern(
        self, pattern: Node, read: Node
    ) -> tuple[list[Node], dict[str, Node]]:
        """Class(field=pattern)."""
        tests = [quote_expr("isinstance(s, c)", s=read, c=pattern.cls)]
        names: dict[str, Node] = {}
        fields = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
        cls: Any = self.evaluate(pattern.cls)
        order = (
            getattr(cls.value, "__match_args__", ()) if isinstance(cls, Const) else ()
        )
        if len(pattern.patterns) > len(order):
            self.refuse(
                "this class has no positional patterns", "Name the fields: Point(x=a)."
            )
        fields = [*zip(order, pattern.patterns, strict=False), *fields]
        for name, part in fields:
            field = nodes.Attribute(read, name, nodes.Load())
            inner = self.pattern(part, field, None)
            tests += inner[0]
            names |= inner[1]
        return tests, names


def _all(tests: list[Node]) -> Node:
    if not tests:
        return parse_expr(_TRUE)
    return tests[0] if len(tests) == 1 else nodes.BoolOp(nodes.And(), tests)


def _assign(name: str, value: Node, at: Node) -> Node:
    target = nodes.Name(name, nodes.Store(), None, None)
    made = nodes.Assign([target], value, None)
    _place(made, at)
    return made


def _place(made: Node, at: Node) -> None:
    """Give made-up nodes the place of the pattern they stand for."""
    for node in nodes.walk(made):
        if "lineno" in getattr(node, "_attributes", ()):
            nodes.copy_location(node, at)
